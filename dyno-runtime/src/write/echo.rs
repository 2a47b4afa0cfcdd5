//! What a refusal of a versioned write means: the echo of an attempt whose answer was lost, numbers to go on with, or a
//! refusal indeed. And where what is there does not tell, that it does not.

use super::versioned::{Denial, First, Round, Sender};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::rule;
use crate::rule::{Expected, Moot, RawRevision, Reason, Verb, Verdict, Write};
use crate::schema::Mode;

impl Sender<'_> {
    /// Reads a refusal: an echo of this write, numbers to go on with, or a refusal indeed.
    pub(super) async fn judge(&self, write: &Write, denial: Denial) -> Result<Round, Error> {
        let Denial { of_item, item, row } = denial;
        if let Some(row) = row
            && is_own_row(write, row)
        {
            return Ok(self.applied(write, item));
        }
        if !of_item {
            return self.taken(write).await;
        }
        let verdict = rule::read_refusal(write, item.as_ref(), self.command.condition.is_some());
        let (reasons, moot) = match verdict {
            Verdict::Refused { reasons, moot } => (reasons, moot),
            Verdict::Applied => return Ok(self.applied_as(self.own_version(write, item.as_ref()), item)),
            Verdict::InPhase(phase) => return Ok(Round::InPhase(phase)),
        };
        // Whichever attempt it was that made the update: it has been made.
        if reasons.contains(&Reason::Duplicate) {
            return Ok(Round::Ended(self.refused(reasons, moot, item)));
        }
        // First of all: a create that was applied, and whose item was deleted since, must not be done once more.
        if self.may_be_overtaken(write, item.as_ref())
            && let Some(version) = self.remembered(write, item.as_ref()).await?
        {
            return Ok(self.applied_as(Some(version), item));
        }
        if let Some(expected) = rule::number_on(write, item.as_ref()) {
            return Ok(Round::NumberOn(expected, item));
        }
        Ok(Round::Ended(self.refused(reasons, moot, item)))
    }

    /// Whether an attempt of this write may have been applied, and others have written since: then the item does not
    /// tell any more. Where it has the very version that the write found, or would have made, it does.
    fn may_be_overtaken(&self, write: &Write, item: Option<&Item>) -> bool {
        let Some(step) = &write.step else { return false };
        let is_named = step.write_id.is_some();
        let there = item.and_then(|item| self.version.of(item));
        let tells = match step.expected {
            _ if !self.schema.numbers_last() => false,
            // It was the caller's condition that refused.
            Expected::New(_) if item.is_none() => true,
            // A tombstone was purged in between.
            _ if item.is_some_and(|item| self.is_begun_again(item)) => false,
            expected => there.is_some() && (is_named && there == step.expected.next() || there == expected.base()),
        };
        self.attempts.may_be_applied() && step.expected != Expected::Unchecked && !tells
    }

    /// Whether an item has the version that was loaded, and is another one.
    fn is_begun_again(&self, item: &Item) -> bool {
        let loaded = self.command.versioned.as_ref().and_then(|versioned| versioned.loaded.as_ref());
        let Some((name, loaded)) = self.version.write_id.zip(loaded).filter(|_| self.history.is_none()) else {
            return false;
        };
        self.version.of(loaded) == self.version.of(item) && loaded.get(name) != item.get(name)
    }

    /// The version under which the history remembers this write, if it was applied.
    async fn remembered(&self, write: &Write, item: Option<&Item>) -> Result<Option<u64>, Error> {
        let Some(table) = self.history.as_ref().filter(|_| self.version.write_id.is_some()) else {
            return Err(outcome_unknown());
        };
        let key = self.key()?;
        let is_delete = write.verb == Verb::Delete;
        // A clone of the command may have come further.
        let versions = self.attempts.reached().into_iter().filter_map(Expected::next);
        for version in versions {
            let row = table.row(&key, version).await?.map(RawRevision::read).transpose()?;
            match row {
                Some(revision) if rule::is_own(write, &revision.image) => return Ok(Some(version)),
                // A deletion without the name of the write that made it: put there for a tombstone that was gone by then.
                Some(revision) if is_delete && revision.deleted && !self.is_named(&revision.image) => {
                    return Err(outcome_unknown());
                }
                // A tombstone that is gone, and that nobody has superseded.
                None if is_delete && table.history.mode == Mode::Ordered && item.is_none() => {
                    return Err(outcome_unknown());
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// The version that this write has stored, given the item with its name: perhaps that of a clone which has come
    /// further. Unchecked updates since have raised the item's own, and left the name.
    fn own_version(&self, write: &Write, item: Option<&Item>) -> Option<u64> {
        let there = item.and_then(|item| self.version.of(item));
        let is_reached = |version: &u64| {
            let reached = self.attempts.reached();
            reached.iter().any(|expected| expected.next() == Some(*version))
        };
        there.filter(is_reached).or(write.next())
    }

    /// Whether an item has the name of the write that made it.
    pub(super) fn is_named(&self, item: &Item) -> bool {
        self.version.write_id.is_some_and(|name| item.contains_key(name))
    }

    /// The item would have let the write pass, but a number is in the history already: its own, or in an ordered history that
    /// of what it supersedes.
    pub(super) async fn taken(&self, write: &Write) -> Result<Round, Error> {
        let (Some(table), Some(expected)) = (&self.history, write.expected()) else {
            return Ok(self.recorded(write, None));
        };
        if let Expected::New(_) = expected {
            // The item is gone without a tombstone, or its tombstone is.
            return Ok(match Box::pin(self.first(None)).await? {
                First::Expects(expected, item) => Round::NumberOn(expected, item),
                First::Refused(written) => Round::Ended(written),
            });
        }
        let item = table.item(&self.table, self.key()?).await?;
        let there = item.as_ref().and_then(|item| self.version.of(item));
        match item {
            Some(item) if there == expected.base() => Ok(match self.behind(table, expected, &item).await? {
                Some(behind) => Round::NumberOn(behind, Some(item)),
                None => self.recorded(write, Some(item)),
            }),
            item => Box::pin(self.judge(write, Denial { of_item: true, item, row: None })).await,
        }
    }

    /// Nothing is against a write but the history.
    pub(super) fn recorded(&self, write: &Write, item: Option<Item>) -> Round {
        let is_ordered = self.history.as_ref().is_some_and(|table| table.history.mode == Mode::Ordered);
        let base = write.expected().filter(|_| is_ordered).and_then(Expected::base);
        let version = base.or(write.next()).unwrap_or_default();
        Round::Ended(self.refused(vec![Reason::Recorded { version }], Moot::default(), item))
    }
}

/// Whether a revision is what this very write made.
fn is_own_row(write: &Write, row: Item) -> bool {
    RawRevision::read(row).is_ok_and(|revision| rule::is_own(write, &revision.image))
}

pub(super) fn outcome_unknown() -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        "an earlier attempt may have been applied, and what is there does not tell any more: load the entity and decide",
    )
}
