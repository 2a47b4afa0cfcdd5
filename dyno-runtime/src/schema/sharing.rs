//! Entities that share a table: checked, at compile time, is that their keys can be told apart.
//!
//! Two templates are told apart by text before their first hole or behind their last one, by digits where the other has
//! other text, or by what follows a hole. Where that proves nothing, they are taken to meet: it is better to ask for
//! templates that are clearly apart than to let one entity overwrite another's items.

use crate::error::text::{Text, is_same};
use crate::schema::{History, Index, KeyAttribute, KeyForm, Layout, Schema, Segment};
use aws_sdk_dynamodb::types::ScalarAttributeType;

/// A compile error if two of these entities cannot share a table.
pub const fn check_shared(schemas: &[&Schema]) {
    let mut one = 0;
    while one < schemas.len() {
        let mut other = 0;
        while other < one {
            check_pair(schemas[other], schemas[one]);
            other += 1;
        }
        one += 1;
    }
}

/// A compile error if a query that is to read items of these entities is of another one.
pub(crate) const fn check_asked(asked: &Schema, schemas: &[&Schema]) {
    let mut position = 0;
    while position < schemas.len() {
        // Two of one name, of different modules, are told apart by their keys.
        if is_same(schemas[position].entity, asked.entity) && keys_meet(schemas[position], asked) {
            return;
        }
        position += 1;
    }
    // With mistakes of its own, which have been reported.
    if !asked.entity.is_empty() {
        Text::new()
            .text("the query is of `")
            .text(asked.entity)
            .text("`, which is not among the entities to be read: add it, or begin with the query of one that is")
            .panic();
    }
}

const fn both(one: &Schema, other: &Schema) -> Text {
    Text::new().text("`").text(one.entity).text("` and `").text(other.entity).text("` ")
}

const fn check_pair(one: &Schema, other: &Schema) {
    // With mistakes of its own, which have been reported.
    if one.entity.is_empty() || other.entity.is_empty() {
        return;
    }
    if let (Some(table), Some(another)) = (one.table, other.table)
        && !is_same(table, another)
    {
        both(one, other)
            .text("are in different tables: `")
            .text(table)
            .text("` and `")
            .text(another)
            .text("`; name one table in both")
            .panic();
    }
    let same_sort = match (&one.sort, &other.sort) {
        (None, None) => true,
        (Some(sort), Some(another)) => is_same_attribute(sort, another),
        _ => false,
    };
    if !is_same_attribute(&one.partition, &other.partition) || !same_sort {
        both(one, other)
            .text("cannot share a table: their key attributes have other names or types; give them the same with `#[partition_key(name = …)]` and `#[sort_key(name = …)]`")
            .panic();
    }
    if let (Some(ttl), Some(another)) = (one.table_ttl(), other.table_ttl())
        && !is_same(ttl, another)
    {
        let of_revisions = one.ttl.is_none() || other.ttl.is_none();
        both(one, other)
            .text("have different TTL attributes: `")
            .text(ttl)
            .text("` and `")
            .text(another)
            .text("`; a table has one")
            .text(if of_revisions { " (revisions have their entity's, or `_ttl` where it has none)" } else { "" })
            .panic();
    }
    if let (Some(mark), Some(another)) = (&one.entity_type, &other.entity_type) {
        if !is_same(mark.attribute, another.attribute) {
            both(one, other).text("keep their entity types in different attributes; use one `type_attribute`").panic();
        }
        if is_same(mark.name, another.name) {
            both(one, other)
                .text("have the same entity type `")
                .text(mark.name)
                .text("`; change one `type_name`")
                .panic();
        }
    }
    if let (Some(ttl), None) = (one.table_ttl(), other.table_ttl()) {
        check_no_ttl(one, ttl, other);
    }
    if let (None, Some(ttl)) = (one.table_ttl(), other.table_ttl()) {
        check_no_ttl(other, ttl, one);
    }
    check_indexes(one, other);
    if keys_meet(one, other) {
        both(one, other)
            .text("can have the same key, so that one could overwrite the other: let the templates of their keys begin with different text, as in `Order#{id}` and `Invoice#{id}`, or end with it")
            .panic();
    }
    if can_meet(&one.partition, &other.partition) && (meets_revisions(one, other) || meets_revisions(other, one)) {
        both(one, other)
            .text("can have the same key, one of them in a revision: revisions that share a table with items have sort keys that begin with `_rev|`, so let the template of the sort key begin with other text")
            .panic();
    }
}

/// DynamoDB removes any item by the table's TTL attribute, whoever stores what in it.
const fn check_no_ttl(of: &Schema, ttl: &'static str, other: &Schema) {
    let mut position = 0;
    while position < other.attributes.len() {
        let attribute = &other.attributes[position];
        if is_same(attribute.name, ttl) || is_among(ttl, attribute.aliases) {
            Text::new()
                .text("the attribute `")
                .text(ttl)
                .text("` is the TTL of `")
                .text(of.entity)
                .text("`, and so of the table, and the field `")
                .text(attribute.field)
                .text("` of `")
                .text(other.entity)
                .text("` is stored there: DynamoDB would remove its items by it; mark it with `#[ttl]`, or rename one of the two")
                .panic();
        }
        position += 1;
    }
}

/// Whether this is one of these names.
const fn is_among(name: &str, names: &[&str]) -> bool {
    let mut position = 0;
    while position < names.len() {
        if is_same(names[position], name) {
            return true;
        }
        position += 1;
    }
    false
}

