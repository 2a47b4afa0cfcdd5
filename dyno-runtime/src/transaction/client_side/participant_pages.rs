//! The pages of a try, which name its items where its lane's head does not.

use super::participant::Leg;
use super::prewrite::places;
use crate::error::Error;
use crate::exchange::{Caller, Repository, RowWrite};
use crate::transaction::record::{Ticket, pages};
use crate::transaction::resolve::{of_lanes, send};

pub(crate) fn page_rows(repository: &Repository, ticket: &Ticket, legs: &[Leg]) -> Result<Vec<RowWrite>, Error> {
    Ok(pages(&repository.lane_table()?, ticket, &places(legs), repository.now()))
}

pub(crate) async fn write_pages(
    repository: &Repository,
    caller: Caller<'_>,
    rows: Result<Vec<RowWrite>, Error>,
) -> Result<(), Error> {
    for row in rows? {
        send(repository, caller, row).await.map_err(of_lanes)?;
    }
    Ok(())
}
