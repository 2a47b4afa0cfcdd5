//! What the changes of an update demand of the item, each for itself: see `expression::Guard`. The reasons that it has against
//! an item are here.

use super::write::Rule;
use super::{Verb, Write, alias, is_dead};
use crate::attribute::{Item, compare, equal};
use crate::error::descriptor;
use crate::expression::{Guard, Node, Operator, Path};
use crate::rule::Reason;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

/// Of every entity.
#[derive(Debug)]
pub(super) struct Changes;

impl Rule for Changes {
    fn condition(&self, write: &Write) -> Option<Node> {
        let nodes = write.guards.iter().map(|guard| match guard {
            // Of the names themselves.
            Guard::Moved(..) | Guard::One(..) | Guard::Null { .. } => guard.node(),
            guard => alias::seen(write.schema, guard.node()),
        });
        let terms = nodes.flat_map(|node| match node {
            Node::And(terms) => terms,
            node => vec![node],
        });
        Node::all(terms.collect())
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        // What is not there, or counts as absent, is another rule's; an upsert begins with nothing.
        let nothing = Item::new();
        let item = item.or((write.verb == Verb::Update { upsert: true }).then_some(&nothing));
        let live = item.filter(|item| is_dead(write.schema, write.now, item).is_none());
        let Some(item) = live else { return };
        let settled = alias::settled(write.schema, item);
        // Where NULL counts as absent, a guard of its own tells it, under the name that it is stored under.
        let tells_null = |path: &Path| {
            let mut guards = write.guards.iter();
            guards.any(|guard| matches!(guard, Guard::Null { path: of, .. } if of == path))
        };
        reasons.extend(write.guards.iter().filter_map(|guard| match guard {
            Guard::Moved(..) | Guard::One(..) | Guard::Null { .. } => guard.reason(item),
            Guard::Within { path, absent: true, .. } if tells_null(path) && is_null(path, &settled) => None,
            _ => guard.reason(&settled),
        }));
    }
}

fn is_null(path: &Path, item: &Item) -> bool {
    path.find(item).is_some_and(AttributeValue::is_null)
}

impl Guard {
    /// Why this item does not meet the demand, if it does not.
    pub(super) fn reason(&self, item: &Item) -> Option<Reason> {
        match self {
            Self::Type(path, name) => match path.find(item) {
                None | Some(AttributeValue::Null(_)) => Some(Reason::Absent { path: path.to_string() }),
                Some(AttributeValue::M(_)) if *name == "M" => None,
                Some(AttributeValue::N(_)) if *name == "N" => None,
                Some(found) => Some(Reason::Corrupt {
                    attribute: path.declared(),
                    expected: if *name == "M" { "a map (M)" } else { "a number (N)" },
                    found: descriptor(found),
                }),
            },
            Self::Null { path, vacant } => {
                let is_as_read = match path.find(item) {
                    None => true,
                    Some(found) => found.is_null() == *vacant,
                };
                (!is_as_read).then(|| Reason::Null { path: path.to_string() })
            }
            Self::Moved(attribute, aliases) => {
                let found = aliases.iter().find(|alias| item.contains_key(**alias));
                let differs = Self::One(attribute, aliases).reason(item);
                differs.or_else(|| found.map(|found| Reason::Renamed { attribute, found }))
            }
            Self::One(attribute, aliases) => {
                let mut names = std::iter::once(attribute).chain(aliases.iter());
                let first = names.find_map(|name| item.get(*name))?;
                let found = names.find(|name| item.get(**name).is_some_and(|other| !equal(first, other)));
                found.map(|found| Reason::TwoValues { attribute, found })
            }
            Self::Element(path, element) => {
                let is_there = path.find(item).is_some_and(|found| equal(found, element));
                (!is_there).then(|| Reason::OtherElement { path: path.to_string() })
            }
            Self::Lacks(path, value) => {
                let is_there = match path.find(item) {
                    Some(AttributeValue::L(elements)) => elements.iter().any(|element| equal(element, value)),
                    _ => false,
                };
                is_there.then(|| Reason::Contained { path: path.to_string() })
            }
            Self::Within { path, operator, limit, absent } => match path.find(item) {
                None if *absent => None,
                // The bound lets nothing pass, and is no bound of NULL.
                Some(AttributeValue::Null(_)) if *absent => Some(Reason::Null { path: path.to_string() }),
                None | Some(AttributeValue::Null(_)) => Some(Reason::Absent { path: path.to_string() }),
                Some(found) => match (compare(found, limit), operator) {
                    (None, _) => Some(Reason::Corrupt {
                        attribute: path.declared(),
                        expected: "a number (N)",
                        found: descriptor(found),
                    }),
                    (Some(Ordering::Greater), Operator::Le) | (Some(Ordering::Less), Operator::Ge) => {
                        Some(Reason::OutOfRange { path: path.to_string() })
                    }
                    _ => None,
                },
            },
        }
    }
}
