//! The placeholders of one request: one for each name and value that its expressions use.
//!
//! A request can have a thousand values of one attribute, so a value is compared with the first few only. An equal value beyond them
//! gets a placeholder of its own.

use super::{EXPRESSION_BYTES, Path, check_length};
use crate::attribute::Item;
use crate::error::{Error, Step, descriptor};
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

/// The names and values of one request's expressions.
///
/// To keep requests readable, a placeholder is the attribute's own name if that consists of letters, digits and underscores, and
/// equal values of an attribute share one. Otherwise it is a number.
#[derive(Debug, Default)]
pub(crate) struct Placeholders {
    /// The names with their placeholders. An expression has few, so they are compared one by one.
    names: Vec<Name>,
    values: Vec<Value>,
    numbers: Numbers,
    /// True if all placeholders are numbers, which keeps long expressions short.
    terse: bool,
    /// True if the expression is for people, with the names themselves and the types of the values.
    pub(super) outline: bool,
    /// The problem with a name that DynamoDB does not accept.
    refused: Option<&'static str>,
}

#[derive(Debug)]
struct Name {
    placeholder: String,
    name: String,
}

#[derive(Debug)]
struct Value {
    placeholder: String,
    /// The attribute that the value is compared with or assigned to. A value that is not shared has none.
    attribute: Cow<'static, str>,
    value: AttributeValue,
}

/// The number of values with which a further value is compared.
const COMPARED: usize = 16;

/// The names and the values in the SDK's form, by placeholder.
type NamesAndValues = (Option<HashMap<String, String>>, Option<HashMap<String, AttributeValue>>);

/// The most bytes of a name that is its own placeholder. DynamoDB accepts 255, but long expressions are hard to read.
const READABLE_BYTES: usize = 40;

/// The longest name of an attribute or of a map's member.
/// (Developer guide, "Constraints in Amazon DynamoDB", attributes: at least one character, less than 64 KB.)
pub(crate) const NAME_BYTES: usize = 65_535;

fn is_readable(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= READABLE_BYTES
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the problem with the name of an attribute or of a map's member, if DynamoDB does not accept it.
pub(crate) fn problem_of_name(name: &str) -> Option<&'static str> {
    match name.len() {
        0 => Some("a map has an entry whose key is empty or cannot be stored: DynamoDB accepts no such name"),
        length if length > NAME_BYTES => {
            Some("a map has an entry whose key has 64 KB or more, which DynamoDB does not accept: hash or shorten it")
        }
        _ => None,
    }
}

impl Placeholders {
    /// Creates placeholders that are as short as possible.
    pub(crate) fn terse() -> Self {
        Self { terse: true, ..Self::default() }
    }

    /// Creates placeholders for an expression that is shown to people.
    pub(crate) fn outline() -> Self {
        Self { outline: true, ..Self::default() }
    }

    /// Appends a path: `#list[1].#member`.
    pub(crate) fn push_path(&mut self, path: &Path, text: &mut String) {
        if self.outline {
            return text.push_str(&path.to_string());
        }
        self.push_name(path.root(), text);
        for step in path.steps() {
            match step {
                Step::Name(name) => {
                    text.push('.');
                    self.push_name(name, text);
                }
                Step::Index(index) => {
                    let _ = write!(text, "[{index}]");
                }
            }
        }
    }

    /// Appends the placeholder of the name of an attribute or of a map's member.
    fn push_name(&mut self, name: &str, text: &mut String) {
        if let Some(known) = self.names.iter().find(|known| known.name == name) {
            text.push_str(&known.placeholder);
            return;
        }
        self.refused = self.refused.or_else(|| problem_of_name(name));
        let start = text.len();
        text.push('#');
        if self.terse {
            push_number(self.names.len(), text);
        } else {
            text.push_str(if is_readable(name) { name } else { "n" });
            self.numbers.add(start, text);
        }
        self.names.push(Name { placeholder: text[start..].to_owned(), name: name.to_owned() });
    }

