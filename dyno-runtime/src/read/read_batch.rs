//! `batch_get`: the items at the keys of several commands, each key read once, whichever commands asked for it.

use super::get_item::{GetCommand, projected};
use super::read_level::{LOOKS, Level, is_held, shown};
use crate::attribute::Item;
use crate::error::{EncodeError, Error};
use crate::exchange::batch_rounds::Pace;
use crate::exchange::{KeyBatch, KeyResults, Repository};
use crate::key::{check_keys, error_context};
use crate::schema::Schema;
use crate::schema::names::INTENT;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// The keys of one entity, as a typed command holds them.
#[derive(Clone, Debug)]
pub(crate) struct BatchGetCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) keys: Vec<Result<Item, EncodeError>>,
    pub(crate) level: Level,
    /// The attributes to read, unless it is all of them.
    pub(crate) projection: Option<&'static [&'static str]>,
    /// When its requests are hedged, unless its repository says so.
    pub(crate) hedge: Option<Duration>,
}

impl BatchGetCommand {
    /// Reads the whole items at these keys.
    pub(crate) fn new(schema: &'static Schema, keys: Vec<Result<Item, EncodeError>>, level: Level) -> Self {
        Self { schema, keys, level, projection: None, hedge: None }
    }
}

/// What was found at a key: an item or nothing, or why that is not known.
pub(crate) type Read = Result<Option<Item>, Error>;

/// A command with the name of its table, if there is one.
pub(crate) type InTable = (BatchGetCommand, Result<String, Error>);

/// Reads the items at all keys of these commands, or ends with the first error. The results are in the order of the
/// commands and of their keys.
pub(crate) async fn batch_get(
    repository: &Repository,
    commands: Vec<InTable>,
    concurrency: usize,
) -> Result<Vec<Vec<Read>>, Error> {
    let (plan, places) = Plan::new(repository, commands);
    if let Some(error) = places.iter().flat_map(|places| &places.places).find_map(|place| place.as_ref().err()) {
        return Err(error.share());
    }
    let results = plan.keys.read(Pace { concurrency, stops: true }).await;
    if let Some((error, place, not_read)) = results.error() {
        let error = plan.explain(place, error);
        return Err(error.and_more(not_read - 1, plan.schemas.len(), "keys were not read either"));
    }
    let shown = plan.shown(&places, &results).await;
    if let Some(error) = shown.values().find_map(|read| read.as_ref().err()) {
        return Err(error.share());
    }
    Ok(plan.hand_out(places, results, shown))
}

/// The same, but an error is that of its keys only.
pub(crate) async fn batch_get_each(
    repository: &Repository,
    commands: Vec<InTable>,
    concurrency: usize,
) -> Vec<Vec<Read>> {
    let (plan, places) = Plan::new(repository, commands);
    let results = plan.keys.read(Pace { concurrency, stops: false }).await;
    let shown = plan.shown(&places, &results).await;
    plan.hand_out(places, results, shown)
}

/// Where the results of one command are.
struct Places {
    schema: &'static Schema,
    /// The level at which it resolves held items, if it does.
    level: Option<Level>,
    places: Vec<Result<usize, Error>>,
}

/// The distinct keys of a batch.
struct Plan<'a> {
    repository: &'a Repository,
    keys: KeyBatch<'a>,
    /// The schema that each key was first asked for with.
    schemas: Vec<&'static Schema>,
}

impl<'a> Plan<'a> {
    /// Takes up the keys, each once, and where each command finds its own.
    fn new(repository: &'a Repository, commands: Vec<InTable>) -> (Self, Vec<Places>) {
        // They share requests, so the shortest delay applies to all.
        let hedge = commands.iter().filter_map(|(command, _)| command.hedge).min();
        let (mut batch, mut schemas) = (KeyBatch::new(repository, "batch_get", hedge), Vec::new());
        let places = commands.into_iter().map(|(command, table)| {
            let BatchGetCommand { schema, keys, level, projection, hedge: _ } = command;
            let looks = level.looks(schema);
            let intent = looks.then_some(INTENT);
            let attributes = projection.map(|names| projected(schema, names).chain(intent).collect());
            let table = table.map(|table| batch.table(table, attributes));
            let place = |key: Result<Item, EncodeError>| {
                let table = *table.as_ref().map_err(Error::share)?;
                let key = key?;
                check_keys(&key, schema)?;
                let place = batch.key(schema.entity, table, key, level.consistency());
                if place == schemas.len() {
                    schemas.push(schema);
                }
                Ok(place)
            };
            let places = keys.into_iter().map(place);
            let places = places.map(|place| {
                place.map_err(|error: Error| error.with_context(|| error_context("batch_get", schema, None)))
            });
            // Consistent or not, one resolution of a key serves all commands.
            Places { schema, level: looks.then(|| level.consistent()), places: places.collect() }
        });
        let places = places.collect();
        (Self { repository, keys: batch, schemas }, places)
    }

    /// What is shown of the items that are held, at the levels at which they are wanted.
    async fn shown(&self, places: &[Places], results: &KeyResults) -> HashMap<(usize, Level), Read> {
        let resolving = places.iter().filter_map(|places| Some((&places.places, places.level?)));
        let wanted: BTreeSet<(usize, Level)> =
            resolving.flat_map(|(places, level)| places.iter().flatten().map(move |place| (*place, level))).collect();
        let held = wanted.into_iter().filter_map(|(place, level)| {
            Some((place, level, results.item(place).filter(|item| is_held(item))?.clone()))
        });
        // Made before they are polled: a stream that made them would not be known to be `Send`.
        let looks: Vec<BoxFuture<'_, _>> = held
            .map(|(place, level, item)| -> BoxFuture<'_, _> {
                Box::pin(async move { ((place, level), self.look(place, level, item).await) })
            })
            .collect();
        stream::iter(looks).buffer_unordered(LOOKS).collect().await
    }

    async fn look(&self, place: usize, level: Level, item: Item) -> Read {
        let (at, is_whole) = (self.keys.item_ref(place), self.keys.is_whole(place));
        let again = GetCommand::consistent(self.schemas[place], Ok(at.key.clone()));
        let shown = shown(&again, level, self.repository, "batch_get", &at, item, is_whole).await;
        shown.map_err(|error| self.explain(place, error))
    }

    /// Gives each command the results for its keys, in their order.
    fn hand_out(
        &self,
        places: Vec<Places>,
        mut results: KeyResults,
        shown: HashMap<(usize, Level), Read>,
    ) -> Vec<Vec<Read>> {
        let mut result = |schema: &'static Schema, level: Option<Level>, place: usize| match level
            .and_then(|level| shown.get(&(place, level)))
        {
            Some(Ok(item)) => Ok(item.clone()),
            Some(Err(error)) => Err(error.share()),
            None => {
                let key = || self.keys.item_ref(place).key;
                results
                    .take(place)
                    .map_err(|error| error.with_context(|| error_context("batch_get", schema, Some(&key()))))
            }
        };
        let hand_out = |Places { schema, level, places }: Places| {
            places.into_iter().map(|place| place.and_then(|place| result(schema, level, place))).collect()
        };
        places.into_iter().map(hand_out).collect()
    }

    /// Says of which key an error is.
    fn explain(&self, place: usize, error: Error) -> Error {
        error.with_context(|| error_context("batch_get", self.schemas[place], Some(&self.keys.item_ref(place).key)))
    }
}
