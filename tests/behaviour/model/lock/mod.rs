//! The schema lock: the file of many entities, changes of whole entities, and the writing of the file. The folder `tests/releases` has
//! the changes of entities, run against each other.

mod entities;
mod file;

use super::{Article, Parcel, model, repository};
use dyno::local::Engine;
use dyno::model::{Change, Impact, Model};
use dyno::{Entity, EpochMillis, ManualClock, Repository};
use dyno_tests::NOW;

#[test]
fn the_file_has_the_stored_form_of_each_entity() {
    let repository = repository();
    let model = model(&repository).table::<Parcel>().table::<Article>();
    let lock = model.schema_lock().expect("a lock");
    lock.check(format!("{}/behaviour/model/lock/dyno.lock.json", env!("CARGO_MANIFEST_DIR"))).expect("the same");
    assert!(lock.changes_since(&lock.to_string()).expect("a file").is_empty());
}

/// A repository with an engine of its own.
fn database() -> Repository {
    let clock = ManualClock::new(EpochMillis::new(NOW));
    Repository::new(Engine::in_memory().expect("an engine").client()).with_clock(clock)
}

/// Returns the changes from one entity to another.
fn changes<Old: Entity, New: Entity>() -> Vec<Change> {
    let repository = database();
    let [old, new] = [Model::new(&repository).table::<Old>(), Model::new(&repository).table::<New>()]
        .map(|model| model.schema_lock().expect("a lock"));
    new.changes_since(&old.to_string()).expect("a file")
}

/// The highest impact of changes.
fn impact(changes: &[Change]) -> Impact {
    changes.iter().map(|change| change.impact).max().unwrap_or(Impact::Safe)
}
