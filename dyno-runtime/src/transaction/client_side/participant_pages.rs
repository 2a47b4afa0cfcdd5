//! The pages that list the participants of an attempt, if the lane row has no room for them.

use super::participant::Participant;
use super::prewrite::places;
use crate::error::Error;
use crate::exchange::{Caller, Repository, RowWrite};
use crate::transaction::record::{TransactionId, pages};
use crate::transaction::resolve::{of_lanes, send};

pub(crate) fn page_rows(
    repository: &Repository,
    transaction_id: &TransactionId,
    participants: &[Participant],
) -> Result<Vec<RowWrite>, Error> {
    Ok(pages(&repository.lane_table()?, transaction_id, &places(participants), repository.now()))
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
