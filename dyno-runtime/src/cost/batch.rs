//! The cost of batches: the sum of their items, and the number of requests.

use super::bounds::{Bounds, Cost, Span};
use super::check_stored;
use super::read::factor;
use super::row::{Before, Bytes, read_units, row_units};
use super::write::has_times;
use crate::error::Error;
use crate::exchange::Repository;
use crate::exchange::batch::key_batch::{FULL_BYTES, KEYS};
use crate::key::{Identity, check_keys, error_context};
use crate::read::BatchGetCommand;
use crate::rule::Phase;
use crate::write::BatchedWrite;
use crate::write::for_cost::batch_requests;
use crate::write::write_meaning::Terms;
use std::collections::HashSet;

/// Returns the cost of writes that are sent in batches, over items of up to `stored` bytes each.
pub(crate) fn of_batch_write(writes: &[BatchedWrite], repository: &Repository, stored: usize) -> Result<Cost, Error> {
    check_stored(stored)?;
    let (requests, now) = (batch_requests(repository, writes)?, repository.now());
    let mut units = Span::NOTHING;
    for BatchedWrite { command, .. } in writes {
        let (schema, mut command) = (command.schema, command.clone());
        let (expected, phase) = (command.expected()?, Phase::default());
        let (row, _) = command.prepare(Terms { table: String::new(), now, returns: None, expected, phase })?;
        let bytes = row.item().map_or(Bytes::default(), |item| Bytes::of(schema, item));
        let bytes = if has_times(schema) { bytes.with_other_numbers() } else { bytes };
        units = units + row_units(&row, Some(schema), bytes, Before::any_row(stored)).applied(1.0);
    }
    Ok(cost(Bounds::write(units), requests, requests))
}

/// Returns the cost of reading the items at the keys of a batch, which have up to this many bytes each.
pub(crate) fn of_batch_get(command: &BatchGetCommand, bytes: usize) -> Result<Cost, Error> {
    check_stored(bytes)?;
    let BatchGetCommand { schema, keys, level, .. } = command;
    let mut distinct = HashSet::new();
    for key in keys {
        let add = || {
            let key = key.clone()?;
            check_keys(&key, schema)?;
            Ok(Identity::of_key(0, &key))
        };
        distinct.insert(add().map_err(|error: Error| error.with_context(|| error_context("batch_get", schema, None)))?);
    }
    let each = Span::new(1.0, read_units(bytes)) * factor(level.consistency().flag());
    let units = distinct.iter().map(|_| each).sum();
    let least = distinct.len().div_ceil(KEYS) as u64;
    Ok(cost(Bounds::read(units), least, requests(distinct.len(), bytes)))
}

/// Returns the most requests for this many items of this size. A response that is full leaves keys over, which are requested again,
/// all together.
fn requests(mut keys: usize, bytes: usize) -> u64 {
    let (answered, mut requests) = ((FULL_BYTES / bytes.max(1)).clamp(1, KEYS), 0);
    while keys > 0 {
        let (full, rest) = (keys / KEYS, keys % KEYS);
        requests += keys.div_ceil(KEYS) as u64;
        keys = full * (KEYS - answered) + rest.saturating_sub(answered);
    }
    requests
}

/// Returns these units with the numbers of requests.
fn cost(mut units: Bounds, least: u64, most: u64) -> Cost {
    (units.least.requests, units.most.requests) = (least, most);
    Cost { applied: units, refused: None }
}
