//! The pages of a try, which name its items where its lane's head does not.

use super::leg::Leg;
use super::place::places;
use crate::error::Error;
use crate::exchange::{Repository, RowWrite};
use crate::intent::{Meeting, Ticket, of_lanes, pages, send};

pub(super) fn page_rows(repository: &Repository, ticket: &Ticket, legs: &[Leg]) -> Result<Vec<RowWrite>, Error> {
    Ok(pages(&repository.lane_table()?, ticket, &places(legs), repository.now()))
}

pub(super) async fn write_pages(
    repository: &Repository,
    meeting: Meeting<'_>,
    rows: Result<Vec<RowWrite>, Error>,
) -> Result<(), Error> {
    for row in rows? {
        send(repository, meeting, row).await.map_err(of_lanes)?;
    }
    Ok(())
}
