//! What a refusal means: the echo of an attempt whose answer was lost, numbers to go on with, or a refusal indeed. And where
//! what is there does not tell, that it does not.
//!
//! Pure: what has to be read is asked for, and the question is put again with the same denial.

use super::compose::is_shift;
use super::write_steps::{Again, Denial, Ended, Frame, Front, Next, Part, Read, Setting};
use crate::attribute::Item;
use crate::rule;
use crate::rule::{Expected, Moot, RawRevision, Reason, Verb, Verdict, Write};
use crate::schema::Mode;

/// What comes next of a write that DynamoDB has refused.
pub(crate) fn verdict(part: &Part, denial: &Denial, frame: &Frame<'_>) -> Next {
    let mut next = judged(part, denial, frame);
    if let Next::Done(Ended::Refused { lasts, .. }) = &mut next {
        *lasts |= is_number_taken(part, denial, frame);
    }
    next
}

/// Whether the history keeps the number from being given once more: of one number, only one write passes.
fn is_number_taken(part: &Part, denial: &Denial, frame: &Frame<'_>) -> bool {
    let is_kept = frame.history.is_some_and(|table| table.history.ttl_days.is_none());
    let is_there = |number: u64| matches!(frame.known.rows.get(&number), Some(Some(_)));
    let is_denied = part.front == Some(Front::New) && denial.row.is_some();
    is_kept && (is_denied || part.write.next().is_some_and(is_there))
}

fn judged(part: &Part, denial: &Denial, frame: &Frame<'_>) -> Next {
    // Also in the place of a superseded revision: then it is this write that has been superseded.
    if let Some(version) = denial.row.as_ref().and_then(|row| own_row(&part.write, row.as_ref())) {
        return Next::Done(applied(Some(version), denial.item.clone().flatten()));
    }
    match (part.front, &denial.item) {
        (Some(Front::Key), item) if denial.row.is_some() => {
            // DynamoDB returns the item only where its own condition did not hold.
            let Some(item) = item.as_ref().or(frame.known.item.as_ref()) else { return Next::Read(Read::Item) };
            let mut part = part.clone();
            part.write.is_known = true;
            of_item(&part, item.as_ref(), frame)
        }
        (_, Some(item)) => of_item(part, item.as_ref(), frame),
        (_, None) => taken(part, frame),
    }
}

/// What would come of a write that is not sent, since another of its transaction would be refused: it may find no more what it
/// was for, because it has been made already. Asked of updates with idempotency keys.
pub(crate) fn foresee(part: &Part, frame: &Frame<'_>) -> Next {
    let mut write = part.write.clone();
    if frame.tables.keys.is_some() {
        let Some(has_row) = frame.known.key_row else { return Next::Read(Read::KeyRow) };
        write.is_known = has_row;
    }
    let Some(item) = &frame.known.item else { return Next::Read(Read::Item) };
    let reasons = rule::reasons(&write, item.as_ref());
    if rule::is_awaited(frame.schema, item.as_ref(), &reasons) {
        return Next::Again(Again::held(item.as_ref()));
    }
    if reasons.is_empty() { Next::Fine } else { refused(&write, reasons, Moot::default(), item.as_ref()) }
}

/// The item did not meet the condition.
fn of_item(part: &Part, item: Option<&Item>, frame: &Frame<'_>) -> Next {
    let write = &part.write;
    let read = match frame.setting {
        Setting::Alone(_) => rule::read_refusal(write, item, part.is_conditional),
        Setting::Together => rule::read_action_refusal(write, item, part.is_conditional),
    };
    let (reasons, moot) = match read {
        Verdict::Refused { reasons, moot } => (reasons, moot),
        Verdict::Applied => return Next::Done(applied(own_version(write, item, frame), item.cloned())),
        Verdict::InPhase(phase) => return Next::Again(Again::Phase(phase)),
        Verdict::Held => return Next::Again(Again::held(item)),
    };
    // Whichever attempt it was that made the update: it has been made.
    if reasons.contains(&Reason::Duplicate) {
        return refused(write, reasons, moot, item);
    }
    // First of all: a create that was applied, and whose item was deleted since, must not be done once more.
    if may_be_overtaken(part, item, frame) {
        let Some(name) = write.write_id.as_deref() else { return Next::Done(Ended::Unknown) };
        if let Some(next) = remembered(write.verb, name, item, frame) {
            return next;
        }
    }
    if !part.places.is_empty() && is_shift(&reasons, &part.places) {
        return Next::Again(Again::Shifted(item.cloned()));
    }
    match rule::number_on(write, item) {
        Some(expected) => Next::Again(Again::Numbers(expected, Some(item.cloned()))),
        None => refused(write, reasons, moot, item),
    }
}

