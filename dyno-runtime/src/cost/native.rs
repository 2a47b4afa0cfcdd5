//! The cost of a native transaction: the sum of its actions, which are sent together.

use super::bounds::{Bounds, Cost, Span};
use super::check_stored;
use super::write::{WriteCost, of_slot, splits};
use crate::error::Error;
use crate::exchange::Repository;
use crate::exchange::row::transact::ACTIONS;
use crate::transaction::native::{TransactionCommand, named};

/// Returns the cost of a transaction whose items have up to `stored` bytes each, before and after.
pub(crate) fn of_transaction(
    command: &TransactionCommand,
    repository: &Repository,
    stored: usize,
) -> Result<Cost, Error> {
    check_stored(stored)?;
    command.check()?;
    let mut tables = command.tables(repository)?;
    command.check_items(&tables)?;
    for (action, tables) in command.actions.iter().zip(&mut tables) {
        if splits(&action.command)? {
            tables.history = None;
        }
    }
    let now = repository.moment();
    let (mut slots, mut costs) = (command.slots(repository, tables, now.wall), Vec::new());
    for (index, (action, slot)) in command.actions.iter().zip(&mut slots).enumerate() {
        let mut cost = of_slot(slot, stored).map_err(|error| named(error, index, action))?;
        if let Some(ordered) = &cost.ordered {
            cost.before = ordered.before_action();
            ordered.add_action(&mut cost.rows);
        }
        costs.push(cost);
    }
    // This also checks DynamoDB's limits.
    let requests = command.plan(&mut slots, now, 0)?.requests.len();
    let revisions = command.actions.iter().filter(|action| splits(&action.command).is_ok_and(|splits| splits)).count();
    if requests + revisions > ACTIONS {
        let (actions, rows) = (command.actions.len(), requests + revisions - command.actions.len());
        return Err(Error::invalid(format!(
            "the transaction has {actions} actions, and {rows} rows of histories, idempotency keys and unique values, which are actions, too, but DynamoDB accepts at most {ACTIONS}: split it if the parts make sense alone"
        )));
    }
    Ok(sum(&costs))
}

fn sum(costs: &[WriteCost]) -> Cost {
    let units = |outcome: usize| costs.iter().map(|cost| cost.sent(false)[outcome]).sum::<Span>();
    let all = |part: fn(&WriteCost) -> Bounds| costs.iter().map(part).fold(Bounds::default(), |sum, part| sum + part);
    let (applied, refused, checks) = (units(0), units(1), costs.iter().map(|cost| cost.checks).sum::<Span>());
    let before = all(|cost| cost.before);
    // DynamoDB's answer shows all denied rows at once, so the rules of different actions take one request together.
    let again = costs.iter().map(|cost| cost.again).max().unwrap_or_default();
    let repeats = (Bounds::write(refused + checks) + all(|cost| cost.read_again)).up_to(again);
    let unsent = costs.iter().filter_map(|cost| cost.unsent).reduce(Bounds::or);
    let after = all(|cost| cost.after) + unsent.map_or(Bounds::default(), |_| all(|cost| cost.judged));
    let denied = before + repeats + Bounds::write(refused + checks) + after;
    let ends_before = costs.iter().any(|cost| cost.unsent.is_some() || cost.ordered.is_some());
    let refused = if ends_before { denied.or(unsent.unwrap_or_else(Bounds::a_read)) } else { denied };
    let can_be_refused = costs.iter().any(|cost| cost.can_be_refused);
    Cost { applied: before + repeats + Bounds::write(applied + checks), refused: can_be_refused.then_some(refused) }
}
