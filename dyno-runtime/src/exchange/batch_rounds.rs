//! Batches: many keys or writes in few requests, of which DynamoDB may leave any part unprocessed.
//!
//! Here are the rounds: everything that is pending goes out in full requests, a few at a time, and what was left is asked
//! for again after a pause, together with all else that was left. Only rounds in which nothing at all was processed count
//! against the bound: while there is progress, there is an end. `read::batch` and `write::batch` make the requests and read
//! the answers.

use crate::error::{Error, ErrorKind};
use crate::exchange::{BackOff, Repository};
use crate::schema::table_name;
use futures_util::future::BoxFuture;
use futures_util::stream;
use futures_util::stream::StreamExt as _;
use std::collections::VecDeque;

/// How many requests of a batch are under way at once, unless it is told otherwise.
pub(crate) const CONCURRENCY: usize = 4;

/// How many times in a row DynamoDB may process nothing before the batch gives up: the pauses between are at most 3.3
/// seconds together. (Each request that is throttled as a whole has had the SDK's own retries, too.)
const FRUITLESS_ROUNDS: u32 = 8;

/// How a batch is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The most requests under way at once.
    pub(crate) concurrency: usize,
    /// Whether the first error ends it: then the other entries have no result.
    pub(crate) stops: bool,
}

/// What is batched: entries, known by their index.
pub(crate) trait Batch: Sync {
    /// What becomes of an entry.
    type Done: Send;

    /// Takes the entries of one request from the front.
    fn chunk(&self, pending: &mut VecDeque<usize>) -> Vec<usize>;

    /// Sends the request for these entries.
    fn send<'a>(&'a self, chunk: &'a [usize]) -> BoxFuture<'a, Response<Self::Done>>;
}

/// DynamoDB's answer to one request.
pub(crate) enum Response<T> {
    Served {
        done: Vec<(usize, T)>,
        left: Vec<usize>,
        /// Whether the answer could not hold more, so that there is no reason to wait.
        is_full: bool,
    },
    /// Not now: all of it is left.
    Throttled(Error),
    /// Nothing was done.
    Refused {
        error: Error,
        /// The requests in which those entries that are not to blame may pass; none, if there is no hope.
        parts: Vec<Vec<usize>>,
    },
}

/// Entries that go out in one request.
struct Chunk {
    entries: Vec<usize>,
    /// Whether they are what is left of a refused request, and must not be joined with others again.
    is_part: bool,
}

/// Sends all entries, each until it is done, refused, or left unprocessed too often. The results are by index.
pub(crate) async fn run<B: Batch>(
    batch: &B,
    repository: &Repository,
    entries: usize,
    pace: Pace,
) -> Vec<Option<Result<B::Done, Error>>> {
    let mut results: Vec<_> = (0..entries).map(|_| None).collect();
    let mut pending: VecDeque<usize> = (0..entries).collect();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut back_off = BackOff::new(repository, FRUITLESS_ROUNDS);
    loop {
        let mut chunks: Vec<_> = parts.drain(..).map(|entries| Chunk { entries, is_part: true }).collect();
        while !pending.is_empty() {
            chunks.push(Chunk { entries: batch.chunk(&mut pending), is_part: false });
        }
        let mut round = Round::default();
        let answers = chunks.into_iter().map(|chunk| -> BoxFuture<'_, _> {
            Box::pin(async move {
                let answer = batch.send(&chunk.entries).await;
                (chunk, answer)
            })
        });
        let mut answers = stream::iter(answers).buffer_unordered(pace.concurrency.max(1));
        while let Some((chunk, answer)) = answers.next().await {
            let left = round.settle(&chunk.entries, answer, &mut results, &mut parts);
            if pace.stops && round.refused {
                return results;
            }
            if !chunk.is_part {
                // In their order, as far as the answers were: requests are the same in each run of a test.
                pending.extend(left);
            } else if !left.is_empty() {
                parts.push(left);
            }
        }
        drop(answers);
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

/// What came of one round.
#[derive(Default)]
struct Round {
    /// Whether anything is nearer to its end.
    progress: bool,
    must_wait: bool,
    /// Whether an entry got an error.
    refused: bool,
    throttled: Option<Error>,
}

impl Round {
    /// Notes the results of one request, and returns the entries that are left.
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

/// What is said of an entry that was never processed.
pub(crate) fn unprocessed(throttled: Option<&Error>) -> Error {
    let message = "DynamoDB kept leaving it unprocessed, as it does when it is throttling";
    throttled.map_or_else(|| Error::new(ErrorKind::Throttled, message), Error::share)
}

/// What the tables of one batch are called, each text once: see `key::Identity` for which are one.
#[derive(Debug, Default)]
pub(crate) struct TableNames(pub(crate) Vec<String>);

impl TableNames {
    pub(crate) fn index(&mut self, name: String) -> usize {
        self.0.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        })
    }

    /// The table that an answer names: as the request did, or the name where that had an ARN. Where it had two of that name,
    /// neither.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        if let Some(index) = self.0.iter().position(|known| known == name) {
            return Some(index);
        }
        let mut named = self.0.iter().enumerate().filter(|(_, known)| table_name(known) == name);
        let (index, _) = named.next()?;
        named.next().is_none().then_some(index)
    }
}

/// Requests of one entity each, of one that had several, where the error may be the fault of one of them: of its table,
/// which is not there, or not for this caller, or of another key than the entity says. An entity is known by its table and
/// its name.
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
        // What has the name in the request is called so in the answer.
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
