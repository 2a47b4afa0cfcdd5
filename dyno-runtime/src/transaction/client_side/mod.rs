//! Client-side transactions: the coordinator's part of the commit protocol (`docs/protocol.md`).
//!
//! `prepare_participants` works out what each item becomes, with the numbers of its history (`history_numbers`); `commit_states` says
//! step by step what is sent; `coordinator` sends it, with the commit in `send_commit`. Each item is a `participant`, which `prewrite` prewrites. After three lost
//! attempts, `claim` keeps other writers out.

mod attempt_requests;
mod claim;
mod commit_states;
mod coordinator;
mod evaluate_action;
mod heartbeat;
mod history_numbers;
mod participant;
mod participant_pages;
mod prepare_participants;
mod prewrite;
mod roll_participants;
mod send_commit;

pub(crate) use claim::{Claim, ClaimTarget};
pub(crate) use coordinator::{Coordinator, LIMIT};
pub(crate) use prepare_participants::RefusedBy;
