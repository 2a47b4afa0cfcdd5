//! The requests that prewrite an intent, roll it forward, and roll it back.
//!
//! Each request makes its own condition false, so that DynamoDB refuses it when it arrives again, or much later (M8, M18). Only a
//! prewrite can pass a second time, after its intent was rolled back, because the row is as it was. But its attempt is aborted by
//! then, so nobody rolls the intent forward.

use super::after_image::CompleteIntent;
use super::intent::{Change, Intent, member};
use super::transaction_id::TransactionId;
use crate::attribute::Item;
use crate::error::{Error, Step};
use crate::exchange::{Body, ItemRef, RowWrite};
use crate::expression::{
    Action, Node, Operator, Path, Placeholders, RawChange, check_length, check_operators, render_changes,
};
use crate::rule;
use crate::schema::names::INTENT;
use crate::schema::{Schema, Tombstone};
use aws_sdk_dynamodb::types::AttributeValue;

/// The row before an intent is prewritten.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base<'a> {
    /// No row.
    Nothing,
    /// This row, without an intent.
    Row(&'a Item),
    /// This row, or none, under the transaction's own claim.
    Claimed(Option<&'a Item>, &'a TransactionId),
}

impl<'a> Base<'a> {
    pub(crate) fn item(self) -> Option<&'a Item> {
        match self {
            Self::Nothing => None,
            Self::Row(item) => Some(item),
            Self::Claimed(item, _) => item,
        }
    }
}

/// Returns the row as it stands beside its intent: the placeholder, if there was no row; otherwise the row without what is parked.
pub(crate) fn standing(schema: &Schema, key: &Item, base: Option<&Item>) -> Item {
    match base {
        Some(item) => {
            let mut item = item.clone();
            item.remove(INTENT);
            if let Some(tombstone) = &schema.tombstone {
                item.remove(tombstone.ttl);
            }
            item
        }
        None => placeholder(schema, key),
    }
}

/// Returns the row that keeps the place of an item which does not exist yet. It looks like a tombstone. It has the mark of the
/// entity only if tombstones have it, because other programs that list items by their mark would miss the fields. dyno's readers
/// know a row without a mark by its key, and a placeholder by its flag and `_x.new`.
fn placeholder(schema: &Schema, key: &Item) -> Item {
    let mut row = key.clone();
    let Some(Tombstone { deleted, mark: is_marked, .. }) = &schema.tombstone else { return row };
    if let Some(mark) = schema.entity_type.as_ref().filter(|_| *is_marked) {
        row.insert(mark.attribute.to_owned(), AttributeValue::S(mark.name.to_owned()));
    }
    row.insert((*deleted).to_owned(), AttributeValue::Bool(true));
    row
}

/// Whether a row is only a placeholder.
pub(crate) fn is_only_a_place(item: &Item) -> bool {
    let new = || item.get(INTENT)?.as_m().ok()?.get(member::NEW)?.as_bool().ok();
    new() == Some(&true)
}

/// Returns what a row parks in its intent: its TTL (M9).
pub(crate) fn parked(schema: &Schema, base: Option<&Item>) -> Item {
    let ttl = schema.tombstone.as_ref().and_then(|tombstone| Some((tombstone.ttl, base?.get(tombstone.ttl)?)));
    ttl.map(|(name, value)| (name.to_owned(), value.clone())).into_iter().collect()
}

/// Returns the change that makes `after` of the row.
pub(crate) fn intended(schema: &Schema, key: &Item, base: Option<&Item>, after: &Item) -> Change {
    Change::between(&standing(schema, key, base), after)
}

/// Returns the request that prewrites an intent, if the row is as it was read and has no other intent (M8).
pub(crate) fn place(schema: &'static Schema, at: &ItemRef, base: Base<'_>, intent: &Intent) -> Result<RowWrite, Error> {
    let mut placeholders = Placeholders::default();
    let free = match base {
        Base::Claimed(Some(_), claim) => is_of(claim),
        // Otherwise the put would replace a row that exists after all (M10).
        Base::Claimed(None, claim) => is_of(claim).and(is_new()),
        Base::Nothing | Base::Row(_) => Node::NotExists(INTENT.into()),
    };
    let (body, condition) = match (base, base.item()) {
        (Base::Nothing, _) | (_, None) => {
            let mut row = placeholder(schema, &at.key);
            row.insert(INTENT.to_owned(), intent.value());
            let condition = if matches!(base, Base::Claimed(..)) { free } else { rule::new_row(schema.partition.name) };
            (Body::Put(row), condition)
        }
        (_, Some(item)) => {
            let ttl = intent.parked.keys().filter(|ttl| item.contains_key(*ttl)).cloned();
            let mut changes = vec![RawChange::new(INTENT, Ok(Action::Set(intent.value())))];
            changes.extend(ttl.map(remove_attribute));
            let update = render_changes(changes, &mut placeholders)?;
            // What the claim parked is not in the row.
            let standing = matches!(base, Base::Claimed(..)).then(|| standing(schema, &at.key, Some(item)));
            let there = rule::as_it_was(schema, standing.as_ref().unwrap_or(item));
            (Body::Update(at.key.clone(), update), free.and(there))
        }
    };
    row(at, body, &condition, placeholders)
}

