//! Projections, which read a part of an entity, and the indexes that hold whole items or parts of them.

use super::{Entity, Row, check_mark};
use crate::attribute::{KeyParts, Members, RawItem};
use crate::error::text::{Text, contains, is_same};
use crate::error::{DecodeError, Error};
use crate::schema::{KeyAttribute, Projected};
use crate::{read, schema};
use read::decode_error;

/// Some fields of an entity, read without the others. Derive it: see [`derive@crate::Projection`].
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
    label = "expected a struct that derives `dyno::Projection`",
    note = "`#[derive(Projection)] #[projection(of = Order)]` on a struct that names some fields of `Order`",
    note = "without `project`, a read returns the entity itself"
)]
pub trait Projection: Row<Self::Entity> {
    /// The entity.
    type Entity: Entity;
    /// The attributes that the projection reads.
    #[doc(hidden)]
    const ATTRIBUTES: &'static [&'static str];
    #[doc(hidden)]
    fn __decode(item: &mut Members<'_>) -> Result<Self, DecodeError>;
}

/// Implements [`Row::read`] for a projection.
pub fn read_projection<P: Projection>(mut item: RawItem) -> Result<P, Error> {
    let (schema, mut members) = (P::Entity::SCHEMA, item.members());
    let checked = check_mark(&members, schema).and_then(|()| read::check_part(schema, &members));
    let decoded = checked.and_then(|()| P::__decode(&mut members));
    decoded.map_err(|error| decode_error(error, members, schema))
}

/// A secondary index of an entity. The derive makes one type for each `#[index(…)]`, which the index's queries name.
pub trait Index: 'static {
    /// The entity.
    type Entity: Entity;
    /// The fields of the partition key.
    type Partition: KeyParts;
    /// The conditions that a query can have on the sort key.
    type Sort;
    /// Whole items or a part of them: [`WholeItems`] or [`SomeAttributes`].
    type Holds;
    /// The index's key, and the attributes that it holds.
    #[doc(hidden)]
    const INDEX: &'static schema::Index;
}

/// A vector index of an entity. The derive makes one type for each `#[index(vector = …)]`, which a projection names.
pub trait VectorIndex: AnyIndex {
    /// Whole items or a part of them: [`WholeItems`] or [`SomeAttributes`].
    type Holds;
    /// The index, and the attributes that it holds.
    #[doc(hidden)]
    const INDEX: &'static schema::VectorIndex;
}

/// An index of either kind, secondary or of vectors, and the attributes that it holds.
pub trait AnyIndex: 'static {
    /// The entity.
    type Entity: Entity;
    /// The index's name.
    #[doc(hidden)]
    const NAME: &'static str;
    /// The attributes that it holds because of what they are in it.
    #[doc(hidden)]
    const KEYS: [&'static [KeyAttribute]; 2];
    /// The other attributes that it holds.
    #[doc(hidden)]
    const PROJECTION: Projected;
}

impl<I: Index> AnyIndex for I {
    type Entity = I::Entity;
    const NAME: &'static str = I::INDEX.name;
    const KEYS: [&'static [KeyAttribute]; 2] = [I::INDEX.partition, I::INDEX.sort];
    const PROJECTION: Projected = I::INDEX.projection;
}

/// An index holds whole items: `projection = "all"`, which is the default.
#[derive(Debug)]
pub enum WholeItems {}

/// An index holds some attributes.
#[derive(Debug)]
pub enum SomeAttributes {}

/// Projections whose attributes are all in an index `I`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not said to be read from the index `{I}`",
    label = "this index holds only some attributes",
    note = "help: write `#[projection(of = …, index = {I})]` on the projection: then it is checked that the index holds what it names"
)]
pub trait FitsIndex<I, H> {}

impl<I: AnyIndex, P: Projection<Entity = I::Entity>> FitsIndex<I, WholeItems> for P {}

/// Indexes that can be read consistently: local ones, of entities that are not transactional.
#[diagnostic::on_unimplemented(
    message = "the index `{Self}` has no consistent reads",
    label = "only the table can be read consistently; and its local indexes, unless the entity is transactional",
    note = "DynamoDB writes to a global index after it has answered (developer guide, \"Global secondary indexes\"): read the item itself with `get(…).consistent()`",
    note = "an index shows a committed change of a transaction only after the change was applied to the item"
)]
pub trait ConsistentIndex: Index {}

/// Indexes whose sort keys are in the order of their fields, so that a range of them makes sense.
#[diagnostic::on_unimplemented(
    message = "the sort keys of the index `{Self}` are not in the order of their fields",
    label = "a range over this sort key would be wrong"
)]
pub trait OrderedIndex: Index {}

/// Fails to compile unless the index holds what the projection reads.
pub const fn check_projection<P: Projection, I: AnyIndex<Entity = P::Entity>>() {
    let Projected::Only(held) = I::PROJECTION else { return };
    let mut position = 0;
    while position < P::ATTRIBUTES.len() {
        let name = P::ATTRIBUTES[position];
        let schema = <P::Entity as Entity>::SCHEMA;
        let is_own = is_key(name, I::KEYS[0]) || is_key(name, I::KEYS[1]);
        let is_of_table = is_same(name, schema.partition.name)
            || match &schema.sort {
                Some(sort) => is_same(name, sort.name),
                None => false,
            };
        if !is_own && !is_of_table && !contains(held, name) {
            Text::new()
                .text("the index `")
                .text(I::NAME)
                .text("` does not hold `")
                .text(name)
                .text("`: name it in the index's `projection(…)`, or leave it out here")
                .panic();
        }
        position += 1;
    }
}

const fn is_key(name: &str, keys: &[KeyAttribute]) -> bool {
    let mut position = 0;
    while position < keys.len() {
        if is_same(name, keys[position].name) {
            return true;
        }
        position += 1;
    }
    false
}
