//! The complete change of an intent. If the new values are too large to be stored beside the old item, they are in pages of the
//! lane table.
//!
//! The pages are written before the intent, and they never change. They expire after 30 days; normally, the intent is rolled
//! forward long before.

use super::image_pages::Pages;
use super::intent::{Intent, is_protected};
use super::lane_errors::explain_lane_error;
use super::lane_requests::{image_key, put_page};
use super::participant_list::PAGE_BYTES;
use super::transaction_id::TransactionId;
use super::transaction_record::lane;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, Consistency, Repository, RowWrite, read_rows};
use crate::key::item_size;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Reverse;

fn page_keys(pages: &Pages, transaction_id: &TransactionId) -> Vec<Item> {
    (0..pages.count).map(|at| image_key(transaction_id, &pages.of, at)).collect()
}

/// Splits the new values of an intent into pages, between attributes. The largest attributes come first, and an attribute that
/// fills a page gets a page of its own.
fn split(set: &Item) -> Vec<Item> {
    let one = |(name, value): (&String, &AttributeValue)| Item::from([(name.clone(), value.clone())]);
    let mut parts: Vec<(usize, &String, Item)> =
        set.iter().map(|part| (one(part), part.0)).map(|(one, name)| (item_size(&one), name, one)).collect();
    parts.sort_unstable_by_key(|(bytes, name, _)| (Reverse(*bytes), *name));
    let (mut pages, mut size) = (vec![Item::new()], 0);
    for (bytes, _, part) in parts {
        if size + bytes > PAGE_BYTES && size > 0 {
            pages.push(Item::new());
            size = 0;
        }
        size += bytes;
        if let Some(page) = pages.last_mut() {
            page.extend(part);
        }
    }
    pages
}

impl Intent {
    /// Returns this intent with its new values in pages. No other intent of the attempt has pages of the name `of`.
    pub(crate) fn in_pages(self, of: String) -> Self {
        let count = split(&self.change.set).len();
        Self { pages: Some(Pages { of, count }), ..self }
    }
}

/// Returns the requests that put the pages of this intent, if it has any. They are sent before the prewrite. They are idempotent.
pub(crate) fn image_pages(table: &str, intent: &Intent, now: EpochMillis) -> Vec<RowWrite> {
    let Some(pages) = &intent.pages else { return Vec::new() };
    let keys = page_keys(pages, &intent.transaction_id).into_iter();
    keys.zip(split(&intent.change.set))
        .map(|(key, set)| put_page(table, key, lane::SET, AttributeValue::M(set), now))
        .collect()
}

/// An intent with all of its new values, also if they are stored in pages.
#[derive(Clone, Debug)]
pub(crate) struct CompleteIntent(Intent);

impl CompleteIntent {
    /// Completes the coordinator's own intent, whose new values are in memory.
    pub(crate) fn own(intent: Intent) -> Self {
        Self(intent)
    }

    pub(crate) fn intent(&self) -> &Intent {
        &self.0
    }

    /// Returns the item after the roll forward of the intent.
    pub(crate) fn applied_to(&self, item: Item) -> Item {
        self.0.change.applied_to(item)
    }
}

/// Completes an intent that was found in an item: it reads the pages, if there are any. A missing page is an error, so that the
/// intent is not rolled forward (M20).
pub(crate) async fn complete(
    repository: &Repository,
    caller: Caller<'_>,
    key: &Item,
    mut intent: Intent,
) -> Result<CompleteIntent, Error> {
    if let Some(pages) = &intent.pages {
        let (table, keys) = (repository.lane_table()?, page_keys(pages, &intent.transaction_id));
        // Boxed, because few intents have pages.
        let pages = Box::pin(read_rows(repository, caller, &table, &keys, Consistency::Consistent)).await;
        for page in pages.map_err(explain_lane_error)? {
            let mut page = page.ok_or_else(|| page_missing(&intent.transaction_id))?;
            let Some(AttributeValue::M(set)) = page.remove(lane::SET) else {
                return Err(unreadable(&intent.transaction_id));
            };
            if set.is_empty() || set.keys().any(|name| is_protected(name, key)) {
                return Err(unreadable(&intent.transaction_id));
            }
            intent.change.set.extend(set);
        }
    }
    Ok(CompleteIntent(intent))
}

fn page_missing(transaction_id: &TransactionId) -> Error {
    let message = format!(
        "a transaction keeps its change of the item in pages of its lane `{}`, which no longer exist: restore the lane table, or check the item and remove its `_x` by hand",
        value(&transaction_id.lane)
    );
    Error::new(ErrorKind::LaneMissing, message)
}

fn unreadable(transaction_id: &TransactionId) -> Error {
    let message = format!(
        "a transaction's change of the item, in the pages of its lane `{}`, cannot be read, so dyno leaves the item unchanged: find the program that wrote the pages",
        value(&transaction_id.lane)
    );
    Error::new(ErrorKind::Decode, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_after_image_is_split_between_attributes() {
        let kilobytes = |sizes: &[(&str, usize)]| -> Item {
            let texts =
                sizes.iter().map(|(name, size)| ((*name).to_owned(), AttributeValue::S("x".repeat(size * 1024))));
            texts.collect()
        };
        for (sizes, pages) in [
            (&[("a", 1)][..], 1),
            (&[("a", 349), ("b", 1)], 2),
            (&[("a", 180), ("b", 180), ("c", 30)], 2),
            // The large attribute has a page of its own, in any order of the names.
            (&[("a", 1), ("b", 399), ("c", 1)], 2),
            (&[("a", 100), ("b", 100), ("c", 100), ("d", 90)], 2),
        ] {
            let set = kilobytes(sizes);
            let split = split(&set);
            assert_eq!(split.len(), pages, "{sizes:?}");
            assert_eq!(split.into_iter().flatten().collect::<Item>(), set);
        }
        assert_eq!(split(&Item::new()), [Item::new()]);
    }
}
