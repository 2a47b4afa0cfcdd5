//! Decides at compile time whether two templates can produce the same key.
//!
//! Their keys differ if the templates differ before their first hole or after their last one, if one has text that the other's
//! hole cannot contain, or if different text follows a hole. If none of these proves a difference, the templates count as
//! meeting: it is better to ask for clearly different templates than to let one entity overwrite another's items.

use crate::attribute::Characters;
use crate::error::text::is_same;
use crate::schema::{KeyAttribute, KeyForm, Segment};

/// Returns true if both key attributes can have the same value.
pub(super) const fn can_meet(one: &KeyAttribute, other: &KeyAttribute) -> bool {
    match (&one.form, &other.form) {
        (KeyForm::Template(one), KeyForm::Template(other)) => templates_meet(one, other),
        // A plain field can hold any text.
        _ => true,
    }
}

/// Returns true if one text can be the key of both templates.
pub(super) const fn templates_meet(one: &[Segment], other: &[Segment]) -> bool {
    !ends_differ(one, other) && starts_agree(one, other)
}

/// A position in a template: the number of segments before it, and of bytes before it in the current segment.
#[derive(Clone, Copy)]
struct Position<'a> {
    segments: &'a [Segment],
    segment: usize,
    byte: usize,
}

/// The part of a template at a position.
#[derive(Clone, Copy)]
enum Part<'a> {
    End,
    Byte(u8),
    Hole { characters: Characters, width: usize, following: Option<&'a str> },
}

impl<'a> Position<'a> {
    const fn part(self) -> Part<'a> {
        if self.segment == self.segments.len() {
            return Part::End;
        }
        match &self.segments[self.segment] {
            Segment::Literal(text) => Part::Byte(text.as_bytes()[self.byte]),
            Segment::Hole { characters, width, .. } => {
                let following = if self.segment + 1 < self.segments.len() {
                    match &self.segments[self.segment + 1] {
                        Segment::Literal(text) => Some(*text),
                        Segment::Hole { .. } => None,
                    }
                } else {
                    None
                };
                Part::Hole { characters: *characters, width: *width, following }
            }
        }
    }

    /// Returns the position after this byte or hole.
    const fn advance(mut self) -> Self {
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

    /// Returns true if a hole of these characters can contain all text from here to the end, after its own first character.
    const fn has_only(mut self, characters: Characters) -> bool {
        loop {
            match self.part() {
                Part::End => return true,
                Part::Byte(byte) if !characters.go_on_with(byte) => return false,
                Part::Byte(_) | Part::Hole { .. } => self = self.advance(),
            }
        }
    }

    /// Returns true if the template ends with the text that follows this hole.
    const fn ends_after_hole(self) -> bool {
        self.segment + 2 == self.segments.len()
    }
}

/// Returns true if a comparison from the left does not prove that the keys differ.
const fn starts_agree(one: &[Segment], other: &[Segment]) -> bool {
    let mut one = Position { segments: one, segment: 0, byte: 0 };
    let mut other = Position { segments: other, segment: 0, byte: 0 };
    loop {
        match (one.part(), other.part()) {
            (Part::End, Part::End) => return true,
            // Text and holes are never empty, so the longer template needs more text.
            (Part::End, _) | (_, Part::End) => return false,
            (Part::Byte(byte), Part::Byte(another)) => {
                if byte != another {
                    return false;
                }
            }
            (Part::Byte(byte), Part::Hole { characters, following, .. }) => {
                return can_fill(one, byte, characters, following);
            }
            (Part::Hole { characters, following, .. }, Part::Byte(byte)) => {
                return can_fill(other, byte, characters, following);
            }
            (
                Part::Hole { characters, width, following },
                Part::Hole { characters: of_other, width: other_width, following: other_following },
            ) => {
                if width > 0
                    && other_width > 0
                    && width != other_width
                    && ends_number(following)
                    && ends_number(other_following)
                {
                    return false;
                }
                match (following, other_following) {
                    (None, None) => return true,
                    // The last hole must hold all the rest of the other template.
                    (None, Some(_)) => return other.advance().has_only(characters),
                    (Some(_), None) => return one.advance().has_only(of_other),
                    (Some(text), Some(another)) => {
                        // If the same text follows both holes, both holes contain the same text, because a hole ends at the
                        // first occurrence of the text that follows it. The same is true if neither hole can contain the first
                        // character that follows the other one.
                        let ends_alike = is_same(text, another)
                            || !characters.go_on_with(another.as_bytes()[0])
                                && !of_other.go_on_with(text.as_bytes()[0]);
                        if !ends_alike {
                            // A hole before `#` ends at the first `#`. If the template ends with that `#`, it matches no key in
                            // which `#` and more text follow the other hole.
                            return !(one.ends_after_hole() && is_shorter_prefix(text, another)
                                || other.ends_after_hole() && is_shorter_prefix(another, text));
                        }
                    }
                }
            }
        }
        one = one.advance();
        other = other.advance();
    }
}

