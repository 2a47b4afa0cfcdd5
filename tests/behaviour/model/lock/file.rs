//! The file is compared, written and read.

use dyno::Entity;
use dyno::model::{Impact, Model, SchemaLock};
use std::error::Error;
use std::path::PathBuf;
use std::process::{self, Command};
use std::{env, fs};

mod first {
    use dyno::Entity;

    #[derive(Entity)]
    #[entity(table = "films")]
    pub(super) struct Film {
        #[partition_key]
        id: String,
        title: String,
    }
}

/// A safe change.
mod second {
    use dyno::Entity;

    #[derive(Entity)]
    #[entity(table = "films")]
    pub(super) struct Film {
        #[partition_key]
        id: String,
        title: String,
        note: Option<String>,
    }
}

/// A conditional change.
mod third {
    use dyno::Entity;

    #[derive(Entity)]
    #[entity(table = "films")]
    pub(super) struct Film {
        #[partition_key]
        id: String,
        title: Option<String>,
        note: Option<String>,
    }
}

/// A breaking change, and a conditional one.
mod fourth {
    use dyno::Entity;

    #[derive(Entity)]
    #[entity(table = "films")]
    pub(super) struct Film {
        #[partition_key]
        id: String,
        title: Option<u64>,
        #[version]
        version: u64,
    }
}

fn lock<E: Entity>() -> SchemaLock {
    Model::new(&crate::model::repository()).table::<E>().schema_lock().expect("a lock")
}

