//! Evaluates a denial: an earlier attempt was applied and its answer was lost; or the write is composed again; or it is refused;
//! or it is in doubt, because neither the item nor the history proves what became of the earlier attempt.
//!
//! Pure: if a read is needed, the verdict is that read, and the same denial is evaluated again after it.

use super::compose::is_mismatch;
use super::write_steps::{Companion, ComposedWrite, Conclusion, Denial, Judgement, Read, Retry, SendAs, StepInput};
use crate::attribute::Item;
use crate::rule;
use crate::rule::{Expected, Moot, RawRevision, Reason, Verb, Verdict, Write};
use crate::schema::Mode;

/// Judges a write whose request DynamoDB denied.
pub(crate) fn verdict(composed: &ComposedWrite, denial: &Denial, input: &StepInput<'_>) -> Judgement {
    let mut judgement = judge(composed, denial, input);
    if let Judgement::End(Conclusion::Refused { is_lasting, .. }) = &mut judgement {
        *is_lasting |= is_number_taken(composed, denial, input);
    }
    judgement
}

/// Returns `true` if the history holds a revision of the write's number and keeps it for ever. Only one write passes with a
/// number, so no attempt with this number can pass any more.
fn is_number_taken(composed: &ComposedWrite, denial: &Denial, input: &StepInput<'_>) -> bool {
    let is_kept = input.history.is_some_and(|table| table.history.ttl_days.is_none());
    let is_stored = |number: u64| matches!(input.known.revisions.get(&number), Some(Some(_)));
    let is_denied = composed.companion == Some(Companion::NewRevision) && denial.companion.is_some();
    is_kept && (is_denied || composed.write.next().is_some_and(is_stored))
}

fn judge(composed: &ComposedWrite, denial: &Denial, input: &StepInput<'_>) -> Judgement {
    if denial.is_of_claims_only() {
        return judge_claims(composed, denial, input);
    }
    // This holds for the row of a superseded revision, too: then an earlier attempt was applied, and has been superseded since.
    if let Some(version) = denial.companion.as_ref().and_then(|row| own_revision(&composed.write, row.as_ref())) {
        return Judgement::End(applied(Some(version), denial.item.clone().flatten()));
    }
    match (composed.companion, &denial.item) {
        (Some(Companion::DedupKey), item) if denial.companion.is_some() => {
            // The key's row failed its condition. DynamoDB returns the item only if the item failed its own condition, too.
            let Some(item) = item.as_ref().or(input.known.item.as_ref()) else { return Judgement::Read(Read::Item) };
            let mut composed = composed.clone();
            composed.write.dedup.has_row = true;
            judge_item(&composed, item.as_ref(), input)
        }
        (_, Some(item)) => judge_item(composed, item.as_ref(), input),
        (_, None) => judge_taken_number(composed, input),
    }
}

/// Evaluates a denial by the claims of unique values alone: the item would have let the write pass.
///
/// A guard that another item holds is no reason alone, because that item may have given the value up. The next request checks the holder.
fn judge_claims(composed: &ComposedWrite, denial: &Denial, input: &StepInput<'_>) -> Judgement {
    let (mut reasons, mut is_moved) = (Vec::new(), false);
    for (claim, denied) in composed.write.claims.iter().zip(&denial.claims) {
        match &denied.guard {
            Some(Some(row)) => match rule::holder(input.schema, row) {
                Ok(_) => is_moved = true,
                Err(reason) => reasons.push(reason),
            },
            Some(None) => is_moved = true,
            None => {
                // The item may have been refused for another claim, or as an action of its own.
                let is_free_of = |item: &Item| claim.is_free_of(input.schema, item).holds(item);
                let item = denied.holder.as_ref().and_then(Option::as_ref).filter(|item| !is_free_of(item));
                reasons.extend(item.map(|item| claim.taken(input.schema, item)));
            }
        }
    }
    match reasons.is_empty() {
        // The holder can give the value up at any time.
        false => Judgement::End(Conclusion::Refused { reasons, moot: Moot::default(), item: None, is_lasting: false }),
        true if is_moved => Judgement::Retry(Retry::OtherHolder),
        true => Judgement::Unopposed,
    }
}

