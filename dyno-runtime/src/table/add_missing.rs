//! Adds what an existing table lacks: a stream, protection, global indexes, TTL.
//!
//! This takes several requests. The program may stop after any of them, and other programs may be completing the same table. So
//! each step describes the table and sends the one change that is due. If DynamoDB refuses a change because another program has
//! made it, or because an earlier attempt of this program has made it and its answer was lost, that is no error: the next
//! `DescribeTable` shows whether the change was made.

use super::compare_tables::{Difference, Mismatch};
use super::create_table::{IN_USE, Maker, code, refuse};
use super::options::TableOptions;
use super::sdk_parts::build_error;
use super::table_plan::{IndexPlan, Plan, index_key};
use super::vector_differences::inactive_vector_index;
use super::wait_for_table::{Polls, WAIT};
use crate::error::{Error, ErrorKind};
use aws_sdk_dynamodb::types::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, IndexStatus, ProvisionedThroughput, TableDescription,
    TimeToLiveSpecification, VectorIndexUpdate,
};
use std::time::Duration;

/// How long to retry a change that DynamoDB calls invalid. DynamoDB returns the same error for an index that already exists as
/// for an invalid request, and `DescribeTable` may show an older state for a few seconds.
const SETTLED: Duration = Duration::from_secs(5);

