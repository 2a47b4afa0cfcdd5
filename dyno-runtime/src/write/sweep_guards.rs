//! Removes the guards of unique values that no item has any more. They do no harm, because the next claim takes them over, but they
//! take space.
//!
//! The removal is a transaction with a check that the holder is as it was read. Otherwise the holder could claim the value again
//! between the read and the removal, and would then have it without a guard.

use super::write_command::WriteCommand;
use super::write_meaning::Terms;
use crate::attribute::Item;
use crate::error::{Context, Error};
use crate::exchange::row::transact::send_transaction;
use crate::exchange::{
    About, Answer, Ask, Attempts, Body, CONCURRENCY, Caller, Cause, Consistency, Repeat, Repository, RowWrite,
    boxed_stream, random, read_rows, scan_rows,
};
use crate::expression::Placeholders;
use crate::key::Identity;
use crate::read::normalize;
use crate::rule;
use crate::rule::{Image, Phase, Verb};
use crate::schema::{Schema, Tables, names};
use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::BoxFuture;
use futures_util::stream::{StreamExt as _, TryStreamExt as _};
use std::collections::HashMap;
use std::sync::Arc;

const SWEEP_GUARDS: &str = "sweep_guards";

/// The result of a [`SweepGuards`](crate::command::SweepGuards).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SweptGuards {
    /// The number of guards whose item has the value.
    pub kept: u64,
    /// The number of guards that the sweep has removed.
    pub removed: u64,
    /// The number of guards that were claimed or whose item was written while the sweep looked at them. The next sweep looks again.
    pub changed: u64,
    /// The number of rows that are no guards of the entity, and that the sweep left as they are: another program has written them, or
    /// the item that they name is another entity's.
    pub foreign: u64,
}

/// Removes the guards of an entity's unique values that no item has any more.
pub(crate) fn sweep_guards<'a>(
    repository: &'a Repository,
    schema: &'static Schema,
    tables: &'a Tables,
) -> BoxFuture<'a, Result<SweptGuards, Error>> {
    Box::pin(async move {
        let mut swept = SweptGuards::default();
        let Some(guards) = &tables.guards else { return Ok(swept) };
        let sweep = Sweep { repository, schema, main: &tables.main, guards };
        let result = sweep.run(&mut swept).await;
        result.map_err(|error| {
            error.with_context(|| Context { operation: SWEEP_GUARDS, entity: schema.entity, key: None })
        })?;
        Ok(swept)
    })
}

struct Sweep<'a> {
    repository: &'a Repository,
    schema: &'static Schema,
    main: &'a str,
    guards: &'a str,
}

/// A guard, and the item of its holder.
struct Guarded {
    guard: String,
    holder: Item,
    item: Option<Item>,
}

impl Sweep<'_> {
    fn caller(&self) -> Caller<'static> {
        Caller { operation: SWEEP_GUARDS, entity: self.schema.entity, priority: None }
    }

    async fn run(&self, swept: &mut SweptGuards) -> Result<(), Error> {
        let scan = self.repository.sender().scan();
        let mut pages = scan_rows(self.repository, self.caller(), self.guards, scan);
        while let Some(rows) = pages.try_next().await? {
            let free = self.free_guards(rows, swept).await?;
            let removals = boxed_stream(free.into_iter().map(|guarded| self.remove(guarded)));
            let mut removals = removals.buffered(CONCURRENCY);
            while let Some(is_removed) = removals.next().await {
                if is_removed? { swept.removed += 1 } else { swept.changed += 1 }
            }
        }
        Ok(())
    }

    /// Returns the guards of a page that no item has the value of.
    async fn free_guards(&self, rows: Vec<Item>, swept: &mut SweptGuards) -> Result<Vec<Guarded>, Error> {
        let mut holders = Vec::new();
        for row in rows {
            let Some(AttributeValue::S(guard)) = row.get(names::KEY) else { continue };
            // Other entities of the table have guards in the same table.
            if !self.schema.unique.iter().any(|unique| rule::is_guard_of(unique, guard)) {
                continue;
            }
            match rule::holder(self.schema, &row) {
                Ok(holder) => holders.push((guard.clone(), holder)),
                Err(_) => swept.foreign += 1,
            }
        }
        // An item can have several guards.
        let (mut keys, mut places) = (Vec::new(), HashMap::new());
        for (_, holder) in &holders {
            places.entry(Identity::of_key(0, holder)).or_insert_with(|| {
                keys.push(holder.clone());
                keys.len() - 1
            });
        }
        let items = read_rows(self.repository, self.caller(), self.main, &keys, Consistency::Consistent).await?;
        let mut free = Vec::new();
        for (guard, holder) in holders {
            let item = places.get(&Identity::of_key(0, &holder)).and_then(|place| items[*place].clone());
            if item.as_ref().is_some_and(|item| rule::is_of_another(self.schema, item)) {
                swept.foreign += 1;
            } else if self.has_value(item.as_ref(), &guard) {
                swept.kept += 1;
            } else {
                free.push(Guarded { guard, holder, item });
            }
        }
        Ok(free)
    }

    /// Returns `true` if an item has the value of a guard, or may have it because the item cannot be read.
    fn has_value(&self, item: Option<&Item>, guard: &str) -> bool {
        let Some(item) = item else { return false };
        let mut current = item.clone();
        let is_read = normalize(self.schema, &mut current).is_ok();
        let values = rule::unique_values_of(self.schema, &current);
        !is_read || values.iter().any(|claim| claim.as_ref().is_ok_and(|claim| claim.guard == guard))
    }

    /// Removes a guard, if it is still the holder's and the holder's item is as it was read. Returns `false` otherwise.
    async fn remove(&self, Guarded { guard, holder, item }: Guarded) -> Result<bool, Error> {
        let mut placeholders = Placeholders::default();
        let condition = rule::is_held_by(&holder).render(&mut placeholders);
        let body = Body::Delete(rule::guard_key(&guard));
        let delete = RowWrite::new(self.guards.to_owned(), body, Some(condition), placeholders);
        let actions = [delete.action()?, self.check(holder, item.as_ref())?.action()?];
        let attempts = Attempts::default();
        let about =
            About::several(SWEEP_GUARDS, [self.guards, self.main].map(|table| (self.schema.entity, table)).into_iter());
        let ask = Ask::write(about, &attempts, Repeat::Freely);
        match send_transaction(self.repository, ask, &actions, random::text::<24>()?, false).await? {
            Answer::Done(()) => Ok(true),
            Answer::Denied(cancelled) if cancelled.causes().any(|cause| cause == Cause::Condition) => Ok(false),
            Answer::Denied(cancelled) => Err(cancelled.error),
        }
    }

    /// Returns the check that the holder's item is as it was read.
    fn check(&self, holder: Item, item: Option<&Item>) -> Result<RowWrite, Error> {
        let now = self.repository.now();
        let is_live = item.is_some_and(|item| rule::state(self.schema, now, item).is_live());
        let mut command = WriteCommand::new(self.schema, Verb::Check { absent: !is_live }, Ok(holder));
        let image = item.map_or_else(|| Image::of_nothing(self.schema), |item| Image::of(self.schema, item, false));
        command.image = Some(Arc::new(image));
        let terms = Terms { table: self.main.to_owned(), now, returns: None, expected: None, phase: Phase::default() };
        Ok(command.prepare(terms)?.0)
    }
}
