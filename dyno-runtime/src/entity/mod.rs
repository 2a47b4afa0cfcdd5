//! The traits that the derive implements: `Entity`, and the capabilities that attributes give to an entity or take from it.

pub(crate) mod absent_hints;
mod aggregate;
mod answer;
mod capability;
mod clone_and_debug;
mod outcome;
mod projection;
mod returned;
mod row;
mod tables;
mod transaction_outcome;

pub(crate) use absent_hints::absent;
pub use aggregate::{Aggregate, Entities, Gather, add_one_of, add_only, gather};
pub use answer::{Answer, Counted, Returned, ReturnsNoItem, ReturnsNothing};
pub use capability::{
    Batchable, Deletable, Fenced, Hedgeable, HedgeableUpdate, Idempotent, MayExpire, Purgeable, Replaceable,
    SortOrdered, Sorted, Tombstoned, Transactional, Updatable, Versioned, WithHistory, WithUniqueValues,
    WithoutHistory,
};
pub(crate) use clone_and_debug::clone_and_debug;
pub use outcome::{Outcome, Refusal};
pub use projection::{
    AnyIndex, ConsistentIndex, FitsIndex, Index, OrderedIndex, Projection, SomeAttributes, VectorIndex, WholeItems,
    check_projection, read_projection,
};
pub use returned::{New, Old};
pub(crate) use row::found;
pub use row::{Found, Loaded, Row, Tombstone};
pub use transaction_outcome::{ActionRefusal, Committed, TransactionOutcome, TransactionRefusal};

use crate::attribute::time::EpochMillis;
use crate::attribute::{Encoded, Item, KeyParts, Members, RawItem, Value, with_stand_ins};
use crate::error::{DecodeError, EncodeError, Error};
use crate::rule::Tokens;
use crate::schema::Schema;
use crate::{key, read, write};
use std::borrow::Cow;

/// A type whose values are items of a DynamoDB table. Derive it: see [`derive@crate::Entity`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity",
    label = "expected a struct that derives `dyno::Entity`",
    note = "name the entity itself: an enum of entities, a projection, a loaded item and a stream's record only hold its items",
    note = "the enum of several entities makes and verifies the table that they share: `create_shared_table::<Row>()`, `verify_shared_table::<Row>()`"
)]
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
    /// The result of a put: `()`, or an [`Outcome`](crate::Outcome) if a rule may refuse it.
    type PutOutput: Answer<Self>;
    /// The result of a delete.
    type DeleteOutput: Answer<Self>;
    /// The handles of the stored attributes, with their names and codecs: the only table that encoding, decoding, conditions and
    /// changes use. The generated `fields()` returns it.
    const FIELDS: Self::Fields;
    /// The table, the key, the attributes and the rules.
    const SCHEMA: &'static Schema;

    /// Returns the entity's key.
    #[must_use]
    fn key(&self) -> Self::Key;

    #[doc(hidden)]
    fn __encode(&self) -> Result<Item, EncodeError>;

    /// Takes the entity's attributes out of an item.
    #[doc(hidden)]
    fn __decode(item: &mut Members<'_>) -> Result<Self, DecodeError>;

    /// Returns the item that is stored for this entity: for streams, fixtures and requests made by hand.
    ///
    /// # Errors
    /// A value that DynamoDB cannot hold, with its path.
    fn to_item(&self) -> Result<Item, Error> {
        let item = self.__encode()?;
        key::check_item(&item, Self::SCHEMA)?;
        Ok(item)
    }

    /// Decodes the entity from its stored item. Attributes that the entity does not declare are ignored.
    ///
    /// # Errors
    /// The error names the entity, the key and the attribute, and what was expected and found there.
    #[inline]
    fn from_item(item: Item) -> Result<Self, Error> {
        Self::__from_members(Members::map(item))
    }

    #[doc(hidden)]
    fn __from_raw(mut item: RawItem) -> Result<Self, Error> {
        Self::__from_members(item.members())
    }

    #[doc(hidden)]
    fn __from_members(mut members: Members<'_>) -> Result<Self, Error> {
        let decoded = check_mark(&members, Self::SCHEMA).and_then(|()| Self::__decode(&mut members));
        decoded.map_err(|error| read::decode_error(error, members, Self::SCHEMA))
    }
}

/// The type `E`, if it is an entity: see `attribute::checked`.
pub type CheckedEntity<E> = <<E as Entity>::Version as Counted>::__Of<E>;

/// Types that are entities themselves, and so take the words of rules.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity, and has no rules",
    label = "only an entity takes this: remove it",
    note = "a document or a projection follows the rules of its entity, whose struct and fields they are written on"
)]
pub trait TakesRules {}

impl<E: Entity> TakesRules for E {}

/// Types that are documents, and so say how their fields are stored.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a projection, and is not stored",
    label = "only an entity or a document takes this: remove it",
    note = "a projection reads its fields as the entity stores them, by the names of the entity's fields"
)]
pub trait TakesAttributes {}

impl<T: Value> TakesAttributes for T {}

/// Returns the item after a change. It differs from the stored one only in what the closure changes and in what the entity's
/// current shape adds.
pub(crate) fn rework<E: Entity>(
    stored: &Item,
    now: EpochMillis,
    edit: impl FnOnce(&mut E) -> Result<(), Error>,
) -> Result<Item, Error> {
    let (resolved, mut entity, before) = reread::<E>(stored)?;
    edit(&mut entity)?;
    let after = with_stand_ins(|| entity.__encode())?;
    // A trait object, so that the merge is compiled once and not for each entity.
    let again: &dyn Fn(Item) -> Result<Item, Error> = &|item| {
        let entity = E::from_item(item)?;
        Ok(with_stand_ins(|| entity.__encode())?.item)
    };
    write::merge(E::SCHEMA, now, &resolved, [&before, &after], again)
}

/// Returns a stored item in the entity's current shape, the entity, and what it is encoded as, with stand-ins for the values that
/// cannot be encoded.
pub(crate) fn reread<E: Entity>(stored: &Item) -> Result<(Cow<'_, Item>, E, Encoded), Error> {
    let (resolved, entity) = resolve::<E>(stored)?;
    let encoded = with_stand_ins(|| entity.__encode())?;
    Ok((resolved, entity, encoded))
}

/// Returns a stored item in the entity's current shape, and the entity.
pub(crate) fn resolve<E: Entity>(stored: &Item) -> Result<(Cow<'_, Item>, E), Error> {
    let resolved = read::normalized(E::SCHEMA, stored)?;
    let entity = E::__from_members(Members::borrowed(&resolved))?;
    Ok((resolved, entity))
}

/// Returns an error for an item that is marked as another entity's.
fn check_mark(item: &Members<'_>, schema: &'static Schema) -> Result<(), DecodeError> {
    schema.entity_type.as_ref().map_or(Ok(()), |entity_type| entity_type.check(item))
}
