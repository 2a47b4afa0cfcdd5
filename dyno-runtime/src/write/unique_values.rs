//! The unique values that a write claims: which of them its own item stores, and the rows that claim them.

use super::write_command::WriteCommand;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, equal_or_absent};
use crate::error::Error;
use crate::exchange::{Body, RowWrite};
use crate::expression::{Action, Guard, Node, Path, Placeholders, RawChange};
use crate::key::Identity;
use crate::rule;
use crate::rule::{Claim, Verb, alias, canonical, is_claimable};
use crate::schema::{Schema, Unique};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;

/// The unique values of a write.
#[derive(Debug, Default)]
pub(super) struct UniqueValues {
    /// The values to claim.
    pub(super) claims: Vec<Claim>,
    /// The attributes that must still have the loaded values, because the write relies on them and claims nothing for them.
    pub(super) guards: Vec<Guard>,
}

impl WriteCommand {
    /// Returns the values that the write stores, and those that it relies on.
    ///
    /// A write over a loaded item does not claim the values that stay as they were loaded: as long as the item has them, it has
    /// their guards. So the item must still have them.
    pub(super) fn unique_values(&self, now: EpochMillis) -> Result<UniqueValues, Error> {
        let mut values = UniqueValues::default();
        for unique in self.schema.unique {
            self.add_unique_value(unique, now, &mut values)?;
        }
        Ok(values)
    }

    fn add_unique_value(
        &self,
        unique: &'static Unique,
        now: EpochMillis,
        values: &mut UniqueValues,
    ) -> Result<(), Error> {
        let schema = self.schema;
        let loaded = self.unique_basis.as_deref().map(|loaded| alias::with_own_names(schema, loaded));
        let loaded_value = |name: &'static str| rule::present(schema, name, loaded.as_ref()?.get(name));
        let stored = self.stored_value(unique, &loaded_value, loaded.is_some())?;
        let Some((claim, relied_on)) = stored else { return Ok(()) };
        let is_adoption = matches!(self.verb, Verb::Check { .. });
        // A loaded value that makes no key has no guard. Nor may one have it that has expired: `modify_each` reads no expired items.
        let is_live = || loaded.as_ref().is_some_and(|loaded| rule::state(schema, now, &**loaded).is_live());
        let is_as_loaded =
            !is_adoption && is_live() && Claim::of(unique, loaded_value).ok().flatten().as_ref() == Some(&claim);
        let relied_on = if is_as_loaded { unique.attributes.to_vec() } else { relied_on };
        let relied_on = relied_on.into_iter().filter(|name| !schema.is_key(name));
        values.guards.extend(relied_on.filter_map(|name| self.must_stay(name, claim.value_of(name)?)));
        if !is_as_loaded {
            values.claims.push(claim);
        }
        Ok(())
    }

