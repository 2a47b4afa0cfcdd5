//! Reading one item: GetItem. Whether what is there counts as absent is decided here, since GetItem has no filter.

use super::read_level::{Level, is_held, shown};
use super::view::{attributes_of_readers, see};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{EncodeError, Error};
use crate::exchange::{About, ItemRef, Repository, Request, read};
use crate::expression::{Placeholders, render_projection};
use crate::key::{check_keys, error_context};
use crate::rule::alias;
use crate::schema::Schema;
use crate::schema::names::INTENT;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::get_item::builders::GetItemFluentBuilder;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use std::time::Duration;

/// A get, as a typed command holds it.
#[derive(Clone, Debug)]
pub struct GetCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) key: Result<Item, EncodeError>,
    pub(crate) level: Level,
    /// The attributes to read, unless it is all of them.
    pub(crate) projection: Option<&'static [&'static str]>,
    /// When it is hedged, unless its repository says so.
    pub(crate) hedge: Option<Duration>,
}

impl GetCommand {
    /// Reads what every acknowledged write has left, all of it.
    pub(crate) fn consistent(schema: &'static Schema, key: Result<Item, EncodeError>) -> Self {
        Self { schema, key, level: Level::Latest, projection: None, hedge: None }
    }

    pub(crate) fn request(&self, repository: &Repository, table: String) -> Result<Request, Error> {
        let get = self.clone().prepare(repository.client(), table);
        let request = get.map(|get| Request::Get(get.as_input().clone()));
        request.map_err(|error| error.with_context(|| error_context("get", self.schema, None)))
    }

    /// The item at the key, if there is one, dead or alive: where it is read consistently, with all that is committed. What a
    /// transaction has only begun stays in it, unless only a part of it is read.
    pub(crate) async fn send(self, repository: &Repository, table: String) -> Result<Option<Item>, Error> {
        if !self.level.looks(self.schema) {
            return self.once(repository, table).await;
        }
        match self.clone().once(repository, table.clone()).await? {
            // Boxed: few items are held.
            Some(item) if is_held(&item) => Box::pin(self.show(repository, table, item)).await,
            found => Ok(found),
        }
    }

    /// What is shown of an item that a transaction holds.
    async fn show(self, repository: &Repository, table: String, item: Item) -> Result<Option<Item>, Error> {
        let (schema, projection) = (self.schema, self.projection);
        let at = ItemRef { table, key: self.key.clone()? };
        let shown = shown(&self, self.level, repository, "get", &at, item, projection.is_none()).await;
        let shown = shown.map_err(|error| error.with_context(|| error_context("get", schema, Some(&at.key))))?;
        Ok(shown.map(|shown| self.as_asked(shown)))
    }

    /// What was asked for of an item: what it is made of can be more.
    pub(crate) fn as_asked(&self, mut item: Item) -> Item {
        if let Some(names) = self.projection {
            let names: Vec<&str> = projected(self.schema, names).collect();
            item.retain(|name, _| names.contains(&&**name));
        }
        item
    }

    /// The item as it stands there, whatever a transaction is about to make of it: one request.
    pub(crate) async fn once(self, repository: &Repository, table: String) -> Result<Option<Item>, Error> {
        let (schema, key, hedge) = (self.schema, self.key.clone().ok(), self.hedge);
        let about = About::new("get", schema.entity, &table);
        let found = match self.prepare(repository.client(), table.clone()) {
            Ok(get) => read(repository, about, get, hedge).await,
            Err(error) => Err(error),
        };
        found
            .map(|output| output.item)
            .map_err(|error| error.with_context(|| error_context("get", schema, key.as_ref())))
    }

    fn prepare(self, client: &Client, table: String) -> Result<GetItemFluentBuilder, Error> {
        let looks = self.level.looks(self.schema);
        let key = self.key?;
        check_keys(&key, self.schema)?;
        let mut placeholders = Placeholders::default();
        let projection = projection(self.schema, self.projection, looks, &mut placeholders);
        Ok(client
            .get_item()
            .table_name(table)
            .set_key(Some(key))
            .set_projection_expression(projection)
            .set_expression_attribute_names(placeholders.names())
            .set_consistent_read(self.level.consistency().flag())
            .return_consumed_capacity(ReturnConsumedCapacity::Total))
    }
}

/// What was read by its key, if it counts as there, or whatever it is if the dead are wanted, too.
pub(crate) fn wanted(found: Option<Item>, schema: &'static Schema, now: EpochMillis, dead: bool) -> Option<Item> {
    found.filter(|item| see(&[schema], now, item).state.is_wanted(dead))
}

/// The projection of a reading by key: what was asked for, the key, and what tells whether the item is live; and where that
/// is looked at, what a transaction holds it by.
pub(crate) fn projection(
    schema: &'static Schema,
    names: Option<&'static [&'static str]>,
    looks: bool,
    placeholders: &mut Placeholders,
) -> Option<String> {
    let intent = looks.then_some(INTENT);
    names.map(|names| render_projection(projected(schema, names).chain(intent), placeholders))
}

/// The attributes of such a projection.
pub(crate) fn projected(schema: &'static Schema, names: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    let keys = schema.keys().map(|key| key.name);
    alias::names(schema, names).chain(keys).chain(attributes_of_readers(schema))
}
