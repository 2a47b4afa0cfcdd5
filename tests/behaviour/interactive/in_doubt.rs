//! Answers that stay away for longer than the SDK retries: `send` keeps asking for the outcome.

use super::clones::impatient;
use super::{Account, balance, bank, receipt};
use dyno::{ErrorKind, Transaction};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::pause;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The attempts that the SDK makes before it gives up a request.
const SDK_ATTEMPTS: usize = 3;

fn is_transaction(event: &Event) -> bool {
    event.operation == "TransactWriteItems"
}

fn is_commit(event: &Event) -> bool {
    event.text().contains("SET committed")
}

macro_rules! transfer {
    ($runs:expr) => {{
        let runs = &$runs;
        Transaction::interactive(move |tx| async move {
            runs.fetch_add(1, Ordering::SeqCst);
            let mut sender = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            let mut receiver = tx.get(Account::get("b")).await?.ok_or("no such account")?;
            sender.balance -= 10;
            receiver.balance += 10;
            tx.put([sender.put(), receiver.put()]);
            Ok(sender.balance)
        })
    }};
}

#[tokio::test]
async fn send_learns_the_outcome_after_the_sdk_gave_up() {
    pause();
    for client_side in [false, true] {
        for fault in [Fault::AnswerLost, Fault::RequestLost] {
            let world = bank(["a", "b"]).await;
            world.create_lanes().await;
            let runs = AtomicUsize::new(0);
            for position in 1..=SDK_ATTEMPTS {
                world.faults.on_request(position, if client_side { is_commit } else { is_transaction }, fault);
            }
            let transfer = transfer!(runs);
            let transfer = if client_side { transfer.client_side() } else { transfer };
            let left = transfer.send(&world.repository).await.expect("sent").applied().expect("applied");
            assert_eq!((left, runs.load(Ordering::SeqCst)), (90, 1), "{client_side} {fault:?}");
            assert_eq!(world.faults.unmet(), 0);
            assert_eq!((balance(&world, "a").await, balance(&world, "b").await), (Some(90), Some(110)));
        }
    }
}

/// A transaction without a closure learns its outcome, too, although it has no request id.
#[tokio::test]
async fn a_transaction_without_a_closure_learns_its_outcome_as_well() {
    pause();
    for client_side in [false, true] {
        let world = bank(["a", "b"]).await;
        world.create_lanes().await;
        for position in 1..=SDK_ATTEMPTS {
            world.faults.on_request(position, if client_side { is_commit } else { is_transaction }, Fault::AnswerLost);
        }
        let change = Transaction::new()
            .update(Account::update("a").unchecked().with(Account::fields().balance.decrement(10)))
            .update(Account::update("b").unchecked().with(Account::fields().balance.increment(10)));
        let change = if client_side { change.client_side() } else { change };
        let _committed = change.send(&world.repository).await.expect("sent").applied().expect("applied");
        assert_eq!((balance(&world, "a").await, balance(&world, "b").await), (Some(90), Some(110)));
    }
}

/// If the client has no retries, `send` does not ask again, unless a timeout is given.
#[tokio::test]
async fn a_client_without_retries_asks_only_if_a_timeout_is_given() {
    pause();
    for (timeout, applied) in [(None, false), (Some(0), false), (Some(1_000), true)] {
        let world = bank(["a", "b"]).await;
        let runs = AtomicUsize::new(0);
        world.faults.on_request(1, is_transaction, Fault::AnswerLost);
        let transfer = transfer!(runs);
        let transfer = match timeout {
            Some(millis) => transfer.in_doubt_timeout(Duration::from_millis(millis)),
            None => transfer,
        };
        let sent = transfer.send(&impatient(&world)).await;
        assert_eq!(sent.is_ok(), applied, "{timeout:?}: {sent:?}");
        assert_eq!(balance(&world, "a").await, Some(90));
    }
}

/// `send` does not ask forever, even if the clock stands still.
#[tokio::test]
async fn send_stops_asking_after_the_timeout() {
    pause();
    let world = bank(["a", "b"]).await;
    let runs = AtomicUsize::new(0);
    for position in 1..=1_000 {
        world.faults.on_request(position, is_transaction, Fault::RequestLost);
    }
    let error = transfer!(runs).send(&world.repository).await.expect_err("no answer");
    assert!(error.may_be_applied() && error.kind() == ErrorKind::Unreachable, "{error:?}");
    let asked = 1_000 - world.faults.unmet();
    // The pauses last 10 seconds in all, half a second each on average. After each pause, the SDK makes all its attempts.
    assert!((5 * SDK_ATTEMPTS..60 * SDK_ATTEMPTS).contains(&asked), "{asked}");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

/// A handler calls the transaction again because its caller got no answer. The second call is a duplicate: it books nothing,
/// and the first booking does not make it fail.
#[tokio::test]
async fn a_second_call_with_the_same_request_id_is_a_duplicate() {
    for client_side in [false, true] {
        let world = bank(["a", "b"]).await;
        world.create_lanes().await;
        world.repository.create_request_table().await.expect("a table");
        let book = |request: &'static str| {
            let booking = Transaction::interactive(move |tx| async move {
                let mut seat = tx.get(Account::get("a")).await?.ok_or("no such seat")?;
                if seat.balance == 0 {
                    return Err("it is taken".into());
                }
                seat.balance = 0;
                tx.put(seat.put());
                tx.put(receipt(request, 1).create());
                Ok(())
            });
            let booking = booking.request_id(format!("book#{request}"));
            if client_side { booking.client_side() } else { booking }
        };
        // The answer to the first call is lost.
        world.faults.on_request(1, if client_side { is_commit } else { is_transaction }, Fault::AnswerLost);
        let first = book("first").send(&impatient(&world)).await;
        // If the answer to a commit is lost, dyno reads the lane at once.
        assert_eq!(first.is_err_and(|error| error.may_be_applied()), !client_side);

        for _ in 0..2 {
            let again = book("first").send(&world.repository).await.expect("an outcome");
            let refusal = again.refusal().expect("it was made");
            assert!(refusal.is_duplicate(), "{refusal:?}");
            assert!(refusal.to_string().contains("book#first"), "{refusal}");
            assert!(again.accept_duplicate().expect("accepted").is_none());
        }
        // A call with another request id finds that the seat is taken.
        let error = book("second").send(&world.repository).await.expect_err("taken");
        assert_eq!(error.to_string(), "the closure returned an error: it is taken");
        // There are two seats and one receipt.
        assert_eq!(world.stored::<Account>().await.len(), 3);
    }
}

