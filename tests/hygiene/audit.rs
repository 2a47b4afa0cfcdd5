//! The page for auditors: each file exists, has so many lines, and begins with this sentence. What decides a write is pure.

use std::fmt::Write as _;
use std::path::Path;

const PAGE: &str = "../docs/internals/audit.md";
const SOURCES: &str = "../dyno-runtime/src";

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a section.
fn files(section: &str) -> impl Iterator<Item = &str> {
    section.lines().filter_map(|line| Some(line.strip_prefix("| [")?.split_once(']')?.0))
}

/// The lines of a file before its tests.
fn code(file: &str) -> String {
    let source = read(&format!("{SOURCES}/{file}"));
    let code = source.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    code.filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//")).fold(
        String::new(),
        |mut code, line| {
            let _ = writeln!(code, "{line}");
            code
        },
    )
}

/// The first sentence of a file.
fn sentence(file: &str) -> String {
    let source = read(&format!("{SOURCES}/{file}"));
    let head: Vec<&str> = source.lines().map_while(|line| line.strip_prefix("//! ")).map(str::trim).collect();
    let head = head.join(" ");
    let is_end = |(at, _): &(usize, &str)| head[at + 2..].starts_with(|next: char| next.is_uppercase() || next == '`');
    let end = head.match_indices(". ").find(is_end).map_or(head.len(), |(at, _)| at + 1);
    head[..end].to_owned()
}

#[test]
fn each_line_of_the_audit_is_true() {
    let page = read(PAGE);
    let expected = files(&page).map(|file| {
        format!("| [{file}](../../dyno-runtime/src/{file}) | {} | {} |", code(file).lines().count(), sentence(file))
    });
    let expected: Vec<String> = expected.collect();
    let stated: Vec<&str> = page.lines().filter(|line| line.starts_with("| [")).collect();
    assert!(expected.len() > 50, "a walk is missing: {}", expected.len());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let mut page = page.clone();
        for (stated, expected) in stated.iter().zip(&expected) {
            page = page.replace(stated, expected);
        }
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE), page).expect("the page");
        return;
    }
    for (stated, expected) in stated.into_iter().zip(expected) {
        assert_eq!(stated, expected, "run it with UPDATE_EXPECT=1");
    }
}

#[test]
fn what_decides_a_write_awaits_nothing() {
    let page = read(PAGE);
    let (_, walk) = page.split_once("## 1. ").expect("the first walk");
    let (walk, _) = walk.split_once("\n## ").expect("the second walk");
    let waits: Vec<&str> =
        files(walk).filter(|file| code(file).contains("async ") || code(file).contains(".await")).collect();
    assert!(waits.is_empty(), "these files wait: {waits:?}");
    assert!(files(walk).count() > 30);
}
