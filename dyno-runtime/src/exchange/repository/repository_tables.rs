//! The names of the tables of an entity: as the repository was given them, as the entity declares them, or with a suffix.

use crate::error::Error;
use crate::exchange::repository::Repository;
use crate::schema::{Layout, Schema, Store, Tables, check_table_name};
use std::any::TypeId;
use std::sync::Arc;

impl Repository {
    /// Sets the name of the table of this type.
    pub(crate) fn with_given_table(mut self, of: TypeId, name: String) -> Self {
        Arc::make_mut(&mut self.settings).tables.insert(of, name);
        self
    }

    /// Sets the name of the history table of this type.
    pub(crate) fn with_given_history(mut self, of: TypeId, name: String) -> Self {
        Arc::make_mut(&mut self.settings).histories.insert(of, name);
        self
    }

    /// Sets the name of the table of idempotency keys of this type.
    pub(crate) fn with_given_keys(mut self, of: TypeId, name: String) -> Self {
        Arc::make_mut(&mut self.settings).keys.insert(of, name);
        self
    }

    /// Sets the name of the table of the unique values of this type.
    pub(crate) fn with_given_guards(mut self, of: TypeId, name: String) -> Self {
        Arc::make_mut(&mut self.settings).guards.insert(of, name);
        self
    }

    /// Returns the name of the table of this type.
    pub(crate) fn table_name_of(&self, of: TypeId, schema: &'static Schema) -> Result<String, Error> {
        let settings = &self.settings;
        if let Some(name) = settings.tables.get(&of) {
            check_table_name(name)?;
            return Ok(name.clone());
        }
        let entity = schema.entity;
        let name = schema.table.ok_or_else(|| {
            Error::invalid(format!(
                "`{entity}` has no table: write `#[entity(table = \"…\")]` on it, or name the table with `Repository::with_table::<{entity}>`"
            ))
        })?;
        let name = [&settings.prefix, name].concat();
        check_table_name(&name)?;
        Ok(name)
    }

    /// Returns the names of all tables of this type.
    pub(crate) fn tables_of(&self, of: TypeId, schema: &'static Schema) -> Result<Tables, Error> {
        let main = self.table_name_of(of, schema)?;
        let settings = &self.settings;
        let history = match schema.history.as_ref().map(|history| history.layout) {
            None => None,
            Some(Layout::SameTable) => Some(main.clone()),
            Some(Layout::Table(declared)) => {
                let name = self.name_beside(&main, settings.histories.get(&of), declared, ["history", "-history"])?;
                settings.owners.claim(&name, &main, schema)?;
                Some(name)
            }
        };
        let keys = match schema.idempotency.as_ref().map(|idempotency| &idempotency.store) {
            Some(Store::Row { table, .. }) => {
                Some(self.name_beside(&main, settings.keys.get(&of), *table, ["idempotency keys", "-idempotency"])?)
            }
            _ => None,
        };
        let guards = match schema.unique {
            [] => None,
            _ => {
                let name = self.name_beside(&main, settings.guards.get(&of), None, ["unique values", "-unique"])?;
                settings.guard_owners.claim(&name, &main, schema)?;
                Some(name)
            }
        };
        Ok(Tables { main, history, keys, guards })
    }

    /// Returns the name of the table of an entity's history, idempotency keys or unique values: the name that the repository was given, or
    /// that the entity declares, or the name of the entity's table with a suffix. It must differ from the entity's table, whose
    /// key is different.
    fn name_beside(
        &self,
        main: &str,
        given: Option<&String>,
        declared: Option<&str>,
        [what, suffix]: [&str; 2],
    ) -> Result<String, Error> {
        let name = match (given, declared) {
            (Some(given), _) => given.clone(),
            (None, Some(declared)) => [&self.settings.prefix, declared].concat(),
            (None, None) => [main, suffix].concat(),
        };
        check_table_name(&name)?;
        if name == main {
            return Err(Error::invalid(format!(
                "the table `{main}` cannot also hold its own {what}, whose rows have another key: give that table another name"
            )));
        }
        Ok(name)
    }
}
