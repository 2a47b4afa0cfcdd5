//! Several entities as one type: an enum of them, or a value that holds all items of a partition.

use super::Entity;
use crate::attribute::{Item, RawItem};
use crate::error::{Context, Error, ErrorKind};
use crate::exchange::Repository;
use crate::key;
use crate::schema::{Schema, Tables};

/// An item of a table that several entities share. Derive it for an enum with a variant for each of them.
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
    label = "expected an enum that derives `dyno::Entities`, with a variant for each entity"
)]
pub trait Entities: Sized + 'static {
    #[doc(hidden)]
    const SCHEMAS: &'static [&'static Schema];

    /// The tables of each entity.
    #[doc(hidden)]
    fn __tables(repository: &Repository) -> Result<Vec<Tables>, Error>;

    /// Decodes an item of one of the entities.
    #[doc(hidden)]
    fn __decode(entity: usize, item: RawItem) -> Result<Self, Error>;

    /// Wraps an item that belongs to none of the entities.
    #[doc(hidden)]
    #[must_use]
    fn __unknown(_item: Item) -> Option<Self> {
        None
    }
}

/// The items of a partition of a shared table as one value. Derive it for a struct with a field for each entity.
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
    label = "expected a struct that derives `dyno::Aggregate`, with a field for each entity"
)]
pub trait Aggregate: Sized + 'static {
    #[doc(hidden)]
    const SCHEMAS: &'static [&'static Schema];

    /// The tables of each entity.
    #[doc(hidden)]
    fn __tables(repository: &Repository) -> Result<Vec<Tables>, Error>;

    /// Returns an empty collector of the items. (Its type has no name, so that an entity in it can be private.)
    #[doc(hidden)]
    fn __gather() -> impl Gather<Self>;
}

/// The items of an aggregate that have been read so far.
pub trait Gather<A>: Send {
    /// Adds an item of one of the entities.
    fn add(&mut self, entity: usize, item: RawItem) -> Result<(), Error>;
    /// Returns the whole value, or the name of the entity whose item is missing.
    fn finish(self) -> Result<A, &'static str>;
}

struct Gathered<P, F, G> {
    parts: P,
    add: F,
    finish: G,
}

impl<A, P, F, G> Gather<A> for Gathered<P, F, G>
where
    P: Send,
    F: Fn(&mut P, usize, RawItem) -> Result<(), Error> + Send,
    G: FnOnce(P) -> Result<A, &'static str> + Send,
{
    fn add(&mut self, entity: usize, item: RawItem) -> Result<(), Error> {
        (self.add)(&mut self.parts, entity, item)
    }

    fn finish(self) -> Result<A, &'static str> {
        (self.finish)(self.parts)
    }
}

/// Creates a collector that keeps the items of an aggregate in `parts`.
pub fn gather<A, P: Send>(
    parts: P,
    add: impl Fn(&mut P, usize, RawItem) -> Result<(), Error> + Send,
    finish: impl FnOnce(P) -> Result<A, &'static str> + Send,
) -> impl Gather<A> {
    Gathered { parts, add, finish }
}

/// Adds an item to the list of its entity's items.
pub fn add_one_of<E: Entity>(entities: &mut Vec<E>, item: RawItem) -> Result<(), Error> {
    entities.push(E::__from_raw(item)?);
    Ok(())
}

/// Adds the only item of its entity.
pub fn add_only<E: Entity>(place: &mut Option<E>, item: RawItem) -> Result<(), Error> {
    if place.is_some() {
        let key = key::key_text(&item.into_item(), E::SCHEMA);
        let error = Error::new(
            ErrorKind::Decode,
            "a second item of this entity, and the aggregate's field holds one: make the field a `Vec`",
        );
        return Err(error.with_context(|| Context { operation: "decode", entity: E::SCHEMA.entity, key }));
    }
    *place = Some(E::__from_raw(item)?);
    Ok(())
}
