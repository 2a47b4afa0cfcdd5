//! Sends one write: as a request of its own, or in one transaction with its companion row and the rows of its unique values.

use super::rows_to_send::Rows;
use super::unique_values::{ClaimRows, HolderCheck, MergedCheck, merge_checks};
use super::write_steps::{ClaimDenial, Denial};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::row::transact::{send_transaction, transaction};
use crate::exchange::{Answer, Ask, Cancelled, Cause, Denied, Repository, Request, RowWrite, random, write_row_with};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::TransactWriteItem;
use futures_util::future::{Either, TryFutureExt as _};
use std::mem;

/// DynamoDB's answer to a write: the item, if the request returns it, or the denial.
pub(crate) type WriteAnswer = Answer<Option<Item>, Denial>;

/// Returns the request as the SDK's input, without sending it.
pub(crate) fn request(client: &Client, rows: Rows) -> Result<Request, Error> {
    if rows.is_single() {
        return Ok(rows.main.into_request(client)?.request());
    }
    let reports_indexes = rows.main.reports_indexes;
    let (actions, _) = Together::new(rows.companion, rows.main, rows.claims).actions()?;
    Ok(Request::Transaction(transaction(client, actions, token()?, reports_indexes).as_input().clone()))
}

/// Sends a write of a row of `table`. The rows move into the request before the first `await`, so that no future holds them.
pub(crate) fn transmit<'a>(
    repository: &'a Repository,
    ask: Ask<'a>,
    table: &'a str,
    rows: &'a mut Rows,
) -> impl Future<Output = Result<WriteAnswer, Error>> + Send + use<'a> {
    if rows.is_single() {
        debug_assert_eq!(rows.main.table, table, "the row is another table's");
        let row = rows.take_main();
        let answer = write_row_with(repository, ask, row, Box::new(|| rows.again(table)));
        return Either::Left(answer.map_ok(|answer| match answer {
            Answer::Done(item) => Answer::Done(item),
            Answer::Denied(item) => Answer::Denied(Denial::of_item(item)),
        }));
    }
    let (companion, claims) = (rows.companion.take(), mem::take(&mut rows.claims));
    let together = Together::new(companion, rows.take_main(), claims);
    Either::Right(Box::pin(together.send(repository, ask)))
}

/// Rows that are written in one transaction.
struct Together {
    companion: Option<RowWrite>,
    main: RowWrite,
    guards: Vec<RowWrite>,
    checks: Vec<MergedCheck<usize>>,
}

/// The places of the rows among the actions of the transaction.
struct Places {
    /// The number of guards, which come first.
    guards: usize,
    companion: Option<usize>,
    main: usize,
    /// The claims that need each of the checks, which come last.
    checks: Vec<Vec<usize>>,
}

impl Together {
    fn new(companion: Option<RowWrite>, main: RowWrite, claims: ClaimRows) -> Self {
        let ClaimRows { guards, checks } = claims;
        let with_claim = |check: HolderCheck| {
            let claim = check.claim;
            (check, claim)
        };
        Self { companion, main, guards, checks: merge_checks(checks.into_iter().map(with_claim)) }
    }

    async fn send(self, repository: &Repository, ask: Ask<'_>) -> Result<WriteAnswer, Error> {
        let tables: Vec<String> =
            self.companion.iter().chain([&self.main]).chain(&self.guards).map(|row| row.table.clone()).collect();
        let ask = Ask { about: ask.about.of_tables(&tables), ..ask };
        let reports_indexes = self.main.reports_indexes;
        let (actions, places) = self.actions()?;
        match send_transaction(repository, ask, &actions, token()?, reports_indexes).await {
            Ok(Answer::Done(())) => Ok(Answer::Done(None)),
            Ok(Answer::Denied(cancelled)) => places.denial(&cancelled).map(Answer::Denied).ok_or(cancelled.error),
            // No caller knows the token, so none could send the same transaction again.
            Err(error) if error.is_in_progress() => Err(error.temporary(ErrorKind::Contended)),
            Err(error) => Err(error),
        }
    }

    /// Returns the actions, and the places of the rows among them.
    fn actions(self) -> Result<(Vec<TransactWriteItem>, Places), Error> {
        let Self { companion, main, guards, checks } = self;
        let (count, companion_place) = (guards.len(), companion.as_ref().map(|_| guards.len()));
        let places = Places {
            guards: count,
            companion: companion_place,
            main: count + usize::from(companion.is_some()),
            checks: checks.iter().map(|check| check.claims.clone()).collect(),
        };
        let checks = checks.iter().map(MergedCheck::row);
        // An action takes most of a kilobyte, so the list does not grow.
        let mut actions = Vec::with_capacity(places.main + 1 + checks.len());
        for row in guards.into_iter().chain(companion).chain([main]).chain(checks) {
            actions.push(row.action()?);
        }
        Ok((actions, places))
    }
}

/// Returns a new token, with which DynamoDB applies a transaction once, however often it is sent.
fn token() -> Result<String, Error> {
    random::text::<24>()
}

impl Places {
    /// Returns the denial of a cancelled transaction, if a condition failed.
    fn denial(&self, cancelled: &Cancelled) -> Option<Denial> {
        // For any other cause, such as an item that is too large, DynamoDB's error says more than a denial.
        let cause = cancelled.causes().nth(self.main);
        let is_known = cause.is_none_or(|cause| matches!(cause, Cause::None | Cause::Condition));
        let stored = |action| cancelled.refused(action).map(|Denied(item)| item);
        let mut claims: Vec<ClaimDenial> =
            (0..self.guards).map(|guard| ClaimDenial { guard: stored(guard), holder: None }).collect();
        for (check, needed_by) in self.checks.iter().enumerate() {
            let holder = stored(self.main + 1 + check);
            for claim in needed_by {
                claims[*claim].holder.clone_from(&holder);
            }
        }
        let denial = Denial { companion: self.companion.and_then(stored), item: stored(self.main), claims };
        (is_known && denial.is_some()).then_some(denial)
    }
}
