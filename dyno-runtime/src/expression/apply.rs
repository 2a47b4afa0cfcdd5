//! Applies changes to an item in memory as DynamoDB does, or returns the reason why DynamoDB would refuse them.
//!
//! Each change reads the item as it was before all of the changes, and each index counts the elements as they were then. Values
//! that are set beyond the end of a list are appended in the order of their indexes. A missing map or list is not created.
//! (Developer guide, "Using update expressions in DynamoDB".)

use super::change_expression::{Assignment, Operand};
use super::{Path, RawChange};
use crate::attribute::{Decimal, Item};
use crate::error::{EncodeError, Error, Step, descriptor};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::BTreeSet;

/// Returns the item after these changes. If the item does not exist, `item` has only the key.
pub(crate) fn apply(changes: Vec<RawChange>, item: &Item) -> Result<Item, Error> {
    let (mut puts, mut removals) = (Vec::new(), Vec::new());
    for change in changes {
        let Some((path, assignment)) = change.assignment()? else { continue };
        match effect(&path, assignment, item).map_err(|error| path.locate(error))? {
            Effect::Put(value) => puts.push((path, value)),
            Effect::Remove => removals.push(path),
            Effect::Nothing => {}
        }
    }
    let mut after = item.clone();
    puts.sort_by_key(|(path, _)| path.index());
    for (path, value) in puts {
        put(&path, value, &mut after);
    }
    // Remove the last elements first, so that each index is still that of the element before the changes.
    removals.sort_by(|one, other| sort_key(other).cmp(sort_key(one)));
    for path in removals {
        remove(&path, &mut after);
    }
    Ok(after)
}

/// The effect of an assignment on its path.
enum Effect {
    Put(AttributeValue),
    Remove,
    Nothing,
}

fn effect(path: &Path, assignment: Assignment, item: &Item) -> Result<Effect, EncodeError> {
    let found = find_in_container(path, item)?;
    Ok(match assignment {
        Assignment::Set(operand) => Effect::Put(operand.value(item)?),
        Assignment::Plus(operand, by) => Effect::Put(sum(&operand.value(item)?, &by, Decimal::plus)?),
        Assignment::Minus(operand, by) => Effect::Put(sum(&operand.value(item)?, &by, Decimal::minus)?),
        Assignment::Append(operand, list) => Effect::Put(concatenate(operand.value(item)?, list)?),
        Assignment::Remove => found.map_or(Effect::Nothing, |_| Effect::Remove),
        Assignment::Add(value) => Effect::Put(match found {
            None => value,
            Some(number @ AttributeValue::N(_)) => sum(number, &value, Decimal::plus)?,
            Some(set) => union(set, value)?,
        }),
        Assignment::Delete(value) => match found.map(|set| difference(set, &value)).transpose()? {
            None => Effect::Nothing,
            Some(None) => Effect::Remove,
            Some(Some(set)) => Effect::Put(set),
        },
    })
}

/// Returns the value at a path, if there is one. The map or list around it must exist.
fn find_in_container<'a>(path: &Path, item: &'a Item) -> Result<Option<&'a AttributeValue>, EncodeError> {
    let container = path.parent().map(|parent| (parent.find(item), path.steps().last()));
    let expected = match container {
        None
        | Some(
            (Some(AttributeValue::M(_)), Some(Step::Name(_))) | (Some(AttributeValue::L(_)), Some(Step::Index(_))),
        ) => return Ok(path.find(item)),
        Some((_, Some(Step::Index(_)))) => "list",
        Some(_) => "map",
    };
    Err(EncodeError::new(format!("the item has no {expected} that contains it: set the whole {expected}")))
}

impl Operand {
    fn value(self, item: &Item) -> Result<AttributeValue, EncodeError> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Path(path) => {
                let found = path.find(item).cloned();
                found.ok_or_else(|| EncodeError::new("the item has no value here, and the change needs one"))
            }
            Self::IfNotExists(paths, value) => {
                Ok(paths.iter().find_map(|path| path.find(item)).cloned().unwrap_or(value))
            }
        }
    }
}

/// The error of an operand whose type the operation does not take.
#[cold]
fn wrong_operand(found: &AttributeValue, taken: &str) -> EncodeError {
    EncodeError::new(format!("the stored value is {}, and the change needs {taken}", descriptor(found)))
}

fn sum(
    one: &AttributeValue,
    other: &AttributeValue,
    of: fn(&Decimal, &Decimal) -> Option<Decimal>,
) -> Result<AttributeValue, EncodeError> {
    let [one, other] = [one, other].map(|operand| match operand {
        AttributeValue::N(number) => Decimal::parse(number).ok_or_else(|| wrong_operand(operand, "a number (N)")),
        _ => Err(wrong_operand(operand, "a number (N)")),
    });
    let sum = of(&one?, &other?).ok_or_else(|| {
        EncodeError::new(
            "DynamoDB cannot store the sum: it has more than 38 digits, or is not 0 and not from 1E-130 to 9.99E+125",
        )
    });
    Ok(AttributeValue::N(sum?.spelled()))
}

