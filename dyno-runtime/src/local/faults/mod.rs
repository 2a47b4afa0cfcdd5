//! Faults between a client and an engine. An HTTP client in front of the engine loses, delays, repeats and refuses requests.
//!
//! `network` has the state of a process's network and what a test sets, `next_fault` decides what a request meets, `faulty_client`
//! does it, and `replica` answers stale reads.

mod canned_answer;
mod fault;
mod fault_rates;
mod faulty_client;
mod json_body;
mod kept_request;
mod network;
mod next_fault;
mod pending;
mod replica;
mod sent_request;
mod unprocessed;

pub use fault::Fault;
pub use fault_rates::Rates;
pub use kept_request::Delivered;
pub use network::Faults;
pub use sent_request::SentRequest;
pub use unprocessed::Unprocessed;

pub(super) use canned_answer::{conflict, refusal};
pub(super) use json_body::json_of;
pub(super) use sent_request::{is_write, tables_of};
