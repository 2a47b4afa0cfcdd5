//! `BatchGetItem`: 100 keys of any tables a request, each key once, whoever asked for it.
//!
//! A table is read consistently or not, for all of its keys in one request. So a key that is wanted both ways is read
//! consistently, and keys of one table that are wanted in different ways go into different requests. Of which attributes are
//! read, it is the same; but since what is read is paid for whole, all keys of a table are read with all that any of them
//! is wanted with.

use super::get_item::{GetCommand, projected};
use super::read_level::{LOOKS, Level, is_held, shown};
use crate::attribute::Item;
use crate::error::{Context, EncodeError, Error, ErrorKind};
use crate::exchange::batch_rounds::{Answer, Batch, Names, Pace, by_entity, run};
use crate::exchange::{About, Consistency, ItemRef, Repository, batch_rounds, read};
use crate::expression::{Placeholders, render_projection};
use crate::key::{Identity, check_keys, item_size, key_text};
use crate::schema::Schema;
use crate::schema::names::INTENT;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemOutput;
use aws_sdk_dynamodb::types::builders::KeysAndAttributesBuilder;
use aws_sdk_dynamodb::types::{KeysAndAttributes, ReturnConsumedCapacity};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

/// The most keys of one request, and what a full answer has at least: 16 MB, less the largest item, which was too much.
/// (API reference, `BatchGetItem`.)
const KEYS: usize = 100;
const FULL_BYTES: usize = (16 * 1024 - 400) * 1024;

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
    let results = run(&plan, repository, plan.wanted.len(), Pace { concurrency, stops: true }).await;
    let not_read = results.iter().zip(&plan.wanted).filter(|(result, _)| !matches!(result, Some(Ok(_))));
    let failed = not_read.clone().find_map(|(result, wanted)| Some((result.as_ref()?.as_ref().err()?, wanted)));
    if let Some((error, wanted)) = failed {
        let error = error.share().with_context(|| context(wanted.schema, Some(&wanted.key)));
        return Err(error.and_more(not_read.count() - 1, plan.wanted.len(), "keys were not read either"));
    }
    let shown = plan.shown(&places, &results).await;
    if let Some(error) = shown.values().find_map(|read| read.as_ref().err()) {
        return Err(error.share());
    }
    Ok(hand_out(&plan, places, results, shown))
}

/// The same, but an error is that of its keys only.
pub(crate) async fn batch_get_each(
    repository: &Repository,
    commands: Vec<InTable>,
    concurrency: usize,
) -> Vec<Vec<Read>> {
    let (plan, places) = Plan::new(repository, commands);
    let results = run(&plan, repository, plan.wanted.len(), Pace { concurrency, stops: false }).await;
    let shown = plan.shown(&places, &results).await;
    hand_out(&plan, places, results, shown)
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
    tables: Names,
    /// What is read of the items of each table: these attributes, or all.
    projections: Vec<Option<Vec<&'static str>>>,
    wanted: Vec<Wanted>,
    /// The shortest that a command asks for: they share requests.
    hedge: Option<Duration>,
}

/// A key that is asked for.
struct Wanted {
    schema: &'static Schema,
    table: usize,
    key: Item,
    consistency: Consistency,
}

impl<'a> Plan<'a> {
    /// Takes up the keys, each once, and where each command finds its own.
    fn new(repository: &'a Repository, commands: Vec<InTable>) -> (Self, Vec<Places>) {
        let hedge = commands.iter().filter_map(|(command, _)| command.hedge).min();
        let mut plan =
            Self { repository, tables: Names::default(), projections: Vec::new(), wanted: Vec::new(), hedge };
        let mut known: HashMap<Identity, usize> = HashMap::new();
        let places = commands.into_iter().map(|(command, table)| {
            let BatchGetCommand { schema, keys, level, projection, hedge: _ } = command;
            let looks = level.looks(schema);
            let table = table.map(|table| plan.tables.index(table));
            if let Ok(table) = table {
                let intent = looks.then_some(INTENT);
                plan.project(table, projection.map(|names| projected(schema, names).chain(intent).collect()));
            }
            let place = |key: Result<Item, EncodeError>| {
                let table = *table.as_ref().map_err(Error::share)?;
                let key = key?;
                check_keys(&key, schema)?;
                let place = *known.entry(Identity::of(table, schema, &key)).or_insert_with(|| {
                    plan.wanted.push(Wanted { schema, table, key, consistency: level.consistency() });
                    plan.wanted.len() - 1
                });
                let consistency = &mut plan.wanted[place].consistency;
                *consistency = level.consistency().max(*consistency);
                Ok(place)
            };
            let places = keys.into_iter().map(place);
            let places = places.map(|place| place.map_err(|error: Error| error.with_context(|| context(schema, None))));
            // Consistent or not, one resolution of a key serves all commands.
            Places { schema, level: looks.then(|| level.consistent()), places: places.collect() }
        });
        let places = places.collect();
        (plan, places)
    }