/// The item would have let the write pass, but a number is in the history already: its own, or in an ordered history that of
/// what it supersedes.
fn taken(part: &Part, frame: &Frame<'_>) -> Next {
    let (Some(expected), true) = (part.write.expected, frame.history.is_some()) else {
        return Next::Done(recorded(part, frame, None));
    };
    if let Expected::New(_) = expected {
        // The item is gone without a tombstone, or its tombstone is.
        return Next::Again(Again::Taken);
    }
    let Some(item) = &frame.known.item else { return Next::Read(Read::Item) };
    let is_other = rule::other_entity(frame.schema, item.as_ref()).is_some();
    let is_held = rule::is_held(frame.schema, item.as_ref());
    match item {
        Some(there) if !is_other && !is_held && frame.version(there) == expected.base() => {
            ahead(frame, expected, there).unwrap_or_else(|| Next::Done(recorded(part, frame, item.clone())))
        }
        item => of_item(part, item.as_ref(), frame),
    }
}

/// Whether an attempt of this write may have been applied, and others have written since: then the item does not tell any
/// more. Where it has the very version that the write found, or another's write has made the one that it would have made, it
/// does. What a program has put that counts nothing or leaves no name can be in the place of the write's own.
fn may_be_overtaken(part: &Part, item: Option<&Item>, frame: &Frame<'_>) -> bool {
    let Some(expected) = part.write.expected else { return false };
    let there = item.and_then(|item| counted(item, frame));
    let is_of_another = part.write.write_id.is_some() && !item.is_some_and(|item| frame.is_foreign(item));
    let tells = match expected {
        _ if !frame.schema.numbers_last() => false,
        // It was the caller's condition that refused.
        Expected::New(_) if item.is_none() => true,
        // A tombstone was purged in between.
        _ if item.is_some_and(|item| is_begun_again(part, item, frame)) => false,
        _ if is_of_another && there == expected.next() => true,
        // Of a new item, the number that it goes on behind is no item's.
        Expected::New(_) => false,
        _ => there == expected.base(),
    };
    frame.tried.is_open && expected != Expected::Unchecked && !tells
}

/// The version of an item that has been counted. What is another entity's says nothing of this one's numbers.
fn counted(item: &Item, frame: &Frame<'_>) -> Option<u64> {
    let is_other = rule::other_entity(frame.schema, Some(item)).is_some();
    frame.version(item).filter(|version| *version > 0 && !is_other)
}

/// Whether an item has the version that was loaded, and is another one.
fn is_begun_again(part: &Part, item: &Item, frame: &Frame<'_>) -> bool {
    let loaded = frame.schema.write_id.as_ref().zip(part.loaded.as_ref()).filter(|_| frame.history.is_none());
    loaded.is_some_and(|(write_id, (version, name))| {
        frame.version(item) == Some(*version) && item.get(write_id.attribute) != name.as_ref()
    })
}

