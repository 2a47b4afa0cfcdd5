//! What holds for all combinations, whatever the tables say.

use super::commands::{ENTITIES, Named, commands};
use super::repository;
use super::schemas::{NARROW, NARROW_ORDERED};
use super::table::{self, ALONE};
use super::walk::{Case, Composed, Question, Walk};
use crate::rule;
use crate::rule::{Expected, Phase, Verb};
use crate::schema::Schema;
use crate::write::step::{Knowledge, Setting, Tried};
use std::cell::RefCell;

/// All that is composed of a command, alone and in a transaction, from nothing or after a refusal.
fn composed(case: &Case<'_>) -> Vec<Composed> {
    let all = RefCell::default();
    for setting in [&ALONE, &Setting::Together] {
        if matches!((setting, case.command.verb), (Setting::Alone(_), Verb::Check { .. })) {
            continue;
        }
        let fresh = Tried::default();
        Walk { case, setting, tried: &fresh, composed: &all }.walk(Question::Compose, &Knowledge::default());
        let first = first(&all.borrow());
        table::sections(case, first, setting, &all);
    }
    all.into_inner()
}

fn first(composed: &[Composed]) -> Option<Expected> {
    composed.first().and_then(|(part, _)| part.write.expected())
}

fn every(schemas: impl IntoIterator<Item = &'static Schema>) -> impl Iterator<Item = Named> {
    schemas.into_iter().flat_map(commands)
}

#[test]
fn no_number_is_sent_that_the_type_cannot_hold() {
    let repository = repository();
    let mut sent = 0;
    for (name, command) in every([&NARROW, &NARROW_ORDERED]) {
        let version = command.schema.version.as_ref().expect("a version");
        for (part, _) in composed(&Case::new(&command, &repository)) {
            let Some(expected) = part.write.expected() else { continue };
            sent += 1;
            assert!(version.check(expected).is_ok(), "{name}: {expected:?}");
            assert!(part.write.next().is_none_or(|next| next <= version.max), "{name}: {expected:?}");
        }
    }
    assert!(sent > 0);
}

/// The rules say why a write is refused if, and only if, their condition refuses it: else the refusal could not be explained, or
/// one is said that there is not.
#[test]
fn reasons_are_those_of_the_condition() {
    let repository = repository();
    for (name, command) in every(ENTITIES.map(|(_, schema)| schema)) {
        let case = Case::new(&command, &repository);
        for (part, _) in composed(&case).into_iter().filter(|(part, _)| part.write.phase == Phase::Adding) {
            let write = &part.write;
            // What has none is not refused.
            let Some(condition) = rule::condition(write, None) else { continue };
            let numbers = write.expected().and_then(|expected| expected.base().zip(expected.next())).unwrap_or((3, 4));
            for (row, item) in case.rows(numbers) {
                let there = item.clone().unwrap_or_default();
                let passes = condition.holds(&there);
                let reasons = rule::reasons(write, item.as_ref());
                let phase = write.schema.idempotency.as_ref().and_then(|keys| keys.other_phase(write, item.as_ref()));
                let is_alike = passes == (reasons.is_empty() && phase.is_none());
                // Those of a purge are asked for only where it was refused; a create goes on with the numbers of what is dead.
                let goes_on = rule::number_on(write, item.as_ref()).is_some();
                let is_alike = is_alike || passes && name == "purge" || !passes && goes_on;
                assert!(is_alike, "{name} | {row}: the condition holds: {passes}, and the reasons are {reasons:?}");
            }
        }
    }
}
