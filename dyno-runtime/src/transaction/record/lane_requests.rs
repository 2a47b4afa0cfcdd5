//! The requests that write lane rows and their pages: they create, renew, take over and clear a lane, and commit and abort
//! attempts.
//!
//! Each request that changes a lane row demands the lane's birth mark, because a lane of the same name in another table is
//! another lane (M2). No request lowers a number or deletes a lane row (M3).

use super::participant_list::{Listed, list};
use super::transaction_id::{TransactionId, end_of_epoch, epoch};
use super::transaction_record::{TransactionRecord, lane, number_value};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, Step};
use crate::exchange::{Body, ItemRef, RowWrite};
use crate::expression::{Action, Node, Operator, Path, Placeholders, RawChange, render_changes};
use aws_sdk_dynamodb::types::AttributeValue;

/// The number of epochs whose last commit a lane row keeps.
const EPOCHS: usize = 8;

/// The days for which pages are kept.
const PAGE_DAYS: i64 = 30;

/// Returns the key of a lane row.
pub(crate) fn record_key(lane: &str) -> Item {
    part_key(lane, lane::HEAD.to_owned())
}

/// Returns the key of a page of participants. A process with a copy of this process's memory can give the same number to another
/// attempt, but not the same nonce.
pub(crate) fn page_key(transaction_id: &TransactionId, page: usize) -> Item {
    part_key(&transaction_id.lane, format!("{}{page}", page_key_prefix(transaction_id)))
}

/// Returns the key of a page of values. `of` names the intent that the values belong to.
pub(crate) fn image_key(transaction_id: &TransactionId, of: &str, page: usize) -> Item {
    part_key(&transaction_id.lane, format!("{}{of}/{page}", page_key_prefix(transaction_id)))
}

/// Returns the prefix of the sort keys of all pages of an attempt.
pub(crate) fn page_key_prefix(transaction_id: &TransactionId) -> String {
    format!("{}/{}/", transaction_id.number, transaction_id.nonce)
}

fn part_key(lane: &str, part: String) -> Item {
    Item::from([
        (lane::LANE.to_owned(), AttributeValue::S(lane.to_owned())),
        (lane::PART.to_owned(), AttributeValue::S(part)),
    ])
}

/// Creates a lane, unless one of its name exists.
pub(crate) fn create(table: &str, record: &TransactionRecord) -> RowWrite {
    let mut item = record_key(&record.lane);
    let text = |text: &str| AttributeValue::S(text.to_owned());
    item.extend([
        (lane::BORN.to_owned(), text(&record.born)),
        (lane::OWNER.to_owned(), text(&record.owner)),
        (lane::BEAT.to_owned(), beat(record.beat)),
        (lane::COMMITTED.to_owned(), number_value(record.committed.number)),
        (lane::VOID.to_owned(), number_value(record.void)),
        // Adoptions set entries of this map. DynamoDB refuses an update that sets an entry of a map that does not exist.
        (lane::EPOCHS.to_owned(), AttributeValue::M(Item::new())),
    ]);
    RowWrite::put_new(table, item, lane::LANE)
}

/// Renews the owner's heartbeat. The condition on the owner's mark fails if another process took the lane over. The condition on
/// the last commit fails if a process with a copy of the owner's memory has committed on the lane.
pub(crate) fn renew(
    table: &str,
    lane: &str,
    born: &str,
    owner: &str,
    previous: u64,
    now: EpochMillis,
) -> Result<RowWrite, Error> {
    let condition = Node::And(vec![
        self::born(born),
        is(lane::OWNER, AttributeValue::S(owner.to_owned())),
        is(lane::COMMITTED, number_value(previous)),
    ]);
    row(table, record_key(lane), vec![set(lane::BEAT, beat(now))], condition)
}

/// Takes a lane over and ends its epoch, which aborts every attempt that has not committed. Before, the caller must have rolled
/// the committed attempt forward (M19). Since then, the lane row must not have changed (M21).
pub(crate) fn adopt(table: &str, record: &TransactionRecord, owner: &str, now: EpochMillis) -> Result<RowWrite, Error> {
    let ended = epoch(record.last_decided());
    let epochs = Path::from(lane::EPOCHS);
    let entry = |epoch: u64| epochs.then(Step::Name(epoch.to_string().into()));
    let mut changes = vec![
        set(lane::VOID, number_value(end_of_epoch(record.last_decided()))),
        set(lane::OWNER, AttributeValue::S(owner.to_owned())),
        set(lane::BEAT, beat(now)),
        RawChange::new(entry(ended), Ok(Action::Set(record.committed.value()))),
    ];
    changes.extend([lane::PARTICIPANTS, lane::PAGES, lane::OF].map(remove));
    let others: Vec<u64> = record.epochs.keys().copied().filter(|epoch| *epoch != ended).collect();
    let oldest = others.iter().take((others.len() + 1).saturating_sub(EPOCHS));
    changes.extend(oldest.map(|epoch| remove(entry(*epoch))));
    row(table, record_key(&record.lane), changes, as_read(record))
}

/// Returns the transaction record as it is after the process took the lane over.
pub(crate) fn adopted(record: &TransactionRecord, owner: &str, now: EpochMillis) -> TransactionRecord {
    let mut epochs = record.epochs.clone();
    epochs.insert(epoch(record.last_decided()), record.committed.clone());
    while epochs.len() > EPOCHS {
        epochs.pop_first();
    }
    let void = end_of_epoch(record.last_decided());
    TransactionRecord { void, owner: owner.to_owned(), beat: now, unfinished: None, epochs, ..record.clone() }
}

