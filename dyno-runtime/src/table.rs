//! Tables from schemas: made, and compared with what is there. What they are to be is in `plan`, how they differ in
//! `difference`, how they are asked for and waited for in `request`.
//!
//! Making a table takes several requests, and any of them may be the last. So `create_table` does what is missing:
//! run again, it finishes what an earlier run began.

mod difference;
mod options;
mod plan;
mod request;

pub use difference::{Difference, Mismatch};
pub use options::TableOptions;

use crate::entity::{Entities, Entity};
use crate::error::{Context, Error, ErrorKind};
use crate::exchange::Repository;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, TableDescription, TimeToLiveSpecification,
};
use plan::{IndexPlan, Plan, build_error, index_key, merge, plan};

impl Repository {
    /// Creates `E`'s table with its indexes, billed on demand, waits until it is active, and turns TTL on where the entity
    /// has it; and the tables of its history and of its idempotency keys, where these are its own.
    ///
    /// What a table that is there already lacks is added, as far as DynamoDB allows that: TTL, and global indexes, one after
    /// the other, each of which is waited for until it has all items. (In a large table that can take hours; broken off, it
    /// goes on, and so does the next call.) Costs requests, and a new index its writes: `CreateTable`, `DescribeTable` until
    /// it is active, `UpdateTable` for each index, and with TTL `DescribeTimeToLive` and `UpdateTimeToLive`.
    ///
    /// # Errors
    /// [`ErrorKind::TableDiffers`] if the table that is there is another one in what cannot be changed, which the error
    /// names, or those of the service.
    pub async fn create_table<E: Entity>(&self) -> Result<(), Error> {
        self.create_table_with::<E>(&TableOptions::default()).await
    }

