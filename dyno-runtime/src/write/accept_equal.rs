//! A create that is also done if an equal item is stored, whoever has stored it.

use super::write_command::{Applied, WriteCommand, Written};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, equal_items};
use crate::error::Error;
use crate::exchange::{Answer, Repository};
use crate::key::key_of;
use crate::read::GetCommand;
use crate::rule::{self, Reason};
use crate::schema::{Schema, Tables};
use futures_util::future::BoxFuture;

/// Returns what the entity of a stored item is encoded as; `None` if it cannot be decoded, or not be encoded without loss.
pub(crate) type Reencode = fn(&Item) -> Option<Item>;

/// Sends the create. If it is refused, or if the answer was lost, and an equal item is stored, it is done.
pub(crate) fn accept_equal(
    command: Box<WriteCommand>,
    repository: &Repository,
    tables: Tables,
    reencode: Reencode,
) -> BoxFuture<'_, Result<Written, Error>> {
    Box::pin(async move {
        let (schema, mut wanted) = (command.schema, command.item.clone());
        if let (Ok(wanted), Some(fence), Some(number)) = (&mut wanted, &schema.fence, command.fence) {
            fence.set(wanted, number);
        }
        let sent = command.send(repository, tables.clone(), None).await;
        let Ok(wanted) = wanted else { return sent };
        let stored = match &sent {
            Ok(Answer::Denied(refused)) if is_because_of_the_item(&refused.reasons) => refused.item.clone(),
            Err(error) if error.may_be_applied() => {
                let get = GetCommand::consistent(schema, Ok(key_of(schema, &wanted)));
                let read = get.send(repository, tables.main.clone()).await.unwrap_or_default();
                // An open transaction may be about to replace it.
                read.filter(|item| !rule::is_held(schema, Some(item)))
            }
            _ => None,
        };
        let now = repository.now();
        let Some(stored) = stored.filter(|stored| is_equal(schema, &wanted, stored, now, reencode)) else {
            return sent;
        };
        let version = schema.version.as_ref().map(|version| version.of(&stored));
        if version == Some(None) {
            // The version is corrupt.
            return sent;
        }
        if !rule::unique_values_of(schema, &wanted).is_empty() {
            // A program without dyno may have stored the item without claiming its values.
            let adoption = Box::new(WriteCommand::adopt(schema, key_of(schema, &wanted), stored));
            if let Answer::Denied(mut refused) = adoption.send(repository, tables, None).await? {
                refused.context.operation = "create";
                return Ok(Answer::Denied(refused));
            }
        }
        Ok(Answer::Done(Applied { item: None, version: version.flatten(), now }))
    })
}

/// Returns `true` if a create was refused only because an item is stored.
fn is_because_of_the_item(reasons: &[Reason]) -> bool {
    reasons.iter().all(|reason| matches!(reason, Reason::Exists | Reason::Stale { .. }))
}

/// Returns `true` if the stored item is live, and equal to the wanted one in all but what writes set themselves: version, write id
/// and the times of writes. The fence must be equal: a greater one says that the lock is lost, and a lesser one lets earlier
/// holders write.
fn is_equal(schema: &'static Schema, wanted: &Item, stored: &Item, now: EpochMillis, reencode: Reencode) -> bool {
    let committed = rule::committed(schema, Some(stored.clone()));
    let Some(mut stored) = committed.filter(|stored| rule::state(schema, now, stored).is_live()) else { return false };
    let times = [&schema.created, &schema.updated].into_iter().flatten().map(|time| time.attribute);
    let counted = schema.version.iter().map(|version| version.attribute);
    // The keys of indexes can be made of these values, so the stored item is encoded anew with those of the wanted one.
    for name in times.chain(counted) {
        match wanted.get(name) {
            Some(value) => stored.insert(name.to_owned(), value.clone()),
            None => stored.remove(name),
        };
    }
    reencode(&stored).is_some_and(|stored| equal_items(&stored, wanted))
}
