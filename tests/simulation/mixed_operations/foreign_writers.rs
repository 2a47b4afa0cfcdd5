//! Programs without dyno that write to the tables of the lists.
//!
//! *Considerate* programs follow [Beside other writers](../../../docs/beside-other-writers.md): each write has the condition
//! `attribute_not_exists(_x)`, counts the version, and leaves `_w` and tombstones alone. With these programs, all operations
//! are serializable.
//!
//! *Careless* programs put and delete whole rows without a condition. They harm only the lists that they write: the
//! operations on all other lists are serializable.

use super::Worker;
use super::rows::{Place, SHELF};
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::error::SdkError;
use dyno::aws_sdk_dynamodb::operation::get_item::GetItemError;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Item, Repository};
use dyno_tests::{item, n};
use std::time::Duration;
use tokio::time::sleep;

/// The lists that careless programs write, in either table: a hot one, and one that is often created and deleted.
const CARELESS: [u64; 2] = [2, 4];

/// Which other programs there are in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Strangers {
    None,
    Considerate,
    Careless,
}

impl Strangers {
    /// Sends one write of such a program.
    pub(super) async fn piece(self, worker: &Worker<'_>, repository: &Repository) {
        sleep(Duration::from_millis(fastrand::u64(0..2_000))).await;
        let client = repository.client();
        match self {
            Self::None => {}
            Self::Considerate => considerate(worker, client).await,
            Self::Careless => careless(client).await,
        }
    }

    /// Whether no careless program writes the row with this key.
    pub(super) fn spare(self, key: &Item) -> bool {
        self != Self::Careless || !CARELESS.iter().any(|id| key.get("id") == Some(&n(id)))
    }

    /// The lists that no careless program writes.
    pub(super) fn spared(self) -> impl Iterator<Item = Place> {
        Place::all().filter(move |place| self.spare(&key(*place)))
    }
}

fn table(place: Place) -> &'static str {
    match place {
        Place::Left(_) => "lefts",
        Place::Right(_) => "rights",
    }
}

fn key(place: Place) -> Item {
    let (Place::Left(id) | Place::Right(id)) = place;
    item([("shelf", n(SHELF)), ("id", n(id))])
}

fn list(elements: &[u64]) -> AttributeValue {
    AttributeValue::L(elements.iter().map(n).collect())
}

async fn get(client: &Client, place: Place) -> Result<Option<Item>, SdkError<GetItemError>> {
    let get = client.get_item().table_name(table(place)).set_key(Some(key(place))).consistent_read(true);
    Ok(get.send().await?.item)
}

/// The elements of a live list.
fn elements(row: &Item) -> Option<Vec<u64>> {
    let elements = row.get("list")?.as_l().ok()?;
    elements.iter().map(|element| element.as_n().ok()?.parse().ok()).collect()
}

/// Appends an element: by an update, or by a put of the list that it has read, or of a new list.
async fn considerate(worker: &Worker<'_>, client: &Client) {
    let (place, element) = (Place::any(), worker.recorder.element());
    let handle = worker.begin();
    let is_applied = if fastrand::bool() {
        handle.append(place.name(), element);
        append(client, place, element).await
    } else {
        let Ok(row) = get(client, place).await else { return handle.abort() };
        let found = row.as_ref().and_then(elements);
        if row.is_some() && found.is_none() {
            // The row is a tombstone, or an intent to create the item.
            return handle.abort();
        }
        handle.read(place.name(), found.unwrap_or_default());
        handle.append(place.name(), element);
        put_behind(client, place, row, element).await
    };
    // A refusal may be caused by an earlier attempt of the same write.
    if is_applied { handle.commit() } else { handle.unknown() }
}

async fn append(client: &Client, place: Place, element: u64) -> bool {
    let update = client.update_item().table_name(table(place)).set_key(Some(key(place)));
    let update = update
        .update_expression("SET #list = list_append(#list, :elements), #version = #version + :one")
        .condition_expression("attribute_exists(#list) AND attribute_not_exists(#x) AND NOT contains(#list, :element)");
    let update = update
        .expression_attribute_names("#list", "list")
        .expression_attribute_names("#version", "version")
        .expression_attribute_names("#x", "_x");
    let update = update
        .expression_attribute_values(":elements", list(&[element]))
        .expression_attribute_values(":element", n(element))
        .expression_attribute_values(":one", n(1));
    update.send().await.is_ok()
}

/// Puts the row that was read with one more element, if it has not changed. If there was no row, puts a new one.
async fn put_behind(client: &Client, place: Place, row: Option<Item>, element: u64) -> bool {
    let put = client.put_item().table_name(table(place));
    let Some(mut row) = row else {
        let mut row = key(place);
        row.extend(item([("list", list(&[element])), ("version", n(1))]));
        let put = put.set_item(Some(row)).condition_expression("attribute_not_exists(id)");
        return put.send().await.is_ok();
    };
    let version: u64 = row["version"].as_n().ok().and_then(|version| version.parse().ok()).unwrap_or_default();
    let longer = [elements(&row).unwrap_or_default(), vec![element]].concat();
    // `_x` is the intent of a transaction. The program does not copy it, and the condition refuses the put while the row has
    // one.
    row.remove("_x");
    row.extend(item([("list", list(&longer)), ("version", n(version + 1))]));
    let put = put.set_item(Some(row)).condition_expression("#version = :version AND attribute_not_exists(#x)");
    let put = put.expression_attribute_names("#version", "version").expression_attribute_names("#x", "_x");
    put.expression_attribute_values(":version", n(version)).send().await.is_ok()
}

/// Puts a new row, or a row that it has read some time ago, over the stored row. Or it deletes the row.
async fn careless(client: &Client) {
    let place = Place::one(CARELESS[fastrand::usize(..CARELESS.len())]);
    match fastrand::u8(0..3) {
        0 => {
            let mut row = key(place);
            row.insert("list".to_owned(), list(&[fastrand::u64(1_000_000..)]));
            if fastrand::bool() {
                row.insert("version".to_owned(), n(fastrand::u8(1..9)));
            }
            _ = client.put_item().table_name(table(place)).set_item(Some(row)).send().await;
        }
        1 => {
            let Ok(Some(row)) = get(client, place).await else { return };
            sleep(Duration::from_millis(fastrand::u64(0..10_000))).await;
            _ = client.put_item().table_name(table(place)).set_item(Some(row)).send().await;
        }
        _ => _ = client.delete_item().table_name(table(place)).set_key(Some(key(place))).send().await,
    }
}
