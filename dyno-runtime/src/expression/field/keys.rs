//! Handles of what is no attribute of its own: fields that stand in the table's key, and fields that stand in the key of an
//! index together.

use crate::attribute::{DecodeError, IntoField, Item, Value};
use crate::entity::Entity;
use crate::{__private, Change};
use std::fmt;
use std::marker::PhantomData;

/// The handle of a field that stands in the table's key, and nowhere else: for projections.
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

    /// An attribute of the key, which every reading brings along.
    #[must_use]
    pub const fn __attribute(&self) -> &'static str {
        E::SCHEMA.partition.name
    }

    pub fn __project(self, item: &mut Item) -> Result<T, DecodeError> {
        __private::decode_key(E::SCHEMA, item, self.part)
    }
}

impl<E, T> fmt::Debug for KeyField<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyField").field(&self.part).finish()
    }
}

/// The handle of fields that stand in the key of an index together: an update sets all of them, so that the key, which it
/// rewrites, is known.
pub struct Joint<E, T> {
    set: fn(&T) -> Vec<Change<E>>,
}

impl<E, T> Joint<E, T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn __new(set: fn(&T) -> Vec<Change<E>>) -> Self {
        Self { set }
    }

    /// Sets the fields, given in the order of their names, and the keys that are made of them.
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
