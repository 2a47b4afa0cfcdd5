//! What a transaction of many requests leaves in items and in its lane, and how whoever meets it goes on.
//!
//! Such a transaction places an intent in each item (`shape`), under a ticket of its own (`ticket`). One write of its lane's
//! head decides all of it (`head`); then its intents are applied, by itself or by anybody. What a request demands and does is
//! in `row_requests` and `lane_requests`: each makes its own condition false for ever. Whoever meets an intent settles it
//! (`settle`). A transaction takes a lane of its own (`lanes`), perhaps one that was left behind (`adopt`). The transaction itself is `write::interactive`'s.

mod adopt;
mod finish;
mod head;
mod lane_requests;
mod lanes;
mod participants;
mod row_requests;
mod rows;
mod settle;
mod shape;
mod ticket;