/// Returns the request that rolls a committed intent forward: an update; or a put of the whole row, if the update would be too long
/// or the values are in pages. For the put, `item` must be known. No other writer changes it while the intent is there.
pub(crate) fn apply(at: &ItemRef, whole: &CompleteIntent, item: Option<&Item>) -> Result<Option<RowWrite>, Error> {
    let intent = whole.intent();
    let condition = is_of(&intent.transaction_id);
    let changes = copies_from(intent);
    if intent.pages.is_none() && check_operators(&changes).is_ok() {
        let mut placeholders = Placeholders::terse();
        let update = render_changes(changes, &mut placeholders)?;
        if check_length(&update).is_ok() {
            return row(at, Body::Update(at.key.clone(), update), &condition, placeholders).map(Some);
        }
    }
    item.map(|item| become_this(at, intent, whole.applied_to(item.clone()))).transpose()
}

/// Returns the request that makes the item what its history says that the intent made.
pub(crate) fn become_this(at: &ItemRef, intent: &Intent, item: Item) -> Result<RowWrite, Error> {
    row(at, Body::Put(item), &is_of(&intent.transaction_id), Placeholders::terse())
}

/// Returns the changes of a row that copy each value from its intent and remove the intent. So the request has none of the values.
fn copies_from(intent: &Intent) -> Vec<RawChange> {
    let mut names: Vec<&String> = intent.change.set.keys().collect();
    names.sort_unstable();
    let mut changes: Vec<RawChange> = names.into_iter().map(|name| copy(member::SET, name)).collect();
    changes.push(remove_attribute(INTENT.to_owned()));
    // The change removes a placeholder's flag, as it removes every attribute that the new item does not have.
    changes.extend(intent.change.remove.iter().cloned().map(remove_attribute));
    changes
}

/// Returns the change that copies an attribute from this member of the row's intent.
fn copy(from: &'static str, name: &str) -> RawChange {
    let from = Path::from(INTENT).then(Step::Name(from.into())).then(Step::Name(name.to_owned().into()));
    RawChange::new(name.to_owned(), Ok(Action::Copy(from)))
}

fn remove_attribute(name: String) -> RawChange {
    RawChange::new(name, Ok(Action::Remove))
}

/// Returns the request that rolls an intent back and leaves the row as it was.
pub(crate) fn remove(at: &ItemRef, intent: &Intent) -> Result<RowWrite, Error> {
    if intent.is_new {
        let condition = is_of(&intent.transaction_id).and(is_new());
        return row(at, Body::Delete(at.key.clone()), &condition, Placeholders::default());
    }
    remove_from_row(at, intent)
}

/// Returns the request that rolls an intent back and keeps the row, whatever the row was before.
pub(crate) fn remove_from_row(at: &ItemRef, intent: &Intent) -> Result<RowWrite, Error> {
    let mut placeholders = Placeholders::default();
    let mut changes: Vec<RawChange> = intent.parked.keys().map(|name| copy(member::PARKED, name)).collect();
    changes.push(remove_attribute(INTENT.to_owned()));
    let update = render_changes(changes, &mut placeholders)?;
    row(at, Body::Update(at.key.clone(), update), &is_of(&intent.transaction_id), placeholders)
}

/// The row is only a placeholder.
fn is_new() -> Node {
    let new = Path::from(INTENT).then(Step::Name(member::NEW.into()));
    Node::Compare(new, Operator::Eq, AttributeValue::Bool(true))
}

/// The row has the intent of this attempt (M18).
fn is_of(transaction_id: &TransactionId) -> Node {
    let id = Path::from(INTENT).then(Step::Name(member::ID.into()));
    Node::Compare(id, Operator::Eq, AttributeValue::S(transaction_id.to_string()))
}

fn row(at: &ItemRef, body: Body, condition: &Node, mut placeholders: Placeholders) -> Result<RowWrite, Error> {
    let condition = condition.clone().render(&mut placeholders);
    check_length(&condition)?;
    placeholders.check()?;
    Ok(RowWrite::new(at.table.clone(), body, Some(condition), placeholders))
}
