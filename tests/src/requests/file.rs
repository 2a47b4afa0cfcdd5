//! The files of recorded requests: headings at the margin, one for each world of each test, and their requests below.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Headings and what is below them.
type Entries = BTreeMap<String, Vec<String>>;

const HEAD: &str = "# What each test sends, as `tests/src/requests.rs` writes it. Written by `UPDATE_EXPECT=1`.\n";
const MARGIN: &str = "  ";
const WORLD: &str = ", world ";

/// The tests whose entry was begun anew by this process. Who holds it may write.
static WRITTEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "behaviour", "requests"].iter().collect()
}

/// The file of a test's module.
fn path(test: &str) -> PathBuf {
    folder().join(test.split("::").next().unwrap_or(test)).with_extension("txt")
}

/// The test that a heading names.
fn test_of(heading: &str) -> &str {
    heading.split_once(WORLD).map_or(heading, |(test, _)| test)
}

/// An entry; empty if there is none.
pub(super) fn read(test: &str, heading: &str) -> Vec<String> {
    parse(&fs::read_to_string(path(test)).unwrap_or_default()).remove(heading).unwrap_or_default()
}

/// Writes an entry anew.
pub(super) fn write(test: &str, heading: String, entry: Vec<String>) {
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let path = path(test);
    let mut entries = parse(&fs::read_to_string(&path).unwrap_or_default());
    if written.insert(test.to_owned()) {
        entries.retain(|heading, _| test_of(heading) != test);
    }
    entries.insert(heading, entry);
    fs::create_dir_all(folder()).expect("the folder of the recorded requests");
    fs::write(path, render(&entries)).expect("the file of the recorded requests");
}

/// The headings of tests that are not among these. With `UPDATE_EXPECT=1` they are removed.
pub(super) fn stale(tests: &BTreeSet<String>) -> Vec<String> {
    let _held = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut stale = Vec::new();
    for file in fs::read_dir(folder()).expect("the folder of the recorded requests") {
        let path = file.expect("a file").path();
        let mut entries = parse(&fs::read_to_string(&path).expect("a text"));
        let of_this: Vec<String> =
            entries.keys().filter(|heading| !tests.contains(test_of(heading))).cloned().collect();
        if std::env::var_os("UPDATE_EXPECT").is_some() && !of_this.is_empty() {
            entries.retain(|heading, _| tests.contains(test_of(heading)));
            if entries.is_empty() {
                fs::remove_file(path).expect("a file to remove");
            } else {
                fs::write(path, render(&entries)).expect("a file to write");
            }
        } else {
            stale.extend(of_this);
        }
    }
    stale
}

fn parse(text: &str) -> Entries {
    let mut entries = Entries::new();
    let mut heading = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix(MARGIN) {
            None => {
                line.clone_into(&mut heading);
                entries.insert(heading.clone(), Vec::new());
            }
            Some(line) => {
                let requests = entries.entry(heading.clone()).or_default();
                match requests.last_mut().filter(|_| line.starts_with(MARGIN)) {
                    // An action of the transaction above.
                    Some(request) => *request = format!("{request}\n{MARGIN}{line}"),
                    None => requests.push(line.to_owned()),
                }
            }
        }
    }
    entries
}

fn render(entries: &Entries) -> String {
    let mut text = HEAD.to_owned();
    for (heading, requests) in entries {
        text.push_str(heading);
        text.push('\n');
        for request in requests {
            text.push_str(MARGIN);
            text.push_str(request);
            text.push('\n');
        }
    }
    text
}
