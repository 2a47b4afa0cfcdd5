//! Aliases: older names under which an attribute's value may still be stored.
//!
//! The value is stored under the attribute's own name, or else under the first alias that the item has. Reads, conditions and
//! filters find it under any of these names. A change of the attribute moves the value to its own name in the same request: if
//! the value stayed under the alias, it would come back when the attribute itself is removed.
//!
//! So dyno leaves a value under one name only. If an item has values under two names, a program that knows only one of the names
//! has written since, and dyno must not drop either value. Then reads, and writes that depend on the value, are refused. A write
//! that sets the value leaves one name.

use crate::attribute::{Item, RawValue, equal};
use crate::error::DecodeError;
use crate::expression::{Action, Guard, Node, Operator, Path, RawChange};
use crate::rule::Reason;
use crate::schema::Schema;
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;

/// Returns the condition, extended so that it finds each attribute under any of its names.
pub(crate) fn seen(schema: &Schema, node: Node) -> Node {
    if !schema.has_aliases() {
        return node;
    }
    let all = |terms: Vec<Node>| terms.into_iter().map(|term| seen(schema, term)).collect();
    match node {
        Node::And(terms) => Node::And(all(terms)),
        Node::Or(terms) => Node::Or(all(terms)),
        Node::Not(term) => seen(schema, *term).not(),
        Node::ComparePaths(one, operator, other) => comparison(schema, &one, operator, &other),
        term => match term.path().and_then(|path| schema.attribute(path.name())) {
            Some(attribute) => under_any(term, attribute.aliases, attribute.nullable),
            None => term,
        },
    }
}

/// Returns a single condition on an attribute under its own name, or else under the first of these aliases that the item has. If
/// NULL counts as absent, it does so under each name.
fn under_any(term: Node, aliases: &[&'static str], nullable: bool) -> Node {
    let (Some(path), [alias, others @ ..]) = (term.path().cloned(), aliases) else {
        return term;
    };
    let (own, is_attribute) = (Path::from(path.declared()), path.is_attribute());
    let other = under_any(term.clone().renamed(alias), others, nullable);
    let there = if nullable { Node::Present(own.clone()) } else { Node::Exists(own.clone()) };
    let absent = Node::absent(own, nullable);
    // Some conditions also hold for an absent attribute.
    let is_of_absence = matches!(
        term,
        Node::NotExists(_)
            | Node::Vacant(_)
            | Node::Compare(_, Operator::Ne, _)
            | Node::CompareSize(_, Operator::Ne, _)
    );
    match term {
        Node::Exists(_) | Node::Present(_) if is_attribute => Node::Or(vec![term, other]),
        Node::NotExists(_) | Node::Vacant(_) if is_attribute => Node::And(vec![term, other]),
        term => {
            let here = if is_of_absence { Node::And(vec![there, term]) } else { term };
            Node::Or(vec![here, Node::And(vec![absent, other])])
        }
    }
}

/// Returns the comparison of two attributes, of which each may be stored under any of its names.
fn comparison(schema: &Schema, one: &Path, operator: Operator, other: &Path) -> Node {
    if operator == Operator::Ne {
        return comparison(schema, one, Operator::Eq, other).not();
    }
    let others = places(schema, other);
    let pairs = places(schema, one).into_iter().flat_map(|(one, is_one)| {
        let compare = move |(other, is_other): &(Path, Vec<Node>)| {
            let mut terms = is_one.clone();
            terms.extend(is_other.iter().cloned());
            terms.push(Node::ComparePaths(one.clone(), operator, other.clone()));
            Node::all(terms)
        };
        others.iter().filter_map(compare).collect::<Vec<_>>()
    });
    // There is a pair, because each attribute has a name.
    Node::any(pairs.collect()).unwrap_or_else(|| Node::ComparePaths(one.clone(), operator, other.clone()))
}

/// Returns the places where the value of this path may be stored, each with the conditions that it is stored there. The conditions
/// of the last place may hold although there is no value.
fn places(schema: &Schema, path: &Path) -> Vec<(Path, Vec<Node>)> {
    let Some(attribute) = schema.attribute(path.name()).filter(|attribute| !attribute.aliases.is_empty()) else {
        return vec![(path.clone(), Vec::new())];
    };
    let names = || std::iter::once(attribute.name).chain(attribute.aliases.iter().copied());
    let condition = |(index, name): (usize, &'static str)| {
        let absent = |name: &'static str| Node::absent(name.into(), attribute.nullable);
        let mut terms: Vec<Node> = names().take(index).map(absent).collect();
        terms.extend(attribute.nullable.then(|| Node::is_null(name.into()).not()));
        (path.clone().renamed(name), terms)
    };
    names().enumerate().map(condition).collect()
}

/// Returns all names under which these attributes may be stored.
pub(crate) fn names(schema: &Schema, names: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    names.iter().flat_map(|name| std::iter::once(*name).chain(schema.aliases(name).iter().copied()))
}

/// Returns the item with each value under its attribute's own name as well.
pub(crate) fn with_own_names<'a>(schema: &Schema, item: &'a Item) -> Cow<'a, Item> {
    let mut resolved = Cow::Borrowed(item);
    for attribute in schema.attributes {
        let is_value = |value: &&AttributeValue| !(attribute.nullable && value.is_null());
        let found = attribute.aliases.iter().find_map(|alias| item.get(*alias).filter(is_value));
        if let (None, Some(value)) = (item.get(attribute.name).filter(is_value), found) {
            resolved.to_mut().insert(attribute.name.to_owned(), value.clone());
        }
    }
    resolved
}