/// Commits an attempt whose intents are all in their items (M11). The commit and an abort exclude each other (M15).
pub(crate) fn commit(
    table: &str,
    transaction_id: &TransactionId,
    previous: u64,
    participants: &[ItemRef],
    now: EpochMillis,
) -> Result<RowWrite, Error> {
    let [list, other] = match list(participants) {
        Listed::InLaneRow(value) => [set(lane::PARTICIPANTS, value), remove(lane::PAGES)],
        Listed::InPages(pages) => [set(lane::PAGES, number_value(pages.len() as u64)), remove(lane::PARTICIPANTS)],
    };
    let changes = vec![
        set(lane::COMMITTED, number_value(transaction_id.number)),
        set(lane::TRY, AttributeValue::S(transaction_id.nonce.clone())),
        set(lane::OF, number_value(transaction_id.number)),
        set(lane::BEAT, beat(now)),
        list,
        other,
    ];
    let condition = Node::And(vec![
        born(&transaction_id.born),
        is(lane::COMMITTED, number_value(previous)),
        Node::Compare(lane::VOID.into(), Operator::Lt, number_value(transaction_id.number)),
    ]);
    row(table, record_key(&transaction_id.lane), changes, condition)
}

/// Aborts an open attempt, and all attempts before it (M16).
pub(crate) fn abort(table: &str, transaction_id: &TransactionId) -> Result<RowWrite, Error> {
    let below = |name: &'static str| Node::Compare(name.into(), Operator::Lt, number_value(transaction_id.number));
    let condition = Node::And(vec![born(&transaction_id.born), below(lane::COMMITTED), below(lane::VOID)]);
    row(table, record_key(&transaction_id.lane), vec![set(lane::VOID, number_value(transaction_id.number))], condition)
}

/// Removes the list of participants of the committed attempt, after the caller saw all of them rolled forward. If the lane has
/// committed another attempt since, the list stays (M22).
pub(crate) fn clear_participants(table: &str, record: &TransactionRecord) -> Result<RowWrite, Error> {
    let committed = number_value(record.committed.number);
    let condition =
        Node::And(vec![born(&record.born), is(lane::OF, committed.clone()), is(lane::COMMITTED, committed)]);
    let changes = [lane::PARTICIPANTS, lane::PAGES, lane::OF].map(remove).to_vec();
    row(table, record_key(&record.lane), changes, condition)
}

/// Returns the requests that put the pages of participants, if the lane row has no room for the list.
pub(crate) fn participant_pages(
    table: &str,
    transaction_id: &TransactionId,
    participants: &[ItemRef],
    now: EpochMillis,
) -> Vec<RowWrite> {
    let Listed::InPages(pages) = list(participants) else { return Vec::new() };
    let pages = pages.into_iter().enumerate();
    pages.map(|(at, page)| put_page(table, page_key(transaction_id, at), lane::PARTICIPANTS, page, now)).collect()
}

/// Returns the request that puts a page with this value. A page never changes, so the request needs no condition.
pub(crate) fn put_page(table: &str, mut key: Item, name: &str, value: AttributeValue, now: EpochMillis) -> RowWrite {
    key.insert(name.to_owned(), value);
    renew_page(table, key, now)
}

/// Returns the request that puts a page with a new expiry time.
pub(crate) fn renew_page(table: &str, mut page: Item, now: EpochMillis) -> RowWrite {
    let ttl = now.get().div_euclid(1000) + PAGE_DAYS * 86_400;
    page.insert(lane::TTL.to_owned(), AttributeValue::N(ttl.to_string()));
    RowWrite::put_always(table, page)
}

/// The condition that the numbers, the owner and the heartbeat are as they were read.
fn as_read(record: &TransactionRecord) -> Node {
    Node::And(vec![
        born(&record.born),
        is(lane::COMMITTED, number_value(record.committed.number)),
        is(lane::VOID, number_value(record.void)),
        is(lane::OWNER, AttributeValue::S(record.owner.clone())),
        // An owner that has sent a heartbeat meanwhile is alive, and keeps the lane.
        is(lane::BEAT, beat(record.beat)),
    ])
}

fn born(born: &str) -> Node {
    is(lane::BORN, AttributeValue::S(born.to_owned()))
}

fn beat(at: EpochMillis) -> AttributeValue {
    AttributeValue::N(at.get().to_string())
}

fn is(name: &'static str, value: AttributeValue) -> Node {
    Node::Compare(name.into(), Operator::Eq, value)
}

fn set(name: &'static str, value: AttributeValue) -> RawChange {
    RawChange::new(name, Ok(Action::Set(value)))
}

fn remove(path: impl Into<Path>) -> RawChange {
    RawChange::new(path, Ok(Action::Remove))
}

fn row(table: &str, key: Item, changes: Vec<RawChange>, condition: Node) -> Result<RowWrite, Error> {
    let mut placeholders = Placeholders::default();
    let condition = condition.render(&mut placeholders);
    let update = render_changes(changes, &mut placeholders)?;
    Ok(RowWrite::new(table.to_owned(), Body::Update(key, update), Some(condition), placeholders))
}
