//! The requests that write lane rows and their pages: they make, renew, take over and clear a lane, and commit and abort attempts.
//!
//! Each request that changes a lane row demands the lane's birth mark, because a lane of the same name in another table is another
//! lane (M2).

use super::participant_list::{Listed, listed};
use super::transaction_id::{TransactionId, end_of_epoch, epoch};
use super::transaction_record::{TransactionRecord, lane, number};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, Step};
use crate::exchange::{Body, ItemRef, RowWrite};
use crate::expression::{Action, Node, Operator, Path, Placeholders, RawChange, render_changes};
use aws_sdk_dynamodb::types::AttributeValue;

/// The number of epochs that a lane row remembers.
pub(crate) const EPOCHS: usize = 8;

/// The days for which pages are kept.
const PAGE_DAYS: i64 = 30;

/// Returns the key of a lane row.
pub(crate) fn record_key(lane: &str) -> Item {
    part_key(lane, lane::HEAD.to_owned())
}

/// Returns the key of a participant page. (A process with a copy of this memory gives the same number; the nonce distinguishes
/// them.)
pub(crate) fn page_key(transaction_id: &TransactionId, page: usize) -> Item {
    part_key(&transaction_id.lane, format!("{}{page}", pages_prefix(transaction_id)))
}

/// Returns the key of a page of what an intent sets; `of` names the intent.
pub(crate) fn image_key(transaction_id: &TransactionId, of: &str, page: usize) -> Item {
    part_key(&transaction_id.lane, format!("{}{of}/{page}", pages_prefix(transaction_id)))
}

/// Returns the prefix of the sort keys of all pages of an attempt.
pub(crate) fn pages_prefix(transaction_id: &TransactionId) -> String {
    format!("{}/{}/", transaction_id.number, transaction_id.nonce)
}

fn part_key(lane: &str, part: String) -> Item {
    Item::from([
        (lane::LANE.to_owned(), AttributeValue::S(lane.to_owned())),
        (lane::PART.to_owned(), AttributeValue::S(part)),
    ])
}

/// Makes a lane, unless one of its name exists.
pub(crate) fn make(table: &str, record: &TransactionRecord) -> RowWrite {
    let mut item = record_key(&record.lane);
    let text = |text: &str| AttributeValue::S(text.to_owned());
    item.extend([
        (lane::BORN.to_owned(), text(&record.born)),
        (lane::OWNER.to_owned(), text(&record.owner)),
        (lane::BEAT.to_owned(), beat(record.beat)),
        (lane::COMMITTED.to_owned(), number(record.committed.number)),
        (lane::VOID.to_owned(), number(record.void)),
        // Later epochs are set in this map, and an update sets nothing in a map that does not exist.
        (lane::EPOCHS.to_owned(), AttributeValue::M(Item::new())),
    ]);
    RowWrite::put_new(table, item, lane::LANE)
}

/// Renews the owner's heartbeat. The owner's mark proves that no process took the lane over; the last commit proves that no process
/// with a copy of the owner's memory uses it.
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
        is(lane::COMMITTED, number(previous)),
    ]);
    row(table, record_key(lane), vec![set(lane::BEAT, beat(now))], condition)
}

/// Takes over a lane and ends its epoch: every attempt that did not commit is aborted. The caller must have completed what is
/// committed (M19), and the lane row must be as it was then (M21).
pub(crate) fn adopt(table: &str, record: &TransactionRecord, owner: &str, now: EpochMillis) -> Result<RowWrite, Error> {
    let ended = epoch(record.reached());
    let epochs = Path::from(lane::EPOCHS);
    let place = |epoch: u64| epochs.then(Step::Name(epoch.to_string().into()));
    let mut changes = vec![
        set(lane::VOID, number(end_of_epoch(record.reached()))),
        set(lane::OWNER, AttributeValue::S(owner.to_owned())),
        set(lane::BEAT, beat(now)),
        RawChange::new(place(ended), Ok(Action::Set(record.committed.value()))),
    ];
    changes.extend([lane::PARTICIPANTS, lane::PAGES, lane::OF].map(remove));
    let kept: Vec<u64> = record.epochs.keys().copied().filter(|epoch| *epoch != ended).collect();
    let forgotten = kept.iter().take((kept.len() + 1).saturating_sub(EPOCHS));
    changes.extend(forgotten.map(|epoch| remove(place(*epoch))));
    row(table, record_key(&record.lane), changes, as_read(record))
}

