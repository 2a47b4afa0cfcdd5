//! How heavy the runtime may be, in lines of code: `weight.txt` has the bounds. `scripts/weight` holds the symbols, and the
//! bench `instructions` the instructions of single calls.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A bound that is so far above the lines is lowered.
const SLACK: usize = 400;

/// The lines of code of a file, without blank lines, comments and tests.
fn lines(text: &str) -> usize {
    let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    code.filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//")).count()
}

/// Returns whether the default build has what comes after this attribute.
fn is_in_the_default_build(attribute: &str) -> bool {
    !attribute.starts_with("#[cfg(") || attribute.starts_with("#[cfg(not(")
}

/// Adds the files of the modules that a file declares.
fn add_modules(file: &Path, files: &mut Vec<PathBuf>) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    files.push(file.to_owned());
    let is_root = file.file_stem().is_some_and(|stem| stem == "lib" || stem == "mod");
    let folder = if is_root { file.parent().expect("a folder").to_owned() } else { file.with_extension("") };
    let mut is_built = true;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[") {
            is_built &= is_in_the_default_build(line);
            continue;
        }
        let name = line.split_once("mod ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"));
        if let Some(name) = name.and_then(|(_, name)| name.split_once(';')).map(|(name, _)| name).filter(|_| is_built) {
            let file = folder.join(format!("{name}.rs"));
            add_modules(&if file.exists() { file } else { folder.join(name).join("mod.rs") }, files);
        }
        is_built = true;
    }
}

fn all(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn the_runtime_is_within_its_weight() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = root.join("../dyno-runtime/src");
    let (mut built, mut every) = (Vec::new(), Vec::new());
    add_modules(&sources.join("lib.rs"), &mut built);
    all(&sources, &mut every);
    let count = |files: &[PathBuf]| -> usize {
        files.iter().map(|file| lines(&std::fs::read_to_string(file).expect("a source"))).sum()
    };
    let text = std::fs::read_to_string(root.join("hygiene/weight.txt")).expect("the bounds");
    let bounds: HashMap<&str, usize> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|(name, bound)| (name, bound.parse().expect("a number")))
        .collect();
    for (name, lines) in [("default", count(&built)), ("all", count(&every))] {
        let bound = bounds[name];
        assert!(lines <= bound, "{name}: {lines} lines, and the bound is {bound}: see hygiene/weight.txt");
        assert!(bound - lines < SLACK, "{name}: {lines} lines: lower the bound {bound} in hygiene/weight.txt");
    }
}
