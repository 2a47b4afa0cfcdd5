//! The templated keys of secondary indexes: as attributes of an item, and in an update that changes a field they are composed
//! of. (A key that is a plain field needs no code, because DynamoDB keeps it up to date.)

use super::item_and_key_limits::{PARTITION_KEY_BYTES, SORT_KEY_BYTES, check_key};
use super::template::{Part, field_text, template_text};
use crate::attribute::{Item, KeyPart};
use crate::error::{EncodeError, Error};
use crate::expression::{Action, RawChange};
use crate::schema::{Index, KeyAttribute, KeyForm, Schema, Segment, StoredAttribute};
use aws_sdk_dynamodb::types::AttributeValue;

/// Returns the attributes of an index's key that are templates of the index itself, with their templates.
fn templates(
    schema: &'static Schema,
    index: &'static Index,
) -> impl Iterator<Item = (&'static KeyAttribute, &'static [Segment])> {
    let own = index.keys().filter(|key| !schema.is_key(key.name));
    own.filter_map(|key| match key.form {
        KeyForm::Template(segments) => Some((key, segments)),
        KeyForm::Field(_) => None,
    })
}

/// Returns the fields that a template contains.
fn holes(segments: &[Segment]) -> impl Iterator<Item = usize> {
    segments.iter().filter_map(|segment| match *segment {
        Segment::Hole { field, .. } => Some(field),
        Segment::Literal(_) => None,
    })
}

/// Adds the attributes of an index's key to an item, given the fields that they are composed of. If one of these fields is
/// `None`, the attribute is absent and the item is not in the index.
pub(crate) fn insert_index_keys(
    schema: &'static Schema,
    index: &'static Index,
    parts: &[Option<&dyn KeyPart>],
    item: &mut Item,
) -> Result<(), EncodeError> {
    let absent = Part(AttributeValue::Null(true));
    let known: Vec<&dyn KeyPart> = parts.iter().map(|part| part.unwrap_or(&absent)).collect();
    for (key, segments) in templates(schema, index) {
        if holes(segments).all(|field| parts[field].is_some()) {
            let text = template_text(index.key_fields, segments, &known)?;
            item.insert(key.name.to_owned(), AttributeValue::S(text));
        }
    }
    Ok(())
}

/// Checks that the index keys of an item are neither empty nor too long. DynamoDB would refuse the item.
pub(crate) fn check_index_keys(schema: &Schema, item: &Item) -> Result<(), EncodeError> {
    let mut attributes = schema.indexes.iter().flat_map(limits);
    attributes.try_for_each(|(name, limit)| check_there(name, item.get(name), limit))
}

/// Returns the attributes of an index's key with the greatest number of bytes that each may have.
fn limits(index: &Index) -> impl Iterator<Item = (&'static str, usize)> {
    let partition = index.partition.iter().map(|key| (key.name, PARTITION_KEY_BYTES));
    partition.chain(index.sort.iter().map(|key| (key.name, SORT_KEY_BYTES)))
}

fn check_there(name: &'static str, value: Option<&AttributeValue>, limit: usize) -> Result<(), EncodeError> {
    let checked = value.map_or(Ok(()), |value| check_key(value, limit));
    checked.map_err(|error| error.at_name(name))
}

/// Adds the index keys to an update whose changes affect them. An upsert may create the item, so it also sets the index keys
/// that are composed of the table's key alone.
pub(crate) fn keep_up(
    schema: &'static Schema,
    key: &Item,
    upsert: bool,
    changes: &mut Vec<RawChange>,
) -> Result<(), Error> {
    for index in schema.indexes {
        for (attribute, segments) in templates(schema, index) {
            let is_done = changes.iter().any(|change| change.path.name() == attribute.name);
            let fields: Vec<&str> = holes(segments).map(|field| index.key_fields[field]).collect();
            let is_changed = fields.iter().any(|field| change_of(schema, field, changes).is_some());
            let is_of_key = || fields.iter().all(|field| schema.key_fields.contains(field));
            if !is_done && (is_changed || upsert && is_of_key()) {
                let action = rewritten(schema, index, segments, key, changes)?;
                changes.push(RawChange::new(attribute.name, Ok(action)));
            }
        }
        for (name, limit) in limits(index) {
            let change = changes.iter().find(|change| change.path.is_attribute() && change.path.name() == name);
            if let Some(RawChange { action: Ok(Action::Set(value) | Action::SetAbsent(value)), .. }) = change {
                check_there(name, Some(value), limit)?;
            }
        }
    }
    Ok(())
}

/// Returns the fields with a default that an index's key is composed of. If such an attribute is absent, it reads as its
/// default, but the item is not in the index.
pub(crate) fn defaults_in_keys(schema: &'static Schema) -> impl Iterator<Item = &'static StoredAttribute> {
    let in_a_key = |field: &str| schema.indexes.iter().any(|index| index.key_fields.contains(&field));
    schema.attributes.iter().filter(move |attribute| attribute.has_default && in_a_key(attribute.field))
}

/// Returns the change of a field that is an attribute.
fn change_of<'a>(schema: &Schema, field: &str, changes: &'a [RawChange]) -> Option<&'a RawChange> {
    let stored = schema.attributes.iter().find(|attribute| attribute.field == field)?;
    changes.iter().find(|change| change.path.name() == stored.name)
}

/// Returns the action that rewrites a key after the changes.
fn rewritten(
    schema: &Schema,
    index: &Index,
    segments: &[Segment],
    key: &Item,
    changes: &[RawChange],
) -> Result<Action, Error> {
    let mut parts = Vec::with_capacity(index.key_fields.len());
    for (position, field) in index.key_fields.iter().enumerate() {
        let is_part = holes(segments).any(|hole| hole == position);
        let change = change_of(schema, field, changes).filter(|_| is_part).map(|change| &change.action);
        parts.push(Part(match change {
            _ if !is_part => AttributeValue::Null(true),
            Some(Ok(Action::Set(value))) => value.clone(),
            Some(Ok(Action::Remove)) => return Ok(Action::Remove),
            // The error surfaces when the change is rendered, with its path.
            Some(Err(_)) => return Ok(Action::Nothing),
            Some(Ok(_)) => {
                return Err(Error::invalid(format!(
                    "`{field}` stands in the key of the index `{}`: set it to a value that is known here",
                    index.name
                )));
            }
            None => key_part(schema, field, key)?.ok_or_else(|| {
                Error::invalid(format!(
                    "the key of the index `{}` is made of {} together: set `{field}`, too",
                    index.name,
                    list(index, segments)
                ))
            })?,
        }));
    }
    let known: Vec<&dyn KeyPart> = parts.iter().map(|part| part as &dyn KeyPart).collect();
    Ok(Action::Set(AttributeValue::S(template_text(index.key_fields, segments, &known)?)))
}

fn list(index: &Index, segments: &[Segment]) -> String {
    let names: Vec<String> = holes(segments).map(|field| format!("`{}`", index.key_fields[field])).collect();
    names.join(", ")
}

/// Returns the value of a field that is part of the table's key.
fn key_part(schema: &Schema, field: &str, key: &Item) -> Result<Option<AttributeValue>, Error> {
    let Some(part) = schema.key_fields.iter().position(|name| *name == field) else {
        return Ok(None);
    };
    let whole = schema.keys().find(|key| matches!(key.form, KeyForm::Field(field) if field == part));
    if let Some(whole) = whole {
        return Ok(key.get(whole.name).cloned());
    }
    let text = field_text(schema, key, part).map_err(|error| Error::invalid(error.to_string()))?;
    Ok(Some(AttributeValue::S(text)))
}