fn concatenate(mut one: AttributeValue, mut other: AttributeValue) -> Result<AttributeValue, EncodeError> {
    match (&mut one, &mut other) {
        (AttributeValue::L(elements), AttributeValue::L(more)) => {
            elements.append(more);
            Ok(one)
        }
        (AttributeValue::L(_), _) => Err(wrong_operand(&other, "a list (L)")),
        _ => Err(wrong_operand(&one, "a list (L)")),
    }
}

/// Returns the union of two sets of one type. Numbers are equal in any spelling, and the stored spelling is kept.
fn union(one: &AttributeValue, other: AttributeValue) -> Result<AttributeValue, EncodeError> {
    fn all<T: Clone, K: Ord>(one: &[T], other: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
        let known: BTreeSet<K> = one.iter().map(&key).collect();
        one.iter().cloned().chain(other.into_iter().filter(|element| !known.contains(&key(element)))).collect()
    }
    Ok(match (one, other) {
        (AttributeValue::Ss(one), AttributeValue::Ss(other)) => AttributeValue::Ss(all(one, other, String::clone)),
        (AttributeValue::Ns(one), AttributeValue::Ns(other)) => {
            AttributeValue::Ns(all(one, other, |text| Decimal::parse(text)))
        }
        (AttributeValue::Bs(one), AttributeValue::Bs(other)) => {
            AttributeValue::Bs(all(one, other, |bytes| bytes.as_ref().to_vec()))
        }
        (one, other) => return Err(wrong_operand(one, descriptor(&other))),
    })
}

/// Returns a set without the elements of another of its type, or `None` if none is left.
fn difference(one: &AttributeValue, other: &AttributeValue) -> Result<Option<AttributeValue>, EncodeError> {
    fn rest<T: Clone, K: Ord>(one: &[T], other: &[T], key: impl Fn(&T) -> K) -> Option<Vec<T>> {
        let removed: BTreeSet<K> = other.iter().map(&key).collect();
        let rest: Vec<T> = one.iter().filter(|element| !removed.contains(&key(element))).cloned().collect();
        (!rest.is_empty()).then_some(rest)
    }
    Ok(match (one, other) {
        (AttributeValue::Ss(one), AttributeValue::Ss(other)) => rest(one, other, String::clone).map(AttributeValue::Ss),
        (AttributeValue::Ns(one), AttributeValue::Ns(other)) => {
            rest(one, other, |text| Decimal::parse(text)).map(AttributeValue::Ns)
        }
        (AttributeValue::Bs(one), AttributeValue::Bs(other)) => {
            rest(one, other, |bytes| bytes.as_ref().to_vec()).map(AttributeValue::Bs)
        }
        (one, other) => return Err(wrong_operand(one, descriptor(other))),
    })
}

/// Returns the steps of a path, so that paths sort by the index of the element in each list.
fn sort_key(path: &Path) -> impl Iterator<Item = (usize, &str)> {
    path.steps().iter().map(|step| match step {
        Step::Name(name) => (0, name.as_ref()),
        Step::Index(index) => (*index, ""),
    })
}

impl Path {
    /// Returns the index in a list, if the path leads to an element.
    fn index(&self) -> Option<usize> {
        match self.steps().last() {
            Some(Step::Index(index)) => Some(*index),
            Some(Step::Name(_)) | None => None,
        }
    }
}

/// Sets the value at a path. Beyond the end of a list, it is appended.
fn put(path: &Path, value: AttributeValue, item: &mut Item) {
    let container = path.parent().map(|parent| parent.find_mut(item));
    match (container, path.steps().last()) {
        (Some(Some(AttributeValue::M(members))), Some(Step::Name(name))) => {
            members.insert(name.clone().into_owned(), value);
        }
        (Some(Some(AttributeValue::L(elements))), Some(Step::Index(index))) => match elements.get_mut(*index) {
            Some(element) => *element = value,
            None => elements.push(value),
        },
        (None, _) => {
            item.insert(path.name().to_owned(), value);
        }
        (Some(_), _) => {}
    }
}

