//! Sends a write, and puts types on its answer.

use crate::entity::{Answer, Entity, Returned as _};
use crate::error::Error;
use crate::exchange::{Repository, Request};
use crate::write::{WriteCommand, Written};

/// Sends a write and puts types on its answer.
pub(super) async fn send<E: Entity, O: Answer<E>>(command: WriteCommand, repository: &Repository) -> Result<O, Error> {
    let tables = repository.tables::<E>()?;
    let written = command.send(repository, tables, O::Returned::VALUE).await;
    match written? {
        Written::Applied(applied) => Ok(O::__applied(O::Returned::new(applied))),
        Written::Refused(refused) => O::__refused(refused),
    }
}

/// The request of a write.
pub(super) fn request<E: Entity, O: Answer<E>>(
    command: &WriteCommand,
    repository: &Repository,
) -> Result<Request, Error> {
    command.request(repository, repository.tables::<E>()?, O::Returned::VALUE)
}
