//! The tables and permissions of your entities as files for other tools and people: a CloudFormation template, a Terraform
//! configuration, an IAM policy, a page in Markdown; the [schema lock](#the-schema-lock), which finds changes of an entity that stored
//! items do not survive; and the [`Cost`] of commands.
//!
//! You write each table once, in the entity. The files include the tables that are easy to forget: those of histories, of idempotency
//! keys and of unique values. They are made from the same plans as [`create_table`](Repository::create_table) and
//! [`verify_table`](Repository::verify_table). Put the files into your repository, and compare them in a test. If you change an entity
//! so that its table must change, the test fails. You review and deploy the difference of the file:
//!
//! ```no_run
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
//! // In a test. The repository has the table prefix of the environment.
//! fn the_files_are_up_to_date(repository: &Repository) -> Result<(), Box<dyn std::error::Error>> {
//!     let protected = TableOptions::default().deletion_protection();
//!     let model = Model::new(repository).table_with::<Order>(&protected);
//!     model.cloudformation()?.same_as("infrastructure/tables.json")?;
//!     model.terraform()?.same_as("infrastructure/tables.tf.json")?;
//!     let tables = "arn:aws:dynamodb:eu-central-1:123456789012:table/";
//!     model.policy(tables)?.same_as("infrastructure/policy.json")?;
//!     let open = Order::by_status("open").request(repository);
//!     model.pattern("open orders", open).page("Tables of the shop")?.same_as("docs/tables.md")?;
//!     Ok(())
//! }
//! # fn main() {}
//! ```
//!
//! With `UPDATE_EXPECT=1` in its environment, the test writes the files. It sends no request: the repository gives the tables' names.
//!
//! # The files
//!
//! - **CloudFormation**: an `AWS::DynamoDB::Table` for each table. If you remove the resource, CloudFormation keeps the table. For a
//!   table with a stream, the template has an output with the ARN of the stream.
//! - **Terraform**: an `aws_dynamodb_table` for each table, for a file `*.tf.json`. `prevent_destroy` holds only while the resource is
//!   in the file: if you remove it, Terraform deletes the table, unless the table has [deletion
//!   protection](TableOptions::deletion_protection) or you write a `removed` block. The keys of global indexes are written as
//!   `key_schema`, because an index can have several attributes in each part; this needs a provider of 2026
//!   (hashicorp/terraform-provider-aws#45357). The provider cannot create vector indexes yet, and a table that has one is an error.
//! - **IAM**: a policy with the actions that the commands of the entities can send, on each table and index. Some of these actions are
//!   sent only after a lost answer, or while other processes write. The page on [permissions](crate::guide::permissions) lists the
//!   actions of each command. The policy has no action that creates or describes tables, except `DescribeTable` for client-side
//!   transactions. A managed policy of IAM has at most 6,144 characters.
//! - **Markdown**: a [page](Model::page) for people: tables, indexes, entities with their rules and attributes, and the access patterns
//!   that you [add](Model::pattern), each with its request.
//!
//! dyno does not deploy the files and does not read them.
//!
//! # The schema lock
//!
//! A release changes an entity, and the items that are stored have the form of the last release. The compiler does not see them. The
//! schema lock is a file with the stored form of your entities: keys, attributes with their types, the members of documents, the
//! variants of enums, rules, indexes. You commit it, and a test compares it with the entities:
//!
//! ```no_run
//! use dyno::model::Model;
//! use dyno::{Entity, Repository};
//!
//! #[derive(Entity)]
//! #[entity(table = "films")]
//! struct Film {
//!     #[partition_key]
//!     id: String,
//!     title: String,
//! }
//!
//! // In a test.
//! fn stored_items_stay_readable(
//!     repository: &Repository,
//! ) -> Result<(), Box<dyn std::error::Error>> {
//!     let model = Model::new(repository).table::<Film>();
//!     model.schema_lock()?.check("dyno.lock.json")?;
//!     Ok(())
//! }
//! # fn main() {}
//! ```
//!
//! If you rename `title` to `name`, the test fails:
//!
//! ```text
//! `dyno.lock.json` differs from the entities
//! - breaking: films/Film: `title` (S, required) is removed, and `name` of the same type is
//!   new. Programs that know one name do not read the other. Deploy
//!   `#[attribute(rename = "title", alias = "name")]` in this release, and the other way round
//!   in the next. …
//! ```
//!
//! Each change has an [`Impact`]:
//!
//! - **safe**: old and new programs read each other's items, of every command, and no promise becomes weaker. With
//!   `UPDATE_EXPECT=1` in its environment, the test writes the file. (A put by a program of the last release drops an attribute
//!   that it does not know, as [the page on rollouts](crate::guide::evolution) says.)
//! - **conditional**: safe under a condition that the file cannot show, such as a completed backfill; or a promise becomes weaker, or
//!   holds only once all programs run the new release. Set `DYNO_ACCEPT` to your reason, too. The file keeps the change and the
//!   reason under `accepted`, where a reviewer sees them. You may remove old entries.
//! - **breaking**: stored items, or those that a running program of the last release writes or reads, would be errors, be misread, or
//!   count as deleted or alive when they are not. The test does not write the file. Its message says how to make the change in
//!   several releases. If no item of the entity is stored yet, remove the entity from the file.
//!
//! The file stands for the last release, so write it once in a release. If you release less often than you commit, compare with the
//! file of the release: [`changes_since`](SchemaLock::changes_since) takes its text, for example from `git show v1.4:dyno.lock.json`.
//!
//! dyno's tests run the two releases of each kind of change against each other, with each write command of both. None contradicts
//! *safe*, unless the change is one of those below.
//!
//! What the lock does not see:
//!
//! - the values of defaults, and the functions that return them;
//! - `upgrade` functions, and the codecs of `with` and `serde`; of a type for which you implement [`Value`](crate::Value), only
//!   DynamoDB's type;
//! - `rest` fields of documents; and what programs store in a `rest` field under a name that a new attribute takes;
//! - which values your programs store: whether a text is ever empty, whether a time is finer than a new `format`;
//! - the queries, projections, enums of several entities and aggregates in your programs;
//! - the names of the lane table, the lock table and the table of request IDs.
//!
//! # Before you deploy them
//!
//! - If a table exists already, import it first, and read the plan or the change set. It removes each index, stream and tag that the
//!   file lacks, and sets the file's billing.
//! - A key or a local index of an existing table cannot change. CloudFormation creates or deletes only one global index in an update.
//! - A new rule can need more attributes in an index that holds only some: then the index must be built again, under another name.
//! - Backups, encryption keys, table classes and auto scaling are not in the files. Terraform merges a file `*_override.tf.json` with
//!   such settings. For CloudFormation, merge them in a step of your build.

