//! Every command, sent under faults: what a dropped `send` leaves, which IAM permissions the command needs, and what an
//! operator sees.
//!
//! These tests generate the tables on the pages `docs/cancel-safety.md` and `docs/permissions.md`: `UPDATE_EXPECT=1` writes
//! them.

mod commands;
mod database;
mod drops;
mod permissions;
mod telemetry;

use std::fs;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- written by a test: UPDATE_EXPECT=1 -->\n";
const END: &str = "<!-- end -->\n";

fn path(page: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page)
}

fn page(page: &str) -> String {
    fs::read_to_string(path(page)).expect("the page")
}

/// Writes the table of a page between its two marker comments.
fn write_table(name: &str, table: &str) {
    fs::write(path(name), with_table(&page(name), table)).expect("written");
}

fn with_table(text: &str, table: &str) -> String {
    let (before, rest) = text.split_once(BEGIN).expect("the beginning of the table");
    let (_, after) = rest.split_once(END).expect("the end of the table");
    format!("{before}{BEGIN}{table}{END}{after}")
}

/// Asserts that a page has this table. With `UPDATE_EXPECT`, writes the table first.
fn assert_table(name: &str, table: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        write_table(name, table);
    }
    let text = page(name);
    assert!(text == with_table(&text, table), "{name} has another table: UPDATE_EXPECT=1 writes\n{table}");
}
