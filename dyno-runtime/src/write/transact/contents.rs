//! What a transaction sends, put together and checked: as many actions and bytes as DynamoDB takes, and one for each item.

use super::command::{Concluded, RefusedAction, TransactionCommand};
use super::enlist::{Enlisted, enlist};
use super::part::{Course, Part, named};
use super::plan::Plan;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::transact::ACTIONS;
use crate::exchange::{Repository, random};
use crate::key::{distinct, item_size};
use crate::schema::Tables;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, TransactWriteItem};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::time::Instant;

const BYTES: usize = 4 * 1024 * 1024;
/// API reference, `ClientRequestToken`.
const TOKEN_BYTES: usize = 36;

impl TransactionCommand {
    /// Refuses what could not be sent whatever is there.
    pub(super) fn check(&self) -> Result<(), Error> {
        match &self.token {
            Some(token) if token.is_empty() || token.len() > TOKEN_BYTES => {
                return Err(Error::invalid(format!(
                    "the transaction's token has {} bytes, but DynamoDB takes 1 to {TOKEN_BYTES}: hash it",
                    token.len()
                )));
            }
            _ => {}
        }
        match self.actions.len() {
            0 => {
                Err(Error::invalid("the transaction has no actions: add one with `put`, `update`, `delete` or `check`"))
            }
            actions if actions > ACTIONS => Err(too_many(actions, 0)),
            _ => Ok(()),
        }
    }

    /// The tables of each action.
    pub(super) fn tables(&self, repository: &Repository) -> Result<Vec<Tables>, Error> {
        let tables = self.actions.iter().map(|action| (action.tables)(repository));
        tables.collect()
    }

    /// Refuses two actions on one item, as DynamoDB does. Keys are compared by value: a number can be spelled in many ways.
    pub(super) fn check_items(&self, tables: &[Tables]) -> Result<(), Error> {
        let mut items = HashMap::with_capacity(self.actions.len());
        for (index, (action, tables)) in self.actions.iter().zip(tables).enumerate() {
            let name = |error: Error| named(error, index, action);
            let key = action.command.key().map_err(name)?;
            let text = distinct(&tables.main, action.command.schema, &key).map_err(name)?;
            if let Some(other) = items.insert(text, index) {
                return Err(name(Error::invalid(format!(
                    "action {other} is of the same item, and DynamoDB takes one for each: make them one, as an update with several changes, or a write with a `condition` in the place of a check"
                ))));
            }
        }
        Ok(())
    }

    /// Puts the contents together. It can take reads, which can show that the transaction would be refused.
    pub(super) async fn plan(
        &self,
        repository: &Repository,
        tables: Vec<Tables>,
        (now, made): (EpochMillis, Instant),
        round: u32,
        mut courses: Vec<Course>,
    ) -> Result<Result<Plan, Concluded>, Error> {
        courses.resize_with(self.actions.len(), Course::default);
        let (mut requests, mut parts, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (action, course)) in self.actions.iter().zip(courses).enumerate() {
            let enlisted = enlist(&action.command, repository, &tables[index], now, course).await;
            match enlisted.map_err(|error| named(error, index, action))? {
                Enlisted::Part(mut part, sent) => {
                    part.at = requests.len() + sent.len() - 1;
                    requests.extend(sent);
                    parts.push(*part);
                }
                Enlisted::Refused(refusal) => {
                    refused.push(RefusedAction { index, entity: action.entity, refused: refusal });
                }
                // It holds the name of a write of this transaction, which was applied whole.
                Enlisted::Applied => {
                    let versions = self.actions.iter().map(|action| (action.entity, None));
                    return Ok(Err(Concluded::Applied(versions.collect())));
                }
            }
        }
        if !refused.is_empty() {
            refused.extend(self.known(repository, &tables, &parts, &refused).await?);
            refused.sort_by_key(|refused| refused.index);
            return Ok(Err(Concluded::Refused(self.refused(refused))));
        }
        if requests.len() > ACTIONS {
            return Err(too_many(self.actions.len(), requests.len() - self.actions.len()));
        }
        check_bytes(&requests)?;
        Ok(Ok(Plan { token: self.token(round)?, round, now, made, since: (now, made), tables, requests, parts }))
    }

    /// The updates with idempotency keys that would be refused, of a transaction that is not sent since others would be: these
    /// may find no more what they were for, because it has been made already.
    async fn known(
        &self,
        repository: &Repository,
        tables: &[Tables],
        parts: &[Part],
        refused: &[RefusedAction],
    ) -> Result<Vec<RefusedAction>, Error> {
        let is_refused = |index: usize| refused.iter().any(|refused| refused.index == index);
        let enlisted = self.actions.iter().enumerate().filter(|(index, _)| !is_refused(*index));
        let mut known = Vec::new();
        for ((index, action), part) in enlisted.zip(parts).filter(|(_, part)| part.write.key.is_some()) {
            let refusal = part.foreseen(repository, &tables[index]).await;
            if let Some(refused) = refusal.map_err(|error| named(error, index, action))? {
                known.push(RefusedAction { index, entity: action.entity, refused });
            }
        }
        Ok(known)
    }

    /// The token of a plan. After the first, those of a caller's token are made from it.
    fn token(&self, round: u32) -> Result<String, Error> {
        match &self.token {
            None => random::text::<24>(),
            Some(token) if round == 0 => Ok(token.clone()),
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
        rows => format!(", and {rows} rows of histories and idempotency keys, which are actions, too"),
    };
    Error::invalid(format!(
        "the transaction has {actions} actions{rows}, but DynamoDB takes at most {ACTIONS}: split it, where the parts make sense alone"
    ))
}

/// What is known of the size before it is sent: of items that are put, all; of others, their keys and the new values.
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
            "the transaction's items have {bytes} bytes, but DynamoDB takes at most {BYTES} in all: split it, where the parts make sense alone, or store large values elsewhere"
        )));
    }
    Ok(())
}
