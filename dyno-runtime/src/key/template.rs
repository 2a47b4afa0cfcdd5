//! Conversion between fields and key attributes, through templates.
//!
//! The fields must be recoverable from the text of a key. So a write refuses a value that would make the text ambiguous, and a
//! read accepts a stored key only if dyno would spell it the same way.

use super::item_and_key_limits::check_keys;
use crate::attribute::{Item, KeyPart, KeyParts, Members, Peek, Scalar};
use crate::error::foreign_text;
use crate::error::foreign_text::VALUE_BYTES;
use crate::error::{Context, DecodeError, EncodeError, descriptor};
use crate::expression::{Action, RawChange};
use crate::schema::{Index, KeyAttribute, KeyForm, Schema, Segment};
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;

/// A field's value without its Rust type.
#[derive(Clone, Debug)]
pub(crate) struct Part(pub(crate) AttributeValue);

impl KeyPart for Part {
    fn value(&self) -> Result<AttributeValue, EncodeError> {
        Ok(self.0.clone())
    }

    fn push_text(&self, text: &mut String) -> Result<(), EncodeError> {
        match &self.0 {
            AttributeValue::S(value) | AttributeValue::N(value) => {
                text.push_str(value);
                Ok(())
            }
            _ => Err(EncodeError::new("only strings and numbers stand in a key template")),
        }
    }

    fn text_len(&self) -> usize {
        0
    }
}

/// The values of a key's fields, in the order of `Schema::key_fields`. A query may know only the leading ones.
pub(crate) type Parts<'a> = [&'a dyn KeyPart];

/// Builds the key of an item: its one or two attributes.
pub(crate) fn build_key(schema: &Schema, key: &impl KeyParts) -> Result<Item, EncodeError> {
    build_key_of(schema, &key.parts())
}

fn build_key_of(schema: &Schema, parts: &Parts<'_>) -> Result<Item, EncodeError> {
    let mut item = Item::with_capacity(2);
    for key in schema.keys() {
        item.insert(key.name.to_owned(), key_value(schema.key_fields, key, parts)?);
    }
    check_keys(&item, schema)?;
    Ok(item)
}

/// Returns changes that set the key fields that are also stored as attributes.
pub(crate) fn key_copies(schema: &Schema, key: &impl KeyParts) -> Vec<RawChange> {
    key_copies_of(schema, &key.parts())
}

fn key_copies_of(schema: &Schema, parts: &Parts<'_>) -> Vec<RawChange> {
    let copies = schema.attributes.iter().filter_map(|attribute| {
        let part = schema.key_fields.iter().position(|field| *field == attribute.field)?;
        Some(RawChange::new(attribute.name, parts[part].value().map(Action::Set)))
    });
    copies.collect()
}

/// Adds the templated key attributes to an item.
pub fn insert_templates(schema: &Schema, parts: &Parts<'_>, item: &mut Item) -> Result<(), EncodeError> {
    for key in schema.keys() {
        if let KeyForm::Template(segments) = key.form {
            let text = template_text(schema.key_fields, segments, parts)?;
            item.insert(key.name.to_owned(), AttributeValue::S(text));
        }
    }
    Ok(())
}

