//! Sends one request: the SDK call, its hooks, and what its response says.

pub(super) mod back_off;
pub(super) mod call;
pub(super) mod cancellation_reasons;
pub(super) mod capacity_json;
pub(super) mod classify_error;
pub(super) mod equal_requests;
pub(super) mod interceptor;
pub(super) mod operation;
pub(super) mod page_deserializer;
pub(super) mod page_request;
pub(super) mod response_facts;
pub(super) mod row_request;
pub(super) mod send_deadline;
pub(super) mod send_future;
