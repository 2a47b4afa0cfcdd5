//! One write of one row, sent by itself.

use super::row::{Fluent, RowWrite};
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{About, Answer, Ask, Attempts, Repeat, Repository, call};

/// DynamoDB's answer to a write.
pub(super) enum Sent {
    /// What it returned, where it was asked for something.
    Applied(Option<Item>),
    /// The condition did not hold for this item.
    Refused(Option<Item>),
}

/// Sends a write of `entity`, as a part of `operation`.
pub(super) async fn transmit(
    repository: &Repository,
    (operation, entity): (&'static str, &'static str),
    row: RowWrite,
    attempts: &Attempts,
    repeat: Repeat,
) -> Result<Sent, Error> {
    let table = row.table.clone();
    let ask = Ask::write(About::new(operation, entity, &table), attempts, repeat);
    let answer = match row.fluent(repository.client()) {
        Fluent::Put(put) => call(repository, ask, put),
        Fluent::Update(update) => call(repository, ask, update),
        Fluent::Delete(delete) => call(repository, ask, delete),
        Fluent::None => return Err(no_request()),
    };
    match answer.await {
        Ok(Answer::Done(item)) => Ok(Sent::Applied(item)),
        Ok(Answer::Denied(item)) => Ok(Sent::Refused(item)),
        Err(error) if repeat == Repeat::Once && attempts.may_be_applied() => Err(error.of_a_lost_answer()),
        Err(error) => Err(error),
    }
}

/// A check is an action of a transaction.
#[cold]
pub(super) fn no_request() -> Error {
    Error::invalid("a check has no request of its own: it is part of a transaction")
}
