//! Whoever meets an intent goes on from what its lane says: what is committed is applied, what is dead is removed, and what is
//! open is waited for, or made void.
//!
//! To make a ticket void is always safe (M16): what is safe, the registers of its lane decide. How long it is waited for is policy.

use super::event;
use super::head::{Head, Status, missing};
use super::image::{Whole, whole};
use super::lane_requests::{head_key, void};
use super::meeting::{Meeting, of_lanes};
use super::overwritten::{Overwritten, overwritten, write_id};
use super::participants::Place;
use super::recorded::record;
use super::row_requests::{apply, become_this, remove, remove_from_row};
use super::shape::{Intent, is_of, without};
use super::ticket::Ticket;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{About, Answer, Ask, Repository, RowWrite, read, write_row};
use crate::schema::Schema;
use crate::schema::names::INTENT;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};

/// What has become of an intent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Settled {
    /// It is applied: this is the item, where the row was known.
    Applied(Option<Item>),
    /// It is removed: this is the item, if there is one. Whether its ticket was made void for that.
    Removed(Option<Item>, bool),
    /// It is not there any more, by another's doing.
    Gone,
    /// It is committed, and a program that does not know of transactions has taken it away.
    Overwritten(Overwritten),
}

/// What a look at an item with an intent comes to.
pub(crate) enum Looked {
    /// It is to be read again.
    Again,
    There(Option<Item>),
}

/// Settles the intent of an item, where it is known already what its ticket has come to: that never changes.
pub(super) async fn settle_as(
    repository: &Repository,
    meeting: Meeting<'_>,
    at: &Place,
    item: &Item,
    is_committed: bool,
    schema: Option<&'static Schema>,
) -> Result<Settled, Error> {
    let Some(intent) = Intent::of(item, &at.key)? else { return Ok(Settled::Gone) };
    if is_committed {
        let whole = whole(repository, meeting, &at.key, intent).await?;
        make(repository, meeting, at, &whole, Some(item.clone()), schema).await
    } else {
        take_away(repository, meeting, at, &intent, item.clone(), false).await
    }
}

/// What is committed of an item that is read: nothing is waited for, since what is open is not committed yet. What is
/// settled, it leaves so, unless only a part of the item was read.
pub(crate) async fn look(
    repository: &Repository,
    meeting: Meeting<'_>,
    at: &Place,
    item: Item,
    is_whole: bool,
) -> Result<Looked, Error> {
    let Some(intent) = Intent::of(&item, &at.key)? else { return Ok(Looked::There(Some(item))) };
    let head = head_of(repository, meeting, &intent.ticket).await?;
    match head.status(&intent.ticket)? {
        Status::Open => Ok(Looked::There(Some(item))),
        Status::Committed => {
            let whole = whole(repository, meeting, &at.key, intent).await?;
            if !is_whole {
                return Ok(Looked::There(Some(whole.applied_to(item))));
            }
            // That it could not be applied yet does not matter to who reads: it is committed.
            match make(repository, meeting, at, &whole, Some(item.clone()), None).await {
                Ok(Settled::Gone | Settled::Overwritten(_)) => Ok(Looked::Again),
                Ok(_) | Err(_) => Ok(Looked::There(Some(whole.applied_to(item)))),
            }
        }
        // It may have been applied between the two readings, and be dead for that (M24).
        Status::Dead => match row(repository, meeting, at).await? {
            Some(there) if is_whole && is_of(Some(&there), &intent.ticket) => {
                match take_away(repository, meeting, at, &intent, there.clone(), false).await {
                    Ok(Settled::Removed(item, _)) => Ok(Looked::There(item)),
                    Ok(_) => Ok(Looked::Again),
                    // What could not be taken away is as dead as before.
                    Err(_) if intent.is_new => Ok(Looked::There(Some(there))),
                    Err(_) => without(there, &at.key).map(Looked::There),
                }
            }
            Some(there) if is_of(Some(&there), &intent.ticket) => Ok(Looked::There(Some(item))),
            _ => Ok(Looked::Again),
        },
    }
}

/// Applies an intent that is committed, and puts the row of the history that goes with it first. `item` is the row that has it;
/// where that is not known, it is read if it must be. A row without the intent shows more with its schema.
pub(crate) async fn make(
    repository: &Repository,
    meeting: Meeting<'_>,
    at: &Place,
    whole: &Whole,
    item: Option<Item>,
    schema: Option<&'static Schema>,
) -> Result<Settled, Error> {
    let intent = whole.intent();
    let before = item.as_ref().zip(write_id(intent)).and_then(|(item, name)| item.get(name).cloned());
    let gone = |there: Option<Item>| {
        gone(meeting, at, intent, overwritten(at, intent, schema, before.as_ref(), there.as_ref()))
    };
    let by_itself = if intent.record.is_none() { apply(at, whole, item.as_ref())? } else { None };
    let (request, item) = match by_itself {
        Some(request) => (request, item.map(|item| whole.applied_to(item))),
        None => {
            let item = match item {
                None => row(repository, meeting, at).await?,
                item => item,
            };
            let item = match item {
                Some(item) if is_of(Some(&item), &intent.ticket) => item,
                there => return Ok(gone(there)),
            };
            let recorded = record(repository, meeting, at, whole, &item).await.map_err(unappliable)?;
            let request = match &recorded {
                Some(recorded) => Some(become_this(at, intent, recorded.clone())?),
                None => apply(at, whole, Some(&item))?,
            };
            let Some(request) = request else { return Ok(Settled::Gone) };
            (request, Some(recorded.unwrap_or_else(|| whole.applied_to(item))))
        }
    };
    match send(repository, meeting, request).await.map_err(unappliable)? {
        Answer::Done(_) => {
            event::resolved(meeting, &intent.ticket, "rolled forward", &at.table);
            Ok(Settled::Applied(item))
        }
        Answer::Denied(there) => Ok(gone(there)),
    }
}

