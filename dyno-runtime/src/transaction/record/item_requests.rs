//! The requests that prewrite an intent, roll it forward, and roll it back.
//!
//! Each request makes its own condition false, so DynamoDB refuses a copy that arrives later (M8, M18). Only a prewrite can pass
//! a second time, after its intent was rolled back, because then the row is as it was before. But by then its attempt is aborted,
//! so no process rolls the intent forward.

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

/// Returns the row without the intent, as it is while the intent is in it: a placeholder if there was no item, and otherwise the
/// item without the attribute that the intent parks.
pub(crate) fn row_beside_intent(schema: &Schema, key: &Item, base: Option<&Item>) -> Item {
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

/// Returns the row that holds the intent of an item which does not exist yet. It looks like a tombstone. It has the mark that
/// names the entity only if tombstones have it: another program that lists items by their mark would expect the entity's fields.
/// dyno's readers recognise a row without a mark by its key, and a placeholder by its flag and `_x.new`.
fn placeholder(schema: &Schema, key: &Item) -> Item {
    let mut row = key.clone();
    let Some(Tombstone { deleted, mark: is_marked, .. }) = &schema.tombstone else { return row };
    if let Some(mark) = schema.entity_type.as_ref().filter(|_| *is_marked) {
        row.insert(mark.attribute.to_owned(), AttributeValue::S(mark.name.to_owned()));
    }
    row.insert((*deleted).to_owned(), AttributeValue::Bool(true));
    row
}

/// Whether a row is a placeholder.
pub(crate) fn is_placeholder(item: &Item) -> bool {
    let new = || item.get(INTENT)?.as_m().ok()?.get(member::NEW)?.as_bool().ok();
    new() == Some(&true)
}

/// Returns the attribute that an intent parks: the TTL of a tombstone (M9).
pub(crate) fn parked_ttl(schema: &Schema, base: Option<&Item>) -> Item {
    let ttl = schema.tombstone.as_ref().and_then(|tombstone| Some((tombstone.ttl, base?.get(tombstone.ttl)?)));
    ttl.map(|(name, value)| (name.to_owned(), value.clone())).into_iter().collect()
}

/// Returns the change from the row beside the intent to the new item.
pub(crate) fn change_to(schema: &Schema, key: &Item, base: Option<&Item>, after: &Item) -> Change {
    Change::between(&row_beside_intent(schema, key, base), after)
}

/// Returns the request that prewrites an intent, if the row is `base` as it was read, or if there is still no row, and if no
/// intent is in it (M8). With a claim, the row must have the transaction's own claim instead (M10).
pub(crate) fn prewrite(
    schema: &'static Schema,
    at: &ItemRef,
    base: Option<&Item>,
    claim: Option<&TransactionId>,
    intent: &Intent,
) -> Result<RowWrite, Error> {
    let condition = match (base, claim) {
        (None, None) => rule::new_row(schema.partition.name),
        // Without `_x.new`, the put could replace an item that exists.
        (None, Some(claim)) => holds_intent_of(claim).and(holds_placeholder()),
        (Some(item), None) => Node::NotExists(INTENT.into()).and(rule::as_it_was(schema, item)),
        // The claim has parked the TTL, so the row does not have it.
        (Some(_), Some(claim)) => {
            holds_intent_of(claim).and(rule::as_it_was(schema, &row_beside_intent(schema, &at.key, base)))
        }
    };
    let mut placeholders = Placeholders::default();
    let body = match base {
        None => {
            let mut row = placeholder(schema, &at.key);
            row.insert(INTENT.to_owned(), intent.value());
            Body::Put(row)
        }
        Some(item) => {
            let ttl = intent.parked.keys().filter(|ttl| item.contains_key(*ttl)).cloned();
            let mut changes = vec![RawChange::new(INTENT, Ok(Action::Set(intent.value())))];
            changes.extend(ttl.map(remove_attribute));
            Body::Update(at.key.clone(), render_changes(changes, &mut placeholders)?)
        }
    };
    row(at, body, &condition, placeholders)
}

/// Returns the update that rolls a committed intent forward, unless it would be too long, or the values are in pages.
pub(crate) fn apply_by_update(at: &ItemRef, intent: &Intent) -> Result<Option<RowWrite>, Error> {
    if intent.pages.is_some() {
        return Ok(None);
    }
    // The change also removes the flag of a placeholder, because the new item does not have it.
    let changes = copy_from(member::SET, &intent.change.set, &intent.change.remove);
    if check_operators(&changes).is_err() {
        return Ok(None);
    }
    let mut placeholders = Placeholders::terse();
    let update = render_changes(changes, &mut placeholders)?;
    if check_length(&update).is_err() {
        return Ok(None);
    }
    row(at, Body::Update(at.key.clone(), update), &holds_intent_of(&intent.transaction_id), placeholders).map(Some)
}

/// Returns the put that rolls a committed intent forward: it replaces the row by the new item. No other writer changes the row
/// while the intent is in it.
pub(crate) fn apply_by_put(at: &ItemRef, intent: &Intent, item: Item) -> Result<RowWrite, Error> {
    row(at, Body::Put(item), &holds_intent_of(&intent.transaction_id), Placeholders::terse())
}

/// Returns the changes that copy these attributes from a member of the intent into the item, and remove the intent and other
/// attributes. So the request has none of the values.
fn copy_from(member: &'static str, set: &Item, remove: &[String]) -> Vec<RawChange> {
    let mut names: Vec<&String> = set.keys().collect();
    names.sort_unstable();
    let copies = names.into_iter().map(|name| {
        let from = Path::from(INTENT).then(Step::Name(member.into())).then(Step::Name(name.clone().into()));
        RawChange::new(name.clone(), Ok(Action::Copy(from)))
    });
    let removed = std::iter::once(INTENT.to_owned()).chain(remove.iter().cloned());
    copies.chain(removed.map(remove_attribute)).collect()
}

fn remove_attribute(name: String) -> RawChange {
    RawChange::new(name, Ok(Action::Remove))
}

/// Returns the request that rolls an intent back, so that the row is as it was before. A placeholder is deleted.
pub(crate) fn remove(at: &ItemRef, intent: &Intent) -> Result<RowWrite, Error> {
    if intent.is_new {
        let condition = holds_intent_of(&intent.transaction_id).and(holds_placeholder());
        return row(at, Body::Delete(at.key.clone()), &condition, Placeholders::default());
    }
    remove_keeping_row(at, intent)
}

/// Returns the request that rolls an intent back and keeps the row, also if it was a placeholder.
pub(crate) fn remove_keeping_row(at: &ItemRef, intent: &Intent) -> Result<RowWrite, Error> {
    let mut placeholders = Placeholders::default();
    let update = render_changes(copy_from(member::PARKED, &intent.parked, &[]), &mut placeholders)?;
    row(at, Body::Update(at.key.clone(), update), &holds_intent_of(&intent.transaction_id), placeholders)
}

/// The condition that the row is a placeholder.
fn holds_placeholder() -> Node {
    let new = Path::from(INTENT).then(Step::Name(member::NEW.into()));
    Node::Compare(new, Operator::Eq, AttributeValue::Bool(true))
}

/// The condition that the row has the intent of this attempt (M18).
fn holds_intent_of(transaction_id: &TransactionId) -> Node {
    let id = Path::from(INTENT).then(Step::Name(member::ID.into()));
    Node::Compare(id, Operator::Eq, AttributeValue::S(transaction_id.to_string()))
}

fn row(at: &ItemRef, body: Body, condition: &Node, mut placeholders: Placeholders) -> Result<RowWrite, Error> {
    let condition = condition.clone().render(&mut placeholders);
    check_length(&condition)?;
    placeholders.check()?;
    Ok(RowWrite::new(at.table.clone(), body, Some(condition), placeholders))
}