mod cloudformation;
mod conflict;
mod create_table;
mod entity_section;
mod export;
mod lock;
mod markdown;
mod option_names;
mod page;
mod pattern;
mod planned_table;
mod policy;
mod resource_name;
mod terraform;

pub use crate::cost::{Bounds, Cost};
pub use export::{Export, Outdated};
pub use lock::{Change, Impact, LockError, SchemaLock};

use crate::command::RequestId;
use crate::entity::{Entities, Entity};
use crate::error::Error;
use crate::error::foreign_text::value;
use crate::exchange::{Repository, Request};
use crate::lock::LockRow;
use crate::schema::{Schema, Tables};
use crate::table::{Plan, TableOptions};
use conflict::{conflict, own_table_of_both};
use pattern::Pattern;
use planned_table::PlannedTable;
use policy::Permissions;
use std::ptr;

/// The tables of entities, to be exported: see the [module](self).
#[must_use = "nothing is exported before `cloudformation`, `terraform`, `policy` or `page`"]
pub struct Model<'a> {
    repository: &'a Repository,
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
            tables: Vec::new(),
            entities: Vec::new(),
            permissions: Permissions::default(),
            patterns: Vec::new(),
            error: None,
        }
    }

    /// Adds `E`'s table, and the tables of its history, of its idempotency keys and of its unique values. They are billed on demand.
    ///
    /// If `E` is `#[transactional]`, the policy has the actions on the lane table. All services that write such items share this table,
    /// so only one of them adds it, with [`lane_table`](Self::lane_table).
    pub fn table<E: Entity>(self) -> Self {
        self.table_with::<E>(&TableOptions::default())
    }

    /// Like [`table`](Self::table), with these options.
    pub fn table_with<E: Entity>(mut self, options: &TableOptions) -> Self {
        let tables = self.repository.tables::<E>();
        let added = tables.and_then(|tables| self.add_entity(E::SCHEMA, tables, &[E::SCHEMA]));
        let plans = added.and_then(|()| self.repository.plans::<E>());
        self.add(plans, options, None)
    }

    /// Adds the table that the entities in `C` share, with the indexes of all of them, and their other tables. Otherwise as
    /// [`table`](Self::table).
    pub fn shared_table<C: Entities>(self) -> Self {
        self.shared_table_with::<C>(&TableOptions::default())
    }

    /// Like [`shared_table`](Self::shared_table), with these options.
    pub fn shared_table_with<C: Entities>(mut self, options: &TableOptions) -> Self {
        let added = C::__tables(self.repository).and_then(|tables| {
            let mut entities = C::SCHEMAS.iter().zip(tables);
            entities.try_for_each(|(schema, tables)| self.add_entity(schema, tables, C::SCHEMAS))
        });
        let plans = added.and_then(|()| self.repository.shared_plans::<C>());
        self.add(plans, options, None)
    }

    /// Adds the lane table of client-side transactions.
    pub fn lane_table(self) -> Self {
        self.lane_table_with(&TableOptions::default())
    }

    /// Like [`lane_table`](Self::lane_table), with these options.
    pub fn lane_table_with(mut self, options: &TableOptions) -> Self {
        let added = self.repository.lane_table().map(|table| self.permissions.allow_lanes(table));
        let plans = added.and_then(|()| self.repository.lane_plans());
        self.add(plans, options, Some("Its rows are the records of client-side transactions."))
    }

    /// Adds the table of the request IDs of interactive transactions: see
    /// [`request_id`](crate::command::Interactive::request_id).
    pub fn request_table(self) -> Self {
        self.request_table_with(&TableOptions::default())
    }

    /// Like [`request_table`](Self::request_table), with these options.
    pub fn request_table_with(mut self, options: &TableOptions) -> Self {
        let added = self.repository.table_name::<RequestId>().map(|table| self.permissions.allow_requests(table));
        let plans = added.and_then(|()| self.repository.plans::<RequestId>());
        self.add(plans, options, Some("Its rows are the request IDs of interactive transactions."))
    }

    /// Adds the table of the [locks](crate::lock).
    pub fn lock_table(self) -> Self {
        self.lock_table_with(&TableOptions::default())
    }

    /// Like [`lock_table`](Self::lock_table), with these options.
    pub fn lock_table_with(mut self, options: &TableOptions) -> Self {
        let added = self.repository.table_name::<LockRow>().map(|table| self.permissions.allow_locks(table));
        let plans = added.and_then(|()| self.repository.plans::<LockRow>());
        self.add(plans, options, Some("Each row is a lock."))
    }

    /// Adds an access pattern to the page: a request that the program sends, with a name. A command's `request` returns it:
    /// `.pattern("orders by status", Order::by_status("open").request(&repository))`. Its values are examples, and the page does not
    /// show them.
    pub fn pattern(mut self, name: impl Into<String>, request: Result<Request, Error>) -> Self {
        self.patterns.push(Pattern { name: name.into(), request: request.map_err(|error| error.to_string()) });
        self
    }

    /// Returns the tables as a template of CloudFormation, in JSON.
    ///
    /// # Errors
    /// - The model has no tables, or an entity has no table.
    /// - Two entities have one table, and no [`shared_table`](Self::shared_table) has both.
    /// - A table has two different keys, TTL attributes or options.
    /// - A table is named by its ARN, or two tables would get the same resource name.
    /// - The options are invalid.
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
    /// Those of [`cloudformation`](Self::cloudformation), except those about names and options; or `tables` is no such ARN.
    pub fn policy(&self, tables: &str) -> Result<Export, Error> {
        self.check()?;
        Ok(Export::new(&self.permissions.policy(tables)?))
    }

    /// Returns a page for people, in Markdown: the tables with their indexes, the entities with their rules and attributes, and the
    /// access patterns with their requests.
    ///
    /// # Errors
    /// Those of [`cloudformation`](Self::cloudformation), except those about names; or two patterns have one name, a pattern has no
    /// request, or its request uses a table that is not in the model.
    pub fn page(&self, title: &str) -> Result<Export, Error> {
        self.check()?;
        let mut patterns: Vec<(&str, &Request)> = Vec::new();
        for Pattern { name, request } in &self.patterns {
            let shown = value(name);
            if patterns.iter().any(|(other, _)| other == name) {
                return Err(Error::invalid(format!(
                    "two patterns have the name `{shown}`: give one of them another name"
                )));
            }
            let request =
                request.as_ref().map_err(|error| Error::invalid(format!("the pattern `{shown}`: {error}")))?;
            let is_known = |name: &str| self.tables.iter().any(|table| table.plan.name == name);
            if let Some(outline) = request.outlines().iter().find(|outline| !is_known(outline.table)) {
                return Err(Error::invalid(format!(
                    "the pattern `{shown}` uses the table `{}`, which is not in the model: add the table, too",
                    outline.table
                )));
            }
            patterns.push((name, request));
        }
        let client = self.repository.client();
        Ok(Export::of_text(page::page(title, client, &self.tables, &self.entities, &patterns)?))
    }

    /// Returns the stored form of the entities, for a test that compares it with a file: see [the part on the schema
    /// lock](self#the-schema-lock).
    ///
    /// # Errors
    /// Those of [`cloudformation`](Self::cloudformation), except those about names and options; or two entities of a table have one name.
    pub fn schema_lock(&self) -> Result<SchemaLock, Error> {
        self.check()?;
        SchemaLock::new(&self.tables, &self.entities)
    }

    fn check(&self) -> Result<(), Error> {
        match &self.error {
            Some(message) => Err(Error::invalid(message)),
            None if self.tables.is_empty() => Err(Error::invalid("the model has no tables: add them with `table`")),
            None => Ok(()),
        }
    }

    /// Adds an entity whose keys have been compared with those of the entities in `together`.
    fn add_entity(&mut self, schema: &'static Schema, tables: Tables, together: &[&Schema]) -> Result<(), Error> {
        if self.entities.iter().any(|(known, of)| ptr::eq(*known, schema) && *of == tables) {
            return Ok(());
        }
        let is_compared = |known: &Schema| together.iter().any(|other| ptr::eq(*other, known));
        let mut others = self.entities.iter().filter(|(known, of)| of.main == tables.main && !is_compared(known));
        if let Some((other, _)) = others.next() {
            return Err(Error::invalid(own_table_of_both(other, schema, &tables.main)));
        }
        self.permissions.allow_entity(schema, &tables);
        if schema.is_transactional {
            self.permissions.allow_lanes(self.repository.lane_table()?);
        }
        self.entities.push((schema, tables));
        Ok(())
    }

    fn add(mut self, plans: Result<Vec<Plan>, Error>, options: &TableOptions, rows: Option<&'static str>) -> Self {
        let added = plans.and_then(|plans| plans.into_iter().try_for_each(|plan| self.add_plan(plan, options, rows)));
        if let Err(error) = added {
            self.error.get_or_insert(error.to_string());
        }
        self
    }

    /// Adds a table, or the needs of one more entity to a table.
    fn add_plan(&mut self, plan: Plan, options: &TableOptions, rows: Option<&'static str>) -> Result<(), Error> {
        let Some(known) = self.tables.iter_mut().find(|known| known.plan.name == plan.name) else {
            self.tables.push(PlannedTable { plan, options: options.clone(), rows });
            return Ok(());
        };
        if let Some(conflict) = conflict(&known.plan, &plan) {
            return Err(Error::invalid(conflict));
        }
        if known.options != *options {
            let table = &plan.name;
            return Err(Error::invalid(format!(
                "the table `{table}` is added twice with different options: give both the same"
            )));
        }
        known.plan.merge(plan);
        Ok(())
    }
}