/// Returns true if a hole of these characters can contain the text at this position, whose first byte is `first`.
const fn can_fill(text: Position<'_>, first: u8, characters: Characters, following: Option<&str>) -> bool {
    // If text follows the hole, the hole may end before the rest of this text, so the rest proves nothing.
    characters.begin_with(first) && (following.is_some() || text.advance().has_only(characters))
}

/// Returns true if no key can end as both templates do: they end with different text, or one ends with a hole that cannot contain
/// the last character of the other's text.
const fn ends_differ(one: &[Segment], other: &[Segment]) -> bool {
    let (one, other) = match (one.last(), other.last()) {
        (Some(Segment::Literal(one)), Some(Segment::Literal(other))) => (one.as_bytes(), other.as_bytes()),
        (Some(Segment::Literal(text)), Some(Segment::Hole { characters, .. }))
        | (Some(Segment::Hole { characters, .. }), Some(Segment::Literal(text))) => {
            return !characters.go_on_with(text.as_bytes()[text.len() - 1]);
        }
        _ => return false,
    };
    let mut back = 1;
    while back <= one.len() && back <= other.len() {
        if one[one.len() - back] != other[other.len() - back] {
            return true;
        }
        back += 1;
    }
    false
}

/// Returns true if a number ends before this text: the text does not begin with a digit, or there is none.
const fn ends_number(following: Option<&str>) -> bool {
    match following {
        Some(text) => !Characters::Number.go_on_with(text.as_bytes()[0]),
        None => true,
    }
}

