//! Functions whose bounds check the types of generated code, where the code itself would report a type several times.

use crate::attribute::kind::Kind;
use crate::attribute::{Item, KeyPart, Value};
use crate::entity::{TakesAttributes, TakesRules};

/// Returns an empty item with room for so many attributes.
#[must_use]
#[inline]
pub fn item(capacity: usize) -> Item {
    Item::with_capacity(capacity)
}

/// Returns a clone of a key's field.
#[inline]
pub fn cloned<T: Value>(field: &T) -> T
where
    <T::Kind as Kind>::Of<T>: Clone,
{
    T::Kind::cloned(field)
}

/// Returns a field of a key.
#[inline]
pub fn key_field<T: KeyPart>(field: &T) -> &dyn KeyPart {
    field
}

/// Fails to compile unless `T` is an entity: the place of a rule's word has its span.
pub const fn takes_rules<T: TakesRules>() {}

/// Fails to compile unless `T` is a document: the place of `#[attribute]` on a projection has its span.
pub const fn takes_attributes<T: TakesAttributes>() {}
