//! Every mistake of one derive, collected: one compile shows all of them, in the order of the source.
//!
//! An error is one line that says what is wrong, then at most one `help:` (what to type) and one `note:` (the fact behind the
//! rule).

use proc_macro2::{Span, TokenStream};

/// The mistakes found so far. Must be read with [`finish`](Self::finish).
#[derive(Default)]
pub(crate) struct Diagnostics {
    errors: Vec<syn::Error>,
    read: bool,
}

/// One mistake.
pub(crate) struct Problem {
    span: Span,
    message: String,
    help: Option<String>,
    note: Option<String>,
}

impl Problem {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None, note: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Suggests the known word that is nearest to the written one, or else lists all of them.
    pub(crate) fn suggest(self, written: &str, known: &[&str]) -> Self {
        match nearest(written, known) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self.help(format!("expected {}", list(known))),
        }
    }
}

impl Diagnostics {
    pub(crate) fn push(&mut self, problem: Problem) {
        let Problem { span, mut message, help, note } = problem;
        for (label, text) in [("help", help), ("note", note)] {
            if let Some(text) = text {
                message = format!("{message}\n{label}: {text}");
            }
        }
        self.errors.push(syn::Error::new(span, message));
    }

    /// Adds an error of syn's own parsing.
    pub(crate) fn push_syntax(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Returns the tokens that report every mistake, or `None` if there is none.
    pub(crate) fn finish(mut self) -> Option<TokenStream> {
        self.read = true;
        let mut errors = std::mem::take(&mut self.errors);
        // Outside of a compilation, as in unit tests, spans have no position to sort by.
        if proc_macro::is_available() {
            errors.sort_by_key(|error| {
                let span = error.span().unwrap();
                (span.line(), span.column())
            });
        }
        let errors = errors.into_iter();
        errors
            .reduce(|mut all, error| {
                all.combine(error);
                all
            })
            .map(syn::Error::into_compile_error)
    }

    #[cfg(test)]
    pub(crate) fn messages(mut self) -> Vec<String> {
        self.read = true;
        self.errors.iter().map(ToString::to_string).collect()
    }
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        assert!(self.read || std::thread::panicking(), "errors were collected but not reported");
    }
}

/// Words in backticks, the last joined by "or".
pub(crate) fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => format!("`{word}`"),
        [words @ .., last] => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            format!("{} or `{last}`", words.join(", "))
        }
    }
}

/// Returns the known word that a typing slip may have turned into this one.
fn nearest<'a>(written: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|word| (distance(written, word), *word))
        .min()
        .filter(|(distance, word)| *distance <= word.len().max(3) / 3)
        .map(|(_, word)| word)
}

/// Counts how many characters must be inserted, removed, replaced or swapped with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(a != b);
            let mut best = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_name_finds_the_nearest_known_one() {
        let known = ["table", "rename_all", "crate"];
        assert_eq!(nearest("tabel", &known), Some("table"));
        assert_eq!(nearest("renameall", &known), Some("rename_all"));
        assert_eq!(nearest("rename-all", &known), Some("rename_all"));
        assert_eq!(nearest("history", &known), None);
        assert_eq!(nearest("", &known), None);
    }

    #[test]
    #[should_panic(expected = "not reported")]
    fn dropping_unread_errors_panics() {
        drop(Diagnostics::default());
    }
}