/// A file in a folder of its own.
fn file(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("dyno-lock-{}-{name}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder.join("dyno.lock.json")
}

#[test]
fn a_file_is_written_with_what_is_allowed() {
    let file = file("written").with_file_name("new/dyno.lock.json");
    let _ = fs::remove_file(&file);
    lock::<first::Film>().update(&file, None).expect("a new file, in a new folder");
    let written = fs::read_to_string(&file).expect("a file");
    assert_eq!(written, lock::<first::Film>().to_string());

    lock::<second::Film>().update(&file, None).expect("a safe change");
    let before = fs::read_to_string(&file).expect("a file");
    for reason in [None, Some(" ")] {
        let error = lock::<third::Film>().update(&file, reason).expect_err("a conditional change");
        assert!(error.to_string().contains("DYNO_ACCEPT=\"<the reason>\""), "{error}");
        assert_eq!(error.changes().len(), 1);
    }
    assert_eq!(fs::read_to_string(&file).expect("a file"), before);
    lock::<third::Film>().update(&file, Some("no program stores `None` yet")).expect("a reason");
    let accepted = fs::read_to_string(&file).expect("a file");
    assert!(accepted.contains("no program stores `None` yet"), "{accepted}");
    assert!(accepted.contains("test-films/Film: `title` was required, and is optional"), "{accepted}");

    let error = lock::<fourth::Film>().update(&file, Some("it does not matter")).expect_err("a breaking change");
    assert_eq!(error.changes().iter().map(|change| change.impact).max(), Some(Impact::Breaking));
    assert!(error.to_string().contains("remove its entry from the file"), "{error}");
    assert_eq!(fs::read_to_string(&file).expect("a file"), accepted);

    // What was accepted stays in the file. The next release adds to it.
    lock::<second::Film>().update(&file, None).expect_err("an optional attribute becomes required");
    let without = accepted.replace("\"title\": {\"type\": \"S\"}", "\"title\": {\"required\": true, \"type\": \"S\"}");
    assert_ne!(without, accepted);
    fs::write(&file, without).expect("written");
    lock::<third::Film>().update(&file, Some("again")).expect("a reason");
    let twice = fs::read_to_string(&file).expect("a file");
    assert_eq!(twice.matches("\"reason\"").count(), 2, "{twice}");
}

#[test]
fn a_file_that_differs_is_reported_with_each_change() {
    if env::var_os("UPDATE_EXPECT").is_some() {
        return; // Files are written then.
    }
    let file = file("different");
    fs::write(&file, lock::<first::Film>().to_string()).expect("written");
    lock::<first::Film>().check(&file).expect("the same");
    let error = lock::<fourth::Film>().check(&file).expect_err("changes");
    let name = file.display();
    let expected = format!(
        "`{name}` differs from the entities
- breaking: test-films/Film: the type of `title` was S, and is N as u64. Stored values cannot be read. Add an attribute with another name, or raise the `schema_version` and convert the value in `upgrade`
- conditional: test-films/Film: `title` was required, and is optional. Programs of the last release cannot read an item without it. Store `None` only when none of them runs
- safe: test-films/Film: `version` (N as u64, with a default) is new
- conditional: test-films/Film: the version `version` is new. Writes of the last release do not raise it. It detects conflicts once only the new release runs
The test does not write the file while a change is breaking. If no item of the entity is stored yet, remove its entry from the file"
    );
    assert_eq!(error.to_string(), expected);
    // A test that unwraps the error shows the message.
    assert_eq!(format!("{error:?}"), expected);
    let error = lock::<second::Film>().check(&file).expect_err("a safe change");
    assert!(
        error.to_string().ends_with("With UPDATE_EXPECT=1 in its environment, the test writes the file"),
        "{error}"
    );
    // Line ends and indentation do not matter.
    fs::write(&file, lock::<first::Film>().to_string().replace('\n', "\r\n    ")).expect("written");
    lock::<first::Film>().check(&file).expect("the same");
}

#[test]
fn a_file_that_is_no_lock_file_is_an_error() {
    if env::var_os("UPDATE_EXPECT").is_some() {
        return; // Files are written then.
    }
    let file = file("broken");
    let _ = fs::remove_file(&file);
    let message = || format!("{:?}", lock::<first::Film>().check(&file).expect_err("an error"));
    assert!(
        message().contains("cannot be read: with UPDATE_EXPECT=1 in its environment, the test writes it"),
        "{}",
        message()
    );
    let good = lock::<first::Film>().to_string();
    for (text, part) in [
        (format!("<<<<<<< ours\n{good}"), "has a merge conflict: take the version of one side"),
        (
            good.replace("\"format\": 2", "\"format\": 3"),
            "has the format 3, and this dyno knows formats up to 2: upgrade dyno",
        ),
        (
            good.replace("\"format\": 2", "\"format\": 2, \"stored_forms\": 2"),
            "is from a dyno that stores its own data in format version 2, and this dyno reads versions up to 1: use a newer dyno",
        ),
        (good.replace("\"format\": 2", "\"formed\": 2"), "is not a lock file: unknown field `formed`"),
        (good.replace("\"S\"", "7"), "is not a lock file: data did not match"),
        ("{".to_owned(), "is not a lock file: EOF while parsing"),
        (
            good.replace("\"format\"", "\"accepted\": [{ \"change\": \"films\", \"reason\": \" \" }], \"format\""),
            "accepts the change `films` without a reason: write one",
        ),
    ] {
        assert_ne!(text, good);
        fs::write(&file, &text).expect("written");
        assert!(message().contains(part), "{part}: {}", message());
        // It is not overwritten either.
        lock::<first::Film>().update(&file, Some("a reason")).expect_err("an error");
        assert_eq!(fs::read_to_string(&file).expect("a file"), text);
        lock::<first::Film>().changes_since(&text).expect_err("an error");
    }
    let error = lock::<first::Film>().changes_since("{").expect_err("an error");
    assert!(error.to_string().starts_with("the lock file is not"), "{error}");
    assert!(error.source().is_some());
}

/// An entity with all that format 1 did not have.
mod rich {
    use dyno::{Document, Entity};
    use std::collections::{BTreeMap, BTreeSet};

    #[derive(Document)]
    pub(super) struct Place {
        since: jiff::Timestamp,
        rooms: BTreeMap<u32, u64>,
        tags: BTreeSet<uuid::Uuid>,
    }

    #[derive(Entity)]
    #[entity(table = "films")]
    pub(super) struct Film {
        #[partition_key]
        id: u64,
        score: f32,
        price: Option<rust_decimal::Decimal>,
        digest: [u8; 4],
        places: Vec<Place>,
        #[ratchet(guards(score, price, digest, places))]
        at: u64,
    }
}

/// What a test with an earlier version of dyno has written for `rich::Film`.
const FORMAT_1: &str = r#"{
  "format": 1,
  "accepted": [{"change": "a change", "reason": "a reason"}],
  "tables": {
    "test-films": {
      "entities": {
        "Film": {
          "attributes": {
            "at": {"required": true, "type": "N as u64"},
            "digest": {"required": true, "type": {"array": {"length": 4, "of": "N as u8"}}},
            "places": {
              "required": true,
              "type": {
                "list": {
                  "document": {
                    "rooms": {"required": true, "type": {"map": "N as u64"}},
                    "since": {"required": true, "type": "S as RFC 3339 time"},
                    "tags": {"type": "SS"}
                  }
                }
              }
            },
            "price": {"type": "N"},
            "score": {"required": true, "type": "N"}
          },
          "partition_key": "id (N)",
          "ratchets": {"at": {}}
        }
      }
    }
  }
}
"#;

