//! Many keys or writes in rounds of requests, until the database has processed all of them.

pub(crate) mod batch_rounds;
pub(super) mod boxed_stream;
pub(crate) mod key_batch;
