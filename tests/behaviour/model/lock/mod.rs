//! The schema lock: the file of many entities, the changes between two releases with what they do to stored items, and the writing of
//! the file.

mod attributes;
mod entities;
mod file;
mod rules;
mod shapes;
mod types;

use super::{Article, Parcel, model, repository};
use dyno::local::Engine;
use dyno::model::{Change, Impact, Model};
use dyno::{Entity, EpochMillis, ManualClock, Repository};
use dyno_tests::NOW;
use std::fmt::Write as _;

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

/// Requires that a request was answered.
fn applied<T>(answer: Result<T, dyno::Error>) {
    assert!(answer.is_ok(), "{:?}", answer.err());
}

/// The highest impact of changes.
fn impact(changes: &[Change]) -> Impact {
    changes.iter().map(|change| change.impact).max().unwrap_or(Impact::Safe)
}

/// Two releases of an entity, the change between them, and what each release reads of the other's items.
struct Case {
    name: &'static str,
    expected: Impact,
    changes: Vec<Change>,
    /// What the new release reads where the old one wrote, and the other way round.
    new_reads: Reading,
    old_reads: Reading,
    /// True if the item was deleted before it was read.
    is_deleted: bool,
}

/// What a release read.
#[derive(Clone, Debug, PartialEq)]
enum Reading {
    Item(String),
    Absent,
    Failed(String),
}

impl Reading {
    fn of<E: std::fmt::Debug>(read: Result<Option<E>, dyno::Error>) -> Self {
        match read {
            Ok(Some(item)) => Self::Item(format!("{item:?}")),
            Ok(None) => Self::Absent,
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}

impl Case {
    /// Adds the case to the text that is reviewed, and checks that its impact is the expected one, and that it is true: after a safe
    /// change both releases read what the other wrote, and after a breaking one they do not.
    fn report(&self, text: &mut String) {
        let Self { name, expected, changes, new_reads, old_reads, is_deleted } = self;
        assert_eq!(impact(changes), *expected, "{name}: {changes:#?}");
        let is_read = |reading: &Reading| match reading {
            Reading::Item(_) => !is_deleted,
            Reading::Absent => *is_deleted,
            Reading::Failed(_) => false,
        };
        let are_read = is_read(new_reads) && is_read(old_reads);
        let _ = writeln!(text, "{name}");
        for change in changes {
            let _ = writeln!(text, "- {change}");
        }
        let _ = writeln!(text, "  new reads: {new_reads:?}\n  old reads: {old_reads:?}\n");
        match expected {
            Impact::Safe => assert!(are_read, "{name} is not safe:\n{text}"),
            // An item that is read, but as something else, is listed in the text.
            Impact::Breaking => assert!(!are_read || name.contains("misread"), "{name} breaks nothing:\n{text}"),
            _ => {}
        }
    }
}

/// Declares releases of an entity `Film` with the key `id`, which differ in their attributes. `put` and `create` write an item and read
/// it with the other release; `delete` deletes it before.
macro_rules! releases {
    ($($name:ident: $impact:ident, $verb:ident,
        $({ $($old_item:item)* })? [$($old_attribute:meta),*] ($($(#[$old_meta:meta])* $old_field:ident: $old_type:ty = $old_value:expr),*) =>
        $({ $($new_item:item)* })? [$($new_attribute:meta),*] ($($(#[$new_meta:meta])* $new_field:ident: $new_type:ty = $new_value:expr),*);
    )*) => {
        $(mod $name {
            #[expect(clippy::allow_attributes, reason = "not all releases use them")]
            #[allow(unused_imports, dead_code, unreachable_pub, clippy::unnecessary_wraps, reason = "not all releases use them")]
            mod old {
                use dyno::*;
                use std::collections::*;
                $($($old_item)*)?
                #[derive(Entity, Debug)]
                #[entity(table = "films")]
                $(#[$old_attribute])*
                pub struct Film { #[partition_key] id: String, $($(#[$old_meta])* $old_field: $old_type),* }
                pub fn film() -> Film { Film { id: "1".to_owned(), $($old_field: $old_value),* } }
            }
            #[expect(clippy::allow_attributes, reason = "not all releases use them")]
            #[allow(unused_imports, dead_code, unreachable_pub, clippy::unnecessary_wraps, reason = "not all releases use them")]
            mod new {
                use dyno::*;
                use std::collections::*;
                $($($new_item)*)?
                #[derive(Entity, Debug)]
                #[entity(table = "films")]
                $(#[$new_attribute])*
                pub struct Film { #[partition_key] id: String, $($(#[$new_meta])* $new_field: $new_type),* }
                pub fn film() -> Film { Film { id: "1".to_owned(), $($new_field: $new_value),* } }
            }

            pub(super) async fn case() -> super::super::Case {
                use super::super::{Case, Reading, changes, database, releases};
                let expected = dyno::model::Impact::$impact;
                let [one, other] = [database(), database()];
                one.create_table::<old::Film>().await.expect("a table");
                other.create_table::<new::Film>().await.expect("a table");
                releases!(@$verb old one);
                releases!(@$verb new other);
                let new_reads = Reading::of(new::Film::get("1").send(&one).await);
                let old_reads = Reading::of(old::Film::get("1").send(&other).await);
                let changes = changes::<old::Film, new::Film>();
                let is_deleted = stringify!($verb) == "delete";
                Case { name: stringify!($name), expected, changes, new_reads, old_reads, is_deleted }
            }
        })*

        /// The file shows each change, and what each release reads of the other's items.
        #[tokio::test]
        async fn each_change_has_its_impact_and_the_impact_is_true() {
            let mut text = String::new();
            $($name::case().await.report(&mut text);)*
            let file = file!().rsplit(['/', '\\']).next().expect("a name").replace(".rs", ".txt");
            super::super::assert_same_text(&text, &format!("lock/{file}"));
        }
    };
    (@put $release:ident $repository:ident) => {
        super::super::applied($release::film().put().send(&$repository).await);
    };
    (@create $release:ident $repository:ident) => {
        super::super::applied($release::film().create().send(&$repository).await);
    };
    (@delete $release:ident $repository:ident) => {
        super::super::applied($release::film().put().send(&$repository).await);
        super::super::applied($release::Film::delete("1").send(&$repository).await);
    };
}
use releases;
