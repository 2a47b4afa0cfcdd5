//! Client-side transactions: the coordinator's part of the commit protocol (`docs/internals/protocol.md`).
//!
//! `compute_participants` computes each item after the transaction, with the numbers of its revisions (`history_numbers`).
//! `commit_states` decides each next step of the attempt. `coordinator` sends the requests: `prewrite_intents` those that store the
//! intents in the items, `send_commit` the commit, and `roll_participants` the roll forward or the roll back. After three lost
//! attempts, `claim` keeps other writers out.

mod attempt_requests;
mod claim;
mod commit_states;
mod compute_participants;
mod coordinator;
mod evaluate_action;
mod heartbeat;
mod history_numbers;
mod participant;
mod participant_pages;
mod prewrite_intents;
mod roll_participants;
mod send_commit;

pub(crate) use claim::{Claim, ClaimTarget};
pub(crate) use compute_participants::RefusedBy;
pub(crate) use coordinator::{Coordinator, LIMIT};
