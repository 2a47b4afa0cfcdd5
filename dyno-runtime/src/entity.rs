//! What the derive implements: the trait `Entity`, and the capabilities that attributes give or withhold.

use crate::__private::Gather;
use crate::attribute::{DecodeError, EncodeError, Item, KeyParts};
use crate::command::{Answer, Counted, Row};
use crate::error::{Context, ErrorKind};
use crate::rule::Tokens;
use crate::schema::{self, Schema};
use crate::{Error, Repository, core};

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
        check_mark(&item, Self::SCHEMA)?;
        Self::__decode(&mut item).map_err(|error| decode_error(error, &item, Self::SCHEMA))
    }
}

/// What a change makes of the item of an entity: only what it changes, and what the entity's shape of today adds.
pub(crate) fn rework<E: Entity>(stored: &Item, edit: impl FnOnce(&mut E) -> Result<(), Error>) -> Result<Item, Error> {
    let mut resolved = stored.clone();
    core::resolve(E::SCHEMA, &mut resolved).map_err(|error| decode_error(error, &resolved, E::SCHEMA))?;
    let mut entity = E::from_item(resolved.clone())?;
    // What can be read and not be written is all the change's.
    let before = entity.__encode().unwrap_or_default();
    edit(&mut entity)?;
    let after = entity.__encode()?;
    core::merge(E::SCHEMA, resolved, &before, &after, |item| Ok(E::from_item(item)?.__encode()?))
}

/// What [`Row::read`] is for a projection.
pub(crate) fn read_projection<P: Projection>(mut item: Item) -> Result<P, Error> {
    let schema = P::Entity::SCHEMA;
    check_mark(&item, schema)?;
    let decoded = core::check_part(schema, &item).and_then(|()| P::__decode(&mut item));
    decoded.map_err(|error| decode_error(error, &item, schema))
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

/// Entities whose writes have no conditions, so that a [`BatchWrite`](crate::BatchWrite) can have them.
///
/// Not implemented for an entity with a ratchet, a version, a tombstone, a history or idempotency keys. (Its own `#[ttl]`
/// is no rule for writes.)
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written in a batch",
    label = "not for an entity with rules for its writes",
    note = "BatchWriteItem takes no condition, so it would bypass the entity's rules",
    note = "help: send the writes one by one, or in a transaction"
)]
pub trait Batchable: Entity {}

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

/// An item of a table that several entities share: derive it for an enum with a variant for each of them.
///
/// ```
/// # use dyno::{Entities, Entity};
/// # #[derive(Entity)] #[entity(table = "shop")]
/// # #[partition_key(name = "PK", template = "Customer#{id}")] #[sort_key(name = "SK", template = "Profile")]
/// # struct Customer { id: String }
/// # #[derive(Entity)] #[entity(table = "shop")]
/// # #[partition_key(name = "PK", template = "Customer#{customer}")] #[sort_key(name = "SK", template = "Order#{number:08}")]
/// # struct Order { customer: String, number: u32 }
/// #[derive(Entities)]
/// enum Row {
///     Customer(Customer),
///     Order(Order),
/// }
/// ```
///
/// Two entities that could have the same key do not compile: see the runtime's documentation of
/// [`Entities`](derive@crate::Entities).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of entities",
    label = "derive `dyno::Entities` for an enum with a variant for each entity"
)]
pub trait Entities: Sized + 'static {
    #[doc(hidden)]
    const SCHEMAS: &'static [&'static Schema];

    /// The tables of each entity.
    #[doc(hidden)]
    fn __tables(repository: &Repository) -> Result<Vec<core::Tables>, Error>;

    /// Reads an item of one of the entities.
    #[doc(hidden)]
    fn __decode(entity: usize, item: Item) -> Result<Self, Error>;

    /// What an item of no one becomes.
    #[doc(hidden)]
    #[must_use]
    fn __unknown(_item: Item) -> Option<Self> {
        None
    }
}