    /// Appends the placeholder of a value that is compared with the value at a path or assigned to it.
    pub(crate) fn push_value(&mut self, path: &Path, value: AttributeValue, text: &mut String) {
        let start = text.len();
        if self.outline {
            let _ = write!(text, "<{}>", descriptor(&value));
            return;
        }
        if self.terse {
            text.push(':');
            push_number(self.values.len(), text);
            let placeholder = text[start..].to_owned();
            return self.values.push(Value { placeholder, attribute: Cow::Borrowed(""), value });
        }
        let name = path.root();
        let known = self.values.iter().take(COMPARED).find(|known| known.attribute == *name && known.value == value);
        if let Some(known) = known {
            return text.push_str(&known.placeholder);
        }
        text.push(':');
        text.push_str(if is_readable(name) { name } else { "v" });
        self.numbers.add(start, text);
        self.values.push(Value { placeholder: text[start..].to_owned(), attribute: name.clone(), value });
    }

    /// Makes the expressions of a request as short as possible if one of them is too long, and refuses what DynamoDB does not
    /// accept. No other expression may use these placeholders.
    pub(crate) fn fit<const N: usize>(&mut self, mut expressions: [Option<&mut String>; N]) -> Result<(), Error> {
        if expressions.iter().flatten().any(|expression| expression.len() > EXPRESSION_BYTES) {
            self.shorten(&mut expressions);
        }
        expressions.iter().flatten().try_for_each(|expression| check_length(expression))?;
        self.check()
    }

    /// Replaces each placeholder by a number, in the order of their first use.
    fn shorten(&mut self, expressions: &mut [Option<&mut String>]) {
        let mut short: HashMap<String, String> = HashMap::new();
        let mut counts = [0; 2];
        for expression in expressions.iter_mut().flatten() {
            let mut text = String::with_capacity(expression.len());
            let mut rest = expression.as_str();
            while let Some(start) = rest.find(['#', ':']) {
                text.push_str(&rest[..start]);
                rest = &rest[start..];
                let is_end = |found: char| !(found.is_ascii_alphanumeric() || found == '_');
                let (long, behind) = rest.split_at(rest[1..].find(is_end).map_or(rest.len(), |end| end + 1));
                let number = short.entry(long.to_owned()).or_insert_with(|| {
                    let count = &mut counts[usize::from(long.starts_with(':'))];
                    *count += 1;
                    format!("{}{}", &long[..1], *count - 1)
                });
                text.push_str(number);
                rest = behind;
            }
            text.push_str(rest);
            **expression = text;
        }
        for name in &mut self.names {
            name.placeholder = short.remove(&name.placeholder).unwrap_or_default();
        }
        self.values.retain_mut(|known| {
            let placeholder = short.remove(&known.placeholder);
            known.placeholder = placeholder.unwrap_or_default();
            !known.placeholder.is_empty()
        });
    }

    /// Refuses a name that DynamoDB does not accept.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.refused.map_or(Ok(()), |problem| Err(Error::invalid(problem)))
    }

    /// Continues the placeholders of an expression that was rendered before.
    pub(crate) fn from_parts(names: Option<HashMap<String, String>>, values: Option<Item>) -> Self {
        let mut placeholders = Self::default();
        for (placeholder, name) in names.into_iter().flatten() {
            placeholders.numbers.last.push((placeholder.clone(), 1));
            placeholders.names.push(Name { placeholder, name });
        }
        for (placeholder, value) in values.into_iter().flatten() {
            placeholders.numbers.last.push((placeholder.clone(), 1));
            placeholders.values.push(Value { placeholder, attribute: Cow::Borrowed(""), value });
        }
        placeholders
    }

    /// Returns the names and the values in the SDK's form. There are none instead of an empty map, because DynamoDB refuses that.
    pub(crate) fn into_parts(self) -> NamesAndValues {
        let Self { names, values, .. } = self;
        let names = names.into_iter().map(|Name { placeholder, name }| (placeholder, name));
        let values = values.into_iter().map(|Value { placeholder, value, .. }| (placeholder, value));
        (
            (names.len() > 0).then(|| names.collect::<HashMap<_, _>>()),
            (values.len() > 0).then(|| values.collect::<HashMap<_, _>>()),
        )
    }
}

