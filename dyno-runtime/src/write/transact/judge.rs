//! Why a transaction was cancelled, action by action: refused, to go on with other contents, or the echo of an attempt that
//! was applied.

use super::command::{RefusedAction, TransactionCommand};
use super::part::{Course, Part, Row, named};
use super::plan::Plan;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Cancelled, Denied, Repository};
use crate::rule;
use crate::rule::{Expected, Moot, RawRevision, Reason, Refused, Verdict};
use crate::schema::Tables;
use crate::write::{elements, keys};

/// What the reasons come to.
pub(super) enum Judged {
    /// An earlier attempt was applied.
    Applied,
    /// Nothing is against it, with these contents. Whether the earlier ones cannot be applied after them.
    Again {
        courses: Vec<Course>,
        is_guarded: bool,
    },
    Refused(Vec<RefusedAction>),
}

/// What the reasons of one action come to.
enum Verdicted {
    Applied,
    Again(Course),
    /// An element has shifted in its list.
    Shifted(Course),
    Refused(Refused),
}

impl TransactionCommand {
    /// Reads a cancellation in which nothing passes by waiting.
    pub(super) async fn judge(
        &self,
        repository: &Repository,
        plan: &Plan,
        cancelled: Cancelled,
    ) -> Result<Judged, Error> {
        let (mut refused, mut courses) = (Vec::new(), Vec::new());
        let (mut again, mut is_guarded) = (false, false);
        for (index, part) in plan.parts.iter().enumerate() {
            let action = &self.actions[index];
            let verdict = part.verdict(repository, &plan.tables[index].main, &cancelled);
            let mut course = part.course.clone();
            match verdict.await.map_err(|error| named(error, index, action))? {
                None => {}
                Some(Verdicted::Applied) => return Ok(Judged::Applied),
                // What has another number, or another key, is there then, and refuses.
                Some(Verdicted::Again(other)) => (course, again, is_guarded) = (other, true, true),
                Some(Verdicted::Shifted(other)) => (course, again) = (other, true),
                Some(Verdicted::Refused(refusal)) => {
                    refused.push(RefusedAction { index, entity: action.entity, refused: refusal });
                }
            }
            is_guarded |= part.is_guarded();
            courses.push(course);
        }
        match (refused.is_empty(), again) {
            (false, _) => Ok(Judged::Refused(refused)),
            (true, true) => Ok(Judged::Again { courses, is_guarded }),
            (true, false) => Err(self.impossible(plan, cancelled)),
        }
    }

    /// The error of a transaction that cannot be done: which action it is, and what DynamoDB says of it.
    fn impossible(&self, plan: &Plan, cancelled: Cancelled) -> Error {
        let (error, at) = cancelled.impossible();
        match at.and_then(|at| plan.parts.iter().position(|part| part.at >= at)) {
            Some(index) => named(error, index, &self.actions[index]),
            None => error,
        }
    }
}

impl Part {
    /// Whether it cannot be applied twice: by its version or its idempotency key.
    fn is_guarded(&self) -> bool {
        let is_versioned = matches!(self.write.expected(), Some(expected) if expected != Expected::Unchecked);
        self.write.key.is_some() || is_versioned && self.version().is_some()
    }

    /// What the reasons of this action say; nothing, if it did not refuse.
    async fn verdict(
        &self,
        repository: &Repository,
        table: &str,
        cancelled: &Cancelled,
    ) -> Result<Option<Verdicted>, Error> {
        let row = self.row.zip(self.at.checked_sub(1).and_then(|at| cancelled.refused(at)));
        let item = cancelled.refused(self.at);
        let is_own_row = |Denied(row): &Denied| {
            let revision = row.clone().and_then(|row| RawRevision::read(row).ok());
            revision.is_some_and(|revision| rule::is_own(&self.write, &revision.image))
        };
        match (row, item) {
            (None, None) => Ok(None),
            (Some((Row::New, there)), _) if is_own_row(&there) => Ok(Some(Verdicted::Applied)),
            (Some((Row::Key, _)), item) => self.of_known_key(repository, table, item).await.map(Some),
            (_, Some(Denied(item))) => Ok(Some(self.of_item(repository, table, item))),
            // The item would have let the write pass, but a number is in the history already.
            (Some(_), None) => Ok(Some(Verdicted::Again(Course { is_taken: true, ..self.course.clone() }))),
        }
    }

    /// The key has a row already. DynamoDB returns the item only where its own condition did not hold.
    async fn of_known_key(
        &self,
        repository: &Repository,
        table: &str,
        item: Option<Denied>,
    ) -> Result<Verdicted, Error> {
        let mut write = self.write.clone();
        write.is_known = true;
        let item = match item {
            Some(Denied(item)) => item,
            None => keys::load(&write, self.key.clone(), repository, table).await?,
        };
        let reasons = rule::reasons(&write, item.as_ref());
        Ok(Verdicted::Refused(self.refused(reasons, Moot::default(), item)))
    }

    /// Why an update with an idempotency key would be refused, if it would: read, since it is not sent.
    pub(super) async fn foreseen(&self, repository: &Repository, tables: &Tables) -> Result<Option<Refused>, Error> {
        let mut write = self.write.clone();
        write.is_known = keys::is_known(&write, &self.key, repository, tables).await?;
        let item = keys::load(&write, self.key.clone(), repository, &tables.main).await?;
        let reasons = rule::reasons(&write, item.as_ref());
        Ok((!reasons.is_empty()).then(|| self.refused(reasons, Moot::default(), item)))
    }

    /// The item did not meet the condition.
    fn of_item(&self, repository: &Repository, table: &str, item: Option<Item>) -> Verdicted {
        match rule::read_action_refusal(&self.write, item.as_ref(), self.is_conditional) {
            Verdict::Applied => Verdicted::Applied,
            Verdict::InPhase(phase) => {
                keys::note(repository, self.write.schema, table, &self.key, phase);
                Verdicted::Again(Course { phase: Some(phase), ..self.course.clone() })
            }
            Verdict::Refused { reasons, .. }
                if !self.places.is_empty() && elements::is_shift(&reasons, &self.places) =>
            {
                Verdicted::Shifted(Course { item, ..self.course.clone() })
            }
            Verdict::Refused { reasons, moot } => match rule::number_on(&self.write, item.as_ref()) {
                Some(expected) => Verdicted::Again(Course { expected: Some(expected), item, ..self.course.clone() }),
                None => Verdicted::Refused(self.refused(reasons, moot, item)),
            },
        }
    }

    fn refused(&self, reasons: Vec<Reason>, moot: Moot, item: Option<Item>) -> Refused {
        Refused { reasons, moot, item, now: self.write.now, context: self.context.clone(), in_doubt: false }
    }
}