/// Evaluates a write with an idempotency key that is not sent, because another action of its transaction is refused. The update
/// may have been made already, and then that is the reason why the other action was refused.
pub(crate) fn judge_unsent(composed: &ComposedWrite, input: &StepInput<'_>) -> Judgement {
    let mut write = composed.write.clone();
    if input.tables.keys.is_some() {
        let Some(has_row) = input.known.key_row else { return Judgement::Read(Read::KeyRow) };
        write.dedup.has_row = has_row;
    }
    let Some(item) = &input.known.item else { return Judgement::Read(Read::Item) };
    let reasons = rule::reasons(&write, item.as_ref());
    if rule::is_awaited(input.schema, item.as_ref(), &reasons) {
        return Judgement::Retry(Retry::locked(item.as_ref()));
    }
    if reasons.is_empty() { Judgement::Unopposed } else { refused(&write, reasons, Moot::default(), item.as_ref()) }
}

/// Evaluates an item that did not meet the condition of the write.
fn judge_item(composed: &ComposedWrite, item: Option<&Item>, input: &StepInput<'_>) -> Judgement {
    let write = &composed.write;
    let refusal = match input.send_as {
        SendAs::Single(_) => rule::read_refusal(write, item, composed.is_conditional),
        SendAs::Action => rule::read_action_refusal(write, item, composed.is_conditional),
    };
    let (reasons, moot) = match refusal {
        Verdict::Refused { reasons, moot } => (reasons, moot),
        Verdict::Applied => return Judgement::End(applied(own_version(write, item, input), item.cloned())),
        Verdict::InPhase(phase) => return Judgement::Retry(Retry::OtherPhase(phase)),
        Verdict::Held => return Judgement::Retry(Retry::locked(item)),
    };
    // Another action of the transaction refuses the item, because the item has the unique value that this action claims.
    if matches!(reasons[..], [Reason::Condition | Reason::Unexplained])
        && item.is_some_and(|item| composed.beside.iter().any(|condition| !condition.holds(item)))
    {
        return Judgement::Unopposed;
    }
    // An update with this key was made, by this attempt or an earlier one.
    if reasons.contains(&Reason::Duplicate) {
        return refused(write, reasons, moot, item);
    }
    // This comes before every retry: a create that was applied, and whose item was deleted since, must not be applied again.
    if is_unproven(composed, item, input) {
        let Some(write_id) = write.write_id.as_deref() else { return Judgement::End(Conclusion::InDoubt) };
        if let Some(judgement) = outcome_in_history(write.verb, write_id, item, input) {
            return judgement;
        }
    }
    if !composed.tailored_paths.is_empty() && is_mismatch(&reasons, &composed.tailored_paths) {
        return Judgement::Retry(Retry::ItemChanged(item.cloned()));
    }
    match rule::number_on(write, item) {
        Some(expected) => Judgement::Retry(Retry::Renumbered(expected, Some(item.cloned()))),
        None => refused(write, reasons, moot, item),
    }
}

/// Evaluates a denial by the companion alone: the item would have let the write pass, but the history already has a revision of
/// the write's number, or of the version that the write supersedes.
fn judge_taken_number(composed: &ComposedWrite, input: &StepInput<'_>) -> Judgement {
    let (Some(expected), true) = (composed.write.expected, input.history.is_some()) else {
        return Judgement::End(refused_by_history(composed, input, None));
    };
    if let Expected::New(_) = expected {
        // The item with this number is gone: it was deleted without a tombstone, or its tombstone was removed.
        return Judgement::Retry(Retry::NumberTaken);
    }
    let Some(item) = &input.known.item else { return Judgement::Read(Read::Item) };
    let is_other = rule::other_entity(input.schema, item.as_ref()).is_some();
    let is_held = rule::is_held(input.schema, item.as_ref());
    match item {
        Some(stored) if !is_other && !is_held && input.version(stored) == expected.base() => {
            let behind = behind_history(input, expected, stored);
            behind.unwrap_or_else(|| Judgement::End(refused_by_history(composed, input, item.clone())))
        }
        item => judge_item(composed, item.as_ref(), input),
    }
}

