//! The requests that create a table, or describe one. `add_missing` adds what an existing table lacks.

use super::compare_tables::{Difference, Mismatch};
use super::options::TableOptions;
use super::table_plan::Plan;
use super::wait_for_table::{Polls, WAIT, is_temporary};
use crate::error::{Context, Error, ErrorKind};
use crate::exchange::{About, Operation, Repository, call_undenied};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder;
use aws_sdk_dynamodb::operation::update_table::UpdateTableError;
use aws_sdk_dynamodb::operation::update_time_to_live::UpdateTimeToLiveError;
use aws_sdk_dynamodb::types::{TableDescription, TableStatus};
use std::convert::Infallible;
use std::error::Error as _;

/// Creates the tables of an entity, or compares them with their plans.
pub(super) struct Maker<'a> {
    pub(super) repository: &'a Repository,
    operation: &'static str,
    entity: &'static str,
}

impl<'a> Maker<'a> {
    pub(super) fn new(repository: &'a Repository, operation: &'static str, entity: &'static str) -> Self {
        Self { repository, operation, entity }
    }

    fn context(&self) -> Context {
        Context { operation: self.operation, entity: self.entity, key: None }
    }

    pub(super) fn sender(&self) -> &'a Client {
        self.repository.sender()
    }

    pub(super) async fn send<O: Operation<Denial = Infallible>>(
        &self,
        table: &str,
        operation: O,
    ) -> Result<O::Value, Error> {
        call_undenied(self.repository, About::new(self.operation, self.entity, table), operation).await
    }

    pub(super) async fn send_to_index<O: Operation<Denial = Infallible>>(
        &self,
        table: &str,
        index: &'static str,
        operation: O,
    ) -> Result<O::Value, Error> {
        let about = About::new(self.operation, self.entity, table).of_index(Some(index));
        call_undenied(self.repository, about, operation).await
    }

    pub(super) async fn create_all(&self, tables: Vec<Plan>, options: &TableOptions) -> Result<(), Error> {
        for table in tables {
            let created = async {
                self.create(&table, options).await?;
                self.complete(&table, options).await?;
                self.turn_ttl_on(&table).await?;
                let mut polls = Polls::default();
                while let Some(index) = self.unanswered_search(&table).await? {
                    polls
                        .pause(self.repository, || format!("the vector index `{index}` answers no search yet"))
                        .await?;
                    // Somebody may have deleted the index.
                    self.complete(&table, options).await?;
                }
                Ok(())
            };
            created.await.map_err(|error: Error| error.with_context(|| self.context()))?;
        }
        Ok(())
    }

    /// Creates the table if it does not exist yet.
    async fn create(&self, table: &Plan, options: &TableOptions) -> Result<(), Error> {
        match self.send(&table.name, creation(self.sender(), table, options)?).await {
            Err(error) if code(&error) != Some(IN_USE) => Err(error),
            _ => Ok(()),
        }
    }

    /// Describes a table; `None` if it does not exist.
    async fn describe(&self, table: &str) -> Result<Option<TableDescription>, Error> {
        match self.send(table, self.sender().describe_table().table_name(table)).await {
            Ok(described) => Ok(described.table),
            Err(error) if error.is_table_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits until the table is active, and returns its description. (The SDK has a waiter for this. But dyno cannot count the
    /// waiter's requests, its second request follows only after 20 seconds, and it keeps waiting for a table that cannot become
    /// active any more.)
    pub(super) async fn wait_until_active(&self, table: &str) -> Result<TableDescription, Error> {
        let mut polls = Polls::default();
        loop {
            let found = self.describe(table).await?;
            // For a few seconds, `DescribeTable` may not show a new table.
            let status = found.as_ref().and_then(TableDescription::table_status).cloned();
            if let (Some(found), Some(TableStatus::Active)) = (found, &status) {
                return Ok(found);
            }
            let is_permanent = status.as_ref().is_some_and(|status| !is_temporary(status));
            let status = status.as_ref().map_or("missing", TableStatus::as_str);
            if is_permanent {
                let message = format!(
                    "the table `{table}` is {status}, and will not become active: call `create_table` again once it is deleted or restored"
                );
                return Err(Error::new(ErrorKind::Service, message));
            }
            if polls.waited >= WAIT {
                let minutes = WAIT.as_secs() / 60;
                let message = format!(
                    "the table `{table}` is still {status} after {minutes} minutes: call `create_table` again to keep waiting"
                );
                return Err(Error::new(ErrorKind::Service, message));
            }
            polls.pause(self.repository, || format!("the table `{table}` is {status}")).await?;
        }
    }

    pub(super) async fn ttl_mismatch(&self, table: &Plan) -> Result<Option<Mismatch>, Error> {
        if table.ttl.is_none() {
            return Ok(None);
        }
        let describe = self.sender().describe_time_to_live().table_name(&table.name);
        let described = self.send(&table.name, describe).await?;
        Ok(table.ttl_mismatch(described.time_to_live_description()))
    }

    pub(super) async fn verify_all(&self, tables: Vec<Plan>, options: &TableOptions) -> Result<Vec<Difference>, Error> {
        let mut differences = Vec::new();
        for table in tables {
            let found = async {
                let Some(described) = self.describe(&table.name).await? else {
                    return Ok(vec![Mismatch::TableMissing]);
                };
                let mut found = table.mismatches(&described, options);
                found.extend(self.ttl_mismatch(&table).await?);
                Ok(found)
            };
            let found = found.await.map_err(|error: Error| error.with_context(|| self.context()))?;
            differences.extend(found.into_iter().map(|what| Difference { table: table.name.clone(), what }));
        }
        Ok(differences)
    }
}

/// Returns the request that creates a table.
pub(crate) fn creation(
    client: &Client,
    table: &Plan,
    options: &TableOptions,
) -> Result<CreateTableFluentBuilder, Error> {
    let throughput = options.throughput()?;
    if let (Some(plan), true) = (table.vector_indexes.first(), throughput.is_some()) {
        return Err(Error::invalid(format!(
            "the table `{}` has the vector index `{}`, and DynamoDB bills such tables on demand only: leave `provisioned` out",
            table.name, plan.index.name
        )));
    }
    let create = client
        .create_table()
        .table_name(&table.name)
        .billing_mode(options.billing())
        .set_key_schema(Some(table.key_schema()?))
        .set_attribute_definitions(Some(table.attribute_definitions()?))
        .set_global_secondary_indexes(table.global_indexes(throughput.as_ref())?)
        .set_local_secondary_indexes(table.local_indexes()?)
        .set_vector_indexes(table.vector_indexes()?)
        .set_provisioned_throughput(throughput)
        .set_stream_specification(options.stream_specification(table.is_main)?)
        .set_deletion_protection_enabled(options.is_protected().then_some(true))
        .set_tags(options.tags()?);
    Ok(create)
}

/// Returns an error for these differences, which cannot be removed, if there are any.
pub(super) fn refuse(table: &Plan, permanent: Vec<Mismatch>) -> Result<(), Error> {
    let differences = permanent.into_iter().map(|what| Difference { table: table.name.clone(), what }.to_string());
    let differences: Vec<String> = differences.collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::TableDiffers, differences.join("; ")))
}

/// DynamoDB's error code while another request is creating or changing the same table or index.
pub(super) const IN_USE: &str = "ResourceInUseException";

/// Returns the error code of a request that creates or changes a table.
pub(super) fn code(error: &Error) -> Option<&str> {
    let source = error.source()?;
    macro_rules! code {
        ($($error:ty),*) => {
            None$(.or_else(|| source.downcast_ref::<SdkError<$error>>().and_then(ProvideErrorMetadata::code)))*
        };
    }
    code!(CreateTableError, UpdateTableError, UpdateTimeToLiveError)
}
