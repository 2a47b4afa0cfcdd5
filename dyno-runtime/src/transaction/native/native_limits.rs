//! Makes the plan of a native transaction, and checks DynamoDB's limits: the number of actions, their bytes, one action for each
//! item.

use super::action::named;
use super::native_plan::{Plan, PlannedAction};
use super::transaction_command::TransactionCommand;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::row::transact::{ACTIONS, BYTES};
use crate::exchange::{Moment, Repository, random};
use crate::key::{distinct, item_size};
use crate::schema::Tables;
use crate::write::drive_writes::Slot;
use crate::write::rows_to_send::Rows;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, TransactWriteItem};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::mem;

/// The longest token that DynamoDB takes (API reference, `ClientRequestToken`).
const TOKEN_BYTES: usize = 36;

impl TransactionCommand {
    /// Refuses a transaction that DynamoDB would reject for any stored items.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if let Some(token) = &self.token
            && (token.is_empty() || token.len() > TOKEN_BYTES)
        {
            return Err(Error::invalid(format!(
                "the transaction's token has {} bytes, but DynamoDB takes 1 to {TOKEN_BYTES}: hash it",
                token.len()
            )));
        }
        self.check_actions()?;
        if self.actions.len() > ACTIONS { Err(too_many(self.actions.len(), 0)) } else { Ok(()) }
    }

    /// Refuses a transaction without actions.
    pub(crate) fn check_actions(&self) -> Result<(), Error> {
        if !self.actions.is_empty() {
            return Ok(());
        }
        Err(Error::invalid("the transaction has no actions: add one with `put`, `update`, `delete` or `check`"))
    }

    /// Returns the tables of each action.
    pub(crate) fn tables(&self, repository: &Repository) -> Result<Vec<Tables>, Error> {
        self.actions.iter().map(|action| (action.tables)(repository)).collect()
    }

    /// Refuses two actions on one item, as DynamoDB does. Keys are compared by value, because a number can be spelled in many
    /// ways.
    pub(crate) fn check_items(&self, tables: &[Tables]) -> Result<(), Error> {
        let mut items = HashMap::with_capacity(self.actions.len());
        for (index, (action, tables)) in self.actions.iter().zip(tables).enumerate() {
            let name = |error: Error| named(error, index, action);
            let key = action.command.key().map_err(name)?;
            let text = distinct(&tables.main, action.command.schema, &key).map_err(name)?;
            if let Some(other) = items.insert(text, index) {
                return Err(name(Error::invalid(format!(
                    "action {other} is for the same item, and DynamoDB accepts one for each item: combine them, for example as an update with several changes, or a write with a `condition` in place of a check"
                ))));
            }
        }
        Ok(())
    }

    /// Returns the plan that sends the composed writes of these slots.
    pub(crate) fn plan(&self, slots: &mut [Slot<'_>], made: Moment, round: u32) -> Result<Plan, Error> {
        // An action takes most of a kilobyte, so the list should not grow.
        let mut requests = Vec::with_capacity(self.actions.len());
        let mut actions = Vec::with_capacity(self.actions.len());
        let checks = self.place_claims(slots)?;
        for (index, (action, slot)) in self.actions.iter().zip(slots.iter_mut()).enumerate() {
            let Some((rows, composed)) = slot.rows.take().zip(slot.composed.take()) else { continue };
            let Rows { companion, main, claims, .. } = *rows;
            for row in claims.guards.into_iter().chain(companion).chain([main]) {
                requests.push(row.action().map_err(|error| named(error, index, action))?);
            }
            let (request, known) = (requests.len() - 1, mem::take(&mut slot.known));
            let holder_checks = vec![None; composed.write.claims.len()];
            actions.push(PlannedAction { request, holder_checks, composed: *composed, known });
        }
        checks.add_to(&mut requests, &mut actions)?;
        if requests.len() > ACTIONS {
            return Err(too_many(self.actions.len(), requests.len() - self.actions.len()));
        }
        check_bytes(&requests)?;
        let tables = slots.iter().map(|slot| slot.tables.clone()).collect();
        Ok(Plan { token: self.token(round)?, round, made, since: made, tables, requests, actions })
    }

    /// Returns the token of a plan. If the caller has set it, each plan has this one: the earlier plans were refused, and DynamoDB
    /// recognizes the transaction of another process by this token alone. If an interactive transaction has set it, later plans
    /// derive theirs from it.
    fn token(&self, round: u32) -> Result<String, Error> {
        match &self.token {
            None => random::text::<24>(),
            Some(token) if round == 0 || self.has_own_token() => Ok(token.clone()),
            Some(token) => {
                let digest = Sha256::digest(format!("{token}|{round}"));
                Ok(aws_smithy_types::base64::encode(&digest[..TOKEN_BYTES / 4 * 3]))
            }
        }
    }
}

fn too_many(actions: usize, rows: usize) -> Error {
    let rows = match rows {
        0 => String::new(),
        rows => format!(", and {rows} rows of histories, idempotency keys and unique values, which are actions, too"),
    };
    Error::invalid(format!(
        "the transaction has {actions} actions{rows}, but DynamoDB accepts at most {ACTIONS}: split it if the parts make sense alone"
    ))
}

/// Refuses contents that are too large, as far as their size is known before sending: puts count the whole item, other actions
/// their key and new values.
fn check_bytes(requests: &[TransactWriteItem]) -> Result<(), Error> {
    let size = |item: Option<&Item>| item.map_or(0, item_size);
    let bytes = requests.iter().map(|request| {
        size(request.put().map(Put::item))
            + request.update().map_or(0, |update| size(Some(update.key())) + size(update.expression_attribute_values()))
            + size(request.delete().map(Delete::key))
            + size(request.condition_check().map(ConditionCheck::key))
    });
    let bytes: usize = bytes.sum();
    if bytes > BYTES {
        return Err(Error::invalid(format!(
            "the transaction's items have {bytes} bytes, but DynamoDB accepts at most {BYTES} in all: split it if the parts make sense alone, or store large values elsewhere"
        )));
    }
    Ok(())
}
