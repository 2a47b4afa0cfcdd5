//! Handles of fields that have no attribute of their own, because they are only part of the table's key, and of fields that
//! form the key of an index together.

use super::codec::differs_from_key;
use super::{Change, Codec};
use crate::attribute::kind::Kind as _;
use crate::attribute::{IntoField, Members, RawValue, Value, equal};
use crate::entity::Entity;
use crate::error::DecodeError;
use crate::key::{check_field, field_text};
use crate::schema::Schema;
use std::fmt;
use std::marker::PhantomData;

/// The handle of a field that is stored only as part of the table's key, for projections.
pub struct KeyField<E, T> {
    part: usize,
    owner: PhantomData<fn() -> (E, T)>,
}

#[doc(hidden)]
impl<E: Entity, T: Value> KeyField<E, T> {
    #[must_use]
    pub const fn __new(part: usize) -> Self {
        Self { part, owner: PhantomData }
    }

    /// Returns an attribute of the key, which every read returns.
    #[must_use]
    pub const fn __attribute(&self) -> &'static str {
        E::SCHEMA.partition.name
    }

    pub fn __project(self, item: &mut Members<'_>) -> Result<T, DecodeError> {
        let value: T = decode_key(E::SCHEMA, item, self.part)?;
        check_field(E::SCHEMA, item, self.part, |text| value.__push_text(text))?;
        Ok(value)
    }
}

impl<E, T> fmt::Debug for KeyField<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyField").field(&self.part).finish()
    }
}

/// The handle of fields that form an index's key together. An update sets all of them, because it rewrites the key, which takes
/// all of their values.
pub struct Joint<E, T> {
    set: fn(&T) -> Vec<Change<E>>,
}

impl<E, T> Joint<E, T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn __new(set: fn(&T) -> Vec<Change<E>>) -> Self {
        Self { set }
    }

    /// Sets the fields, given in the order of their names, and the keys that are composed of them.
    #[must_use]
    pub fn set(self, values: impl IntoFields<T>) -> Vec<Change<E>> {
        (self.set)(&values.into_fields())
    }
}

impl<E, T> fmt::Debug for Joint<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Joint").finish_non_exhaustive()
    }
}

/// Values of several fields, as a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of each of the fields `{T}`",
    label = "expected a tuple with a value of each field, in the order of the handle's name"
)]
pub trait IntoFields<T> {
    #[doc(hidden)]
    fn into_fields(self) -> T;
}

macro_rules! tuples {
    ($($($field:ident $value:ident $index:tt),+;)*) => {$(
        impl<$($field, $value: IntoField<$field>),+> IntoFields<($($field,)+)> for ($($value,)+) {
            fn into_fields(self) -> ($($field,)+) {
                ($(self.$index.into_field(),)+)
            }
        }
    )*};
}

tuples! {
    A X 0, B Y 1;
    A X 0, B Y 1, C Z 2;
    A X 0, B Y 1, C Z 2, D W 3;
    A X 0, B Y 1, C Z 2, D W 3, E V 4;
    A X 0, B Y 1, C Z 2, D W 3, E V 4, F U 5;
    A X 0, B Y 1, C Z 2, D W 3, E V 4, F U 5, G S 6;
    A X 0, B Y 1, C Z 2, D W 3, E V 4, F U 5, G S 6, H R 7;
}

/// Decodes a field that is part of a key template.
pub fn decode_key<T: Value>(schema: &Schema, item: &Members<'_>, field: usize) -> Result<T, DecodeError> {
    let text = field_text(schema, item, field)?;
    T::decode(T::Kind::from_text(text).into()).map_err(|error| error.at_name(schema.key_fields[field]))
}

/// Decodes a field that is an attribute and also part of a key template. The attribute must agree with the key. In rows from
/// before the attribute was stored, the value comes from the key.
pub fn decode_stored_key<T: Value>(
    schema: &Schema,
    item: &mut Members<'_>,
    field: usize,
    codec: &Codec<T>,
) -> Result<T, DecodeError> {
    let name = codec.place.0;
    let of_key: T = decode_key(schema, item, field)?;
    let Some(stored) = item.get(name).map(RawValue::into_attribute_value) else { return Ok(of_key) };
    let value = codec.take(item)?;
    match (value.encode(), of_key.encode()) {
        (Ok(of_attribute), Ok(of_key)) if !equal(&of_attribute, &of_key) => {
            Err(differs_from_key(name, &of_key, &stored))
        }
        _ => Ok(value),
    }
}