    /// Returns the unique value that the item has after the write, and those of its attributes that the write relies on and does
    /// not store; `None` if the write has nothing to do with it, or the value is incomplete.
    fn stored_value(
        &self,
        unique: &'static Unique,
        loaded_value: &dyn Fn(&'static str) -> Option<AttributeValue>,
        is_loaded: bool,
    ) -> Result<Option<(Claim, Vec<&'static str>)>, Error> {
        let schema = self.schema;
        let (claim, relied_on) = match self.verb {
            Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete => {
                let item = self.item()?;
                (Claim::of(unique, |name| rule::present(schema, name, item.get(name)))?, Vec::new())
            }
            Verb::Update { .. } | Verb::Rewrite => {
                let key = self.item()?;
                let (kept, changed) = self.kept_and_changed(unique);
                // The item keeps its key.
                let kept: Vec<&'static str> = kept.into_iter().filter(|name| !schema.is_key(name)).collect();
                let creates_value = self.verb == (Verb::Update { upsert: true }) && kept.is_empty();
                if changed.is_empty() && !creates_value {
                    return Ok(None);
                }
                if !is_loaded && !kept.is_empty() {
                    return Err(set_together(unique));
                }
                let value_of = |name| match name {
                    name if changed.contains(&name) => self.new_value(name),
                    name if schema.is_key(name) => key.get(name).cloned(),
                    name => loaded_value(name),
                };
                (Claim::of(unique, value_of)?, kept)
            }
            // An adoption: the item has the values already, and must still have them.
            Verb::Check { absent: false } if is_loaded => {
                (Claim::of(unique, loaded_value)?, unique.attributes.to_vec())
            }
            Verb::Renumber | Verb::Delete | Verb::Purge | Verb::Check { .. } => return Ok(None),
        };
        Ok(claim.map(|claim| (claim, relied_on)))
    }

    /// Returns the condition that an attribute still has its loaded value, unless the write has it anyway.
    fn must_stay(&self, name: &'static str, value: &AttributeValue) -> Option<Guard> {
        let is_in_image = self.image.as_ref().is_some_and(|image| image.has(name, value));
        (!is_in_image).then(|| Guard::Element(name.into(), value.clone()))
    }

    /// Returns the attributes of a unique value that an update leaves as they are, and those that it changes.
    fn kept_and_changed(&self, unique: &Unique) -> (Vec<&'static str>, Vec<&'static str>) {
        unique.attributes.iter().partition(|name| !self.changes(name))
    }

    /// Returns `true` if an update changes this attribute.
    fn changes(&self, name: &str) -> bool {
        let aliases = self.schema.aliases(name);
        let is_of = |change: &RawChange| change.path.name() == name || aliases.contains(&change.path.name());
        self.update.changes.iter().any(is_of)
    }

    /// Returns the value that an update gives to an attribute which it changes; `None` if it removes the value.
    fn new_value(&self, name: &'static str) -> Option<AttributeValue> {
        let own = self.update.changes.iter().rfind(|change| change.path == Path::from(name))?;
        match &own.action {
            Ok(Action::Set(value) | Action::SetAbsent(value)) => rule::present(self.schema, name, Some(value)),
            _ => None,
        }
    }

    /// Returns the condition that this write needs on its item, if another action of its transaction claims a value whose guard
    /// the item holds: that the item does not have the value. `None` if the write itself gives the item another value.
    ///
    /// # Errors
    /// The write gives the item this very value.
    pub(crate) fn beside_claim(&self, claim: &Claim) -> Result<Option<Node>, Error> {
        let unique = claim.unique;
        match self.verb {
            Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete => {
                let item = self.item()?;
                let own = Claim::of(unique, |name| rule::present(self.schema, name, item.get(name)))?;
                if own.as_ref() == Some(claim) { Err(claimed_twice(unique)) } else { Ok(None) }
            }
            Verb::Update { .. } | Verb::Rewrite => {
                let (kept, changed) = self.kept_and_changed(unique);
                let is_same =
                    |name: &&'static str| equal_or_absent(self.new_value(name).as_ref(), claim.value_of(name));
                match (changed.iter().all(is_same), kept.is_empty()) {
                    (false, _) => Ok(None),
                    (true, true) => Err(claimed_twice(unique)),
                    (true, false) => Ok(Some(claim.is_not_had(self.schema))),
                }
            }
            Verb::Renumber | Verb::Check { .. } => Ok(Some(claim.is_not_had(self.schema))),
            Verb::Delete | Verb::Purge => Ok(None),
        }
    }
}

/// Returns the error of two writes of one transaction that store the same value.
pub(crate) fn claimed_twice(unique: &Unique) -> Error {
    Error::invalid(format!(
        "another action of the transaction stores the same value of the unique `{}`, which only one item can have: change one of them",
        unique.name
    ))
}

fn set_together(unique: &Unique) -> Error {
    Error::invalid(format!(
        "`{}` are unique together, and the update changes only some of them: set all of them",
        unique.attributes.join("`, `")
    ))
}

/// The guards' holders as far as denials have shown them, by the guard's key; `None` if there is no such row.
pub(crate) type Holders = HashMap<String, Option<Item>>;

/// The check that the holder of a guard does not have the value.
#[derive(Clone, Debug)]
pub(crate) struct HolderCheck {
    pub(crate) table: String,
    /// The holder's key.
    pub(crate) key: Item,
    /// The index of the claim.
    pub(crate) claim: usize,
    pub(crate) condition: Node,
}

/// The rows by which a write claims its values, beside its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClaimRows {
    /// The guard of each claim.
    pub(crate) guards: Vec<RowWrite>,
    /// The checks of other holders.
    pub(crate) checks: Vec<HolderCheck>,
}

impl ClaimRows {
    /// Returns the rows by which the item with this key claims the values. `tables` are the item's table and that of the guards.
    pub(crate) fn new(
        schema: &'static Schema,
        claims: &[Claim],
        claimant: &Item,
        [table, guards]: [&str; 2],
        holders: &Holders,
    ) -> Self {
        let mut rows = Self::default();
        for (index, claim) in claims.iter().enumerate() {
            let holder = holders.get(&claim.guard).and_then(Option::as_ref);
            let other = holder.filter(|holder| canonical(holder) != canonical(claimant));
            let mut placeholders = Placeholders::default();
            let condition = is_claimable(claimant, other).render(&mut placeholders);
            let body = Body::Put(claim.guard_row(claimant));
            rows.guards.push(RowWrite::new(guards.to_owned(), body, Some(condition), placeholders));
            rows.checks.extend(other.map(|other| HolderCheck {
                table: table.to_owned(),
                key: other.clone(),
                claim: index,
                condition: claim.is_free_of(schema, other),
            }));
        }
        rows
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.guards.is_empty()
    }
}

/// Checks of one holder, which are one action, because DynamoDB takes one for each item.
pub(crate) struct MergedCheck<T> {
    pub(crate) table: String,
    pub(crate) key: Item,
    pub(crate) condition: Node,
    /// The claims that need the check.
    pub(crate) claims: Vec<T>,
}

/// Merges the checks of each holder.
pub(crate) fn merge_checks<T>(checks: impl IntoIterator<Item = (HolderCheck, T)>) -> Vec<MergedCheck<T>> {
    let mut merged: Vec<(Identity, MergedCheck<T>)> = Vec::new();
    for (HolderCheck { table, key, condition, .. }, claim) in checks {
        let identity = Identity::of_key(0, &key);
        let known = merged.iter_mut().find(|(known, check)| *known == identity && check.table == table);
        match known.map(|(_, check)| check) {
            Some(check) => {
                let before = std::mem::replace(&mut check.condition, Node::And(Vec::new()));
                check.condition = before.and(condition);
                check.claims.push(claim);
            }
            None => merged.push((identity, MergedCheck { table, key, condition, claims: vec![claim] })),
        }
    }
    merged.into_iter().map(|(_, check)| check).collect()
}

impl<T> MergedCheck<T> {
    /// Returns the check as a row of a transaction.
    pub(crate) fn row(&self) -> RowWrite {
        let mut placeholders = Placeholders::default();
        let condition = self.condition.clone().render(&mut placeholders);
        RowWrite::new(self.table.clone(), Body::Check(self.key.clone()), Some(condition), placeholders)
    }
}
