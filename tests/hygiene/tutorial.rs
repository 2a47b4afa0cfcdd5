//! The tutorial shows the code of the example that is tested.

use super::pages::root;
use std::fs;

/// The code without white space, without the commas that only a broken line has, and without marks of comments.
fn normalized(code: &str) -> String {
    let code: String = code.lines().map(|line| line.trim_start().trim_start_matches("///")).collect();
    let mut code: String = code.chars().filter(|char| !char.is_whitespace()).collect();
    for closing in [')', ']', '}'] {
        code = code.replace(&format!(",{closing}"), &closing.to_string());
    }
    code
}

#[test]
fn every_code_block_of_the_tutorial_is_part_of_the_tested_example() {
    let read = |file: &str| fs::read_to_string(root().join(file)).expect("a file");
    let example = normalized(&(read("examples/src/ticket_shop.rs") + &read("examples/tests/ticket_shop.rs")));
    let page = read("docs/tutorial.md");
    let blocks: Vec<_> = page.split("```rs\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() > 10, "the page has {} blocks", blocks.len());
    for block in blocks {
        assert!(example.contains(&normalized(block)), "not in the example:\n{block}");
    }
}

#[test]
fn the_tutorial_shows_all_functions_of_the_example() {
    let page = fs::read_to_string(root().join("docs/tutorial.md")).expect("the page");
    for file in ["examples/src/ticket_shop.rs", "examples/tests/ticket_shop.rs"] {
        let code = fs::read_to_string(root().join(file)).expect("a file");
        let names = code.split("fn ").skip(1).filter_map(|rest| rest.split('(').next());
        let missing: Vec<_> = names.filter(|name| !page.contains(&format!("fn {name}("))).collect();
        assert!(missing.is_empty(), "{file}: {missing:?}");
    }
}
