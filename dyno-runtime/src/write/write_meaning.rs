//! Makes the request of a write: its condition and its effect under the rules of the entity, and both as DynamoDB's expressions.
//! `transaction::attempt::predict_write` evaluates the same condition and effect in memory.

use super::update_changes::complete_changes;
use super::write_command::WriteCommand;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{Body, RowWrite};
use crate::expression::{Node, Placeholders, RawChange, check_operators, render_changes};
use crate::key::{check_condition, check_item, check_keys};
use crate::rule;
use crate::rule::{Expected, Phase, Verb, Write};
use aws_sdk_dynamodb::types::ReturnValue;
use std::mem;

/// The effect of a write on its row. The item or key stays in the command.
pub(crate) enum Effect {
    Put,
    Update(Vec<RawChange>),
    Delete,
    Check,
}

impl WriteCommand {
    /// Returns the request, and the write as the rules saw it. The content moves out of the command, so no second request can be
    /// made of it.
    pub(crate) fn prepare(&mut self, terms: Terms) -> Result<(RowWrite, Write), Error> {
        // This comes first, because the next steps compare changes with each other.
        check_operators(&self.update.changes)?;
        let Terms { table, now, returns, expected, phase } = terms;
        let write = self.rule_write(now, expected, phase)?;
        let (condition, effect) = self.effect(&write)?;
        let (mut condition, mut placeholders) = render_condition(&write, condition);
        // The item is taken last, because an error needs its key.
        let mut item = || self.item.as_mut().map(mem::take).map_err(|error| Error::from(error.clone()));
        let mut body = match effect {
            Effect::Put => Body::Put(item()?),
            Effect::Update(changes) => {
                let update = render_changes(changes, &mut placeholders)?;
                Body::Update(item()?, update)
            }
            Effect::Delete => {
                let mut key = item()?;
                key.retain(|name, _| write.schema.is_key(name));
                Body::Delete(key)
            }
            Effect::Check => Body::Check(item()?),
        };
        let update = if let Body::Update(_, update) = &mut body { Some(update) } else { None };
        placeholders.fit([condition.as_mut(), update])?;
        let row = RowWrite::new(table, body, condition, placeholders);
        Ok((RowWrite { returns, reports_indexes: write.schema.has_vectors(), ..row }, write))
    }

    /// Returns the condition on the stored item, and the effect on it. The attributes of the rules are added to the item of a
    /// put.
    pub(crate) fn effect(&mut self, write: &Write) -> Result<(Option<Node>, Effect), Error> {
        let condition = rule::condition(write, self.condition.clone().transpose()?);
        condition.as_ref().map_or(Ok(()), check_condition)?;
        let is_put = self.is_put();
        let Self { schema, verb, item, update, .. } = self;
        let item = item.as_mut().map_err(|error| Error::from(error.clone()))?;
        if is_put {
            rule::assign_to(write, item);
            check_item(item, schema)?;
            return Ok((condition, Effect::Put));
        }
        check_keys(item, schema)?;
        let effect = match verb {
            Verb::Update { .. } | Verb::Rewrite | Verb::Renumber => {
                let is_upsert = *verb == (Verb::Update { upsert: true });
                let key_copies = is_upsert.then(|| mem::take(&mut update.key_copies));
                Effect::Update(complete_changes(write, item, mem::take(&mut update.changes), key_copies)?)
            }
            Verb::Check { .. } => Effect::Check,
            _ => Effect::Delete,
        };
        Ok((condition, effect))
    }
}

/// The values of a request that are not in the command.
pub(crate) struct Terms {
    pub(crate) table: String,
    pub(crate) now: EpochMillis,
    pub(crate) returns: Option<ReturnValue>,
    /// The version that the write expects, if the entity has versions.
    pub(crate) expected: Option<Expected>,
    pub(crate) phase: Phase,
}

/// The number of immutable attributes up to which a condition has their names, and not only numbers.
const READABLE: usize = 8;

/// Returns the condition as an expression, and the placeholders in it.
fn render_condition(write: &Write, condition: Option<Node>) -> (Option<String>, Placeholders) {
    let is_long = write.image.is_some() || write.kept.len() > READABLE;
    let mut placeholders = if is_long { Placeholders::terse() } else { Placeholders::default() };
    let condition = condition.map(|condition| condition.render(&mut placeholders));
    (condition, placeholders)
}