/// Returns the value of one key attribute.
pub(crate) fn key_value(
    fields: &[&'static str],
    key: &KeyAttribute,
    parts: &Parts<'_>,
) -> Result<AttributeValue, EncodeError> {
    match key.form {
        KeyForm::Field(field) => parts[field].value().map_err(|error| error.at_name(fields[field])),
        KeyForm::Template(segments) => template_text(fields, segments, parts).map(AttributeValue::S),
    }
}

/// Returns the text of a template, whose fields must all be known.
pub(crate) fn template_text(
    fields: &[&'static str],
    segments: &[Segment],
    parts: &Parts<'_>,
) -> Result<String, EncodeError> {
    let length = segments.iter().map(|segment| match *segment {
        Segment::Literal(literal) => literal.len(),
        Segment::Hole { field, width, .. } => width.max(parts[field].text_len()),
    });
    let mut text = String::with_capacity(length.sum());
    push_segments(fields, segments, parts, &mut text)?;
    Ok(text)
}

/// Appends the text of segments, whose fields must all be known.
pub(crate) fn push_segments(
    fields: &[&'static str],
    segments: &[Segment],
    parts: &Parts<'_>,
    text: &mut String,
) -> Result<(), EncodeError> {
    for (index, segment) in segments.iter().enumerate() {
        match *segment {
            Segment::Literal(literal) => text.push_str(literal),
            Segment::Hole { field, width, .. } => {
                let name = fields[field];
                let start = text.len();
                push_hole(parts[field], width, text).map_err(|error| error.at_name(name))?;
                // A reader searches for the literal after the hole, from the start of the hole.
                if let Some(Segment::Literal(literal)) = segments.get(index + 1) {
                    let end = text.len();
                    text.push_str(literal);
                    let found = text[start..].find(literal).map(|found| start + found);
                    text.truncate(end);
                    if found != Some(end) {
                        return Err(EncodeError::new(format!(
                            "the value contains {literal:?}, which follows it in the key template, so the key would be ambiguous: change the value or the template"
                        ))
                        .at_name(name));
                    }
                }
            }
        }
    }
    Ok(())
}

fn push_hole(part: &dyn KeyPart, width: usize, text: &mut String) -> Result<(), EncodeError> {
    let start = text.len();
    part.push_text(text)?;
    let length = text.len() - start;
    if length == 0 {
        return Err(EncodeError::new("it is part of a key or of an index's key, and cannot be empty"));
    }
    if width > 0 {
        if length > width || !text.as_bytes()[start..].iter().all(u8::is_ascii_digit) {
            return Err(EncodeError::new(format!(
                "{} does not fit the {width} digits of the key template: use a smaller number",
                foreign_text::value(&text[start..])
            )));
        }
        text.insert_str(start, &"0".repeat(width - length));
    }
    Ok(())
}

/// Returns the text of a field in an item's key.
pub(crate) fn field_text(schema: &Schema, item: &dyn Peek, field: usize) -> Result<String, DecodeError> {
    let mut found: Option<String> = None;
    for key in schema.keys() {
        let KeyForm::Template(segments) = key.form else {
            continue;
        };
        let text = stored_text(key, item)?;
        let mut hole = None;
        let matches = read_template(segments, &text, |read, value| {
            if read == field {
                hole = Some(value.to_owned());
            }
        });
        if !matches {
            let expected = format!("a key like {}", pattern(schema, segments));
            return Err(DecodeError::new(expected, format!("{text:?}")).at_name(key.name));
        }
        if let (Some(one), Some(other)) = (&found, &hole)
            && one != other
        {
            let expected = format!("the same value in both keys, {one:?}");
            return Err(DecodeError::new(expected, format!("{other:?}")).at_name(schema.key_fields[field]));
        }
        found = found.or(hole);
    }
    // The derive calls this only for fields that are part of a template.
    Ok(found.unwrap_or_default())
}

/// Refuses an item in whose key a field is spelled otherwise than its value is written: `01` for 1.
pub(crate) fn check_field(
    schema: &Schema,
    item: &dyn Peek,
    field: usize,
    push_text: impl FnOnce(&mut String) -> Result<(), EncodeError>,
) -> Result<(), DecodeError> {
    let found = field_text(schema, item, field)?;
    let mut written = String::new();
    if push_text(&mut written).is_ok() && written == found {
        return Ok(());
    }
    let has_field = |segment: &Segment| matches!(*segment, Segment::Hole { field: part, .. } if part == field);
    let mut keys = schema.keys();
    let key = keys.find(|key| matches!(key.form, KeyForm::Template(segments) if segments.iter().any(has_field)));
    let expected = format!("{written:?} for `{}`, as dyno writes it", schema.key_fields[field]);
    let error = DecodeError::new(expected, format!("{found:?}"));
    Err(error.at_name(key.map_or(schema.partition.name, |key| key.name)))
}

/// Refuses an item whose templated keys are not exactly the text of these fields. If they are spelled otherwise, writing the
/// entity back would write to another key.
pub fn check_templates(schema: &Schema, parts: &Parts<'_>, item: &Members<'_>) -> Result<(), DecodeError> {
    for key in schema.keys() {
        let KeyForm::Template(segments) = key.form else {
            continue;
        };
        let text = stored_text(key, item)?;
        let unwritable = |error| DecodeError::new(format!("a key that dyno can write ({error})"), format!("{text:?}"));
        let expected =
            template_text(schema.key_fields, segments, parts).map_err(|error| unwritable(error).at_name(key.name))?;
        if text != expected {
            let expected = format!("{expected:?}, which its fields make by the template {}", pattern(schema, segments));
            return Err(DecodeError::new(expected, format!("{text:?}")).at_name(key.name));
        }
    }
    Ok(())
}

/// Returns the text of a templated key in an item.
fn stored_text<'a>(key: &KeyAttribute, item: &'a dyn Peek) -> Result<Cow<'a, str>, DecodeError> {
    match item.peek(key.name) {
        Some(Scalar::S(text)) => Ok(text),
        other => {
            let found = other.map_or("no attribute", |found| found.descriptor());
            Err(DecodeError::new("a string (S)", found).at_name(key.name))
        }
    }
}

/// Splits a text by its template, and passes each field's index and text to `hole`. Returns true if the text matches.
fn read_template<'a>(segments: &[Segment], mut text: &'a str, mut hole: impl FnMut(usize, &'a str)) -> bool {
    for (index, segment) in segments.iter().enumerate() {
        match *segment {
            Segment::Literal(literal) => match text.strip_prefix(literal) {
                Some(rest) => text = rest,
                None => return false,
            },
            Segment::Hole { field, width, characters } => {
                // The field ends where the next literal begins.
                let end = match segments.get(index + 1) {
                    Some(Segment::Literal(literal)) => text.find(literal),
                    _ => Some(text.len()),
                };
                let Some(end) = end.filter(|end| *end > 0) else {
                    return false;
                };
                let (mut value, rest) = text.split_at(end);
                if !characters.are_of(value) {
                    return false;
                }
                // A number has leading zeros, up to its width.
                if width > 0 {
                    if value.len() != width || !value.bytes().all(|byte| byte.is_ascii_digit()) {
                        return false;
                    }
                    let significant = value.trim_start_matches('0');
                    value = if significant.is_empty() { "0" } else { significant };
                }
                hole(field, value);
                text = rest;
            }
        }
    }
    text.is_empty()
}

/// Returns true if the key attributes of an item match the entity's templates.
pub(crate) fn matches_templates(schema: &Schema, item: &dyn Peek) -> bool {
    schema.keys().all(|key| match &key.form {
        KeyForm::Template(segments) => match item.peek(key.name) {
            Some(Scalar::S(text)) => read_template(segments, &text, |_, _| {}),
            _ => false,
        },
        KeyForm::Field(_) => true,
    })
}

fn pattern(schema: &Schema, segments: &[Segment]) -> String {
    let mut pattern = String::from("\"");
    for segment in segments {
        match *segment {
            Segment::Literal(literal) => pattern.push_str(literal),
            Segment::Hole { field, width, .. } => {
                pattern.push('{');
                pattern.push_str(schema.key_fields[field]);
                if width > 0 {
                    pattern.push_str(":0");
                    pattern.push_str(&width.to_string());
                }
                pattern.push('}');
            }
        }
    }
    pattern.push('"');
    pattern
}

/// Returns the names of the table's key attributes, and of those of an index.
pub(crate) fn key_names(schema: &'static Schema, index: Option<&'static Index>) -> impl Iterator<Item = &'static str> {
    let own = schema.keys().map(|key| key.name);
    own.chain(index.into_iter().flat_map(Index::keys).map(|key| key.name).filter(|name| !schema.is_key(name)))
}

