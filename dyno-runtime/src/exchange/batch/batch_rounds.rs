//! The rounds of a batch: many keys or writes in few requests, of which DynamoDB may leave any part unprocessed.
//!
//! A round sends all pending entries in full requests, a few at a time. After a pause, the next round sends again all entries
//! that DynamoDB left unprocessed. Only rounds without any progress count against the bound, because a batch that makes
//! progress ends. `key_batch` and `write::write_batch` build the requests and evaluate the responses.

use crate::error::{Error, ErrorKind};
use crate::exchange::{BackOff, Repository};
use crate::schema::table_name;
use futures_util::future::BoxFuture;
use futures_util::stream;
use futures_util::stream::StreamExt as _;
use std::collections::VecDeque;

/// The number of requests of a batch that are in flight at once, by default.
pub(crate) const CONCURRENCY: usize = 4;

/// The number of rounds in a row in which DynamoDB may process nothing before the batch ends with an error. The pauses between
/// them take at most 3.3 seconds together. (Before, the SDK has also retried each request that was throttled as a whole.)
const FRUITLESS_ROUNDS: u32 = 8;

/// How a batch is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchOptions {
    /// The largest number of requests in flight at once.
    pub(crate) concurrency: usize,
    /// Whether the first error ends the batch. Then the other entries have no result.
    pub(crate) stops: bool,
}

/// A batch of entries, which are known by their indexes.
pub(crate) trait Batch: Sync {
    /// The result of an entry that was processed.
    type Done: Send;

    /// Takes the entries of one request from the front of `pending`.
    fn chunk(&self, pending: &mut VecDeque<usize>) -> Vec<usize>;

    /// Sends the request for these entries.
    fn send<'a>(&'a self, chunk: &'a [usize]) -> BoxFuture<'a, Response<Self::Done>>;
}

/// DynamoDB's answer to one request.
pub(crate) enum Response<T> {
    /// DynamoDB processed some entries or all.
    Served {
        done: Vec<(usize, T)>,
        left: Vec<usize>,
        /// Whether entries are left only because the response could not hold more, so that no pause is needed.
        is_full: bool,
    },
    /// DynamoDB throttled the request, and processed no entry.
    Throttled(Error),
    /// DynamoDB refused the request, and processed no entry.
    Refused {
        error: Error,
        /// Smaller requests, in which the entries that did not cause the error may pass. Empty if no entry can pass.
        parts: Vec<Vec<usize>>,
    },
}

/// The entries of one request.
struct Chunk {
    entries: Vec<usize>,
    /// Whether they are a part of a refused request. Then they must not share a request with other entries again.
    is_part: bool,
}

/// Sends all entries, until each is processed, refused, or was left unprocessed too often. Returns the results by index.
pub(crate) async fn run<B: Batch>(
    batch: &B,
    repository: &Repository,
    entries: usize,
    options: BatchOptions,
) -> Vec<Option<Result<B::Done, Error>>> {
    let mut results: Vec<_> = (0..entries).map(|_| None).collect();
    let mut pending: VecDeque<usize> = (0..entries).collect();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut back_off = BackOff::new(repository, FRUITLESS_ROUNDS);
    loop {
        // Divide the entries into requests. Parts of a refused request stay apart from all others.
        let mut chunks: Vec<_> = parts.drain(..).map(|entries| Chunk { entries, is_part: true }).collect();
        while !pending.is_empty() {
            chunks.push(Chunk { entries: batch.chunk(&mut pending), is_part: false });
        }
        // Send the requests, and note each response.
        let mut round = Round::default();
        let answers = chunks.into_iter().map(|chunk| -> BoxFuture<'_, _> {
            Box::pin(async move {
                let answer = batch.send(&chunk.entries).await;
                (chunk, answer)
            })
        });
        let mut answers = stream::iter(answers).buffer_unordered(options.concurrency.max(1));
        while let Some((chunk, answer)) = answers.next().await {
            let left = round.settle(&chunk.entries, answer, &mut results, &mut parts);
            if options.stops && round.refused {
                return results;
            }
            if !chunk.is_part {
                // The entries of a response are in order. So if a test answers the requests in a fixed order, its further requests
                // are the same in each run.
                pending.extend(left);
            } else if !left.is_empty() {
                parts.push(left);
            }
        }
        drop(answers);
        // End the batch, or pause before the next round if DynamoDB left entries unprocessed.
        if pending.is_empty() && parts.is_empty() {
            return results;
        }
        if round.progress {
            back_off.progress();
        }
        if round.must_wait && !back_off.pause().await {
            for entry in pending.into_iter().chain(parts.into_iter().flatten()) {
                results[entry] = Some(Err(unprocessed(round.throttled.as_ref())));
            }
            return results;
        }
    }
}

/// The outcome of one round.
#[derive(Default)]
struct Round {
    /// Whether an entry was processed or refused, or a request was split.
    progress: bool,
    must_wait: bool,
    /// Whether an entry got an error.
    refused: bool,
    throttled: Option<Error>,
}

