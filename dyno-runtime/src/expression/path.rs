//! Paths in an item: to an attribute, or to a place within one.

use crate::attribute::Item;
use crate::error::{EncodeError, Step};
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;
use std::fmt;

/// An attribute's name and the steps from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    name: Cow<'static, str>,
    steps: Vec<Step>,
}

impl From<&'static str> for Path {
    fn from(name: &'static str) -> Self {
        // No allocation: an empty `Vec` has none.
        Self { name: Cow::Borrowed(name), steps: Vec::new() }
    }
}

/// Makes the path of an attribute that may not be declared, whose name comes from a stored row.
impl From<String> for Path {
    fn from(name: String) -> Self {
        Self::from(Cow::Owned(name))
    }
}

impl From<Cow<'static, str>> for Path {
    fn from(name: Cow<'static, str>) -> Self {
        Self { name, steps: Vec::new() }
    }
}

impl Path {
    /// Returns the attribute's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the attribute's name, which the caller can keep without a copy if it is declared.
    pub(crate) fn root(&self) -> &Cow<'static, str> {
        &self.name
    }

    /// Returns the attribute's name, as the entity declares it.
    pub(crate) fn declared(&self) -> &'static str {
        match self.name {
            Cow::Borrowed(name) => name,
            // The attribute is not declared. No caller asks for its name.
            Cow::Owned(_) => "",
        }
    }

    /// Returns the same place within another attribute.
    pub(crate) fn renamed(self, name: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), ..self }
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns true if the path is a whole attribute and not a place within one.
    pub(crate) fn is_attribute(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the path that has one more step.
    #[must_use]
    pub(crate) fn then(&self, step: Step) -> Self {
        let mut path = self.clone();
        path.steps.push(step);
        path
    }

    /// Returns the path of the container, if this is a place within one.
    pub(crate) fn parent(&self) -> Option<Self> {
        let (_, steps) = self.steps.split_last()?;
        Some(Self { name: self.name.clone(), steps: steps.to_vec() })
    }

    /// Returns true if the two paths are equal or one is within the other. DynamoDB refuses an update that changes both.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.name == other.name && self.steps.iter().zip(&other.steps).all(|(one, other)| one == other)
    }

    /// Returns the value that an item has at this path.
    pub(crate) fn find<'a>(&self, item: &'a Item) -> Option<&'a AttributeValue> {
        self.steps.iter().try_fold(item.get(self.name())?, |value, step| match (value, step) {
            (AttributeValue::M(members), Step::Name(name)) => members.get(name.as_ref()),
            (AttributeValue::L(elements), Step::Index(index)) => elements.get(*index),
            _ => None,
        })
    }

    /// Returns a mutable reference to the value at this path.
    #[cfg(feature = "transactions")]
    pub(crate) fn find_mut<'a>(&self, item: &'a mut Item) -> Option<&'a mut AttributeValue> {
        self.steps.iter().try_fold(item.get_mut(self.name())?, |value, step| match (value, step) {
            (AttributeValue::M(members), Step::Name(name)) => members.get_mut(name.as_ref()),
            (AttributeValue::L(elements), Step::Index(index)) => elements.get_mut(*index),
            _ => None,
        })
    }

    /// Adds this path to the path of an error.
    #[cold]
    pub(crate) fn locate(&self, error: EncodeError) -> EncodeError {
        self.steps.iter().rev().fold(error, |error, step| error.at(step.clone())).at_name(self.name.clone())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.steps.iter().try_for_each(|step| match step {
            Step::Name(name) => write!(f, ".{name}"),
            Step::Index(index) => write!(f, "[{index}]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(steps: &[&'static str]) -> Path {
        steps[1..].iter().fold(steps[0].into(), |path: Path, step| path.then(Step::Name((*step).into())))
    }

    #[test]
    fn a_path_overlaps_itself_its_parents_and_its_parts() {
        let [a, ab, abc, ac, b] = [&["a"][..], &["a", "b"], &["a", "b", "c"], &["a", "c"], &["b"]].map(path);
        for (one, other) in [(&a, &a), (&a, &ab), (&a, &abc), (&ab, &abc), (&ab, &ab)] {
            assert!(one.overlaps(other) && other.overlaps(one), "{one} {other}");
        }
        for (one, other) in [(&ab, &ac), (&abc, &ac), (&a, &b), (&ab, &b)] {
            assert!(!one.overlaps(other) && !other.overlaps(one), "{one} {other}");
        }
        let [first, second] = [0, 1].map(|index| a.then(Step::Index(index)));
        assert!(!first.overlaps(&second) && first.overlaps(&a));
    }

    #[test]
    fn find_returns_the_value_at_a_path_if_there_is_one() {
        let n = |number: &str| AttributeValue::N(number.to_owned());
        let list = AttributeValue::L(vec![n("1"), n("2")]);
        let item = Item::from([("a".to_owned(), AttributeValue::M(Item::from([("b".to_owned(), list)])))]);
        let list = path(&["a", "b"]);
        assert_eq!(list.then(Step::Index(1)).find(&item), Some(&n("2")));
        assert_eq!(list.then(Step::Index(2)).find(&item), None);
        assert_eq!(path(&["a", "c"]).find(&item), None);
        assert_eq!(list.then(Step::Name("c".into())).find(&item), None);
        assert_eq!(list.then(Step::Index(1)).to_string(), "a.b[1]");
        assert_eq!(list.parent(), Some(path(&["a"])));
    }
}
