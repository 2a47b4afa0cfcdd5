//! The rooms (layers) of the libraries, from the bottom to the top: a file may only name items of its own room or of a lower
//! one. The order is defined here and nowhere else.
//!
//! A circle is a set of files that name one another. The bound on the size of the largest circle may only be lowered.

mod circles;
mod rooms;
mod tree;

use rooms::Library;
use std::path::Path;
use tree::read;

/// `dyno-runtime/src`.
const RUNTIME: Library = Library {
    rooms: &[
        ("sorted: names in their order", &["sorted.rs"]),
        ("error: what went wrong", &["error/"]),
        ("attribute: how a value is stored", &["attribute/"]),
        ("capacity: what one item carries", &["capacity.rs"]),
        ("schema: an entity as constant data", &["schema/"]),
        ("expression: conditions and changes as text", &["expression/"]),
        ("key: fields to keys and back", &["key/"]),
        ("rule: what each attribute demands", &["rule/"]),
        ("exchange: one request and its answer", &["exchange/"]),
        ("read: items that come in", &["read/"]),
        ("write: items that go out", &["write/"]),
        ("record: intents and lane rows as data", &["transaction/record/"]),
        ("resolve: what becomes of an intent", &["transaction/resolve/"]),
        ("lanes: the rows in which attempts commit", &["transaction/lanes/"]),
        ("native: one TransactWriteItems", &["transaction/native/"]),
        ("attempt: what a run has read and writes", &["transaction/attempt/"]),
        ("client side: many requests, one commit", &["transaction/client_side/"]),
        ("closure: a run, and its attempts", &["transaction/closure/"]),
        (
            "transaction: several items, all or nothing",
            &["transaction/mod.rs", "transaction/no_transactions.rs", "transaction/repository.rs"],
        ),
        ("cost: what a command costs", &["cost/"]),
        ("entity: what the derive implements", &["entity/"]),
        ("field: typed handles", &["field/"]),
        ("command: what users call", &["command/"]),
        ("table: tables from schemas", &["table/"]),
        ("stream: changes; and the embedded engine with its faults", &["stream/", "local/"]),
        ("json lines: tables as files", &["json_lines/"]),
        ("lock: leases and fences, in the library's own words", &["lock/"]),
        ("model: tables and permissions as files for other tools", &["model/"]),
        ("the crate", &["lib.rs", "__private.rs", "__private/", "guide.rs"]),
    ],
    exceptions: &[],
    largest_circle: 3,
};

/// `dyno-derive/src`.
const DERIVE: Library = Library {
    rooms: &[
        ("given: values with their place", &["given.rs"]),
        ("diag: what is wrong with the input", &["diag.rs"]),
        ("attr: what the user wrote", &["attr/"]),
        ("model: what it means", &["model/"]),
        ("lower: from what was written to what it means", &["lower/"]),
        ("check: what cannot be said together", &["check/"]),
        ("expand: tokens", &["expand/"]),
        ("the crate", &["derive.rs", "lib.rs"]),
    ],
    exceptions: &[],
    largest_circle: 3,
};

#[test]
fn no_layer_of_the_runtime_uses_a_higher_layer() {
    check(&RUNTIME, "../dyno-runtime/src");
}

#[test]
fn no_layer_of_the_derive_uses_a_higher_layer() {
    check(&DERIVE, "../dyno-derive/src");
}

fn check(library: &Library, folder: &str) {
    let sources = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let breaches = library.check(&sources);
    assert!(breaches.is_empty(), "\n{breaches}");
}

/// The largest number of lines of a file: a newcomer has to be able to look through it.
const LINES: usize = 400;

#[test]
fn no_file_exceeds_the_line_limit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = [
        "dyno-runtime/src",
        "dyno-derive/src",
        "tests/behaviour",
        "tests/processes",
        "tests/releases",
        "tests/simulation",
        "tests/src",
    ];
    let long = folders.iter().flat_map(|folder| {
        let sources = read(&root.join(folder)).into_iter().map(|(file, text)| (file, text.lines().count()));
        let long = sources.filter(|(_, lines)| *lines > LINES);
        long.map(move |(file, lines)| format!("{folder}/{file} has {lines} lines")).collect::<Vec<_>>()
    });
    let long: Vec<_> = long.collect();
    assert!(long.is_empty(), "more than {LINES} lines: cut them at their seams: {long:#?}");
}

/// A library with the faults that the check looks for.
const WRONG: Library = Library {
    rooms: &[("low", &["low.rs", "left.rs"]), ("high", &["high/"]), ("the crate", &["lib.rs"])],
    exceptions: &[("low.rs", "lib.rs", "it is as wrong, but let it be")],
    largest_circle: 1,
};

#[test]
#[should_panic(expected = "no `mod` declares tests/stray.rs")]
fn a_test_file_that_no_module_declares_is_reported() {
    let sources = [
        ("lib.rs", "#[cfg(test)] mod tests;"),
        ("tests/mod.rs", "mod table;"),
        ("tests/table.rs", ""),
        ("tests/stray.rs", ""),
    ];
    _ = tree::graph(&sources.map(|(file, text)| (file.to_owned(), text.to_owned())).into());
}

#[test]
fn a_use_of_a_higher_layer_is_found_through_any_import_form() {
    let sources = [
        ("lib.rs", "mod low; mod high; mod lost; pub use high::Chosen; pub struct Root;"),
        ("lost.rs", ""),
        ("high/mod.rs", "pub mod inner; pub use inner::{Chosen, Named as Renamed, made}; pub use inner::*; use super::low;"),
        ("high/inner.rs", "pub struct Chosen; pub struct Named; pub struct Starred; pub fn made() { crate::low::back() } mod low {}"),
        (
            "low.rs",
            "use crate::{Chosen, high::Renamed}; pub fn back(_: &super::high::Starred, _: crate::Root) { println!(\"{}\", crate::high::made()); }
             mod inner { type Unused = super::back; } #[cfg(test)] mod tests { use crate::lost; }",
        ),
    ];
    let sources = sources.map(|(file, text)| (file.to_owned(), text.to_owned())).into();
    let found = WRONG.check(&sources);
    let expected = [
        "lost.rs is in no room: give it one",
        "the room `low` has no left.rs: take it off",
        "low.rs names `Chosen` of high/inner.rs, which is above it: low → high",
        "low.rs names `Named` of high/inner.rs, which is above it: low → high",
        "low.rs names `Starred` of high/inner.rs, which is above it: low → high",
        "low.rs names `made` of high/inner.rs, which is above it: low → high",
        "2 files name one another:",
        "  high/inner.rs names `back` of low.rs",
        "  low.rs names `Chosen` of high/inner.rs",
        "  low.rs names `Named` of high/inner.rs",
        "  low.rs names `Starred` of high/inner.rs",
        "  low.rs names `made` of high/inner.rs",
    ];
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
}
