//! The compiler's messages about mistakes, which `tests/ui` records: one for a mistake, and none of them at the derive.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A message's file and line.
type Place = (PathBuf, usize);

/// Returns the place of each recorded message.
fn places() -> Vec<Place> {
    let ui = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/ui"));
    let folders = fs::read_dir(ui).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = folders
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "stderr"))
        .collect();
    files.sort();
    files.iter().flat_map(|file| places_of(file)).collect()
}

fn places_of(file: &Path) -> Vec<Place> {
    let text = fs::read_to_string(file).expect("a file");
    let mut places = Vec::new();
    let mut lines = text.lines();
    while lines.by_ref().any(|line| line.starts_with("error")) {
        // `  --> key/list.rs:12:5`
        let place = lines.by_ref().find_map(|line| line.trim_start().strip_prefix("--> ")).expect("a place");
        let line = place.split(':').nth(1).expect("a line").parse().expect("a number");
        places.push((file.with_extension("rs"), line));
    }
    places
}

#[test]
fn no_message_points_at_a_derive() {
    let places = places();
    assert!(places.len() > 700, "{} messages", places.len());
    for (file, line) in places {
        let text = fs::read_to_string(&file).expect("a file");
        let line_text = text.lines().nth(line - 1).expect("a line");
        assert!(!line_text.trim_start().starts_with("#[derive("), "{}:{line}: {line_text}", file.display());
    }
}

/// Some lines have several mistakes, and a name that is taken has a message for each item of that name.
#[test]
fn a_mistake_has_one_message() {
    let mut counts: HashMap<Place, usize> = HashMap::new();
    for place in places() {
        *counts.entry(place).or_default() += 1;
    }
    let several = counts.values().filter(|&&count| count > 1).count();
    assert!(several <= 42, "{several} lines have several messages");
}
