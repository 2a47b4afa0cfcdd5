//! The tables and permissions of your entities as files for other tools: a CloudFormation template, a Terraform configuration, an IAM
//! policy.
//!
//! The files are made from the same plans as [`create_table`](Repository::create_table) and
//! [`verify_table`](Repository::verify_table), so nothing is written twice, and nothing can be forgotten: the tables of
//! histories, idempotency keys and unique values, the keys of an index, the TTL of tombstones. Put the files into your repository, and
//! compare them in a test. A change of an entity that needs a change of a table then fails the test, and the difference of the file is
//! reviewed and deployed like any other:
//!
//! ```no_run
//! use dyno::aws_sdk_dynamodb::{Client, Config};
//! use dyno::model::Model;
//! use dyno::{Entity, Repository, TableOptions};
//!
//! #[derive(Entity)]
//! #[entity(table = "orders")]
//! #[tombstone(ttl_days = 7)]
//! #[history_table]
//! #[index(name = "by_status", partition = status)]
//! struct Order {
//!     #[partition_key]
//!     id: String,
//!     status: String,
//!     #[version]
//!     version: u64,
//! }
//!
//! // In a test:
//! fn the_files_are_what_the_entities_declare() -> Result<(), Box<dyn std::error::Error>> {
//!     let client = Client::from_conf(Config::builder().build());
//!     let repository = Repository::new(client).with_table_prefix("shop-");
//!     let protected = TableOptions::default().deletion_protection();
//!     let model = Model::new(&repository).options(protected).table::<Order>();
//!     model.cloudformation()?.same_as("infrastructure/tables.json")?;
//!     model.terraform()?.same_as("infrastructure/tables.tf.json")?;
//!     let tables = "arn:aws:dynamodb:eu-central-1:123456789012:table/";
//!     model.policy(tables)?.same_as("infrastructure/policy.json")?;
//!     Ok(())
//! }
//! # fn main() {}
//! ```
//!
//! With `UPDATE_EXPECT=1` in its environment, the test writes the files. It sends no request: the repository gives the tables' names.
//!
//! # What the files have
//!
//! - **CloudFormation**: an `AWS::DynamoDB::Table` for each table, which is retained if the resource is removed or replaced.
//! - **Terraform**: an `aws_dynamodb_table` for each table, with `prevent_destroy`, for a file `*.tf.json`. The keys of global indexes
//!   are written as `key_schema`, because an index can have several attributes in each part; this needs a provider that knows
//!   `key_schema`, from 2026 (hashicorp/terraform-provider-aws#45357). Its provider cannot create vector indexes yet, and a table that has one is an error.
//! - **IAM**: a policy with the actions that the commands of the entities can send, on each table and index. They are more than a
//!   program sends in a quiet hour: the page on [permissions](crate::guide::permissions) has them for each command. The policy has no
//!   action that creates or describes tables, except `DescribeTable` for client-side transactions.
//!
//! Nothing reads such files back, and nothing deploys them.

mod cloudformation;
mod conflict;
mod create_table;
mod export;
mod planned_table;
mod policy;
mod resource_name;
mod terraform;

pub use export::{Export, Outdated};

use crate::command::RequestId;
use crate::entity::{Entities, Entity};
use crate::error::Error;
use crate::exchange::Repository;
use crate::lock::LockRow;
use crate::table::{Plan, TableOptions};
use conflict::conflict;
use planned_table::PlannedTable;
use policy::Permissions;

/// The tables of entities, to be exported: see the [module](self).
#[must_use = "nothing is exported before `cloudformation`, `terraform` or `policy`"]
pub struct Model<'a> {
    repository: &'a Repository,
    /// The options of the tables that are added next.
    options: TableOptions,
    tables: Vec<PlannedTable>,
    permissions: Permissions,
    /// The first error, which every export returns.
    error: Option<String>,
}

impl<'a> Model<'a> {
    /// Begins a model without tables. The tables have the names that they have in this repository: with its prefix, and with the names
    /// that were given to it.
    pub fn new(repository: &'a Repository) -> Self {
        let (options, tables, permissions) = (TableOptions::default(), Vec::new(), Permissions::default());
        Self { repository, options, tables, permissions, error: None }
    }

    /// Sets the options of the tables that are added after it. Before it, these are the options of
    /// [`create_table`](Repository::create_table): billed on demand, without a stream and without protection.
    pub fn options(mut self, options: TableOptions) -> Self {
        self.options = options;
        self
    }

