//! The differences between an existing table and its plan.

use super::options::TableOptions;
use super::table_plan::{IndexPlan, Plan};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, IndexStatus, KeySchemaElement, KeyType, MultiRegionConsistency, Projection, ProjectionType,
    ScalarAttributeType, SearchSchemaElement, TableDescription, TimeToLiveDescription, TimeToLiveStatus,
    VectorAttributeDefinition,
};
use std::fmt;

/// A difference between a table and what its entity needs, as [`verify_table`](crate::Repository::verify_table) returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The table's name.
    pub table: String,
    /// The kind of the difference.
    pub what: Mismatch,
}

/// The kind of a [`Difference`]. Keys are shown as in `partition id (S), sort at (N)`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The table does not exist. `create_table` makes it.
    TableMissing,
    /// The table has another key, which cannot be changed.
    Key {
        /// The entity's key.
        expected: String,
        /// The table's key.
        found: String,
    },
    /// The index does not exist. `create_table` adds a global one; a local one can only be made with its table.
    IndexMissing {
        /// The index's name.
        index: String,
        /// `true` for a local index.
        is_local: bool,
    },
    /// The index is local but must be global, or the other way round.
    IndexKind {
        /// The index's name.
        index: String,
        /// `true` if the index must be local.
        is_local: bool,
    },
    /// The index has another key, which cannot be changed.
    IndexKey {
        /// The index's name.
        index: String,
        /// The key that the entity declares.
        expected: String,
        /// The key that the table's index has.
        found: String,
    },
    /// The index does not hold all attributes that its readers need.
    IndexLacks {
        /// The index's name.
        index: String,
        /// The attributes that it does not hold.
        attributes: Vec<String>,
    },
    /// The index is being created or deleted, so queries do not find all items.
    IndexNotActive {
        /// The index's name.
        index: String,
        /// DynamoDB's name of the index's status.
        status: String,
    },
    /// The table has an index that no entity declares, with key attributes that transactional entities store. dyno therefore does
    /// not refuse values in advance that DynamoDB rejects as a key of this index. Declare it.
    IndexUndeclared {
        /// The index's name.
        index: String,
        /// The entities' attributes that are in its key.
        attributes: Vec<String>,
    },
    /// The vector index does not exist. `create_table` adds it.
    VectorIndexMissing {
        /// The index's name.
        index: String,
    },
    /// The vector index does not exist, and cannot be added, because the table has provisioned capacity. Bill it on demand first.
    VectorIndexNeedsOnDemand {
        /// The index's name.
        index: String,
    },
    /// The vector index has another vector, other dimensions, another metric, partition or filters, which cannot be changed. Shown as
    /// in `embedding [1024], cosine, partition tenant (S), filter brand (S)`.
    VectorIndexDiffers {
        /// The index's name.
        index: String,
        /// The entity's declaration.
        expected: String,
        /// The state of the table's index.
        found: String,
    },
    /// The vector index is being created, filled or deleted, so searches are refused or do not find all items. An index can refuse
    /// searches for some minutes more: [`create_table`](crate::Repository::create_table) waits until a search is answered.
    VectorIndexNotReady {
        /// The index's name.
        index: String,
        /// DynamoDB's name of the index's status, or `being filled`.
        status: String,
    },
    /// TTL is off: nothing is removed, and tombstones stay forever. `create_table` turns it on.
    TtlOff {
        /// The attribute that TTL must use.
        attribute: String,
    },
    /// TTL uses another attribute. A table can have only one.
    TtlElsewhere {
        /// The entity's TTL attribute.
        expected: String,
        /// The table's TTL attribute.
        found: String,
    },
    /// The stream is off. `create_table_with` turns it on.
    StreamOff {
        /// The view type that the stream must have.
        expected: String,
    },
    /// The stream has another view type.
    StreamOther {
        /// The view type that the stream must have.
        expected: String,
        /// The view type that the stream has.
        found: String,
    },
    /// The table can be deleted. `create_table_with` protects it.
    Unprotected,
    /// The table has replicas in other regions, but these rules hold only within one region: between regions, the last writer
    /// wins. Write each item in only one region, or give the global table strong consistency.
    OneRegion {
        /// The rules, by the names of their attributes in the derive.
        rules: Vec<&'static str>,
        /// The regions of its replicas.
        regions: Vec<String>,
    },
    /// The table has strong consistency across regions, and such tables have no transactions. But a history, idempotency keys in
    /// rows of their own, and `#[transactional]` entities need them.
    NoTransactions,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the table `{}` ", self.table)?;
        match &self.what {
            Mismatch::TableMissing => f.write_str("does not exist"),
            Mismatch::Key { expected, found } => write!(f, "has the key {found} instead of {expected}"),
            Mismatch::IndexMissing { index, is_local: false } => write!(f, "has no index `{index}`"),
            Mismatch::IndexMissing { index, is_local: true } => {
                write!(f, "has no local index `{index}`, which can only be created with the table")
            }
            Mismatch::IndexKind { index, is_local: true } => {
                write!(f, "has a global index `{index}` instead of a local one")
            }
            Mismatch::IndexKind { index, is_local: false } => {
                write!(f, "has a local index `{index}` instead of a global one")
            }
            Mismatch::IndexKey { index, expected, found } => write!(
                f,
                "has an index `{index}` with the key {found} instead of {expected}: give the entity's index another name"
            ),
            Mismatch::IndexLacks { index, attributes } => {
                write!(f, "has an index `{index}` that does not hold `{}`", attributes.join("`, `"))
            }
            Mismatch::IndexNotActive { index, status } => write!(f, "has an index `{index}` that is {status}"),
            Mismatch::IndexUndeclared { index, attributes } => write!(
                f,
                "has an index `{index}` by `{}`, which no entity declares, so dyno cannot check its key before a write",
                attributes.join("`, `")
            ),
            Mismatch::VectorIndexMissing { index } => write!(f, "has no vector index `{index}`"),
            Mismatch::VectorIndexNeedsOnDemand { index } => write!(
                f,
                "has no vector index `{index}`, and can have none while its capacity is provisioned: bill it on demand"
            ),
            Mismatch::VectorIndexDiffers { index, expected, found } => write!(
                f,
                "has a vector index `{index}` of {found} instead of {expected}: give the entity's index another name"
            ),
            Mismatch::VectorIndexNotReady { index, status } => {
                write!(f, "has a vector index `{index}` that is {status}, and may not answer searches yet")
            }
            Mismatch::TtlOff { attribute } => write!(f, "has TTL off instead of on for `{attribute}`"),
            Mismatch::TtlElsewhere { expected, found } => {
                write!(f, "has the TTL attribute `{found}` instead of `{expected}`, and a table has one")
            }
            Mismatch::StreamOff { expected } => write!(f, "has no stream, and should have one of {expected}"),
            Mismatch::StreamOther { expected, found } => write!(f, "has a stream of {found} instead of {expected}"),
            Mismatch::Unprotected => f.write_str("is not protected from deletion"),
            Mismatch::OneRegion { rules, regions } => write!(
                f,
                "has replicas ({}), and {} hold within one region only: between regions, the last writer wins",
                regions.join(", "),
                rules.join(", ")
            ),
            Mismatch::NoTransactions => f.write_str(
                "has strong consistency across regions, which excludes the transactions that its entity needs",
            ),
        }
    }
}

