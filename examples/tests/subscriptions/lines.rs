//! The lines of each task, with and without the commands that were made for it, as the recipe's table has them.

use std::collections::BTreeMap;

/// Returns the lines of code of each function: without blank lines and comments. A function that is not public belongs to the one
/// before it.
fn lines(code: &str) -> BTreeMap<&str, usize> {
    let mut lines = BTreeMap::new();
    let mut function = None;
    for line in code.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")) {
        if let Some(rest) = line.strip_prefix("pub async fn ") {
            function = rest.split('(').next();
        }
        if let Some(function) = function {
            *lines.entry(function).or_default() += 1;
        }
    }
    lines
}

#[test]
fn the_page_has_the_lines_of_each_task() {
    let short = lines(include_str!("../../src/subscriptions/tasks.rs"));
    let long = lines(include_str!("../../src/subscriptions/by_hand.rs"));
    let page = include_str!("../../../docs/recipes.md");
    assert!(short.keys().eq(long.keys()), "{short:?}, {long:?}");
    for (task, short) in &short {
        let expected = format!("| `{task}` | {} | {short} |", long[task]);
        assert!(page.lines().any(|line| line.starts_with(&expected)), "not in docs/recipes.md: {expected}");
    }
    let total = format!("| together | {} | {} |", long.values().sum::<usize>(), short.values().sum::<usize>());
    assert!(page.lines().any(|line| line.starts_with(&total)), "not in docs/recipes.md: {total}");
}
