//! The pairs are complete: each option of the derive is in one, and the page names each change that the lock does not see.

use crate::pair::{names, run};
use crate::table::{Pair, Verdict};
use crate::{attributes, documents, indexes, keys, lives, memory, order, shapes, types};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

const MODULES: [&[Pair]; 9] = [
    attributes::PAIRS,
    documents::PAIRS,
    indexes::PAIRS,
    keys::PAIRS,
    lives::PAIRS,
    memory::PAIRS,
    order::PAIRS,
    shapes::PAIRS,
    types::PAIRS,
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The words of identifiers in a text.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|letter: char| letter != '_' && !letter.is_alphanumeric()).collect()
}

/// The words that the derive reads: the names of the slots in `words! { … }`, or the words in quotes behind them.
fn options() -> BTreeSet<String> {
    let mut options = BTreeSet::new();
    for file in ["container", "field", "index"] {
        let text = fs::read_to_string(root().join(format!("dyno-derive/src/attr/{file}.rs"))).expect("the words");
        let declared = text.split("words! {").nth(1).and_then(|text| text.split("\n}").next()).expect("words");
        let slots = |line: &&str| line.ends_with(',') && line.contains(": ") && !line.contains("=>");
        for line in declared.lines().map(str::trim).filter(slots) {
            let slot = line.split(": ").next().unwrap_or_default();
            let word = slot.split(" = ").nth(1).unwrap_or(slot);
            options.insert(word.trim_matches('"').to_owned());
        }
    }
    assert!(options.len() > 50 && options.contains("guards") && options.contains("history_table"), "{options:?}");
    options
}

#[test]
fn each_option_of_the_derive_is_in_a_pair_of_releases() {
    let files =
        fs::read_dir(root().join("tests/releases")).expect("the folder").map(|file| file.expect("a file").path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let text: String = files.map(|path| fs::read_to_string(path).expect("a file")).collect();
    let used = words(&text);
    // The path of the crate is no part of what is stored.
    let missing: Vec<_> = options().into_iter().filter(|word| word != "crate" && !used.contains(&**word)).collect();
    assert!(missing.is_empty(), "without a pair of releases: {missing:?}");
}

/// The changes that the lock does not see, and what the page says about them.
const UNSEEN: &[(&str, &str)] = &[
    ("the_value_of_a_default_changes", "the values of defaults"),
    ("the_upgrade_function_changes", "`upgrade` functions"),
    ("the_type_of_a_field_of_serde_changes", "codecs of `with` and `serde`"),
    ("a_codec_changes", "codecs of `with` and `serde`"),
    ("a_document_gets_a_rest", "`rest` fields of documents"),
    ("a_document_loses_its_rest", "`rest` fields of documents"),
];

#[test]
fn the_page_names_each_change_that_the_lock_does_not_see() {
    let changes = MODULES.into_iter().flatten().flat_map(|Pair { change, back, .. }| [Some(*change), *back]).flatten();
    let unseen: BTreeSet<_> =
        changes.filter(|(_, verdict)| *verdict == Verdict::Unseen).map(|(name, _)| name).collect();
    assert_eq!(unseen, UNSEEN.iter().map(|(name, _)| *name).collect());
    let page = fs::read_to_string(root().join("dyno-runtime/src/model/mod.rs")).expect("the page");
    let (_, list) = page.split_once("What the lock does not see:").expect("the list");
    let list = list.replace("\n//!", "");
    for (name, words) in UNSEEN {
        assert!(list.contains(words), "{name}: {words}");
    }
}

/// The releases whose own commands are refused: expired items, a strict token, and an upsert without the key of an index.
const REFUSING: &[&str] = &["passed_ttl", "other_ttl", "strict_at", "by_default_likes"];

/// Otherwise a cell of the tables could show a mistake of the test.
#[tokio::test(start_paused = true)]
async fn each_command_works_while_one_release_runs() {
    for pairs in MODULES {
        let releases = pairs.iter().flat_map(|pair| [pair.one, pair.other]);
        let releases: BTreeMap<_, _> = releases.map(|release| (release.name, release)).collect();
        for release in releases.values().filter(|release| !REFUSING.contains(&release.name)) {
            let cells = run(*release, *release, *release).await;
            let wrong: Vec<_> = names().zip(cells).filter(|(_, cell)| !cell.is_good()).collect();
            assert!(wrong.is_empty(), "{}: {wrong:?}", release.name);
        }
    }
}