impl Mismatch {
    /// Returns `true` if `UpdateTable`, `UpdateTimeToLive` or time can remove the difference.
    pub(super) fn can_be_fixed(&self) -> bool {
        matches!(
            self,
            Self::IndexMissing { is_local: false, .. }
                | Self::IndexNotActive { .. }
                | Self::VectorIndexMissing { .. }
                | Self::VectorIndexNotReady { .. }
                | Self::TtlOff { .. }
                | Self::StreamOff { .. }
                | Self::Unprotected
        )
    }

    /// Returns `true` if `create_table` accepts the difference, which only `verify_table` reports.
    pub(super) fn is_accepted(&self) -> bool {
        matches!(self, Self::OneRegion { .. } | Self::NoTransactions | Self::IndexUndeclared { .. })
    }
}

impl Plan {
    /// Returns the differences of a table, except those of its TTL.
    pub(super) fn mismatches(&self, described: &TableDescription, options: &TableOptions) -> Vec<Mismatch> {
        let mut found = Vec::new();
        let roles = [KeyType::Hash, KeyType::Range];
        let own = self.keys.iter().zip(roles).map(|((name, key_type), role)| (*name, role, Some(key_type)));
        let (expected, actual) = (key_text(own), described_key(described.key_schema(), described));
        if expected != actual {
            found.push(Mismatch::Key { expected, found: actual });
        }
        for plan in &self.indexes {
            plan.mismatches(self, described, &mut found);
        }
        for plan in &self.vector_indexes {
            plan.mismatches(self, described, &mut found);
        }
        self.undeclared(described, &mut found);
        if let Some(expected) = options.stream_view(self.is_main) {
            let stream = described.stream_specification().filter(|stream| stream.stream_enabled());
            let expected = expected.to_string();
            match stream.and_then(|stream| stream.stream_view_type()).map(ToString::to_string) {
                Some(view) if view == expected => {}
                Some(view) => found.push(Mismatch::StreamOther { expected, found: view }),
                None => found.push(Mismatch::StreamOff { expected }),
            }
        }
        if options.is_protected() && described.deletion_protection_enabled() != Some(true) {
            found.push(Mismatch::Unprotected);
        }
        self.regions(described, &mut found);
        found
    }