#[test]
fn a_file_of_an_earlier_format_is_compared_as_far_as_it_goes() {
    if env::var_os("UPDATE_EXPECT").is_some() {
        return; // Files are written then.
    }
    let file = file("earlier");
    fs::write(&file, FORMAT_1).expect("written");
    let error = lock::<rich::Film>().check(&file).expect_err("an earlier format");
    let expected = "- safe: the file: its format was 1, and is 2. The old format lacks the types of keys, the elements of sets, the names of maps, the forms of numbers and times, and the groups of ratchets, so these are not compared this time: write the file before you change them\nWith UPDATE_EXPECT=1 in its environment, the test writes the file";
    assert!(error.to_string().ends_with(&format!("differs from the entities\n{expected}")), "{error}");
    let other = FORMAT_1.replace("\"price\": {", "\"price\": {\"required\": true, ");
    let changes = lock::<rich::Film>().changes_since(&other).expect("a file");
    let changes: Vec<_> = changes.iter().map(ToString::to_string).collect();
    assert!(
        changes[0].starts_with("conditional: test-films/Film: `price` was required, and is optional"),
        "{changes:?}"
    );
    assert_eq!(changes.len(), 2, "{changes:?}");
    lock::<rich::Film>().update(&file, None).expect("the current format");
    lock::<rich::Film>().check(&file).expect("the same");
    assert!(fs::read_to_string(&file).expect("a file").contains("\"reason\": \"a reason\""));
}

/// The variables of the environment, in a process of its own.
#[test]
fn the_environment_says_whether_the_file_is_written() {
    const FILE: &str = "DYNO_TEST_LOCK_FILE";
    if let Some(file) = env::var_os(FILE) {
        return lock::<third::Film>().check(file).expect("written or the same");
    }
    let file = file("environment");
    fs::write(&file, lock::<second::Film>().to_string()).expect("written");
    let name = "model::lock::file::the_environment_says_whether_the_file_is_written";
    let is_ok = |variables: &[(&str, &str)]| {
        let mut test = Command::new(env::current_exe().expect("this program"));
        test.args(["--exact", name]).env(FILE, &file).env_remove("UPDATE_EXPECT").env_remove("DYNO_ACCEPT");
        test.envs(variables.iter().copied()).output().expect("a process").status.success()
    };
    assert!(!is_ok(&[]));
    assert!(!is_ok(&[("UPDATE_EXPECT", "1")]));
    assert!(!is_ok(&[("DYNO_ACCEPT", "a reason")]));
    assert!(is_ok(&[("UPDATE_EXPECT", "1"), ("DYNO_ACCEPT", "a reason")]));
    assert!(is_ok(&[]));
}
