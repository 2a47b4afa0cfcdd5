//! The versions that an attempt stored, and the errors of an attempt whose outcome is unknown.

use super::participant::Participant;
use crate::error::{Error, ErrorKind};
use std::any::TypeId;

/// Returns the version that each action stored, by the number of the action.
pub(crate) fn versions(participants: &[Participant]) -> Vec<(TypeId, Option<u64>)> {
    let mut versions: Vec<_> = participants
        .iter()
        .map(|participant| (participant.index, participant.of.entity, participant.version))
        .collect();
    versions.sort_by_key(|(index, ..)| *index);
    let most = versions.last().map_or(0, |(index, ..)| index + 1);
    let mut all = vec![(TypeId::of::<()>(), None); most];
    for (index, entity, version) in versions {
        all[index] = (entity, version);
    }
    all
}

#[cold]
pub(crate) fn unbegun() -> Error {
    Error::new(ErrorKind::Service, "the try has not begun")
}

pub(crate) fn silent() -> Error {
    Error::new(ErrorKind::Unreachable, "no answer came from DynamoDB to the commit of the transaction")
}

pub(crate) fn missing_head() -> Error {
    Error::new(ErrorKind::LaneMissing, "the transaction's lane is not in the lane table any more")
}

pub(crate) fn unknown() -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        "the transaction may have been applied, and its lane does not tell any more, since others have used it eight times meanwhile: load the entities and decide",
    )
}
