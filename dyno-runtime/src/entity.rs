//! What the derive implements: the trait `Entity`, and the capabilities that attributes give or withhold.

use crate::attribute::{DecodeError, EncodeError, Item, KeyParts};
use crate::command::{Answer, Counted};
use crate::error::{Context, ErrorKind};
use crate::rule::Tokens;
use crate::schema::Schema;
use crate::{Error, core};

/// A type whose values are items of a DynamoDB table. Derive it: see [`derive@crate::Entity`].
#[diagnostic::on_unimplemented(message = "`{Self}` is not an entity", label = "derive `dyno::Entity` for this type")]
pub trait Entity: Sized + 'static {
    /// The key's fields: one type, or a tuple in the order of the key's templates, partition key first.
    type Key: KeyParts;
    /// The fields of the partition key.
    type Partition: KeyParts;
    /// The fields of the sort key that are not in the partition key; `()` if there are none.
    type Sort;
    /// The handles of the stored attributes.
    type Fields;
    /// The tokens of the entity's ratchets, as a tuple.
    type Tokens: Tokens;
    /// The type of the entity's version, which its writes return; `()` if it has none.
    type Version: Counted;
    /// What a put ends in: `()`, or an [`Outcome`](crate::Outcome) where a rule may refuse it.
    type PutOutput: Answer<Self>;
    /// What a delete ends in.
    type DeleteOutput: Answer<Self>;
    /// The handles of the stored attributes, with their names and codecs: the one table that encoding, decoding,
    /// conditions and changes go by. The generated `fields()` returns it.
    const FIELDS: Self::Fields;
    /// Table, key, attributes and rules.
    const SCHEMA: &'static Schema;

    /// The entity's key.
    #[must_use]
    fn key(&self) -> Self::Key;

    #[doc(hidden)]
    fn __encode(&self) -> Result<Item, EncodeError>;

    /// Takes the entity's attributes out of an item.
    #[doc(hidden)]
    fn __decode(item: &mut Item) -> Result<Self, DecodeError>;

    /// The item that is stored for this entity: for streams, fixtures and requests made by hand.
    ///
    /// # Errors
    /// A value that DynamoDB cannot hold, by its path.
    fn to_item(&self) -> Result<Item, Error> {
        let item = self.__encode()?;
        core::check_item(&item, Self::SCHEMA)?;
        Ok(item)
    }

    /// The entity that is stored as this item. Attributes that the entity does not know are passed over.
    ///
    /// # Errors
    /// Entity, key, attribute, and what was expected and found there.
    #[inline]
    fn from_item(mut item: Item) -> Result<Self, Error> {
        Self::__decode(&mut item).map_err(|error| decode_error(error, &item, Self::SCHEMA))
    }
}

/// An error of decoding, for the item that is left: the derive takes the key out last, so it can still be named.
#[cold]
fn decode_error(error: DecodeError, item: &Item, schema: &'static Schema) -> Error {
    Error::new(ErrorKind::Decode, error.to_string()).with_context(|| Context {
        operation: "decode",
        entity: schema.entity,
        key: core::key_text(item, schema),
    })
}

/// Entities that can be deleted.
///
/// Not implemented for a ratcheted entity without a tombstone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be deleted: it is ratcheted and has no tombstone",
    label = "`delete` is not available for this entity",
    note = "once the row is gone, an older write could recreate it",
    note = "help: add `#[tombstone(ttl_days = 7)]` to the struct"
)]
pub trait Deletable {}

/// Entities of which single attributes can be updated.
///
/// Not implemented for an entity whose ratchet guards the whole item.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be updated in part: its ratchet guards the whole item",
    label = "`update` is not available for this entity",
    note = "refusing a stale update that touches other fields would lose them",
    note = "help: `put` the whole item, or declare which fields share a token: `#[ratchet(guards(field, …))]`"
)]
pub trait Updatable {}

/// Entities whose writes are counted by a version.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no version",
    label = "only for an entity with a version",
    note = "help: mark a `u64` field with `#[version]`"
)]
pub trait Versioned: Entity {}

/// Entities whose earlier versions are kept.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no history",
    label = "only for an entity with a history",
    note = "help: add `#[history_table]` to the struct, and `#[version]` to a field"
)]
pub trait Recorded: Versioned {}

/// Entities whose earlier versions are not kept.
#[diagnostic::on_unimplemented(
    message = "not available: `{Self}` has a history",
    label = "not for an entity with `#[history_table]`",
    note = "an update knows a part of the item only, and its history keeps whole ones: `modify` it, or `put` the whole item",
    note = "what was there before a write is the revision before: see `revision`"
)]
pub trait Unrecorded {}

/// Entities that remember which updates were made.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not remember idempotency keys",
    label = "only for an entity with `#[idempotency]`",
    note = "help: add `#[idempotency(window_secs = 300)]` to the struct"
)]
pub trait Idempotent: Entity {}

/// Entities whose items can be put over others.
///
/// Not implemented for an entity whose items hold idempotency keys.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be put over another item: that would forget its idempotency keys",
    label = "`put` and `replace` are not available for this entity",
    note = "an update that was made already would be made once more",
    note = "help: `create` the item and `update` it, or keep the keys in rows of their own: `#[idempotency(store = \"row\")]`"
)]
pub trait Overwritable {}

/// Entities that leave a tombstone when they are deleted.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tombstone",
    label = "only for an entity with a tombstone",
    note = "help: add `#[tombstone(ttl_days = 7)]` to the struct"
)]
pub trait Tombstoned: Entity {}

/// Entities whose items can be there and yet count as absent: tombstones, or items past their TTL.
#[diagnostic::on_unimplemented(
    message = "every item of `{Self}` is live",
    label = "only for an entity with a tombstone or a `#[ttl]` field"
)]
pub trait Perishable: Entity {}

/// Entities whose sort key has fields that a query can ask for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no sort key to ask for",
    label = "no sort key, or one without a field of its own"
)]
pub trait Sorted: Entity {}

/// Entities whose sort keys are in the order of their fields, so that a range of them makes sense.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no sort key to ask for a range",
    label = "no sort key, or one without a field of its own"
)]
pub trait SortOrdered: Sorted {}