    /// Adds `E`'s table, and the tables of its history, of its idempotency keys and of its unique values.
    ///
    /// Entities can have tables of the same name, such as one for unique values. They are one table, with the options of the first.
    pub fn table<E: Entity>(mut self) -> Self {
        let added = self.repository.tables::<E>().map(|tables| self.permissions.allow_entity(E::SCHEMA, &tables));
        let plans = added.and_then(|()| self.repository.plans::<E>());
        self.add(plans)
    }

    /// Adds the table that the entities in `C` share, with the indexes of all of them, and their other tables.
    pub fn shared_table<C: Entities>(mut self) -> Self {
        let added = C::__tables(self.repository).map(|tables| {
            for (schema, tables) in C::SCHEMAS.iter().zip(tables) {
                self.permissions.allow_entity(schema, &tables);
            }
        });
        let plans = added.and_then(|()| self.repository.shared_plans::<C>());
        self.add(plans)
    }

    /// Adds the lane table of client-side transactions.
    pub fn lane_table(mut self) -> Self {
        let added = self.repository.lane_table().map(|table| self.permissions.allow_lanes(table));
        let plans = added.and_then(|()| self.repository.lane_plans());
        self.add(plans)
    }

    /// Adds the table of the rows that [`Interactive::request_id`](crate::command::Interactive::request_id) makes.
    pub fn request_table(mut self) -> Self {
        let added = self.repository.table_name::<RequestId>().map(|table| self.permissions.allow_requests(table));
        let plans = added.and_then(|()| self.repository.plans::<RequestId>());
        self.add(plans)
    }

    /// Adds the table of the [locks](crate::lock).
    pub fn lock_table(mut self) -> Self {
        let added = self.repository.table_name::<LockRow>().map(|table| self.permissions.allow_locks(table));
        let plans = added.and_then(|()| self.repository.plans::<LockRow>());
        self.add(plans)
    }

    /// Returns the tables as a template of CloudFormation, in JSON.
    ///
    /// # Errors
    /// Two entities need different tables of one name, a table is named by its ARN, two names are one in the template, an entity has no
    /// table, or the options are invalid.
    pub fn cloudformation(&self) -> Result<Export, Error> {
        self.check()?;
        Ok(Export::new(&cloudformation::template(self.repository.client(), &self.tables)?))
    }

    /// Returns the tables as a configuration of Terraform, in JSON.
    ///
    /// # Errors
    /// Those of [`cloudformation`](Self::cloudformation); or a table has a vector index.
    pub fn terraform(&self) -> Result<Export, Error> {
        self.check()?;
        Ok(Export::new(&terraform::configuration(self.repository.client(), &self.tables)?))
    }

    /// Returns a policy of IAM with the actions that the commands of the entities can send. `tables` is the ARN of the tables up to
    /// their names: `arn:aws:dynamodb:eu-central-1:123456789012:table/`. The region and the account can be `*`. A table that is named
    /// by its ARN keeps it.
    ///
    /// # Errors
    /// `tables` is no such ARN, an entity has no table, or two entities need different tables of one name.
    pub fn policy(&self, tables: &str) -> Result<Export, Error> {
        self.check()?;
        Ok(Export::new(&self.permissions.policy(tables)?))
    }

    fn check(&self) -> Result<(), Error> {
        self.error.as_ref().map_or(Ok(()), |message| Err(Error::invalid(message)))
    }

    fn add(mut self, plans: Result<Vec<Plan>, Error>) -> Self {
        let added = plans.and_then(|plans| plans.into_iter().try_for_each(|plan| self.add_plan(plan)));
        if let Err(error) = added {
            self.error.get_or_insert(error.to_string());
        }
        self
    }

    /// Adds a table, or the needs of one more entity to a table.
    fn add_plan(&mut self, plan: Plan) -> Result<(), Error> {
        let Some(known) = self.tables.iter_mut().find(|known| known.plan.name == plan.name) else {
            self.tables.push(PlannedTable { plan, options: self.options.clone() });
            return Ok(());
        };
        if let Some(difference) = conflict(&known.plan, &plan) {
            let table = &plan.name;
            return Err(Error::invalid(format!("two entities need the table `{table}` with {difference}")));
        }
        known.plan.merge(plan);
        Ok(())
    }
}
