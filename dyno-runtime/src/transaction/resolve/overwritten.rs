//! Detects that a committed change is missing in its item, because a foreign program wrote over the item.
//!
//! Such a program sends its put or delete without the condition on `_x` (M7), so the write removes the intent. Then DynamoDB
//! refuses the request that rolls the change forward, as it does if another process has rolled the change forward. The row that
//! DynamoDB returns tells the two cases apart.

use crate::attribute::Item;
use crate::exchange::ItemRef;
use crate::schema::Schema;
use crate::transaction::record::{Intent, fmt_item, is_placeholder};
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

/// The event, and the item that it concerns.
impl fmt::Display for Overwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let did = if self.is_deleted { "deleted" } else { "wrote over" };
        write!(f, "another program {did} ")?;
        fmt_item(f, &self.table, &self.key)?;
        f.write_str(
            " before a committed change of it was applied, so the change is missing: make the change again, and keep that program from writing items that have `_x`",
        )
    }
}

/// Returns the item if `found`, the row without the intent, shows that the change is missing. `before` is the write id that the
/// row had beside the intent. Without the schema, the version is unknown, so fewer cases are detected.
pub(crate) fn overwritten(
    at: &ItemRef,
    intent: &Intent,
    schema: Option<&Schema>,
    before: Option<&AttributeValue>,
    found: Option<&Item>,
) -> Option<Overwritten> {
    let write_id = write_id(intent)?;
    let set = &intent.change.set;
    // The placeholder of a later transaction is not an item.
    let found = found.filter(|item| !is_placeholder(item));
    let is_missing = match found {
        // If the change is a delete, its tombstone can have expired.
        None => schema.is_some_and(|schema| schema.tombstone.as_ref().is_some_and(|it| !it.is_flagged(set))),
        Some(found) if found.get(write_id) == set.get(write_id) => false,
        Some(found) => {
            let version = schema.and_then(|schema| schema.version.as_ref());
            match version.and_then(|version| Some((version.of(set)?, version.of(found)))) {
                // Each write that counts versions stores a greater version than the one before.
                Some((committed, found)) => found.is_none_or(|found| found <= committed),
                None => !found.contains_key(write_id) || found.get(write_id) == before,
            }
        }
    };
    let ItemRef { table, key } = at.clone();
    is_missing.then_some(Overwritten { table, key, is_deleted: found.is_none() })
}

/// Returns the name of the attribute that holds the write id of the change. That write id is the transaction ID.
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

    const TRANSACTION_ID: &str = "1/b/2/n";

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
        let mut set = row(Some(4), Some(TRANSACTION_ID));
        set.remove("id");
        if is_delete {
            set.insert("deleted".to_owned(), AttributeValue::Bool(true));
        }
        Intent {
            transaction_id: TransactionId::parse(TRANSACTION_ID).expect("a transaction ID"),
            since: EpochMillis::new(7),
            change: Change { set, remove: Vec::new() },
            is_new: false,
            parked: Item::new(),
            pages: None,
            revision_row: None,
        }
    }

    fn placeholder() -> Item {
        let mut row = row(None, None);
        row.insert("deleted".to_owned(), AttributeValue::Bool(true));
        let new = Item::from([("new".to_owned(), AttributeValue::Bool(true))]);
        row.insert("_x".to_owned(), AttributeValue::M(new));
        row
    }

    /// Returns whether the item was deleted, if the row shows that the change is missing: with the schema, and without it.
    fn is_deleted(is_delete: bool, found: Option<&Item>) -> [Option<bool>; 2] {
        let at = ItemRef { table: "rows".to_owned(), key: Item::from([("id".to_owned(), s("1"))]) };
        let (intent, before) = (intent(is_delete), s("-old"));
        [Some(SCHEMA), None].map(|schema| {
            overwritten(&at, &intent, schema, Some(&before), found).map(|overwritten| overwritten.is_deleted())
        })
    }

    #[test]
    fn a_row_shows_whether_the_change_was_overwritten() {
        const NOT: [Option<bool>; 2] = [None, None];
        const OVER: [Option<bool>; 2] = [Some(false), Some(false)];
        for (found, expected) in [
            // Rolled forward, and in the second and third case written again by programs that count versions.
            (row(Some(4), Some(TRANSACTION_ID)), NOT),
            (row(Some(5), Some(TRANSACTION_ID)), NOT),
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
            assert_eq!(is_deleted(false, Some(&found)), expected, "{found:?}");
        }
    }

    /// A tombstone expires; other items do not.
    #[test]
    fn a_missing_row_was_deleted_unless_the_change_is_a_delete() {
        for found in [None, Some(placeholder())] {
            assert_eq!(is_deleted(false, found.as_ref()), [Some(true), None], "{found:?}");
            assert_eq!(is_deleted(true, found.as_ref()), [None, None], "{found:?}");
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
