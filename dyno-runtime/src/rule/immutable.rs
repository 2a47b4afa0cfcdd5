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
        Verb::Put | Verb::Replace if !expected.is_some_and(Expected::begins) => {
            immutable.map(|name| (name, item.get(name).cloned())).collect()
        }
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
        // A write that begins an item finds no live one, `merge` has compared the values of a rewrite, and the others store none.
        _ => Vec::new(),
    }
}

/// Gives a restored item the immutable attributes of the live one that its revision does not have yet. The live item is in the current
/// shape.
pub(crate) fn keep_immutable(schema: &Schema, live: &Item, item: &mut Item) {
    for name in schema.immutable {
        if let (true, Some(value)) = (is_absent(schema, name, item), live.get(*name)) {
            item.insert((*name).to_owned(), value.clone());
        }
    }
}

/// The rule of immutable attributes, for every entity.
#[derive(Debug)]
pub(super) struct Immutable;

impl Rule for Immutable {
    fn condition(&self, write: &Write) -> Option<Node> {
        let kept = Node::all(write.kept.iter().map(|kept| is_kept(write, kept)).collect())?;
        let mut terms = Vec::new();
        if write.verb == Verb::Put {
            terms.extend(dead(write.schema, write.now));
            // If a row of an older shape may have the value elsewhere, an absent row has no shape.
            terms.extend(current_shape(write).map(|_| Node::NotExists(write.schema.partition.name.into())));
        }
        terms.push(kept);
        Node::any(terms)
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let Some(item) = item.filter(|item| state(write.schema, write.now, *item).is_live()) else { return };
        for kept in write.kept.iter().filter(|kept| !is_kept(write, kept).holds(item)) {
            let reason = match outdated(write, item) {
                Some(outdated) if is_absent(write.schema, kept.0, item) => outdated,
                _ => Reason::Immutable { attribute: kept.0 },
            };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
}

/// Returns the condition that an attribute is absent, or has the value of the write. In a row of an older shape, the value may have
/// another name, and only `upgrade` knows it.
fn is_kept(write: &Write, (name, value): &Kept) -> Node {
    let absent = absent(write.schema, name);
    let absent = match current_shape(write) {
        Some(current) => absent.and(current),
        None => absent,
    };
    match value {
        Some(value) => {
            let same = Node::Compare((*name).into(), Operator::Eq, value.clone());
            Node::Or(vec![absent, alias::seen(write.schema, same)])
        }
        None => absent,
    }
}

/// Returns `true` if an item has no value for an attribute.
pub(crate) fn is_absent(schema: &Schema, name: &'static str, item: &Item) -> bool {
    absent(schema, name).holds(item)
}

/// Returns the condition that an item has no value for an attribute.
fn absent(schema: &Schema, name: &'static str) -> Node {
    let nullable = schema.attribute(name).is_some_and(|attribute| attribute.nullable);
    alias::seen(schema, Node::absent(name.into(), nullable))
}

/// Returns the condition that a row has the current shape, if there are older ones and `SchemaVersion` does not demand it.
fn current_shape(write: &Write) -> Option<Node> {
    let version = write.schema.schema_version.as_ref().filter(|version| version.current > 1)?;
    matches!(write.verb, Verb::Put | Verb::Replace).then(|| version.is_current())
}

/// Returns the reason against a write over a row of an older shape.
fn outdated(write: &Write, item: &Item) -> Option<Reason> {
    current_shape(write).filter(|current| !current.holds(item))?;
    let version = write.schema.schema_version.as_ref()?;
    let found = version.of(item).ok().filter(|found| *found < version.current)?;
    Some(Reason::Outdated { found, current: version.current })
}