/// Returns `true` if an attempt of this write may have been applied, and the item does not prove that it was not, because other
/// writers may have written since.
///
/// The item proves it if its version is the one that the attempt expected, or if another write has stored the version that the
/// attempt would have stored. An item without a write id does not prove the latter: a program that leaves no write ids may have
/// replaced the attempt's own result.
fn is_unproven(composed: &ComposedWrite, item: Option<&Item>, input: &StepInput<'_>) -> bool {
    let Some(expected) = composed.write.expected else { return false };
    let stored = item.and_then(|item| own_number(item, input));
    let is_of_another = composed.write.write_id.is_some() && !item.is_some_and(|item| input.is_foreign(item));
    let is_proof = match expected {
        _ if !input.schema.numbers_last() => false,
        // Only the caller's own condition refuses a new item where there is none.
        Expected::New(_) if item.is_none() => true,
        // The numbers began again, because a tombstone was purged in between.
        _ if item.is_some_and(|item| is_another_with_loaded_version(composed, item, input)) => false,
        _ if is_of_another && stored == expected.next() => true,
        // The number before a new item's is no item's.
        Expected::New(_) => false,
        _ => stored == expected.base(),
    };
    input.attempts.may_be_applied && expected != Expected::Unchecked && !is_proof
}

/// Returns the version of an item of this entity, if its writer counted it.
fn own_number(item: &Item, input: &StepInput<'_>) -> Option<u64> {
    let is_other = rule::other_entity(input.schema, Some(item)).is_some();
    input.version(item).filter(|version| *version > 0 && !is_other)
}

/// Returns `true` if an item has the version of the item that the caller loaded, but is another one: without a history, numbers
/// can begin again.
fn is_another_with_loaded_version(composed: &ComposedWrite, item: &Item, input: &StepInput<'_>) -> bool {
    let loaded = input.schema.write_id.as_ref().zip(composed.loaded_identity.as_ref());
    loaded.filter(|_| input.history.is_none()).is_some_and(|(write_id, (version, loaded_id))| {
        input.version(item) == Some(*version) && item.get(write_id.attribute) != loaded_id.as_ref()
    })
}

/// Returns what the history proves about the attempts of a write, or the read that is needed first; `None` if none was applied.
/// `item` is the stored item.
pub(crate) fn outcome_in_history(
    verb: Verb,
    write_id: &str,
    item: Option<&Item>,
    input: &StepInput<'_>,
) -> Option<Judgement> {
    let in_doubt = Some(Judgement::End(Conclusion::InDoubt));
    let (Some(table), Some(id)) = (input.history, &input.schema.write_id) else { return in_doubt };
    let is_ordered = table.history.mode == Mode::Ordered;
    let stored = item.and_then(|item| Some((own_number(item, input)?, input.is_foreign(item))));
    // `true` if the item has not reached this number yet, or another write of dyno gave it this number.
    let is_unreached =
        |number| stored.is_some_and(|(stored, is_foreign)| stored < number || stored == number && !is_foreign);
    // All numbers, because the attempt of a clone may have had a later one.
    for expected in &input.attempts.expectations {
        let Some(number) = expected.next() else { continue };
        let Some(row) = input.known.revisions.get(&number) else {
            return Some(Judgement::Read(Read::Revision(number)));
        };
        // In an ordered history, the write that supersedes an item puts its row. Only a new item's row is put with the item.
        let is_put_later = is_ordered && !matches!(expected, Expected::New(_));
        match row.as_ref().map(|row| &row.revision) {
            Some(revision) if id.is_own(write_id, &revision.image) => {
                return Some(Judgement::End(applied(Some(number), item.cloned())));
            }
            // A create puts a deletion without a write id for an item that it finds missing. That item may have been this write's
            // result, or this write may have been the delete.
            Some(revision)
                if (is_put_later || verb == Verb::Delete) && revision.deleted && !id.is_in(&revision.image) =>
            {
                return in_doubt;
            }
            // Another program may have replaced this write's result. Other programs put no rows into the history.
            None if is_put_later && !is_unreached(number) => return in_doubt,
            _ => {}
        }
    }
    None
}

