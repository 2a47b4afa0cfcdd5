//! The keys of all indexes of a table, not only of those that an entity declares.
//!
//! DynamoDB checks the values of index keys in items, but not inside an intent. If an attempt committed a value that DynamoDB
//! refuses, no process could ever roll the change forward (M12).

use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, Repository, call_undenied};
use crate::key::{PARTITION_KEY_BYTES, SORT_KEY_BYTES, check_key};
use aws_sdk_dynamodb::types::{
    AttributeValue, KeySchemaElement, KeyType, ScalarAttributeType, SearchSchemaElementType, TableDescription,
    VectorIndexDescription,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An attribute of which an index takes only some values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IndexKey {
    pub(crate) index: String,
    pub(crate) attribute: String,
    pub(crate) takes: Takes,
}

/// The values that an index takes in an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Takes {
    /// A key of this type, of at most so many bytes.
    Key(ScalarAttributeType, usize),
    /// A filter of a vector index, of this type.
    Filter(ScalarAttributeType),
    /// A vector with so many dimensions.
    Vector(usize),
}

impl Takes {
    /// Returns why the index does not take a value, if it does not.
    fn problem(&self, value: &AttributeValue) -> Option<String> {
        match self {
            Self::Key(key_type, _) if !is_typed(key_type, value) => Some(format!("it is a key of type {key_type}")),
            Self::Key(_, limit) => check_key(value, *limit).err().map(|error| error.to_string()),
            Self::Filter(key_type) => {
                (!is_typed(key_type, value)).then(|| format!("it is a filter of type {key_type}"))
            }
            Self::Vector(dimensions) => {
                let is_float = |element: &AttributeValue| match element {
                    AttributeValue::N(number) => number.parse::<f32>().is_ok_and(f32::is_finite),
                    _ => false,
                };
                let is_vector = match value {
                    AttributeValue::L(elements) => elements.len() == *dimensions && elements.iter().all(is_float),
                    _ => false,
                };
                (!is_vector).then(|| format!("it is a vector of {dimensions} 32-bit floats"))
            }
        }
    }
}

fn is_typed(key_type: &ScalarAttributeType, value: &AttributeValue) -> bool {
    matches!(
        (key_type, value),
        (ScalarAttributeType::S, AttributeValue::S(_))
            | (ScalarAttributeType::N, AttributeValue::N(_))
            | (ScalarAttributeType::B, AttributeValue::B(_))
    )
}

/// The index keys of each table, as `DescribeTable` returned them. Clones of a repository share them.
#[derive(Default)]
pub(crate) struct IndexKeys(Mutex<HashMap<String, Arc<[IndexKey]>>>);

impl IndexKeys {
    pub(crate) fn get(&self, table: &str) -> Option<Arc<[IndexKey]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(table).cloned()
    }

    pub(crate) fn insert(&self, table: &str, keys: Arc<[IndexKey]>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(table.to_owned(), keys);
    }
}

/// Returns the index keys of a table, by one `DescribeTable` for each table. Returns none if that request fails, for example
/// because the program has no right to it.
pub(crate) async fn index_keys(repository: &Repository, caller: Caller<'_>, table: &str) -> Arc<[IndexKey]> {
    if let Some(keys) = repository.memory::<IndexKeys>().get(table) {
        return keys;
    }
    let describe = repository.sender().describe_table().table_name(table);
    let described = call_undenied(repository, caller.about(table), describe).await;
    let keys: Arc<[IndexKey]> = match &described {
        Ok(described) => described.table().map(keys_of).unwrap_or_default().into(),
        Err(_) => Arc::default(),
    };
    // A request that had no answer is sent again next time. One that DynamoDB refused is not.
    if described.as_ref().map_or_else(|error| error.kind() == ErrorKind::Service, |_| true) {
        repository.memory::<IndexKeys>().insert(table, Arc::clone(&keys));
    }
    keys
}

fn keys_of(table: &TableDescription) -> Vec<IndexKey> {
    let global = table.global_secondary_indexes().iter().map(|index| (index.index_name(), index.key_schema()));
    let local = table.local_secondary_indexes().iter().map(|index| (index.index_name(), index.key_schema()));
    let type_of = |name: &str| {
        let mut definitions = table.attribute_definitions().iter();
        definitions.find(|definition| definition.attribute_name() == name).map(|found| found.attribute_type().clone())
    };
    // Keys of global and local indexes have a type and a limit of bytes.
    let of_key = |index: Option<&str>, key: &KeySchemaElement| {
        let limit = if *key.key_type() == KeyType::Range { SORT_KEY_BYTES } else { PARTITION_KEY_BYTES };
        let takes = Takes::Key(type_of(key.attribute_name())?, limit);
        Some(IndexKey {
            index: index.unwrap_or_default().to_owned(),
            attribute: key.attribute_name().to_owned(),
            takes,
        })
    };
    // A vector index also has filters, and a vector of fixed length.
    let of_vector_index = |index: &VectorIndexDescription| {
        let name = index.index_name().unwrap_or_default();
        let key =
            |attribute: &str, takes: Takes| IndexKey { index: name.to_owned(), attribute: attribute.to_owned(), takes };
        let searched = index.search_schema().iter().filter_map(|element| {
            let key_type = type_of(element.attribute_name())?;
            let takes = match element.search_schema_element_type() {
                SearchSchemaElementType::Hash => Takes::Key(key_type, PARTITION_KEY_BYTES),
                _ => Takes::Filter(key_type),
            };
            Some(key(element.attribute_name(), takes))
        });
        let dimensions = index.dimensions().and_then(|dimensions| usize::try_from(dimensions).ok());
        let vector = index.vector_attribute().zip(dimensions);
        let vector = vector.map(|(vector, dimensions)| key(vector.attribute_name(), Takes::Vector(dimensions)));
        searched.chain(vector).collect::<Vec<_>>()
    };
    let secondary = global.chain(local).flat_map(|(index, keys)| keys.iter().filter_map(move |key| of_key(index, key)));
    secondary.chain(table.vector_indexes().iter().flat_map(of_vector_index)).collect()
}

/// Refuses an item that has an invalid value for an index.
pub(crate) fn check_index_keys(keys: &[IndexKey], item: &Item) -> Result<(), Error> {
    for IndexKey { index, attribute, takes } in keys {
        if let Some(problem) = item.get(attribute).and_then(|value| takes.problem(value)) {
            return Err(Error::invalid(format!(
                "DynamoDB would refuse the value of `{attribute}`, because of the index `{index}`: {problem}"
            )));
        }
    }
    Ok(())
}
