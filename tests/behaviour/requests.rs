//! The recorded requests: every entry belongs to an existing test.

use dyno_tests::requests;
use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn every_recorded_request_belongs_to_an_existing_test() {
    let suite = std::env::current_exe().expect("this program");
    let list = Command::new(suite).args(["--list", "--format", "terse"]).output().expect("a list of the tests");
    let list = String::from_utf8(list.stdout).expect("a text");
    let tests: BTreeSet<String> =
        list.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect();
    assert!(tests.contains("requests::every_recorded_request_belongs_to_an_existing_test"), "{list}");
    let stale = requests::stale(&tests);
    assert!(stale.is_empty(), "no such tests (run `scripts/bless`): {stale:#?}");
}
