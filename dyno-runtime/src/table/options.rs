//! The properties of a table besides its keys: billing, stream, protection.

use super::sdk_parts::build_error;
use crate::error::Error;
use aws_sdk_dynamodb::types::{BillingMode, ProvisionedThroughput, StreamSpecification, StreamViewType, Tag};

/// The properties of a table that its entity does not declare: for `create_table_with` and `verify_table_with`.
///
/// ```no_run
/// # use dyno::{Entity, Repository, TableOptions};
/// # use dyno::aws_sdk_dynamodb::types::StreamViewType;
/// # #[derive(Entity)] #[entity(table = "ratings")] struct Rating { #[partition_key] id: String }
/// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
/// let options = TableOptions::default().stream(StreamViewType::NewAndOldImages);
/// let options = options.deletion_protection().tag("team", "films");
/// repository.create_table_with::<Rating>(&options).await?;
/// for difference in repository.verify_table_with::<Rating>(&options).await? {
///     println!("{difference}");
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "options are for `create_table_with` and `verify_table_with`"]
pub struct TableOptions {
    units: Option<(i64, i64)>,
    stream: Option<StreamViewType>,
    protected: bool,
    tags: Vec<(String, String)>,
}

/// The options of tables that are created or verified without any.
pub(super) static DEFAULT_OPTIONS: TableOptions =
    TableOptions { units: None, stream: None, protected: false, tags: Vec::new() };

impl TableOptions {
    /// Provisions this many read and write units a second for each table and index, which are billed whether used or not. The
    /// default is billing on demand. An existing table keeps its billing.
    pub fn provisioned(mut self, read: i64, write: i64) -> Self {
        self.units = Some((read, write));
        self
    }

    /// Streams the changes of the entity's table.
    pub fn stream(mut self, view: StreamViewType) -> Self {
        self.stream = Some(view);
        self
    }

    /// Protects the tables from deletion, until you turn the protection off.
    pub fn deletion_protection(mut self) -> Self {
        self.protected = true;
        self
    }

    /// Adds a tag to new tables.
    pub fn tag(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags.push((key.into(), value.into()));
        self
    }

    pub(super) fn billing(&self) -> BillingMode {
        if self.units.is_some() { BillingMode::Provisioned } else { BillingMode::PayPerRequest }
    }

    pub(super) fn throughput(&self) -> Result<Option<ProvisionedThroughput>, Error> {
        if let Some((read, write)) = self.units.filter(|(read, write)| *read < 1 || *write < 1) {
            return Err(Error::invalid(format!(
                "a table cannot be provisioned with {read} read units and {write} write units: give at least 1 of each"
            )));
        }
        let throughput = self.units.map(|(read, write)| {
            ProvisionedThroughput::builder().read_capacity_units(read).write_capacity_units(write).build()
        });
        throughput.transpose().map_err(build_error)
    }

    /// Returns the stream's view type, if the table is the entity's own. Other tables have no stream.
    pub(super) fn stream_view(&self, is_main: bool) -> Option<&StreamViewType> {
        self.stream.as_ref().filter(|_| is_main)
    }

    pub(super) fn stream_specification(&self, is_main: bool) -> Result<Option<StreamSpecification>, Error> {
        let stream = self
            .stream_view(is_main)
            .map(|view| StreamSpecification::builder().stream_enabled(true).stream_view_type(view.clone()).build());
        stream.transpose().map_err(build_error)
    }

    pub(super) fn is_protected(&self) -> bool {
        self.protected
    }

    pub(super) fn tags(&self) -> Result<Option<Vec<Tag>>, Error> {
        let tags = self.tags.iter().map(|(key, value)| Tag::builder().key(key).value(value).build());
        let tags: Vec<Tag> = tags.collect::<Result<_, _>>().map_err(build_error)?;
        Ok((!tags.is_empty()).then_some(tags))
    }
}