/// A committed intent is not there any more: another process has applied it, unless the row shows otherwise.
fn gone(meeting: Meeting<'_>, at: &Place, intent: &Intent, overwritten: Option<Overwritten>) -> Settled {
    let Some(overwritten) = overwritten else { return Settled::Gone };
    tracing::warn!(
        operation = meeting.operation,
        entity = meeting.entity,
        table = at.table,
        transaction = %intent.ticket,
        is_deleted = overwritten.is_deleted(),
        "another program wrote over an item that held a committed change, so that the change is missing"
    );
    Settled::Overwritten(overwritten)
}

/// Takes an intent away that is dead.
pub(super) async fn take_away(
    repository: &Repository,
    meeting: Meeting<'_>,
    at: &Place,
    intent: &Intent,
    mut item: Item,
    is_voided: bool,
) -> Result<Settled, Error> {
    // What another program has written there meanwhile stays.
    let deletes_the_row = intent.is_new && is_place(&item, at);
    let request = if deletes_the_row { remove(at, intent)? } else { remove_from_row(at, intent)? };
    let answer = send(repository, meeting, request).await?;
    if matches!(answer, Answer::Done(_)) {
        event::resolved(meeting, &intent.ticket, "rolled back", &at.table);
    }
    match answer {
        Answer::Denied(_) => Ok(Settled::Gone),
        Answer::Done(_) if deletes_the_row => Ok(Settled::Removed(None, is_voided)),
        Answer::Done(_) => {
            item.remove(INTENT);
            item.extend(intent.parked.clone());
            Ok(Settled::Removed(Some(item), is_voided))
        }
    }
}

/// Whether a row has nothing but what keeps a place: its key, the flag of a tombstone, perhaps the mark of an entity.
fn is_place(item: &Item, at: &Place) -> bool {
    let others = item.iter().filter(|(name, _)| !at.key.contains_key(*name) && *name != INTENT);
    let (flags, others): (Vec<_>, Vec<_>) = others.map(|(_, value)| value).partition(|value| value.is_bool());
    flags == [&AttributeValue::Bool(true)] && others.len() <= 1 && others.iter().all(|value| value.is_s())
}

/// Makes a ticket of one's own void, unless it is decided: what its lane is then.
pub(crate) async fn end(
    repository: &Repository,
    meeting: Meeting<'_>,
    head: Head,
    ticket: &Ticket,
) -> Result<Head, Error> {
    make_void(repository, meeting, head, ticket).await.map(|(head, _)| head)
}

/// Takes an intent of one's own away, of a ticket that is given up.
pub(crate) async fn take_back(
    repository: &Repository,
    meeting: Meeting<'_>,
    at: &Place,
    intent: &Intent,
) -> Result<(), Error> {
    send(repository, meeting, remove(at, intent)?).await.map(|_| ())
}

/// Makes a ticket void; what its lane is then, and whether that was this one's doing.
pub(super) async fn make_void(
    repository: &Repository,
    meeting: Meeting<'_>,
    head: Head,
    ticket: &Ticket,
) -> Result<(Head, bool), Error> {
    let table = repository.lane_table()?;
    match send(repository, meeting, void(&table, ticket)?).await.map_err(of_lanes)? {
        Answer::Done(_) => {
            event::aborted(meeting, ticket);
            Ok((Head { void: ticket.number, ..head }, true))
        }
        Answer::Denied(Some(item)) => Ok((Head::read(&item)?, false)),
        Answer::Denied(None) => Err(missing(ticket)),
    }
}

/// The head of a ticket's lane, as it is now. That there is none says nothing of the ticket (M3).
pub(crate) async fn head_of(repository: &Repository, meeting: Meeting<'_>, ticket: &Ticket) -> Result<Head, Error> {
    let at = Place { table: repository.lane_table()?, key: head_key(&ticket.lane) };
    let item = row(repository, meeting, &at).await.map_err(of_lanes)?;
    item.map_or_else(|| Err(missing(ticket)), |item| Head::read(&item))
}

/// The row at a place, as it is now.
pub(crate) async fn row(repository: &Repository, meeting: Meeting<'_>, at: &Place) -> Result<Option<Item>, Error> {
    let get = repository
        .client()
        .get_item()
        .table_name(&at.table)
        .set_key(Some(at.key.clone()))
        .consistent_read(true)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let about = About::new(meeting.operation, meeting.entity, &at.table);
    Ok(read(repository, about, get, None).await?.item)
}

/// Sends a write which demands what makes it pass once.
pub(crate) async fn send(
    repository: &Repository,
    meeting: Meeting<'_>,
    row: RowWrite,
) -> Result<Answer<Option<Item>, Option<Item>>, Error> {
    let table = row.table.clone();
    write_row(repository, Ask::new(About::new(meeting.operation, meeting.entity, &table)), row).await
}

/// What DynamoDB will never take, as an empty text for the key of an index that was made since.
fn unappliable(error: Error) -> Error {
    if error.is_of_one_item() {
        error.of("what a transaction has committed cannot be applied to the item")
    } else {
        error
    }
}
