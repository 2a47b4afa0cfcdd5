//! The participants of an attempt by table and key, and the pages that list them if the lane row has no room for them.

use super::attempt_requests::NO_ENTITY;
use super::participant::Participant;
use crate::error::Error;
use crate::exchange::{ItemRef, Repository};
use crate::transaction::record::{TransactionId, pages};
use crate::transaction::resolve::{of_lanes, send};

/// Returns the items of these participants.
pub(crate) fn items_of(participants: &[Participant]) -> Vec<ItemRef> {
    participants.iter().map(|participant| participant.at.clone()).collect()
}

/// Writes the pages that list the participants, if any are needed. The future does not borrow the participants.
pub(crate) fn write_pages<'a>(
    repository: &'a Repository,
    transaction_id: &TransactionId,
    participants: &[Participant],
) -> impl Future<Output = Result<(), Error>> + use<'a> {
    let rows =
        repository.lane_table().map(|table| pages(&table, transaction_id, &items_of(participants), repository.now()));
    async move {
        for row in rows? {
            send(repository, NO_ENTITY, row).await.map_err(of_lanes)?;
        }
        Ok(())
    }
}
