//! The codec of a stored attribute, which puts its value into an item and takes it out. The codec depends on the attribute's type
//! but not on its entity, so all entities share the compiled code.

use super::Top;
use crate::attribute::{AttributeKind, Item, Members, RawValue, Value, compare, equal, stand_in};
#[cfg(feature = "model")]
use crate::attribute::{DescribeType, StoredType};
use crate::error::{DecodeError, EncodeError, descriptor};
use crate::key::field_text;
use crate::rule;
use crate::schema::Schema;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

pub(super) type Encode<T> = fn(&T) -> Result<Option<AttributeValue>, EncodeError>;
pub(super) type Decode<T> = fn(Option<RawValue<'_>>) -> Result<T, DecodeError>;

/// The place of a value of type `T`, and how it is stored there.
pub struct Codec<T, P = Top> {
    pub(super) place: P,
    pub(super) encode: Encode<T>,
    pub(super) decode: Decode<T>,
    pub(super) default: Option<fn() -> T>,
    pub(super) required: bool,
    /// True if NULL, which other writers store for "none", is not a value of the type.
    pub(super) null_is_absent: bool,
    pub(super) aliases: &'static [&'static str],
    /// The type of the stored value.
    pub(super) kind: AttributeKind,
    /// The same in depth.
    #[cfg(feature = "model")]
    pub(super) stored_type: DescribeType,
}

impl<T, P> Codec<T, P> {
    /// Creates a codec without aliases and default.
    pub(super) const fn new(place: P, encode: Encode<T>, decode: Decode<T>, required: bool) -> Self {
        // A required value may itself be stored as NULL by its codec. With an `Option` around it, NULL stands for `None`.
        let null_is_absent = !required;
        Self {
            place,
            encode,
            decode,
            default: None,
            required,
            null_is_absent,
            aliases: &[],
            kind: AttributeKind::Any,
            #[cfg(feature = "model")]
            stored_type: StoredType::unknown,
        }
    }

    /// Returns true if the attribute may be absent, and NULL stands for its absence.
    pub(super) const fn is_nullable(&self) -> bool {
        !self.required && self.null_is_absent
    }

    /// Encodes the value that stands for an absent attribute, if it has a default.
    pub(super) fn encode_default(&self) -> Result<Option<AttributeValue>, EncodeError> {
        self.default.map_or(Ok(None), |default| (self.encode)(&default()))
    }
}

/// `put`, `put_member` and `take` are compiled for each field of each entity. In optimised builds they are inlined: the codec is a
/// constant there, so its functions are called directly. In other builds, inlining would only add code.
#[cfg_attr(not(debug_assertions), allow(clippy::inline_always, reason = "measured: benches/ratios.rs"))]
impl<T> Codec<T> {
    /// Adds the value to the item of an entity. Only the encoding is compiled for each field, because entities are many.
    #[doc(hidden)]
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn put(&self, item: &mut Item, value: &T) -> Result<(), EncodeError> {
        put_encoded(item, self.place.0, (self.encode)(value))
    }

    /// Adds the value to the members of a document. This is faster than `put` and takes more code (benches/ratios.rs): a list can
    /// contain thousands of documents.
    #[doc(hidden)]
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn put_member(&self, members: &mut Item, value: &T) -> Result<(), EncodeError> {
        // If the value always exists, allocate the name before the value: allocating in the order of dropping is measurably
        // cheaper. `required` is a constant here.
        let early = if self.required { self.place.0.to_owned() } else { String::new() };
        match (self.encode)(value) {
            Ok(Some(value)) => insert(members, if self.required { early } else { self.place.0.to_owned() }, value),
            Ok(None) => {}
            Err(error) => return put_stand_in(members, self.place.0, error),
        }
        Ok(())
    }

    /// Takes the value out of an item.
    #[doc(hidden)]
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn take(&self, item: &mut Members<'_>) -> Result<T, DecodeError> {
        // `decode` is called in one place, because each call is compiled for each field.
        let mut name = self.place.0;
        let found = if self.aliases.is_empty() {
            item.take(name)
        } else {
            let found = rule::alias::take(name, self.aliases, |name| item.take(name))?;
            found.map(|(under, value)| {
                name = under;
                value
            })
        };
        let found = if self.is_nullable() { found.filter(|value| !value.is_null()) } else { found };
        match self.default {
            Some(default) if found.is_none() => Ok(default()),
            _ => (self.decode)(found).map_err(|error| error.at_attribute(name)),
        }
    }

    /// Takes a ratchet's token out of an item. A token has no aliases. A row from before the ratchet existed has no token.
    #[doc(hidden)]
    #[inline]
    pub fn take_token(&self, item: &mut Members<'_>) -> Result<T, DecodeError> {
        let name = self.place.0;
        match (item.take(name), self.default) {
            (Some(token), _) => (self.decode)(Some(token)).map_err(|error| error.at_name(name)),
            (None, Some(default)) => Ok(default()),
            (None, None) => Err(DecodeError::new(
                "a token; for rows older than the ratchet, add `#[attribute(default)]` to the field",
                "no attribute",
            )
            .at_name(name)),
        }
    }