/// Moves each value to its attribute's own name. If an attribute has two values, this is an error.
pub(crate) fn settle(schema: &Schema, item: &mut Item) -> Result<(), DecodeError> {
    for attribute in schema.attributes.iter().filter(|attribute| !attribute.aliases.is_empty()) {
        let take_value = |name: &str| item.remove(name).map(RawValue::from);
        if let Some((_, value)) = take(attribute.name, attribute.aliases, take_value)? {
            item.insert(attribute.name.to_owned(), value.into_attribute_value());
        }
    }
    Ok(())
}

/// Returns the changes, extended so that they move each value that they change to its attribute's own name.
pub(crate) fn moving(schema: &Schema, changes: Vec<RawChange>) -> Vec<RawChange> {
    if !schema.has_aliases() {
        return changes;
    }
    let mut moved = Vec::with_capacity(changes.len());
    let mut left = Vec::new();
    for mut change in changes {
        let aliases = schema.aliases(change.path.name());
        if !is_partial(&change) && !matches!(change.action, Ok(Action::Nothing) | Err(_)) {
            change.aliases = aliases;
            left.extend(aliases.iter().map(|alias| RawChange::new(*alias, Ok(Action::Remove))));
        }
        // `ADD` cannot start from a value under another name, but the sum of two numbers can.
        change.action = match change.action {
            Ok(Action::Add(by @ AttributeValue::N(_))) if !aliases.is_empty() => {
                Ok(Action::Plus { by, absent: Some(AttributeValue::N("0".to_owned())) })
            }
            action => action,
        };
        moved.push(change);
    }
    moved.append(&mut left);
    moved
}

/// Returns the guards that such changes need besides their own: an attribute that is changed in part must be stored under its own
/// name, and a value that is moved must be the only one.
pub(crate) fn guards(schema: &Schema, changes: &[RawChange]) -> Vec<Guard> {
    if !schema.has_aliases() {
        return Vec::new();
    }
    let of = |change: &RawChange| {
        let (name, aliases) = (change.path.declared(), schema.aliases(change.path.name()));
        match &change.action {
            _ if aliases.is_empty() => None,
            _ if is_partial(change) => Some(Guard::Moved(name, aliases)),
            Ok(Action::Set(_) | Action::Remove | Action::Nothing) | Err(_) => None,
            Ok(_) => Some(Guard::One(name, aliases)),
        }
    };
    changes.iter().filter_map(of).collect()
}

