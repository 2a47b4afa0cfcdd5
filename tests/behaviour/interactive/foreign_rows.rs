//! Rows of programs that write no versions.

use super::{Account, balance, bank};
use dyno::Transaction;
use dyno_tests::{item, n, s};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The row had no version when the closure read it. Unchecked updates have since given it one, and its contents are the
/// same.
#[tokio::test]
async fn a_version_given_to_a_row_after_its_read_runs_the_closure_again() {
    let world = bank(["b"]).await;
    world.write_foreign::<Account>(item([("id", s("a")), ("balance", n(100))])).await;
    let (other, runs) = (&world.other(), &AtomicUsize::new(0));
    let note = Transaction::interactive(|tx| async move {
        let read = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        if runs.fetch_add(1, Ordering::SeqCst) == 0 {
            let add = Account::update("a").unchecked().with(Account::fields().balance.add(1));
            add.send(other).await?.applied()?;
            let subtract = Account::update("a").unchecked().with(Account::fields().balance.decrement(1));
            subtract.send(other).await?.applied()?;
        }
        let mut account = tx.get(Account::get("b")).await?.ok_or("no such account")?;
        account.balance = read.version;
        tx.put(account.put());
        Ok(read.version)
    });
    assert_eq!(note.send(&world.repository).await.expect("sent").applied().expect("applied"), 2);
    assert_eq!((balance(&world, "b").await, runs.load(Ordering::SeqCst)), (Some(2), 2));
}

/// Several updates of a row are merged into one update, which keeps attributes that the closure has not seen, changed or
/// new. If a put is among them, the closure runs again, and the put replaces the whole row.
#[tokio::test]
async fn merged_writes_of_a_row_keep_foreign_attributes() {
    for (is_put, note, runs_in_all) in [(false, Some("old"), 1), (false, None, 1), (true, Some("old"), 2)] {
        let world = bank([]).await;
        let row = item([("id", s("a")), ("balance", n(100)), ("version", n(1)), ("_w", s("-1"))]);
        let note = note.map(|note| ("note".to_owned(), s(note)));
        world.write_foreign::<Account>(row.into_iter().chain(note).collect()).await;
        let (elsewhere, runs) = (world.other(), &AtomicUsize::new(0));
        let client = elsewhere.client();
        let fees = Transaction::interactive(|tx| async move {
            let account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            if runs.fetch_add(1, Ordering::SeqCst) == 0 {
                let note = client.update_item().table_name("accounts").key("id", s("a"));
                note.update_expression("SET note = :n").expression_attribute_values(":n", s("new")).send().await?;
            }
            if is_put {
                tx.put(account.put());
            }
            for fee in [1, 10] {
                tx.update(Account::update("a").unchecked().with(Account::fields().balance.decrement(fee)));
            }
            Ok(())
        });
        fees.send(&world.repository).await.expect("sent").applied().expect("applied");
        let [stored] = &world.stored::<Account>().await[..] else { panic!("one row") };
        let note = (!is_put).then(|| s("new"));
        assert_eq!((stored.get("note"), stored.get("balance")), (note.as_ref(), Some(&n(89))), "{is_put}");
        assert_eq!(runs.load(Ordering::SeqCst), runs_in_all, "{is_put}");
    }
}
