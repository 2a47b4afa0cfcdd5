//! A table of a model.

use crate::error::Error;
use crate::table::{self, Plan, TableOptions};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder;

/// A table as it must be.
pub(super) struct PlannedTable {
    pub(super) plan: Plan,
    pub(super) options: TableOptions,
    /// The sentence of the page about its rows, if they are not an entity's.
    pub(super) rows: Option<&'static str>,
}

impl PlannedTable {
    /// Returns the request that creates the table. The files describe the table by it.
    pub(super) fn creation(&self, client: &Client) -> Result<CreateTableFluentBuilder, Error> {
        table::creation(client, &self.plan, &self.options)
    }
}