/// Returns the guards of the caller's condition: each attribute that it reads must have only one value.
pub(crate) fn looked_at(schema: &Schema, condition: &Node) -> Vec<Guard> {
    if !schema.has_aliases() {
        return Vec::new();
    }
    let names = condition.names();
    let looked_at = schema.attributes.iter().filter(|attribute| names.contains(&attribute.name));
    let aliased = looked_at.filter(|attribute| !attribute.aliases.is_empty());
    aliased.map(|attribute| Guard::One(attribute.name, attribute.aliases)).collect()
}

/// Takes the value of an attribute by `take_value`, and returns it with the name under which it was stored. Equal values under other
/// names are taken, too. A different value is an error.
pub(crate) fn take<'a>(
    name: &'static str,
    aliases: &'static [&'static str],
    mut take_value: impl FnMut(&str) -> Option<RawValue<'a>>,
) -> Result<Option<(&'static str, RawValue<'a>)>, DecodeError> {
    let mut names = std::iter::once(name).chain(aliases.iter().copied());
    let Some((first, value)) = names.find_map(|name| Some((name, take_value(name)?))) else { return Ok(None) };
    for other in names {
        let is_equal =
            |another: RawValue<'_>| equal(&value.clone().into_attribute_value(), &another.into_attribute_value());
        if take_value(other).is_some_and(|another| !is_equal(another)) {
            let found = format!(
                "different ones under `{first}` and `{other}`: decide which is right, and set the field, or put the item"
            );
            return Err(DecodeError::new("one value under all of its names", found).at_name(name));
        }
    }
    Ok(Some((first, value)))
}

/// Returns `true` if a change concerns only a part of an attribute, so that it cannot move the other parts.
fn is_partial(change: &RawChange) -> bool {
    let of_elements = match &change.action {
        Ok(Action::Add(value) | Action::Delete(value)) => !matches!(value, AttributeValue::N(_)),
        _ => false,
    };
    of_elements || !change.path.is_attribute()
}

