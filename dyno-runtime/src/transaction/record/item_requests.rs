//! What is sent to a row that a transaction has under way, or is about to: intents are placed, applied and removed.
//!
//! Each request makes its own condition false: sent again, or much later, it is refused (M8, M18). An intent alone can come once
//! more after it was taken away, since the row is as it was. But then its ticket is given up, and nobody applies it.

use super::after_image::Whole;
use super::intent::{Change, Intent, member};
use super::transaction_id::Ticket;
use crate::attribute::Item;
use crate::error::{Error, Step};
use crate::exchange::{Body, ItemRef, RowWrite};
use crate::expression::{Node, Operator, Path, Placeholders, check_length};
use crate::rule;
use crate::schema::names::INTENT;
use crate::schema::{Schema, Tombstone};
use aws_sdk_dynamodb::types::AttributeValue;

/// How many operators an update takes.
const OPERATORS: usize = 300;

/// What a row is, before an intent is placed on it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base<'a> {
    /// No row.
    Nothing,
    /// This, without an intent.
    Row(&'a Item),
    /// This, or nothing, under an intent of one's own that only keeps others out.
    Claimed(Option<&'a Item>, &'a Ticket),
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

/// The row as it stands while an intent is on it, without the intent: of a row that was not there, its place; of another, all
/// but what is parked.
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

/// What keeps the place of an item that is about to be made: it looks like a tombstone. So it has the mark of the entity only
/// if tombstones have it: other programs, which list items by their mark, would miss the fields. Readers of ours know a row
/// without a mark by its key, and a place by its flag and `_x.new`.
fn placeholder(schema: &Schema, key: &Item) -> Item {
    let mut row = key.clone();
    let Some(Tombstone { deleted, mark: is_marked, .. }) = &schema.tombstone else { return row };
    if let Some(mark) = schema.entity_type.as_ref().filter(|_| *is_marked) {
        row.insert(mark.attribute.to_owned(), AttributeValue::S(mark.name.to_owned()));
    }
    row.insert((*deleted).to_owned(), AttributeValue::Bool(true));
    row
}

/// Whether a row only keeps a place.
pub(crate) fn is_only_a_place(item: &Item) -> bool {
    let new = || item.get(INTENT)?.as_m().ok()?.get(member::NEW)?.as_bool().ok();
    new() == Some(&true)
}

/// What is parked of a row: it has no TTL while it has an intent (M9).
pub(crate) fn parked(schema: &Schema, base: Option<&Item>) -> Item {
    let ttl = schema.tombstone.as_ref().and_then(|tombstone| Some((tombstone.ttl, base?.get(tombstone.ttl)?)));
    ttl.map(|(name, value)| (name.to_owned(), value.clone())).into_iter().collect()
}

/// The intent of making `after` of what is there.
pub(crate) fn intended(schema: &Schema, key: &Item, base: Option<&Item>, after: &Item) -> Change {
    Change::between(&standing(schema, key, base), after)
}

/// Places an intent on what was read, if it is still so and nobody else's is there (M8).
pub(crate) fn place(schema: &'static Schema, at: &ItemRef, base: Base<'_>, intent: &Intent) -> Result<RowWrite, Error> {
    let mut placeholders = Placeholders::default();
    let free = match base {
        Base::Claimed(Some(_), claim) => is_of(claim),
        // Otherwise a row would be lost that is there all the same (M10).
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
            let mut update = "SET ".to_owned();
            placeholders.push_path(&INTENT.into(), &mut update);
            update.push_str(" = ");
            placeholders.push_value(&INTENT.into(), intent.value(), &mut update);
            if let Some(ttl) = intent.parked.keys().next().filter(|ttl| item.contains_key(*ttl)) {
                update.push_str(" REMOVE ");
                placeholders.push_path(&Path::from(ttl.clone()), &mut update);
            }
            // What is parked already does not stand there.
            let standing = matches!(base, Base::Claimed(..)).then(|| standing(schema, &at.key, Some(item)));
            let there = rule::as_it_was(schema, standing.as_ref().unwrap_or(item));
            (Body::Update(at.key.clone(), update), free.and(there))
        }
    };
    row(at, body, &condition, placeholders)
}

