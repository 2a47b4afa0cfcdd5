//! The versions that the writes of a closure have stored.

use super::{Account, account, bank, receipt};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Repository, Transaction};
use dyno_tests::faults::Fault;
use std::sync::Arc;

macro_rules! sent {
    ($transaction:expr, $repository:expr) => {
        $transaction.send($repository).await.expect("sent").applied().expect("applied")
    };
}

/// The create is sent as a single write, in a native transaction, and in a client-side transaction.
#[tokio::test]
async fn a_created_entity_gets_the_version_that_was_stored() {
    let world = bank(["a", "b"]).await;
    world.repository.create_lane_table().await.expect("a lane table");
    for (id, others, client_side) in [("x", false, false), ("y", true, false), ("z", true, true)] {
        let open = Transaction::interactive(|tx| async move {
            if others {
                let mut other = tx.get(Account::get("a")).await?.ok_or("no such account")?;
                other.balance += 1;
                tx.put(other.put());
            }
            let new = account(id, 7);
            let stored = tx.put_returning(new.create());
            assert_eq!(stored.version(), None, "nothing is stored yet");
            Ok((new, stored))
        });
        let open = if client_side { open.client_side() } else { open };
        let (mut new, stored) = sent!(open, &world.repository);
        new.version = stored.version().expect("stored");
        let there = Account::get(id).consistent().send(&world.repository).await.expect("a get").expect("there");
        assert_eq!(there, new);
        // The next write expects this version.
        new.balance = 8;
        assert_eq!(new.put().send(&world.repository).await.expect("sent").applied().expect("applied"), 2, "{id}");
    }
}

/// A create over a tombstone continues its versions. The commit alone knows the new version.
#[tokio::test]
async fn a_create_over_a_tombstone_reports_the_next_version() {
    let world = bank(["a", "b"]).await;
    Account::delete("a", 1).send(&world.repository).await.expect("sent").applied().expect("applied");
    for natively in [true, false] {
        world.repository.create_lane_table().await.expect("a lane table");
        let id = if natively { "a" } else { "b" };
        if !natively {
            Account::delete("b", 1).send(&world.repository).await.expect("sent").applied().expect("applied");
        }
        let open = Transaction::interactive(|tx| async move {
            tx.put(receipt(&format!("of {id}"), 1).create());
            Ok(tx.put_returning(account(id, 7).create()))
        });
        let open = if natively { open.native() } else { open.client_side() };
        assert_eq!(sent!(open, &world.repository).version(), Some(3), "{id}");
    }
}

/// Each write of an array reports its own version. Several writes of one item report the same version.
#[tokio::test]
async fn each_of_several_writes_reports_its_stored_version() {
    let world = bank(["a", "b"]).await;
    for client_side in [false, true] {
        world.repository.create_lane_table().await.expect("a lane table");
        let transfer = Transaction::interactive(|tx| async move {
            let mut sender = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            let mut receiver = tx.get(Account::get("b")).await?.ok_or("no such account")?;
            sender.balance -= 1;
            receiver.balance += 1;
            let both = tx.put_returning([sender.put(), receiver.put()]);
            let mut sender = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            sender.balance -= 1;
            let again = tx.put_returning(sender.put());
            let field = Account::fields().balance;
            let added = tx.update_returning(Account::update("b").unchecked().with(field.increment(1)));
            Ok((sender.version, both, again, added))
        });
        let transfer = if client_side { transfer.client_side() } else { transfer };
        let sent = transfer.send(&world.repository).await;
        let (version, both, again, added) = sent.expect("sent").applied().expect("applied");
        let version = Some(version);
        assert_eq!(both.versions().collect::<Vec<_>>(), [version, version]);
        assert_eq!((again.version(), added.version()), (version, version));
    }
}

/// A clone that learns of the commit reports the stored versions. The handle that it returns is from the first send, which
/// failed.
#[tokio::test]
async fn a_clone_sent_after_a_lost_answer_reports_the_stored_versions() {
    let world = bank([]).await;
    world.repository.create_lane_table().await.expect("a lane table");
    let impatient = Repository::new(world.client(RetryConfig::disabled())).with_clock(Arc::clone(&world.clock));
    let open = Transaction::interactive(|tx| async move {
        tx.put(receipt("of x", 1).create());
        Ok(tx.put_returning(account("x", 7).create()))
    });
    world.faults.next([Fault::AnswerLost]);
    open.clone().send(&impatient).await.expect_err("no answer");
    for _ in 0..2 {
        assert_eq!(sent!(open.clone(), &world.repository).version(), Some(1));
    }
}
