//! Placeholders of one request: every name and value that its expressions use, each once.

use super::Path;
use crate::Error;
use crate::attribute::Step;
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

/// The names and values of one request's expressions.
///
/// A placeholder is the attribute's own name where that is made of letters, digits and underscores, so that
/// a request can be read; else a number.
#[derive(Debug, Default)]
pub(crate) struct Placeholders {
    names: Vec<(String, Cow<'static, str>)>,
    values: Vec<(String, (Cow<'static, str>, AttributeValue))>,
    /// Whether they are numbers, for expressions of many terms that nobody reads.
    terse: bool,
}

/// A placeholder may have 255 bytes; expressions are easier to read with less.
const READABLE_BYTES: usize = 40;

fn readable(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= READABLE_BYTES
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl Placeholders {
    /// Placeholders that are as short as can be.
    pub(crate) fn terse() -> Self {
        Self { terse: true, ..Self::default() }
    }

    /// Appends a path: `#list[1].#member`.
    pub(crate) fn push_path(&mut self, path: &Path, text: &mut String) {
        self.push_name(path.root().clone(), text);
        for step in path.steps() {
            match step {
                Step::Name(name) => {
                    text.push('.');
                    self.push_name(name.clone(), text);
                }
                Step::Index(index) => {
                    let _ = write!(text, "[{index}]");
                }
            }
        }
    }

    /// Appends the placeholder of the name of an attribute, or of a map's member.
    fn push_name(&mut self, name: Cow<'static, str>, text: &mut String) {
        let known = self.names.iter().position(|(_, known)| *known == name);
        let index = known.unwrap_or_else(|| {
            let placeholder = unused(&self.names, '#', if !self.terse && readable(&name) { &name } else { "n" });
            self.names.push((placeholder, name));
            self.names.len() - 1
        });
        text.push_str(&self.names[index].0);
    }

    /// Appends the placeholder of a value that is compared with, or assigned to, what is at a place.
    pub(crate) fn push_value(&mut self, path: &Path, value: AttributeValue, text: &mut String) {
        let name = path.root();
        let known = self.values.iter().position(|(_, known)| known.0 == *name && known.1 == value);
        let index = known.unwrap_or_else(|| {
            let placeholder = unused(&self.values, ':', if !self.terse && readable(name) { name } else { "v" });
            self.values.push((placeholder, (name.clone(), value)));
            self.values.len() - 1
        });
        text.push_str(&self.values[index].0);
    }

    /// Refuses what has no name.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.names.iter().any(|(_, name)| name.is_empty()) {
            return Err(Error::invalid("an entry of a map has an empty key, or one that cannot be stored"));
        }
        Ok(())
    }

    /// The names as the SDK takes them: nothing where there are none, since DynamoDB refuses an empty map.
    pub(crate) fn names(&self) -> Option<HashMap<String, String>> {
        let names = self.names.iter();
        (!self.names.is_empty())
            .then(|| names.map(|(placeholder, name)| (placeholder.clone(), name.clone().into_owned())).collect())
    }

    /// The values as the SDK takes them.
    pub(crate) fn into_values(self) -> Option<HashMap<String, AttributeValue>> {
        let values = self.values.into_iter();
        (values.len() > 0).then(|| values.map(|(placeholder, (_, value))| (placeholder, value)).collect())
    }
}

/// `sigil` and `base`, with the first number behind it that makes it differ from the placeholders in use.
fn unused<T>(used: &[(String, T)], sigil: char, base: &str) -> String {
    let mut placeholder = format!("{sigil}{base}");
    let mut number = 2;
    while used.iter().any(|(used, _)| *used == placeholder) {
        placeholder = format!("{sigil}{base}_{number}");
        number += 1;
    }
    placeholder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&'static str]) -> Vec<String> {
        let mut placeholders = Placeholders::default();
        names
            .iter()
            .map(|name| {
                let mut text = String::new();
                placeholders.push_path(&Path::from(*name), &mut text);
                text
            })
            .collect()
    }

    #[test]
    fn names_are_readable_and_never_clash() {
        assert_eq!(names(&["Status", "Name", "Status"]), ["#Status", "#Name", "#Status"]);
        assert_eq!(names(&["a.b", "user-id", "n", "n_2"]), ["#n", "#n_2", "#n_3", "#n_2_2"]);
        assert_eq!(names(&["größe", "", &"x".repeat(41).leak()[..]]), ["#n", "#n_2", "#n_3"]);
    }

    #[test]
    fn values_are_shared_only_when_equal_and_of_one_attribute() {
        let mut placeholders = Placeholders::default();
        let mut push = |name, value: &str| {
            let mut text = String::new();
            placeholders.push_value(&Path::from(name), AttributeValue::N(value.to_owned()), &mut text);
            text
        };
        assert_eq!(push("t", "1"), ":t");
        assert_eq!(push("t", "2"), ":t_2");
        assert_eq!(push("t", "2"), ":t_2");
        assert_eq!(push("u", "2"), ":u");
        assert_eq!(push("a.b", "7"), ":v");
        assert_eq!(placeholders.into_values().map(|values| values.len()), Some(4));
    }
}
