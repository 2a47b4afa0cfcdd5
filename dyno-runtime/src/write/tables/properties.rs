//! What holds for all combinations, whatever the tables say.

use super::commands::{Named, commands};
use super::repository;
use super::schemas::{NARROW, NARROW_ORDERED};
use super::table::{self, ALONE};
use super::walk::{Case, Composed, Question, Walk};
use crate::rule::{Expected, Verb};
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
