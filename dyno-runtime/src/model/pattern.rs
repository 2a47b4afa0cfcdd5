//! An access pattern: a request that the program sends, with a name.

use super::markdown::{code, text};
use crate::exchange::{Outline, Request};

pub(super) struct Pattern {
    pub(super) name: String,
    /// The request, or the error that a command returned instead.
    pub(super) request: Result<Request, String>,
}

/// Returns the row of the table of patterns.
pub(super) fn row(name: &str, request: &Request) -> [String; 3] {
    let mut places: Vec<String> = Vec::new();
    for place in request.outlines().iter().map(place) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    [text(name), code(request.operation()), places.join(", ")]
}

/// Returns the paragraphs that show the expressions and options, or none if there are none.
pub(super) fn section(name: &str, request: &Request) -> Vec<String> {
    let outlines = request.outlines();
    if outlines.iter().all(|outline| outline.expressions.is_empty() && outline.options.is_empty()) {
        return Vec::new();
    }
    let is_transaction = outlines.first().is_some_and(|outline| outline.operation != request.operation());
    let lines = outlines.iter().flat_map(|outline| {
        let action = is_transaction.then(|| format!("{} {}", outline.operation, outline.table));
        let indent = if is_transaction { "  " } else { "" };
        let expressions = outline.expressions.iter().map(move |(label, text)| format!("{indent}{label}: {text}"));
        let options = (!outline.options.is_empty()).then(|| format!("{indent}{}", outline.options.join(", ")));
        action.into_iter().chain(expressions).chain(options)
    });
    let lines: Vec<String> = lines.collect();
    vec![format!("### {}", text(name)), format!("```text\n{}\n```", lines.join("\n"))]
}

/// Returns where a request goes.
fn place(outline: &Outline<'_>) -> String {
    match outline.index {
        Some(index) => format!("{} of {}", code(index), code(outline.table)),
        None => code(outline.table),
    }
}
