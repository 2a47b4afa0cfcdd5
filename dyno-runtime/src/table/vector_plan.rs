//! Vector indexes as they must be, and how they are created and tried.

use super::sdk_parts::{build_error, projection};
use crate::error::Error;
use crate::read;
use crate::schema::{KeyAttribute, Metric, Projected, Schema, StoredAttribute, VectorIndex};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::search_vectors::builders::SearchVectorsFluentBuilder;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{
    self as sdk, AttributeValue, CreateVectorIndexAction, ScalarAttributeType, SearchSchemaElement,
    SearchSchemaElementType, VectorAttributeDefinition, VectorDistanceFunction,
};

/// A vector index as its entity declares it.
#[derive(Debug)]
pub(crate) struct VectorPlan {
    pub(crate) index: &'static VectorIndex,
    /// The attributes that its readers need.
    pub(super) needed: Vec<&'static str>,
}

/// Plans the vector indexes of an entity.
pub(super) fn vector_plans(schema: &'static Schema) -> Vec<VectorPlan> {
    let plan = |index: &'static VectorIndex| {
        let needed = match index.projection {
            Projected::Only(names) => names.to_vec(),
            Projected::All => {
                let declared = schema.attributes.iter().flat_map(StoredAttribute::names);
                declared.chain(read::attributes_of_readers(schema)).collect()
            }
        };
        VectorPlan { index, needed }
    };
    schema.vector_indexes.iter().map(plan).collect()
}

/// Implements the builders of a vector index, which have the same setters.
macro_rules! built {
    ($plan:ident, $builder:expr) => {{
        let VectorIndex { name, vector, metric, projection: held, .. } = $plan.index;
        let held = match held {
            Projected::All => None,
            Projected::Only(names) => Some(*names),
        };
        let attribute =
            VectorAttributeDefinition::builder().attribute_name(vector.name).build().map_err(build_error)?;
        $builder
            .index_name(*name)
            .vector_attribute(attribute)
            .set_search_schema($plan.search_schema()?)
            .projection(projection(held))
            .dimensions(i64::try_from(vector.dimensions).map_err(build_error)?)
            .distance_function(distance(*metric))
            .build()
            .map_err(build_error)
    }};
}

impl VectorPlan {
    /// Returns the index, for the request that creates its table.
    pub(super) fn definition(&self) -> Result<sdk::VectorIndex, Error> {
        built!(self, sdk::VectorIndex::builder())
    }

    /// Returns the action that adds the index to a table.
    pub(super) fn create_action(&self) -> Result<CreateVectorIndexAction, Error> {
        built!(self, CreateVectorIndexAction::builder())
    }

    fn search_schema(&self) -> Result<Option<Vec<SearchSchemaElement>>, Error> {
        let element = |key: &KeyAttribute, element_type: SearchSchemaElementType| {
            let element = SearchSchemaElement::builder().attribute_name(key.name);
            element.search_schema_element_type(element_type).build().map_err(build_error)
        };
        let partition = self.index.partition.iter().map(|key| element(key, SearchSchemaElementType::Hash));
        let filters = self.index.filters.iter().map(|key| element(key, SearchSchemaElementType::InlineFilter));
        let elements: Vec<SearchSchemaElement> = partition.chain(filters).collect::<Result<_, _>>()?;
        Ok((!elements.is_empty()).then_some(elements))
    }

    /// Returns a search that shows whether the index answers yet: for one item, in a partition that nobody uses.
    pub(super) fn probe(&self, client: &Client, table: &str) -> SearchVectorsFluentBuilder {
        let zero = vec![AttributeValue::N("0".to_owned()); self.index.vector.dimensions];
        let search = client.search_vectors().table_name(table).index_name(self.index.name);
        let search = search.set_search_vector(Some(zero)).top_k(1);
        let Some(partition) = self.index.partition.first() else { return search };
        let nobody = match partition.key_type {
            ScalarAttributeType::N => AttributeValue::N("0".to_owned()),
            ScalarAttributeType::B => AttributeValue::B(Blob::new("?")),
            _ => AttributeValue::S("?".to_owned()),
        };
        let search = search.search_condition_expression("#0 = :0");
        search.expression_attribute_names("#0", partition.name).expression_attribute_values(":0", nobody)
    }
}

pub(super) fn distance(metric: Metric) -> VectorDistanceFunction {
    match metric {
        Metric::Cosine => VectorDistanceFunction::Cosine,
        Metric::Euclidean => VectorDistanceFunction::Euclidean,
        Metric::DotProduct => VectorDistanceFunction::DotProduct,
    }
}
