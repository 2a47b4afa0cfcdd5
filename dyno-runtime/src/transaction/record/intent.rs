//! The intent: the attribute `_x` of an item that a client-side transaction is about to change. It has the ID of the transaction
//! attempt, and the change.

use super::image_pages::Pages;
use super::revision_row::RevisionRow;
use super::transaction_id::TransactionId;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, equal};
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};
use crate::schema::names::INTENT;
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::BTreeSet;

/// The names of the members.
pub(crate) mod member {
    pub(crate) const ID: &str = "id";
    pub(crate) const SET: &str = "set";
    pub(crate) const REMOVE: &str = "remove";
    /// True if there was no row before the prewrite. (The room `rule` reads it, too.)
    pub(crate) const NEW: &str = "new";
    pub(crate) const PARKED: &str = "parked";
    pub(crate) const SINCE: &str = "since";
    /// The pages that hold the attributes to set, if `set` does not.
    pub(crate) const PAGES: &str = "pages";
    /// The history row that belongs to the change.
    pub(crate) const ROW: &str = "row";

    pub(crate) const ALL: [&str; 8] = [ID, SET, REMOVE, NEW, PARKED, SINCE, PAGES, ROW];
}

/// The attribute `_x`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Intent {
    pub(crate) transaction_id: TransactionId,
    /// The time at which the transaction's first attempt began, by its own clock. Only the priority between transactions depends
    /// on it.
    pub(crate) since: EpochMillis,
    pub(crate) change: Change,
    /// Whether there was no row before the prewrite, so that this row is a placeholder.
    pub(crate) is_new: bool,
    /// The TTL attribute of a tombstone. While the row has the intent, it must have no TTL, or DynamoDB could delete the row
    /// together with the intent (M9).
    pub(crate) parked: Item,
    /// The pages in the lane table that hold the attributes to set. If an intent with pages is read from an item, `change.set` is
    /// empty until `complete` has read the pages.
    pub(crate) pages: Option<Pages>,
    /// The history row to put before the roll forward, if the entity has a history.
    pub(crate) revision_row: Option<RevisionRow>,
}

/// The difference between an item before and after a write. A process can apply it without knowing the entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Change {
    pub(crate) set: Item,
    /// Sorted by name.
    pub(crate) remove: Vec<String>,
}

impl Change {
    /// Returns the change from `before` to `after`.
    pub(crate) fn between(before: &Item, after: &Item) -> Self {
        let is_set =
            |(name, value): &(&String, &AttributeValue)| before.get(*name).is_none_or(|old| !equal(old, value));
        let set = after.iter().filter(is_set).map(|(name, value)| (name.clone(), value.clone())).collect();
        let removed: BTreeSet<&String> = before.keys().filter(|name| !after.contains_key(*name)).collect();
        Self { set, remove: removed.into_iter().cloned().collect() }
    }

    /// Applies the change to an item that has the intent.
    pub(crate) fn applied_to(&self, mut item: Item) -> Item {
        item.remove(INTENT);
        self.apply(item)
    }

    fn apply(&self, mut item: Item) -> Item {
        for name in &self.remove {
            item.remove(name);
        }
        item.extend(self.set.clone());
        item
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.set.keys().chain(&self.remove)
    }
}

impl Intent {
    /// Returns the intent of the item at this key, if it has one. A malformed `_x` is an error: no process can know what to do
    /// with it, so the item stays as it is (M4).
    pub(crate) fn of(item: &Item, key: &Item) -> Result<Option<Self>, Error> {
        item.get(INTENT).map(|value| Self::read(value, key).ok_or_else(|| malformed(value))).transpose()
    }