/// Returns the transaction record as it is for the process that took the lane over.
pub(crate) fn adopted(record: &TransactionRecord, owner: &str, now: EpochMillis) -> TransactionRecord {
    let mut epochs = record.epochs.clone();
    epochs.insert(epoch(record.reached()), record.committed.clone());
    while epochs.len() > EPOCHS {
        epochs.pop_first();
    }
    let void = end_of_epoch(record.reached());
    TransactionRecord { void, owner: owner.to_owned(), beat: now, unfinished: None, epochs, ..record.clone() }
}

/// Commits a transaction whose intents are all in place (M11). The commit and `void` exclude each other (M15).
pub(crate) fn commit(
    table: &str,
    transaction_id: &TransactionId,
    previous: u64,
    participants: &[ItemRef],
    now: EpochMillis,
) -> Result<RowWrite, Error> {
    let [named, other] = match listed(participants) {
        Listed::Inline(value) => [set(lane::PARTICIPANTS, value), remove(lane::PAGES)],
        Listed::Pages(pages) => [set(lane::PAGES, number(pages.len() as u64)), remove(lane::PARTICIPANTS)],
    };
    let changes = vec![
        set(lane::COMMITTED, number(transaction_id.number)),
        set(lane::TRY, AttributeValue::S(transaction_id.nonce.clone())),
        set(lane::OF, number(transaction_id.number)),
        set(lane::BEAT, beat(now)),
        named,
        other,
    ];
    let condition = Node::And(vec![
        born(&transaction_id.born),
        is(lane::COMMITTED, number(previous)),
        Node::Compare(lane::VOID.into(), Operator::Lt, number(transaction_id.number)),
    ]);
    row(table, record_key(&transaction_id.lane), changes, condition)
}

/// Aborts an open attempt, and all attempts before it (M16).
pub(crate) fn void(table: &str, transaction_id: &TransactionId) -> Result<RowWrite, Error> {
    let below = |name: &'static str| Node::Compare(name.into(), Operator::Lt, number(transaction_id.number));
    let condition = Node::And(vec![born(&transaction_id.born), below(lane::COMMITTED), below(lane::VOID)]);
    row(table, record_key(&transaction_id.lane), vec![set(lane::VOID, number(transaction_id.number))], condition)
}

/// Clears the list of participants of this attempt, and of no other, after all of them were seen rolled forward (M22).
pub(crate) fn tidy(table: &str, record: &TransactionRecord) -> Result<RowWrite, Error> {
    let committed = number(record.committed.number);
    let condition =
        Node::And(vec![born(&record.born), is(lane::OF, committed.clone()), is(lane::COMMITTED, committed)]);
    let changes = [lane::PARTICIPANTS, lane::PAGES, lane::OF].map(remove).to_vec();
    row(table, record_key(&record.lane), changes, condition)
}

/// Returns the pages of participants that the lane row has no room for. They are written before the commit.
pub(crate) fn pages(
    table: &str,
    transaction_id: &TransactionId,
    participants: &[ItemRef],
    now: EpochMillis,
) -> Vec<RowWrite> {
    let Listed::Pages(pages) = listed(participants) else { return Vec::new() };
    let pages = pages.into_iter().enumerate();
    pages.map(|(at, page)| self::page(table, page_key(transaction_id, at), lane::PARTICIPANTS, page, now)).collect()
}

/// Returns the request that puts a page, which has one value.
pub(crate) fn page(table: &str, mut key: Item, name: &str, value: AttributeValue, now: EpochMillis) -> RowWrite {
    key.insert(name.to_owned(), value);
    kept(table, key, now)
}

/// Returns a page with a new expiry time.
pub(crate) fn kept(table: &str, mut item: Item, now: EpochMillis) -> RowWrite {
    let ttl = now.get().div_euclid(1000) + PAGE_DAYS * 86_400;
    item.insert(lane::TTL.to_owned(), AttributeValue::N(ttl.to_string()));
    RowWrite::put_always(table, item)
}

/// The numbers and the owner are as they were read.
fn as_read(record: &TransactionRecord) -> Node {
    Node::And(vec![
        born(&record.born),
        is(lane::COMMITTED, number(record.committed.number)),
        is(lane::VOID, number(record.void)),
        is(lane::OWNER, AttributeValue::S(record.owner.clone())),
        // If the owner has sent a heartbeat meanwhile, the lane is not taken from it.
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
