//! The sort keys that a query asks for: all conditions of the user on the sort key, or on an attribute of it, as one interval.
//!
//! DynamoDB takes one condition on the sort key, and no condition on keys in a filter. So all conditions are folded into one
//! interval. BETWEEN includes both ends; if the interval excludes one, the client drops that item. For a templated key, the
//! window never leaves the template's literal beginning. In a table shared by several entities, `sort_ge` must not run on into
//! the items of the next entity.

use super::item_and_key_limits::{SORT_KEY_BYTES, check_key};
use super::query_fingerprint::Fingerprint;
use super::template::{Part, Parts, push_segments};
use crate::attribute::{Item, KeyPart, compare};
use crate::error::Error;
use crate::error::foreign_text::value;
use crate::expression::{Node, Operator};
use crate::schema::{KeyAttribute, KeyForm, Segment};
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

/// A condition on the sort key, as the user gave it. The values are those of the sort key's leading fields.
#[derive(Clone, Debug)]
pub(crate) enum SortTerm {
    Eq(Vec<AttributeValue>),
    Lt(Vec<AttributeValue>),
    Le(Vec<AttributeValue>),
    Gt(Vec<AttributeValue>),
    Ge(Vec<AttributeValue>),
    /// The values of leading fields, and the beginning of the next field.
    BeginsWith(Vec<AttributeValue>, AttributeValue),
}

/// The range of sort keys that a query returns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Window {
    lower: Option<Edge>,
    upper: Option<Edge>,
    /// A prefix of a key that is not templated. It is used without edges.
    prefix: Option<AttributeValue>,
    /// Beginnings of fields that end as the literal behind the field begins, so that the condition matches too much.
    begun: Vec<Begun>,
    empty: bool,
}

/// The beginning of a field in a template. With `{city}::{street}`, the beginning `a:` asks for cities such as `a:b`. The
/// stored text of the city `a` begins with `a:` as well, so the client drops that item.
#[derive(Clone, Debug)]
struct Begun {
    /// The position of the field in the stored text.
    at: usize,
    beginning: String,
    /// The literal behind the field.
    literal: &'static str,
}

impl Begun {
    fn is_of(&self, stored: &str) -> bool {
        let field = stored.get(self.at..).unwrap_or_default();
        let end = field.find(self.literal).unwrap_or(field.len());
        field[..end].starts_with(&self.beginning)
    }
}

/// One end of a window.
#[derive(Clone, Debug, PartialEq)]
struct Edge {
    value: AttributeValue,
    included: bool,
}

impl Edge {
    fn included(value: AttributeValue) -> Self {
        Self { value, included: true }
    }

    fn excluded(value: AttributeValue) -> Self {
        Self { value, included: false }
    }

    /// Returns the edge of the values beyond this one.
    fn beyond(mut self) -> Self {
        self.included = !self.included;
        self
    }
}

/// The sort keys that begin with some known fields: from `first`, up to `last` if there is one.
struct Span {
    first: Edge,
    last: Option<Edge>,
    begun: Option<Begun>,
}

impl Span {
    fn value(value: AttributeValue) -> Self {
        Self { first: Edge::included(value.clone()), last: Some(Edge::included(value)), begun: None }
    }

    fn prefix(text: String) -> Self {
        Self {
            last: successor(&text).map(|text| Edge::excluded(AttributeValue::S(text))),
            first: Edge::included(AttributeValue::S(text)),
            begun: None,
        }
    }
}

