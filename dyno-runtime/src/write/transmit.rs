//! Sends one write: as a request of its own, or in one transaction with its companion row.

use super::rows_to_send::Rows;
use super::write_steps::Denial;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::transact::{send_transaction, transaction};
use crate::exchange::{Answer, Ask, Cancelled, Cause, Denied, Repository, Request, RowWrite, random, write_row_with};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::TransactWriteItem;
use futures_util::future::{Either, TryFutureExt as _};

/// DynamoDB's answer to a write: the item, if the request returns it, or the denial.
pub(crate) type WriteAnswer = Answer<Option<Item>, Denial>;

/// Returns the request as the SDK's input, without sending it.
pub(crate) fn request(client: &Client, Rows { companion, main, .. }: Rows) -> Result<Request, Error> {
    let Some(companion) = companion else { return Ok(main.into_request(client)?.request()) };
    let reports_indexes = main.reports_indexes;
    let (actions, token) = pair(companion, main)?;
    Ok(Request::Transaction(transaction(client, actions, token, reports_indexes).as_input().clone()))
}

/// Sends a write of a row of `table`. The rows move into the request before the first `await`, so that no future holds them.
pub(crate) fn transmit<'a>(
    repository: &'a Repository,
    ask: Ask<'a>,
    table: &'a str,
    rows: &'a mut Rows,
) -> impl Future<Output = Result<WriteAnswer, Error>> + Send + use<'a> {
    match rows.companion.take() {
        None => {
            debug_assert_eq!(rows.main.table, table, "the row is another table's");
            let row = rows.take_main();
            let answer = write_row_with(repository, ask, row, || rows.again(table));
            Either::Left(answer.map_ok(|answer| match answer {
                Answer::Done(item) => Answer::Done(item),
                Answer::Denied(item) => Answer::Denied(Denial::of_item(item)),
            }))
        }
        Some(companion) => Either::Right(Box::pin(transmit_pair(repository, ask, companion, rows.take_main()))),
    }
}

/// Sends both rows in one transaction.
async fn transmit_pair(
    repository: &Repository,
    ask: Ask<'_>,
    companion: RowWrite,
    main: RowWrite,
) -> Result<WriteAnswer, Error> {
    let tables = [companion.table.clone(), main.table.clone()];
    let ask = Ask { about: ask.about.of_tables(&tables), ..ask };
    let reports_indexes = main.reports_indexes;
    let (actions, token) = pair(companion, main)?;
    match send_transaction(repository, ask, actions, token, reports_indexes).await {
        Ok(Answer::Done(())) => Ok(Answer::Done(None)),
        Ok(Answer::Denied(cancelled)) => denial(&cancelled).map(Answer::Denied).ok_or(cancelled.error),
        // No caller knows the token, so none could send the same transaction again.
        Err(error) if error.is_in_progress() => Err(error.temporary(ErrorKind::Contended)),
        Err(error) => Err(error),
    }
}

/// Returns the two actions, and a new token, with which DynamoDB applies them once, however often they are sent.
fn pair(companion: RowWrite, main: RowWrite) -> Result<(Vec<TransactWriteItem>, String), Error> {
    Ok((vec![companion.action()?, main.action()?], random::text::<24>()?))
}

/// Returns the denial of a cancelled transaction, if a condition failed.
fn denial(cancelled: &Cancelled) -> Option<Denial> {
    // For any other cause, such as an item that is too large, DynamoDB's error says more than a denial.
    let is_known = cancelled.causes().nth(1).is_none_or(|cause| matches!(cause, Cause::None | Cause::Condition));
    let stored = |action| cancelled.refused(action).map(|Denied(item)| item);
    let denial = Denial { companion: stored(0), item: stored(1) };
    (is_known && (denial.companion.is_some() || denial.item.is_some())).then_some(denial)
}
