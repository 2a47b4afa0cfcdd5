//! Rows of earlier schema versions. The entity's own `upgrade` function converts them before they are decoded.

use super::decode_error;
use super::view::{Shape, shape};
use crate::attribute::{Item, Members, Peek};
use crate::error::{DecodeError, Error};
use crate::key::key_of;
use crate::rule::alias;
use crate::schema::Schema;
use std::borrow::Cow;

/// Returns the schema version of an item that needs an upgrade; `None` if it has the current one.
pub(crate) fn outdated(schema: &Schema, item: &dyn Peek) -> Result<Option<u32>, DecodeError> {
    let Some(version) = &schema.schema_version else { return Ok(None) };
    let error = match shape(schema, item) {
        Shape::Current => return Ok(None),
        Shape::Older(found) => return Ok(Some(found)),
        Shape::Newer(found) => DecodeError::new(
            format!("a schema version up to {}", version.current),
            format!("{found}, written by a newer program: deploy that program here, too"),
        ),
        Shape::Wrong(found) => DecodeError::new("a schema version: a whole number (N), from 1", found),
    };
    Err(error.at_name(version.attribute))
}

/// Converts an item to the entity's current shape: the current schema version, and each value under the current name of its
/// attribute.
pub(crate) fn normalize(schema: &Schema, item: &mut Item) -> Result<(), DecodeError> {
    upgrade(schema, item)?;
    alias::settle(schema, item)
}

/// Returns an item in the current shape. Without aliases and schema versions, there is only one.
pub(crate) fn normalized<'a>(schema: &'static Schema, item: &'a Item) -> Result<Cow<'a, Item>, Error> {
    if schema.schema_version.is_none() && !schema.has_aliases() {
        return Ok(Cow::Borrowed(item));
    }
    let mut current = item.clone();
    match normalize(schema, &mut current) {
        Ok(()) => Ok(Cow::Owned(current)),
        Err(error) => Err(decode_error(error, Members::map(current), schema)),
    }
}

/// Refuses a part of an item that needs an upgrade, because `upgrade` takes whole items.
pub(crate) fn check_part(schema: &Schema, item: &Members<'_>) -> Result<(), DecodeError> {
    let (Some(from), Some(version)) = (outdated(schema, item)?, &schema.schema_version) else { return Ok(()) };
    Err(DecodeError::new(
        format!("schema version {}", version.current),
        format!("{from}: `upgrade` needs the whole row: read the entity, or upgrade all rows with `modify_each` first"),
    )
    .at_name(version.attribute))
}

/// Upgrades an item of an earlier schema version, and sets its version to the current one. The upgrade must not change the key.
pub(crate) fn upgrade(schema: &Schema, item: &mut Item) -> Result<(), DecodeError> {
    let (Some(from), Some(version)) = (outdated(schema, item)?, &schema.schema_version) else { return Ok(()) };
    let (key, current) = (key_of(schema, item), version.current);
    let upgraded = version.upgrade.map_or(Ok(()), |upgrade| upgrade(item, from));
    version.set(item);
    let found = match upgraded {
        Ok(()) if key_of(schema, item) == key => return Ok(()),
        Ok(()) => "one whose key it changes, and a key is fixed".to_owned(),
        Err(error) => format!("one that it rejects: {error}"),
    };
    // The error names the item by its own key.
    item.extend(key);
    Err(DecodeError::new(format!("a row that `upgrade` converts from schema version {from} to {current}"), found))
}
