//! The functions of the repository that set or return the table names of an entity type.

use super::{Entity, Idempotent, WithHistory, WithUniqueValues};
use crate::error::Error;
use crate::exchange::Repository;
use crate::schema::Tables;
use std::any::TypeId;

impl Repository {
    /// Sets the name or the ARN of `E`'s table, exactly as given: instead of the declared one, and without the prefix.
    #[must_use]
    pub fn with_table<E: Entity>(self, name: impl Into<String>) -> Self {
        self.with_given_table(TypeId::of::<E>(), name.into())
    }

    /// Sets the name or the ARN of the table of `E`'s history, exactly as given: instead of the declared one, and without the
    /// prefix. Revisions do not name the table that they belong to. So if two entities in different tables can have the same
    /// keys, this repository refuses the second one that is used.
    #[must_use]
    pub fn with_history_table<E: WithHistory>(self, name: impl Into<String>) -> Self {
        self.with_given_history(TypeId::of::<E>(), name.into())
    }

    /// Sets the name or the ARN of the table of `E`'s idempotency keys, if they have rows of their own, exactly as given: instead
    /// of the declared one, and without the prefix. Entities can share such a table.
    #[must_use]
    pub fn with_idempotency_table<E: Idempotent>(self, name: impl Into<String>) -> Self {
        self.with_given_keys(TypeId::of::<E>(), name.into())
    }

    /// Sets the name or the ARN of the table of `E`'s unique values, exactly as given: instead of the name of `E`'s table with
    /// `-unique` behind it. Entities of one table share such a table. A repository refuses one for entities of two tables, because a
    /// guard names an item by its key alone.
    #[must_use]
    pub fn with_unique_table<E: WithUniqueValues>(self, name: impl Into<String>) -> Self {
        self.with_given_guards(TypeId::of::<E>(), name.into())
    }

    /// Returns the name of `E`'s table.
    ///
    /// # Errors
    /// The entity declares none, and [`with_table`](Self::with_table) gave it none; or a table cannot have this name.
    pub fn table_name<E: Entity>(&self) -> Result<String, Error> {
        self.table_name_of(TypeId::of::<E>(), E::SCHEMA)
    }

    /// Returns the name of the table of `E`'s history.
    ///
    /// # Errors
    /// As for [`table_name`](Self::table_name).
    pub fn history_table_name<E: WithHistory>(&self) -> Result<String, Error> {
        let tables = self.tables::<E>()?;
        Ok(tables.history.unwrap_or(tables.main))
    }

    /// Returns the names of all of `E`'s tables.
    pub(crate) fn tables<E: Entity>(&self) -> Result<Tables, Error> {
        self.tables_of(TypeId::of::<E>(), E::SCHEMA)
    }
}
