//! A committed change that is missing in its item, because a program that does not know of transactions wrote there.
//!
//! Such a program sends no condition on `_x`, so its put or delete removes the intent. The request that rolls the change forward is
//! then refused, as it is after another process rolled the change forward. The row that is there distinguishes the two cases.

use crate::attribute::Item;
use crate::exchange::ItemRef;
use crate::schema::Schema;
use crate::transaction::record::{Intent, is_only_a_place, show_item};
use aws_sdk_dynamodb::types::AttributeValue;
use std::fmt;

/// An item that another program wrote or deleted while it held a committed change, so that the change is missing in it.
///
/// The program does not know of transactions: it sent no condition on `_x`. `Display` says what happened, to which item.
#[derive(Clone, Debug, PartialEq)]
pub struct Overwritten {
    table: String,
    key: Item,
    is_deleted: bool,
}

impl Overwritten {
    /// The name of its table.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.table
    }

    /// Its key attributes.
    #[must_use]
    pub fn key(&self) -> &Item {
        &self.key
    }

    /// Whether the program deleted the item. Otherwise it wrote over it.
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        self.is_deleted
    }
}

/// What happened, and to which item.
impl fmt::Display for Overwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let did = if self.is_deleted { "deleted" } else { "wrote over" };
        write!(f, "another program {did} ")?;
        show_item(f, &self.table, &self.key)?;
        f.write_str(
            " before a committed change of it was applied, so that the change is missing: make the change again, and let that program leave items with `_x` alone",
        )
    }
}

/// Returns the item if the row without the intent shows that the intent's change is missing. `before` is the write id that the row
/// had beside the intent. Without the item's schema, the version is unknown, and the row shows less.
pub(crate) fn overwritten(
    at: &ItemRef,
    intent: &Intent,
    schema: Option<&Schema>,
    before: Option<&AttributeValue>,
    there: Option<&Item>,
) -> Option<Overwritten> {
    let write_id = write_id(intent)?;
    let set = &intent.change.set;
    // The placeholder of a later transaction is not an item.
    let there = there.filter(|item| !is_only_a_place(item));
    let is_missing = match there {
        // A tombstone can have expired.
        None => schema.is_some_and(|schema| schema.tombstone.as_ref().is_some_and(|it| !it.is_flagged(set))),
        Some(there) if there.get(write_id) == set.get(write_id) => false,
        Some(there) => {
            let version = schema.and_then(|schema| schema.version.as_ref());
            match version.and_then(|version| Some((version.of(set)?, version.of(there)))) {
                // No two writes that count versions make the same version.
                Some((made, found)) => found.is_none_or(|found| found <= made),
                None => !there.contains_key(write_id) || there.get(write_id) == before,
            }
        }
    };
    let ItemRef { table, key } = at.clone();
    is_missing.then_some(Overwritten { table, key, is_deleted: there.is_none() })
}

/// The attribute that holds the write id of the change, which is the transaction ID.
pub(crate) fn write_id(intent: &Intent) -> Option<&String> {
    let transaction_id = intent.transaction_id.to_string();
    let is_it = |value: &AttributeValue| value.as_s().is_ok_and(|text| *text == transaction_id);
    intent.change.set.iter().find(|(_, value)| is_it(value)).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::time::EpochMillis;
    use crate::schema::{Tombstone, Version, WriteId};
    use crate::transaction::record::Change;
    use crate::transaction::record::TransactionId;

    const TOMBSTONE: Tombstone = Tombstone { deleted: "deleted", ttl: "ttl", ttl_days: 7, mark: true };

    const SCHEMA: &Schema = &Schema {
        version: Some(Version { attribute: "version", max: u64::MAX }),
        write_id: Some(WriteId { attribute: "_w" }),
        tombstone: Some(TOMBSTONE),
        ..Schema::PLAIN
    };

    const TICKET: &str = "1/b/2/n";

    fn s(text: &str) -> AttributeValue {
        AttributeValue::S(text.to_owned())
    }

    fn row(version: Option<u64>, write_id: Option<&str>) -> Item {
        let version = version.map(|version| ("version".to_owned(), AttributeValue::N(version.to_string())));
        let write_id = write_id.map(|id| ("_w".to_owned(), s(id)));
        [("id".to_owned(), s("1"))].into_iter().chain(version).chain(write_id).collect()
    }

    /// The intent of a change to version 4 of an item that the write `-old` made.
    fn intent(is_delete: bool) -> Intent {
        let mut set = row(Some(4), Some(TICKET));
        set.remove("id");
        if is_delete {
            set.insert("deleted".to_owned(), AttributeValue::Bool(true));
        }
        Intent {
            transaction_id: TransactionId::parse(TICKET).expect("a ticket"),
            since: EpochMillis::new(7),
            change: Change { set, remove: Vec::new() },
            is_new: false,
            parked: Item::new(),
            pages: None,
            revision_row: None,
        }
    }

    fn place() -> Item {
        let mut place = row(None, None);
        place.insert("deleted".to_owned(), AttributeValue::Bool(true));
        let new = Item::from([("new".to_owned(), AttributeValue::Bool(true))]);
        place.insert("_x".to_owned(), AttributeValue::M(new));
        place
    }

    /// What a row shows, with the schema and without it.
    fn shown(is_delete: bool, there: Option<&Item>) -> [Option<bool>; 2] {
        let at = ItemRef { table: "rows".to_owned(), key: Item::from([("id".to_owned(), s("1"))]) };
        let (intent, before) = (intent(is_delete), s("-old"));
        [Some(SCHEMA), None].map(|schema| {
            overwritten(&at, &intent, schema, Some(&before), there).map(|overwritten| overwritten.is_deleted())
        })
    }

    #[test]
    fn a_row_shows_whether_the_change_was_overwritten() {
        const NOT: [Option<bool>; 2] = [None, None];
        const OVER: [Option<bool>; 2] = [Some(false), Some(false)];
        for (there, expected) in [
            // Rolled forward; then also written by programs that count versions.
            (row(Some(4), Some(TICKET)), NOT),
            (row(Some(5), Some(TICKET)), NOT),
            (row(Some(5), Some("-new")), NOT),
            // Written by a program that counts versions and keeps no write id.
            (row(Some(5), None), [None, Some(false)]),
            (row(Some(4), None), OVER),
            (row(Some(3), None), OVER),
            (row(None, None), OVER),
            (row(Some(3), Some("-old")), OVER),
            (row(Some(4), Some("-old")), OVER),
            // Written by a program that does not know of transactions.
            (row(Some(4), Some("-new")), [Some(false), None]),
        ] {
            assert_eq!(shown(false, Some(&there)), expected, "{there:?}");
        }
    }

    /// A tombstone expires; other items do not.
    #[test]
    fn a_missing_row_was_deleted_unless_the_change_is_a_delete() {
        for there in [None, Some(place())] {
            assert_eq!(shown(false, there.as_ref()), [Some(true), None], "{there:?}");
            assert_eq!(shown(true, there.as_ref()), [None, None], "{there:?}");
        }
    }

    #[test]
    fn the_message_names_the_item_and_the_foreign_write() {
        let at = ItemRef { table: "rows".to_owned(), key: Item::from([("id".to_owned(), s("1"))]) };
        let overwritten = overwritten(&at, &intent(false), Some(SCHEMA), None, None).expect("deleted");
        let text = overwritten.to_string();
        assert!(text.starts_with("another program deleted the item id = \"1\" of the table `rows` before"), "{text}");
    }
}