    /// Adds the indexes that no entity declares but whose keys transactional entities store.
    fn undeclared(&self, described: &TableDescription, found: &mut Vec<Mismatch>) {
        let global = described.global_secondary_indexes().iter().map(|index| (index.index_name(), index.key_schema()));
        let local = described.local_secondary_indexes().iter().map(|index| (index.index_name(), index.key_schema()));
        let names_of =
            |keys: &[KeySchemaElement]| keys.iter().map(|key| key.attribute_name().to_owned()).collect::<Vec<_>>();
        let secondary = global.chain(local).map(|(name, keys)| (name, names_of(keys)));
        let of_vectors = described.vector_indexes().iter().map(|index| {
            let vector = index.vector_attribute().map(VectorAttributeDefinition::attribute_name);
            let searched = index.search_schema().iter().map(SearchSchemaElement::attribute_name);
            (index.index_name(), searched.chain(vector).map(str::to_owned).collect::<Vec<_>>())
        });
        let is_key = |name: &str| self.keys.iter().any(|(key, _)| *key == name);
        let is_stored = |name: &&str| self.stored.contains(name) || self.stores_all && !is_key(name);
        let declared = self.indexes.iter().map(|plan| plan.index.name);
        let declared: Vec<&str> = declared.chain(self.vector_indexes.iter().map(|plan| plan.index.name)).collect();
        for (name, attributes) in secondary.chain(of_vectors) {
            let is_declared = name.is_some_and(|name| declared.contains(&name));
            let attributes: Vec<String> =
                attributes.into_iter().filter(|name| !is_declared && is_stored(&name.as_str())).collect();
            if !attributes.is_empty() {
                let index = name.unwrap_or_default().to_owned();
                found.push(Mismatch::IndexUndeclared { index, attributes });
            }
        }
    }

    /// Adds the rules that do not hold in a table with replicas in several regions. (Developer guide, "How DynamoDB global tables
    /// work": with eventual consistency, the last writer wins a conflict; with strong consistency, conditions are evaluated on
    /// the latest version of an item, and there are neither transactions nor TTL.)
    fn regions(&self, described: &TableDescription, found: &mut Vec<Mismatch>) {
        let regions: Vec<String> =
            described.replicas().iter().filter_map(|replica| replica.region_name().map(str::to_owned)).collect();
        if described.multi_region_consistency() == Some(&MultiRegionConsistency::Strong) {
            if self.in_transactions {
                found.push(Mismatch::NoTransactions);
            }
        } else if !regions.is_empty() && !self.regional.is_empty() {
            found.push(Mismatch::OneRegion { rules: self.regional.clone(), regions });
        }
    }

