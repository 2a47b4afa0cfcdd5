//! The templated keys of secondary indexes: as attributes of an item, and as changes of an update that changes one of their
//! fields. A key that is a plain field needs no code, because DynamoDB keeps it up to date.

use super::item_and_key_limits::{PARTITION_KEY_BYTES, SORT_KEY_BYTES, check_key};
use super::template::{Part, field_text, template_text};
use crate::attribute::{Item, KeyPart, stand_in};
use crate::error::{EncodeError, Error};
use crate::expression::{Action, RawChange};
use crate::schema::{Index, KeyAttribute, KeyForm, Schema, Segment, StoredAttribute};
use aws_sdk_dynamodb::types::AttributeValue;

/// Returns the templated attributes of an index's key, except those of the table's key, with their templates.
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

/// Returns the fields of a template, by their indexes.
fn holes(segments: &[Segment]) -> impl Iterator<Item = usize> {
    segments.iter().filter_map(|segment| match *segment {
        Segment::Hole { field, .. } => Some(field),
        Segment::Literal(_) => None,
    })
}

/// Adds the attributes of an index's key to an item. `parts` has the key's fields. If a field of a template is `None`, the
/// attribute is left out, and so the item is not in the index.
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
            let value = template_text(index.key_fields, segments, &known).map(AttributeValue::S);
            let limit = limits(index).find(|(name, _)| *name == key.name).map_or(SORT_KEY_BYTES, |(_, limit)| limit);
            let problem =
                value.as_ref().map_or_else(|error| Some(error.clone()), |value| check_key(value, limit).err());
            let stand_in = problem.and_then(|problem| {
                // The key has changed if its fields have.
                let fields: Vec<_> = holes(segments).map(|field| known[field].value()).collect();
                stand_in(problem.of_value(format!("{fields:?}"))).ok()
            });
            item.insert(key.name.to_owned(), stand_in.map_or(value, Ok)?);
        }
    }
    Ok(())
}

/// Refuses an item whose index keys are empty or too long, as DynamoDB would.
pub(crate) fn check_index_keys(schema: &Schema, item: &Item) -> Result<(), EncodeError> {
    let mut attributes = schema.indexes.iter().flat_map(limits).chain(limits_of_vector_indexes(schema));
    attributes.try_for_each(|(name, limit)| check_if_present(name, item.get(name), limit))
}

/// Returns the attributes of an index's key with the greatest number of bytes that each may have.
fn limits(index: &Index) -> impl Iterator<Item = (&'static str, usize)> {
    let partition = index.partition.iter().map(|key| (key.name, PARTITION_KEY_BYTES));
    partition.chain(index.sort.iter().map(|key| (key.name, SORT_KEY_BYTES)))
}

/// Returns the partitions of vector indexes, as [`limits`] does.
fn limits_of_vector_indexes(schema: &Schema) -> impl Iterator<Item = (&'static str, usize)> {
    let partitions = schema.vector_indexes.iter().flat_map(|index| index.partition);
    partitions.map(|key| (key.name, PARTITION_KEY_BYTES))
}

fn check_if_present(name: &'static str, value: Option<&AttributeValue>, limit: usize) -> Result<(), EncodeError> {
    let checked = value.map_or(Ok(()), |value| check_key(value, limit));
    checked.map_err(|error| error.at_name(name))
}

/// Adds the changes that an update needs so that the index keys agree with the fields that it changes. An upsert may create the
/// item, so it also sets the index keys that are composed of the table's key alone.
pub(crate) fn add_index_key_changes(
    schema: &'static Schema,
    key: &Item,
    upsert: bool,
    changes: &mut Vec<RawChange>,
) -> Result<(), Error> {
    for index in schema.indexes {
        for (attribute, segments) in templates(schema, index) {
            let is_set = changes.iter().any(|change| change.path.name() == attribute.name);
            let fields: Vec<&str> = holes(segments).map(|field| index.key_fields[field]).collect();
            let is_changed = fields.iter().any(|field| change_of(schema, field, changes).is_some());
            let is_of_key = || fields.iter().all(|field| schema.key_fields.contains(field));
            if !is_set && (is_changed || upsert && is_of_key()) {
                let action = key_action(schema, index, segments, key, changes)?;
                changes.push(RawChange::new(attribute.name, Ok(action)));
            }
        }
    }
    for (name, limit) in schema.indexes.iter().flat_map(limits).chain(limits_of_vector_indexes(schema)) {
        let change = changes.iter().find(|change| change.path.is_attribute() && change.path.name() == name);
        if let Some(RawChange { action: Ok(Action::Set(value) | Action::SetAbsent(value)), .. }) = change {
            check_if_present(name, Some(value), limit)?;
        }
    }
    Ok(())
}

/// Returns the attributes with a default by which an index finds items. If such an attribute is absent, it reads as its default, but
/// the index does not find the item by it.
pub(crate) fn defaults_in_keys(schema: &'static Schema) -> impl Iterator<Item = &'static StoredAttribute> {
    schema.attributes.iter().filter(move |attribute| attribute.has_default && schema.is_indexed(attribute))
}

/// Returns the change of a field.
fn change_of<'a>(schema: &Schema, field: &str, changes: &'a [RawChange]) -> Option<&'a RawChange> {
    let stored = schema.attributes.iter().find(|attribute| attribute.field == field)?;
    changes.iter().find(|change| change.path.name() == stored.name)
}

/// Returns the action that makes a templated key agree with the changes.
fn key_action(
    schema: &Schema,
    index: &Index,
    segments: &[Segment],
    key: &Item,
    changes: &[RawChange],
) -> Result<Action, Error> {
    let mut parts = vec![Part(AttributeValue::Null(true)); index.key_fields.len()];
    for (position, field) in index.key_fields.iter().enumerate() {
        if !holes(segments).any(|hole| hole == position) {
            continue;
        }
        parts[position] = Part(match change_of(schema, field, changes).map(|change| &change.action) {
            Some(Ok(Action::Set(value))) => value.clone(),
            Some(Ok(Action::Remove)) => return Ok(Action::Remove),
            // Rendering the change returns the error, with its path.
            Some(Err(_)) => return Ok(Action::Nothing),
            Some(Ok(_)) => {
                return Err(Error::invalid(format!(
                    "`{field}` is part of the key of the index `{}`, so the update must know its new value: change it with `set`",
                    index.name
                )));
            }
            None => key_part(schema, field, key)?.ok_or_else(|| {
                Error::invalid(format!(
                    "the key of the index `{}` consists of {}, so an update sets them together: set `{field}`, too",
                    index.name,
                    field_list(index, segments)
                ))
            })?,
        });
    }
    let known: Vec<&dyn KeyPart> = parts.iter().map(|part| part as &dyn KeyPart).collect();
    Ok(Action::Set(AttributeValue::S(template_text(index.key_fields, segments, &known)?)))
}

fn field_list(index: &Index, segments: &[Segment]) -> String {
    let names: Vec<String> = holes(segments).map(|field| format!("`{}`", index.key_fields[field])).collect();
    names.join(", ")
}

/// Returns the value of a field that is part of the table's key, or `None` if it is not.
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
