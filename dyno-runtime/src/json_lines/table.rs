//! A table whose rows are exported or imported.

use super::export::Export;
use super::import::Import;
use crate::attribute::Item;
use crate::error::{Error, descriptor};
use crate::exchange::{About, Repository, call_undenied};
use aws_sdk_dynamodb::types::{KeyType, TableDescription};
use std::fmt;
use std::sync::Arc;

/// A table whose rows, of all entities, are exported or imported.
#[derive(Clone)]
pub struct Table(Arc<Described>);

pub(super) struct Described {
    pub(super) name: String,
    /// The partition key, and the sort key if there is one.
    keys: Vec<Key>,
}

struct Key {
    name: String,
    /// The descriptor of its type: `S`, `N` or `B`.
    descriptor: String,
}

impl Table {
    /// Looks the table's key up, by a `DescribeTable`. `name` is the table's own, with its prefix.
    ///
    /// # Errors
    /// The table does not exist, or those of the service.
    pub async fn describe(repository: &Repository, name: &str) -> Result<Self, Error> {
        let describe = repository.sender().describe_table().table_name(name);
        let described = call_undenied(repository, about("describe", name), describe).await?;
        let keys = described.table().map(keys_of).unwrap_or_default();
        Ok(Self(Arc::new(Described { name: name.to_owned(), keys })))
    }

    /// Makes the command that reads all rows.
    pub fn export(&self) -> Export {
        Export::new(Arc::clone(&self.0))
    }

    /// Makes the command that writes the row of a line, for a [`SendMany`](crate::SendMany) or to be sent alone. A garbled line, or one
    /// without the table's key, is an error when the command is sent.
    pub fn import(&self, line: &str) -> Import {
        Import::new(Arc::clone(&self.0), line)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Table").field(&self.0.name).finish()
    }
}

impl Described {
    /// Returns the name of the partition key.
    pub(super) fn partition(&self) -> &str {
        self.keys.first().map_or("", |key| &key.name)
    }

    /// Returns the key of a row; an error if it has none of this table.
    pub(super) fn key_of(&self, row: &Item) -> Result<Item, Error> {
        let part = |key: &Key| match row.get(&key.name) {
            Some(value) if descriptor(value) == key.descriptor => Ok((key.name.clone(), value.clone())),
            found => {
                let found = found.map_or("nothing", descriptor);
                Err(Error::invalid(format!(
                    "the row lacks the key of the table `{}`: expected `{}` ({}), found {found}",
                    self.name, key.name, key.descriptor
                )))
            }
        };
        self.keys.iter().map(part).collect()
    }
}

/// The subject of a request. No entity is named, because rows of any entity are read and written.
pub(super) fn about<'a>(operation: &'static str, table: &'a str) -> About<'a> {
    About::new(operation, "row", table)
}

fn keys_of(table: &TableDescription) -> Vec<Key> {
    let is_sort = |key_type: &KeyType| *key_type == KeyType::Range;
    let mut keys: Vec<_> = table.key_schema().iter().collect();
    keys.sort_by_key(|key| is_sort(key.key_type()));
    let key = |name: &str| {
        let mut definitions = table.attribute_definitions().iter();
        let definition = definitions.find(|definition| definition.attribute_name() == name)?;
        Some(Key { name: name.to_owned(), descriptor: definition.attribute_type().as_str().to_owned() })
    };
    keys.iter().filter_map(|element| key(element.attribute_name())).collect()
}
