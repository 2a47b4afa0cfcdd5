//! The common part of all requests of an attempt: how errors and spans name them, how many run at once, and until when they are sent.

use crate::error::Error;
use crate::exchange::{
    Ask, Attempts, Caller, Priority, Repeat, Repository, RowAnswer, RowWrite, SendDeadline, write_row,
};

/// The most requests of one transaction that run at once.
pub(crate) const CONCURRENCY: usize = 100;

/// The operation, as errors, spans and events name it.
const OPERATION: &str = "transaction";

/// The caller of requests that belong to no single entity, as those to the lane table.
pub(crate) const NO_ENTITY: Caller<'_> = Caller { operation: OPERATION, entity: "", priority: None };

/// Returns the caller of requests to items of an entity.
pub(crate) fn caller<'a>(entity: &'static str, priority: &'a Priority) -> Caller<'a> {
    Caller { operation: OPERATION, entity, priority: Some(priority) }
}

/// Sends a write of an attempt, as long as the attempt may be sent (M6).
pub(crate) async fn write_until(
    repository: &Repository,
    caller: Caller<'_>,
    until: &SendDeadline,
    attempts: &Attempts,
    row: RowWrite,
) -> Result<RowAnswer, Error> {
    let table = row.table.clone();
    let ask = Ask { deadline: Some(until.clone()), ..Ask::write(caller.about(&table), attempts, Repeat::Freely) };
    write_row(repository, ask, row).await
}