    /// Takes the value of a key out of an item. A spelling that dyno would write differently is an error, because a write would
    /// then go to another key. `V` is `T`: see `attribute::checked`.
    #[doc(hidden)]
    pub fn take_key<V: Value>(&self, item: &mut Members<'_>) -> Result<T, DecodeError> {
        if V::__ONE_SPELLING {
            return self.take(item);
        }
        let name = self.place.0;
        let stored = item.get(name).map(RawValue::into_attribute_value);
        let value = self.take(item)?;
        match (stored, (self.encode)(&value)) {
            (Some(stored), Ok(Some(written))) if compare(&stored, &written) != Some(Ordering::Equal) => {
                Err(another_spelling(name, &written, &stored))
            }
            _ => Ok(value),
        }
    }

    /// Takes the value out of an item. The value of a key stays in the item, so that errors can name the item. What a whole item is
    /// refused for is refused here, too: a key in another spelling, and an attribute that differs from the key.
    #[doc(hidden)]
    pub fn project(&self, schema: &Schema, item: &mut Members<'_>) -> Result<T, DecodeError> {
        let name = self.place.0;
        if schema.is_key(name) {
            let stored = item.get(name);
            let value = (self.decode)(stored.clone()).map_err(|error| error.at_name(name))?;
            let stored = stored.map(RawValue::into_attribute_value);
            return match (stored, (self.encode)(&value)) {
                (Some(stored), Ok(Some(written))) if compare(&stored, &written) != Some(Ordering::Equal) => {
                    Err(another_spelling(name, &written, &stored))
                }
                _ => Ok(value),
            };
        }
        match schema.key_part(name) {
            Some(part) => self.project_key_part(schema, item, part),
            None => self.take(item),
        }
    }

    /// Takes the value of an attribute that is also part of a key template. An item from before it was stored has it in the key.
    fn project_key_part(&self, schema: &Schema, item: &mut Members<'_>, part: usize) -> Result<T, DecodeError> {
        let name = self.place.0;
        let text = field_text(schema, item, part)?;
        let in_key = if self.kind == AttributeKind::N { AttributeValue::N(text) } else { AttributeValue::S(text) };
        let of_key = (self.decode)(Some(in_key.into())).map_err(|error| error.at_name(name))?;
        let Some(stored) = item.get(name).map(RawValue::into_attribute_value) else { return Ok(of_key) };
        let value = self.take(item)?;
        match ((self.encode)(&value), (self.encode)(&of_key)) {
            (Ok(Some(of_attribute)), Ok(Some(of_key))) if !equal(&of_attribute, &of_key) => {
                Err(differs_from_key(name, &of_key, &stored))
            }
            _ => Ok(value),
        }
    }
}

#[inline(never)]
fn put_encoded(
    item: &mut Item,
    name: &'static str,
    encoded: Result<Option<AttributeValue>, EncodeError>,
) -> Result<(), EncodeError> {
    match encoded {
        Ok(Some(value)) => {
            item.insert(name.to_owned(), value);
        }
        Ok(None) => {}
        Err(error) => return put_stand_in(item, name, error),
    }
    Ok(())
}

#[inline(never)]
fn insert(members: &mut Item, name: String, value: AttributeValue) {
    members.insert(name, value);
}

#[cold]
fn another_spelling(name: &'static str, written: &AttributeValue, stored: &AttributeValue) -> DecodeError {
    let expected = format!("the key as dyno writes it, {}", beginning_of(written));
    DecodeError::new(expected, beginning_of(stored)).at_name(name)
}

/// Puts the stand-in for a value that cannot be encoded. Returns the error if the item is encoded to be written.
#[cold]
#[inline(never)]
fn put_stand_in(members: &mut Item, name: &'static str, error: EncodeError) -> Result<(), EncodeError> {
    let value = stand_in(error).map_err(|error| error.at_attribute(name))?;
    members.insert(name.to_owned(), value);
    Ok(())
}

/// Returns the error of an attribute that has another value than the key.
#[cold]
pub(super) fn differs_from_key(name: &'static str, of_key: &AttributeValue, stored: &AttributeValue) -> DecodeError {
    let expected = format!("the value in the key, {}", beginning_of(of_key));
    DecodeError::new(expected, beginning_of(stored)).at_name(name)
}

/// Returns the first 80 characters of a part of a key.
fn beginning_of(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => match text.char_indices().nth(80) {
            Some((end, _)) => format!("{:?} …", &text[..end]),
            None => format!("{text:?}"),
        },
        AttributeValue::N(number) => number.clone(),
        other => descriptor(other).to_owned(),
    }
}
