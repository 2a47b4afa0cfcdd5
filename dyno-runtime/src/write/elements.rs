//! Changes that are made for what is there.
//!
//! Elements of lists, found by their values: an update can remove an element by its index only, and others may shift it.
//!
//! The element is looked for in the item as it was read, and the request is refused where it is not at that index any more.
//! The refusal brings the item, in which it is looked for again. (The article on list updates asks only whether the list
//! contains the element somewhere: then an index that has shifted removes another one.)
//!
//! NULL, which counts as absent: DynamoDB's operations do not know that. A change that does something where nothing is takes
//! none to be there, and is refused where it is; the refusal brings the item, and the change is made anew, for nothing.

use super::command::{Applied, WriteCommand, Written};
use super::echo::outcome_unknown;
use super::keys;
use crate::attribute::{Item, equal};
use crate::error::{Error, ErrorKind, Step};
use crate::exchange::{Attempts, BackOff, Repository};
use crate::expression::{Action, Guard, Null, Path, RawChange, check_operators};
use crate::read::GetCommand;
use crate::rule;
use crate::rule::{Expected, Moot, Phase, Reason, Refused, alias};
use crate::schema::{Schema, Tables};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use futures_util::future::BoxFuture;

/// How often an element is looked for.
const ROUNDS: u32 = 16;

/// Whether the write is made for what is there.
pub(super) fn is_needed(command: &WriteCommand) -> bool {
    command.changes.iter().any(|change| change.null == Null::Unknown) || is_read_first(command)
}

/// Whether that must be known before, as elements must.
pub(super) fn is_read_first(command: &WriteCommand) -> bool {
    command.changes.iter().any(|change| matches!(change.action, Ok(Action::RemoveElement(_))))
}

/// Looks for the elements and sends the write; again, if they have shifted.
pub(super) fn send(
    command: WriteCommand,
    repository: &Repository,
    tables: Tables,
    returns: Option<ReturnValue>,
) -> BoxFuture<'_, Result<Written, Error>> {
    // Boxed, so that the futures of other writes stay small.
    Box::pin(async move {
        let context = command.context();
        run(command, repository, tables, returns).await.map_err(|error| error.with_context(|| context))
    })
}

async fn run(
    command: WriteCommand,
    repository: &Repository,
    tables: Tables,
    returns: Option<ReturnValue>,
) -> Result<Written, Error> {
    check_operators(&command.changes)?;
    let mut item = None;
    if is_read_first(&command) {
        let get = GetCommand::consistent(command.schema, Ok(command.key()?));
        item = get.send(repository, tables.main.clone()).await?;
    }
    let mut back_off = BackOff::new(repository, ROUNDS);
    back_off.skip();
    loop {
        let Located { command: located, places, missing } = located(&command, item.as_ref());
        if !missing.is_empty() {
            return refused(located, missing, repository, &tables, item).await;
        }
        let written = located.send(repository, tables.clone(), returns.clone()).await?;
        match written {
            Written::Refused(refused) if is_shift(&refused.reasons, &places) => item = refused.item,
            written => return Ok(written),
        }
        if !back_off.pause().await {
            return Err(Error::new(
                ErrorKind::Contended,
                "others kept changing what the update was made for; nothing was applied",
            ));
        }
    }
}

/// Whether the write was refused because something is not what it was made for, and for nothing else.
pub(super) fn is_shift(reasons: &[Reason], places: &[String]) -> bool {
    let is_shifted = |reason: &Reason| match reason {
        Reason::OtherElement { path } | Reason::Null { path } => places.contains(path),
        _ => false,
    };
    reasons.iter().all(is_shifted)
}

/// A write, made for what an item has.
pub(super) struct Located {
    pub(super) command: WriteCommand,
    /// Where something is that it was made for.
    pub(super) places: Vec<String>,
    /// The reasons for those that are not in the item.
    pub(super) missing: Vec<Reason>,
}

