//! What the indexes of tables are keyed by, as far as it was asked: of all indexes that there are, whoever has made them.
//!
//! Clones of a repository share it.

use aws_sdk_dynamodb::types::ScalarAttributeType;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An attribute that an index is keyed by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IndexKey {
    pub(crate) index: String,
    pub(crate) attribute: String,
    pub(crate) key_type: ScalarAttributeType,
    pub(crate) is_sort: bool,
}

/// By the names of the tables.
#[derive(Default)]
pub(crate) struct IndexKeys(Mutex<HashMap<String, Arc<[IndexKey]>>>);

impl IndexKeys {
    pub(crate) fn of(&self, table: &str) -> Option<Arc<[IndexKey]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(table).cloned()
    }

    pub(crate) fn keep(&self, table: &str, keys: Arc<[IndexKey]>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(table.to_owned(), keys);
    }
}
