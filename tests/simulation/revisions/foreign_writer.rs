//! Another program that writes to the documents' table, and knows nothing of versions, histories or transactions.
//!
//! A considerate program sets an attribute of its own on live documents, even while a transaction holds them. It also puts a
//! row of its own between the documents, which queries read. As [Beside other writers](../../../docs/beside-other-writers.md)
//! asks, it changes no attribute of dyno's, and writes to no row that is not a live item. A careless program puts and deletes
//! a whole document.

use super::{FOLDER, NAMES};
use dyno::aws_sdk_dynamodb::Client;
use dyno::{Error, Item, Repository};
use dyno_tests::{item, n, s};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::sleep;

/// The attribute that a considerate program sets.
const NOTE: &str = "noted";
/// The name of its own row, which sorts between the documents.
const ITS: &str = "bb";

fn key(name: &str) -> Item {
    item([("folder", s(FOLDER)), ("name", s(name))])
}

/// The program's own row, which a program with the entity can decode. The number is in the attribute of the version.
fn its(number: u64) -> Item {
    let mut row = key(ITS);
    row.extend(item([("text", s("")), ("version", n(number))]));
    row
}

/// The document that a careless program writes.
const SPOILT: &str = "d";

/// Which other program runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stranger {
    None,
    Considerate,
    Careless,
}

impl Stranger {
    pub(super) fn of(seed: u64) -> Self {
        match seed % 3 {
            0 => Self::None,
            1 => Self::Considerate,
            _ => Self::Careless,
        }
    }

    /// Returns true if dyno promises nothing about this document.
    pub(super) fn spoils(self, name: &str) -> bool {
        self == Self::Careless && name == SPOILT
    }

    /// Returns true if the error says that this program has changed its document behind the history. This happens if it
    /// deletes the document while a committed change is not yet applied, and another writer creates the document again with
    /// the number of that change. Then a person has to decide.
    pub(super) fn stands_in_the_way(self, error: &Error) -> bool {
        let is_of_its_document = error.key().is_some_and(|key| key.ends_with(&format!("name = {SPOILT:?}")));
        let is_said = || error.to_string().contains("another program changed the item without its history");
        self == Self::Careless && error.is_decode() && is_of_its_document && is_said()
    }

    /// Returns true if dyno promises nothing about this row.
    pub(super) fn has_spoilt(self, row: &Item) -> bool {
        self == Self::Careless && row.get("name") == Some(&s(SPOILT))
    }

    /// Sends one write, and counts the notes that were acknowledged. Other results are ignored.
    pub(super) async fn piece(self, repository: &Repository, notes: &AtomicUsize) {
        sleep(Duration::from_millis(fastrand::u64(0..1_000))).await;
        let client = repository.client();
        match self {
            Self::None => {}
            Self::Considerate if fastrand::u8(0..4) == 0 => put(client, its(fastrand::u64(1..9))).await,
            Self::Considerate => {
                let is_noted = note(client, NAMES[fastrand::usize(..NAMES.len())]).await;
                notes.fetch_add(usize::from(is_noted), Ordering::SeqCst);
            }
            Self::Careless if fastrand::u8(0..4) == 0 => {
                _ = client.delete_item().table_name("documents").set_key(Some(key(SPOILT))).send().await;
            }
            Self::Careless => {
                let mut row = key(SPOILT);
                row.insert("text".to_owned(), s(""));
                if fastrand::bool() {
                    row.insert("version".to_owned(), n(fastrand::u8(1..9)));
                }
                put(client, row).await;
            }
        }
    }
}

async fn put(client: &Client, row: Item) {
    _ = client.put_item().table_name("documents").set_item(Some(row)).send().await;
}

/// Sets the program's attribute on a document. Returns true if the write was acknowledged.
async fn note(client: &Client, name: &str) -> bool {
    let update = client.update_item().table_name("documents").set_key(Some(key(name)));
    let update = update.update_expression("SET #note = :note").condition_expression("attribute_exists(#text)");
    let update = update.expression_attribute_names("#note", NOTE).expression_attribute_names("#text", "text");
    update.expression_attribute_values(":note", n(fastrand::u8(..))).send().await.is_ok()
}

/// Checks that the program's own row is unchanged.
pub(super) fn check(rows: &[Item]) {
    for row in rows.iter().filter(|row| row["name"] == s(ITS)) {
        assert!((1..9).any(|number| *row == its(number)), "a row of another program was changed: {row:?}");
    }
}
