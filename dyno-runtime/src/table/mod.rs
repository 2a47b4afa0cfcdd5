//! Tables from schemas: made, and compared with what is there. What they are to be is in `plan`, how they differ in
//! `difference`; `maker` and `complete` send the requests.

mod complete;
mod difference;
mod differences;
mod looks;
mod maker;
mod options;
mod plan;
#[cfg(feature = "derive")]
mod requests;

pub use difference::{Difference, Mismatch};
pub use differences::Differences;
pub use options::TableOptions;

use crate::entity::{Entities, Entity};
use crate::error::Error;
use crate::exchange::{Repository, Sending};
use maker::Maker;
use plan::{Plan, lane_plan, merge, plan};

impl Repository {
    /// Creates `E`'s table with its indexes, billed on demand, waits until it is active, and turns TTL on where the entity
    /// has it; and the tables of its history and of its idempotency keys, where these are its own.
    ///
    /// What a table that is there already lacks is added, as far as DynamoDB allows that: TTL, and global indexes, one after
    /// the other, each of which is waited for until it has all items. (In a large table that can take hours; broken off, it
    /// goes on, and so does the next call.) Costs requests, and a new index its writes: `CreateTable`, `DescribeTable` until
    /// it is active, `UpdateTable` for each index, and with TTL `DescribeTimeToLive` and `UpdateTimeToLive`.
    ///
    /// Several programs may call it for one table at the same time, as when all instances of a service start. What DynamoDB
    /// refuses because another program has made it, or is making it, is looked at again.
    ///
    /// # Errors
    /// [`ErrorKind::TableDiffers`](crate::ErrorKind::TableDiffers) if the table that is there is another one in what cannot
    /// be changed, which the error names, or those of the service.
    #[must_use = "nothing is sent until it is awaited"]
    pub fn create_table<E: Entity>(&self) -> Sending<'_, ()> {
        self.create_all("create_table", E::SCHEMA.entity, self.plans::<E>(), None)
    }

    /// [`create_table`](Self::create_table) with these options. Stream and protection are added to a table that is there;
    /// its billing and its tags are left as they are.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn create_table_with<'a, E: Entity>(&'a self, options: &'a TableOptions) -> Sending<'a, ()> {
        self.create_all("create_table", E::SCHEMA.entity, self.plans::<E>(), Some(options))
    }

    /// Creates the table that the entities in `C` share, with the indexes of all of them; else as
    /// [`create_table`](Self::create_table) does.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn create_shared_table<C: Entities>(&self) -> Sending<'_, ()> {
        self.create_all("create_table", first_of::<C>(), self.shared_plans::<C>(), None)
    }

    /// [`create_shared_table`](Self::create_shared_table) with these options.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn create_shared_table_with<'a, C: Entities>(&'a self, options: &'a TableOptions) -> Sending<'a, ()> {
        self.create_all("create_table", first_of::<C>(), self.shared_plans::<C>(), Some(options))
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
    #[must_use = "nothing is sent until it is awaited"]
    pub fn verify_table<E: Entity>(&self) -> Sending<'_, Differences> {
        self.verify_all("verify_table", E::SCHEMA.entity, self.plans::<E>(), None)
    }

    /// [`verify_table`](Self::verify_table), and whether there are the stream and the protection of these options.
    ///
    /// # Errors
    /// As for [`verify_table`](Self::verify_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn verify_table_with<'a, E: Entity>(&'a self, options: &'a TableOptions) -> Sending<'a, Differences> {
        self.verify_all("verify_table", E::SCHEMA.entity, self.plans::<E>(), Some(options))
    }

    /// [`verify_table`](Self::verify_table) for the table that the entities in `C` share.
    ///
    /// # Errors
    /// As for [`verify_table`](Self::verify_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn verify_shared_table<C: Entities>(&self) -> Sending<'_, Differences> {
        self.verify_all("verify_table", first_of::<C>(), self.shared_plans::<C>(), None)
    }

    /// [`verify_table_with`](Self::verify_table_with) for the table that the entities in `C` share.
    ///
    /// # Errors
    /// As for [`verify_table`](Self::verify_table).
    #[must_use = "nothing is sent until it is awaited"]
    pub fn verify_shared_table_with<'a, C: Entities>(&'a self, options: &'a TableOptions) -> Sending<'a, Differences> {
        self.verify_all("verify_table", first_of::<C>(), self.shared_plans::<C>(), Some(options))
    }

    /// Creates the lane table, which says of transactions of many requests what became of them: partition key `lane`, sort key
    /// `part`, both texts, TTL attribute `ttl`, billed on demand. What is there already is completed as
    /// [`create_table`](Self::create_table) does it, with the same requests and the same cost.
    ///
    /// Its name is `dyno-lanes` behind the prefix, or what [`with_lane_table`](Self::with_lane_table) says. It stays small: a
    /// row for each transaction that was ever under way at once. It must never be deleted, nor restored, while items are held
    /// by transactions: nobody could tell what became of them.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_lane_table(&self) -> Result<(), Error> {
        self.create_lane_table_with(&TableOptions::default()).await
    }

    /// [`create_lane_table`](Self::create_lane_table) with these options: protection against being deleted is a good one.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_lane_table_with(&self, options: &TableOptions) -> Result<(), Error> {
        Maker::new(self, "create_lane_table", LANES).create_all(vec![lane_plan(self.lane_table()?)], options).await
    }

    /// Compares the lane table with what transactions of many requests need: every difference, and none if all is well.
    /// Changes nothing: a `DescribeTable` and a `DescribeTimeToLive`.
    ///
    /// # Errors
    /// Those of the service. That there is no table is a difference.
    pub async fn verify_lane_table(&self) -> Result<Differences, Error> {
        self.verify_lane_table_with(&TableOptions::default()).await
    }

    /// [`verify_lane_table`](Self::verify_lane_table), and whether there are the stream and the protection of these options.
    ///
    /// # Errors
    /// As for [`verify_lane_table`](Self::verify_lane_table).
    pub async fn verify_lane_table_with(&self, options: &TableOptions) -> Result<Differences, Error> {
        let maker = Maker::new(self, "verify_lane_table", LANES);
        maker.verify_all(vec![lane_plan(self.lane_table()?)], options).await.map(Differences::new)
    }

    /// Creates planned tables. Not generic, and its type names no entity: see [`Sending`].
    fn create_all<'a>(
        &'a self,
        operation: &'static str,
        entity: &'static str,
        plans: Result<Vec<Plan>, Error>,
        options: Option<&'a TableOptions>,
    ) -> Sending<'a, ()> {
        Box::pin(async move {
            let (maker, default) = (Maker::new(self, operation, entity), TableOptions::default());
            maker.create_all(plans?, options.unwrap_or(&default)).await
        })
    }

    /// Compares planned tables with those that exist, as [`create_all`](Self::create_all) creates them.
    fn verify_all<'a>(
        &'a self,
        operation: &'static str,
        entity: &'static str,
        plans: Result<Vec<Plan>, Error>,
        options: Option<&'a TableOptions>,
    ) -> Sending<'a, Differences> {
        Box::pin(async move {
            let (maker, default) = (Maker::new(self, operation, entity), TableOptions::default());
            maker.verify_all(plans?, options.unwrap_or(&default)).await.map(Differences::new)
        })
    }

    fn plans<E: Entity>(&self) -> Result<Vec<Plan>, Error> {
        Ok(plan(E::SCHEMA, self.tables::<E>()?))
    }

    fn shared_plans<C: Entities>(&self) -> Result<Vec<Plan>, Error> {
        let tables = C::__tables(self)?;
        let plans = C::SCHEMAS.iter().zip(tables).flat_map(|(schema, tables)| plan(schema, tables));
        Ok(plans.fold(Vec::new(), merge))
    }
}

/// In errors and spans, where others have an entity.
const LANES: &str = "lanes";

fn first_of<C: Entities>() -> &'static str {
    C::SCHEMAS.first().map_or("", |schema| schema.entity)
}
