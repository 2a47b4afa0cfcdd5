//! A record of a stream, and the change of an entity that it shows.

use super::Changed;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Peek as _, equal, equal_items, with_stand_ins};
use crate::entity::{Entity, Tombstone};
use crate::error::{Context, Error};
use crate::key::key_text;
use crate::read::{ItemView, Owner, Shape, see};
use crate::rule::State;
use crate::schema::{KeyAttribute, Schema, StoredAttribute};
use aws_sdk_dynamodb::types::AttributeValue;

/// A stream's record of one write to one item.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    event: Event,
    keys: Item,
    pub(super) old: Option<Item>,
    pub(super) new: Option<Item>,
    pub(super) sequence_number: Option<String>,
    view: Option<String>,
    table: Option<String>,
    expired: bool,
}

/// The kind of the write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The item did not exist before.
    Insert,
    /// The item existed before and still does.
    Modify,
    /// The item no longer exists.
    Remove,
}

impl Event {
    /// Returns the event of this name, as DynamoDB calls it.
    #[cfg(any(feature = "dynamodbstreams", feature = "lambda", feature = "local"))]
    pub(crate) fn named(name: &str) -> Result<Self, Error> {
        match name {
            "INSERT" => Ok(Self::Insert),
            "MODIFY" => Ok(Self::Modify),
            "REMOVE" => Ok(Self::Remove),
            other => Err(Error::invalid(format!(
                "the stream's record has the event {other:?}, which is none of INSERT, MODIFY and REMOVE"
            ))),
        }
    }
}

impl Record {
    /// Creates a record without images. `keys` has the key attributes of the item; further attributes in it are ignored.
    #[must_use]
    pub fn new(event: Event, keys: Item) -> Self {
        Self { event, keys, old: None, new: None, sequence_number: None, view: None, table: None, expired: false }
    }

    /// Adds the item as it was before.
    #[must_use]
    pub fn with_old_image(mut self, image: Item) -> Self {
        self.old = Some(image);
        self
    }

    /// Adds the item as it was afterwards.
    #[must_use]
    pub fn with_new_image(mut self, image: Item) -> Self {
        self.new = Some(image);
        self
    }

    /// Adds the record's place in its shard.
    #[must_use]
    pub fn with_sequence_number(mut self, sequence_number: impl Into<String>) -> Self {
        self.sequence_number = Some(sequence_number.into());
        self
    }

    /// Adds the identity of the writer. If it is DynamoDB itself, with the type `Service` and the principal
    /// `dynamodb.amazonaws.com`, then the item was removed because its TTL had passed.
    #[must_use]
    pub fn with_identity(mut self, identity_type: &str, principal: &str) -> Self {
        self.expired = identity_type == "Service" && principal == "dynamodb.amazonaws.com";
        self
    }

    /// Adds the stream's `StreamViewType`, for messages.
    #[cfg(any(feature = "dynamodbstreams", feature = "lambda", feature = "local"))]
    pub(crate) fn with_view(mut self, view: Option<String>) -> Self {
        self.view = view;
        self
    }

    /// Adds the stream's ARN, `arn:…:table/name/stream/…`.
    #[cfg(any(feature = "lambda", feature = "local"))]
    pub(crate) fn with_stream_arn(mut self, arn: Option<&str>) -> Self {
        let table = arn.and_then(|arn| arn.split_once(":table/")?.1.split('/').next());
        self.table = table.map(str::to_owned);
        self
    }

    /// Returns the kind of the write.
    #[must_use]
    pub fn event(&self) -> Event {
        self.event
    }

    /// Returns the key attributes of the item.
    #[must_use]
    pub fn keys(&self) -> &Item {
        &self.keys
    }

    /// Returns the item as it was before, if there was one and the stream has old images.
    #[must_use]
    pub fn old_image(&self) -> Option<&Item> {
        self.old.as_ref()
    }

    /// Returns the item as it was afterwards, if there is one and the stream has new images.
    #[must_use]
    pub fn new_image(&self) -> Option<&Item> {
        self.new.as_ref()
    }

    /// Returns the record's place in its shard. A record that is delivered twice has the same one.
    #[must_use]
    pub fn sequence_number(&self) -> Option<&str> {
        self.sequence_number.as_deref()
    }

    /// Returns the name of the table, if the record has it: records of a Lambda event do.
    #[must_use]
    pub fn table(&self) -> Option<&str> {
        self.table.as_deref()
    }

    /// Returns `true` if DynamoDB removed the item because its TTL had passed. In a replica of a global table, such a removal
    /// looks like any other.
    #[must_use]
    pub fn is_expired(&self) -> bool {
        self.expired && self.event == Event::Remove
    }

    /// Returns `true` if the record is for the consumers of `E`: its key is one of `E`'s (by names, types and templates), and at
    /// least one image is not marked as another entity's. If a write changes the mark of a row from one entity's to another's,
    /// the record is for the consumers of both. A revision of a history is for no consumer.
    #[must_use]
    pub fn is_of<E: Entity>(&self) -> bool {
        let mut images = self.old.iter().chain(&self.new).peekable();
        self.has_key_of(E::SCHEMA) && (images.peek().is_none() || images.any(|image| is_own(E::SCHEMA, image)))
    }

