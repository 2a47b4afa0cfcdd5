//! Reads that are refused at the uncommitted level.

use super::{Entry, EntryByKind};
use dyno::{ErrorKind, TransactGet, Transaction};
use dyno_tests::world;

#[tokio::test]
async fn uncommitted_reads_of_an_index_or_in_a_transaction_are_refused() {
    let world = world::<Entry>().await;
    let repository = world.repository.metered();
    let error = Entry::scan().uncommitted().index::<EntryByKind>().send(&repository).await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("an index holds nothing of what is not committed"), "{error}");
    let error = TransactGet::new((Entry::get(("a", 1)).uncommitted(),)).send(&repository).await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("a transaction reads what is committed"), "{error}");
    let reading = Transaction::interactive(|tx| async move { Ok(tx.get(Entry::get(("a", 1)).uncommitted()).await?) });
    let error = reading.send(&repository).await.expect_err("refused");
    assert!(error.to_string().contains("a transaction reads what is committed"), "{error}");
    let reading =
        Transaction::interactive(
            |tx| async move { Ok(tx.batch_get(Entry::batch_get([("a", 1)]).uncommitted()).await?) },
        );
    let error = reading.send(&repository).await.expect_err("refused");
    assert!(error.to_string().contains("a transaction reads what is committed"), "{error}");
    assert_eq!(repository.usage().requests, 0);
}
