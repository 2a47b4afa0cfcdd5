//! What is sent to lanes: their heads are made, renewed, adopted and tidied; tickets are committed and voided; participants
//! beyond what a head holds are put into pages.
//!
//! Each demands the lane's birth mark: another table's lane of the same name is another lane (M2).

use super::participant_list::{Listed, listed};
use super::transaction_id::{Ticket, end_of_epoch, epoch};
use super::transaction_record::{Head, lane, number};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, Step};
use crate::exchange::{Body, ItemRef, RowWrite};
use crate::expression::{Action, Node, Operator, Path, Placeholders, RawChange, render_changes};
use aws_sdk_dynamodb::types::AttributeValue;

/// How many epochs a head remembers.
pub(crate) const EPOCHS: usize = 8;

/// For how long pages are kept.
const PAGE_DAYS: i64 = 30;

/// The key of a head.
pub(crate) fn head_key(lane: &str) -> Item {
    part_key(lane, lane::HEAD.to_owned())
}

/// The key of a page of a ticket. (A process with the same memory gives the same number: the try tells them apart.)
pub(crate) fn page_key(lane: &str, number: u64, nonce: &str, page: usize) -> Item {
    part_key(lane, format!("{number}/{nonce}/{page}"))
}

/// The key of a page of what an intent of a ticket sets; `of` names the intent.
pub(crate) fn image_key(Ticket { lane, number, nonce, .. }: &Ticket, of: &str, page: usize) -> Item {
    part_key(lane, format!("{number}/{nonce}/{of}/{page}"))
}

/// What the keys of all pages of a ticket begin with.
pub(crate) fn pages_prefix(ticket: &Ticket) -> String {
    format!("{}/{}/", ticket.number, ticket.nonce)
}

fn part_key(lane: &str, part: String) -> Item {
    Item::from([
        (lane::LANE.to_owned(), AttributeValue::S(lane.to_owned())),
        (lane::PART.to_owned(), AttributeValue::S(part)),
    ])
}

/// Makes a lane, where there is none of its name.
pub(crate) fn make(table: &str, head: &Head) -> RowWrite {
    let mut item = head_key(&head.lane);
    let text = |text: &str| AttributeValue::S(text.to_owned());
    item.extend([
        (lane::BORN.to_owned(), text(&head.born)),
        (lane::OWNER.to_owned(), text(&head.owner)),
        (lane::BEAT.to_owned(), beat(head.beat)),
        (lane::COMMITTED.to_owned(), number(head.committed.number)),
        (lane::VOID.to_owned(), number(head.void)),
        // There for adoptions: nothing is set in a map that is not there.
        (lane::EPOCHS.to_owned(), AttributeValue::M(Item::new())),
    ]);
    RowWrite::put_new(table, item, lane::LANE)
}

/// Says that the owner lives. That nobody has adopted the lane, its owner's mark says; that nobody else has the owner's memory,
/// the last commit.
pub(crate) fn renew(
    table: &str,
    lane: &str,
    born: &str,
    owner: &str,
    previous: u64,
    now: EpochMillis,
) -> Result<RowWrite, Error> {
    let is = |name: &'static str, value| Node::Compare(name.into(), Operator::Eq, value);
    let condition = Node::And(vec![
        self::born(born),
        is(lane::OWNER, AttributeValue::S(owner.to_owned())),
        is(lane::COMMITTED, number(previous)),
    ]);
    row(table, head_key(lane), vec![set(lane::BEAT, beat(now))], condition)
}

/// Takes over a lane, and ends its epoch: all that was not committed is void. All that is committed must have been seen done (M19),
/// and the head must be as it was then (M21).
pub(crate) fn adopt(table: &str, head: &Head, owner: &str, now: EpochMillis) -> Result<RowWrite, Error> {
    let ended = epoch(head.reached());
    let epochs = Path::from(lane::EPOCHS);
    let place = |epoch: u64| epochs.then(Step::Name(epoch.to_string().into()));
    let remove = |path: Path| RawChange::new(path, Ok(Action::Remove));
    let mut changes = vec![
        set(lane::VOID, number(end_of_epoch(head.reached()))),
        set(lane::OWNER, AttributeValue::S(owner.to_owned())),
        set(lane::BEAT, beat(now)),
        RawChange::new(place(ended), Ok(Action::Set(head.committed.value()))),
    ];
    changes.extend([lane::PARTICIPANTS, lane::PAGES, lane::OF].map(|name| remove(name.into())));
    let kept: Vec<u64> = head.epochs.keys().copied().filter(|epoch| *epoch != ended).collect();
    let forgotten = kept.iter().take((kept.len() + 1).saturating_sub(EPOCHS));
    changes.extend(forgotten.map(|epoch| remove(place(*epoch))));
    update(table, head, changes, as_read(head))
}

/// What the lane is to the one who adopted it.
pub(crate) fn adopted(head: &Head, owner: &str, now: EpochMillis) -> Head {
    let mut epochs = head.epochs.clone();
    epochs.insert(epoch(head.reached()), head.committed.clone());
    while epochs.len() > EPOCHS {
        epochs.pop_first();
    }
    let void = end_of_epoch(head.reached());
    Head { void, owner: owner.to_owned(), beat: now, unfinished: None, epochs, ..head.clone() }
}