/// The placeholders that are taken.
#[derive(Debug, Default)]
struct Numbers {
    /// Each placeholder without a number, such as `#n`, with the last number that it was given.
    last: Vec<(String, usize)>,
}

impl Numbers {
    /// Adds a number to the placeholder at the end of `text`, from `start`, if it is taken without one.
    fn add(&mut self, start: usize, text: &mut String) {
        let base = text.len();
        let at = self.last.iter().position(|(known, _)| known == &text[start..]);
        let mut number = match at {
            Some(at) => self.last[at].1 + 1,
            None if self.is_numbered(&text[start..]) => 2,
            None => return self.last.push((text[start..].to_owned(), 1)),
        };
        loop {
            text.push('_');
            push_number(number, text);
            // An attribute can have this name.
            if !self.last.iter().any(|(known, _)| known == &text[start..]) {
                break;
            }
            text.truncate(base);
            number += 1;
        }
        match at {
            Some(at) => self.last[at].1 = number,
            None => self.last.push((text[start..base].to_owned(), number)),
        }
    }

    /// Returns `true` if another placeholder became this one with its number.
    fn is_numbered(&self, placeholder: &str) -> bool {
        let Some((base, number)) = placeholder.rsplit_once('_') else { return false };
        let Ok(number) = number.parse::<usize>() else { return false };
        self.last.iter().any(|(known, last)| known == base && number <= *last)
    }
}

/// Appends a number. `write!` would take several times as long.
fn push_number(number: usize, text: &mut String) {
    if number >= 10 {
        push_number(number / 10, text);
    }
    text.push(char::from(b"0123456789"[number % 10]));
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
    fn expressions_that_are_too_long_are_made_short_and_mean_the_same() {
        let mut placeholders = Placeholders::default();
        let (mut keys, mut filter) = (String::new(), String::new());
        let name = |number: usize| format!("an_attribute_with_a_long_name_{number:03}");
        for number in 0..100 {
            for text in [&mut keys, &mut filter] {
                placeholders.push_path(&Path::from(name(number)), text);
                text.push_str(" = ");
                let value = AttributeValue::N((number * text.len()).to_string());
                placeholders.push_value(&Path::from(name(number)), value, text);
                text.push(',');
            }
        }
        assert!(keys.len() > EXPRESSION_BYTES);
        let meaning = |text: &str, placeholders: Placeholders| -> Vec<String> {
            let (names, values) = placeholders.into_parts();
            let (names, values) = (names.expect("names"), values.expect("values"));
            let of = |token: &str| names.get(token).cloned().or_else(|| values.get(token)?.as_n().ok().cloned());
            text.split([' ', ',']).filter_map(of).collect()
        };
        let values = placeholders.values.iter();
        let values = values.map(|Value { placeholder, attribute, value }| Value {
            placeholder: placeholder.clone(),
            attribute: attribute.clone(),
            value: value.clone(),
        });
        let copy = Placeholders { values: values.collect(), ..Placeholders::default() };
        let names = placeholders.names.iter();
        let names = names.map(|known| Name { placeholder: known.placeholder.clone(), name: known.name.clone() });
        let before = meaning(&(keys.clone() + &filter), Placeholders { names: names.collect(), ..copy });
        placeholders.fit([Some(&mut keys), None, Some(&mut filter)]).expect("short enough");
        assert!(keys.starts_with("#0 = :0,#1 = :1,") && keys.len() < 1100, "{keys}");
        assert_eq!(meaning(&(keys + &filter), placeholders), before);
        assert_eq!(before.len(), 400);
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
        assert_eq!(placeholders.into_parts().1.map(|values| values.len()), Some(4));
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
