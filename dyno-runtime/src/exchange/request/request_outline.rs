//! The outline of a request: what it does and where, without values, which differ from one request of a command to the next.

use crate::error::foreign_text::value;
use crate::exchange::request::{Parts, Request};
use std::borrow::Cow;

/// The outline of one request, or of one action of a transaction.
pub(crate) struct Outline<'a> {
    pub(crate) operation: &'static str,
    pub(crate) table: &'a str,
    pub(crate) index: Option<&'a str>,
    /// The expressions, with the names of attributes instead of placeholders: `("condition", "attribute_exists(id)")`.
    pub(crate) expressions: Vec<(&'static str, String)>,
    /// The options, such as `descending` and `limit 20`, without the token of a transaction.
    pub(crate) options: Vec<String>,
}

impl Request {
    /// Returns the operation that sends the request.
    pub(crate) fn operation(&self) -> &'static str {
        self.parts().operation
    }

    /// Returns the outline of each action; one for a request that is no transaction.
    pub(crate) fn outlines(&self) -> Vec<Outline<'_>> {
        let parts = self.parts();
        if parts.actions.is_empty() {
            vec![parts.outline()]
        } else {
            parts.actions.iter().map(Parts::outline).collect()
        }
    }
}

impl<'a> Parts<'a> {
    fn outline(&self) -> Outline<'a> {
        let given = self.expressions.iter().filter_map(|(label, text)| Some((*label, (*text)?)));
        let (indexes, expressions): (Vec<_>, Vec<_>) = given.partition(|(label, _)| *label == "index");
        Outline {
            operation: self.operation,
            table: self.table.unwrap_or_default(),
            index: indexes.first().map(|(_, index)| *index),
            expressions: expressions.into_iter().map(|(label, text)| (label, self.with_names(text))).collect(),
            options: self.options.iter().flatten().cloned().collect(),
        }
    }

    /// Returns an expression with the names of attributes instead of placeholders.
    fn with_names(&self, expression: &str) -> String {
        let mut pieces = expression.split('#');
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let end =
                piece.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(piece.len());
            let placeholder = format!("#{}", &piece[..end]);
            let name = self.names.and_then(|names| names.get(&placeholder)).unwrap_or(&placeholder);
            text.push_str(&quoted(name));
            text.push_str(&piece[end..]);
        }
        text
    }
}

/// Returns a name as it stands in the text of an expression: in quotes, unless it could be written without a placeholder.
fn quoted(name: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.chars().all(is_plain) { name.into() } else { format!("\"{}\"", value(name)).into() }
}
