//! The table of the rows that interactive transactions with a `request_id` create.

use super::{Differences, TableOptions};
use crate::command::RequestId;
use crate::error::Error;
use crate::exchange::Repository;

impl Repository {
    /// Creates the table of the rows that [`Interactive::request_id`](crate::command::Interactive::request_id) makes:
    /// `dyno-requests` after the prefix, with the partition key `id`, a text, and the TTL attribute `ttl`. Otherwise as
    /// [`create_table`](Self::create_table) does.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_request_table(&self) -> Result<(), Error> {
        self.create_table::<RequestId>().await
    }

    /// Like [`create_request_table`](Self::create_request_table), with these options.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_request_table_with(&self, options: &TableOptions) -> Result<(), Error> {
        self.create_table_with::<RequestId>(options).await
    }

    /// Reports how this table differs from what it must be, as [`verify_table`](Self::verify_table) does.
    ///
    /// # Errors
    /// As for [`verify_table`](Self::verify_table).
    pub async fn verify_request_table(&self) -> Result<Differences, Error> {
        self.verify_table::<RequestId>().await
    }
}