/// Makes what a committed intent intends: by an update; or where that would be too long, or takes its values from pages, by a put
/// of all of the row, which must be known then. Nobody else changes it while the intent is there.
pub(crate) fn apply(at: &ItemRef, whole: &Whole, item: Option<&Item>) -> Result<Option<RowWrite>, Error> {
    let intent = whole.intent();
    let condition = is_of(&intent.ticket);
    let operators = 1 + intent.change.set.len() + intent.change.remove.len();
    let mut placeholders = Placeholders::terse();
    let update = (operators <= OPERATORS && intent.pages.is_none()).then(|| update(intent, &mut placeholders));
    if let Some(update) = update.filter(|update| check_length(update).is_ok()) {
        return row(at, Body::Update(at.key.clone(), update), &condition, placeholders).map(Some);
    }
    item.map(|item| become_this(at, intent, whole.applied_to(item.clone()))).transpose()
}

/// Makes the item what its history says that the intent has made.
pub(crate) fn become_this(at: &ItemRef, intent: &Intent, item: Item) -> Result<RowWrite, Error> {
    row(at, Body::Put(item), &is_of(&intent.ticket), Placeholders::terse())
}

/// The values go from one place of the row to another: the request has none of them.
fn update(intent: &Intent, placeholders: &mut Placeholders) -> String {
    let x = Path::from(INTENT);
    let mut text = String::new();
    let mut names: Vec<&String> = intent.change.set.keys().collect();
    names.sort_unstable();
    for name in names {
        text.push_str(if text.is_empty() { "SET " } else { ", " });
        placeholders.push_path(&Path::from(name.clone()), &mut text);
        text.push_str(" = ");
        let from = x.then(Step::Name(member::SET.into())).then(Step::Name(name.clone().into()));
        placeholders.push_path(&from, &mut text);
    }
    text.push_str(if text.is_empty() { "REMOVE " } else { " REMOVE " });
    placeholders.push_path(&x, &mut text);
    // A placeholder's flag goes with what is not set, as all that the row has and the item has not.
    for name in &intent.change.remove {
        text.push_str(", ");
        placeholders.push_path(&Path::from(name.clone()), &mut text);
    }
    text
}

/// Takes an intent away that is not to be made, and leaves the row as it was.
pub(crate) fn remove(at: &ItemRef, intent: &Intent) -> Result<RowWrite, Error> {
    if intent.is_new {
        let condition = is_of(&intent.ticket).and(is_new());
        return row(at, Body::Delete(at.key.clone()), &condition, Placeholders::default());
    }
    remove_from_row(at, intent)
}

/// The same of a row that stays, whatever it was before the intent.
pub(crate) fn remove_from_row(at: &ItemRef, intent: &Intent) -> Result<RowWrite, Error> {
    let (mut placeholders, x) = (Placeholders::default(), Path::from(INTENT));
    let mut text = String::new();
    for name in intent.parked.keys() {
        text.push_str(if text.is_empty() { "SET " } else { ", " });
        placeholders.push_path(&Path::from(name.clone()), &mut text);
        text.push_str(" = ");
        let from = x.then(Step::Name(member::PARKED.into())).then(Step::Name(name.clone().into()));
        placeholders.push_path(&from, &mut text);
    }
    text.push_str(if text.is_empty() { "REMOVE " } else { " REMOVE " });
    placeholders.push_path(&x, &mut text);
    row(at, Body::Update(at.key.clone(), text), &is_of(&intent.ticket), placeholders)
}

/// The row only keeps a place.
fn is_new() -> Node {
    let new = Path::from(INTENT).then(Step::Name(member::NEW.into()));
    Node::Compare(new, Operator::Eq, AttributeValue::Bool(true))
}

/// The row has the intent of this ticket (M18).
fn is_of(ticket: &Ticket) -> Node {
    let id = Path::from(INTENT).then(Step::Name(member::ID.into()));
    Node::Compare(id, Operator::Eq, AttributeValue::S(ticket.to_string()))
}

fn row(at: &ItemRef, body: Body, condition: &Node, mut placeholders: Placeholders) -> Result<RowWrite, Error> {
    let condition = condition.clone().render(&mut placeholders);
    check_length(&condition)?;
    placeholders.check()?;
    Ok(RowWrite::new(at.table.clone(), body, Some(condition), placeholders))
}
