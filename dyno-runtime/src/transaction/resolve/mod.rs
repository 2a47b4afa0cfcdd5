//! Resolves the intents that a process finds in items: it reads the transaction record, and then rolls the item forward, rolls it
//! back, or waits.
//!
//! `resolve_hook` implements the hook that reads and writes call. `read_through` serves reads, and `resolve_intent` writes.
//! `snapshot_read` reads several items at one moment. `roll_forward`, `roll_back` and `abort` send the writes.

mod abort;
mod index_keys;
mod lock_timeout;
mod overwritten;
mod own_claims;
mod put_revision;
mod read_through;
mod resolution;
mod resolve_hook;
mod resolve_intent;
mod roll_back;
mod roll_forward;
mod single_row;
mod snapshot_read;
pub(crate) mod trace_events;

pub(crate) use abort::abort_own;
pub(crate) use index_keys::{IndexKey, check_index_keys, index_keys};
pub use overwritten::Overwritten;
pub(crate) use own_claims::inside;
pub(crate) use resolution::Resolution;
pub(crate) use resolve_hook::IntentResolver;
pub(crate) use resolve_intent::{read_when_free, resolve_intent};
pub(crate) use roll_back::{roll_back, roll_back_own};
pub(crate) use roll_forward::{roll_forward, roll_forward_item};
pub(crate) use single_row::{read_item, read_transaction_record, send_write};
