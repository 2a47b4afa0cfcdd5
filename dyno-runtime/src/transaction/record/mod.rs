//! The data of the commit protocol: transaction IDs, transaction records (lane rows), intents and lists of participants, and the requests
//! that write them. Each request makes its own condition false, so that it passes once.

mod after_image;
mod image_pages;
mod intent;
mod item_requests;
mod lane_requests;
mod participant_list;
mod revision_row;
mod transaction_id;
mod transaction_record;

pub(crate) use after_image::{CompleteIntent, image_pages, whole};
pub(crate) use intent::{Change, Intent, is_of, without};
pub(crate) use item_requests::{
    apply_by_put, apply_by_update, intended, is_only_a_place, parked, prewrite, remove, remove_from_row, standing,
};
pub(crate) use lane_requests::{
    adopt, adopted, commit, kept, make, page_key, pages, pages_prefix, record_key, renew, tidy, void,
};
pub(crate) use participant_list::{Participants, participants_of, show_item};
pub(crate) use revision_row::RevisionRow;
pub(crate) use transaction_id::{TransactionId, end_of_epoch, mark};
pub(crate) use transaction_record::{
    Committed, Fate, LANE_TABLE_KEYS, LANE_TABLE_TTL, Named, Status, TransactionRecord, Unfinished, lane, missing,
    number_of,
};
