//! Chooses between a native and a client-side transaction, and refuses one that cannot be client-side.

use crate::error::Error;
use crate::exchange::Repository;
use crate::exchange::row::transact::{ACTIONS, BYTES};
use crate::key::item_size;
use crate::schema::{Schema, Store};
use crate::transaction::native::{Action, Strategy, TransactionCommand};

impl Strategy {
    /// Returns `true` if the transaction is sent client-side.
    pub(crate) fn is_client_side(self, is_too_large: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Native | Self::Both => false,
            Self::ClientSide => true,
            Self::Auto => is_too_large(),
        }
    }
}

impl TransactionCommand {
    /// Returns `true` if the transaction is sent client-side.
    pub(crate) fn is_client_side(&self, strategy: Strategy) -> bool {
        strategy.is_client_side(|| {
            self.is_too_large() && self.untransactional().is_empty() && self.with_unique_values().is_none()
        })
    }

    /// Refuses a transaction that cannot be client-side for any stored items.
    pub(crate) fn check_client_side(&self, repository: &Repository) -> Result<(), Error> {
        if self.token.is_some() {
            return Err(Error::invalid(
                "a client-side transaction takes no token, which is a feature of native ones: let it `create` an item whose key is the token, which a second transaction could not create again",
            ));
        }
        self.check_actions()?;
        if let Some(entity) = self.with_unique_values() {
            return Err(claims_unique_values(entity));
        }
        let untransactional = self.untransactional();
        if !untransactional.is_empty() {
            return Err(Error::invalid(format!(
                "a client-side transaction takes only transactional entities, and `{}` is not transactional: add `#[transactional]`, or send a native transaction",
                untransactional.join("`, `"),
            )));
        }
        let tables = self.tables(repository)?;
        self.check_items(&tables)
    }

    /// Returns the error of a caller who asks for the one request of a client-side transaction.
    pub(crate) fn many_requests(&self) -> Error {
        let items = self.actions.iter().filter(|action| action.command.is_write()).count();
        let with_history = |action: &&Action| action.command.is_write() && action.command.schema.history.is_some();
        let revisions = match self.actions.iter().filter(with_history).count() {
            0 => String::new(),
            revisions => format!("1 for each of {revisions} revisions, "),
        };
        Error::invalid(format!(
            "the transaction is client-side and has no single request: it sends 2 for each of its {items} items, {revisions}1 for its lane, 1 for each 350 KB of their keys beyond 3 KB, and reads of the items whose versions are not known"
        ))
    }

    fn is_too_large(&self) -> bool {
        let rows = self.actions.iter().map(|action| {
            let command = &action.command;
            1 + rows_beside(command.schema, command.is_write(), command.has_dedup_key())
        });
        let bytes = self.actions.iter().filter_map(|action| action.command.item.as_ref().ok()).map(item_size);
        rows.sum::<usize>() > ACTIONS || bytes.sum::<usize>() > BYTES
    }

    /// Returns the name of an entity with unique values that the transaction writes.
    fn with_unique_values(&self) -> Option<&'static str> {
        let mut writes = self.actions.iter().map(|action| &action.command).filter(|command| command.is_write());
        writes.find(|command| !command.schema.unique.is_empty()).map(|command| command.schema.entity)
    }
}

/// Returns the error of a client-side transaction that writes an entity with unique values: it would write the item, as an intent,
/// before it is decided who may have the value.
#[cold]
pub(crate) fn claims_unique_values(entity: &str) -> Error {
    Error::invalid(format!(
        "`{entity}` has unique values, which no client-side transaction can claim: write it in a native transaction, with at most {ACTIONS} actions, and without `client_side` or a query"
    ))
}

/// Returns the number of rows of histories and idempotency keys that go with an action.
pub(crate) fn rows_beside(schema: &Schema, is_written: bool, is_keyed: bool) -> usize {
    let has_key_row = is_keyed && matches!(schema.key_store(), Some(Store::Row { .. }));
    usize::from(has_key_row) + usize::from(is_written && schema.history.is_some())
}
