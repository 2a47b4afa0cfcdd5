//! A read after a write shows the item that will be stored, and several writes of a row are sent as one.

use super::{Account, account, bank, receipt};
use dyno::{Entity, Reason, Repository, Transaction};
use dyno_tests::world;

async fn stored(repository: &Repository, id: &str) -> Option<Account> {
    Account::get(id).consistent().send(repository).await.expect("a get")
}

#[tokio::test]
async fn a_read_shows_the_closure_s_earlier_writes() {
    let world = bank(["a"]).await;
    let seen = Transaction::interactive(|tx| async move {
        let mut seen = Vec::new();
        let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        account.balance += 1;
        tx.put(account.put());
        seen.push(tx.get(Account::get("a")).await?);
        tx.update(Account::update("a").unchecked().with(Account::fields().balance.add(10)));
        seen.push(tx.get(Account::get("a")).await?);
        let version = seen[1].as_ref().ok_or("no such account")?.version;
        tx.delete(Account::delete("a", version));
        seen.push(tx.get(Account::get("a")).await?);
        tx.put(super::account("a", 5).create());
        seen.push(tx.get(Account::get("a")).await?);
        Ok(seen.into_iter().map(|account| account.map(|account| account.balance)).collect::<Vec<_>>())
    });
    let seen = seen.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(seen, [Some(101), Some(111), None, Some(5)]);
    // Four writes raise the version by one.
    assert_eq!(stored(&world.repository, "a").await, Some(Account { version: 2, ..account("a", 5) }));
}

#[tokio::test]
async fn a_row_created_and_changed_is_written_once() {
    let world = bank(["a"]).await;
    let open = Transaction::interactive(|tx| async move {
        tx.put(account("new", 1).create());
        let mut new = tx.get(Account::get("new")).await?.ok_or("it is made")?;
        new.balance += 1;
        tx.put(new.put());
        tx.put(receipt("r", 1).create());
        Ok(())
    });
    open.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(stored(&world.repository, "new").await, Some(Account { version: 1, ..account("new", 2) }));
}

/// A row that is changed and then deleted becomes a tombstone with the next version.
#[tokio::test]
async fn a_row_changed_and_deleted_leaves_a_tombstone() {
    let world = bank(["a"]).await;
    let close = Transaction::interactive(|tx| async move {
        let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        account.balance = 0;
        tx.put(account.put());
        let account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        tx.delete(Account::delete("a", account.version));
        Ok(())
    });
    close.send(&world.repository).await.expect("sent").applied().expect("applied");
    let found = Account::get("a").include_deleted().consistent().send(&world.repository).await.expect("a get");
    match found {
        Some(dyno::Found::Deleted(tombstone)) => assert_eq!(tombstone.version(), 2),
        other => panic!("{other:?}"),
    }
}

/// For a row that is created and then deleted, no write is sent. But the transaction still requires that the row is absent.
#[tokio::test]
async fn a_row_created_and_deleted_is_not_written() {
    let world = bank(["a"]).await;
    let before = world.faults.events().len();
    let nothing = Transaction::interactive(|tx| async move {
        tx.put(account("new", 1).create());
        tx.delete(Account::delete("new", 1));
        Ok(())
    });
    nothing.send(&world.repository).await.expect("sent").applied().expect("applied");
    let operations: Vec<_> =
        world.faults.events().split_off(before).into_iter().map(|event| event.operation.clone()).collect();
    assert_eq!(operations, ["GetItem"]);
}

