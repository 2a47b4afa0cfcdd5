//! Adopts the unique values of items from before the rule: claims each value whose guard does not name its item.
//!
//! The guards of a page are read in batches, before its items are modified. A claim is a transaction of its own, which requires that
//! the item still has the value.

use crate::attribute::Item;
use crate::error::{EncodeError, Error};
use crate::exchange::{BackOff, Caller, Consistency, Repository, read_rows};
use crate::key::key_of;
use crate::read::{GetCommand, normalize};
use crate::rule;
use crate::rule::{Claim, Reason, Refused};
use crate::schema::{Schema, Tables};
use crate::sorted;
use crate::write::modify_loop::MODIFY_EACH;
use crate::write::{WriteCommand, Written};
use std::collections::HashMap;

/// The adoption of the items of one run.
#[derive(Clone, Copy)]
pub(super) struct Adoption<'a> {
    pub(super) schema: &'static Schema,
    pub(super) repository: &'a Repository,
    pub(super) tables: &'a Tables,
    /// The number of attempts for an item.
    pub(super) attempts: u32,
}

/// The result of the adoption of one item.
pub(super) enum Adopted {
    /// Its values have their guards already.
    Nothing,
    Claimed,
    Refused(Refused),
}

impl Adoption<'_> {
    /// Returns for each item whether a guard of its values is missing or another item's.
    pub(super) async fn lacks_guards(&self, items: &[Item]) -> Result<Vec<bool>, Error> {
        let Some(guards) = &self.tables.guards else { return Ok(vec![false; items.len()]) };
        // An item whose values make no keys is reported when it is adopted, and one that cannot be read when it is modified.
        let claims: Vec<Option<Vec<Claim>>> = items.iter().map(|item| self.claims(item).ok()).collect();
        // Two items of the page can have one value.
        let all = claims.iter().flatten().flatten();
        let distinct = sorted::names(all.map(|claim| claim.guard.as_str()));
        let keys: Vec<Item> = distinct.iter().map(|guard| rule::guard_key(guard)).collect();
        let caller = Caller { operation: MODIFY_EACH, entity: self.schema.entity, priority: None };
        let rows = read_rows(self.repository, caller, guards, &keys, Consistency::Consistent).await?;
        let holders = rows.iter().map(|row| rule::holder(self.schema, row.as_ref()?).ok());
        let holders: HashMap<&str, Option<Item>> = distinct.into_iter().zip(holders).collect();
        let lacks = |(item, claims): (&Item, &Option<Vec<Claim>>)| {
            let own = Some(rule::canonical(&key_of(self.schema, item)));
            let has_guard = |claim: &Claim| holders.get(claim.guard.as_str()) == Some(&own);
            !claims.as_ref().is_some_and(|claims| claims.iter().all(has_guard))
        };
        Ok(items.iter().zip(&claims).map(lacks).collect())
    }

    /// Returns the values of an item, in the current shape of the entity.
    fn claims(&self, item: &Item) -> Result<Vec<Claim>, Error> {
        let mut current = item.clone();
        normalize(self.schema, &mut current).map_err(|error| Error::from(EncodeError::new(error.to_string())))?;
        rule::unique_values_of(self.schema, &current).into_iter().collect()
    }

    /// Claims the values of an item, as it was written or read last.
    pub(super) async fn adopt(&self, item: Item) -> Result<Adopted, Error> {
        let mut back_off = BackOff::new(self.repository, self.attempts.saturating_sub(1));
        let (key, mut item) = (key_of(self.schema, &item), item);
        loop {
            if self.claims(&item)?.is_empty() {
                return Ok(Adopted::Nothing);
            }
            let command = Box::new(WriteCommand::adopt(self.schema, key.clone(), item.clone()));
            let mut refused = match command.send(self.repository, self.tables.clone(), None).await? {
                Written::Done(_) => return Ok(Adopted::Claimed),
                Written::Denied(refused) if refused.reasons.contains(&Reason::Missing) => return Ok(Adopted::Nothing),
                Written::Denied(refused) => refused,
            };
            refused.context.operation = MODIFY_EACH;
            // The refusal has the item only if the item itself has changed.
            let is_changed = refused.item.is_some();
            if !is_changed || !back_off.pause().await {
                return Ok(Adopted::Refused(refused));
            }
            let get = GetCommand::consistent(self.schema, Ok(key.clone()));
            let found = get.send(self.repository, self.tables.main.clone()).await?;
            let is_live = |item: &Item| rule::state(self.schema, self.repository.now(), item).is_live();
            match found.filter(is_live) {
                Some(found) => item = found,
                None => return Ok(Adopted::Nothing),
            }
        }
    }
}
