//! Native transactions: no action changes a locked item, and the whole transaction waits for the lock.

use super::{Account, Draft, Meter, account, draft, held, holding, let_go, lost, placeholder, put_row, row, stored};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::command::{CheckActions, DeleteActions, PutActions, UpdateActions};
use dyno::{ActionRefusal, ErrorKind, Transaction, TransactionOutcome};
use dyno_tests::{World, item, n, pause, s};

/// The second action of a transaction meets a locked item, and no action is applied.
async fn kept(world: &World, transaction: Transaction) {
    let (before, metered) = (row::<Account>(world).await, world.repository.metered());
    let request = transaction.request(&world.repository).expect("a request").to_string();
    assert!(request.contains("attribute_not_exists(#_x)"), "{request}");
    let error = transaction.send(&metered).await.expect_err("it is held");
    assert!(error.kind() == ErrorKind::LaneMissing && !error.may_be_applied(), "{error}");
    let text = error.to_string();
    assert!(text.contains("action 1 of the transaction") && text.contains("holds the item"), "{text}");
    assert_eq!(metered.usage().requests, 2);
    assert_eq!(row::<Account>(world).await, before);
    assert_eq!(world.stored::<Draft>().await, []);
}

/// A transaction whose first action checks that there is no draft.
fn beside() -> Transaction {
    Transaction::new().check(Draft::check("1").absent())
}

#[tokio::test]
async fn no_kind_of_action_changes_a_locked_item() {
    pause();
    for held_row in [held(stored()), placeholder()] {
        let world = lost(held_row).await;
        world.other().create_table::<Draft>().await.expect("a table");
        let balance = || Account::fields().balance;
        kept(&world, beside().put(account(6, 3).put())).await;
        kept(&world, beside().put(account(6, 0).create())).await;
        kept(&world, beside().put(account(6, 3).replace())).await;
        kept(&world, beside().put(account(6, 3).undelete())).await;
        kept(&world, beside().update(Account::update("1").version(3u64).with(balance().set(6u64)))).await;
        kept(&world, beside().update(Account::update("1").unchecked().with(balance().increment(1u64)))).await;
        kept(&world, beside().delete(Account::delete("1", 3u64))).await;
        kept(&world, beside().check(Account::check("1"))).await;
        kept(&world, beside().check(Account::check("1").version(3u64))).await;
        kept(&world, beside().check(Account::check("1").absent())).await;
    }
}

/// The commands of a transactional entity implement the traits of all actions.
#[test]
fn commands_of_a_transactional_entity_are_actions() {
    fn put(_: impl PutActions) {}
    fn update(_: impl UpdateActions) {}
    fn delete(_: impl DeleteActions) {}
    fn check(_: impl CheckActions) {}
    put(account(1, 0).create());
    update(Account::update("1").unchecked().with(Account::fields().balance.set(1u64)));
    delete(Account::delete("1", 1u64));
    check(Account::check("1"));
}

/// The transaction waits, and is sent again as the same request with the same token. It counts once.
#[tokio::test]
async fn a_waiting_native_transaction_resends_the_same_request() {
    pause();
    let world = holding(held(stored())).await;
    world.other().create_table::<Draft>().await.expect("a table");
    let transaction = || {
        let add = Account::update("1").unchecked().with(Account::fields().balance.increment(1u64));
        Transaction::new().put(draft("one", 0).create()).update(add)
    };
    for token in [None, Some("mine")] {
        put_row::<Account>(&world, held(row::<Account>(&world).await)).await;
        let before =
            row::<Account>(&world).await["balance"].as_n().expect("a number").parse::<u64>().expect("a number");
        let mut sent = transaction();
        if let Some(token) = token {
            sent = Transaction::new()
                .update(Account::update("1").unchecked().with(Account::fields().balance.increment(1u64)));
            sent = sent.token(token);
        }
        let first = world.faults.transactions().len();
        world.faults.hold_after(if token.is_none() { 2 } else { 1 });
        let repository = world.repository.clone();
        let write = tokio::spawn(async move { sent.send(&repository).await });
        world.faults.held().await;
        let_go(&world).await;
        world.faults.release();
        let outcome = write.await.expect("no panic").expect("an answer");
        assert!(matches!(outcome, TransactionOutcome::Applied(_)), "{outcome:?}");
        assert_eq!(row::<Account>(&world).await["balance"], n(before + 1));
        let sent = world.faults.transactions();
        assert!(sent.len() > first + 1 && sent[first..].iter().all(|body| *body == sent[first]), "one token");
    }
}