/// The items of a partition of a shared table as one value: derive it for a struct with a field for each entity.
///
/// ```
/// # use dyno::{Aggregate, Entity};
/// # #[derive(Entity)] #[entity(table = "shop")]
/// # #[partition_key(name = "PK", template = "Customer#{id}")] #[sort_key(name = "SK", template = "Profile")]
/// # struct Customer { id: String }
/// # #[derive(Entity)] #[entity(table = "shop")]
/// # #[partition_key(name = "PK", template = "Customer#{customer}")] #[sort_key(name = "SK", template = "Order#{number:08}")]
/// # struct Order { customer: String, number: u32 }
/// #[derive(Aggregate)]
/// struct Account {
///     customer: Customer,
///     orders: Vec<Order>,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an aggregate",
    label = "derive `dyno::Aggregate` for a struct with a field for each entity"
)]
pub trait Aggregate: Sized + 'static {
    #[doc(hidden)]
    const SCHEMAS: &'static [&'static Schema];

    /// What gathers its items. (Its type has no name, so that an entity in it can be private.)
    #[doc(hidden)]
    fn __gather() -> impl Gather<Self>;
}

/// A secondary index of an entity: the derive makes one type for each `#[index(…)]`, which its queries name.
pub trait Index: 'static {
    /// The entity.
    type Entity: Entity;
    /// The fields of the partition key.
    type Partition: KeyParts;
    /// What a query can ask of the sort key.
    type Sort;
    /// Whether it holds whole items: [`WholeItems`] or [`SomeAttributes`].
    type Holds;
    /// Its key, and what it holds.
    #[doc(hidden)]
    const INDEX: &'static schema::Index;
}

/// An index holds whole items: `projection = "all"`, which is the default.
#[derive(Debug)]
pub enum WholeItems {}

/// An index holds some attributes.
#[derive(Debug)]
pub enum SomeAttributes {}

/// Projections whose attributes an index `I` holds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not said to be read from the index `{I}`",
    label = "this index holds only some attributes",
    note = "help: write `#[projection(of = …, index = {I})]` on the projection: then it is checked that the index holds what it names"
)]
pub trait FitsIndex<I, H> {}

impl<I: Index, P: Projection<Entity = I::Entity>> FitsIndex<I, WholeItems> for P {}

/// Indexes that can be read consistently: local ones.
#[diagnostic::on_unimplemented(
    message = "the global index `{Self}` has no consistent reads",
    label = "only the table and its local indexes can be read consistently",
    note = "DynamoDB writes to a global index after it has answered (developer guide, \"Global secondary indexes\"): read the item itself with `get(…).consistent()`"
)]
pub trait ConsistentIndex: Index {}

/// Indexes whose sort keys are in the order of their fields, so that a range of them makes sense.
#[diagnostic::on_unimplemented(
    message = "the sort keys of the index `{Self}` are not in the order of their fields",
    label = "a range over this sort key would be wrong"
)]
pub trait OrderedIndex: Index {}

/// Some fields of an entity, to be read without the others. Derive it: see [`derive@crate::Projection`].
///
/// ```no_run
/// # use dyno::{Entity, Projection, Repository};
/// # #[derive(Entity)] struct Order { #[partition_key] id: String, total: u64, note: String }
/// #[derive(Projection)]
/// #[projection(of = Order)]
/// struct Total {
///     id: String,
///     total: u64,
/// }
///
/// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
/// let found: Option<Total> = Order::get("17").project::<Total>().send(&repository).await?;
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a projection",
    label = "derive `dyno::Projection` for this type",
    note = "`#[derive(Projection)] #[projection(of = Order)]` on a struct that names some fields of `Order`"
)]
pub trait Projection: Row<Self::Entity> {
    /// The entity.
    type Entity: Entity;
    /// The attributes that it is read from.
    #[doc(hidden)]
    const ATTRIBUTES: &'static [&'static str];
    #[doc(hidden)]
    fn __decode(item: &mut Item) -> Result<Self, DecodeError>;
}
