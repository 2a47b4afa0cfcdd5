//! The window of a query: the range of sort keys that it returns, combined from all of the user's conditions on the sort key or
//! on its fields.
//!
//! DynamoDB takes one condition on the sort key, and no condition on a key in the filter. So all conditions are combined into one
//! range. BETWEEN includes both ends; if the range excludes an end, the client drops the item there. For a templated key, the
//! window never leaves the text that the template begins with, because in a table of several entities `sort_ge` must not run on
//! into the items of the next entity.

use super::item_and_key_limits::{SORT_KEY_BYTES, check_key};
use super::query_fingerprint::Fingerprint;
use super::template::{Part, Parts, push_segments};
use crate::attribute::{KeyPart, Peek, Scalar, compare};
use crate::error::Error;
use crate::error::foreign_text::value;
use crate::expression::{Node, Operator, begins_with};
use crate::schema::{KeyAttribute, KeyForm, Segment};
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;
use std::ops::Bound;
use std::ops::Bound::{Excluded, Included, Unbounded};

/// A condition on the sort key, as the user wrote it. The values are those of the sort key's leading fields.
#[derive(Clone, Debug)]
pub(crate) enum SortTerm {
    Eq(Vec<AttributeValue>),
    Lt(Vec<AttributeValue>),
    Le(Vec<AttributeValue>),
    Gt(Vec<AttributeValue>),
    Ge(Vec<AttributeValue>),
    /// The values of leading fields, and a prefix of the next field.
    BeginsWith(Vec<AttributeValue>, AttributeValue),
}

/// The range of sort keys that a query returns.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    lower: Bound<AttributeValue>,
    upper: Bound<AttributeValue>,
    /// A prefix of a key that is not templated. It excludes bounds.
    prefix: Option<AttributeValue>,
    /// The prefixes of fields that the condition cannot express exactly.
    field_prefixes: Vec<FieldPrefix>,
    is_empty: bool,
}

/// A prefix of a field in a template that ends as the literal after the field begins, so that the condition matches too much.
/// With the template `{city}::{street}`, the prefix `a:` asks for cities such as `a:b`. But the stored text of the city `a`
/// begins with `a:` as well, so the client drops that item.
#[derive(Clone, Debug)]
struct FieldPrefix {
    /// The index of the field's first byte in the stored text.
    start: usize,
    prefix: String,
    /// The literal after the field.
    literal: &'static str,
}

impl FieldPrefix {
    fn matches(&self, stored: &str) -> bool {
        let field = stored.get(self.start..).unwrap_or_default();
        let end = field.find(self.literal).unwrap_or(field.len());
        field[..end].starts_with(&self.prefix)
    }
}

/// The sort keys whose leading fields have known values: all from `first` to `last`.
struct Span {
    first: AttributeValue,
    last: Bound<AttributeValue>,
    field_prefix: Option<FieldPrefix>,
}

impl Span {
    fn value(value: AttributeValue) -> Self {
        Self { first: value.clone(), last: Included(value), field_prefix: None }
    }

    fn prefix(text: String) -> Self {
        let last = successor(&text).map_or(Unbounded, |text| Excluded(AttributeValue::S(text)));
        Self { first: AttributeValue::S(text), last, field_prefix: None }
    }
}