    /// Returns the difference of the table's TTL.
    pub(super) fn ttl_mismatch(&self, described: Option<&TimeToLiveDescription>) -> Option<Mismatch> {
        let expected = self.ttl?;
        let is_on = |described: &&TimeToLiveDescription| {
            matches!(described.time_to_live_status(), Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling))
        };
        let expected = expected.to_owned();
        match described.filter(is_on).map(|described| described.attribute_name().unwrap_or_default()) {
            None => Some(Mismatch::TtlOff { attribute: expected }),
            Some(found) if found == expected => None,
            Some(found) => Some(Mismatch::TtlElsewhere { expected, found: found.to_owned() }),
        }
    }
}

impl IndexPlan {
    fn mismatches(&self, table: &Plan, described: &TableDescription, found: &mut Vec<Mismatch>) {
        let (index, is_local) = (self.index.name.to_owned(), self.index.is_local);
        let global = described.global_secondary_indexes().iter().find(|global| global.index_name() == Some(&index));
        let local = described.local_secondary_indexes().iter().find(|local| local.index_name() == Some(&index));
        let (keys, projection) = match (global, local) {
            (None, None) => return found.push(Mismatch::IndexMissing { index, is_local }),
            (Some(global), _) if !is_local => (global.key_schema(), global.projection()),
            (_, Some(local)) if is_local => (local.key_schema(), local.projection()),
            _ => return found.push(Mismatch::IndexKind { index, is_local }),
        };
        let partition = self.index.partition.iter().map(|key| (key.name, KeyType::Hash, Some(&key.key_type)));
        let sort = self.index.sort.iter().map(|key| (key.name, KeyType::Range, Some(&key.key_type)));
        let (expected, actual) = (key_text(partition.chain(sort)), described_key(keys, described));
        if expected != actual {
            return found.push(Mismatch::IndexKey { index, expected, found: actual });
        }
        let is_key = |name: &str| {
            table.keys.iter().any(|(key, _)| *key == name) || self.index.keys().any(|key| key.name == name)
        };
        let needed = self.needed.iter().filter(|name| !is_key(name) && !holds(projection, name));
        let attributes: Vec<String> = needed.map(|name| (*name).to_owned()).collect();
        if !attributes.is_empty() {
            found.push(Mismatch::IndexLacks { index: index.clone(), attributes });
        }
        if let Some(status) = global.and_then(|global| global.index_status())
            && *status != IndexStatus::Active
        {
            found.push(Mismatch::IndexNotActive { index, status: status.to_string() });
        }
    }
}

pub(super) fn holds(projection: Option<&Projection>, name: &str) -> bool {
    match projection.and_then(|projection| Some((projection, projection.projection_type()?))) {
        Some((_, ProjectionType::All)) => true,
        Some((projection, ProjectionType::Include)) => {
            projection.non_key_attributes().iter().any(|attribute| attribute == name)
        }
        _ => false,
    }
}

fn described_key(keys: &[KeySchemaElement], described: &TableDescription) -> String {
    let type_of = |name: &str| {
        let mut definitions = described.attribute_definitions().iter();
        definitions.find(|definition| definition.attribute_name() == name).map(AttributeDefinition::attribute_type)
    };
    key_text(keys.iter().map(|key| {
        let name = key.attribute_name();
        (name, key.key_type().clone(), type_of(name))
    }))
}

/// Formats a key, as in `partition id (S), sort at (N)`.
fn key_text<'a>(keys: impl Iterator<Item = (&'a str, KeyType, Option<&'a ScalarAttributeType>)>) -> String {
    let texts = keys.map(|(name, role, key_type)| {
        let role = if role == KeyType::Range { "sort" } else { "partition" };
        format!("{role} {name} ({})", key_type.map_or("?", ScalarAttributeType::as_str))
    });
    texts.collect::<Vec<_>>().join(", ")
}