/// Returns the key attributes of an item, as an item of their own.
pub(crate) fn key_of(schema: &Schema, item: &Item) -> Item {
    schema.keys().filter_map(|key| Some((key.name.to_owned(), item.get(key.name)?.clone()))).collect()
}

/// Returns the context of an error: the command, its entity and, if it is known, the key.
pub(crate) fn error_context(operation: &'static str, schema: &Schema, key: Option<&Item>) -> Context {
    Context { operation, entity: schema.entity, key: key.and_then(|key| key_text(key, schema)) }
}

/// Returns the key of an item as text for people. It goes into errors, never into spans.
pub(crate) fn key_text(item: &Item, schema: &Schema) -> Option<String> {
    let mut text = String::with_capacity(64);
    for KeyAttribute { name, .. } in schema.keys() {
        let value = item.get(*name)?;
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(name);
        text.push_str(" = ");
        let written = match value {
            AttributeValue::S(value) => push_quoted(value, &mut text),
            AttributeValue::N(value) => text.write_str(&foreign_text::value(value)),
            AttributeValue::B(value) => write!(text, "{} bytes", value.as_ref().len()),
            other => text.write_str(descriptor(other)),
        };
        // Writing to a string does not fail.
        written.ok()?;
    }
    Some(text)
}

/// Appends the text as `{:?}` would. Every write calls this, so in the common case it appends the text as a whole.
fn push_quoted(value: &str, text: &mut String) -> fmt::Result {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
    if value.len() > VALUE_BYTES {
        write!(text, "\"{}", foreign_text::value(value))
    } else if value.bytes().all(is_plain) {
        text.push('"');
        text.push_str(value);
        text.push('"');
        Ok(())
    } else {
        write!(text, "{}", foreign_text::value(&format!("{value:?}")))
    }
}
