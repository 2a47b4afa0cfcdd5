//! Whether two templates can make one key.
//!
//! Two templates are told apart by text before their first hole or behind their last one, by digits where the other has
//! other text, or by what follows a hole. Where that proves nothing, they are taken to meet: it is better to ask for
//! templates that are clearly apart than to let one entity overwrite another's items.

use crate::error::text::is_same;
use crate::schema::{KeyAttribute, KeyForm, Segment};

/// Whether a value can be that of both keys.
pub(super) const fn can_meet(one: &KeyAttribute, other: &KeyAttribute) -> bool {
    match (&one.form, &other.form) {
        (KeyForm::Template(one), KeyForm::Template(other)) => templates_meet(one, other),
        // A field can hold any text.
        _ => true,
    }
}

pub(super) const fn templates_meet(one: &[Segment], other: &[Segment]) -> bool {
    !ends_differ(one, other) && walk_together(one, other)
}

/// A place in a template: how many segments, and how many bytes of the next one, are behind it.
#[derive(Clone, Copy)]
struct Place<'a> {
    segments: &'a [Segment],
    segment: usize,
    byte: usize,
}

/// What comes next in a template.
#[derive(Clone, Copy)]
enum Next<'a> {
    End,
    Byte(u8),
    Hole { is_number: bool, width: usize, behind: Option<&'a str> },
}

impl<'a> Place<'a> {
    const fn next(self) -> Next<'a> {
        if self.segment == self.segments.len() {
            return Next::End;
        }
        match &self.segments[self.segment] {
            Segment::Literal(text) => Next::Byte(text.as_bytes()[self.byte]),
            Segment::Hole { is_number, width, .. } => {
                let behind = if self.segment + 1 < self.segments.len() {
                    match &self.segments[self.segment + 1] {
                        Segment::Literal(text) => Some(*text),
                        Segment::Hole { .. } => None,
                    }
                } else {
                    None
                };
                Next::Hole { is_number: *is_number, width: *width, behind }
            }
        }
    }

    /// Behind the next byte, or hole.
    const fn on(mut self) -> Self {
        self.byte += 1;
        if let Segment::Literal(text) = &self.segments[self.segment]
            && self.byte < text.len()
        {
            return self;
        }
        self.segment += 1;
        self.byte = 0;
        self
    }

    /// Whether nothing follows the text behind this hole.
    const fn ends_behind_hole(self) -> bool {
        self.segment + 2 == self.segments.len()
    }
}

/// Whether a text can match both templates, as far as is known from the left.
const fn walk_together(one: &[Segment], other: &[Segment]) -> bool {
    let mut one = Place { segments: one, segment: 0, byte: 0 };
    let mut other = Place { segments: other, segment: 0, byte: 0 };
    loop {
        match (one.next(), other.next()) {
            (Next::End, Next::End) => return true,
            // Neither text nor a hole is empty.
            (Next::End, _) | (_, Next::End) => return false,
            (Next::Byte(byte), Next::Byte(another)) => {
                if byte != another {
                    return false;
                }
            }
            (Next::Byte(byte), Next::Hole { is_number, .. }) | (Next::Hole { is_number, .. }, Next::Byte(byte)) => {
                return !is_number || is_of_number(byte);
            }
            (
                Next::Hole { is_number, width, behind },
                Next::Hole { is_number: other_is_number, width: other_width, behind: other_behind },
            ) => {
                if width > 0 && other_width > 0 && width != other_width && is_apart(behind) && is_apart(other_behind) {
                    return false;
                }
                match (behind, other_behind) {
                    (None, None) => return true,
                    (None, Some(text)) => return !is_number || is_all_of_number(text),
                    (Some(text), None) => return !other_is_number || is_all_of_number(text),
                    (Some(text), Some(another)) => {
                        // Where what is behind both holes is the same, they hold the same: it ends at the first such
                        // text. So do two numbers, if no digit is next.
                        let ends_alike = is_same(text, another)
                            || is_number && other_is_number && is_apart(behind) && is_apart(other_behind);
                        if !ends_alike {
                            // A hole ends at the first `#`, and nothing follows: then `#…` is not behind it.
                            return !(one.ends_behind_hole() && is_shorter_prefix(text, another)
                                || other.ends_behind_hole() && is_shorter_prefix(another, text));
                        }
                    }
                }
            }
        }
        one = one.on();
        other = other.on();
    }
}