/// Returns the first text after all texts with this beginning: it increments the last character that can be incremented.
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
        let mut window = Self::default();
        if let KeyForm::Template(segments) = sort.form {
            let span = template_span(fields, segments, partition, Vec::new(), None)?;
            window.narrow(Some(span.first), span.last);
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
        let span = |mut values: Vec<AttributeValue>, beginning| match form {
            KeyForm::Template(segments) => template_span(fields, segments, partition, values, beginning),
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
                self.narrow(Some(span.first), span.last);
            }
            SortTerm::Ge(values) => self.narrow(Some(span(values, None)?.first), None),
            SortTerm::Lt(values) => self.narrow(None, Some(span(values, None)?.first.beyond())),
            SortTerm::Le(values) => self.narrow(None, span(values, None)?.last),
            SortTerm::Gt(values) => match span(values, None)?.last {
                Some(last) => self.narrow(Some(last.beyond()), None),
                None => self.empty = true,
            },
            SortTerm::BeginsWith(values, beginning) => match form {
                KeyForm::Template(_) => {
                    let span = span(values, Some(beginning))?;
                    self.begun.extend(span.begun);
                    self.narrow(Some(span.first), span.last);
                }
                KeyForm::Field(_) => self.narrow_prefix(beginning),
            },
        }
        if self.prefix.is_some() && (self.lower.is_some() || self.upper.is_some()) {
            return Err(Error::invalid(
                "`sort_begins_with` cannot be joined with another condition on this sort key: DynamoDB takes one",
            ));
        }
        Ok(())
    }

    /// Narrows the window to keys with this beginning. Of two beginnings, one must begin with the other.
    fn narrow_prefix(&mut self, beginning: AttributeValue) {
        if is_empty(&beginning) {
            return;
        }
        self.prefix = Some(match self.prefix.take() {
            None => beginning,
            Some(prefix) if begins_with(&beginning, &prefix) => beginning,
            Some(prefix) => {
                self.empty |= !begins_with(&prefix, &beginning);
                prefix
            }
        });
    }

    /// Narrows the window to keys between these edges.
    fn narrow(&mut self, lower: Option<Edge>, upper: Option<Edge>) {
        // Every key is after the empty text, which DynamoDB does not accept as a key in a condition.
        let lower = lower.filter(|edge| edge.value != AttributeValue::S(String::new()));
        keep_narrower(&mut self.lower, lower, Ordering::Greater);
        keep_narrower(&mut self.upper, upper, Ordering::Less);
        if let (Some(lower), Some(upper)) = (&self.lower, &self.upper) {
            match compare(&lower.value, &upper.value) {
                Some(Ordering::Less) => {}
                Some(Ordering::Equal) if lower.included && upper.included => {}
                _ => self.empty = true,
            }
        }
    }

    /// Returns true if the window contains no sort key. Then the query has no result, and DynamoDB would refuse it.
    pub(crate) fn is_empty(&self) -> bool {
        self.empty
    }

    /// Returns the condition on the sort key `name`. It may include the ends of the window although the window excludes them.
    pub(crate) fn condition(&self, name: &'static str) -> Option<Node> {
        if let Some(prefix) = &self.prefix {
            return Some(Node::BeginsWith(name.into(), prefix.clone()));
        }
        match (&self.lower, &self.upper) {
            (None, None) => None,
            (Some(lower), Some(upper)) if lower.value == upper.value => {
                Some(Node::compare(name, Operator::Eq, &lower.value))
            }
            (Some(lower), Some(upper)) if is_beginning(lower, upper) => {
                Some(Node::BeginsWith(name.into(), lower.value.clone()))
            }
            (Some(lower), Some(upper)) => Some(Node::Between(name.into(), lower.value.clone(), upper.value.clone())),
            (Some(lower), None) => {
                let operator = if lower.included { Operator::Ge } else { Operator::Gt };
                Some(Node::compare(name, operator, &lower.value))
            }
            (None, Some(upper)) => {
                let operator = if upper.included { Operator::Le } else { Operator::Lt };
                Some(Node::compare(name, operator, &upper.value))
            }
        }
    }

    /// Writes the window into a fingerprint.
    pub(crate) fn write(&self, fingerprint: &mut Fingerprint) {
        for edge in [&self.lower, &self.upper] {
            fingerprint.optional(edge.as_ref(), |fingerprint, edge| {
                fingerprint.number(u64::from(edge.included));
                fingerprint.value(&edge.value);
            });
        }
        fingerprint.optional(self.prefix.as_ref(), Fingerprint::value);
        fingerprint.number(self.begun.len() as u64);
        self.begun.iter().for_each(|begun| fingerprint.text(&begun.beginning));
        fingerprint.number(u64::from(self.empty));
    }

    /// Returns true if a key is in the window or at one of its ends. DynamoDB accepts no other key as the start of a page.
    pub(crate) fn reaches(&self, key: &AttributeValue) -> bool {
        let is_beyond = |edge: &Option<Edge>, beyond: Ordering| {
            edge.as_ref().is_some_and(|edge| compare(key, &edge.value).is_none_or(|order| order == beyond))
        };
        !is_beyond(&self.lower, Ordering::Less)
            && !is_beyond(&self.upper, Ordering::Greater)
            && self.prefix.as_ref().is_none_or(|prefix| begins_with(key, prefix))
    }

    /// Returns true if the condition lets more keys through than the window contains.
    pub(crate) fn is_narrower(&self) -> bool {
        let includes_ends = match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) => !(lower.included && upper.included || is_beginning(lower, upper)),
            _ => false,
        };
        includes_ends || !self.begun.is_empty()
    }

    /// Returns true if an item that the condition let through is within the window.
    pub(crate) fn contains(&self, name: &str, item: &Item) -> bool {
        let Some(key) = item.get(name) else {
            return true;
        };
        if let AttributeValue::S(stored) = key
            && !self.begun.iter().all(|begun| begun.is_of(stored))
        {
            return false;
        }
        let excludes = |edge: &Option<Edge>| {
            edge.as_ref().is_some_and(|edge| !edge.included && compare(key, &edge.value) == Some(Ordering::Equal))
        };
        !excludes(&self.lower) && !excludes(&self.upper)
    }
}