/// Returns the reason against a change of a part, if the attribute is stored under an alias.
pub(crate) fn elsewhere(schema: &Schema, path: &Path, item: &Item) -> Option<Reason> {
    Guard::Moved(path.declared(), schema.aliases(path.name())).reason(item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Step;
    use crate::schema::StoredAttribute;

    const ATTRIBUTE: StoredAttribute =
        StoredAttribute { name: "n", aliases: &["old", "older"], field: "n", ..StoredAttribute::PLAIN };
    static PLAIN: Schema = Schema { attributes: &[ATTRIBUTE], ..Schema::PLAIN };
    static NULLABLE: Schema =
        Schema { attributes: &[StoredAttribute { nullable: true, ..ATTRIBUTE }], ..Schema::PLAIN };

    fn number(number: u8) -> AttributeValue {
        AttributeValue::N(number.to_string())
    }

    /// Rows that have the value under any of its names, and rows that have two or three values.
    fn items() -> Vec<Item> {
        let map =
            |entries: &[u8]| AttributeValue::M(entries.iter().map(|entry| ("a".to_owned(), number(*entry))).collect());
        let values = [number(1), number(2), AttributeValue::Null(true), map(&[]), map(&[1]), map(&[2])];
        let values: Vec<_> = values.into_iter().map(Some).chain([None]).collect();
        let mut items = vec![Item::new()];
        for name in ["n", "old", "older"] {
            let with = |item: &Item, value: &Option<AttributeValue>| {
                let value = value.clone().map(|value| (name.to_owned(), value));
                item.clone().into_iter().chain(value).collect()
            };
            items = items
                .iter()
                .flat_map(|item| values.iter().map(|value| with(item, value)).collect::<Vec<_>>())
                .collect();
        }
        items
    }

    fn nodes(path: &Path, nullable: bool) -> Vec<Node> {
        let path = || path.clone();
        let compared = [Operator::Eq, Operator::Ne, Operator::Lt, Operator::Le, Operator::Gt, Operator::Ge];
        let compared = compared.into_iter().map(|operator| Node::Compare(path(), operator, number(1)));
        let sizes =
            [Operator::Eq, Operator::Ne].into_iter().map(|operator| Node::CompareSize(path(), operator, number(1)));
        let there = if nullable {
            [Node::Present(path()), Node::Vacant(path())]
        } else {
            [Node::Exists(path()), Node::NotExists(path())]
        };
        let others = [Node::Between(path(), number(1), number(1)), Node::In(path(), vec![number(2)])];
        let nodes = compared.chain(sizes).chain(there).chain(others).chain([Node::IsType(path(), "N")]);
        nodes.flat_map(|node| [node.clone(), node.not()]).collect()
    }

    #[test]
    fn a_condition_applies_to_the_value_that_reads_return() {
        let own = Path::from("n");
        for schema in [&PLAIN, &NULLABLE] {
            for path in [own.clone(), own.then(Step::Name("a".into()))] {
                for node in nodes(&path, schema.attributes[0].nullable) {
                    let seen = seen(schema, node.clone());
                    for item in items() {
                        let read = node.holds(&with_own_names(schema, &item));
                        assert_eq!(seen.holds(&item), read, "{node:?} as {seen:?}, of {item:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_comparison_of_two_attributes_applies_to_the_values_that_reads_return() {
        const OTHER: StoredAttribute =
            StoredAttribute { name: "m", aliases: &["mm"], field: "m", nullable: true, ..ATTRIBUTE };
        static ONE_NULLABLE: Schema = Schema { attributes: &[ATTRIBUTE, OTHER], ..Schema::PLAIN };
        static BOTH_NULLABLE: Schema =
            Schema { attributes: &[StoredAttribute { nullable: true, ..ATTRIBUTE }, OTHER], ..Schema::PLAIN };
        let others: Vec<Item> = [None, Some(number(1)), Some(number(2)), Some(AttributeValue::Null(true))]
            .iter()
            .flat_map(|own| [None, Some(number(1))].map(|alias| [("m", own.clone()), ("mm", alias)]))
            .map(|values| values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
            .collect();
        for (schema, operator) in [&ONE_NULLABLE, &BOTH_NULLABLE].into_iter().flat_map(|schema| {
            [Operator::Eq, Operator::Ne, Operator::Lt, Operator::Ge].map(|operator| (schema, operator))
        }) {
            // As the handles of fields do it, because NULL equals NULL.
            let nullable = if schema.attributes[0].nullable { "n" } else { "m" };
            let equal = || Node::same("n", "m").and(Node::Present(nullable.into()));
            let node = match operator {
                Operator::Eq => equal(),
                Operator::Ne => equal().not(),
                _ => Node::ComparePaths("n".into(), operator, "m".into()),
            };
            let seen = seen(schema, node.clone());
            for (one, other) in items().iter().flat_map(|one| others.iter().map(move |other| (one, other))) {
                let item: Item = one.clone().into_iter().chain(other.clone()).collect();
                let read = node.holds(&with_own_names(schema, &item));
                assert_eq!(seen.holds(&item), read, "{node:?} as {seen:?}, of {item:?}");
            }
        }
    }

    /// A change of a part of a value cannot move the other parts, so it leaves the value in its place.
    #[test]
    fn only_a_change_of_the_whole_value_moves_it_from_its_alias() {
        let own = Path::from("n");
        let set = || Action::Set(number(1));
        let whole = [
            (RawChange::new(own.clone(), Ok(set())), 3),
            (RawChange::new(own.clone(), Ok(Action::Remove)), 3),
            (RawChange::new(own.clone(), Ok(Action::Add(number(1)))), 3),
        ];
        let part = [
            (RawChange::new(own.clone(), Ok(Action::Nothing)), 1),
            (RawChange::new(own.clone(), Ok(Action::Add(AttributeValue::Ns(vec!["1".to_owned()])))), 1),
            (RawChange::new(own.then(Step::Name("a".into())), Ok(set())), 1),
            (RawChange::new(own.then(Step::Index(0)), Ok(Action::Remove)), 1),
        ];
        for (change, count) in whole.into_iter().chain(part) {
            let moved = moving(&PLAIN, vec![change.clone()]);
            assert_eq!(moved.len(), count, "{change:?}");
            assert_eq!(moved[0].aliases.is_empty(), count == 1, "{change:?}");
        }
    }
}