/// Makes a write for this item; without one, for one that has no NULL.
pub(super) fn located(command: &WriteCommand, item: Option<&Item>) -> Located {
    let mut located = command.clone();
    let (mut places, mut missing) = (Vec::new(), Vec::new());
    let changes = std::mem::take(&mut located.changes);
    located.changes = changes
        .into_iter()
        .filter_map(|change| {
            if change.null == Null::Unknown {
                return match made_for(command.schema, change, item, &mut places) {
                    Ok(change) => Some(change),
                    Err(reason) => {
                        missing.push(reason);
                        None
                    }
                };
            }
            let Ok(Action::RemoveElement(element)) = &change.action else { return Some(change) };
            let elements = match item.and_then(|item| change.path.find(item)) {
                Some(AttributeValue::L(elements)) => &elements[..],
                _ => &[],
            };
            let index = elements.iter().position(|found| equal(found, element));
            let Some(index) = index else {
                let elsewhere = item.and_then(|item| alias::elsewhere(command.schema, &change.path, item));
                missing.push(elsewhere.unwrap_or_else(|| Reason::NotContained { path: change.path.to_string() }));
                return None;
            };
            let path = change.path.then(Step::Index(index));
            places.push(path.to_string());
            let guards = vec![Guard::Element(path.clone(), element.clone())];
            Some(RawChange { guards, ..RawChange::new(path, Ok(Action::Remove)) })
        })
        .collect();
    Located { command: located, places, missing }
}

/// A change, made for NULL or for none, and the places where that was looked for.
fn made_for(
    schema: &Schema,
    mut change: RawChange,
    item: Option<&Item>,
    places: &mut Vec<String>,
) -> Result<RawChange, Reason> {
    let aliases = if change.path.is_attribute() { schema.aliases(change.path.name()) } else { &[] };
    let names = std::iter::once(change.path.clone()).chain(aliases.iter().map(|alias| Path::from(*alias)));
    let (mut looked_at, mut found_null) = (Vec::new(), false);
    for name in names {
        let found = item.and_then(|item| name.find(item));
        let is_null = found.is_some_and(AttributeValue::is_null);
        found_null |= is_null;
        looked_at.push(name.clone());
        if found.is_some() && !is_null {
            if found_null {
                // Under an older name, behind NULL: which of the two is the later one, nothing says.
                return Err(Reason::TwoValues { attribute: change.path.declared(), found: name.declared() });
            }
            break;
        }
    }
    change.null = if found_null { Null::Yes } else { Null::No };
    if found_null {
        // Of a number that is there.
        change.guards.retain(|guard| !matches!(guard, Guard::Within { .. }));
    }
    places.extend(looked_at.iter().map(Path::to_string));
    change.guards.extend(looked_at.into_iter().map(|path| Guard::Null { path, vacant: found_null }));
    Ok(change)
}

/// The refusal of a write that cannot be sent: with the reasons that all rules have, as if it had been.
pub(super) async fn refused(
    command: WriteCommand,
    missing: Vec<Reason>,
    repository: &Repository,
    tables: &Tables,
    item: Option<Item>,
) -> Result<Written, Error> {
    let context = command.context();
    let (key, now) = (command.key()?, repository.now());
    let expected = command.expected()?;
    let mut write = command.facts(now, expected, Phase::default())?;
    write.is_known = keys::is_known(&write, &key, repository, tables).await?;
    // An earlier attempt, of this command or of a clone, can have taken it out.
    let attempts = command.versioned.as_ref().map(|versioned| versioned.attempts());
    if item.as_ref().is_some_and(|item| rule::is_own(&write, item)) {
        return Ok(Written::Applied(Applied { item: None, version: write.next(), now }));
    }
    if attempts.is_some_and(Attempts::may_be_applied) && expected != Some(Expected::Unchecked) {
        return Err(outcome_unknown());
    }
    let mut reasons = rule::reasons(&write, item.as_ref());
    // What is not there contains nothing; what is another's, nothing of ours.
    let is_other = rule::other_entity(write.schema, item.as_ref()).is_some();
    let is_live = |item: &Item| rule::is_dead(write.schema, now, item).is_none();
    if reasons.is_empty() || !is_other && item.as_ref().is_some_and(is_live) {
        reasons.extend(missing);
    }
    Ok(Written::Refused(Refused { reasons, moot: Moot::default(), item, now, context, in_doubt: false }))
}
