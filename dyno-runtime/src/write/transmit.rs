//! What is sent of one write: a request of its own, or with a row in front the two of them in one transaction.

use super::rows_to_send::Rows;
use super::write_steps::Denial;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::transact::{send_transaction, transaction};
use crate::exchange::{Answer, Ask, Cancelled, Cause, Denied, Repository, Request, RowWrite, random, write_row_with};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::TransactWriteItem;
use futures_util::future::{Either, TryFutureExt as _};

/// DynamoDB's answer to a write: what it returned, where it was asked for something, or what it was denied for.
pub(crate) type Answered = Answer<Option<Item>, Denial>;

/// The request, to be shown or sent by hand.
pub(crate) fn request(client: &Client, Rows { front, main, .. }: Rows) -> Result<Request, Error> {
    let Some(front) = front else { return Ok(main.into_request(client)?.request()) };
    let (actions, token) = pair(front, main)?;
    Ok(Request::Transaction(transaction(client, actions, token).as_input().clone()))
}

/// Sends a write of a row of `table`. The rows go into the request before anything waits: no future has room for them.
pub(crate) fn transmit<'a>(
    repository: &'a Repository,
    ask: Ask<'a>,
    table: &'a str,
    rows: &'a mut Rows,
) -> impl Future<Output = Result<Answered, Error>> + Send + use<'a> {
    match rows.front.take() {
        None => {
            debug_assert_eq!(rows.main.table, table, "the row is another table's");
            let row = rows.spend();
            let answer = write_row_with(repository, ask, row, || rows.again(table));
            Either::Left(answer.map_ok(|answer| match answer {
                Answer::Done(item) => Answer::Done(item),
                Answer::Denied(item) => Answer::Denied(Denial::by(item)),
            }))
        }
        Some(front) => Either::Right(Box::pin(both(repository, ask, front, rows.spend()))),
    }
}

/// Sends both in one transaction.
async fn both(repository: &Repository, ask: Ask<'_>, front: RowWrite, main: RowWrite) -> Result<Answered, Error> {
    let tables = [front.table.clone(), main.table.clone()];
    let ask = Ask { about: ask.about.of_tables(&tables), ..ask };
    let (actions, token) = pair(front, main)?;
    match send_transaction(repository, ask, actions, token).await {
        Ok(Answer::Done(())) => Ok(Answer::Done(None)),
        Ok(Answer::Denied(cancelled)) => denial(&cancelled).map(Answer::Denied).ok_or(cancelled.error),
        // The token is nobody's who could send it again.
        Err(error) if error.is_in_progress() => Err(error.temporary(ErrorKind::Contended)),
        Err(error) => Err(error),
    }
}

/// The actions of a row and a write, and a token: with it, the same is applied once, however often it is sent.
fn pair(front: RowWrite, main: RowWrite) -> Result<(Vec<TransactWriteItem>, String), Error> {
    Ok((vec![front.action()?, main.action()?], random::text::<24>()?))
}

/// What the reasons of a row and a write say, if a condition is among them.
fn denial(cancelled: &Cancelled) -> Option<Denial> {
    // An item that DynamoDB would not take as it is has its own error.
    let is_known = cancelled.causes().nth(1).is_none_or(|cause| matches!(cause, Cause::None | Cause::Condition));
    let said = |action| cancelled.refused(action).map(|Denied(item)| item);
    let denial = Denial { row: said(0), item: said(1) };
    (is_known && (denial.row.is_some() || denial.item.is_some())).then_some(denial)
}