    /// What is shown of the items that are held, at the levels at which they are wanted.
    async fn shown(&self, places: &[Places], results: &[Option<Read>]) -> HashMap<(usize, Level), Read> {
        let resolving = places.iter().filter_map(|places| Some((&places.places, places.level?)));
        let wanted: BTreeSet<(usize, Level)> =
            resolving.flat_map(|(places, level)| places.iter().flatten().map(move |place| (*place, level))).collect();
        let held = wanted.into_iter().filter_map(|(place, level)| match &results[place] {
            Some(Ok(Some(item))) if is_held(item) => Some((place, level, item.clone())),
            _ => None,
        });
        // Made before they are polled: a stream that made them would not be known to be `Send`.
        let looks: Vec<BoxFuture<'_, _>> = held
            .map(|(place, level, item)| -> BoxFuture<'_, _> {
                Box::pin(async move { ((place, level), self.look(&self.wanted[place], level, item).await) })
            })
            .collect();
        stream::iter(looks).buffer_unordered(LOOKS).collect().await
    }

    async fn look(&self, wanted: &Wanted, level: Level, item: Item) -> Read {
        let Wanted { schema, table, key, .. } = wanted;
        let is_whole = self.projections.get(*table).is_some_and(Option::is_none);
        let at = ItemRef { table: self.tables.0[*table].clone(), key: key.clone() };
        let again = GetCommand::consistent(schema, Ok(key.clone()));
        let shown = shown(&again, level, self.repository, "batch_get", &at, item, is_whole).await;
        shown.map_err(|error| error.with_context(|| context(schema, Some(key))))
    }

    /// Adds to what is read of a table.
    fn project(&mut self, table: usize, names: Option<Vec<&'static str>>) {
        match (self.projections.get_mut(table), names) {
            (None, names) => self.projections.push(names),
            (Some(Some(known)), Some(names)) => known.extend(names),
            (Some(known), _) => *known = None,
        }
    }

    /// Sorts out an answer: what is neither in it nor unprocessed is not there.
    fn read(&self, chunk: &[usize], output: BatchGetItemOutput) -> Answer<Option<Item>> {
        let mut open: HashMap<Identity, usize> = HashMap::with_capacity(chunk.len());
        open.extend(chunk.iter().map(|&entry| {
            let Wanted { schema, table, key, .. } = &self.wanted[entry];
            (Identity::of(*table, schema, key), entry)
        }));
        let mut take = |table: &str, item: &Item| {
            let table = self.tables.find(table)?;
            let schema = chunk.iter().map(|&entry| &self.wanted[entry]).find(|wanted| wanted.table == table)?.schema;
            open.remove(&Identity::of(table, schema, item))
        };
        let (mut done, mut left) = (Vec::with_capacity(chunk.len()), Vec::new());
        for (table, unprocessed) in output.unprocessed_keys.unwrap_or_default() {
            for key in unprocessed.keys {
                match take(&table, &key) {
                    Some(entry) => left.push(entry),
                    None => return unasked(),
                }
            }
        }
        for (table, items) in output.responses.unwrap_or_default() {
            for item in items {
                match take(&table, &item) {
                    Some(entry) => done.push((entry, Some(item))),
                    None => return unasked(),
                }
            }
        }
        let is_full = !left.is_empty() && is_full(done.iter().filter_map(|(_, item)| item.as_ref()));
        done.extend(open.into_values().map(|entry| (entry, None)));
        left.sort_unstable();
        Answer::Served { done, left, is_full }
    }

    /// The part of a request that is of one table, without its keys.
    fn of_table(&self, table: usize) -> KeysAndAttributesBuilder {
        let mut placeholders = Placeholders::default();
        let names = self.projections.get(table).and_then(Option::as_ref);
        let projection = names.map(|names| render_projection(names.iter().copied(), &mut placeholders));
        KeysAndAttributes::builder()
            .set_projection_expression(projection)
            .set_expression_attribute_names(placeholders.names())
    }

    /// What an error means for the entries of its request.
    fn refused(&self, chunk: &[usize], error: Error) -> Answer<Option<Item>> {
        if error.is_throttled() {
            return Answer::Throttled(error);
        }
        let parts = by_entity(chunk, &error, |entry| (self.wanted[entry].table, self.wanted[entry].schema.entity));
        Answer::Refused { error, parts }
    }
}

