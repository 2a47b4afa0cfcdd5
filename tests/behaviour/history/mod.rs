//! History: every mode and layout keeps every version, numbered without gaps, through deletes, rollbacks, lost answers
//! and crashes.

/// The revisions as text, newest first: `3 text`, or `3 -` for a deletion.
macro_rules! timeline {
    ($entity:ident, $key:expr, $repository:expr) => {{
        let revisions = $entity::revisions($key).send($repository).await.expect("revisions").items;
        let texts = revisions.iter().map(|revision| {
            let text = revision.decode().expect("decodes").map_or("-".to_owned(), |doc| doc.text);
            assert_eq!(text == "-", revision.is_deleted());
            format!("{} {text}", revision.version())
        });
        texts.collect::<Vec<_>>()
    }};
}

/// Sends a write with an ordered history, which is denied after its copy was put. The copy of the current item remains.
macro_rules! leaves_a_copy {
    ($entity:ident, $command:expr, $world:expr) => {{
        let (command, repository) = ($command, &$world.repository);
        let table = repository.history_table_name::<$entity>().expect("a name");
        let rows = async || $world.other().client().scan().table_name(&table).send().await.expect("a scan").count;
        let before = rows().await;
        $world.faults.next([Fault::Served, Fault::Served, Fault::ErrorCode("AccessDeniedException")]);
        let denied = command.send(repository).await.expect_err("denied behind its copy");
        assert!(denied.to_string().contains("AccessDenied"), "{denied}");
        assert_eq!(rows().await, before + 1, "{denied}");
    }};
}

mod clones;
mod contention;
mod kinds;
mod numbering;
mod repair;
mod restore;
mod rows;
mod rules;

use dyno::Entity;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[history_table(ttl_days = 30)]
struct Page {
    #[partition_key]
    id: u64,
    text: String,
    #[version]
    version: u64,
}

fn page(text: &str, version: u64) -> Page {
    Page { id: 1, text: text.to_owned(), version }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "drafts")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
struct Draft {
    #[partition_key]
    id: Vec<u8>,
    text: String,
    #[version]
    version: u64,
}

fn draft(text: &str, version: u64) -> Draft {
    Draft { id: vec![1, 2], text: text.to_owned(), version }
}
