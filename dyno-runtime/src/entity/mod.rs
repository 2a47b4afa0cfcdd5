//! What the derive implements: the trait `Entity`, and the capabilities that attributes give or withhold.

pub(crate) mod absent;
mod answer;
mod capability;
mod gather;
mod outcome;
mod projection;
mod returned;
mod row;
mod tables;
mod transaction_outcome;

pub(crate) use absent::absent;
pub use answer::{Answer, Counted, Returned, ReturnsNoItem, ReturnsNothing};
pub use capability::{
    Batchable, Deletable, Fenced, Hedgeable, HedgeableUpdate, Idempotent, MayExpire, Purgeable, Replaceable,
    SortOrdered, Sorted, Tombstoned, Transactional, Updatable, Versioned, WithHistory, WithoutHistory,
};
pub use gather::{Aggregate, Entities, Gather, add_one_of, add_only, gather};
pub use outcome::{Outcome, Refusal};
pub use projection::{
    ConsistentIndex, FitsIndex, Index, OrderedIndex, Projection, SomeAttributes, WholeItems, check_projection,
    read_projection,
};
pub use returned::{New, Old};
pub(crate) use row::found;
pub use row::{Found, Loaded, Row, Tombstone};
pub use transaction_outcome::{ActionRefusal, Committed, TransactionOutcome, TransactionRefusal};

use crate::attribute::{Item, KeyParts};
use crate::error::{Context, DecodeError, EncodeError, Error, ErrorKind};
use crate::rule::Tokens;
use crate::schema::Schema;
use crate::{key, read, write};

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
        key::check_item(&item, Self::SCHEMA)?;
        Ok(item)
    }

    /// The entity that is stored as this item. Attributes that the entity does not know are passed over.
    ///
    /// # Errors
    /// Entity, key, attribute, and what was expected and found there.
    #[inline]
    fn from_item(mut item: Item) -> Result<Self, Error> {
        check_mark(&item, Self::SCHEMA)?;
        Self::__decode(&mut item).map_err(|error| decode_error(error, &item, Self::SCHEMA))
    }
}

/// What a change makes of the item of an entity: only what it changes, and what the entity's shape of today adds.
pub(crate) fn rework<E: Entity>(stored: &Item, edit: impl FnOnce(&mut E) -> Result<(), Error>) -> Result<Item, Error> {
    let mut resolved = stored.clone();
    read::resolve(E::SCHEMA, &mut resolved).map_err(|error| decode_error(error, &resolved, E::SCHEMA))?;
    let mut entity = E::from_item(resolved.clone())?;
    // What can be read and not be written is all the change's.
    let before = entity.__encode().unwrap_or_default();
    edit(&mut entity)?;
    let after = entity.__encode()?;
    // By reference to any such function, so that the merging is compiled once.
    let reread: &dyn Fn(Item) -> Result<Item, Error> = &|item| Ok(E::from_item(item)?.__encode()?);
    write::merge(E::SCHEMA, resolved, &before, &after, reread)
}

/// An item that is marked as another entity's is none of this one's, whatever its key.
fn check_mark(item: &Item, schema: &'static Schema) -> Result<(), Error> {
    match schema.entity_type.as_ref().map_or(Ok(()), |entity_type| entity_type.check(item)) {
        Ok(()) => Ok(()),
        Err(error) => Err(decode_error(error, item, schema)),
    }
}

/// An error of decoding, for the item that is left: the derive takes the key out last, so it can still be named.
#[cold]
pub(crate) fn decode_error(error: DecodeError, item: &Item, schema: &'static Schema) -> Error {
    Error::new(ErrorKind::Decode, error.to_string()).with_context(|| Context {
        operation: "decode",
        entity: schema.entity,
        key: key::key_text(item, schema),
    })
}