/// How a write goes on of which the item does not tell: it was applied as the version under which the history remembers it, or
/// nothing tells any more; `None` if it was not applied. `item` is what is there now.
pub(crate) fn remembered(verb: Verb, write_id: &str, item: Option<&Item>, frame: &Frame<'_>) -> Option<Next> {
    let untold = Some(Next::Done(Ended::Unknown));
    let (Some(table), Some(id)) = (frame.history, &frame.schema.write_id) else { return untold };
    let is_ordered = table.history.mode == Mode::Ordered;
    let there = item.and_then(|item| Some((counted(item, frame)?, frame.is_foreign(item))));
    // Whether what is there has not come to this number yet, or is another's of this number.
    let is_before = |number| there.is_some_and(|(there, is_foreign)| there < number || there == number && !is_foreign);
    // A clone of the command may have come further.
    for (expected, number) in frame.tried.reached.iter().filter_map(|expected| Some((expected, expected.next()?))) {
        let Some(row) = frame.known.rows.get(&number) else { return Some(Next::Read(Read::Revision(number))) };
        // In an ordered history, its row is put by who supersedes it, and that of a new item together with the item.
        let is_by_another = is_ordered && !matches!(expected, Expected::New(_));
        match row.as_ref().map(|row| &row.revision) {
            Some(revision) if id.is_own(write_id, &revision.image) => {
                return Some(Next::Done(applied(Some(number), item.cloned())));
            }
            // A deletion without the name of the write that made it: put there for what was gone by then.
            Some(revision)
                if (is_by_another || verb == Verb::Delete) && revision.deleted && !id.is_in(&revision.image) =>
            {
                return untold;
            }
            // What it stored can be gone, and nobody of ours has superseded it: other programs keep no history.
            None if is_by_another && !is_before(number) => return untold,
            _ => {}
        }
    }
    None
}

/// The version that this write has stored, given the item with its name: perhaps that of a clone which has come further.
/// Unchecked updates since have raised the item's own, and left the name.
pub(crate) fn own_version(write: &Write, item: Option<&Item>, frame: &Frame<'_>) -> Option<u64> {
    let there = item.and_then(|item| write.schema.version.as_ref()?.of(item));
    let is_reached = |version: &u64| frame.tried.reached.iter().any(|expected| expected.next() == Some(*version));
    there.filter(is_reached).or(write.next())
}

/// How a write goes on over an item that no write of ours has made, if the history knows of later numbers: another program has
/// deleted it and created it again, or has put it without its name. The numbers go on behind those of the history.
pub(crate) fn ahead(frame: &Frame<'_>, expected: Expected, item: &Item) -> Option<Next> {
    let table = frame.history?;
    // Where no write has a name, a copy of an ordered history that differs says as much.
    let is_ordered = table.history.mode == Mode::Ordered;
    let may_be_foreign = frame.is_foreign(item) || is_ordered && frame.schema.write_id.is_none();
    let found = expected.base().filter(|_| may_be_foreign)?;
    let Some(newest) = &frame.known.newest else { return Some(Next::Read(Read::Ahead)) };
    let newest = newest.as_ref()?;
    let is_ahead = newest.version > found || newest.version == found && !frame.is_of_one_write(&newest.image, item);
    is_ahead.then(|| {
        let last = table.last_given(newest).saturating_add(u64::from(is_ordered));
        let behind = Expected::Behind { found, last, is_dead: expected.is_dead() };
        Next::Again(Again::Numbers(behind, Some(Some(item.clone()))))
    })
}

/// Nothing is against a write but the history.
pub(crate) fn recorded(part: &Part, frame: &Frame<'_>, item: Option<Item>) -> Ended {
    let is_ordered = frame.history.is_some_and(|table| table.history.mode == Mode::Ordered);
    let base = part.write.expected.filter(|_| is_ordered).and_then(Expected::base);
    let version = base.or(part.write.next()).unwrap_or_default();
    // The row may be removed by its TTL.
    let lasts = frame.history.is_some_and(|table| table.history.ttl_days.is_none());
    Ended::Refused { reasons: vec![Reason::Recorded { version }], moot: Moot::default(), item, lasts }
}

/// The number of a row that is a revision which this very write made.
fn own_row(write: &Write, row: Option<&Item>) -> Option<u64> {
    let revision = RawRevision::read(row?.clone()).ok()?;
    rule::is_own(write, &revision.image).then_some(revision.version)
}

fn applied(version: Option<u64>, item: Option<Item>) -> Ended {
    Ended::Applied { version, item }
}

pub(super) fn refused(write: &Write, reasons: Vec<Reason>, moot: Moot, item: Option<&Item>) -> Next {
    let lasts = rule::lasts(write, item, &reasons);
    Next::Done(Ended::Refused { reasons, moot, item: item.cloned(), lasts })
}