impl Batch for Plan<'_> {
    type Done = Option<Item>;

    fn chunk(&self, pending: &mut VecDeque<usize>) -> Vec<usize> {
        let mut chunk = Vec::with_capacity(KEYS.min(pending.len()));
        let (mut passed_over, mut consistencies) = (Vec::new(), vec![None; self.tables.0.len()]);
        while chunk.len() < KEYS
            && let Some(entry) = pending.pop_front()
        {
            let wanted = &self.wanted[entry];
            if *consistencies[wanted.table].get_or_insert(wanted.consistency) == wanted.consistency {
                chunk.push(entry);
            } else {
                passed_over.push(entry);
            }
        }
        for entry in passed_over.into_iter().rev() {
            pending.push_front(entry);
        }
        chunk
    }

    fn send<'a>(&'a self, chunk: &'a [usize]) -> BoxFuture<'a, Answer<Option<Item>>> {
        let wanted = || chunk.iter().map(|&entry| &self.wanted[entry]);
        let names = wanted().map(|wanted| (wanted.schema.entity, &*self.tables.0[wanted.table]));
        let about = About::several("batch_get", names);
        let sent = async move {
            let mut requests = HashMap::new();
            for Wanted { table, key, consistency, .. } in wanted() {
                let keys = requests.entry(self.tables.0[*table].clone()).or_insert_with(|| self.of_table(*table));
                *keys = std::mem::take(keys).keys(key.clone()).set_consistent_read(consistency.flag());
            }
            let requests = requests.into_iter().map(|(table, keys)| Ok((table, keys.build()?)));
            let requests: Result<HashMap<_, _>, BuildError> = requests.collect();
            let requests = requests.map_err(|error| Error::invalid(error.to_string()))?;
            let request = self.repository.client().batch_get_item().set_request_items(Some(requests));
            let request = request.return_consumed_capacity(ReturnConsumedCapacity::Total);
            read(self.repository, about, request, self.hedge).await
        };
        Box::pin(async move {
            match sent.await {
                Ok(output) => self.read(chunk, output),
                Err(error) => self.refused(chunk, error),
            }
        })
    }
}

/// Whether an answer could not hold another item, so that it is for its size that something was left.
fn is_full<'a>(items: impl Iterator<Item = &'a Item>) -> bool {
    items.map(item_size).sum::<usize>() > FULL_BYTES
}

/// Does not happen: an item or key that was not asked for. To pass over it would be to say that another one is not there.
#[cold]
fn unasked() -> Answer<Option<Item>> {
    let error = Error::new(ErrorKind::Service, "DynamoDB's answer names an item that was not asked for");
    Answer::Refused { error, parts: Vec::new() }
}

/// Gives each command the results for its keys, in their order.
fn hand_out(
    plan: &Plan<'_>,
    places: Vec<Places>,
    mut results: Vec<Option<Read>>,
    shown: HashMap<(usize, Level), Read>,
) -> Vec<Vec<Read>> {
    let mut times = vec![0_usize; plan.wanted.len()];
    for place in places.iter().flat_map(|places| &places.places).flatten() {
        times[*place] += 1;
    }
    let mut result = |schema: &'static Schema, level: Option<Level>, place: usize| {
        times[place] -= 1;
        if let Some(read) = level.and_then(|level| shown.get(&(place, level))) {
            return match read {
                Ok(item) => Ok(item.clone()),
                Err(error) => Err(error.share()),
            };
        }
        // The last one to ask gets the item itself, and who asked before, a copy.
        let result = match &mut results[place] {
            Some(Ok(item)) if times[place] == 0 => Ok(item.take()),
            Some(Ok(item)) => Ok(item.clone()),
            Some(Err(error)) => Err(error.share()),
            None => Err(batch_rounds::unprocessed(None)),
        };
        let key = &plan.wanted[place].key;
        result.map_err(|error: Error| error.with_context(|| context(schema, Some(key))))
    };
    let mut hand_out = |Places { schema, level, places }| {
        places.into_iter().map(|place| place.and_then(|place| result(schema, level, place))).collect()
    };
    places.into_iter().map(&mut hand_out).collect()
}

fn context(schema: &Schema, key: Option<&Item>) -> Context {
    Context { operation: "batch_get", entity: schema.entity, key: key.and_then(|key| key_text(key, schema)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::types::AttributeValue;

    /// As DynamoDB fills it: the next item would have been too much.
    #[test]
    fn a_full_answer_is_distinguished_from_a_partial_one() {
        for item_kb in [400, 300, 7] {
            let text = AttributeValue::S("x".repeat(item_kb * 1024 - 4));
            let item = Item::from([("text".to_owned(), text)]);
            let fitting = 16 * 1024 / item_kb;
            assert!(is_full(std::iter::repeat_n(&item, fitting)), "{fitting} items of {item_kb} KB");
            let few = (15 * 1024) / item_kb;
            assert!(!is_full(std::iter::repeat_n(&item, few)), "{few} items of {item_kb} KB");
        }
    }
}
