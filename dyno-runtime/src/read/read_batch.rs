//! Reads the items at the keys of several `batch_get` commands. Each key is read once, even if several commands have it.

use super::get_item::{GetCommand, projected};
use super::read_level::{Level, RESOLUTIONS, is_held, resolve_held};
use crate::attribute::{Item, RawItem};
use crate::error::{EncodeError, Error};
use crate::exchange::batch::batch_rounds::BatchOptions;
use crate::exchange::{KeyBatch, KeyResults, Repository, boxed_stream};
use crate::key::{check_keys, error_context};
use crate::schema::Schema;
use crate::schema::names::INTENT;
use futures_util::future::BoxFuture;
use futures_util::stream::StreamExt as _;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// A `batch_get` of one entity, without its types.
#[derive(Clone, Debug)]
pub(crate) struct BatchGetCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) keys: Vec<Result<Item, EncodeError>>,
    pub(crate) level: Level,
    /// The attributes to read; all of them if it is `None`.
    pub(crate) projection: Option<&'static [&'static str]>,
    /// The delay of hedges, if it is not that of the repository.
    pub(crate) hedge: Option<Duration>,
}

impl BatchGetCommand {
    /// Reads the whole items at these keys.
    pub(crate) fn new(schema: &'static Schema, keys: Vec<Result<Item, EncodeError>>, level: Level) -> Self {
        Self { schema, keys, level, projection: None, hedge: None }
    }
}

/// The result of reading a key: the item, if one exists, or the error.
pub(crate) type Read = Result<Option<RawItem>, Error>;

/// A command with the name of its table, or the error if the entity has none.
pub(crate) type InTable = (BatchGetCommand, Result<String, Error>);

/// Reads the items at all keys of these commands, or returns the first error. The results are in the order of the commands and of
/// their keys.
pub(crate) fn batch_get(
    repository: &Repository,
    commands: Vec<InTable>,
    concurrency: usize,
) -> BoxFuture<'_, Result<Vec<Vec<Read>>, Error>> {
    Box::pin(async move {
        let (batch, commands) = BatchRead::new(repository, commands);
        if let Some(error) = commands.iter().flat_map(|command| &command.indexes).find_map(|index| index.as_ref().err())
        {
            return Err(error.share());
        }
        let results = batch.keys.read(BatchOptions { concurrency, stops: true }).await;
        if let Some((error, index, not_read)) = results.error() {
            let error = batch.explain(index, error);
            return Err(error.and_more(not_read - 1, batch.schemas.len(), "keys were not read either"));
        }
        let resolved = batch.resolve_all(&commands, &results).await;
        if let Some(error) = resolved.values().find_map(|read| read.as_ref().err()) {
            return Err(error.share());
        }
        Ok(batch.distribute(commands, results, resolved))
    })
}

/// Reads the items as [`batch_get`] does, but each key has a result or an error of its own.
pub(crate) fn batch_get_each(
    repository: &Repository,
    commands: Vec<InTable>,
    concurrency: usize,
) -> BoxFuture<'_, Vec<Vec<Read>>> {
    Box::pin(async move {
        let (batch, commands) = BatchRead::new(repository, commands);
        let results = batch.keys.read(BatchOptions { concurrency, stops: false }).await;
        let resolved = batch.resolve_all(&commands, &results).await;
        batch.distribute(commands, results, resolved)
    })
}

/// The keys of one command, as indexes in the batch.
struct CommandKeys {
    schema: &'static Schema,
    /// The level at which the command resolves held items, if it does.
    level: Option<Level>,
    indexes: Vec<Result<usize, Error>>,
}

/// The distinct keys of several commands.
struct BatchRead<'a> {
    repository: &'a Repository,
    keys: KeyBatch<'a>,
    /// The schema of each key, in the first command that has the key.
    schemas: Vec<&'static Schema>,
}

