//! Expressions: conditions and changes, and their text with placeholders. The types that users write are in `field`.
//!
//! Every name is sent as a `#placeholder`, because DynamoDB reserves 573 words, and every value as a `:placeholder`. The
//! numbers of both begin anew with each request, so the same expression always has the same text.

#[cfg(feature = "transactions")]
mod apply;
mod change_expression;
mod condition_node;
mod guard;
mod holds;
mod path;
mod placeholders;

#[cfg(feature = "transactions")]
pub(crate) use apply::apply;
pub(crate) use change_expression::{Action, Null, RawChange, check_changes, check_operators, render_changes};
pub(crate) use condition_node::{Node, Operator};
pub(crate) use guard::Guard;
pub(crate) use holds::begins_with;
pub(crate) use path::Path;
pub(crate) use placeholders::{Placeholders, problem_of_name};

use crate::error::Error;

/// DynamoDB's limit on an expression's text.
/// (Developer guide, "Constraints in Amazon DynamoDB", expression parameters.)
const EXPRESSION_BYTES: usize = 4096;

/// DynamoDB's limit on the operators and functions of an expression. (Developer guide, "Quotas and limits in Amazon DynamoDB",
/// expression parameters, states it for updates. `test_limits.py` of `scylladb/scylladb` records that the service refuses a condition
/// that has more.)
const OPERATORS: usize = 300;

/// Refuses an expression that is too long for DynamoDB.
pub(crate) fn check_length(expression: &str) -> Result<(), Error> {
    if expression.len() > EXPRESSION_BYTES {
        return Err(Error::invalid(format!(
            "the expression has {} bytes, but DynamoDB takes {EXPRESSION_BYTES}: use fewer terms",
            expression.len()
        )));
    }
    Ok(())
}

/// Renders the projection of these attributes, each once.
pub(crate) fn render_projection<N>(names: impl Iterator<Item = N>, placeholders: &mut Placeholders) -> String
where
    N: Clone + PartialEq,
    Path: From<N>,
{
    let (mut text, mut known) = (String::new(), Vec::new());
    for name in names {
        if !known.contains(&name) {
            text.push_str(if known.is_empty() { "" } else { ", " });
            placeholders.push_path(&name.clone().into(), &mut text);
            known.push(name);
        }
    }
    text
}
