//! An access pattern: a request that the program sends, with a name.

use super::markdown::{code, escaped};
use crate::exchange::{Outline, Request};

pub(super) struct Pattern {
    pub(super) name: String,
    pub(super) request: Request,
}

impl Pattern {
    /// Returns the row of the table of patterns.
    pub(super) fn row(&self) -> [String; 3] {
        let mut places: Vec<_> = self.request.outlines().iter().map(place).collect();
        places.dedup();
        [self.name.clone(), code(self.request.operation()), places.join(", ")]
    }

    /// Returns the paragraphs that show the expressions, or none if there are no expressions.
    pub(super) fn section(&self) -> Vec<String> {
        let outlines = self.request.outlines();
        if outlines.iter().all(|outline| outline.expressions.is_empty()) {
            return Vec::new();
        }
        let is_transaction = outlines.first().is_some_and(|outline| outline.operation != self.request.operation());
        let lines = outlines.iter().flat_map(|outline| {
            let action = is_transaction.then(|| format!("{} {}", outline.operation, outline.table));
            let indent = if is_transaction { "  " } else { "" };
            let expressions = outline.expressions.iter().map(move |(label, text)| format!("{indent}{label}: {text}"));
            action.into_iter().chain(expressions)
        });
        let lines: Vec<String> = lines.collect();
        vec![format!("### {}", escaped(&self.name)), format!("```text\n{}\n```", lines.join("\n"))]
    }
}

/// Returns where a request goes.
fn place(outline: &Outline<'_>) -> String {
    match outline.index {
        Some(index) => format!("{} of {}", code(index), code(outline.table)),
        None => code(outline.table),
    }
}
