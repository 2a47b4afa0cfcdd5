//! Aborts a transaction attempt. To abort is always safe (M16): the lane row decides between abort and commit. How long a process waits
//! before it aborts another one's attempt is policy.

use super::lane_errors::of_lanes;
use super::single_row::send;
use super::trace_events as event;
use crate::error::Error;
use crate::exchange::{Answer, Caller, Repository};
use crate::transaction::record::{Head, Ticket, missing, void};

/// Makes a ticket of one's own void, unless it is decided: what its lane is then.
pub(crate) async fn end(
    repository: &Repository,
    caller: Caller<'_>,
    head: Head,
    ticket: &Ticket,
) -> Result<Head, Error> {
    make_void(repository, caller, head, ticket).await.map(|(head, _)| head)
}

/// Makes a ticket void; what its lane is then, and whether that was this one's doing.
pub(crate) async fn make_void(
    repository: &Repository,
    caller: Caller<'_>,
    head: Head,
    ticket: &Ticket,
) -> Result<(Head, bool), Error> {
    let table = repository.lane_table()?;
    match send(repository, caller, void(&table, ticket)?).await.map_err(of_lanes)? {
        Answer::Done(_) => {
            event::aborted(caller, ticket);
            Ok((Head { void: ticket.number, ..head }, true))
        }
        Answer::Denied(Some(item)) => Ok((Head::read(&item)?, false)),
        Answer::Denied(None) => Err(missing(ticket)),
    }
}
