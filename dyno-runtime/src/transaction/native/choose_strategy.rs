//! Whether a `Transaction` must be client-side, and whether it can be.

use super::action::Action;
use super::transaction_command::TransactionCommand;
use crate::error::Error;
use crate::exchange::Repository;
use crate::exchange::transact::{ACTIONS, BYTES};
use crate::key::item_size;
use crate::transaction::closure::{Strategy, rows_beside};
use std::collections::BTreeSet;

impl TransactionCommand {
    /// Whether it is sent client-side.
    pub(crate) fn is_apart(&self, way: Strategy) -> bool {
        match way {
            Strategy::Native | Strategy::Both => false,
            Strategy::ClientSide => true,
            Strategy::Auto => self.is_too_large() && self.others().is_empty(),
        }
    }

    /// Refuses a transaction that is too large for one request and has entities that are not transactional.
    pub(crate) fn check_way(&self, way: Strategy) -> Result<(), Error> {
        way.check()?;
        if way == Strategy::Native || self.len() <= ACTIONS || self.others().is_empty() {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the transaction has {} actions, but DynamoDB takes at most {ACTIONS} in one, and `{}` can be in no larger one: add `#[transactional]`, or split it, where the parts make sense alone",
            self.len(),
            self.others().into_iter().collect::<Vec<_>>().join("`, `"),
        )))
    }

    /// Refuses what no client-side transaction can do, whatever is there.
    pub(crate) fn check_apart(&self, repository: &Repository) -> Result<(), Error> {
        if self.token.is_some() {
            return Err(Error::invalid(
                "a client-side transaction has no token, which is DynamoDB's: create an item in it that is named as the token is, which another one cannot create again",
            ));
        }
        if self.actions.is_empty() {
            return Err(Error::invalid(
                "the transaction has no actions: add one with `put`, `update`, `delete` or `check`",
            ));
        }
        let others = self.others();
        if !others.is_empty() {
            return Err(Error::invalid(format!(
                "a client-side transaction takes transactional entities only, and `{}` is none: add `#[transactional]`, or leave it to one request",
                others.into_iter().collect::<Vec<_>>().join("`, `"),
            )));
        }
        let tables = self.tables(repository)?;
        self.check_items(&tables)
    }

    /// The error of a caller that asks for the one request of a client-side transaction.
    pub(crate) fn has_many_requests(&self) -> Error {
        let items = self.actions.iter().filter(|action| action.command.is_write()).count();
        let with_history = |action: &&Action| action.command.is_write() && action.command.schema.history.is_some();
        let revisions = match self.actions.iter().filter(with_history).count() {
            0 => String::new(),
            revisions => format!("1 for each of {revisions} revisions, "),
        };
        Error::invalid(format!(
            "the transaction takes many requests: 2 for each of its {items} items, {revisions}1 for its lane, and 1 for each 350 KB of their keys beyond 3 KB, besides reads of those whose versions are not known"
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

    /// The entities that are not transactional.
    fn others(&self) -> BTreeSet<&'static str> {
        let schemas = self.actions.iter().map(|action| action.command.schema);
        schemas.filter(|schema| !schema.is_transactional).map(|schema| schema.entity).collect()
    }
}