impl Round {
    /// Notes the response to one request, and returns the entries that are left.
    fn settle<T>(
        &mut self,
        chunk: &[usize],
        answer: Response<T>,
        results: &mut [Option<Result<T, Error>>],
        parts: &mut Vec<Vec<usize>>,
    ) -> Vec<usize> {
        match answer {
            Response::Served { done, left, is_full } => {
                self.progress |= !done.is_empty();
                self.must_wait |= !left.is_empty() && !is_full;
                for (entry, done) in done {
                    results[entry] = Some(Ok(done));
                }
                left
            }
            Response::Throttled(error) => {
                self.must_wait = true;
                self.throttled = Some(error);
                chunk.to_vec()
            }
            Response::Refused { error, parts: smaller } => {
                self.progress = true;
                if smaller.len() > 1 {
                    parts.extend(smaller);
                    return Vec::new();
                }
                self.refused = true;
                for entry in chunk {
                    results[*entry] = Some(Err(error.share()));
                }
                Vec::new()
            }
        }
    }
}

/// Returns the error of an entry that was never processed.
pub(crate) fn unprocessed(throttled: Option<&Error>) -> Error {
    let message = "DynamoDB kept leaving it unprocessed, as it does when it throttles: try again later, or give the table more capacity";
    throttled.map_or_else(|| Error::new(ErrorKind::Throttled, message), Error::share)
}

/// The names of a batch's tables, each once. Two different texts count as two tables: `key::key_equality` says why.
#[derive(Debug, Default)]
pub(crate) struct TableNames(pub(crate) Vec<String>);

impl TableNames {
    pub(crate) fn index(&mut self, name: String) -> usize {
        self.0.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        })
    }

    /// Returns the table that a response names. A response can have the bare name where the request had an ARN. If the request
    /// had several ARNs with that name, the table is unknown.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        if let Some(index) = self.0.iter().position(|known| known == name) {
            return Some(index);
        }
        let mut named = self.0.iter().enumerate().filter(|(_, known)| table_name(known) == name);
        let (index, _) = named.next()?;
        named.next().is_none().then_some(index)
    }
}

/// Splits a refused request into one request for each entity, if a single entity may have caused the error: its table may be
/// missing or forbidden to this caller, or may have another key than the entity declares. `entity` returns an entry's table and
/// the name of its entity.
pub(crate) fn by_entity<'a>(
    chunk: &[usize],
    error: &Error,
    entity: impl Fn(usize) -> (usize, &'a str),
) -> Vec<Vec<usize>> {
    if !matches!(error.kind(), ErrorKind::Service | ErrorKind::TableMissing) {
        return Vec::new();
    }
    let mut groups: Vec<(_, Vec<usize>)> = Vec::new();
    for &entry in chunk {
        let entity = entity(entry);
        match groups.iter_mut().find(|(of, _)| *of == entity) {
            Some((_, group)) => group.push(entry),
            None => groups.push((entity, vec![entry])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(answer: Response<()>) -> (Round, Vec<usize>) {
        let mut round = Round::default();
        let left = round.settle(&[0, 1], answer, &mut [None, None], &mut Vec::new());
        (round, left)
    }

    #[test]
    fn tables_are_found_by_their_names_in_answers() {
        let mut names = TableNames::default();
        let arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/orders";
        assert_eq!(["users", arn, "users"].map(|name| names.index(name.to_owned())), [0, 1, 0]);
        assert_eq!(["users", arn, "orders", "other"].map(|name| names.find(name)), [Some(0), Some(1), Some(1), None]);
    }

    #[test]
    fn a_table_name_that_fits_two_accounts_matches_neither() {
        let mut names = TableNames::default();
        let arns = ["1", "2"].map(|account| format!("arn:aws:dynamodb:eu-west-1:{account}:table/orders"));
        assert_eq!(arns.clone().map(|arn| names.index(arn)), [0, 1]);
        assert_eq!(arns.map(|arn| names.find(&arn)), [Some(0), Some(1)]);
        assert_eq!(names.find("orders"), None);
        // A table that the request calls by its bare name has that name in the response.
        assert_eq!(names.index("orders".to_owned()), 2);
        assert_eq!(names.find("orders"), Some(2));
    }

    #[test]
    fn only_a_throttled_round_has_to_wait() {
        let served = |done: Vec<usize>, left, is_full| {
            settle(Response::Served { done: done.into_iter().map(|entry| (entry, ())).collect(), left, is_full })
        };
        for (answer, must_wait, progress, left) in [
            (served(vec![0, 1], vec![], false), false, true, 0),
            (served(vec![0], vec![1], false), true, true, 1),
            (served(vec![0], vec![1], true), false, true, 1),
            (served(vec![], vec![0, 1], false), true, false, 2),
            (settle(Response::Throttled(Error::new(ErrorKind::Throttled, "slow down"))), true, false, 2),
        ] {
            let (round, entries) = answer;
            assert_eq!((round.must_wait, round.progress, entries.len()), (must_wait, progress, left));
        }
    }
}
