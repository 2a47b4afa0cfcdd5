//! Transactions that are refused before any write is sent.

use super::{Account, account, bank, receipt};
use dyno::{ErrorKind, Transaction};
use dyno_tests::faults::Fault;
use std::sync::Mutex;

#[tokio::test]
async fn a_handle_that_outlives_its_closure_is_refused() {
    let world = bank(["a"]).await;
    let kept = &Mutex::new(None);
    let keep = Transaction::interactive(|tx| async move {
        tx.put(account("b", 1).create());
        *kept.lock().expect("no panic") = Some(tx);
        Ok(())
    });
    let before = world.faults.events().len();
    let error = keep.send(&world.repository).await.expect_err("the handle is kept");
    assert!(error.is_invalid_input(), "{error:?}");
    let tx = kept.lock().expect("no panic").take().expect("the handle");
    let error = tx.get(Account::get("a")).await.expect_err("it is over");
    assert_eq!(
        error.to_string(),
        "a handle of the transaction was used after its closure had returned, when the transaction takes no more \
         commands: await every use of the handle before the closure returns"
    );
    assert_eq!(world.faults.events().len(), before, "nothing was sent");
}

#[tokio::test]
async fn both_native_and_client_side_are_refused_before_any_request() {
    let world = bank(["a"]).await;
    let put = || Transaction::new().put(account("b", 1).create());
    let closure = || {
        Transaction::interactive(|tx| async move {
            tx.put(account("b", 1).create());
            Ok(())
        })
    };
    let before = world.faults.events().len();
    for error in [
        put().native().client_side().send(&world.repository).await.map(drop),
        put().client_side().native().send(&world.repository).await.map(drop),
        put().client_side().native().request(&world.repository).map(drop),
        closure().native().client_side().send(&world.repository).await.map(drop),
        closure().client_side().native().send(&world.repository).await.map(drop),
    ] {
        let error = error.expect_err("two ways");
        assert!(error.is_invalid_input(), "{error:?}");
        let text = "the transaction is set to `native` and `client_side`: leave one of them out";
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(world.faults.events().len(), before, "nothing was sent");
    put().native().native().send(&world.repository).await.expect("one way").applied().expect("applied");
}

/// Each row that was only read takes an action, too.
#[tokio::test]
async fn over_100_rows_of_a_native_closure_are_refused_before_the_write() {
    let world = bank(["a"]).await;
    let ids: &Vec<String> = &(0..100).map(|id| id.to_string()).collect();
    for (reads, writes, is_possible) in [(1, 99, true), (1, 100, false), (60, 41, false), (0, 100, true)] {
        let transfer = Transaction::interactive(|tx| async move {
            tx.batch_get(Account::batch_get(ids[..reads].iter().map(|id| format!("read {id}")))).await?;
            let new = ids[..writes].iter().map(|id| account(&format!("{reads} {id}"), 1).create());
            tx.put(new.collect::<Vec<_>>());
            Ok(())
        });
        let before = world.faults.events().len();
        let sent = transfer.native().send(&world.repository).await;
        let requests = world.faults.events().len() - before;
        if is_possible {
            sent.expect("sent").applied().expect("applied");
            continue;
        }
        let error = sent.expect_err("too many");
        assert!(error.is_invalid_input(), "{error:?}");
        // If the closure has read several rows, they are validated first, because inconsistent reads could have caused the
        // error.
        assert_eq!(requests, usize::from(reads > 0) + usize::from(reads > 1));
        assert_eq!(
            error.to_string(),
            format!(
                "the transaction writes {writes} items and has read {reads} others, but DynamoDB accepts at most 100 in one: \
                 split it if the parts make sense alone, or read fewer items in it"
            )
        );
    }
}

/// An error names an action by its index among the writes of the closure. Reads do not count.
#[tokio::test]
async fn an_error_names_the_action_by_its_index() {
    let world = bank(["a", "b"]).await;
    let put = Transaction::interactive(|tx| async move {
        let mut accounts = tx.batch_get(Account::batch_get(["a", "b"])).await?.into_iter().flatten();
        tx.put(account(&"x".repeat(3000), 1).create());
        tx.put(accounts.next().ok_or("no such account")?.put());
        Ok(())
    });
    let error = put.send(&world.repository).await.expect_err("too long a key");
    assert!(error.is_invalid_input() && error.to_string().contains("action 0 of the transaction"), "{error}");
}

/// A clone is the same transaction, so its rows must be those of the tables that the first one has read.
#[tokio::test]
async fn a_clone_sent_to_other_tables_is_refused() {
    let world = bank(["a"]).await;
    let there = world.repository.clone().with_table_prefix("other-");
    there.create_table::<Account>().await.expect("a table");
    account("a", 500).create().send(&there).await.expect("sent").applied().expect("applied");
    let fee = Transaction::interactive(|tx| async move {
        let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        account.balance -= 1;
        tx.put(account.put());
        Ok(account.balance)
    });
    let impatient = super::clones::impatient(&world);
    world.faults.next([Fault::Served, Fault::AnswerLost]);
    let error = fee.clone().send(&impatient).await.expect_err("no answer");
    assert!(error.may_be_applied(), "{error:?}");
    let error = fee.clone().send(&there).await.expect_err("it was sent elsewhere");
    assert!(error.is_invalid_input(), "{error:?}");
    assert_eq!(fee.send(&world.repository).await.expect("sent").applied().expect("applied"), 99);
}

/// An error of dyno in the closure keeps its kind, and so does the error of a failed read.
#[tokio::test]
async fn a_dyno_error_in_a_closure_keeps_its_kind() {
    let world = bank(["a"]).await;
    let get = Transaction::interactive(|tx| async move {
        tx.get(Account::get("")).await?;
        Ok(())
    });
    let error = get.send(&world.repository).await.expect_err("an empty key");
    assert!(error.is_invalid_input(), "{error:?}");
    let put = Transaction::interactive(|tx| async move {
        tx.put(account("", 1).create());
        Ok(())
    });
    let error = put.send(&world.repository).await.expect_err("an empty key");
    assert!(error.is_invalid_input(), "{error:?}");
    let missing = Transaction::interactive(|tx| async move {
        tx.get(Account::get("a")).await?;
        Ok(())
    });
    let elsewhere = world.repository.clone().with_table_prefix("no-");
    let error = missing.send(&elsewhere).await.expect_err("no such table");
    assert_eq!(error.kind(), ErrorKind::TableMissing);
}

/// If the closure panics, nothing is written.
#[tokio::test]
async fn a_closure_that_panics_writes_nothing() {
    let world = bank(["a"]).await;
    let repository = world.repository.clone();
    let panics = tokio::spawn(async move {
        let panics = Transaction::interactive(|tx| async move {
            tx.put(receipt("r", 1).create());
            let account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            assert_eq!(account.balance, 0, "a mistake");
            Ok(())
        });
        panics.send(&repository).await.map(|_| ())
    });
    assert!(panics.await.expect_err("a panic").is_panic());
    assert_eq!(Account::get("r").send(&world.repository).await.expect("a get"), None);
}
