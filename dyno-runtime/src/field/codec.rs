//! The codec of a stored attribute, which puts its value into an item and takes it out. The codec depends on the attribute's type
//! but not on its entity, so all entities share the compiled code.

use super::Top;
use crate::attribute::{AttributeKind, Item, Members, RawValue, Value, compare, is_left_out};
#[cfg(feature = "model")]
use crate::attribute::{DescribeType, StoredType};
use crate::error::{DecodeError, EncodeError};
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
            Err(error) => return Err(at_attribute(error, self.place.0)),
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
                "a token, or `#[attribute(default)]` on the field for rows from before there was the ratchet",
                "no attribute",
            )
            .at_name(name)),
        }
    }

    /// Takes the value of a key out of an item. A spelling that dyno would write differently is an error, because a write would
    /// then go to another key.
    #[doc(hidden)]
    pub fn take_key(&self, item: &mut Members<'_>) -> Result<T, DecodeError>
    where
        T: Value,
    {
        if T::__ONE_SPELLING {
            return self.take(item);
        }
        let name = self.place.0;
        let stored = item.get(name).map(RawValue::into_attribute_value);
        let value = self.take(item)?;
        let written = value.encode().ok();
        match (stored, written) {
            (Some(stored), Some(written)) if compare(&stored, &written) != Some(Ordering::Equal) => {
                Err(DecodeError::new("the key as it would be written", "another spelling of it").at_name(name))
            }
            _ => Ok(value),
        }
    }

    /// Takes the value out of an item. The value of a key stays in the item, so that errors can name the item.
    #[doc(hidden)]
    pub fn project(&self, schema: &Schema, item: &mut Members<'_>) -> Result<T, DecodeError> {
        let name = self.place.0;
        if schema.is_key(name) {
            return (self.decode)(item.get(name)).map_err(|error| error.at_name(name));
        }
        self.take(item)
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
        Err(error) if !is_left_out(name) => return Err(at_attribute(error, name)),
        _ => {}
    }
    Ok(())
}

#[inline(never)]
fn insert(members: &mut Item, name: String, value: AttributeValue) {
    members.insert(name, value);
}

#[cold]
fn at_attribute(error: EncodeError, name: &'static str) -> EncodeError {
    error.at_attribute(name)
}
