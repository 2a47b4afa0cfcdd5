//! Placeholders of one request: each name and value that its expressions use, once.
//!
//! A request can have a thousand values of one attribute, so adding one must not compare it with all others.

use super::Path;
use crate::error::{Error, Step};
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// The names and values of one request's expressions.
///
/// A placeholder is the attribute's own name if that consists of letters, digits and underscores, so that a request is
/// readable. Otherwise it is a number.
#[derive(Debug, Default)]
pub(crate) struct Placeholders {
    names: HashMap<String, Cow<'static, str>>,
    /// Each value with the attribute that it is compared with or assigned to.
    values: HashMap<String, (Cow<'static, str>, AttributeValue)>,
    /// The numbered placeholders, by the hash of the name or value that they stand for.
    numbered: HashMap<u64, Vec<String>>,
    /// The last number used for each sigil and base.
    last: HashMap<String, u32>,
    /// True if all placeholders are numbers, for long expressions that nobody reads.
    terse: bool,
    /// The problem of a name that DynamoDB does not take.
    refused: Option<&'static str>,
}

/// A placeholder may have 255 bytes, but expressions are easier to read with shorter ones.
const READABLE_BYTES: usize = 40;

/// The longest name of an attribute or of a map's member.
/// (Developer guide, "Constraints in Amazon DynamoDB", attributes: at least one character, less than 64 KB.)
pub(crate) const NAME_BYTES: usize = 65_535;

fn readable(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= READABLE_BYTES
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the problem with a name, if DynamoDB does not take it.
pub(crate) fn problem_of_name(name: &str) -> Option<&'static str> {
    match name.len() {
        0 => Some("a map has an entry with an empty key, or one that cannot be stored, which DynamoDB does not take"),
        length if length > NAME_BYTES => {
            Some("a map has an entry whose key has 64 KB or more, which DynamoDB does not take: hash or shorten it")
        }
        _ => None,
    }
}

impl Placeholders {
    /// Creates placeholders that are as short as possible.
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

    /// Appends the placeholder of the name of an attribute or of a map's member.
    fn push_name(&mut self, name: Cow<'static, str>, text: &mut String) {
        self.refused = self.refused.or_else(|| problem_of_name(&name));
        let base = if !self.terse && readable(&name) { &name } else { "n" };
        let start = text.len();
        text.push('#');
        text.push_str(base);
        // A name whose own placeholder is taken by another name gets a number.
        match self.names.get(&text[start..]) {
            Some(known) if *known == name => return,
            None => {
                self.names.insert(text[start..].to_owned(), name);
                return;
            }
            Some(_) => {}
        }
        let hash = hash(|hasher| name.hash(hasher));
        let mut numbered = self.numbered.get(&hash).into_iter().flatten();
        let known = numbered.find(|placeholder| self.names.get(*placeholder) == Some(&name)).cloned();
        let placeholder = known.unwrap_or_else(|| {
            let placeholder = unused(&self.names, &mut self.last, &text[start..]);
            self.numbered.entry(hash).or_default().push(placeholder.clone());
            self.names.insert(placeholder.clone(), name);
            placeholder
        });
        text.replace_range(start.., &placeholder);
    }

    /// Appends the placeholder of a value that is compared with the value at a path or assigned to it.
    pub(crate) fn push_value(&mut self, path: &Path, value: AttributeValue, text: &mut String) {
        let name = path.root();
        let base = if !self.terse && readable(name) { name } else { "v" };
        let start = text.len();
        text.push(':');
        text.push_str(base);
        let is_it = |known: &(Cow<'static, str>, AttributeValue)| known.0 == *name && known.1 == value;
        match self.values.get(&text[start..]) {
            Some(known) if is_it(known) => return,
            None => {
                self.values.insert(text[start..].to_owned(), (name.clone(), value));
                return;
            }
            Some(_) => {}
        }
        let hash = hash(|hasher| {
            name.hash(hasher);
            hash_value(&value, hasher);
        });
        let mut numbered = self.numbered.get(&hash).into_iter().flatten();
        let known = numbered.find(|placeholder| self.values.get(*placeholder).is_some_and(is_it)).cloned();
        let placeholder = known.unwrap_or_else(|| {
            let placeholder = unused(&self.values, &mut self.last, &text[start..]);
            self.numbered.entry(hash).or_default().push(placeholder.clone());
            self.values.insert(placeholder.clone(), (name.clone(), value));
            placeholder
        });
        text.replace_range(start.., &placeholder);
    }

    /// Refuses a name that DynamoDB does not take.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.refused.map_or(Ok(()), |problem| Err(Error::invalid(problem)))
    }

