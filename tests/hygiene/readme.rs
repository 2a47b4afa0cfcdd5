//! The README's program prints the output that the README shows.

use std::cell::RefCell;

thread_local! {
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Records what the program prints.
macro_rules! println {
    ($($text:tt)*) => {{
        let line = format!($($text)*) + "\n";
        PRINTED.with_borrow_mut(|printed| printed.push_str(&line));
    }};
}

/// The program of the README.
mod program {
    use super::PRINTED;

    include!("readme/program.rs");

    pub(super) fn run() {
        main().expect("the program ends well");
    }
}

const README: &str = include_str!("../../README.md");

/// Returns the text of the README's first block of code in this language.
fn block(language: &str) -> &'static str {
    let (_, behind) = README.split_once(&format!("\n```{language}\n")).expect("a block of code");
    let (block, _) = behind.split_once("\n```\n").expect("its end");
    block
}

#[test]
fn the_program_in_the_readme_is_the_tested_program() {
    assert_eq!(block("rust"), include_str!("readme/program.rs").trim_end());
}

#[test]
fn the_program_prints_the_output_in_the_readme() {
    program::run();
    assert_eq!(block("text"), PRINTED.take().trim_end());
}

/// `.ci/run` adds only the compiler's wrapper.
#[test]
fn ci_runs_the_tests_as_the_readme_says() {
    const COMMAND: &str = "cargo test --workspace";
    assert!(README.lines().any(|line| line.starts_with(COMMAND)), "the README does not say `{COMMAND}`");
    assert!(include_str!("../../.ci/run").lines().any(|line| line == format!("step {COMMAND} --config \"$clippy\"")));
}

#[test]
fn the_readme_has_at_most_170_lines() {
    assert!(README.lines().count() <= 170);
}
