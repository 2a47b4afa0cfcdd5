//! What an intent makes of an item where it is too much to stand beside that: it is in pages of the lane table, which are there
//! before the intent is. They never change, and expire long after all is applied.

use super::image_pages::Pages;
use super::intent::{Intent, is_kept};
use super::lane_requests::{image_key, image_page};
use super::participant_list::PAGE_BYTES;
use super::transaction_id::Ticket;
use super::transaction_record::lane;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::shown::value;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, Repository, RowWrite};
use crate::key::item_size;
use crate::transaction::resolve::{Look, of_lanes, rows};
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Reverse;

fn keys(pages: &Pages, ticket: &Ticket) -> Vec<Item> {
    (0..pages.count).map(|at| image_key(ticket, &pages.of, at)).collect()
}

/// What is set, cut between attributes: the largest ones first, so that one that is a page or more has it for itself.
fn cut(set: &Item) -> Vec<Item> {
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
    /// The same, with what it sets in pages of this name, which nothing else of its ticket has.
    pub(crate) fn in_pages(self, of: String) -> Self {
        let count = cut(&self.change.set).len();
        Self { pages: Some(Pages { of, count }), ..self }
    }
}

/// The pages of what an intent sets, if it is not in the intent: kept from now on. They are put before the intent is placed, and
/// twice is as once.
pub(crate) fn image_pages(table: &str, intent: &Intent, now: EpochMillis) -> Vec<RowWrite> {
    let Some(pages) = &intent.pages else { return Vec::new() };
    let keys = keys(pages, &intent.ticket).into_iter();
    keys.zip(cut(&intent.change.set)).map(|(key, set)| image_page(table, key, set, now)).collect()
}

/// An intent of which all is known that it sets.
#[derive(Clone, Debug)]
pub(crate) struct Whole(Intent);

impl Whole {
    /// That of one's own transaction.
    pub(crate) fn own(intent: Intent) -> Self {
        Self(intent)
    }

    pub(crate) fn intent(&self) -> &Intent {
        &self.0
    }

    /// The item when it is applied.
    pub(crate) fn applied_to(&self, item: Item) -> Item {
        self.0.change.applied_to(item)
    }
}

/// All of an intent that was met: nothing is read for that, unless it is in pages. Without one of them, nothing is made (M20).
pub(crate) async fn whole(
    repository: &Repository,
    caller: Caller<'_>,
    key: &Item,
    mut intent: Intent,
) -> Result<Whole, Error> {
    if intent.pages.is_some() {
        // Boxed: few are.
        let pages = Box::pin(image_rows(repository, caller, &intent)).await?;
        for page in pages {
            let mut page = page.ok_or_else(|| gone(&intent.ticket))?;
            let Some(AttributeValue::M(set)) = page.remove(lane::SET) else { return Err(unreadable(&intent.ticket)) };
            if set.is_empty() || set.keys().any(|name| is_kept(name, key)) {
                return Err(unreadable(&intent.ticket));
            }
            intent.change.set.extend(set);
        }
    }
    Ok(Whole(intent))
}

/// The rows of an intent's pages, as far as they are there.
async fn image_rows(repository: &Repository, caller: Caller<'_>, intent: &Intent) -> Result<Vec<Option<Item>>, Error> {
    let Some(pages) = &intent.pages else { return Ok(Vec::new()) };
    let keys = keys(pages, &intent.ticket);
    rows(repository, caller, &repository.lane_table()?, &keys, Look::Consistent).await.map_err(of_lanes)
}

fn gone(ticket: &Ticket) -> Error {
    Error::new(
        ErrorKind::LaneMissing,
        format!(
            "what a transaction makes of the item is in pages of its lane `{}`, which are not there any more: restore the lane table, or look at what the item has and take its `_x` away by hand",
            value(&ticket.lane)
        ),
    )
}

fn unreadable(ticket: &Ticket) -> Error {
    Error::new(
        ErrorKind::Decode,
        format!(
            "what the pages of the lane `{}` say of the item cannot be read, so that it is left as it is: look at who has written them",
            value(&ticket.lane)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_cut_between_attributes() {
        let kilobytes = |sizes: &[(&str, usize)]| -> Item {
            let texts =
                sizes.iter().map(|(name, size)| ((*name).to_owned(), AttributeValue::S("x".repeat(size * 1024))));
            texts.collect()
        };
        for (sizes, pages) in [
            (&[("a", 1)][..], 1),
            (&[("a", 349), ("b", 1)], 2),
            (&[("a", 180), ("b", 180), ("c", 30)], 2),
            // The large one has a page for itself, whatever the others are called.
            (&[("a", 1), ("b", 399), ("c", 1)], 2),
            (&[("a", 100), ("b", 100), ("c", 100), ("d", 90)], 2),
        ] {
            let set = kilobytes(sizes);
            let cut = cut(&set);
            assert_eq!(cut.len(), pages, "{sizes:?}");
            assert_eq!(cut.into_iter().flatten().collect::<Item>(), set);
        }
        assert_eq!(cut(&Item::new()), [Item::new()]);
    }
}
