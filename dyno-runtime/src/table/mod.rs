//! Creates tables from schemas, and compares them with existing ones. `table_plan` has the tables as they must be, `compare_tables`
//! their differences; `create_table` and `add_missing` send the requests.

mod add_missing;
mod compare_tables;
mod create_table;
mod differences;
#[cfg(feature = "inspection")]
mod inspect;
#[cfg(feature = "inspection")]
mod inspect_row;
#[cfg(feature = "inspection")]
mod inspection;
#[cfg(feature = "transactions")]
mod lane_table;
mod options;
#[cfg(feature = "transactions")]
mod requests;
mod sdk_parts;
mod table_plan;
mod vector_differences;
mod vector_plan;
mod wait_for_table;

pub use compare_tables::{Difference, Mismatch};
pub use differences::Differences;
#[cfg(feature = "inspection")]
pub use inspection::{Finding, Inspection, Remedy, RowFinding};
pub use options::TableOptions;

use crate::entity::{Entities, Entity};
use crate::error::Error;
use crate::exchange::{Repository, Sending};
#[cfg(feature = "model")]
pub(crate) use create_table::creation;
pub(crate) use table_plan::Plan;

use create_table::Maker;
use options::DEFAULT_OPTIONS;
use table_plan::{merge, plan};

impl Repository {
    /// Creates `E`'s table with its indexes, billed on demand, waits until it is active, and turns TTL on if the entity has it.
    /// Does the same for the tables of its history and of its idempotency keys, if these are separate tables.
    ///
    /// If a table exists already, it adds what the table lacks, as far as DynamoDB allows: TTL, and global indexes, one after the
    /// other, waiting for each until it has all items. (In a large table this can take hours. If the program stops, DynamoDB
    /// continues, and so does the next call.) Costs requests, and a new index its writes: `CreateTable`, `DescribeTable` until
    /// the table is active, `UpdateTable` for each index, and with TTL `DescribeTimeToLive` and `UpdateTimeToLive`.
    ///
    /// Several programs may call it for one table at the same time, for example when all instances of a service start. If
    /// DynamoDB refuses a request because another program has made the same change, or is making it, this looks at the table
    /// again.
    ///
    /// # Errors
    /// [`ErrorKind::TableDiffers`](crate::ErrorKind::TableDiffers) if the existing table differs in something that cannot be
    /// changed, which the error names; or those of the service.
    #[must_use = "nothing is sent until it is awaited"]
    pub fn create_table<E: Entity>(&self) -> Sending<'_, ()> {
        self.create_table_with::<E>(&DEFAULT_OPTIONS)
    }

    /// Like [`create_table`](Self::create_table), with these options. Stream and protection are added to an existing table; its
    /// billing and its tags stay as they are.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn create_table_with<'a, E: Entity>(&'a self, options: &'a TableOptions) -> Sending<'a, ()> {
        self.create_all("create_table", E::SCHEMA.entity, self.plans::<E>(), options)
    }

    /// Creates the table that the entities in `C` share, with the indexes of all of them; otherwise as
    /// [`create_table`](Self::create_table) does.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn create_shared_table<C: Entities>(&self) -> Sending<'_, ()> {
        self.create_shared_table_with::<C>(&DEFAULT_OPTIONS)
    }

    /// Like [`create_shared_table`](Self::create_shared_table), with these options.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn create_shared_table_with<'a, C: Entities>(&'a self, options: &'a TableOptions) -> Sending<'a, ()> {
        self.create_all("create_table", first_of::<C>(), self.shared_plans::<C>(), options)
    }

    /// Compares `E`'s table, and those of its history and idempotency keys, with what the entity needs. Returns every difference,
    /// and none if all is well. Changes nothing: a `DescribeTable` for each table, and with TTL a `DescribeTimeToLive`.
    ///
    /// Anything more that a table has (other programs' indexes, other billing, a stream) is no difference.
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
    /// Those of the service. A missing table is not an error but a difference.
    #[must_use = "nothing is sent until it is awaited"]
    pub fn verify_table<E: Entity>(&self) -> Sending<'_, Differences> {
        self.verify_table_with::<E>(&DEFAULT_OPTIONS)
    }

    /// Like [`verify_table`](Self::verify_table), and also checks the stream and the protection of these options.
    ///
    /// # Errors
    /// As for [`verify_table`](Self::verify_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn verify_table_with<'a, E: Entity>(&'a self, options: &'a TableOptions) -> Sending<'a, Differences> {
        self.verify_all("verify_table", E::SCHEMA.entity, self.plans::<E>(), options)
    }

    /// Like [`verify_table`](Self::verify_table), for the table that the entities in `C` share.
    ///
    /// # Errors
    /// As for [`verify_table`](Self::verify_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn verify_shared_table<C: Entities>(&self) -> Sending<'_, Differences> {
        self.verify_shared_table_with::<C>(&DEFAULT_OPTIONS)
    }

    /// Like [`verify_table_with`](Self::verify_table_with), for the table that the entities in `C` share.
    ///
    /// # Errors
    /// As for [`verify_table`](Self::verify_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn verify_shared_table_with<'a, C: Entities>(&'a self, options: &'a TableOptions) -> Sending<'a, Differences> {
        self.verify_all("verify_table", first_of::<C>(), self.shared_plans::<C>(), options)
    }

    /// Creates planned tables. Not generic, so that its type names no entity: see [`Sending`].
    fn create_all<'a>(
        &'a self,
        operation: &'static str,
        entity: &'static str,
        plans: Result<Vec<Plan>, Error>,
        options: &'a TableOptions,
    ) -> Sending<'a, ()> {
        Box::pin(async move { Maker::new(self, operation, entity).create_all(plans?, options).await })
    }

    /// Compares planned tables with those that exist, as [`create_all`](Self::create_all) creates them.
    fn verify_all<'a>(
        &'a self,
        operation: &'static str,
        entity: &'static str,
        plans: Result<Vec<Plan>, Error>,
        options: &'a TableOptions,
    ) -> Sending<'a, Differences> {
        Box::pin(
            async move { Maker::new(self, operation, entity).verify_all(plans?, options).await.map(Differences::new) },
        )
    }

    pub(crate) fn plans<E: Entity>(&self) -> Result<Vec<Plan>, Error> {
        Ok(plan(E::SCHEMA, self.tables::<E>()?))
    }

    pub(crate) fn shared_plans<C: Entities>(&self) -> Result<Vec<Plan>, Error> {
        let tables = C::__tables(self)?;
        let plans = C::SCHEMAS.iter().zip(tables).flat_map(|(schema, tables)| plan(schema, tables));
        Ok(plans.fold(Vec::new(), merge))
    }
}

fn first_of<C: Entities>() -> &'static str {
    C::SCHEMAS.first().map_or("", |schema| schema.entity)
}
