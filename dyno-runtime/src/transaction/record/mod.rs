//! The data of the commit protocol: transaction IDs, transaction records (lane rows), intents and lists of participants, and the
//! requests that write them. Most of these requests make their own condition false, so that a copy that arrives later is refused.

mod after_image;
mod image_pages;
mod intent;
mod item_requests;
mod lane_errors;
mod lane_requests;
mod participant_list;
mod revision_row;
mod transaction_id;
mod transaction_record;

pub(crate) use after_image::{CompleteIntent, complete, image_pages};
pub(crate) use intent::{Change, Intent, has_intent_of, without_intent};
pub(crate) use item_requests::{
    apply_by_put, apply_by_update, change_to, is_placeholder, parked_ttl, prewrite, remove, remove_keeping_row,
    row_beside_intent,
};
pub(crate) use lane_errors::{explain_lane_error, explain_missing_lane_table};
pub(crate) use lane_requests::{
    abort, adopt, adopted, clear_participants, commit, create, page_key, page_key_prefix, participant_pages,
    record_key, renew, renew_page,
};
pub(crate) use participant_list::{Participants, fmt_item, read_participants};
pub(crate) use revision_row::RevisionRow;
pub(crate) use transaction_id::{TransactionId, end_of_epoch, random_mark};
pub(crate) use transaction_record::{
    Committed, Fate, LANE_TABLE_KEYS, LANE_TABLE_TTL, ListedIn, Status, TransactionRecord, Unfinished, lane,
    lane_missing, read_number,
};