/// Returns true if the keys between the two edges are exactly those that begin with the lower one.
fn is_beginning(lower: &Edge, upper: &Edge) -> bool {
    matches!(&lower.value, AttributeValue::S(text) if lower.included && *upper == prefix_end(text))
}

fn is_empty(prefix: &AttributeValue) -> bool {
    match prefix {
        AttributeValue::S(text) => text.is_empty(),
        AttributeValue::B(bytes) => bytes.as_ref().is_empty(),
        _ => false,
    }
}

fn begins_with(value: &AttributeValue, prefix: &AttributeValue) -> bool {
    match (value, prefix) {
        (AttributeValue::S(value), AttributeValue::S(prefix)) => value.starts_with(prefix),
        (AttributeValue::B(value), AttributeValue::B(prefix)) => value.as_ref().starts_with(prefix.as_ref()),
        _ => false,
    }
}

fn prefix_end(text: &str) -> Edge {
    successor(text)
        .map_or_else(|| Edge::included(AttributeValue::Null(true)), |end| Edge::excluded(AttributeValue::S(end)))
}

/// Replaces an edge by another that makes the window narrower. `further` is the direction of narrower edges.
fn keep_narrower(edge: &mut Option<Edge>, other: Option<Edge>, further: Ordering) {
    let Some(other) = other else { return };
    let replace = match edge {
        None => true,
        Some(edge) => match compare(&other.value, &edge.value) {
            Some(Ordering::Equal) => !other.included,
            order => order == Some(further),
        },
    };
    if replace {
        *edge = Some(other);
    }
}

/// Returns the sort keys of a template whose leading fields are known, and perhaps the beginning of the next field.
fn template_span(
    fields: &[&'static str],
    segments: &[Segment],
    partition: &[Part],
    leading: Vec<AttributeValue>,
    beginning: Option<AttributeValue>,
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
    match beginning {
        Some(AttributeValue::S(beginning)) => {
            let begun = begun(fields, &segments[known..], text.len(), &beginning)?;
            Ok(Span { begun, ..Span::prefix(text + &beginning) })
        }
        Some(_) => Err(Error::invalid("the beginning of a templated sort key is text")),
        None if known == segments.len() => Ok(Span::value(AttributeValue::S(text))),
        None => Ok(Span::prefix(text)),
    }
}

/// Checks the beginning of a field. It cannot contain the literal behind the field, because then the next field would begin in
/// it. If it ends as that literal begins, returns a `Begun`, because a stored text with this beginning can belong to a field
/// without it.
fn begun(fields: &[&'static str], rest: &[Segment], at: usize, beginning: &str) -> Result<Option<Begun>, Error> {
    let [Segment::Hole { field, .. }, Segment::Literal(literal), ..] = *rest else {
        return Ok(None);
    };
    if beginning.contains(literal) {
        return Err(Error::invalid(format!(
            "`{0}`: \"{1}\" contains {literal:?}, which follows the field in the key template: for a whole `{0}` and the beginning of the next field, give a tuple",
            fields[field],
            value(beginning),
        )));
    }
    let mut beginnings = literal.char_indices().skip(1).map(|(end, _)| &literal[..end]);
    let is_open = beginnings.any(|begun| beginning.ends_with(begun));
    Ok(is_open.then(|| Begun { at, beginning: beginning.to_owned(), literal }))
}