    /// Returns the change of an `E`. `None` if the item is not an `E`, or if nothing has changed that an `E` shows: a tombstone
    /// was removed, another program's attribute or an attribute of a rule has changed, or the row was brought into a newer shape.
    ///
    /// A row that is marked as another entity's counts as absent. So if a write changes the mark, the item of the old entity is
    /// `Deleted`, and the item of the new one is `Created`.
    ///
    /// Images of older shapes are decoded as rows are: under aliases, and through `upgrade`. The decoded entities are compared.
    ///
    /// # Errors
    /// The stream does not have the necessary images (`NEW_AND_OLD_IMAGES`), or an image is not of the entity's shape.
    pub fn change<E: Entity>(&self) -> Result<Option<Changed<E>>, Error> {
        let schema = E::SCHEMA;
        if !self.has_key_of(schema) {
            return Ok(None);
        }
        let context =
            || Context { operation: "stream change", entity: schema.entity, key: key_text(&self.keys, schema) };
        let change = self.live(schema).and_then(|(old, new)| {
            Ok(match (old, new) {
                (None, Some(new)) => Some(Changed::Created { new: E::from_item(new.clone())? }),
                (Some(old), Some(new)) if is_read_alike(schema, old, new) => None,
                (Some(old), Some(new)) => {
                    let (old, new) = (E::from_item(old.clone())?, E::from_item(new.clone())?);
                    (!is_same(&old, &new)).then_some(Changed::Updated { old, new })
                }
                (Some(old), None) => Some(Changed::Deleted {
                    old: E::from_item(old.clone())?,
                    tombstone: self.new.clone().filter(|new| is_own(schema, new)).map(Tombstone::new),
                    expired: self.is_expired(),
                }),
                (None, None) => None,
            })
        });
        change.map_err(|error: Error| error.with_context(context))
    }

    /// Returns `true` if the item's key is one of the entity's. Only the key attributes count.
    fn has_key_of(&self, schema: &'static Schema) -> bool {
        let keys = schema.keys().filter_map(|key| Some((key.name.to_owned(), self.keys.get(key.name)?.clone())));
        has_types_of(schema, &self.keys) && is_own(schema, &keys.collect())
    }

    /// Returns the item as readers of the entity saw it before, and as they see it now. They see neither tombstones nor rows
    /// that are marked as another entity's.
    fn live(&self, schema: &'static Schema) -> Result<(Option<&Item>, Option<&Item>), Error> {
        let old = if self.event == Event::Insert { None } else { Some(self.needed(self.old.as_ref(), "old")?) };
        let new = if self.event == Event::Remove { None } else { Some(self.needed(self.new.as_ref(), "new")?) };
        let is_live = |item: &&Item| {
            let seen = seen(schema, item);
            seen.owner == Owner::Entity(0) && !matches!(seen.state, State::Deleted | State::Absent)
        };
        Ok((old.filter(is_live), new.filter(is_live)))
    }

    fn needed<'a>(&self, image: Option<&'a Item>, which: &str) -> Result<&'a Item, Error> {
        image.ok_or_else(|| {
            let view = self.view.as_ref().map(|view| format!(", and not {view}")).unwrap_or_default();
            Error::invalid(format!(
                "the stream's record has no {which} image: give the table's stream the StreamViewType NEW_AND_OLD_IMAGES{view}"
            ))
        })
    }
}

/// Classifies an item of a stream. The time is 0, because in a stream an expired item exists until DynamoDB removes it.
fn seen(schema: &'static Schema, item: &Item) -> ItemView {
    see(&[schema], EpochMillis::new(0), item)
}

/// Returns `true` if an item is the entity's, by its key and by its mark if it has one.
fn is_own(schema: &'static Schema, item: &Item) -> bool {
    seen(schema, item).owner == Owner::Entity(0)
}

/// Returns `true` if these are the keys of a table that the entity can be in.
fn has_types_of(schema: &Schema, keys: &Item) -> bool {
    let has = |key: &KeyAttribute| {
        let value = keys.peek(key.name);
        value.is_some_and(|value| value.descriptor() == key.key_type.as_str())
    };
    schema.keys().all(has)
}

/// Returns `true` if both images certainly decode to the same entity, because all attributes that it is decoded from are equal.
/// It is `false` for images that need `upgrade`, which may read any attribute, and for an entity that keeps undeclared
/// attributes.
fn is_read_alike(schema: &'static Schema, old: &Item, new: &Item) -> bool {
    let is_current = |image| seen(schema, image).shape == Shape::Current;
    let mut names = schema.attributes.iter().flat_map(StoredAttribute::names);
    !schema.has_rest && is_current(old) && is_current(new) && names.all(|name| is_equal(old.get(name), new.get(name)))
}

/// Returns `true` if two entities would be stored as equal values. Another spelling of a number, or an older name, is no change.
fn is_same<E: Entity>(old: &E, new: &E) -> bool {
    let encoded = |entity: &E| with_stand_ins(|| entity.__encode()).ok();
    encoded(old).zip(encoded(new)).is_some_and(|(old, new)| equal_items(&old.item, &new.item))
}

fn is_equal(old: Option<&AttributeValue>, new: Option<&AttributeValue>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => equal(old, new),
        (old, new) => old.is_none() && new.is_none(),
    }
}
