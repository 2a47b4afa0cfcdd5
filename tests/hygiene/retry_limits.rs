//! The limits of loops on the maintainers' page are those of the library, and the users' page has the defaults of those that can be
//! set.

use super::pages::root;

const PAGE: &str = include_str!("../../docs/internals/retry-limits.md");
const USERS_PAGE: &str = include_str!("../../docs/production.md");

/// The limits that a user can set: the beginning of their row on the users' page, the default in it, and where the code has it.
const SETTABLE: [(&str, &str, &str, &str); 5] = [
    ("| `modify` loads", "10 times", "command/write/modify.rs", "const ATTEMPTS: u32 = 10;"),
    ("| `modify_each` and", "10 times", "command/many/each_commands.rs", "const ATTEMPTS: u32 = 10;"),
    ("| The closure of an", "10 times", "command/transaction/interactive/mod.rs", "const ATTEMPTS: u32 = 10;"),
    ("| A transaction that", "10 s", "command/write/in_doubt.rs", "const TIMEOUT: Duration = Duration::from_secs(10);"),
    ("| A command waits", "5 s", "exchange/repository/lane_settings.rs", "lock_timeout: Duration::from_secs(5)"),
];

fn source(file: &str) -> String {
    let path = root().join("dyno-runtime/src").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the last cell of each row of the table: a file of the runtime, and the declaration of its constant.
fn constants() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGE.lines().filter_map(|line| {
        let cell = line.trim_end().strip_suffix("` |")?.rsplit_once("| `")?.1;
        cell.split_once("`: `")
    })
}

#[test]
fn every_retry_limit_has_the_value_on_the_page() {
    let mut seen = 0;
    for (file, constant) in constants() {
        assert!(source(file).contains(&format!("const {constant};")), "{file} has no `const {constant};`");
        seen += 1;
    }
    assert!(seen >= 20, "the page has its table: {seen}");
}

#[test]
fn the_users_page_has_the_defaults_of_the_limits_that_can_be_set() {
    for (row, default, file, code) in SETTABLE {
        let row = USERS_PAGE.lines().find(|line| line.starts_with(row)).expect(row);
        assert!(row.contains(&format!("| {default}")), "{row}");
        assert!(source(file).contains(code), "{file} has no `{code}`");
    }
}