/// Removes the value at a path.
fn remove(path: &Path, item: &mut Item) {
    let container = path.parent().map(|parent| parent.find_mut(item));
    match (container, path.steps().last()) {
        (Some(Some(AttributeValue::M(members))), Some(Step::Name(name))) => {
            members.remove(name.as_ref());
        }
        (Some(Some(AttributeValue::L(elements))), Some(Step::Index(index))) if *index < elements.len() => {
            elements.remove(*index);
        }
        (None, _) => {
            item.remove(path.name());
        }
        (Some(_), _) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Action;

    fn n(number: &str) -> AttributeValue {
        AttributeValue::N(number.to_owned())
    }

    fn list(numbers: &[&str]) -> AttributeValue {
        AttributeValue::L(numbers.iter().map(|number| n(number)).collect())
    }

    fn set(numbers: &[&str]) -> AttributeValue {
        AttributeValue::Ns(numbers.iter().map(|number| (*number).to_owned()).collect())
    }

    fn item<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Item {
        attributes.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn at(name: &'static str, index: usize) -> Path {
        Path::from(name).then(Step::Index(index))
    }

    fn of(changes: Vec<(Path, Action)>, item: &Item) -> Result<Item, String> {
        let changes = changes.into_iter().map(|(path, action)| RawChange::new(path, Ok(action)));
        apply(changes.collect(), item).map_err(|error| error.to_string())
    }

    #[test]
    fn indexes_refer_to_the_list_before_the_update() {
        let before = item([("l", list(&["0", "1", "2", "3"]))]);
        let set = |index, number| (at("l", index), Action::Set(n(number)));
        let remove = |index| (at("l", index), Action::Remove);
        for (changes, after) in [
            (vec![remove(0), set(2, "7"), remove(1)], &["7", "3"][..]),
            (vec![set(9, "9"), set(5, "5"), remove(0)], &["1", "2", "3", "5", "9"]),
            // There was no element at index 4 before the change, although 9 is appended now.
            (vec![set(9, "9"), remove(4)], &["0", "1", "2", "3", "9"]),
            (vec![remove(7)], &["0", "1", "2", "3"]),
        ] {
            assert_eq!(of(changes.clone(), &before), Ok(item([("l", list(after))])), "{changes:?}");
        }
    }

    #[test]
    fn a_change_within_an_element_applies_before_other_elements_are_removed() {
        let before = item([("l", AttributeValue::L(vec![n("0"), list(&["1", "2"])]))]);
        let within = at("l", 1).then(Step::Index(0));
        let after = item([("l", AttributeValue::L(vec![list(&["2"])]))]);
        assert_eq!(of(vec![(at("l", 0), Action::Remove), (within, Action::Remove)], &before), Ok(after));
    }

    #[test]
    fn each_change_reads_the_item_before_the_update() {
        let before = item([("old", n("3"))]);
        let plus = Action::Plus { by: n("4"), absent: None };
        let moved = RawChange { aliases: &["older", "old"], ..RawChange::new("n", Ok(plus)) };
        let left = RawChange::new("old", Ok(Action::Remove));
        assert_eq!(apply(vec![left, moved], &before).ok(), Some(item([("n", n("7"))])));
    }

    #[test]
    fn a_set_is_joined_by_value_and_removed_with_its_last_element() {
        let before = item([("s", set(&["1", "2"]))]);
        let change = |action| of(vec![("s".into(), action)], &before);
        assert_eq!(change(Action::Add(set(&["2.0", "3"]))), Ok(item([("s", set(&["1", "2", "3"]))])));
        assert_eq!(change(Action::Delete(set(&["2.0", "3"]))), Ok(item([("s", set(&["1"]))])));
        assert_eq!(change(Action::Delete(set(&["1E0", "2"]))), Ok(Item::new()));
        assert_eq!(of(vec![("t".into(), Action::Delete(set(&["1"])))], &before), Ok(before.clone()));
    }

    #[test]
    fn a_change_that_dynamodb_would_refuse_is_refused_with_its_path() {
        let before =
            item([("n", n("9E125")), ("t", AttributeValue::S("a".to_owned())), ("m", AttributeValue::M(Item::new()))]);
        let inner = |name: &'static str| Path::from(name).then(Step::Name("x".into()));
        let append = Action::Append { list: list(&["1"]), absent: list(&[]) };
        for (path, action, expected) in [
            (inner("gone"), Action::Set(n("1")), "`gone.x`: the item has no map that contains it"),
            (inner("t"), Action::Remove, "`t.x`: the item has no map that contains it"),
            (at("m", 0), Action::Set(n("1")), "`m[0]`: the item has no list that contains it"),
            ("n".into(), Action::Add(n("9E125")), "`n`: DynamoDB cannot store the sum"),
            ("n".into(), Action::Minus { by: n("1") }, "`n`: DynamoDB cannot store the sum"),
            ("t".into(), Action::Add(n("1")), "`t`: the stored value is S, and the change needs N"),
            ("t".into(), append, "`t`: the stored value is S, and the change needs a list (L)"),
            ("gone".into(), Action::Minus { by: n("1") }, "`gone`: the item has no value here"),
            ("n".into(), Action::Delete(set(&["1"])), "`n`: the stored value is N, and the change needs NS"),
        ] {
            let refused = of(vec![(path, action.clone())], &before).expect_err("refused");
            assert!(refused.contains(expected), "{action:?}: {refused}");
        }
        assert!(of(vec![(inner("m"), Action::Remove)], &before).is_ok());
    }
}