    fn read(value: &AttributeValue, key: &Item) -> Option<Self> {
        let members = value.as_m().ok()?;
        // A later version of dyno may have added the member. To ignore it would apply only a part of the change (M4).
        if members.keys().any(|name| !member::ALL.contains(&name.as_str())) {
            return None;
        }
        let item = |name: &str| match members.get(name) {
            None => Some(Item::new()),
            Some(value) => value.as_m().ok().cloned(),
        };
        let transaction_id = TransactionId::parse(members.get(member::ID)?.as_s().ok()?)?;
        let since = members.get(member::SINCE)?.as_n().ok()?.parse().ok()?;
        let is_new = match members.get(member::NEW) {
            None => false,
            Some(value) => *value.as_bool().ok()?,
        };
        let remove = match members.get(member::REMOVE) {
            None => Vec::new(),
            Some(names) => names.as_l().ok()?.iter().map(|name| name.as_s().ok().cloned()).collect::<Option<_>>()?,
        };
        let pages = match members.get(member::PAGES) {
            None => None,
            Some(_) if members.contains_key(member::SET) => return None,
            Some(value) => Some(Pages::read(value)?),
        };
        let revision_row = match members.get(member::ROW) {
            None => None,
            Some(value) => Some(RevisionRow::read(value)?),
        };
        let (change, parked) = (Change { set: item(member::SET)?, remove }, item(member::PARKED)?);
        if change.names().chain(parked.keys()).any(|name| is_protected(name, key)) {
            return None;
        }
        Some(Self { transaction_id, since: EpochMillis::new(since), change, is_new, parked, pages, revision_row })
    }

    /// Returns the value of the attribute `_x`.
    pub(crate) fn value(&self) -> AttributeValue {
        let Self { transaction_id, since, change: Change { set, remove }, is_new, parked, pages, revision_row } = self;
        let mut members = Item::from([
            (member::ID.to_owned(), AttributeValue::S(transaction_id.to_string())),
            (member::SINCE.to_owned(), AttributeValue::N(since.get().to_string())),
        ]);
        let mut add = |name: &str, value, is_present: bool| is_present.then(|| members.insert(name.to_owned(), value));
        if pages.is_none() {
            add(member::SET, AttributeValue::M(set.clone()), !set.is_empty());
        }
        let names = remove.iter().cloned().map(AttributeValue::S).collect();
        add(member::REMOVE, AttributeValue::L(names), !remove.is_empty());
        add(member::NEW, AttributeValue::Bool(true), *is_new);
        add(member::PARKED, AttributeValue::M(parked.clone()), !parked.is_empty());
        members.extend(pages.iter().map(|pages| (member::PAGES.to_owned(), pages.value())));
        members.extend(revision_row.iter().map(|revision_row| (member::ROW.to_owned(), revision_row.value())));
        AttributeValue::M(members)
    }

    /// Whether this is a claim, which changes nothing and only keeps other writers out.
    pub(crate) fn is_claim(&self) -> bool {
        self.change == Change::default() && self.pages.is_none()
    }
}

/// Whether an intent must not change the attribute of this name, because it is `_x` or a key attribute.
pub(crate) fn is_protected(name: &str, key: &Item) -> bool {
    key.contains_key(name) || name == INTENT
}

/// Returns the item before the prewrite: the row without its intent, or `None` if the row is a placeholder.
pub(crate) fn without_intent(mut row: Item, key: &Item) -> Result<Option<Item>, Error> {
    let Some(intent) = Intent::of(&row, key)? else { return Ok(Some(row)) };
    row.remove(INTENT);
    row.extend(intent.parked);
    Ok(Some(row).filter(|_| !intent.is_new))
}

/// Whether an item has the intent of this attempt.
pub(crate) fn has_intent_of(item: Option<&Item>, transaction_id: &TransactionId) -> bool {
    let id = || item?.get(INTENT)?.as_m().ok()?.get(member::ID)?.as_s().ok();
    id().is_some_and(|id| *id == transaction_id.to_string())
}

