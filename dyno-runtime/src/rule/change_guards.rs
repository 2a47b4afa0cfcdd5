//! The conditions of an update's changes (see `expression::Guard`), and the reasons that an item gives against them.

use super::write::Rule;
use super::{Verb, Write, alias, state};
use crate::attribute::{Item, compare, equal};
use crate::error::descriptor;
use crate::expression::{Guard, Node, Path};
use crate::rule::Reason;
use aws_sdk_dynamodb::types::AttributeValue;

/// The rule of an update's changes, for every entity.
#[derive(Debug)]
pub(super) struct Changes;

impl Rule for Changes {
    fn condition(&self, write: &Write) -> Option<Node> {
        let mut terms = Vec::new();
        for guard in &write.guards {
            let node = if is_about_names(guard) { guard.node() } else { alias::seen(write.schema, guard.node()) };
            node.push_onto(&mut terms);
        }
        Node::all(terms)
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        // Another rule reports an item that is absent or counts as absent. An upsert starts from an empty item.
        let nothing = Item::new();
        let item = item.or((write.verb == Verb::Update { upsert: true }).then_some(&nothing));
        // A put checks them in a dead row, too.
        let live = item.filter(|item| write.verb == Verb::Put || state(write.schema, write.now, *item).is_live());
        let Some(item) = live else { return };
        let resolved = alias::with_own_names(write.schema, item);
        // If NULL counts as absent, a guard of its own reports it, under the name that has the NULL.
        let is_reported = |null: &str| {
            let mut guards = write.guards.iter();
            guards.any(|guard| matches!(guard, Guard::Null { path, .. } if path.to_string() == null))
        };
        reasons.extend(write.guards.iter().filter_map(|guard| match guard {
            guard if is_about_names(guard) => guard.reason(item),
            guard => {
                guard.reason(&resolved).filter(|reason| !matches!(reason, Reason::Null { path } if is_reported(path)))
            }
        }));
    }
}

/// Returns true if a guard is about one of the names of an attribute, and not about its value under all of its names.
fn is_about_names(guard: &Guard) -> bool {
    matches!(guard, Guard::Moved(..) | Guard::One(..) | Guard::Null { .. })
}

impl Guard {
    /// Returns the reason why this item does not meet the guard, or `None` if it does.
    pub(super) fn reason(&self, item: &Item) -> Option<Reason> {
        if self.node().holds(item) {
            return None;
        }
        Some(match self {
            Self::Type(path, name) => match path.find(item) {
                None | Some(AttributeValue::Null(_)) => Reason::Absent { path: path.to_string() },
                Some(found) => corrupt(path, if *name == "M" { "a map (M)" } else { "a number (N)" }, found),
            },
            Self::Within { path, limit, absent, .. } => match path.find(item) {
                // The value may be absent, but NULL is no number.
                Some(AttributeValue::Null(_)) if *absent => Reason::Null { path: path.to_string() },
                None | Some(AttributeValue::Null(_)) => Reason::Absent { path: path.to_string() },
                Some(found) if compare(found, limit).is_none() => corrupt(path, "a number (N)", found),
                Some(_) => Reason::OutOfRange { path: path.to_string() },
            },
            Self::Null { path, .. } => Reason::Null { path: path.to_string() },
            Self::Embedded { attribute, .. } => Reason::OtherText { attribute },
            Self::Element(path, _) => Reason::OtherElement { path: path.to_string() },
            // `contains` also holds for texts and sets.
            Self::Lacks(path, _) => match path.find(item)? {
                AttributeValue::L(_) => Reason::Contained { path: path.to_string() },
                found => corrupt(path, "a list (L)", found),
            },
            Self::Moved(attribute, aliases) => {
                let found = aliases.iter().find(|alias| item.contains_key(**alias))?;
                let differs = Self::One(attribute, aliases).reason(item);
                differs.unwrap_or(Reason::Renamed { attribute, found })
            }
            Self::One(attribute, aliases) => {
                let mut names = std::iter::once(attribute).chain(aliases.iter());
                let first = names.find_map(|name| item.get(*name))?;
                let found = names.find(|name| item.get(**name).is_some_and(|other| !equal(first, other)))?;
                Reason::TwoValues { attribute, found }
            }
        })
    }
}

fn corrupt(path: &Path, expected: &'static str, found: &AttributeValue) -> Reason {
    Reason::Corrupt { attribute: path.declared(), expected, found: descriptor(found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Operator;

    #[test]
    fn a_value_of_another_type_is_corrupt() {
        let path = Path::from("n");
        let item = Item::from([("n".to_owned(), AttributeValue::S("a".to_owned()))]);
        let limit = AttributeValue::N("3".to_owned());
        let within =
            |absent| Guard::Within { path: path.clone(), operator: Operator::Le, limit: limit.clone(), absent };
        for (guard, expected) in [
            (Guard::Type(path.clone(), "N"), "a number (N)"),
            (Guard::Type(path.clone(), "M"), "a map (M)"),
            (within(false), "a number (N)"),
            (within(true), "a number (N)"),
        ] {
            let corrupt = Reason::Corrupt { attribute: "n", expected, found: "S" };
            assert_eq!(guard.reason(&item), Some(corrupt), "{guard:?}");
        }
    }
}
