//! What a transaction of many requests leaves in items and in its lane, and how whoever meets it goes on.
//!
//! Such a transaction places an intent in each item (`shape`), under a ticket of its own (`ticket`). One write of its lane's
//! head decides all of it (`head`); then its intents are applied, by itself or by anybody. What a request demands and does is
//! in `row_requests` and `lane_requests`: each makes its own condition false. Whoever meets an intent settles it
//! (`settle`). A transaction takes a lane of its own (`lanes`), perhaps one that was left behind (`adopt`), whose items are seen to
//! their ends first (`finish`). `sweep` looks for what nobody meets. The transaction itself is `write::interactive`'s.
//!
//! `docs/protocol.md` has the protocol, its states, and its invariants, which comments here cite by their numbers, as (M7).

mod adopt;
pub(crate) mod event;
mod finish;
mod head;
mod image;
mod indexes;
mod inside;
mod lane_requests;
mod lanes;
mod meeting;
mod overwritten;
mod paged;
mod participants;
mod record;
mod recorded;
mod report;
mod row_requests;
mod rows;
mod settle;
mod shape;
mod sweep;
mod ticket;
mod wait;
mod watch;

pub(crate) use head::{Fate, Head, LANE_TABLE_KEYS, LANE_TABLE_TTL, Status, missing};
pub(crate) use image::{Whole, image_pages, whole};
pub(crate) use indexes::{check_index_keys, index_keys};
pub(crate) use inside::inside;
pub(crate) use lane_requests::{commit, head_key, pages};
pub(crate) use lanes::{Lane, take};
pub(crate) use meeting::{Age, MEETINGS, Meeting, kept, of_lanes, or_of_lanes};
pub use overwritten::Overwritten;
pub(crate) use participants::Place;
pub(crate) use record::Record;
pub use report::{SweepReport, Unresolved};
pub(crate) use row_requests::{Base, intended, parked, place, standing};
pub(crate) use rows::{Look, rows};
pub(crate) use settle::{Looked, Settled, end, head_of, look, make, row, send, take_back};
pub(crate) use shape::{Change, Intent, is_of, without};
pub(crate) use sweep::{Swept, sweep};
pub(crate) use ticket::Ticket;
pub(crate) use wait::{free, give_way, settle};
pub(crate) use watch::Waits;