impl Maker<'_> {
    /// Adds what a table lacks, one change after the other, until the table is active and lacks nothing. If something cannot be
    /// added, this is an error before any change.
    pub(super) async fn complete(&self, table: &Plan, options: &TableOptions) -> Result<(), Error> {
        let (mut builds, mut polls) = (Polls::default(), Polls::default());
        // The changes that DynamoDB has accepted, so that none is sent twice.
        let mut accepted = Vec::new();
        loop {
            let found = self.wait_until_active(&table.name).await?;
            let Some(change) = due(table, options, &found, &accepted)? else { return Ok(()) };
            if let Mismatch::IndexNotActive { index, .. } | Mismatch::VectorIndexNotReady { index, .. } = &change {
                builds.pause(self.repository, || format!("the index `{index}` is not active yet")).await?;
                continue;
            }
            let (error, lasts) = if accepted.contains(&change) {
                // DynamoDB has accepted the change, but `DescribeTable` shows it a little later.
                let lack = Difference { table: table.name.clone(), what: change };
                (Error::new(ErrorKind::Service, format!("{lack}, although DynamoDB accepted to create it")), WAIT)
            } else if let Err(error) = self.change(table, options, &found, &change).await {
                let lasts = retry_window(&error);
                (error, lasts)
            } else {
                polls = Polls::default();
                accepted.push(change);
                continue;
            };
            polls.pause_for(self.repository, error, lasts).await?;
        }
    }

    /// Sends one change.
    async fn change(
        &self,
        table: &Plan,
        options: &TableOptions,
        found: &TableDescription,
        change: &Mismatch,
    ) -> Result<(), Error> {
        let update = self.sender().update_table().table_name(&table.name);
        let update = match change {
            Mismatch::StreamOff { .. } => update.set_stream_specification(options.stream_specification(table.is_main)?),
            Mismatch::Unprotected => update.deletion_protection_enabled(true),
            Mismatch::IndexMissing { index, .. } => {
                let Some(plan) = table.indexes.iter().find(|plan| plan.index.name == index) else { return Ok(()) };
                // DynamoDB refuses definitions of attributes that are in no key, such as those of an index that is added later.
                let mut definitions = table.attribute_definitions()?;
                definitions.retain(|definition| plan.index.keys().any(|key| key.name == definition.attribute_name()));
                let create = GlobalSecondaryIndexUpdate::builder().create(new_index(plan, found)?).build();
                update.set_attribute_definitions(Some(definitions)).global_secondary_index_updates(create)
            }
            Mismatch::VectorIndexMissing { index } => {
                let Some(plan) = table.vector_indexes.iter().find(|plan| plan.index.name == index) else {
                    return Ok(());
                };
                let mut definitions = table.attribute_definitions()?;
                let is_own = |name: &str| plan.index.search_attributes().any(|key| key.name == name);
                definitions.retain(|definition| is_own(definition.attribute_name()));
                let create = VectorIndexUpdate::builder().create(plan.create_action()?).build();
                let definitions = (!definitions.is_empty()).then_some(definitions);
                update.set_attribute_definitions(definitions).vector_index_updates(create)
            }
            _ => return Ok(()),
        };
        self.send(&table.name, update).await.map(drop)
    }

    /// Returns a vector index that answers no search yet, if there is one. DynamoDB can refuse searches for minutes after it calls an
    /// index active. (Developer guide, "Vector indexes", troubleshooting.)
    pub(super) async fn unanswered_search(&self, table: &Plan) -> Result<Option<&'static str>, Error> {
        for plan in &table.vector_indexes {
            let (index, probe) = (plan.index.name, plan.probe(self.sender(), &table.name));
            match self.send_to_index(&table.name, index, probe).await {
                Ok(_) => {}
                Err(error) if error.is_index_not_ready() => return Ok(Some(index)),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    pub(super) async fn turn_ttl_on(&self, table: &Plan) -> Result<(), Error> {
        let mut polls = Polls::default();
        loop {
            let attribute = match self.ttl_mismatch(table).await? {
                None => return Ok(()),
                Some(Mismatch::TtlOff { attribute }) => attribute,
                Some(other) => return refuse(table, vec![other]),
            };
            let specification = TimeToLiveSpecification::builder().enabled(true).attribute_name(attribute);
            let update = self.sender().update_time_to_live().table_name(&table.name);
            let update = update.time_to_live_specification(specification.build().map_err(build_error)?);
            let Err(error) = self.send(&table.name, update).await else { return Ok(()) };
            let lasts = retry_window(&error);
            polls.pause_for(self.repository, error, lasts).await?;
        }
    }
}

/// Returns the change that is due next, or the index that must become active first. DynamoDB creates only one index of a table
/// at a time, for all programs together, so the stream and the protection come before the indexes.
fn due(
    table: &Plan,
    options: &TableOptions,
    found: &TableDescription,
    accepted: &[Mismatch],
) -> Result<Option<Mismatch>, Error> {
    let mut lacks = table.mismatches(found, options);
    lacks.retain(|what| !what.is_accepted());
    refuse(table, lacks.iter().filter(|what| !what.can_be_fixed()).cloned().collect())?;
    let is_index = |what: &Mismatch| {
        matches!(
            what,
            Mismatch::IndexMissing { .. }
                | Mismatch::IndexNotActive { .. }
                | Mismatch::VectorIndexMissing { .. }
                | Mismatch::VectorIndexNotReady { .. }
        )
    };
    lacks.retain(|what| is_index(what) || !accepted.contains(what));
    let Some(first) = lacks.first() else { return Ok(None) };
    let change = lacks.iter().find(|what| !is_index(what)).cloned().or_else(|| inactive_index(found));
    let change = change.or_else(|| inactive_vector_index(found));
    Ok(change.or_else(|| Some(first.clone())))
}

/// Returns an index of the table that is not active. Another program may be creating it.
fn inactive_index(found: &TableDescription) -> Option<Mismatch> {
    let mut indexes = found.global_secondary_indexes().iter();
    let index = indexes.find(|index| index.index_status().is_some_and(|status| *status != IndexStatus::Active))?;
    let status = index.index_status()?.to_string();
    Some(Mismatch::IndexNotActive { index: index.index_name()?.to_owned(), status })
}

/// Returns the action that creates a global index, with the same billing as its table.
fn new_index(plan: &IndexPlan, found: &TableDescription) -> Result<CreateGlobalSecondaryIndexAction, Error> {
    let units = found.provisioned_throughput().filter(|units| units.read_capacity_units().unwrap_or_default() > 0);
    let units = units.map(|units| {
        ProvisionedThroughput::builder()
            .set_read_capacity_units(units.read_capacity_units())
            .set_write_capacity_units(units.write_capacity_units())
            .build()
    });
    CreateGlobalSecondaryIndexAction::builder()
        .index_name(plan.index.name)
        .set_key_schema(Some(index_key(plan.index)?))
        .projection(plan.projection())
        .set_provisioned_throughput(units.transpose().map_err(build_error)?)
        .build()
        .map_err(build_error)
}

/// Returns how long to retry a change after this error, whose cause may be that another program has made, or is making, the same
/// change.
fn retry_window(error: &Error) -> Duration {
    match code(error) {
        Some(IN_USE | "LimitExceededException") => WAIT,
        Some("ValidationException") => SETTLED,
        _ => Duration::ZERO,
    }
}
