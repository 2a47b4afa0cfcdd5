//! Immutable attributes: a write passes only if each of them is absent, or has the value that the write stores.
//!
//! An item that counts as absent has nothing to keep: a put over it begins a new item.

use super::write::Rule;
use super::{Expected, Kept, Reason, Verb, Write, alias, dead, state};
use crate::attribute::Item;
use crate::expression::{Action, Node, Operator, Path, RawChange};
use crate::schema::Schema;

/// Returns the values that a write stores in immutable attributes of a live item.
pub(crate) fn kept_values(
    schema: &Schema,
    verb: Verb,
    expected: Option<Expected>,
    item: &Item,
    changes: &[RawChange],
) -> Vec<Kept> {
    let immutable = schema.immutable.iter().copied();
    match verb {
        Verb::Put if !expected.is_some_and(Expected::begins) => {
            immutable.map(|name| (name, item.get(name).cloned())).collect()
        }
        Verb::Replace => immutable.map(|name| (name, item.get(name).cloned())).collect(),
        Verb::Update { .. } => {
            let value_of = |name: &'static str| {
                let own = changes.iter().find(|change| change.path == Path::from(name))?;
                match &own.action {
                    Ok(Action::Set(value)) => Some((name, Some(value.clone()))),
                    Ok(Action::Remove) => Some((name, None)),
                    _ => None,
                }
            };
            immutable.filter_map(value_of).collect()
        }
        // A put, create or undelete finds no live item here, and `merge` has compared the values of a rewrite.
        Verb::Put
        | Verb::Create
        | Verb::Undelete
        | Verb::Rewrite
        | Verb::Renumber
        | Verb::Delete
        | Verb::Purge
        | Verb::Check { .. } => Vec::new(),
    }
}

/// The rule of immutable attributes, for every entity.
#[derive(Debug)]
pub(super) struct Immutable;

impl Rule for Immutable {
    fn condition(&self, write: &Write) -> Option<Node> {
        let kept = Node::all(write.kept.iter().map(|kept| is_kept(write.schema, kept)).collect())?;
        match write.verb {
            Verb::Put => Node::any(dead(write.schema, write.now).chain([kept]).collect()),
            _ => Some(kept),
        }
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let Some(item) = item.filter(|item| state(write.schema, write.now, *item).is_live()) else { return };
        let changed = write.kept.iter().filter(|kept| !is_kept(write.schema, kept).holds(item));
        reasons.extend(changed.map(|(attribute, _)| Reason::Immutable { attribute }));
    }
}

/// Returns the condition that an attribute is absent, or has the value of the write.
fn is_kept(schema: &Schema, (name, value): &Kept) -> Node {
    let nullable = schema.attribute(name).is_some_and(|attribute| attribute.nullable);
    let absent = Node::absent((*name).into(), nullable);
    alias::seen(
        schema,
        match value {
            Some(value) => Node::Or(vec![absent, Node::Compare((*name).into(), Operator::Eq, value.clone())]),
            None => absent,
        },
    )
}
