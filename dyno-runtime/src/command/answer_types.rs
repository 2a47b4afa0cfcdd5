//! Sends a write, and gives types to the answer.

use crate::entity::{Answer, Entity, Returned as _};
use crate::error::Error;
use crate::exchange::{Repository, Request};
use crate::write::{WriteCommand, Written};
use aws_sdk_dynamodb::types::ReturnValue;
use futures_util::future::Either;
use std::any::TypeId;
use std::future::{Future, ready};

/// Sends a write of the entity with this id. Not generic, so that it is compiled once and not for each entity. Not an `async fn`,
/// because its future would hold the command a second time.
pub(super) fn send(
    command: Box<WriteCommand>,
    repository: &Repository,
    entity: TypeId,
    returns: Option<ReturnValue>,
) -> impl Future<Output = Result<Written, Error>> + Send {
    match repository.tables_of(entity, command.schema) {
        Ok(tables) => Either::Left(command.send(repository, tables, returns)),
        Err(error) => Either::Right(ready(Err(error))),
    }
}

/// Gives types to the answer to a write.
pub(super) fn answer<E: Entity, O: Answer<E>>(written: Result<Written, Error>) -> Result<O, Error> {
    match written? {
        Written::Done(applied) => Ok(O::__applied(O::Returned::new(applied))),
        Written::Denied(refused) => O::__refused(refused),
    }
}

/// Returns the request of a write.
pub(super) fn request<E: Entity, O: Answer<E>>(
    command: &WriteCommand,
    repository: &Repository,
) -> Result<Request, Error> {
    command.request(repository, repository.tables::<E>()?, O::Returned::VALUE)
}
