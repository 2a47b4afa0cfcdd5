//! Queries of a partition in which several entities have items: item by item as an enum, or all items as one value.

use super::read::index::IndexQuery;
use super::read::items::Items;
use super::read::pages::{IntoPlace, page, page_doc, paging};
use super::read::query_and_scan::{Page, Query};
use crate::attribute::Item;
use crate::attribute::RawItem;
use crate::attribute::time::EpochMillis;
use crate::entity::{Aggregate, Entities, Entity, Gather as _, Index, WholeItems, clone_and_debug};
use crate::error::{Context, Error, ErrorKind};
use crate::exchange::{Repository, Request, Sending};
use crate::key;
use crate::read::{Cursor, EntitySet, Owner, Pages, ReadCommand, rows, see};
use crate::schema::sharing::check_asked;
use crate::schema::{Schema, Tables};
use futures_util::stream::{BoxStream, StreamExt as _};
use std::any::TypeId;
use std::marker::PhantomData;

/// Reads the items of a partition that belong to any entity in `C`. Tombstones and expired items are skipped.
#[must_use = "a command does nothing until it is sent"]
pub struct EntitiesQuery<E, C> {
    command: ReadCommand,
    decode: fn(RawItem, EpochMillis) -> Result<C, Error>,
    entity: PhantomData<fn() -> E>,
}

/// Reads all items of a partition as one value.
#[must_use = "a command does nothing until it is sent"]
pub struct AggregateQuery<E, A> {
    command: ReadCommand,
    gather: Gathering<A>,
    entity: PhantomData<fn() -> E>,
}

/// Makes one value of all items.
type Gathering<A> = fn(Repository, BoxStream<'static, Result<RawItem, Error>>, Context) -> Sending<'static, Option<A>>;

fn read_all_of(
    mut command: ReadCommand,
    schemas: &'static [&'static Schema],
    tables: fn(&Repository) -> Result<Vec<Tables>, Error>,
) -> ReadCommand {
    command.options.entities = Some(EntitySet { schemas, tables, skip_unknown: false });
    command.options.projection = None;
    command
}

macro_rules! conversions {
    ([$($params:tt)*] $query:ty, $entity:ty) => {
        impl<$($params)*> $query {
            /// Reads the items of all entities in `C`, in the order of their sort keys. If the query has a condition on the sort
            /// key, it applies to all of them; without one, the whole partition is read. A filter applies to all of them, too: a
            /// filter on attributes that only one entity has drops the items of the others. The repository must have all of them in
            /// one table.
            ///
            /// The entity of the query must be in `C`:
            ///
            /// ```compile_fail,E0080
            /// # use dyno::{Entities, Entity};
            /// # #[derive(Entity)] #[entity(table = "shop")]
            /// # #[partition_key(name = "PK", template = "Customer#{id}")] #[sort_key(name = "SK", template = "Profile")]
            /// # struct Customer { id: String }
            /// # #[derive(Entity)] #[entity(table = "shop")]
            /// # #[partition_key(name = "PK", template = "Customer#{customer}")] #[sort_key(name = "SK", template = "Order#{number:08}")]
            /// # struct Order { customer: String, number: u32 }
            /// #[derive(Entities)]
            /// enum Row { Order(Order) }
            ///
            /// let query = Customer::query("ada").entities::<Row>();
            /// ```
            pub fn entities<C: Entities>(self) -> EntitiesQuery<$entity, C> {
                const { check_asked(<$entity as Entity>::SCHEMA, C::SCHEMAS) }
                EntitiesQuery { command: read_all_of(self.command, C::SCHEMAS, C::__tables), decode: decode::<C>, entity: PhantomData }
            }

            /// Reads the items of all entities in `A` as one value. The entity of the query must be one of them, as for
            /// [`entities`](Self::entities).
            pub fn aggregate<A: Aggregate>(self) -> AggregateQuery<$entity, A> {
                const { check_asked(<$entity as Entity>::SCHEMA, A::SCHEMAS) }
                AggregateQuery { command: read_all_of(self.command, A::SCHEMAS, A::__tables), gather: gather::<A>, entity: PhantomData }
            }
        }
    };
}

conversions!([E: Entity] Query<E>, E);
conversions!([I: Index<Holds = WholeItems>, S] IndexQuery<I, I::Entity, S>, I::Entity);

/// The bounds do not name `C`: if its derive is missing, the compiler reports that at `entities`, and would report it again here.
impl<E: Entity, C> EntitiesQuery<E, C> {
    /// Skips items of entities that are not in `C`. Otherwise they are an error, unless `C` has a variant for them.
    pub fn skip_unknown(mut self) -> Self {
        if let Some(entities) = &mut self.command.options.entities {
            entities.skip_unknown = true;
        }
        self
    }

    paging!();

