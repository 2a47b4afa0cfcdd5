//! The list of calls is complete: it is compared with the library's sources.

use std::path::Path;

/// The types of arguments that have extremes.
const TYPES: [&str; 28] = [
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i64",
    "f64",
    "str",
    "String",
    "Into",
    "AsRef",
    "IntoIterator",
    "IntoField",
    "SortBound",
    "SortPrefix",
    "IntoChanges",
    "IntoFields",
    "IntoFence",
    "IntoPlace",
    "TxPuts",
    "TxUpdates",
    "TxDeletes",
    "TxChecks",
    "BatchAction",
    "Item",
    "EpochMillis",
    "Duration",
];

/// The functions in a source file that are public for users and that take such arguments, by file and name.
fn functions(file: &Path, root: &Path) -> Vec<String> {
    let source = std::fs::read_to_string(file).expect("a source file");
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let name = file.strip_prefix(root).expect("within").with_extension("").display().to_string();
    let mut functions = Vec::new();
    let lines: Vec<&str> = source.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let Some(declared) = ["pub fn ", "pub const fn ", "pub async fn "]
            .iter()
            .find_map(|start| line.trim_start().strip_prefix(start))
        else {
            continue;
        };
        let attributes = lines[..index].iter().rev().take_while(|line| line.trim_start().starts_with('#'));
        let is_hidden = attributes.clone().any(|line| line.contains("doc(hidden)")) || declared.starts_with("__");
        let function: String = declared.split(['(', '<']).next().unwrap_or_default().to_owned();
        let arguments = arguments(&lines[index..].join(" "));
        let words = arguments.split(|char: char| !char.is_alphanumeric() && char != '_');
        if !is_hidden && (words.clone().any(|word| TYPES.contains(&word) || word.ends_with("Actions"))) {
            functions.push(format!("{name}::{function}"));
        }
    }
    functions
}

/// The text between the parentheses of a function, after its generic parameters.
fn arguments(declaration: &str) -> String {
    let start = declaration.find("fn ").map_or(0, |at| at + 3);
    let (mut angles, mut depth, mut arguments) = (0_i32, 0_i32, String::new());
    let mut last = ' ';
    for char in declaration[start..].chars() {
        match char {
            '<' if depth == 0 => angles += 1,
            '>' if depth == 0 && last != '-' => angles -= 1,
            '(' if angles == 0 => depth += 1,
            ')' if angles == 0 && depth == 1 => break,
            ')' if angles == 0 => depth -= 1,
            _ => {}
        }
        if depth > 0 {
            arguments.push(char);
        }
        last = char;
    }
    arguments
}

fn all_functions(directory: &Path, root: &Path, functions: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        // The functions of `absent_features` do not exist.
        let is_private = path.file_stem().is_some_and(|name| name == "__private" || name == "absent_features");
        if path.is_dir() && !is_private {
            all_functions(&path, root, functions);
        } else if !is_private {
            functions.extend(self::functions(&path, root));
        }
    }
}

/// Functions that are public in a private module, or whose arguments users do not choose.
const NOT_CALLED: [&str; 10] = [
    "schema/rules::guards",
    "schema/sharing::check_shared",
    "entity/aggregate::add_one_of",
    "entity/aggregate::add_only",
    "entity/aggregate::gather",
    "entity/projection::read_projection",
    "field/keys::decode_key",
    "field/keys::decode_stored_key",
    "key/template::check_templates",
    "key/template::insert_templates",
];

#[test]
fn every_public_function_is_called_with_its_extremes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dyno-runtime/src");
    let mut found = Vec::new();
    all_functions(&root, &root, &mut found);
    found.retain(|function| !NOT_CALLED.contains(&function.as_str()));
    found.sort();
    let mut called: Vec<String> = super::NAMES.iter().copied().flatten().map(|name| (*name).to_owned()).collect();
    called.sort();
    let missing: Vec<_> = found.iter().filter(|function| count(&found, function) > count(&called, function)).collect();
    let gone: Vec<_> = called.iter().filter(|function| count(&called, function) > count(&found, function)).collect();
    assert!(missing.is_empty(), "call these with their extremes: {missing:?}");
    assert!(gone.is_empty(), "these are no functions any more: {gone:?}");
}

fn count(all: &[String], function: &str) -> usize {
    all.iter().filter(|other| *other == function).count()
}