/// Returns the first text after all texts with this prefix: it increments the last character that can be incremented.
fn successor(text: &str) -> Option<String> {
    let mut chars: Vec<char> = text.chars().collect();
    while let Some(last) = chars.pop() {
        // UTF-8 sorts by characters. There are none between D7FF and E000.
        let next = if last == '\u{D7FF}' { Some('\u{E000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

impl Window {
    /// Combines all conditions and the template into one window.
    pub(crate) fn new(
        fields: &[&'static str],
        sort: &KeyAttribute,
        partition: &[Part],
        terms: Vec<SortTerm>,
    ) -> Result<Self, Error> {
        let (lower, upper) = (Unbounded, Unbounded);
        let mut window = Self { lower, upper, prefix: None, field_prefixes: Vec::new(), is_empty: false };
        if let KeyForm::Template(segments) = sort.form {
            let span = template_span(fields, segments, partition, Vec::new(), None)?;
            window.narrow(Included(span.first), span.last);
        }
        for term in terms {
            window.add(fields, sort, partition, term)?;
        }
        Ok(window)
    }

    fn add(
        &mut self,
        fields: &[&'static str],
        sort: &KeyAttribute,
        partition: &[Part],
        term: SortTerm,
    ) -> Result<(), Error> {
        let (name, form) = (sort.name, &sort.form);
        let span = |mut values: Vec<AttributeValue>, prefix| match form {
            KeyForm::Template(segments) => template_span(fields, segments, partition, values, prefix),
            // The only field of such a key is the whole key.
            KeyForm::Field(_) => {
                let value = values.pop().unwrap_or(AttributeValue::Null(true));
                check_key(&value, SORT_KEY_BYTES).map_err(|error| error.at_name(name))?;
                Ok(Span::value(value))
            }
        };
        match term {
            SortTerm::Eq(values) => {
                let span = span(values, None)?;
                self.narrow(Included(span.first), span.last);
            }
            SortTerm::Ge(values) => self.narrow(Included(span(values, None)?.first), Unbounded),
            SortTerm::Lt(values) => self.narrow(Unbounded, Excluded(span(values, None)?.first)),
            SortTerm::Le(values) => self.narrow(Unbounded, span(values, None)?.last),
            SortTerm::Gt(values) => match span(values, None)?.last {
                Included(last) => self.narrow(Excluded(last), Unbounded),
                Excluded(next) => self.narrow(Included(next), Unbounded),
                Unbounded => self.is_empty = true,
            },
            SortTerm::BeginsWith(values, prefix) => match form {
                KeyForm::Template(_) => {
                    let span = span(values, Some(prefix))?;
                    self.field_prefixes.extend(span.field_prefix);
                    self.narrow(Included(span.first), span.last);
                }
                KeyForm::Field(_) => self.narrow_prefix(prefix),
            },
        }
        if self.prefix.is_some() && (self.lower != Unbounded || self.upper != Unbounded) {
            return Err(Error::invalid(
                "`sort_begins_with` cannot be joined with another condition on this sort key: DynamoDB takes one",
            ));
        }
        Ok(())
    }

    /// Narrows the window to keys with this prefix. Of two prefixes, one must begin with the other.
    fn narrow_prefix(&mut self, prefix: AttributeValue) {
        if is_empty(&prefix) {
            return;
        }
        self.prefix = Some(match self.prefix.take() {
            None => prefix,
            Some(known) if begins_with(&prefix, &known) => prefix,
            Some(known) => {
                self.is_empty |= !begins_with(&known, &prefix);
                known
            }
        });
    }

    /// Narrows the window to keys between these bounds.
    fn narrow(&mut self, lower: Bound<AttributeValue>, upper: Bound<AttributeValue>) {
        // Every key is after the empty text, which DynamoDB does not accept as a key in a condition.
        let is_everything = key_at(&lower) == Some(&AttributeValue::S(String::new()));
        keep_narrower(&mut self.lower, if is_everything { Unbounded } else { lower }, Ordering::Greater);
        keep_narrower(&mut self.upper, upper, Ordering::Less);
        self.is_empty |= match (&self.lower, &self.upper) {
            (Unbounded, _) | (_, Unbounded) => false,
            (Included(lower), Included(upper)) => compare(lower, upper).is_none_or(Ordering::is_gt),
            (Included(lower) | Excluded(lower), Included(upper) | Excluded(upper)) => {
                compare(lower, upper) != Some(Ordering::Less)
            }
        };
    }

    /// Returns true if the window contains no sort key. Then the query has no result, and DynamoDB would refuse it.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Returns the condition on the sort key `name`. It may include the ends of the window although the window excludes them.
    pub(crate) fn condition(&self, name: &'static str) -> Option<Node> {
        if let Some(prefix) = &self.prefix {
            return Some(Node::BeginsWith(name.into(), prefix.clone()));
        }
        Some(match (&self.lower, &self.upper) {
            (Unbounded, Unbounded) => return None,
            (Included(lower) | Excluded(lower), Included(upper) | Excluded(upper)) if lower == upper => {
                Node::compare(name, Operator::Eq, lower)
            }
            (Included(lower), upper) if is_prefix_range(lower, upper) => Node::BeginsWith(name.into(), lower.clone()),
            (Included(lower) | Excluded(lower), Included(upper) | Excluded(upper)) => {
                Node::Between(name.into(), lower.clone(), upper.clone())
            }
            (Included(lower), Unbounded) => Node::compare(name, Operator::Ge, lower),
            (Excluded(lower), Unbounded) => Node::compare(name, Operator::Gt, lower),
            (Unbounded, Included(upper)) => Node::compare(name, Operator::Le, upper),
            (Unbounded, Excluded(upper)) => Node::compare(name, Operator::Lt, upper),
        })
    }

    /// Writes the window into a fingerprint.
    pub(crate) fn write(&self, fingerprint: &mut Fingerprint) {
        for bound in [&self.lower, &self.upper] {
            fingerprint.optional(key_at(bound), |fingerprint, key| {
                fingerprint.number(u64::from(matches!(bound, Included(_))));
                fingerprint.value(key);
            });
        }
        fingerprint.optional(self.prefix.as_ref(), Fingerprint::value);
        fingerprint.number(self.field_prefixes.len() as u64);
        self.field_prefixes.iter().for_each(|field| fingerprint.text(&field.prefix));
        fingerprint.number(u64::from(self.is_empty));
    }

    /// Returns true if a key is in the window or at one of its ends. DynamoDB accepts no other key as the start of a page.
    pub(crate) fn reaches(&self, key: &AttributeValue) -> bool {
        let is_beyond = |bound: &Bound<AttributeValue>, beyond: Ordering| {
            key_at(bound).is_some_and(|end| compare(key, end).is_none_or(|order| order == beyond))
        };
        !is_beyond(&self.lower, Ordering::Less)
            && !is_beyond(&self.upper, Ordering::Greater)
            && self.prefix.as_ref().is_none_or(|prefix| begins_with(key, prefix))
    }

    /// Returns true if the condition matches more keys than the window contains.
    pub(crate) fn is_narrower(&self) -> bool {
        let includes_ends = match (&self.lower, &self.upper) {
            (Unbounded, _) | (_, Unbounded) | (Included(_), Included(_)) => false,
            (Included(lower), upper) => !is_prefix_range(lower, upper),
            (Excluded(_), _) => true,
        };
        includes_ends || !self.field_prefixes.is_empty()
    }

    /// Returns true if an item that the condition matches is within the window.
    pub(crate) fn contains(&self, name: &str, item: &dyn Peek) -> bool {
        if self.field_prefixes.is_empty() && !matches!((&self.lower, &self.upper), (Excluded(_), _) | (_, Excluded(_)))
        {
            return true;
        }
        let Some(key) = item.peek(name) else { return true };
        if let Scalar::S(stored) = &key
            && !self.field_prefixes.iter().all(|field| field.matches(stored))
        {
            return false;
        }
        let key = key.into_key();
        let excludes = |bound: &Bound<AttributeValue>| matches!((bound, &key), (Excluded(end), Some(key)) if compare(key, end) == Some(Ordering::Equal));
        !excludes(&self.lower) && !excludes(&self.upper)
    }
}

/// Returns the key at an end of a window.
fn key_at(bound: &Bound<AttributeValue>) -> Option<&AttributeValue> {
    match bound {
        Included(key) | Excluded(key) => Some(key),
        Unbounded => None,
    }
}

/// Returns true if the keys from `lower` to `upper` are exactly those that begin with `lower`.
fn is_prefix_range(lower: &AttributeValue, upper: &Bound<AttributeValue>) -> bool {
    let end = lower.as_s().ok().and_then(|prefix| successor(prefix));
    end.is_some_and(|end| *upper == Excluded(AttributeValue::S(end)))
}

fn is_empty(prefix: &AttributeValue) -> bool {
    match prefix {
        AttributeValue::S(text) => text.is_empty(),
        AttributeValue::B(bytes) => bytes.as_ref().is_empty(),
        _ => false,
    }
}

/// Replaces a bound by another one that makes the window narrower. `further` is the direction of narrower bounds.
fn keep_narrower(bound: &mut Bound<AttributeValue>, other: Bound<AttributeValue>, further: Ordering) {
    let is_narrower = match (key_at(bound), key_at(&other)) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(key), Some(other_key)) => match compare(other_key, key) {
            Some(Ordering::Equal) => matches!(other, Excluded(_)),
            order => order == Some(further),
        },
    };
    if is_narrower {
        *bound = other;
    }
}

/// Returns the sort keys of a template whose leading fields have these values, and perhaps the next field this prefix.
fn template_span(
    fields: &[&'static str],
    segments: &[Segment],
    partition: &[Part],
    leading: Vec<AttributeValue>,
    prefix: Option<AttributeValue>,
) -> Result<Span, Error> {
    let leading: Vec<Part> = leading.into_iter().map(Part).collect();
    let known = partition.iter().chain(&leading);
    let parts: Vec<&dyn KeyPart> = known.map(|part| part as &dyn KeyPart).collect();
    let parts: &Parts<'_> = &parts;
    let known = segments
        .iter()
        .take_while(|segment| match segment {
            Segment::Literal(_) => true,
            Segment::Hole { field, .. } => *field < parts.len(),
        })
        .count();
    let mut text = String::new();
    push_segments(fields, &segments[..known], parts, &mut text)?;
    match prefix {
        Some(AttributeValue::S(prefix)) => {
            let field_prefix = field_prefix(fields, &segments[known..], text.len(), &prefix)?;
            Ok(Span { field_prefix, ..Span::prefix(text + &prefix) })
        }
        Some(_) => Err(Error::invalid("the beginning of a templated sort key is text")),
        None if known == segments.len() => Ok(Span::value(AttributeValue::S(text))),
        None => Ok(Span::prefix(text)),
    }
}

/// Checks the prefix of a field. It cannot contain the literal after the field, because then the next field would begin in it. If
/// it ends as that literal begins, returns a `FieldPrefix`, because a stored text can begin with it although the field does not.
fn field_prefix(
    fields: &[&'static str],
    rest: &[Segment],
    start: usize,
    prefix: &str,
) -> Result<Option<FieldPrefix>, Error> {
    let [Segment::Hole { field, .. }, Segment::Literal(literal), ..] = *rest else {
        return Ok(None);
    };
    if prefix.contains(literal) {
        return Err(Error::invalid(format!(
            "`{0}`: \"{1}\" contains {literal:?}, which follows the field in the key template: for a whole `{0}` and the beginning of the next field, give a tuple",
            fields[field],
            value(prefix),
        )));
    }
    let mut beginnings = literal.char_indices().skip(1).map(|(end, _)| &literal[..end]);
    let is_inexact = beginnings.any(|beginning| prefix.ends_with(beginning));
    Ok(is_inexact.then(|| FieldPrefix { start, prefix: prefix.to_owned(), literal }))
}