/// Another refusal may be the result of the transaction that holds the lock.
#[tokio::test]
async fn a_refusal_is_not_reported_while_another_item_is_locked() {
    pause();
    let world = lost(held(stored())).await;
    let two = item([("id", s("2")), ("balance", n(1)), ("notes", AttributeValue::L(Vec::new())), ("version", n(9))]);
    put_row::<Account>(&world, two).await;
    let both = || {
        let set = |id: &str| Account::update(id).version(3u64).with(Account::fields().balance.set(6u64));
        Transaction::new().update(set("1")).update(set("2"))
    };
    let error = both().send(&world.repository).await.expect_err("it is held");
    assert_eq!(error.kind(), ErrorKind::LaneMissing, "{error}");
    put_row::<Account>(&world, stored()).await;
    let outcome = both().send(&world.repository).await.expect("an answer");
    let refused: Vec<usize> = outcome.refusal().expect("refused").actions().map(ActionRefusal::index).collect();
    assert_eq!(refused, [1]);
}

/// A duplicate is reported once the other item is no longer locked.
#[tokio::test]
async fn a_duplicate_is_not_reported_while_another_item_is_locked() {
    pause();
    let world = lost(stored()).await;
    world.other().create_table::<Meter>().await.expect("a table");
    put_row::<Meter>(&world, item([("id", s("1")), ("count", n(5)), ("version", n(3)), ("_w", s("-before"))])).await;
    let both = || {
        let count = Meter::update("1").unchecked().with(Meter::fields().count.add(1u64)).idempotency_key("a");
        let add = Account::update("1").version(3u64).with(Account::fields().balance.set(6u64));
        Transaction::new().update(count).update(add)
    };
    assert!(both().send(&world.repository).await.expect("an answer").is_applied());
    put_row::<Account>(&world, held(row::<Account>(&world).await)).await;
    let error = both().send(&world.repository).await.expect_err("it is held");
    assert_eq!(error.kind(), ErrorKind::LaneMissing, "{error}");
    let_go(&world).await;
    let outcome = both().send(&world.repository).await.expect("an answer");
    assert!(outcome.refusal().expect("refused").is_duplicate(), "{outcome:?}");
}

/// The attempt that may be under way could be applied in addition to one with other contents.
#[tokio::test]
async fn a_transaction_that_may_be_under_way_is_not_replaced() {
    pause();
    let world = holding(held(stored())).await;
    let other = |notes: &[&str]| {
        let notes = AttributeValue::L(notes.iter().map(|note| s(note)).collect());
        item([("id", s("2")), ("balance", n(1)), ("notes", notes), ("version", n(9)), ("_w", s("-before"))])
    };
    put_row::<Account>(&world, other(&["a"])).await;
    let transaction = Transaction::new()
        .update(Account::update("1").unchecked().with(Account::fields().balance.increment(1u64)))
        .update(Account::update("2").unchecked().with(Account::fields().notes.remove_value("a")));
    // The element's index is read first. Then the element moves, and the answer to the first attempt is lost.
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let write = tokio::spawn(async move { transaction.send(&repository).await });
    world.faults.held().await;
    put_row::<Account>(&world, other(&["z", "a"])).await;
    world.lose_answers(1);
    world.faults.release();
    let error = write.await.expect("no panic").expect_err("an attempt may be under way");
    assert!(error.is_outcome_unknown(), "{error}");
    assert_eq!(world.faults.transactions().len(), 2, "one plan, sent twice by the SDK");
}