/// A write that does not include an earlier write of the same transaction would undo it.
#[tokio::test]
async fn a_write_of_a_copy_older_than_an_earlier_write_is_refused() {
    let world = bank(["a", "b"]).await;
    let before = world.faults.events().len();
    let twice = Transaction::interactive(|tx| async move {
        let (one, two) = (tx.get(Account::get("a")).await?, tx.get(Account::get("a")).await?);
        let (Some(mut one), Some(mut two)) = (one, two) else { return Err("no such account".into()) };
        one.balance += 1;
        two.balance += 2;
        tx.put([one.put(), two.put()]);
        Ok(())
    });
    let error = twice.send(&world.repository).await.expect_err("the second overwrites the first");
    assert!(error.is_invalid_input(), "{error:?}");
    assert_eq!(
        error.to_string(),
        "put of `Account` (id = \"a\"): action 1 of the transaction: it expects the version that was read, but an earlier write \
         of this transaction has changed it: read the item again with the transaction's `get`, and change what that returns"
    );
    assert_eq!(world.faults.events().len(), before + 1, "one read");
}

/// A read shows the version that will be stored, so an item that leaves the closure equals the stored item.
#[tokio::test]
async fn a_read_shows_the_version_that_will_be_stored() {
    let world = bank(["a"]).await;
    let twice = Transaction::interactive(|tx| async move {
        for _ in 0..3 {
            let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            account.balance += 1;
            tx.put(account.put());
        }
        Ok(tx.get(Account::get("a")).await?.ok_or("no such account")?)
    });
    let shown = twice.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(stored(&world.repository, "a").await, Some(shown.clone()));
    assert_eq!((shown.version, shown.balance), (2, 103));
}

/// A copy that was read between two writes does not include the second write.
#[tokio::test]
async fn a_write_of_a_copy_from_between_two_writes_is_refused() {
    let world = bank(["a"]).await;
    let outdated = Transaction::interactive(|tx| async move {
        let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        account.balance += 1;
        tx.put(account.put());
        let between = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        tx.update(Account::update("a").unchecked().with(Account::fields().balance.add(10)));
        tx.put(between.put());
        Ok(())
    });
    let error = outdated.send(&world.repository).await.expect_err("the update would be lost");
    assert!(error.is_invalid_input(), "{error:?}");
    assert!(error.to_string().contains("action 2 of the transaction: it expects the version that was read"), "{error}");
}

/// The stored item refuses a write, and the read after it ends in that refusal.
#[tokio::test]
async fn a_read_after_a_refused_write_ends_in_its_refusal() {
    let world = bank(["a", "b"]).await;
    let open = Transaction::interactive(|tx| async move {
        tx.get(Account::get("b")).await?;
        tx.put(account("a", 1).create());
        tx.get(Account::get("a")).await?;
        Ok(())
    });
    let outcome = open.send(&world.repository).await.expect("sent");
    let refusal = outcome.refusal().expect("it is there");
    let reasons: Vec<_> = refusal.actions().map(|action| (action.index(), action.reasons().to_vec())).collect();
    assert_eq!(reasons, [(0, vec![Reason::Exists])]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table]
#[transactional]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

/// The version of a created item follows the last revision in the history, for example of an item that was deleted. The
/// history is read only when the transaction is sent, so the closure cannot see the version before.
#[tokio::test]
async fn a_created_item_with_a_history_cannot_be_read_before_it_is_sent() {
    let world = world::<Page>().await;
    for is_read_before in [false, true] {
        let create = Transaction::interactive(|tx| async move {
            if is_read_before {
                assert_eq!(tx.get(Page::get("home")).await?, None);
            }
            tx.put(Page { id: "home".to_owned(), text: "hello".to_owned(), version: 0 }.create());
            Ok(tx.get(Page::get("home")).await?)
        });
        let error = create.send(&world.repository).await.expect_err("no version yet");
        assert!(error.is_invalid_input(), "{error:?}");
        assert_eq!(
            error.to_string(),
            "create of `Page` (id = \"home\"): action 0 of the transaction: the new version of the item is not known yet, because it follows the last revision in the history, and dyno reads the history only when it sends the transaction: do not read the item after this write"
        );
        assert_eq!(Page::get("home").send(&world.repository).await.expect("a get"), None);
    }
}
