//! Reads one item: `GetItem`. Since `GetItem` has no filter, dyno decides here whether the item counts as absent.

use super::read_level::{Level, is_held, resolve_held};
use super::view::{attributes_of_readers, see};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Peek};
use crate::error::{EncodeError, Error};
use crate::exchange::{About, ItemRef, Repository, Request, read, set_some};
use crate::expression::{Placeholders, render_projection};
use crate::key::{check_keys, error_context};
use crate::rule::alias;
use crate::schema::Schema;
use crate::schema::names::INTENT;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::get_item::builders::GetItemFluentBuilder;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use std::time::Duration;

/// A `get`, without its types.
#[derive(Clone, Debug)]
pub struct GetCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) key: Result<Item, EncodeError>,
    pub(crate) level: Level,
    /// The attributes to read; all of them if it is `None`.
    pub(crate) projection: Option<&'static [&'static str]>,
    /// The delay of the hedge, if it is not that of the repository.
    pub(crate) hedge: Option<Duration>,
}

impl GetCommand {
    /// Makes a consistent read of the whole item, in its latest committed version.
    pub(crate) fn consistent(schema: &'static Schema, key: Result<Item, EncodeError>) -> Self {
        Self { schema, key, level: Level::Latest, projection: None, hedge: None }
    }

    /// Returns the request of the first read.
    pub(crate) fn request(&self, repository: &Repository, table: String) -> Result<Request, Error> {
        let get = self.clone().prepare(repository.sender(), table);
        let request = get.map(|get| Request::Get(get.as_input().clone()));
        request.map_err(|error| error.with_context(|| error_context("get", self.schema, None)))
    }

    /// Returns the item at the key, if a row exists, even if it counts as absent, in the version of the command's level. The
    /// intent of an open transaction stays in the item, unless a projection removes it.
    pub(crate) async fn send(self, repository: &Repository, table: String) -> Result<Option<Item>, Error> {
        if !self.level.resolves_in(self.schema) {
            return self.send_unresolved(repository, table).await;
        }
        match self.clone().send_unresolved(repository, table.clone()).await? {
            // The future is boxed, because few items are held.
            Some(item) if is_held(&item) => Box::pin(self.resolve(repository, table, item)).await,
            found => Ok(found),
        }
    }

    /// Resolves an item that a transaction holds.
    async fn resolve(self, repository: &Repository, table: String, item: Item) -> Result<Option<Item>, Error> {
        let (schema, projection) = (self.schema, self.projection);
        let at = ItemRef { table, key: self.key.clone()? };
        let resolved = resolve_held(&self, self.level, repository, "get", &at, item, projection.is_none()).await;
        let resolved = resolved.map_err(|error| error.with_context(|| error_context("get", schema, Some(&at.key))))?;
        Ok(resolved.map(|item| self.apply_projection(item)))
    }

    /// Removes the attributes that the command does not read. A resolved item can have more, since it may be made from an intent.
    pub(crate) fn apply_projection(&self, mut item: Item) -> Item {
        if let Some(names) = self.projection {
            let names: Vec<&str> = projected(self.schema, names).collect();
            item.retain(|name, _| names.contains(&&**name));
        }
        item
    }

    /// Returns the item as it is stored, with its intent if a transaction holds it: one request.
    pub(crate) async fn send_unresolved(self, repository: &Repository, table: String) -> Result<Option<Item>, Error> {
        let (schema, key, hedge) = (self.schema, self.key.clone().ok(), self.hedge);
        let about = About::new("get", schema.entity, &table);
        let sent = self.prepare(repository.sender(), table.clone()).map(|get| read(repository, about, get, hedge));
        let found = match sent {
            Ok(sent) => sent.await,
            Err(error) => Err(error),
        };
        found
            .map(|output| output.item)
            .map_err(|error| error.with_context(|| error_context("get", schema, key.as_ref())))
    }

    fn prepare(self, client: &Client, table: String) -> Result<GetItemFluentBuilder, Error> {
        let with_intent = self.level.resolves_in(self.schema);
        let key = self.key?;
        check_keys(&key, self.schema)?;
        let mut placeholders = Placeholders::default();
        let projection = projection(self.schema, self.projection, with_intent, &mut placeholders)?;
        let mut get = client.get_item().table_name(table).set_key(Some(key));
        set_some!(get, set_projection_expression: projection);
        set_some!(get, set_expression_attribute_names: placeholders.into_parts().0);
        set_some!(get, set_consistent_read: self.level.consistency().flag());
        Ok(get.return_consumed_capacity(ReturnConsumedCapacity::Total))
    }
}

/// Returns an item that was read, unless it counts as absent. With `dead`, returns tombstones and expired items, too.
pub(crate) fn present<I: Peek>(found: Option<I>, schema: &'static Schema, now: EpochMillis, dead: bool) -> Option<I> {
    found.filter(|item| see(&[schema], now, item).state.is_wanted(dead))
}

/// Renders the projection of a read by key. It has the requested attributes, the key, the attributes that `see` evaluates, and if
/// the read resolves intents, the intent.
pub(crate) fn projection(
    schema: &'static Schema,
    names: Option<&'static [&'static str]>,
    with_intent: bool,
    placeholders: &mut Placeholders,
) -> Result<Option<String>, Error> {
    let intent = with_intent.then_some(INTENT);
    let mut projection = names.map(|names| render_projection(projected(schema, names).chain(intent), placeholders));
    placeholders.fit([projection.as_mut()])?;
    Ok(projection)
}

/// Returns the attributes of such a projection, without the intent.
pub(crate) fn projected(schema: &'static Schema, names: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    let keys = schema.keys().map(|key| key.name);
    alias::names(schema, names).chain(keys).chain(attributes_of_readers(schema))
}
