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
    assert!(error.to_string().contains("an index holds no uncommitted changes"), "{error}");
    let error = TransactGet::new((Entry::get(("a", 1)).uncommitted(),)).send(&repository).await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("a transaction reads committed items"), "{error}");
    let reading = Transaction::interactive(|tx| async move { Ok(tx.get(Entry::get(("a", 1)).uncommitted()).await?) });
    let error = reading.send(&repository).await.expect_err("refused");
    assert!(error.to_string().contains("a transaction reads committed items"), "{error}");
    let reading =
        Transaction::interactive(
            |tx| async move { Ok(tx.batch_get(Entry::batch_get([("a", 1)]).uncommitted()).await?) },
        );
    let error = reading.send(&repository).await.expect_err("refused");
    assert!(error.to_string().contains("a transaction reads committed items"), "{error}");
    assert_eq!(repository.usage().requests, 0);
}

/// Items with a local index, of which those of a neighbour are transactional.
mod local {
    use dyno::{Entities, Entity};

    #[derive(Entity, Debug)]
    #[entity(table = "books", type_name = "entry")]
    #[tombstone(ttl_days = 7)]
    #[transactional]
    #[sort_key(name = "line", template = "entry#{number}")]
    #[index(name = "by_sum", local, sort = sum)]
    pub(super) struct Entry {
        #[partition_key]
        book: String,
        number: u64,
        sum: u64,
        #[version]
        version: u64,
    }

    #[derive(Entity, Debug)]
    #[entity(table = "books", type_name = "note")]
    #[sort_key(name = "line", template = "note#{number}")]
    #[index(name = "by_sum", query = by_note_sum, local, sort = sum)]
    pub(super) struct Note {
        #[partition_key]
        book: String,
        number: u64,
        sum: u64,
    }

    #[expect(dead_code, reason = "the query is refused")]
    #[derive(Entities)]
    pub(super) enum Row {
        Note(Note),
        Entry(Entry),
    }
}

#[tokio::test]
async fn a_consistent_read_of_an_index_that_is_not_consistent_is_refused() {
    let world = world::<Entry>().await;
    let repository = world.repository.metered();
    let error = Entry::scan().consistent().index::<EntryByKind>().send(&repository).await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("the global index `by_kind` has no consistent reads"), "{error}");
    let error = local::Entry::scan().consistent().index::<local::EntryBySum>().count(&repository).await;
    let error = error.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("the index `by_sum` lacks committed changes of `Entry`"), "{error}");
    let query = local::Note::by_note_sum("a").consistent().entities::<local::Row>();
    let error = query.send(&repository).await.map(drop).expect_err("refused");
    assert!(error.to_string().contains("the index `by_sum` lacks committed changes of `Entry`"), "{error}");
    assert_eq!(repository.usage().requests, 0);
    // Without a transactional neighbour, a local index is consistent.
    let note = local::Note::by_note_sum("a").consistent().request(&repository).expect("a request");
    assert!(note.to_string().contains("consistent"), "{note}");
}
