//! Visits every state of the protocol of unique values, and checks that the protocol needs each of its measures.

use dyno_models::unique::{Measure, Scope, UniqueValues};
use stateright::{Checker, HasDiscoveries, Model as _};

/// The properties that fail if a measure is left out.
const DUPLICATE: &str = "no two adopted items have one value";
const REFUSED: &str = "no free value is refused";
const WRONG_ANSWER: &str = "a search is right at one moment of it";

/// Two clients, three items, one value.
const ONE_VALUE: Scope = Scope { items: 3, values: 1, clients: 2, losses: 0, foreign_writes: 0, begins_foreign: false };

/// Two clients, two items, two values.
const TWO_VALUES: Scope = Scope { items: 2, values: 2, ..ONE_VALUE };

/// Checks the protocol, without the measure `omitted` if there is one.
fn check(scope: Scope, omitted: Option<Measure>, until: HasDiscoveries) -> impl Checker<UniqueValues> {
    UniqueValues { scope, omitted }.checker().threads(1).finish_when(until).spawn_bfs().join()
}

/// Checks that the complete protocol has every property, and that it has this number of states.
fn holds(scope: Scope, states: usize) {
    let checker = check(scope, None, HasDiscoveries::All);
    checker.assert_properties();
    assert_eq!(checker.unique_state_count(), states);
}

/// Checks that the property fails without the measure.
fn is_needed(measure: Measure, scope: Scope, property: &'static str) {
    let until = HasDiscoveries::AnyOf([property].into());
    let checker = check(scope, Some(measure), until);
    assert!(checker.discovery(property).is_some(), "the model does not see that {measure:?} is missing");
}

#[test]
fn requests_that_are_lost_or_arrive_twice_make_no_duplicate() {
    holds(Scope { losses: 1, ..ONE_VALUE }, 368_016);
    holds(Scope { losses: 1, ..TWO_VALUES }, 334_993);
}

#[test]
fn writes_of_other_programs_and_a_restore_of_the_guards_make_no_duplicate_of_adopted_items() {
    holds(Scope { foreign_writes: 1, ..ONE_VALUE }, 794_964);
    holds(Scope { foreign_writes: 1, ..TWO_VALUES }, 794_982);
}

#[test]
fn items_from_before_the_rule_are_adopted_without_a_duplicate() {
    holds(Scope { begins_foreign: true, ..ONE_VALUE }, 337_738);
    holds(Scope { begins_foreign: true, ..TWO_VALUES }, 362_153);
}

#[test]
fn no_measure_can_be_left_out() {
    is_needed(Measure::ClaimOfUpdate, ONE_VALUE, DUPLICATE);
    is_needed(Measure::ConditionOfClaim, ONE_VALUE, DUPLICATE);
    is_needed(Measure::CheckOfHolder, ONE_VALUE, DUPLICATE);
    is_needed(Measure::CheckInTransaction, ONE_VALUE, DUPLICATE);
    is_needed(Measure::ConditionOnHolder, ONE_VALUE, DUPLICATE);
    is_needed(Measure::RefusalByHolderOnly, ONE_VALUE, REFUSED);
    is_needed(Measure::ConditionOnLoadedValue, Scope { foreign_writes: 1, ..ONE_VALUE }, DUPLICATE);
    is_needed(Measure::ConditionBeside, ONE_VALUE, DUPLICATE);
    is_needed(Measure::CheckOfSweep, ONE_VALUE, "each adopted value has its guard");
    is_needed(Measure::SnapshotOfReader, TWO_VALUES, WRONG_ANSWER);
}
