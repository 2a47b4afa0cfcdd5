//! Every write: from a command's parts and the rules to what it means, and from there to what DynamoDB is sent. How it is sent
//! is in `single_write` and `transact`; what it would make of an item in hand, in `foretold`.

use super::update_changes::{finish, render_update};
use super::write_command::WriteCommand;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{Body, RowWrite};
use crate::expression::{Node, Placeholders, RawChange, check_length, check_operators};
use crate::key::{check_condition, check_item, check_keys};
use crate::rule;
use crate::rule::{Expected, Phase, Verb, Write};
use aws_sdk_dynamodb::types::ReturnValue;
use std::mem;

/// What a write does with its row. Its item stays in the command.
pub(crate) enum Deed {
    /// Puts the command's item.
    Put,
    /// Makes these changes.
    Update(Vec<RawChange>),
    Delete,
    Check,
}

impl WriteCommand {
    /// What is sent, and what the rules were told of it. It is taken out of the command, of which no other request can be made.
    pub(crate) fn prepare(&mut self, terms: Terms) -> Result<(RowWrite, Write), Error> {
        // First: what follows compares changes with each other.
        check_operators(&self.update.changes)?;
        let Terms { table, now, returns, expected, phase } = terms;
        let write = self.facts(now, expected, phase)?;
        let (condition, deed) = self.meaning(&write)?;
        let (condition, mut placeholders) = render_condition(&write, condition)?;
        // The item is taken last: an error tells its key.
        let mut item = || self.item.as_mut().map(mem::take).map_err(|error| Error::from(error.clone()));
        let body = match deed {
            Deed::Put => Body::Put(item()?),
            Deed::Update(changes) => {
                let update = render_update(changes, &mut placeholders)?;
                Body::Update(item()?, update)
            }
            Deed::Delete => {
                let mut key = item()?;
                key.retain(|name, _| write.schema.is_key(name));
                Body::Delete(key)
            }
            Deed::Check => Body::Check(item()?),
        };
        let row = RowWrite::new(table, body, condition, placeholders);
        Ok((RowWrite { returns, ..row }, write))
    }

    /// What the write demands of the item that is there, and what it does. An item that is put is finished where it is.
    pub(crate) fn meaning(&mut self, write: &Write) -> Result<(Option<Node>, Deed), Error> {
        let condition = rule::condition(write, self.condition.take().transpose()?);
        condition.as_ref().map_or(Ok(()), check_condition)?;
        let is_put = self.is_put();
        let Self { schema, verb, item, update, .. } = self;
        let item = item.as_mut().map_err(|error| Error::from(error.clone()))?;
        if is_put {
            rule::assign_to(write, item);
            check_item(item, schema)?;
            return Ok((condition, Deed::Put));
        }
        check_keys(item, schema)?;
        let deed = match verb {
            Verb::Update { .. } | Verb::Rewrite | Verb::Renumber => {
                let made = (*verb == (Verb::Update { upsert: true })).then(|| mem::take(&mut update.key_copies));
                Deed::Update(finish(write, item, mem::take(&mut update.changes), made)?)
            }
            Verb::Check { .. } => Deed::Check,
            _ => Deed::Delete,
        };
        Ok((condition, deed))
    }
}

/// What a request is made of, besides the command.
pub(crate) struct Terms {
    pub(crate) table: String,
    pub(crate) now: EpochMillis,
    pub(crate) returns: Option<ReturnValue>,
    /// What it expects of the version, where there is one.
    pub(crate) expected: Option<Expected>,
    pub(crate) phase: Phase,
}

/// The text of a write's condition, and the placeholders in it.
fn render_condition(write: &Write, condition: Option<Node>) -> Result<(Option<String>, Placeholders), Error> {
    let mut placeholders = if write.image.is_some() { Placeholders::terse() } else { Placeholders::default() };
    let condition = condition.map(|condition| condition.render(&mut placeholders));
    condition.as_deref().map_or(Ok(()), check_length)?;
    placeholders.check()?;
    Ok((condition, placeholders))
}