/// Decides a transaction: all of its intents are in place (M11). It excludes what `void` does (M15).
pub(crate) fn commit(
    table: &str,
    ticket: &Ticket,
    previous: u64,
    participants: &[ItemRef],
    now: EpochMillis,
) -> Result<RowWrite, Error> {
    let remove = |name: &'static str| RawChange::new(name, Ok(Action::Remove));
    let [named, other] = match listed(participants) {
        Listed::Inline(value) => [set(lane::PARTICIPANTS, value), remove(lane::PAGES)],
        Listed::Pages(pages) => [set(lane::PAGES, number(pages.len() as u64)), remove(lane::PARTICIPANTS)],
    };
    let changes = vec![
        set(lane::COMMITTED, number(ticket.number)),
        set(lane::TRY, AttributeValue::S(ticket.nonce.clone())),
        set(lane::OF, number(ticket.number)),
        set(lane::BEAT, beat(now)),
        named,
        other,
    ];
    let condition = Node::And(vec![
        born(&ticket.born),
        Node::Compare(lane::COMMITTED.into(), Operator::Eq, number(previous)),
        Node::Compare(lane::VOID.into(), Operator::Lt, number(ticket.number)),
    ]);
    row(table, head_key(&ticket.lane), changes, condition)
}

/// Ends a ticket that is open, and all before it (M16).
pub(crate) fn void(table: &str, ticket: &Ticket) -> Result<RowWrite, Error> {
    let below = |name: &'static str| Node::Compare(name.into(), Operator::Lt, number(ticket.number));
    let condition = Node::And(vec![born(&ticket.born), below(lane::COMMITTED), below(lane::VOID)]);
    row(table, head_key(&ticket.lane), vec![set(lane::VOID, number(ticket.number))], condition)
}

/// Forgets the items of a ticket all of which have been seen done: of no other ticket (M22).
pub(crate) fn tidy(table: &str, head: &Head) -> Result<RowWrite, Error> {
    let is = |name: &'static str| Node::Compare(name.into(), Operator::Eq, number(head.committed.number));
    let remove = |name: &'static str| RawChange::new(name, Ok(Action::Remove));
    let condition = Node::And(vec![born(&head.born), is(lane::OF), is(lane::COMMITTED)]);
    let changes = [lane::PARTICIPANTS, lane::PAGES, lane::OF].map(remove).to_vec();
    row(table, head_key(&head.lane), changes, condition)
}

/// The pages of a ticket whose participants the head does not hold: there before it is committed.
pub(crate) fn pages(table: &str, ticket: &Ticket, participants: &[ItemRef], now: EpochMillis) -> Vec<RowWrite> {
    let Listed::Pages(pages) = listed(participants) else { return Vec::new() };
    let pages = pages.into_iter().enumerate();
    pages
        .map(|(at, page)| self::page(table, page_key(&ticket.lane, ticket.number, &ticket.nonce, at), page, now))
        .collect()
}

/// A page of what an intent sets.
pub(crate) fn image_page(table: &str, key: Item, set: Item, now: EpochMillis) -> RowWrite {
    let mut item = key;
    item.insert(lane::SET.to_owned(), AttributeValue::M(set));
    kept(table, item, now)
}

fn page(table: &str, key: Item, participants: AttributeValue, now: EpochMillis) -> RowWrite {
    let mut item = key;
    item.insert(lane::PARTICIPANTS.to_owned(), participants);
    kept(table, item, now)
}

/// A page, kept from now on.
pub(crate) fn kept(table: &str, mut item: Item, now: EpochMillis) -> RowWrite {
    let ttl = now.get().div_euclid(1000) + PAGE_DAYS * 86_400;
    item.insert(lane::TTL.to_owned(), AttributeValue::N(ttl.to_string()));
    RowWrite::put_always(table, item)
}

/// The registers, and whose it is, are as they were read.
fn as_read(head: &Head) -> Node {
    let is = |name: &'static str, value| Node::Compare(name.into(), Operator::Eq, value);
    Node::And(vec![
        born(&head.born),
        is(lane::COMMITTED, number(head.committed.number)),
        is(lane::VOID, number(head.void)),
        is(lane::OWNER, AttributeValue::S(head.owner.clone())),
        // Of an owner that has said meanwhile that it lives, it is not taken.
        is(lane::BEAT, beat(head.beat)),
    ])
}

fn born(born: &str) -> Node {
    Node::Compare(lane::BORN.into(), Operator::Eq, AttributeValue::S(born.to_owned()))
}

fn beat(at: EpochMillis) -> AttributeValue {
    AttributeValue::N(at.get().to_string())
}

fn set(name: &'static str, value: AttributeValue) -> RawChange {
    RawChange::new(name, Ok(Action::Set(value)))
}

fn update(table: &str, head: &Head, changes: Vec<RawChange>, condition: Node) -> Result<RowWrite, Error> {
    row(table, head_key(&head.lane), changes, condition)
}

fn row(table: &str, key: Item, changes: Vec<RawChange>, condition: Node) -> Result<RowWrite, Error> {
    let mut placeholders = Placeholders::default();
    let condition = condition.render(&mut placeholders);
    let update = render_changes(changes, &mut placeholders)?;
    Ok(RowWrite::new(table.to_owned(), Body::Update(key, update), Some(condition), placeholders))
}
