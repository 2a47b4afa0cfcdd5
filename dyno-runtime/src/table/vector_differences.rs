//! The differences between an existing vector index and its plan.

use super::compare_tables::{Mismatch, holds};
use super::table_plan::Plan;
use super::vector_plan::{VectorPlan, distance};
use crate::schema::{KeyAttribute, VectorIndex};
use crate::sorted;
use aws_sdk_dynamodb::types::{
    BillingMode, BillingModeSummary, IndexStatus, ProvisionedThroughputDescription, SearchSchemaElementType,
    TableDescription, VectorAttributeDefinition, VectorDistanceFunction, VectorIndexDescription,
};

impl VectorPlan {
    pub(super) fn mismatches(&self, table: &Plan, described: &TableDescription, found: &mut Vec<Mismatch>) {
        let index = self.index.name.to_owned();
        let Some(there) = described.vector_indexes().iter().find(|there| there.index_name() == Some(&index)) else {
            let is_provisioned = described
                .billing_mode_summary()
                .and_then(BillingModeSummary::billing_mode)
                .map_or_else(|| has_units(described), |mode| *mode == BillingMode::Provisioned);
            return found.push(if is_provisioned {
                Mismatch::VectorIndexNeedsOnDemand { index }
            } else {
                Mismatch::VectorIndexMissing { index }
            });
        };
        let type_of = |name: &str| {
            let mut definitions = described.attribute_definitions().iter();
            let definition = definitions.find(|definition| definition.attribute_name() == name);
            definition.map_or_else(|| "?".to_owned(), |definition| definition.attribute_type().to_string())
        };
        let (expected, actual) = (declared_text(self.index), described_text(there, type_of));
        if expected != actual {
            return found.push(Mismatch::VectorIndexDiffers { index, expected, found: actual });
        }
        let is_key = |name: &str| {
            let mut keys = self.index.search_attributes();
            table.keys.iter().any(|(key, _)| *key == name) || keys.any(|key| key.name == name)
        };
        let needed = self.needed.iter().filter(|name| !is_key(name) && !holds(there.projection(), name));
        let attributes: Vec<String> = needed.map(|name| (*name).to_owned()).collect();
        if !attributes.is_empty() {
            found.push(Mismatch::IndexLacks { index: index.clone(), attributes });
        }
        let status = there.index_status().filter(|status| **status != IndexStatus::Active);
        let is_being_filled = there.backfilling() == Some(true);
        if status.is_some() || is_being_filled {
            let status = if is_being_filled {
                "being filled".to_owned()
            } else {
                status.map(ToString::to_string).unwrap_or_default()
            };
            found.push(Mismatch::VectorIndexNotReady { index, status });
        }
    }
}

/// Returns `true` if a table has capacity units. A table that was never billed on demand has no summary of its billing.
fn has_units(described: &TableDescription) -> bool {
    let units = described.provisioned_throughput();
    units.and_then(ProvisionedThroughputDescription::read_capacity_units).is_some_and(|units| units > 0)
}

/// Returns a vector index of the table that is not active. Another program may be creating it.
pub(super) fn inactive_vector_index(described: &TableDescription) -> Option<Mismatch> {
    let is_inactive =
        |index: &&VectorIndexDescription| index.index_status().is_some_and(|status| *status != IndexStatus::Active);
    let index = described.vector_indexes().iter().find(is_inactive)?;
    let (index, status) = (index.index_name()?.to_owned(), index.index_status()?.to_string());
    Some(Mismatch::VectorIndexNotReady { index, status })
}

/// Formats a declared index, as in `embedding [1024], cosine, partition tenant (S), filter brand (S)`.
fn declared_text(index: &VectorIndex) -> String {
    let keys = |kind: &'static str, keys: &'static [KeyAttribute]| {
        keys.iter().map(move |key| (kind, key.name.to_owned(), key.key_type.to_string()))
    };
    let keys = keys("partition", index.partition).chain(keys("filter", index.filters));
    text(index.vector.name, &index.vector.dimensions.to_string(), distance(index.metric).as_str(), keys.collect())
}

fn described_text(index: &VectorIndexDescription, type_of: impl Fn(&str) -> String) -> String {
    let vector = index.vector_attribute().map(VectorAttributeDefinition::attribute_name).unwrap_or_default();
    let dimensions = index.dimensions().map_or_else(|| "?".to_owned(), |dimensions| dimensions.to_string());
    let metric = index.distance_function().map(VectorDistanceFunction::as_str).unwrap_or_default();
    let keys = index.search_schema().iter().map(|element| {
        let kind = match element.search_schema_element_type() {
            SearchSchemaElementType::Hash => "partition",
            _ => "filter",
        };
        (kind, element.attribute_name().to_owned(), type_of(element.attribute_name()))
    });
    text(vector, &dimensions, metric, keys.collect())
}

fn text(vector: &str, dimensions: &str, metric: &str, keys: Vec<(&'static str, String, String)>) -> String {
    let texts = keys.into_iter().map(|(kind, name, key_type)| format!(", {kind} {name} ({key_type})"));
    let (partition, filters): (Vec<String>, Vec<String>) = texts.partition(|text| text.starts_with(", partition"));
    // The partition first, and the filters by name, because their order makes no difference.
    let filters = sorted::names(filters.iter().map(String::as_str)).concat();
    format!("{vector} [{dimensions}], {}{}{filters}", metric.to_ascii_lowercase(), partition.concat())
}