/// Two processes send the same request id at once, and one of them books.
#[tokio::test]
async fn only_one_of_two_concurrent_calls_with_one_request_id_applies() {
    pause();
    for client_side in [false, true] {
        let world = bank(["a"]).await;
        world.create_lanes().await;
        world.repository.create_request_table().await.expect("a table");
        let add = || {
            let add = Transaction::interactive(|tx| async move {
                let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
                account.balance += 1;
                tx.put(account.put());
                Ok(())
            });
            let add = add.request_id("add#1");
            if client_side { add.client_side() } else { add }
        };
        let other = world.other();
        let (one, two) = (add().send(&world.repository), add().send(&other));
        let (one, two) = futures_util::future::join(one, two).await;
        let made = [one, two].map(|sent| sent.expect("sent").accept_duplicate().expect("accepted").is_some());
        assert_eq!(made.into_iter().filter(|made| *made).count(), 1, "{client_side}");
        assert_eq!(balance(&world, "a").await, Some(101));
    }
}

/// The first call is still under way when the second one is served. When it arrives, it is refused.
#[tokio::test]
async fn a_first_call_that_arrives_after_the_second_is_not_applied() {
    let world = bank(["a", "b"]).await;
    world.repository.create_request_table().await.expect("a table");
    let blind = || {
        let add = Transaction::interactive(|tx| async move {
            tx.update(Account::update("a").unchecked().with(Account::fields().balance.increment(1)));
            Ok(())
        });
        add.request_id("add#1")
    };
    world.faults.on_request(1, is_transaction, Fault::Postponed);
    blind().send(&impatient(&world)).await.expect_err("no answer");
    blind().send(&world.repository).await.expect("sent").applied().expect("applied");
    let first = world.faults.deliver().await.expect("the first one");
    assert_eq!(first.status, 400, "{}", first.body);
    assert_eq!(balance(&world, "a").await, Some(101));
}

/// The TTL removes the row of a request. Then a call with the same request id counts as a new request.
#[tokio::test]
async fn a_request_row_has_a_ttl_of_seven_days() {
    for client_side in [false, true] {
        let world = bank(["a"]).await;
        world.create_lanes().await;
        world.repository.create_request_table().await.expect("a table");
        let send = || async {
            let add = Transaction::interactive(|tx| async move {
                let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
                account.balance += 1;
                tx.put(account.put());
                Ok(())
            });
            let add = add.request_id("add#1");
            let add = if client_side { add.client_side() } else { add };
            add.send(&world.repository).await.expect("sent").accept_duplicate().expect("accepted")
        };
        assert!(send().await.is_some());
        let scan = world.other().client().scan().table_name("dyno-requests").send().await.expect("a scan");
        let row = scan.items.unwrap_or_default().pop().expect("a row");
        assert_eq!(row.get("ttl"), Some(&dyno_tests::n(world.clock_seconds() + 7 * 24 * 60 * 60)));
        assert!(send().await.is_none());
        world.clock.advance(7 * 24 * 60 * 60 * 1_000 + 1_000);
        assert!(send().await.is_some());
        assert_eq!(balance(&world, "a").await, Some(102), "{client_side}");
    }
}

/// A transaction that writes nothing leaves no row. A refused create is reported as a refusal, and not as a duplicate.
#[tokio::test]
async fn a_request_that_writes_nothing_leaves_no_row() {
    let world = bank(["a"]).await;
    world.repository.create_request_table().await.expect("a table");
    let read = Transaction::interactive(|tx| async move { Ok(tx.get(Account::get("a")).await?.is_some()) });
    assert!(read.request_id("read#1").send(&world.repository).await.expect("sent").applied().expect("applied"));
    let create = Transaction::interactive(|tx| async move {
        tx.put(super::account("a", 1).create());
        Ok(())
    });
    let refused = create.request_id("create#1").send(&world.repository).await.expect("sent");
    let refusal = refused.refusal().expect("it exists");
    assert!(!refusal.is_duplicate() && refusal.refusal_of::<Account>(0).is_some(), "{refusal:?}");
    let scan = world.other().client().scan().table_name("dyno-requests").send().await.expect("a scan");
    assert_eq!(scan.count, 0);
}
