//! Places the checks of unique values in a native transaction. The holder of a guard may be the item of another action, and DynamoDB
//! takes one action for each item: so the check becomes a condition of that action.
//!
//! A check needs the holder, which a denial shows.

use super::action::named;
use super::native_plan::PlannedAction;
use super::transaction_command::TransactionCommand;
use crate::error::Error;
use crate::key::Identity;
use crate::schema::table_name;
use crate::write::drive_writes::Slot;
use crate::write::unique_values::{HolderCheck, claimed_twice, merge_checks};
use aws_sdk_dynamodb::types::TransactWriteItem;
use std::collections::HashMap;

/// The checks of guards' holders, by the claims that need them.
#[derive(Default)]
pub(super) struct PlacedChecks {
    /// Checks that are a condition of another action: the claim's action, the claim, and the other action.
    beside: Vec<(usize, usize, usize)>,
    /// Checks that are actions of their own, with the claim's action.
    apart: Vec<(HolderCheck, (usize, usize))>,
}

impl TransactionCommand {
    /// Takes the checks out of the composed writes, and adds those that concern the item of another action to that action.
    pub(super) fn place_claims(&self, slots: &mut [Slot<'_>]) -> Result<PlacedChecks, Error> {
        let mut placed = PlacedChecks::default();
        if slots.iter().all(|slot| slot.command.schema.unique.is_empty()) {
            return Ok(placed);
        }
        self.check_claimed_once(slots)?;
        let identities = slots.iter().map(|slot| {
            let table = table_name(&slot.tables.main).to_owned();
            Ok((table, Identity::of_key(0, &slot.command.key()?)))
        });
        let identities: Vec<(String, Identity)> = identities.collect::<Result<_, Error>>()?;
        for index in 0..slots.len() {
            let checks = slots[index].rows.as_mut().map(|rows| std::mem::take(&mut rows.claims.checks));
            for check in checks.into_iter().flatten() {
                let holder = (table_name(&check.table).to_owned(), Identity::of_key(0, &check.key));
                let claim = check.claim;
                match identities.iter().position(|identity| *identity == holder) {
                    None => placed.apart.push((check, (index, claim))),
                    Some(other) if self.add_condition(slots, [index, claim, other])? => {
                        placed.beside.push((index, claim, other));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(placed)
    }

    /// Adds the condition to the action of the holder's item. Returns `false` if that action needs none.
    fn add_condition(&self, slots: &mut [Slot<'_>], [index, claim, other]: [usize; 3]) -> Result<bool, Error> {
        let claims = slots[index].composed.as_ref().map(|composed| composed.write.claims[claim].clone());
        let Some(claim) = claims else { return Ok(false) };
        let condition = slots[other].command.beside_claim(&claim);
        let condition = condition.map_err(|error| named(error, index, &self.actions[index]))?;
        let Slot { rows: Some(rows), composed: Some(composed), .. } = &mut slots[other] else { return Ok(false) };
        let Some(condition) = condition else { return Ok(false) };
        rows.main.require(condition.clone());
        composed.beside.push(condition);
        Ok(true)
    }

    /// Refuses two actions that store the same unique value.
    fn check_claimed_once(&self, slots: &[Slot<'_>]) -> Result<(), Error> {
        let mut claimed = HashMap::new();
        for (index, slot) in slots.iter().enumerate() {
            for claim in slot.composed.iter().flat_map(|composed| &composed.write.claims) {
                let guard = (slot.tables.guards.as_deref().map(table_name), claim.guard.as_str());
                if claimed.insert(guard, index).is_some() {
                    return Err(named(claimed_twice(claim.unique), index, &self.actions[index]));
                }
            }
        }
        Ok(())
    }

    /// Returns `true` if the caller has set the token. (An interactive transaction, which alone has a priority, sets its own.)
    pub(super) fn has_own_token(&self) -> bool {
        self.token.is_some() && self.priority.is_none()
    }
}

impl PlacedChecks {
    /// Adds the checks that are actions of their own to the requests, and notes for each claim where its check is.
    pub(super) fn add_to(
        self,
        requests: &mut Vec<TransactWriteItem>,
        actions: &mut [PlannedAction],
    ) -> Result<(), Error> {
        for (index, claim, other) in self.beside {
            actions[index].holder_checks[claim] = Some(actions[other].request);
        }
        for check in merge_checks(self.apart) {
            for (index, claim) in &check.claims {
                actions[*index].holder_checks[*claim] = Some(requests.len());
            }
            requests.push(check.row().action()?);
        }
        Ok(())
    }
}