    /// Returns the names as the SDK takes them, or `None` if there are none, because DynamoDB refuses an empty map.
    pub(crate) fn names(&self) -> Option<HashMap<String, String>> {
        let names = self.names.iter();
        (!self.names.is_empty())
            .then(|| names.map(|(placeholder, name)| (placeholder.clone(), name.clone().into_owned())).collect())
    }

    /// Returns the values as the SDK takes them.
    pub(crate) fn into_values(self) -> Option<HashMap<String, AttributeValue>> {
        let values = self.values.into_iter();
        (values.len() > 0).then(|| values.map(|(placeholder, (_, value))| (placeholder, value)).collect())
    }
}

/// Returns `base` with the first number that makes it differ from the placeholders in use.
fn unused<T>(used: &HashMap<String, T>, last: &mut HashMap<String, u32>, base: &str) -> String {
    // Placeholders in use are never freed, so there is no need to try the earlier numbers again.
    let number = last.entry(base.to_owned()).or_insert(1);
    loop {
        *number += 1;
        let placeholder = format!("{base}_{number}");
        if !used.contains_key(&placeholder) {
            return placeholder;
        }
    }
}

fn hash(write: impl FnOnce(&mut DefaultHasher)) -> u64 {
    let mut hasher = DefaultHasher::new();
    write(&mut hasher);
    hasher.finish()
}

/// Hashes a value so that equal values have equal hashes.
fn hash_value(value: &AttributeValue, hasher: &mut DefaultHasher) {
    std::mem::discriminant(value).hash(hasher);
    match value {
        AttributeValue::S(text) | AttributeValue::N(text) => text.hash(hasher),
        AttributeValue::B(bytes) => bytes.as_ref().hash(hasher),
        AttributeValue::Bool(value) | AttributeValue::Null(value) => value.hash(hasher),
        AttributeValue::Ss(elements) | AttributeValue::Ns(elements) => elements.hash(hasher),
        AttributeValue::Bs(elements) => elements.iter().for_each(|bytes| bytes.as_ref().hash(hasher)),
        AttributeValue::L(elements) => elements.iter().for_each(|element| hash_value(element, hasher)),
        // The order of the members does not matter.
        AttributeValue::M(members) => {
            let members = members.iter().map(|(name, member)| {
                hash(|hasher| {
                    name.hash(hasher);
                    hash_value(member, hasher);
                })
            });
            members.fold(0, u64::wrapping_add).hash(hasher);
        }
        _ => {}
    }
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
        assert_eq!(names(&["a.b", "n", "c.d", "n", "c.d", "a.b"]), ["#n", "#n_2", "#n_3", "#n_2", "#n_3", "#n"]);
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

    #[test]
    fn equal_maps_have_one_placeholder() {
        let map = |names: &[&str]| {
            let members = names.iter().map(|name| ((*name).to_owned(), AttributeValue::S((*name).to_owned())));
            AttributeValue::M(members.collect())
        };
        let mut placeholders = Placeholders::default();
        let mut push = |value: AttributeValue| {
            let mut text = String::new();
            placeholders.push_value(&Path::from("m"), value, &mut text);
            text
        };
        assert_eq!(push(map(&["x"])), ":m");
        assert_eq!(push(map(&["a", "b", "c"])), ":m_2");
        assert_eq!(push(map(&["c", "a", "b"])), ":m_2");
    }
}