/// Whether the texts behind the last holes differ.
const fn ends_differ(one: &[Segment], other: &[Segment]) -> bool {
    let (Some(Segment::Literal(one)), Some(Segment::Literal(other))) = (one.last(), other.last()) else {
        return false;
    };
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut back = 1;
    while back <= one.len() && back <= other.len() {
        if one[one.len() - back] != other[other.len() - back] {
            return true;
        }
        back += 1;
    }
    false
}

const fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'-'
}

/// Whether a number cannot go on into what is behind it.
const fn is_apart(behind: Option<&str>) -> bool {
    match behind {
        Some(text) => !text.as_bytes()[0].is_ascii_digit(),
        None => true,
    }
}

const fn is_all_of_number(text: &str) -> bool {
    let text = text.as_bytes();
    let mut position = 0;
    while position < text.len() {
        if !is_of_number(text[position]) {
            return false;
        }
        position += 1;
    }
    true
}

const fn is_shorter_prefix(prefix: &str, text: &str) -> bool {
    let (prefix, text) = (prefix.as_bytes(), text.as_bytes());
    let mut position = 0;
    while position < prefix.len() && position < text.len() {
        if prefix[position] != text[position] {
            return false;
        }
        position += 1;
    }
    prefix.len() < text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::Item;
    use crate::key::matches_templates;
    use crate::schema::Schema;
    use aws_sdk_dynamodb::types::{AttributeValue, ScalarAttributeType};

    const TEXT: Segment = Segment::Hole { field: 0, width: 0, is_number: false };
    const NUMBER: Segment = Segment::Hole { field: 0, width: 0, is_number: true };
    const PADDED: Segment = Segment::Hole { field: 0, width: 4, is_number: true };

    fn lit(text: &'static str) -> Segment {
        Segment::Literal(text)
    }

    fn meet(one: &[Segment], other: &[Segment]) -> bool {
        assert_eq!(templates_meet(one, other), templates_meet(other, one), "{one:?} {other:?}");
        templates_meet(one, other)
    }

    #[test]
    fn templates_that_differ_in_text_do_not_meet() {
        assert!(!meet(&[lit("Order#"), TEXT], &[lit("Invoice#"), TEXT]));
        assert!(!meet(&[lit("Profile")], &[lit("Order#"), TEXT]));
        assert!(!meet(&[lit("A")], &[lit("AB")]));
        assert!(!meet(&[TEXT, lit("#A")], &[TEXT, lit("#B")]));
        assert!(!meet(&[lit("X#"), TEXT, lit("#A#"), TEXT], &[lit("Y#"), TEXT]));
        assert!(meet(&[lit("A")], &[lit("A")]));
        assert!(meet(&[lit("Order#"), TEXT], &[lit("Order#"), TEXT]));
        assert!(meet(&[TEXT], &[lit("Order#"), TEXT]));
    }

    #[test]
    fn a_hole_at_the_end_meets_what_goes_on_unless_it_is_a_number() {
        assert!(meet(&[lit("Order#"), TEXT], &[lit("Order#"), TEXT, lit("#Item#"), TEXT]));
        assert!(!meet(&[lit("Order#"), NUMBER], &[lit("Order#"), NUMBER, lit("#Item#"), NUMBER]));
        assert!(!meet(&[lit("Order#"), PADDED], &[lit("Order#"), TEXT, lit("#Item#"), TEXT]));
        assert!(meet(&[lit("Order#"), TEXT], &[lit("Order#"), NUMBER, lit("#Item#"), NUMBER]));
        assert!(!meet(&[lit("Order#"), NUMBER], &[lit("Order#All")]));
        assert!(meet(&[lit("Order#"), NUMBER], &[lit("Order#1")]));
    }

    #[test]
    fn a_hole_that_ends_at_text_does_not_meet_what_has_more_behind_that() {
        assert!(!meet(&[lit("Order#"), TEXT, lit("#")], &[lit("Order#"), TEXT, lit("#Item#"), TEXT]));
        assert!(meet(&[lit("Order#"), TEXT, lit("#"), TEXT], &[lit("Order#"), TEXT, lit("#Item#"), TEXT]));
        assert!(!meet(&[TEXT, lit("#A"), TEXT, lit("x")], &[TEXT, lit("#A"), TEXT, lit("y")]));
        assert!(!meet(&[TEXT, lit("#"), NUMBER], &[TEXT, lit("#"), NUMBER, lit("!")]));
        assert!(!meet(&[NUMBER, lit("#a"), TEXT], &[NUMBER, lit("#b"), TEXT]));
    }

    #[test]
    fn numbers_of_different_widths_do_not_meet() {
        const WIDE: Segment = Segment::Hole { field: 0, width: 6, is_number: true };
        assert!(!meet(&[PADDED], &[WIDE]));
        assert!(meet(&[PADDED], &[NUMBER]));
        assert!(!meet(&[PADDED, lit("#")], &[WIDE, lit("#")]));
        assert!(meet(&[PADDED, lit("00#")], &[WIDE, lit("#")]));
    }

    /// An entity with this template, and nothing else.
    fn schema(template: &'static [Segment]) -> Schema {
        let form = KeyForm::Template(template);
        let partition = KeyAttribute { name: "PK", key_type: ScalarAttributeType::S, form };
        Schema { entity: "Entity", partition, key_fields: &["field"], ..Schema::PLAIN }
    }

    /// Whether a text is the key of an entity with this template.
    fn is_key(template: &'static [Segment], text: &str) -> bool {
        matches_templates(&schema(template), &Item::from([("PK".to_owned(), AttributeValue::S(text.to_owned()))]))
    }

    /// All texts of up to so many of these characters.
    fn texts(characters: &[char], length: usize) -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut from = 0;
        for _ in 0..length {
            let to = texts.len();
            for index in from..to {
                let longer = characters.iter().map(|character| format!("{}{character}", texts[index]));
                let longer: Vec<String> = longer.collect();
                texts.extend(longer);
            }
            from = to;
        }
        texts
    }

    /// All templates of up to so many of these segments: text and holes by turns.
    fn templates(segments: &[Segment], length: usize) -> Vec<&'static [Segment]> {
        let is_hole = |segment: &Segment| matches!(segment, Segment::Hole { .. });
        let mut templates: Vec<Vec<Segment>> = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..length {
            let to = templates.len();
            for index in from..to {
                for segment in segments {
                    if templates[index].last().is_none_or(|last| is_hole(last) != is_hole(segment)) {
                        templates.push([&templates[index][..], &[*segment]].concat());
                    }
                }
            }
            from = to;
        }
        templates.into_iter().skip(1).map(|template| &*template.leak()).collect()
    }

    /// Of every pair of many templates, and of every text of a few characters.
    #[test]
    fn no_text_is_the_key_of_two_templates_that_do_not_meet() {
        const SHORT: Segment = Segment::Hole { field: 0, width: 1, is_number: true };
        const LONG: Segment = Segment::Hole { field: 0, width: 2, is_number: true };
        let segments = [TEXT, NUMBER, SHORT, LONG, lit("#"), lit("#1"), lit("1"), lit("-"), lit("##")];
        let texts = texts(&['#', '1', '-', 'a'], 4);
        let templates = templates(&segments, 3);
        let keys: Vec<(&[Segment], Vec<bool>)> = templates
            .into_iter()
            .map(|template| (template, texts.iter().map(|text| is_key(template, text)).collect()))
            .collect();
        let mut apart = 0;
        for (index, (one, of_one)) in keys.iter().enumerate() {
            for (other, of_other) in keys[..index].iter().filter(|(other, _)| !meet(one, other)) {
                apart += 1;
                let shared = texts.iter().zip(of_one.iter().zip(of_other)).find(|(_, (one, other))| **one && **other);
                assert_eq!(shared.map(|(text, _)| text), None, "{one:?} {other:?}");
            }
        }
        assert!(apart > 10_000, "{apart} pairs of {} templates", keys.len());
    }
}
