//! Decides which version a write expects: the version that the command names, the one that an earlier attempt expected, or a
//! number after the last one in the history.

use super::{Composable, Instead, prepare, terms};
use crate::attribute::Item;
use crate::rule;
use crate::rule::{Expected, Phase, RawRevision};
use crate::schema::Mode;
use crate::write::verdict::{self, verdict};
use crate::write::write_command::WriteCommand;
use crate::write::write_steps::{Conclusion, Denial, Judgement, Read, RevisionPut, StepInput};

/// Returns the version that the write expects.
pub(super) fn expected(command: &WriteCommand, input: &StepInput<'_>) -> Result<Option<Expected>, Instead> {
    let declared = command.expected()?;
    let Some(declared) = declared.filter(|_| command.is_write()) else { return Ok(declared) };
    // The attempt of a clone may be under way with this number.
    let last_attempt = input.attempts.expectations.last().copied().filter(|_| !input.known.is_number_taken);
    let expected = match input.known.expected.or(last_attempt) {
        Some(expected) => expected,
        None => first_expected(command, declared, input)?,
    };
    match earlier_outcome(command, expected, input) {
        Some(next) => Err(Instead::Judged(next)),
        None => Ok(Some(expected)),
    }
}

/// Returns the version that the first attempt expects. A new item of an entity with a history gets a number after all numbers in
/// the history, also those of deleted items.
fn first_expected(command: &WriteCommand, declared: Expected, input: &StepInput<'_>) -> Result<Expected, Instead> {
    let (Some(table), Expected::New(_)) = (input.history, declared) else { return Ok(declared) };
    let newest = input.known.newest.as_ref().ok_or(Instead::Judged(Judgement::Read(Read::NewestBeforeItem)))?;
    let Some(newest) = newest else { return Ok(declared) };
    // An atomic history puts the revision in the same transaction, so its row keeps two writes from getting one number.
    if table.history.mode == Mode::Atomic {
        return Ok(Expected::New(newest.version));
    }
    let item = input.known.item.as_ref().ok_or(Instead::Judged(Judgement::Read(Read::Item)))?;
    let Some(item) = item else { return after_deletion(newest, command.key()?, input) };
    let version = input.version(item).filter(|_| !rule::state(command.schema, input.now, item).is_live());
    if let Some(version) = version {
        return Ok(Expected::Dead(version));
    }
    // The live item refuses the create. The request must not be sent all the same: if the item were deleted meanwhile, the create
    // would pass with a number that the deletion may have used.
    let terms = terms(input, Some(declared), Phase::default());
    let (_, composed) = prepare(&mut Composable::Repeatedly(command), Vec::new(), terms)?;
    Err(Instead::Judged(verdict(&composed, &Denial::of_item(Some(item.clone())), input)))
}

/// Continues the numbers of an item that was deleted. An ordered history stores a version when the next one supersedes it, so it
/// may lack the deletion. Then the deletion is put first. Another create may put the same row.
fn after_deletion(newest: &RawRevision, key: Item, input: &StepInput<'_>) -> Result<Expected, Instead> {
    if newest.deleted {
        return Ok(Expected::New(newest.version));
    }
    let version = newest.version.saturating_add(1);
    match input.known.revisions.get(&version) {
        Some(Some(row)) if row.revision.deleted => Ok(Expected::New(version)),
        // Another write has put a revision of this number meanwhile.
        Some(Some(_)) => Err(Instead::Judged(Judgement::Read(Read::NewestBeforeItem))),
        _ => {
            let revision = RawRevision { version, deleted: true, image: key };
            Err(Instead::PutRevision(RevisionPut { revision, is_stored: false }))
        }
    }
}

/// Returns the outcome of the earlier attempts, if the write must not be sent with a number that none of them had: one of them
/// may have been applied. Clones that are sent at once get different numbers if other writers write in between.
fn earlier_outcome(command: &WriteCommand, expected: Expected, input: &StepInput<'_>) -> Option<Judgement> {
    let expectations = &input.attempts.expectations;
    // Only one write passes with a number, so a number that was tried already is safe.
    let is_tried = expectations.iter().any(|earlier| earlier.next() == expected.next());
    let is_first = !input.attempts.may_be_applied || expectations.is_empty();
    if is_first || is_tried || input.history.is_none() {
        return None;
    }
    // Without a write id, no revision proves which write made it.
    let Some(write_id) = command.write_id().ok()? else { return Some(Judgement::End(Conclusion::InDoubt)) };
    match verdict::outcome_in_history(command.verb, &write_id, input.known.item(), input)? {
        Judgement::End(Conclusion::InDoubt) if input.known.item.is_none() => Some(Judgement::Read(Read::Item)),
        next => Some(next),
    }
}
