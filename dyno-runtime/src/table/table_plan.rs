//! Plans of tables as they must be: the tables of an entity, or the table that several entities share.

use super::sdk_parts::{build_error, projection};
use super::vector_plan::{VectorPlan, vector_plans};
use crate::error::Error;
use crate::read;
use crate::schema::{Index, Layout, Projected, Schema, Store, StoredAttribute, Tables, names};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, GlobalSecondaryIndex, KeySchemaElement, KeyType, LocalSecondaryIndex, Projection,
    ProvisionedThroughput, ScalarAttributeType, VectorIndex,
};

/// The key of a table of idempotency keys, and of a table of guards.
const KEY: [(&str, ScalarAttributeType); 1] = [(names::KEY, ScalarAttributeType::S)];

/// The key of a history table.
const HISTORY_KEY: [(&str, ScalarAttributeType); 2] =
    [(names::KEY, ScalarAttributeType::S), (names::VERSION, ScalarAttributeType::N)];

/// A table as it must be.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) keys: Vec<(&'static str, ScalarAttributeType)>,
    pub(crate) ttl: Option<&'static str>,
    pub(crate) indexes: Vec<IndexPlan>,
    /// Its vector indexes. Each is one entity's.
    pub(crate) vector_indexes: Vec<VectorPlan>,
    /// The rules of its items that hold only within one region, because a region does not check conditions against writes in
    /// other regions.
    pub(super) regional: Vec<&'static str>,
    /// `true` if the table is written in transactions.
    pub(super) in_transactions: bool,
    /// The attributes that transactional entities store in it.
    pub(super) stored: Vec<&'static str>,
    /// `true` if a transactional entity can store any attribute in it.
    pub(super) stores_all: bool,
    /// `true` for the entities' own table, `false` for one of a history, of idempotency keys or of unique values.
    pub(super) is_main: bool,
}

/// An index as it must be for all entities that declare it.
#[derive(Debug)]
pub(crate) struct IndexPlan {
    pub(crate) index: &'static Index,
    /// The attributes that it holds besides the keys; `None` for whole items.
    projected: Option<Vec<&'static str>>,
    /// The attributes that its readers need.
    pub(super) needed: Vec<&'static str>,
}

/// Adds a table, or adds one more entity's needs to a table that is already planned.
pub(super) fn merge(mut plans: Vec<Plan>, plan: Plan) -> Vec<Plan> {
    let Some(known) = plans.iter_mut().find(|known| known.name == plan.name) else {
        plans.push(plan);
        return plans;
    };
    known.merge(plan);
    plans
}

/// Adds the names that are missing.
fn add(names: &mut Vec<&'static str>, more: Vec<&'static str>) {
    let more: Vec<_> = more.into_iter().filter(|name| !names.contains(name)).collect();
    names.extend(more);
}

/// Plans the tables of an entity: its own, that of its history, that of its idempotency keys, and that of its unique values.
pub(super) fn plan(schema: &'static Schema, tables: Tables) -> Vec<Plan> {
    let history = schema.history.as_ref();
    let revisions_ttl = history.and_then(|history| history.ttl_days.map(|_| history.ttl(schema)));
    let is_shared = history.is_some_and(|history| history.layout == Layout::SameTable);
    let indexes = schema.indexes.iter().map(|index| IndexPlan {
        index,
        projected: match index.projection {
            Projected::All => None,
            Projected::Only(names) => Some(names.to_vec()),
        },
        needed: match index.projection {
            Projected::All => attributes_of_whole_items(schema),
            Projected::Only(names) => names.to_vec(),
        },
    });
    let has_key_rows = matches!(schema.key_store(), Some(Store::Row { .. }));
    let main = Plan {
        name: tables.main,
        keys: schema.keys().map(|key| (key.name, key.key_type.clone())).collect(),
        ttl: schema.table_ttl(),
        indexes: indexes.collect(),
        vector_indexes: vector_plans(schema),
        regional: regional(schema),
        // An ordered history uses transactions, too: for the first version of an item whose key existed before.
        in_transactions: has_key_rows || history.is_some() || schema.is_transactional || !schema.unique.is_empty(),
        stored: schema.attributes.iter().filter(|_| schema.is_transactional).map(|attribute| attribute.name).collect(),
        stores_all: schema.is_transactional && schema.has_rest,
        is_main: true,
    };
    let history = tables.history.filter(|_| !is_shared);
    let history = history.map(|name| Plan::of_rows(name, &HISTORY_KEY, revisions_ttl, "history"));
    let keys = tables.keys.map(|name| Plan::of_rows(name, &KEY, Some(names::TTL), "idempotency"));
    let guards = tables.guards.map(|name| Plan::of_rows(name, &KEY, None, "unique"));
    std::iter::once(main).chain(history).chain(keys).chain(guards).collect()
}

/// Returns the attributes that a reader of whole items needs.
fn attributes_of_whole_items(schema: &'static Schema) -> Vec<&'static str> {
    let mut names = Vec::new();
    add(&mut names, schema.attributes.iter().flat_map(StoredAttribute::names).collect());
    add(&mut names, read::attributes_of_readers(schema).collect());
    names
}

/// Returns the rules of an entity that hold only within one region.
fn regional(schema: &Schema) -> Vec<&'static str> {
    let rules = [
        (schema.version.is_some(), "version"),
        (!schema.ratchets.is_empty(), "ratchet"),
        (schema.fence.is_some(), "fence"),
        (schema.history.is_some(), "history"),
        (schema.idempotency.is_some(), "idempotency"),
        (!schema.unique.is_empty(), "unique"),
        (schema.is_transactional, "transactional"),
    ];
    rules.into_iter().filter_map(|(is_declared, name)| is_declared.then_some(name)).collect()
}

