//! The participants of an attempt by table and key, and the pages that list them if the lane row has no room for them.

use super::attempt_requests::NO_ENTITY;
use super::participant::Participant;
use crate::error::Error;
use crate::exchange::{ItemRef, Repository};
use crate::transaction::record::explain_lane_error;
use crate::transaction::record::{TransactionId, participant_pages};
use crate::transaction::resolve::send_write;

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
    let rows = repository
        .lane_table()
        .map(|table| participant_pages(&table, transaction_id, &items_of(participants), repository.now()));
    async move {
        for row in rows? {
            send_write(repository, NO_ENTITY, row).await.map_err(explain_lane_error)?;
        }
        Ok(())
    }
}
