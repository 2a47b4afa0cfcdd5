//! The requests that make a table, or look at one.
//!
//! Making a table takes several requests, and any of them may be the last. So what is missing is made: run again, it
//! finishes what an earlier run began.

use super::difference::{Difference, Mismatch};
use super::looks::{Looks, WAIT, is_passing};
use super::options::TableOptions;
use super::plan::{IndexPlan, Plan, build_error, index_key};
use crate::error::{Context, Error, ErrorKind};
use crate::exchange::{About, Operation, Repository, call_undenied};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, IndexStatus, TableDescription, TableStatus,
    TimeToLiveSpecification,
};
use std::convert::Infallible;
use std::error::Error as _;

/// Makes the tables of an entity, or looks at them.
pub(super) struct Maker<'a> {
    repository: &'a Repository,
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

    fn client(&self) -> &'a Client {
        self.repository.client()
    }

    async fn send<O: Operation<Denial = Infallible>>(&self, table: &str, operation: O) -> Result<O::Wanted, Error> {
        call_undenied(self.repository, About::new(self.operation, self.entity, table), operation).await
    }

    pub(super) async fn create_all(&self, tables: Vec<Plan>, options: &TableOptions) -> Result<(), Error> {
        for table in tables {
            let created = async {
                if !self.create(&table, options).await? {
                    self.wait_until_active(&table.name).await?;
                    self.mend(&table, options).await?;
                }
                self.wait_until_active(&table.name).await?;
                self.turn_ttl_on(&table).await
            };
            created.await.map_err(|error: Error| error.with_context(|| self.context()))?;
        }
        Ok(())
    }

    /// Makes the table; whether it was not there yet.
    async fn create(&self, table: &Plan, options: &TableOptions) -> Result<bool, Error> {
        let throughput = options.throughput()?;
        let create = self
            .client()
            .create_table()
            .table_name(&table.name)
            .billing_mode(options.billing())
            .set_key_schema(Some(table.key_schema()?))
            .set_attribute_definitions(Some(table.attribute_definitions()?))
            .set_global_secondary_indexes(table.global_indexes(throughput.as_ref())?)
            .set_local_secondary_indexes(table.local_indexes()?)
            .set_provisioned_throughput(throughput)
            .set_stream_specification(options.stream_specification(table.is_main)?)
            .set_deletion_protection_enabled(options.is_protected().then_some(true))
            .set_tags(options.tags()?);
        match self.send(&table.name, create).await {
            Ok(_) => Ok(true),
            Err(error) if is_in_use(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Adds what a table lacks. What cannot be added is an error, before anything is.
    async fn mend(&self, table: &Plan, options: &TableOptions) -> Result<(), Error> {
        let Some(there) = self.describe(&table.name).await? else { return Ok(()) };
        let mismatches = table.mismatches(&there, options);
        let mismatches: Vec<Mismatch> = mismatches.into_iter().filter(|what| !what.is_of_others()).collect();
        let for_good = mismatches.iter().filter(|what| !what.can_be_mended()).cloned();
        refuse(table, for_good.collect())?;
        if mismatches.iter().any(|what| matches!(what, Mismatch::StreamOff { .. })) {
            let update = self.client().update_table().table_name(&table.name);
            let update = update.set_stream_specification(options.stream_specification(table.is_main)?);
            self.send(&table.name, update).await?;
            self.wait_until_active(&table.name).await?;
        }
        if mismatches.contains(&Mismatch::Unprotected) {
            let update = self.client().update_table().table_name(&table.name).deletion_protection_enabled(true);
            self.send(&table.name, update).await?;
            self.wait_until_active(&table.name).await?;
        }
        // DynamoDB makes one index at a time.
        for what in &mismatches {
            if let Mismatch::IndexNotActive { index, .. } = what {
                self.wait_until_indexed(table, index).await?;
            }
        }
        let is_missing = |plan: &&IndexPlan| {
            let is_this =
                |what: &Mismatch| matches!(what, Mismatch::IndexMissing { index, .. } if index == plan.index.name);
            mismatches.iter().any(is_this)
        };
        for plan in table.indexes.iter().filter(is_missing) {
            self.add_index(table, plan, &there).await?;
        }
        Ok(())
    }

    /// Adds a global index, and waits until it has all items: DynamoDB adds one at a time.
    async fn add_index(&self, table: &Plan, plan: &IndexPlan, there: &TableDescription) -> Result<(), Error> {
        let units = there.provisioned_throughput().filter(|units| units.read_capacity_units().unwrap_or_default() > 0);
        let units = units.map(|units| {
            aws_sdk_dynamodb::types::ProvisionedThroughput::builder()
                .set_read_capacity_units(units.read_capacity_units())
                .set_write_capacity_units(units.write_capacity_units())
                .build()
        });
        let create = CreateGlobalSecondaryIndexAction::builder()
            .index_name(plan.index.name)
            .set_key_schema(Some(index_key(plan.index)?))
            .projection(plan.projection())
            // As the table is billed.
            .set_provisioned_throughput(units.transpose().map_err(build_error)?)
            .build()
            .map_err(build_error)?;
        // DynamoDB refuses those that stand in no key, as of an index that comes later.
        let mut definitions = table.attribute_definitions()?;
        definitions.retain(|definition| plan.index.keys().any(|key| key.name == definition.attribute_name()));
        let update = self
            .client()
            .update_table()
            .table_name(&table.name)
            .set_attribute_definitions(Some(definitions))
            .global_secondary_index_updates(GlobalSecondaryIndexUpdate::builder().create(create).build());
        self.send(&table.name, update).await?;
        self.wait_until_indexed(table, plan.index.name).await
    }

    async fn wait_until_indexed(&self, table: &Plan, index: &str) -> Result<(), Error> {
        let mut looks = Looks::default();
        loop {
            let there = self.describe(&table.name).await?;
            let mut indexes = there.iter().flat_map(TableDescription::global_secondary_indexes);
            match indexes.find(|there| there.index_name() == Some(index)).map(|there| there.index_status()) {
                Some(Some(IndexStatus::Active)) => break,
                Some(_) => {}
                None => {
                    let message =
                        format!("the index `{index}` of the table `{}` was removed while it was made", table.name);
                    return Err(Error::new(ErrorKind::Service, message));
                }
            }
            looks.pause(self.repository, || format!("the index `{index}` is not active yet")).await?;
        }
        self.wait_until_active(&table.name).await
    }

    /// What is there; `None` if there is no table.
    async fn describe(&self, table: &str) -> Result<Option<TableDescription>, Error> {
        match self.send(table, self.client().describe_table().table_name(table)).await {
            Ok(described) => Ok(described.table),
            Err(error) if error.is_table_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits until the table can be used. (The SDK has a waiter for that. It sends by itself, where nothing counts it, looks
    /// for the second time after 20 seconds, and waits to the end for what cannot come any more.)
    async fn wait_until_active(&self, table: &str) -> Result<(), Error> {
        let mut looks = Looks::default();
        loop {
            let there = self.describe(table).await?;
            let status = there.as_ref().and_then(TableDescription::table_status);
            let is_over = match status {
                Some(TableStatus::Active) => return Ok(()),
                Some(status) => !is_passing(status),
                // Who has just made it may not see it yet.
                None => false,
            };
            let status = status.map_or("missing", TableStatus::as_str);
            if is_over {
                let message = format!(
                    "the table `{table}` is {status}, and does not become active by itself: call `create_table` again when it is gone or restored"
                );
                return Err(Error::new(ErrorKind::Service, message));
            }
            if looks.waited >= WAIT {
                let minutes = WAIT.as_secs() / 60;
                let message = format!(
                    "the table `{table}` is {status}, after {minutes} minutes still: call `create_table` again, which goes on"
                );
                return Err(Error::new(ErrorKind::Service, message));
            }
            looks.pause(self.repository, || format!("the table `{table}` is {status}")).await?;
        }
    }

    async fn ttl_mismatch(&self, table: &Plan) -> Result<Option<Mismatch>, Error> {
        if table.ttl.is_none() {
            return Ok(None);
        }
        let describe = self.client().describe_time_to_live().table_name(&table.name);
        let described = self.send(&table.name, describe).await?;
        Ok(table.ttl_mismatch(described.time_to_live_description()))
    }

    async fn turn_ttl_on(&self, table: &Plan) -> Result<(), Error> {
        let attribute = match self.ttl_mismatch(table).await? {
            None => return Ok(()),
            Some(Mismatch::TtlOff { attribute }) => attribute,
            Some(other) => return refuse(table, vec![other]),
        };
        let specification =
            TimeToLiveSpecification::builder().enabled(true).attribute_name(attribute).build().map_err(build_error)?;
        let update = self.client().update_time_to_live().table_name(&table.name);
        self.send(&table.name, update.time_to_live_specification(specification)).await.map(drop)
    }

    pub(super) async fn verify_all(&self, tables: Vec<Plan>, options: &TableOptions) -> Result<Vec<Difference>, Error> {
        let mut differences = Vec::new();
        for table in tables {
            let found = async {
                let Some(there) = self.describe(&table.name).await? else { return Ok(vec![Mismatch::TableMissing]) };
                let mut found = table.mismatches(&there, options);
                found.extend(self.ttl_mismatch(&table).await?);
                Ok(found)
            };
            let found = found.await.map_err(|error: Error| error.with_context(|| self.context()))?;
            differences.extend(found.into_iter().map(|what| Difference { table: table.name.clone(), what }));
        }
        Ok(differences)
    }
}

/// The error of what is otherwise for good, if anything is.
fn refuse(table: &Plan, for_good: Vec<Mismatch>) -> Result<(), Error> {
    let differences = for_good.into_iter().map(|what| Difference { table: table.name.clone(), what }.to_string());
    let differences: Vec<String> = differences.collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::TableDiffers, differences.join("; ")))
}

fn is_in_use(error: &Error) -> bool {
    let answer = error.source().and_then(|source| source.downcast_ref::<SdkError<CreateTableError>>());
    let error = answer.and_then(SdkError::as_service_error);
    error.is_some_and(CreateTableError::is_resource_in_use_exception)
}