    /// [`create_table`](Self::create_table) with these options. Stream and protection are added to a table that is there;
    /// its billing and its tags are left as they are.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_table_with<E: Entity>(&self, options: &TableOptions) -> Result<(), Error> {
        self.create_all(E::SCHEMA.entity, plan(E::SCHEMA, self.tables::<E>()?), options).await
    }

    /// Creates the table that the entities in `C` share, with the indexes of all of them; else as
    /// [`create_table`](Self::create_table) does.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_shared_table<C: Entities>(&self) -> Result<(), Error> {
        self.create_shared_table_with::<C>(&TableOptions::default()).await
    }

    /// [`create_shared_table`](Self::create_shared_table) with these options.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_shared_table_with<C: Entities>(&self, options: &TableOptions) -> Result<(), Error> {
        self.create_all(first_of::<C>(), self.shared_plans::<C>()?, options).await
    }

    /// Compares `E`'s table with what the entity needs, and those of its history and idempotency keys: every difference, and
    /// none if all is well. Changes nothing: a `DescribeTable` for each table, and with TTL a `DescribeTimeToLive`.
    ///
    /// What a table has beyond that (indexes of others, other billing, a stream) is no difference.
    ///
    /// ```no_run
    /// # use dyno::{Entity, Repository};
    /// # #[derive(Entity)] #[entity(table = "ratings")] struct Rating { #[partition_key] id: String }
    /// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
    /// let differences = repository.verify_table::<Rating>().await?;
    /// assert!(differences.is_empty(), "{differences:?}");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of the service. That there is no table is a difference.
    pub async fn verify_table<E: Entity>(&self) -> Result<Vec<Difference>, Error> {
        self.verify_table_with::<E>(&TableOptions::default()).await
    }

    /// [`verify_table`](Self::verify_table), and whether there are the stream and the protection of these options.
    ///
    /// # Errors
    /// As for [`verify_table`](Self::verify_table).
    pub async fn verify_table_with<E: Entity>(&self, options: &TableOptions) -> Result<Vec<Difference>, Error> {
        self.verify_all(E::SCHEMA.entity, plan(E::SCHEMA, self.tables::<E>()?), options).await
    }

    /// [`verify_table`](Self::verify_table) for the table that the entities in `C` share.
    ///
    /// # Errors
    /// As for [`verify_table`](Self::verify_table).
    pub async fn verify_shared_table<C: Entities>(&self) -> Result<Vec<Difference>, Error> {
        self.verify_shared_table_with::<C>(&TableOptions::default()).await
    }

    /// [`verify_table_with`](Self::verify_table_with) for the table that the entities in `C` share.
    ///
    /// # Errors
    /// As for [`verify_table`](Self::verify_table).
    pub async fn verify_shared_table_with<C: Entities>(
        &self,
        options: &TableOptions,
    ) -> Result<Vec<Difference>, Error> {
        self.verify_all(first_of::<C>(), self.shared_plans::<C>()?, options).await
    }

    fn shared_plans<C: Entities>(&self) -> Result<Vec<Plan>, Error> {
        let tables = C::__tables(self)?;
        let plans = C::SCHEMAS.iter().zip(tables).flat_map(|(schema, tables)| plan(schema, tables));
        Ok(plans.fold(Vec::new(), merge))
    }

    async fn create_all(&self, entity: &'static str, tables: Vec<Plan>, options: &TableOptions) -> Result<(), Error> {
        for table in tables {
            let created = async {
                if !self.create(&table, options).await? {
                    self.wait_until_active(&table.name).await?;
                    self.mend(&table, options).await?;
                }
                self.wait_until_active(&table.name).await?;
                self.turn_ttl_on(&table).await
            };
            created.await.map_err(|error: Error| {
                error.with_context(|| Context { operation: "create_table", entity, key: None })
            })?;
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
        match self.about_table("create_table", &table.name, create.send()).await {
            Ok(_) => Ok(true),
            Err(error) if is_in_use(&error) => Ok(false),
            Err(error) => Err(Error::sdk(error)),
        }
    }

    /// Adds what a table lacks. What cannot be added is an error, before anything is.
    async fn mend(&self, table: &Plan, options: &TableOptions) -> Result<(), Error> {
        let Some(there) = self.describe(&table.name).await? else { return Ok(()) };
        let mismatches = table.mismatches(&there, options);
        let mismatches: Vec<Mismatch> = mismatches.into_iter().filter(|what| !what.is_of_regions()).collect();
        let for_good = mismatches.iter().filter(|what| !what.can_be_mended()).cloned();
        refuse(table, for_good.collect())?;
        if mismatches.iter().any(|what| matches!(what, Mismatch::StreamOff { .. })) {
            let update = self.client().update_table().table_name(&table.name);
            let update = update.set_stream_specification(options.stream_specification(table.is_main)?);
            self.about_table("update_table", &table.name, update.send()).await.map_err(Error::sdk)?;
            self.wait_until_active(&table.name).await?;
        }
        if mismatches.contains(&Mismatch::Unprotected) {
            let update = self.client().update_table().table_name(&table.name).deletion_protection_enabled(true);
            self.about_table("update_table", &table.name, update.send()).await.map_err(Error::sdk)?;
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
        self.about_table("update_table", &table.name, update.send()).await.map_err(Error::sdk)?;
        self.wait_until_indexed(table, plan.index.name).await
    }

    async fn ttl_mismatch(&self, table: &Plan) -> Result<Option<Mismatch>, Error> {
        if table.ttl.is_none() {
            return Ok(None);
        }
        let describe = self.client().describe_time_to_live().table_name(&table.name).send();
        let described = self.about_table("describe_time_to_live", &table.name, describe).await.map_err(Error::sdk)?;
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
        let update = update.time_to_live_specification(specification).send();
        self.about_table("update_time_to_live", &table.name, update).await.map(drop).map_err(Error::sdk)
    }

    async fn verify_all(
        &self,
        entity: &'static str,
        tables: Vec<Plan>,
        options: &TableOptions,
    ) -> Result<Vec<Difference>, Error> {
        let mut differences = Vec::new();
        for table in tables {
            let found = async {
                let Some(there) = self.describe(&table.name).await? else { return Ok(vec![Mismatch::TableMissing]) };
                let mut found = table.mismatches(&there, options);
                found.extend(self.ttl_mismatch(&table).await?);
                Ok(found)
            };
            let found = found.await.map_err(|error: Error| {
                error.with_context(|| Context { operation: "verify_table", entity, key: None })
            })?;
            differences.extend(found.into_iter().map(|what| Difference { table: table.name.clone(), what }));
        }
        Ok(differences)
    }
}

fn first_of<C: Entities>() -> &'static str {
    C::SCHEMAS.first().map_or("", |schema| schema.entity)
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

fn is_in_use<R>(error: &SdkError<CreateTableError, R>) -> bool {
    matches!(error.as_service_error(), Some(CreateTableError::ResourceInUseException(_)))
}