/// Returns the version that this write stored, given an item with its write id. The attempt of a clone may have stored a later
/// one. Unchecked updates raise the item's version and keep its write id, so the item's version counts only if an attempt aimed
/// at it.
pub(crate) fn own_version(write: &Write, item: Option<&Item>, input: &StepInput<'_>) -> Option<u64> {
    let stored = item.and_then(|item| write.schema.version.as_ref()?.of(item));
    let is_attempted =
        |version: &u64| input.attempts.expectations.iter().any(|expected| expected.next() == Some(*version));
    stored.filter(is_attempted).or(write.next())
}

/// Returns how a write continues over an item that another program has made, if the history has later numbers than the item: that
/// program deleted and created the item, or put it without its write id. Numbering continues after the history.
pub(crate) fn behind_history(input: &StepInput<'_>, expected: Expected, item: &Item) -> Option<Judgement> {
    let table = input.history?;
    let is_ordered = table.history.mode == Mode::Ordered;
    // If the entity has no write ids, a different copy in an ordered history proves another writer as well.
    let may_be_foreign = input.is_foreign(item) || is_ordered && input.schema.write_id.is_none();
    let found = expected.base().filter(|_| may_be_foreign)?;
    let Some(newest) = &input.known.newest else { return Some(Judgement::Read(Read::NewestAfterItem)) };
    let newest = newest.as_ref()?;
    let is_behind = newest.version > found || newest.version == found && !input.is_of_one_write(&newest.image, item);
    is_behind.then(|| {
        // An ordered history also stores the item, under a number of its own.
        let last = table.last_given(newest).saturating_add(u64::from(is_ordered));
        let behind = Expected::Behind { found, last, is_dead: expected.is_dead() };
        Judgement::Retry(Retry::Renumbered(behind, Some(Some(item.clone()))))
    })
}

/// Returns the refusal of a write that only the history refuses.
pub(crate) fn refused_by_history(composed: &ComposedWrite, input: &StepInput<'_>, item: Option<Item>) -> Conclusion {
    let is_ordered = input.history.is_some_and(|table| table.history.mode == Mode::Ordered);
    let base = composed.write.expected.filter(|_| is_ordered).and_then(Expected::base);
    let version = base.or(composed.write.next()).unwrap_or_default();
    // A TTL may remove the row, and then the write could pass.
    let is_lasting = input.history.is_some_and(|table| table.history.ttl_days.is_none());
    Conclusion::Refused { reasons: vec![Reason::Recorded { version }], moot: Moot::default(), item, is_lasting }
}

/// Returns the number of a history row, if this very write made its revision.
fn own_revision(write: &Write, row: Option<&Item>) -> Option<u64> {
    let revision = RawRevision::read(row?.clone()).ok()?;
    rule::is_own(write, &revision.image).then_some(revision.version)
}

fn applied(version: Option<u64>, item: Option<Item>) -> Conclusion {
    Conclusion::Applied { version, item }
}

pub(super) fn refused(write: &Write, reasons: Vec<Reason>, moot: Moot, item: Option<&Item>) -> Judgement {
    let is_lasting = rule::lasts(write, item, &reasons);
    Judgement::End(Conclusion::Refused { reasons, moot, item: item.cloned(), is_lasting })
}
