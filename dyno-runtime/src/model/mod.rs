//! The tables and permissions of your entities as files for other tools and people: a CloudFormation template, a Terraform
//! configuration, an IAM policy, a page in Markdown.
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
//! - **Markdown**: a [page](Model::page) for people: tables, indexes, entities with their rules and attributes, and the access patterns
//!   that you [add](Model::pattern), each with its request.
//!
//! Nothing reads such files back, and nothing deploys them.

mod cloudformation;
mod conflict;
mod create_table;
mod entity_section;
mod export;
mod markdown;
mod page;
mod pattern;
mod planned_table;
mod policy;
mod resource_name;
mod terraform;

pub use export::{Export, Outdated};

use crate::command::RequestId;
use crate::entity::{Entities, Entity};
use crate::error::Error;
use crate::error::foreign_text::value;
use crate::exchange::{Repository, Request};
use crate::lock::LockRow;
use crate::schema::{Schema, Tables};
use crate::table::{Plan, TableOptions};
use conflict::conflict;
use pattern::Pattern;
use planned_table::PlannedTable;
use policy::Permissions;

/// The tables of entities, to be exported: see the [module](self).
#[must_use = "nothing is exported before `cloudformation`, `terraform`, `policy` or `page`"]
pub struct Model<'a> {
    repository: &'a Repository,
    /// The options of the tables that are added next.
    options: TableOptions,
    tables: Vec<PlannedTable>,
    entities: Vec<(&'static Schema, Tables)>,
    permissions: Permissions,
    patterns: Vec<Pattern>,
    /// The first error, which every export returns.
    error: Option<String>,
}

impl<'a> Model<'a> {
    /// Begins a model without tables. The tables have the names that they have in this repository: with its prefix, and with the names
    /// that were given to it.
    pub fn new(repository: &'a Repository) -> Self {
        Self {
            repository,
            options: TableOptions::default(),
            tables: Vec::new(),
            entities: Vec::new(),
            permissions: Permissions::default(),
            patterns: Vec::new(),
            error: None,
        }
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
        let added = self.repository.tables::<E>().map(|tables| self.add_entity(E::SCHEMA, tables));
        let plans = added.and_then(|()| self.repository.plans::<E>());
        self.add(plans, None)
    }

    /// Adds the table that the entities in `C` share, with the indexes of all of them, and their other tables.
    pub fn shared_table<C: Entities>(mut self) -> Self {
        let added = C::__tables(self.repository).map(|tables| {
            for (schema, tables) in C::SCHEMAS.iter().zip(tables) {
                self.add_entity(schema, tables);
            }
        });
        let plans = added.and_then(|()| self.repository.shared_plans::<C>());
        self.add(plans, None)
    }

    /// Adds the lane table of client-side transactions.
    pub fn lane_table(mut self) -> Self {
        let added = self.repository.lane_table().map(|table| self.permissions.allow_lanes(table));
        let plans = added.and_then(|()| self.repository.lane_plans());
        self.add(plans, Some("the records of client-side transactions"))
    }

    /// Adds the table of the rows that [`Interactive::request_id`](crate::command::Interactive::request_id) makes.
    pub fn request_table(mut self) -> Self {
        let added = self.repository.table_name::<RequestId>().map(|table| self.permissions.allow_requests(table));
        let plans = added.and_then(|()| self.repository.plans::<RequestId>());
        self.add(plans, Some("the names of requests that were served"))
    }

    /// Adds the table of the [locks](crate::lock).
    pub fn lock_table(mut self) -> Self {
        let added = self.repository.table_name::<LockRow>().map(|table| self.permissions.allow_locks(table));
        let plans = added.and_then(|()| self.repository.plans::<LockRow>());
        self.add(plans, Some("locks"))
    }

    /// Adds an access pattern to the page: a request that the program sends, with a name. A command's `request` returns it:
    /// `.pattern("orders by status", Order::by_status("open").request(&repository))`. Its values are examples, and the page does not
    /// show them.
    pub fn pattern(mut self, name: impl Into<String>, request: Result<Request, Error>) -> Self {
        let name = name.into();
        match request {
            Ok(request) => self.patterns.push(Pattern { name, request }),
            Err(error) => self.fail(format!("the pattern `{}`: {error}", value(&name))),
        }
        self
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

    /// Returns a page for people, in Markdown: the tables with their indexes, the entities with their rules and attributes, and the
    /// access patterns with their requests.
    ///
    /// # Errors
    /// Those of [`cloudformation`](Self::cloudformation), except of names. Or two patterns have one name, or a pattern uses a table that is
    /// not in the model.
    pub fn page(&self, title: &str) -> Result<Export, Error> {
        self.check()?;
        for (position, pattern) in self.patterns.iter().enumerate() {
            let name = value(&pattern.name);
            if self.patterns[..position].iter().any(|other| other.name == pattern.name) {
                return Err(Error::invalid(format!("two patterns have the name `{name}`")));
            }
            for outline in pattern.request.outlines() {
                if !self.tables.iter().any(|table| table.plan.name == outline.table) {
                    return Err(Error::invalid(format!(
                        "the pattern `{name}` uses the table `{}`, which is not in the model: add it with `table` or `shared_table`",
                        outline.table
                    )));
                }
            }
        }
        let client = self.repository.client();
        Ok(Export::of_text(page::page(title, client, &self.tables, &self.entities, &self.patterns)?))
    }

    fn check(&self) -> Result<(), Error> {
        self.error.as_ref().map_or(Ok(()), |message| Err(Error::invalid(message)))
    }

    fn add_entity(&mut self, schema: &'static Schema, tables: Tables) {
        self.permissions.allow_entity(schema, &tables);
        if !self.entities.iter().any(|(known, of)| std::ptr::eq(*known, schema) && *of == tables) {
            self.entities.push((schema, tables));
        }
    }

    fn add(mut self, plans: Result<Vec<Plan>, Error>, rows: Option<&'static str>) -> Self {
        let added = plans.and_then(|plans| plans.into_iter().try_for_each(|plan| self.add_plan(plan, rows)));
        if let Err(error) = added {
            self.fail(error.to_string());
        }
        self
    }

    /// Keeps the first error.
    fn fail(&mut self, message: String) {
        self.error.get_or_insert(message);
    }

    /// Adds a table, or the needs of one more entity to a table.
    fn add_plan(&mut self, plan: Plan, rows: Option<&'static str>) -> Result<(), Error> {
        let Some(known) = self.tables.iter_mut().find(|known| known.plan.name == plan.name) else {
            self.tables.push(PlannedTable { plan, options: self.options.clone(), rows });
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
