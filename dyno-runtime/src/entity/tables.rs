//! The tables of an entity, by its type: what of the repository is generic.

use super::{Entity, Idempotent, WithHistory};
use crate::error::Error;
use crate::exchange::Repository;
use crate::schema::Tables;
use std::any::TypeId;

impl Repository {
    /// The name of `E`'s table, or its ARN, as it is: instead of the declared one, and without the prefix.
    #[must_use]
    pub fn with_table<E: Entity>(self, name: impl Into<String>) -> Self {
        self.with_given_table(TypeId::of::<E>(), name.into())
    }

    /// The name of the table of `E`'s history, or its ARN, as it is: instead of the declared one, and without the prefix.
    /// Revisions do not say of which table they are: of two entities in different tables whose keys can be the same, the
    /// second that is used with this repository is refused.
    #[must_use]
    pub fn with_history_table<E: WithHistory>(self, name: impl Into<String>) -> Self {
        self.with_given_history(TypeId::of::<E>(), name.into())
    }

    /// The name of the table of `E`'s idempotency keys, where they have rows of their own, or its ARN, as it is: instead of
    /// the declared one, and without the prefix. Entities can share one.
    #[must_use]
    pub fn with_idempotency_table<E: Idempotent>(self, name: impl Into<String>) -> Self {
        self.with_given_keys(TypeId::of::<E>(), name.into())
    }

    /// The name of `E`'s table.
    ///
    /// # Errors
    /// The entity declares none, and [`with_table`](Self::with_table) gave it none; or it is none that a table can have.
    pub fn table_name<E: Entity>(&self) -> Result<String, Error> {
        self.table_name_of(TypeId::of::<E>(), E::SCHEMA)
    }

    /// The name of the table of `E`'s history.
    ///
    /// # Errors
    /// As for [`table_name`](Self::table_name).
    pub fn history_table_name<E: WithHistory>(&self) -> Result<String, Error> {
        let tables = self.tables::<E>()?;
        Ok(tables.history.unwrap_or(tables.main))
    }

    /// The names of all of `E`'s tables.
    pub(crate) fn tables<E: Entity>(&self) -> Result<Tables, Error> {
        self.tables_of(TypeId::of::<E>(), E::SCHEMA)
    }
}