fn key_element(name: &str, key_type: KeyType) -> Result<KeySchemaElement, Error> {
    KeySchemaElement::builder().attribute_name(name).key_type(key_type).build().map_err(build_error)
}

pub(super) fn index_key(index: &Index) -> Result<Vec<KeySchemaElement>, Error> {
    let partition = index.partition.iter().map(|key| key_element(key.name, KeyType::Hash));
    partition.chain(index.sort.iter().map(|key| key_element(key.name, KeyType::Range))).collect()
}

impl IndexPlan {
    /// Returns the attributes that it holds besides the keys, or `None` if it holds whole items.
    #[cfg(feature = "model")]
    pub(crate) fn projected(&self) -> Option<&[&'static str]> {
        self.projected.as_deref()
    }

    pub(crate) fn projection(&self) -> Projection {
        projection(self.projected.as_deref())
    }
}

/// Returns the list unless it is empty, because DynamoDB rejects an empty list.
fn non_empty<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

impl Plan {
    /// Plans a table of rows that dyno writes for this rule, in transactions.
    pub(super) fn of_rows(
        name: String,
        keys: &[(&'static str, ScalarAttributeType)],
        ttl: Option<&'static str>,
        rule: &'static str,
    ) -> Self {
        Self {
            name,
            keys: keys.to_vec(),
            ttl,
            indexes: Vec::new(),
            vector_indexes: Vec::new(),
            regional: vec![rule],
            in_transactions: true,
            stored: Vec::new(),
            stores_all: false,
            is_main: false,
        }
    }

    /// Adds the needs of one more entity.
    pub(crate) fn merge(&mut self, plan: Self) {
        self.ttl = self.ttl.or(plan.ttl);
        self.in_transactions |= plan.in_transactions;
        add(&mut self.regional, plan.regional);
        add(&mut self.stored, plan.stored);
        self.stores_all |= plan.stores_all;
        for more in plan.vector_indexes {
            if !self.vector_indexes.iter().any(|known| known.index.name == more.index.name) {
                self.vector_indexes.push(more);
            }
        }
        for more in plan.indexes {
            match self.indexes.iter_mut().find(|index| index.index.name == more.index.name) {
                None => self.indexes.push(more),
                Some(index) => {
                    add(&mut index.needed, more.needed);
                    index.projected = index.projected.take().zip(more.projected).map(|(mut names, more)| {
                        add(&mut names, more);
                        names
                    });
                }
            }
        }
    }

    pub(super) fn key_schema(&self) -> Result<Vec<KeySchemaElement>, Error> {
        let keys = self.keys.iter().zip([KeyType::Hash, KeyType::Range]);
        keys.map(|((name, _), key_type)| key_element(name, key_type)).collect()
    }

    /// Returns the types of all key attributes, each once.
    pub(super) fn attribute_definitions(&self) -> Result<Vec<AttributeDefinition>, Error> {
        let of_indexes =
            self.indexes.iter().flat_map(|plan| plan.index.keys()).map(|key| (key.name, key.key_type.clone()));
        let searched = self.vector_indexes.iter().flat_map(|plan| plan.index.search_attributes());
        let of_indexes = of_indexes.chain(searched.map(|key| (key.name, key.key_type.clone())));
        let mut definitions: Vec<AttributeDefinition> = Vec::new();
        for (name, key_type) in self.keys.iter().cloned().chain(of_indexes) {
            if !definitions.iter().any(|definition| definition.attribute_name() == name) {
                let definition = AttributeDefinition::builder().attribute_name(name).attribute_type(key_type);
                definitions.push(definition.build().map_err(build_error)?);
            }
        }
        Ok(definitions)
    }

    pub(super) fn global_indexes(
        &self,
        units: Option<&ProvisionedThroughput>,
    ) -> Result<Option<Vec<GlobalSecondaryIndex>>, Error> {
        let indexes = self.indexes.iter().filter(|plan| !plan.index.is_local).map(|plan| {
            let global = GlobalSecondaryIndex::builder().index_name(plan.index.name).projection(plan.projection());
            let global = global.set_provisioned_throughput(units.cloned());
            global.set_key_schema(Some(index_key(plan.index)?)).build().map_err(build_error)
        });
        Ok(non_empty(indexes.collect::<Result<_, _>>()?))
    }

    pub(super) fn vector_indexes(&self) -> Result<Option<Vec<VectorIndex>>, Error> {
        Ok(non_empty(self.vector_indexes.iter().map(VectorPlan::definition).collect::<Result<_, _>>()?))
    }

    pub(super) fn local_indexes(&self) -> Result<Option<Vec<LocalSecondaryIndex>>, Error> {
        let indexes = self.indexes.iter().filter(|plan| plan.index.is_local).map(|plan| {
            let local = LocalSecondaryIndex::builder().index_name(plan.index.name).projection(plan.projection());
            local.set_key_schema(Some(index_key(plan.index)?)).build().map_err(build_error)
        });
        Ok(non_empty(indexes.collect::<Result<_, _>>()?))
    }
}