fn malformed(found: &AttributeValue) -> Error {
    let id = found.as_m().ok().and_then(|members| members.get(member::ID)).and_then(|id| id.as_s().ok());
    let named = id.map(|id| format!(" (its `id` is `{}`)", value(id))).unwrap_or_default();
    let message = format!(
        "the item's `{INTENT}` is not a pending change of a transaction{named}, so dyno leaves the item unchanged: find the program that wrote it"
    );
    Error::new(ErrorKind::Decode, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(number: &str) -> AttributeValue {
        AttributeValue::N(number.to_owned())
    }

    fn item<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Item {
        attributes.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn intent(change: Change, is_new: bool, parked: Item) -> Intent {
        let transaction_id = TransactionId::parse("1/b/2/n").expect("a transaction ID");
        Intent { transaction_id, since: EpochMillis::new(7), change, is_new, parked, pages: None, revision_row: None }
    }

    fn revision_row(is_superseded: bool) -> RevisionRow {
        let row = item([("_key", AttributeValue::S("1".to_owned())), ("_version", n("2"))]);
        let [table, partition, write_id] = ["history", "_key", "_w"].map(str::to_owned);
        RevisionRow { table, partition, write_id, is_superseded, row }
    }

    #[test]
    fn an_intent_round_trips_through_its_attribute() {
        let change = Change { set: item([("a", n("1"))]), remove: vec!["b".to_owned(), "c".to_owned()] };
        let removing = Change { set: Item::new(), ..change.clone() };
        for intent in [
            intent(change.clone(), false, item([("ttl", n("9"))])),
            intent(change.clone(), true, Item::new()),
            intent(Change::default(), false, Item::new()),
            Intent { pages: Some(Pages { of: "3.1".to_owned(), count: 2 }), ..intent(removing, false, Item::new()) },
            Intent { revision_row: Some(revision_row(false)), ..intent(change.clone(), true, Item::new()) },
            Intent { revision_row: Some(revision_row(true)), ..intent(change, false, Item::new()) },
        ] {
            let row = item([("id", n("1")), (INTENT, intent.value())]);
            assert_eq!(Intent::of(&row, &item([("id", n("1"))])).expect("an intent"), Some(intent.clone()));
            assert!(has_intent_of(Some(&row), &intent.transaction_id) && !has_intent_of(None, &intent.transaction_id));
        }
        assert_eq!(Intent::of(&item([("id", n("1"))]), &Item::new()).expect("none"), None);
    }

    #[test]
    fn a_malformed_intent_is_a_decode_error() {
        let key = item([("id", n("1"))]);
        let good = intent(Change { set: item([("a", n("1"))]), remove: Vec::new() }, false, Item::new()).value();
        let with = |name: &str, value| {
            let mut members = good.as_m().expect("a map").clone();
            members.insert(name.to_owned(), value);
            AttributeValue::M(members)
        };
        for value in [
            AttributeValue::Bool(true),
            AttributeValue::M(Item::new()),
            with("id", AttributeValue::S("1/b/2".to_owned())),
            with("since", AttributeValue::S("now".to_owned())),
            with("new", n("1")),
            with("set", n("1")),
            with("set", AttributeValue::M(item([("id", n("2"))]))),
            with("set", AttributeValue::M(item([(INTENT, n("2"))]))),
            with("remove", AttributeValue::L(vec![AttributeValue::S("id".to_owned())])),
            with("remove", AttributeValue::L(vec![n("1")])),
            with("parked", AttributeValue::M(item([("id", n("2"))]))),
            with("later", n("1")),
            with("pages", Pages { of: "1.1".to_owned(), count: 1 }.value()),
            with("row", AttributeValue::M(Item::new())),
            with("row", RevisionRow { row: Item::new(), ..revision_row(true) }.value()),
        ] {
            let error = Intent::of(&item([("id", n("1")), (INTENT, value.clone())]), &key).expect_err("none");
            assert_eq!(error.kind(), ErrorKind::Decode, "{value:?}");
        }
    }

    #[test]
    fn applying_a_change_gives_the_item_after_it() {
        let before = item([("id", n("1")), ("same", n("1.0")), ("other", n("2")), ("gone", n("3"))]);
        let after = item([("id", n("1")), ("same", n("1")), ("other", n("4")), ("new", n("5"))]);
        let change = Change::between(&before, &after);
        assert_eq!(change.set, item([("other", n("4")), ("new", n("5"))]));
        assert_eq!(change.remove, ["gone"]);
        let mut applied = change.apply(before.clone());
        applied.insert("same".to_owned(), n("1"));
        assert_eq!(applied, after);
        assert_eq!(Change::between(&before, &before), Change::default());
    }
}