    /// Returns the request for the first page, without sending it.
    ///
    /// # Errors
    /// Those of `send` before its request: [`Error::is_invalid_input`].
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        self.command.request(repository, repository.table_name::<E>()?)
    }

    #[doc = page_doc!("Query")]
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// The request is invalid ([`Error::is_invalid_input`]), DynamoDB could not be reached or answered with an error, or an item is
    /// not of its entity's shape or of no entity in `C`.
    pub async fn send(self, repository: &Repository) -> Result<Page<C>, Error> {
        let (page, now) = (page(self.command, repository, TypeId::of::<E>()).await?, repository.now());
        let items = page.items.into_iter().map(|item| (self.decode)(item, now));
        Ok(Page { items: items.collect::<Result<_, _>>()?, cursor: page.cursor })
    }

    /// As [`send`](Self::send), but an item that is not of its entity's shape, or of no entity in `C`, is an error in its place
    /// in the page.
    ///
    /// # Errors
    /// Those of `send`, except an item's.
    pub async fn send_each(self, repository: &Repository) -> Result<Page<Result<C, Error>>, Error> {
        let (page, now) = (page(self.command, repository, TypeId::of::<E>()).await?, repository.now());
        Ok(Page { items: page.items.into_iter().map(|item| (self.decode)(item, now)).collect(), cursor: page.cursor })
    }

    /// Reads item by item, with as many `Query` requests as necessary.
    pub fn stream(self, repository: &Repository) -> Items<E, C> {
        Items::new(repository, self.command, self.decode)
    }
}

fn decode<C: Entities>(item: RawItem, now: EpochMillis) -> Result<C, Error> {
    match see(C::SCHEMAS, now, &item).owner {
        Owner::Entity(entity) => C::__decode(entity, item),
        Owner::Revision | Owner::Nobody => {
            let item = item.into_item();
            let error = unknown(C::SCHEMAS, &item);
            C::__unknown(item).ok_or(error)
        }
    }
}

fn unknown(schemas: &'static [&'static Schema], item: &Item) -> Error {
    let names: Vec<&str> = schemas.iter().map(|schema| schema.entity).collect();
    let key = schemas.first().and_then(|schema| key::key_text(item, schema));
    let message = format!(
        "the item belongs to none of {}: add its entity or a variant for unknown items, or skip it with `skip_unknown`",
        names.join(", ")
    );
    let entity = schemas.first().map_or("", |schema| schema.entity);
    Error::new(ErrorKind::Decode, message).with_context(|| Context { operation: "decode", entity, key })
}

/// The bounds do not name `A`, for the same reason as those of [`EntitiesQuery`] do not name `C`.
impl<E: Entity, A> AggregateQuery<E, A> {
    /// Skips items of entities that are not in `A`. Otherwise they are an error.
    pub fn skip_unknown(mut self) -> Self {
        if let Some(entities) = &mut self.command.options.entities {
            entities.skip_unknown = true;
        }
        self
    }

    /// Reads the whole value, with as many `Query` requests as necessary; `None` if there are no items. An item that is written
    /// meanwhile may be included or not.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// Those of any query; a limit, a cursor or a filter was set ([`Error::is_invalid_input`]); or an item is not of its entity's
    /// shape, of no entity in `A`, or exceeds the places that `A` has for its entity, or a required item is missing although
    /// there are others.
    pub async fn send(self, repository: &Repository) -> Result<Option<A>, Error> {
        let context = || Context { operation: "query", entity: E::SCHEMA.entity, key: None };
        if self.command.filter.is_some() {
            let error = Error::invalid(
                "a filter would remove items from the aggregate, among them all of the entities without the filter's attributes: leave it out, and filter the aggregate after the read",
            );
            return Err(error.with_context(context));
        }
        if self.command.options.limit.is_some() || self.command.after.is_some() {
            let error = Error::invalid("an aggregate is read whole: leave `limit` and `after` out");
            return Err(error.with_context(context));
        }
        let table = repository.table_name::<E>();
        let items = rows(table.and_then(|table| Pages::new(repository.clone(), table, self.command)));
        (self.gather)(repository.clone(), items, context()).await
    }
}

fn gather<A: Aggregate>(
    repository: Repository,
    mut items: BoxStream<'static, Result<RawItem, Error>>,
    context: Context,
) -> Sending<'static, Option<A>> {
    Box::pin(async move {
        let (mut parts, mut is_empty) = (A::__gather(), true);
        while let Some(item) = items.next().await {
            let item = item?;
            let Owner::Entity(entity) = see(A::SCHEMAS, repository.now(), &item).owner else {
                return Err(unknown(A::SCHEMAS, &item.into_item()));
            };
            parts.add(entity, item)?;
            is_empty = false;
        }
        if is_empty {
            return Ok(None);
        }
        parts.finish().map(Some).map_err(|missing| {
            let message = format!("the partition has items, but no `{missing}`, which the aggregate requires");
            Error::new(ErrorKind::Decode, message).with_context(|| context)
        })
    })
}

clone_and_debug! {
    [E, C] EntitiesQuery<E, C>: command; decode, entity
    [E, A] AggregateQuery<E, A>: command; gather, entity
}