/// Returns true if `text` begins with `prefix` and is longer.
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

    const TEXT: Segment = Segment::Hole { field: 0, width: 0, characters: Characters::Any };
    const NUMBER: Segment = Segment::Hole { field: 0, width: 0, characters: Characters::Number };
    const ULID: Segment = Segment::Hole { field: 0, width: 0, characters: Characters::Alphanumeric };
    const UUID: Segment = Segment::Hole { field: 0, width: 0, characters: Characters::Hexadecimal };
    const PADDED: Segment = Segment::Hole { field: 0, width: 4, characters: Characters::Number };

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
    fn a_final_text_hole_meets_a_longer_template_but_a_number_does_not() {
        assert!(meet(&[lit("Order#"), TEXT], &[lit("Order#"), TEXT, lit("#Item#"), TEXT]));
        assert!(!meet(&[lit("Order#"), NUMBER], &[lit("Order#"), NUMBER, lit("#Item#"), NUMBER]));
        assert!(!meet(&[lit("Order#"), PADDED], &[lit("Order#"), TEXT, lit("#Item#"), TEXT]));
        assert!(meet(&[lit("Order#"), TEXT], &[lit("Order#"), NUMBER, lit("#Item#"), NUMBER]));
        assert!(!meet(&[lit("Order#"), NUMBER], &[lit("Order#All")]));
        assert!(meet(&[lit("Order#"), NUMBER], &[lit("Order#1")]));
    }

    /// The key of an order's line begins with the order's key.
    #[test]
    fn a_hole_that_cannot_contain_the_following_text_does_not_meet_it() {
        for id in [NUMBER, ULID, UUID] {
            let line = &[lit("Order#"), id, lit("#Line#"), PADDED];
            assert!(!meet(&[lit("Order#"), id], line), "{id:?}");
            // A hole of any text can contain it: one key could be an order's and a line's.
            assert!(meet(&[lit("Order#"), TEXT], line), "{id:?}");
            assert!(meet(&[lit("Order#"), id], &[lit("Order#"), id]), "{id:?}");
            // The difference is further back.
            assert!(!meet(&[lit("Order#"), id, lit("#"), NUMBER], line), "{id:?}");
            assert!(!meet(&[lit("Order#"), id], &[lit("Order#1#x")]), "{id:?}");
        }
        // `-` is itself a character of a UUID.
        assert!(meet(&[UUID], &[UUID, lit("-"), NUMBER]));
        assert!(!meet(&[ULID], &[ULID, lit("-"), NUMBER]));
        assert!(meet(&[ULID], &[ULID, lit("x"), NUMBER]));
        assert!(meet(&[ULID], &[UUID]));
    }

    /// The error message recommends this: other text at the end of one of the two.
    #[test]
    fn final_text_does_not_meet_a_hole_that_cannot_end_with_it() {
        let line = &[lit("Order#"), TEXT, lit("#Line#"), PADDED];
        assert!(!meet(&[lit("Order#"), TEXT, lit("#Order")], line));
        assert!(meet(&[lit("Order#"), TEXT, lit("#1")], line));
        assert!(meet(&[lit("Order#"), TEXT, lit("#Order")], &[lit("Order#"), TEXT, lit("#Line#"), ULID]));
        assert!(!meet(&[lit("Order#"), TEXT, lit("#")], &[lit("Order#"), TEXT, lit("#Line#"), ULID]));
    }

    #[test]
    fn a_hole_that_ends_at_text_does_not_meet_a_longer_template() {
        assert!(!meet(&[lit("Order#"), TEXT, lit("#")], &[lit("Order#"), TEXT, lit("#Item#"), TEXT]));
        assert!(meet(&[lit("Order#"), TEXT, lit("#"), TEXT], &[lit("Order#"), TEXT, lit("#Item#"), TEXT]));
        assert!(!meet(&[TEXT, lit("#A"), TEXT, lit("x")], &[TEXT, lit("#A"), TEXT, lit("y")]));
        assert!(!meet(&[TEXT, lit("#"), NUMBER], &[TEXT, lit("#"), NUMBER, lit("!")]));
        assert!(!meet(&[NUMBER, lit("#a"), TEXT], &[NUMBER, lit("#b"), TEXT]));
    }

    #[test]
    fn numbers_of_different_widths_do_not_meet() {
        const WIDE: Segment = Segment::Hole { field: 0, width: 6, characters: Characters::Number };
        assert!(!meet(&[PADDED], &[WIDE]));
        assert!(meet(&[PADDED], &[NUMBER]));
        assert!(!meet(&[PADDED, lit("#")], &[WIDE, lit("#")]));
        assert!(meet(&[PADDED, lit("00#")], &[WIDE, lit("#")]));
    }

    /// Returns an entity with this template and nothing else.
    fn schema(template: &'static [Segment]) -> Schema {
        let form = KeyForm::Template(template);
        let partition = KeyAttribute { name: "PK", key_type: ScalarAttributeType::S, form };
        Schema { entity: "Entity", partition, key_fields: &["field"], ..Schema::PLAIN }
    }

    /// Returns true if a text is the key of an entity with this template.
    fn is_key(template: &'static [Segment], text: &str) -> bool {
        matches_templates(&schema(template), &Item::from([("PK".to_owned(), AttributeValue::S(text.to_owned()))]))
    }

    /// Returns all texts of up to `length` of these characters.
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

    /// Returns all templates of up to `length` of these segments, with text and holes in turn.
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

    /// Checks each pair of many templates with each text of a few characters.
    #[test]
    fn templates_that_do_not_meet_have_no_key_in_common() {
        const SHORT: Segment = Segment::Hole { field: 0, width: 1, characters: Characters::Number };
        const LONG: Segment = Segment::Hole { field: 0, width: 2, characters: Characters::Number };
        let holes = [TEXT, NUMBER, ULID, UUID, SHORT, LONG];
        let literals = ["#", "#1", "1", "-", "##", "g", "a"].map(lit);
        let segments = [&holes[..], &literals].concat();
        let texts = texts(&['#', '1', '-', 'a', 'g'], 4);
        let templates = templates(&segments, 3);
        // For each 64 texts, a bit mask of those that are keys of a template.
        let are_keys = |template, texts: &[String]| {
            texts.iter().fold(0_u64, |keys, text| keys << 1 | u64::from(is_key(template, text)))
        };
        let of = |template| texts.chunks(64).map(|texts| are_keys(template, texts)).collect();
        let keys: Vec<(&[Segment], Vec<u64>)> =
            templates.into_iter().map(|template| (template, of(template))).collect();
        let mut apart = 0;
        for (index, (one, of_one)) in keys.iter().enumerate() {
            for (other, of_other) in keys[..index].iter().filter(|(other, _)| !meet(one, other)) {
                apart += 1;
                if of_one.iter().zip(of_other).any(|(one, other)| one & other != 0) {
                    let shared = texts.iter().find(|text| is_key(one, text) && is_key(other, text));
                    panic!("{one:?} {other:?} have the key {shared:?}");
                }
            }
        }
        assert!(apart > 10_000, "{apart} pairs of {} templates", keys.len());
    }
}
