//! The keys of all indexes of a table, not only of those that an entity declares.
//!
//! DynamoDB checks the values of index keys in items, but not inside an intent. If an attempt committed a value that DynamoDB
//! refuses, no process could ever roll the change forward (M12).

use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, Repository, call_undenied};
use crate::key::{PARTITION_KEY_BYTES, SORT_KEY_BYTES, check_key};
use aws_sdk_dynamodb::types::{AttributeValue, KeySchemaElement, KeyType, ScalarAttributeType, TableDescription};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A key attribute of an index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IndexKey {
    pub(crate) index: String,
    pub(crate) attribute: String,
    pub(crate) key_type: ScalarAttributeType,
    pub(crate) is_sort: bool,
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
    let of_key = |index: Option<&str>, key: &KeySchemaElement| {
        Some(IndexKey {
            index: index.unwrap_or_default().to_owned(),
            attribute: key.attribute_name().to_owned(),
            key_type: type_of(key.attribute_name())?,
            is_sort: *key.key_type() == KeyType::Range,
        })
    };
    global.chain(local).flat_map(|(index, keys)| keys.iter().filter_map(move |key| of_key(index, key))).collect()
}

/// Refuses an item that has an invalid value for a key of an index.
pub(crate) fn check_index_keys(keys: &[IndexKey], item: &Item) -> Result<(), Error> {
    for IndexKey { index, attribute, key_type, is_sort } in keys {
        let Some(value) = item.get(attribute) else { continue };
        let is_typed = matches!(
            (key_type, value),
            (ScalarAttributeType::S, AttributeValue::S(_))
                | (ScalarAttributeType::N, AttributeValue::N(_))
                | (ScalarAttributeType::B, AttributeValue::B(_))
        );
        let limit = if *is_sort { SORT_KEY_BYTES } else { PARTITION_KEY_BYTES };
        let problem = match check_key(value, limit) {
            Ok(()) if is_typed => continue,
            Err(error) if is_typed => error.to_string(),
            _ => format!("it is a key of type {key_type}"),
        };
        return Err(Error::invalid(format!(
            "DynamoDB would never store what is in `{attribute}`, since the index `{index}` is keyed by it: {problem}"
        )));
    }
    Ok(())
}