/// Whether items of two entities can have one key.
const fn keys_meet(one: &Schema, other: &Schema) -> bool {
    let sorts_meet = match (&one.sort, &other.sort) {
        (Some(sort), Some(another)) => can_meet(sort, another),
        _ => true,
    };
    can_meet(&one.partition, &other.partition) && sorts_meet
}

/// Whether revisions of two entities can have one key, in a table of revisions.
pub(crate) const fn revisions_meet(one: &Schema, other: &Schema) -> bool {
    one.sort.is_some() == other.sort.is_some() && keys_meet(one, other)
}

/// The sort keys of revisions that share a table with items: see `rule::History`.
const REVISIONS: &[Segment] = &[
    Segment::Literal("_rev|"),
    Segment::Hole { field: 0, width: 0, is_number: false },
    Segment::Literal("|"),
    Segment::Hole { field: 0, width: 20, is_number: true },
];

/// Whether a revision of `one` can have a sort key of `other`.
const fn meets_revisions(one: &Schema, other: &Schema) -> bool {
    match (&one.history, &other.sort) {
        (Some(History { layout: Layout::SameTable, .. }), Some(KeyAttribute { form: KeyForm::Template(sort), .. })) => {
            templates_meet(REVISIONS, sort)
        }
        _ => false,
    }
}

/// An index of one name is one index, whatever each entity keeps in it.
const fn check_indexes(one: &Schema, other: &Schema) {
    let mut position = 0;
    while position < one.indexes.len() {
        let index = &one.indexes[position];
        let mut of_other = 0;
        while of_other < other.indexes.len() {
            let another = &other.indexes[of_other];
            let is_one = index.is_local == another.is_local
                && are_same_attributes(index.partition, another.partition)
                && are_same_attributes(index.sort, another.sort);
            if is_same(index.name, another.name) && !is_one {
                both(one, other)
                    .text("have an index `")
                    .text(index.name)
                    .text("` with other key attributes; give them the same names and types, or the index another name")
                    .panic();
            }
            if let Some(name) = of_two_types(index.partition, another) {
                two_types(one, other, name);
            }
            if let Some(name) = of_two_types(index.sort, another) {
                two_types(one, other, name);
            }
            of_other += 1;
        }
        position += 1;
    }
}

/// The attribute of these that has another type in a key of this index.
const fn of_two_types(keys: &[KeyAttribute], index: &Index) -> Option<&'static str> {
    let mut position = 0;
    while position < keys.len() {
        let key = &keys[position];
        if has_other_type(key, index.partition) || has_other_type(key, index.sort) {
            return Some(key.name);
        }
        position += 1;
    }
    None
}

const fn has_other_type(key: &KeyAttribute, others: &[KeyAttribute]) -> bool {
    let mut position = 0;
    while position < others.len() {
        if is_same(key.name, others[position].name) && !is_same_attribute(key, &others[position]) {
            return true;
        }
        position += 1;
    }
    false
}

const fn two_types(one: &Schema, other: &Schema, attribute: &str) {
    both(one, other)
        .text("have the attribute `")
        .text(attribute)
        .text("` in keys of indexes, with different types; in the keys of a table's indexes an attribute has one type, so rename one of the two")
        .panic();
}

const fn are_same_attributes(one: &[KeyAttribute], other: &[KeyAttribute]) -> bool {
    let mut position = 0;
    while position < one.len() && position < other.len() {
        if !is_same_attribute(&one[position], &other[position]) {
            return false;
        }
        position += 1;
    }
    one.len() == other.len()
}

const fn is_same_attribute(one: &KeyAttribute, other: &KeyAttribute) -> bool {
    let same_type = matches!(
        (&one.key_type, &other.key_type),
        (ScalarAttributeType::S, ScalarAttributeType::S)
            | (ScalarAttributeType::N, ScalarAttributeType::N)
            | (ScalarAttributeType::B, ScalarAttributeType::B)
    );
    same_type && is_same(one.name, other.name)
}

/// Whether a value can be that of both keys.
const fn can_meet(one: &KeyAttribute, other: &KeyAttribute) -> bool {
    match (&one.form, &other.form) {
        (KeyForm::Template(one), KeyForm::Template(other)) => templates_meet(one, other),
        // A field can hold any text.
        _ => true,
    }
}

const fn templates_meet(one: &[Segment], other: &[Segment]) -> bool {
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
    use crate::key::is_of;
    use crate::schema::{StoredAttribute, Ttl};
    use aws_sdk_dynamodb::types::AttributeValue;

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

    #[test]
    #[should_panic(expected = "the field `expires` of `Entity` is stored there")]
    fn nothing_is_stored_under_the_ttl_of_another_entity_by_an_older_name_either() {
        const EXPIRES: StoredAttribute = StoredAttribute {
            name: "expires",
            aliases: &["until", "ttl"],
            field: "expires",
            required: true,
            has_default: false,
            nullable: false,
        };
        let mut one = schema(&[Segment::Literal("One#"), TEXT]);
        one.ttl = Some(Ttl { attribute: "ttl" });
        let mut other = schema(&[Segment::Literal("Other#"), TEXT]);
        other.attributes = &[EXPIRES];
        check_shared(&[&one, &other]);
    }

    /// Whether a text is the key of an entity with this template.
    fn is_key(template: &'static [Segment], text: &str) -> bool {
        is_of(&schema(template), &Item::from([("PK".to_owned(), AttributeValue::S(text.to_owned()))]))
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