impl<'a> BatchRead<'a> {
    /// Adds the keys of all commands, each key once.
    fn new(repository: &'a Repository, commands: Vec<InTable>) -> (Self, Vec<CommandKeys>) {
        // The commands share requests, so the shortest delay applies to all.
        let hedge = commands.iter().filter_map(|(command, _)| command.hedge).min();
        let (mut batch, mut schemas) = (KeyBatch::new(repository, "batch_get", hedge), Vec::new());
        let commands = commands.into_iter().map(|(command, table)| {
            let BatchGetCommand { schema, keys, level, projection, hedge: _ } = command;
            let resolves = level.resolves_in(schema);
            let intent = resolves.then_some(INTENT);
            let attributes = projection.map(|names| projected(schema, names).chain(intent).collect());
            let table = table.map(|table| batch.table(table, attributes));
            let mut add = |key: Result<Item, EncodeError>| {
                let table = *table.as_ref().map_err(Error::share)?;
                let key = key?;
                check_keys(&key, schema)?;
                let index = batch.key(schema.entity, table, key, level.consistency());
                if index == schemas.len() {
                    schemas.push(schema);
                }
                Ok(index)
            };
            let context = || error_context("batch_get", schema, None);
            let indexes = keys.into_iter().map(|key| add(key).map_err(|error: Error| error.with_context(context)));
            // If commands differ only in consistency, one resolution of a key serves all of them.
            CommandKeys { schema, level: resolves.then(|| level.consistent()), indexes: indexes.collect() }
        });
        let commands = commands.collect();
        (Self { repository, keys: batch, schemas }, commands)
    }

    /// Resolves the held items, each at the levels of the commands that have its key.
    async fn resolve_all(&self, commands: &[CommandKeys], results: &KeyResults) -> HashMap<(usize, Level), Read> {
        let resolving = commands.iter().filter_map(|command| Some((&command.indexes, command.level?)));
        let wanted = resolving.flat_map(|(indexes, level)| indexes.iter().flatten().map(move |index| (*index, level)));
        let mut known = HashSet::new();
        let held = wanted.filter(|wanted| known.insert(*wanted)).filter_map(|(index, level)| {
            let item = results.item(index).filter(|item| is_held(*item))?;
            Some((index, level, item.clone().into_item()))
        });
        let resolutions = boxed_stream(
            held.map(|(index, level, item)| async move { ((index, level), self.resolve(index, level, item).await) }),
        );
        resolutions.buffer_unordered(RESOLUTIONS).collect().await
    }

    async fn resolve(&self, index: usize, level: Level, item: Item) -> Read {
        let (at, is_whole) = (self.keys.item_ref(index), self.keys.is_whole(index));
        let again = GetCommand::consistent(self.schemas[index], Ok(at.key.clone()));
        let resolved = resolve_held(&again, level, self.repository, "batch_get", &at, item, is_whole).await;
        resolved.map(|item| item.map(RawItem::from)).map_err(|error| self.explain(index, error))
    }

    /// Returns the results of each command, in the order of its keys.
    fn distribute(
        &self,
        commands: Vec<CommandKeys>,
        mut results: KeyResults,
        resolved: HashMap<(usize, Level), Read>,
    ) -> Vec<Vec<Read>> {
        let mut result = |schema: &'static Schema, level: Option<Level>, index: usize| match level
            .and_then(|level| resolved.get(&(index, level)))
        {
            Some(Ok(item)) => Ok(item.clone()),
            Some(Err(error)) => Err(error.share()),
            None => {
                let context = || error_context("batch_get", schema, Some(&self.keys.item_ref(index).key));
                results.take(index).map_err(|error| error.with_context(context))
            }
        };
        let of_command = |CommandKeys { schema, level, indexes }: CommandKeys| {
            indexes.into_iter().map(|index| index.and_then(|index| result(schema, level, index))).collect()
        };
        commands.into_iter().map(of_command).collect()
    }

    /// Adds the key of this index to an error.
    fn explain(&self, index: usize, error: Error) -> Error {
        error.with_context(|| error_context("batch_get", self.schemas[index], Some(&self.keys.item_ref(index).key)))
    }
}
