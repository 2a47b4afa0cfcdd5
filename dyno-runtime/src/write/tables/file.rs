//! Compares the tables with their files.

use std::fs;
use std::path::PathBuf;

/// Compares a table with its file, or writes the file with `UPDATE_EXPECT=1`.
///
/// # Panics
/// If they differ, or if the file cannot be written.
pub(super) fn expect(name: &str, table: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "src", "write", "tables", "expected"].iter().collect();
    let path = path.join(name).with_extension("txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, table).expect("the file of a table");
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if expected == table {
        return;
    }
    let (mut expected, mut found) = (expected.lines(), table.lines());
    let (mut heading, mut number) = ("", 0);
    let differs = loop {
        number += 1;
        let (expected, found) = (expected.next(), found.next());
        if expected != found || found.is_none() {
            break (expected.unwrap_or("nothing"), found.unwrap_or("nothing"));
        }
        heading = found.filter(|line| line.starts_with('#')).unwrap_or(heading);
    };
    panic!(
        "{}:{number}, below \"{heading}\", is not what the steps say\nexpected: {}\nsaid:     {}\nIf that is meant, run the tests of `dyno-runtime` with UPDATE_EXPECT=1, read each line that differs, and commit them",
        path.display(),
        differs.0,
        differs.1,
    );
}
