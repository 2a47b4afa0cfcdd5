//! Conversion between Rust values and `AttributeValue`s.
//!
//! This file has the two codec traits and the map of the module. The derive decides the attribute's name, and `command` decides
//! which request carries the value.

mod attribute_kind;
mod bytes;
mod characters;
pub(crate) mod checked;
mod collection;
mod compare;
pub(crate) mod depth;
mod duration;
mod integration;
mod into_field;
mod item;
mod json_indexer;
mod json_items;
mod json_text;
mod key_part;
pub mod kind;
mod members;
mod number;
mod packed;
mod peek;
mod raw_item;
mod raw_value;
mod rest;
mod scalar;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod serde;
mod set;
mod shape;
mod stored_type;
#[cfg(feature = "transactions")]
mod sum;
mod text_time;
pub(crate) mod time;
mod token;
mod unencodable;
mod vector;

pub use attribute_kind::AttributeKind;
pub use characters::Characters;
pub use collection::Element;
pub(crate) use compare::{compare, equal, equal_items, equal_or_absent};
pub use into_field::IntoField;
pub use item::Item;
pub(crate) use json_items::{ItemsAt, JsonItems};
pub use key_part::{KeyPart, KeyParts};
pub use members::Members;
pub(crate) use number::{Decimal, parse_integer};
pub(crate) use packed::{Packed, Packer, Unpacker};
pub(crate) use peek::{Peek, Scalar};
pub use raw_item::RawItem;
pub use raw_value::RawValue;
pub use rest::Rest;
pub(crate) use rest::put_rest;
pub use set::Container;
pub(crate) use shape::encode_set;
pub use shape::{ListOf, MapOf, SetOf};
pub(crate) use stored_type::DescribeType;
pub use stored_type::{Parents, StoredMember, StoredType};
pub use text_time::{Form, Rfc3339, Shape, TextTime, encode_in_form, form};
pub(crate) use text_time::{format_of, shape_of};
pub(crate) use token::in_seconds;
pub use token::{Expiry, FenceNumber, RatchetToken, Tiebreak, TimeToken, VersionNumber, WriteTime};
pub(crate) use unencodable::{Encoded, check_stand_ins, has_stand_in, stand_in, with_stand_ins};
pub use vector::{IntoVector, Vector};

use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use kind::Kind;

/// A type whose every value is stored as one DynamoDB value.
///
/// The stored type depends on the Rust type alone, so a reader and a writer of the same type always agree:
///
/// | Rust | DynamoDB |
/// |---|---|
/// | `String`, `Box<str>`, `Arc<str>`, `Cow<str>`, `char` | S |
/// | integers up to 128 bits (38 digits), `f32`, `f64` (finite), [`EpochMillis`](crate::EpochMillis), [`EpochSeconds`](crate::EpochSeconds) | N |
/// | `Timestamp` of `jiff`, `DateTime<Utc>` of `chrono`, `OffsetDateTime` of `time` | S, `2024-07-23T21:11:00.000000000Z`: always nine digits, in UTC; any RFC 3339 text is read. For other forms see [`TextTime`](crate::TextTime) |
/// | `civil::Date` of `jiff`, `NaiveDate` of `chrono`, `Date` of `time` | S, `2024-07-23` |
/// | `bool` | BOOL |
/// | `Vec<u8>`, `[u8; N]`, `bytes::Bytes` | B |
/// | `Vec<T>`, `[T; N]` | L |
/// | `Vec<Option<T>>` | L, with NULL for `None` |
/// | `HashMap<K, T>`, `BTreeMap<K, T>`, `#[derive(Document)]` | M |
/// | `Box<T>`, `Arc<T>`, `Cow<T>` | as `T` |
///
/// A type whose value may be *absent*, such as `Option<T>` or a set, implements [`Attribute`] only.
///
/// An integer is read from any spelling of the same number (`7`, `7.0`, `7E+0`), because other writers produce them.
///
/// Implement it for your own type, or derive [`Document`](derive@crate::Document), which forwards a newtype to its field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as a DynamoDB value",
    label = "no DynamoDB value for this type",
    note = "derive `dyno::Document` for a type of yours; as a key or a part of one, it has one field, or it is an enum without fields",
    note = "a field that neither a key nor a rule uses can have a codec of its own: `#[attribute(serde)]`, `#[attribute(with = \"module\")]`",
    note = "`Option` and sets may be absent, so they can be fields but not values of a map or another `Option`; a list can hold an `Option`, as NULL"
)]
pub trait Value: Sized {
    /// The kind of the stored value. It decides where the type can be used (key, set, template) and which operators apply to
    /// it.
    type Kind: Kind;

    /// Encodes the value as DynamoDB stores it.
    fn encode(&self) -> Result<AttributeValue, EncodeError>;

    /// Decodes the value from the form that DynamoDB stores.
    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError>;

    /// Encodes a list of this type: as L, or as B for bytes.
    #[doc(hidden)]
    fn __encode_list(list: &[Self]) -> Result<AttributeValue, EncodeError> {
        collection::encode_list(list)
    }

    #[doc(hidden)]
    fn __decode_list(value: RawValue<'_>) -> Result<Vec<Self>, DecodeError> {
        collection::decode_list(value)
    }

    /// Appends the text of this value in a key template.
    #[doc(hidden)]
    fn __push_text(&self, text: &mut String) -> Result<(), EncodeError> {
        key_part::push_encoded(self, text)
    }

    /// True if a vector can be made of the value: see `Kind::IS_EMBEDDABLE`. A list or an array has it from its elements.
    #[doc(hidden)]
    const __EMBEDDABLE: bool = Self::Kind::IS_EMBEDDABLE;

    /// True if each value other than a number has only one spelling that decodes. (DynamoDB compares numbers by value.)
    #[doc(hidden)]
    const __ONE_SPELLING: bool = false;

    /// The characters that the text of a string's type can contain.
    #[doc(hidden)]
    const __CHARACTERS: Characters = Characters::Any;

    /// The smallest and the largest number of an integer type.
    #[doc(hidden)]
    const __RANGE: Option<(i128, i128)> = None;

    /// Returns about how many bytes `__push_text` will add.
    #[doc(hidden)]
    fn __text_len(&self) -> usize {
        0
    }

    /// Returns the stored form of the type, within these types.
    #[doc(hidden)]
    #[must_use]
    fn __stored_type(parents: &mut Parents) -> StoredType {
        let _ = parents;
        StoredType::of(Self::Kind::STORED, Self::__RANGE)
    }
}

/// A type that can be a field of an entity or document: a [`Value`], or a type whose value may be absent.
///
/// `Option::None` and the empty set are stored as absent attributes, never as `NULL` or an empty set. So an index stays sparse,
/// and `attribute_not_exists` means what it says. An absent attribute is read as `None` or as the empty set.
///
/// Other writers store NULL for "none". If an attribute, a member or an entry may be absent (an `Option`, a set, a field with a
/// default, an entry of a map), NULL there counts as absent, for reads, conditions, filters and changes. A change that fills a
/// gap (`set_if_absent`, `add`, `push`, `insert` and the like) requires in its condition that such an attribute is not NULL. If
/// it is NULL, a second request follows that treats the attribute as absent. An attribute that must be present cannot be NULL:
/// that is a decode error, and for a token or a version it is [`Reason::Corrupt`](crate::Reason::Corrupt). For an
/// [`AttributeValue`] and for a codec of your own, NULL is a value like any other.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a DynamoDB attribute",
    label = "no attribute for this type",
    note = "derive `dyno::Document` for a type of yours; for a serde type write `#[attribute(serde)]` on the field, for any other `#[attribute(with = \"module\")]`",
    note = "`Option` and sets cannot be nested in `Option`, lists or maps; a set holds strings, integers or bytes"
)]
pub trait Attribute: Sized {
    /// The same as [`Value::Kind`].
    type Kind: Kind;
    /// The type of the value when it is present.
    type Present: Attribute;
    /// True if every item must have the attribute.
    #[doc(hidden)]
    const REQUIRED: bool;
    /// True if NULL is not a value of the type.
    #[doc(hidden)]
    const __NULL_IS_ABSENT: bool = true;
    /// The same as `Value::__RANGE`.
    #[doc(hidden)]
    const __RANGE: Option<(i128, i128)> = None;
    /// The type of the stored attribute.
    #[doc(hidden)]
    const __STORED: AttributeKind = Self::Kind::STORED;
    /// The same as `Value::__EMBEDDABLE`.
    #[doc(hidden)]
    const __EMBEDDABLE: bool = Self::Present::__EMBEDDABLE;
    /// The same as `Value::__stored_type`.
    #[doc(hidden)]
    #[must_use]
    fn __stored_type(parents: &mut Parents) -> StoredType {
        Self::Present::__stored_type(parents)
    }

    /// Returns the value, if it is present.
    #[doc(hidden)]
    fn __present(&self) -> Option<&Self::Present>;

    /// Creates the field from a value that is present.
    #[doc(hidden)]
    fn __of_present(present: Self::Present) -> Self;

    /// Encodes the value, or returns `None` if the attribute is to be absent.
    fn encode_attribute(&self) -> Result<Option<AttributeValue>, EncodeError>;

    /// Decodes the value; `None` stands for an absent attribute.
    fn decode_attribute(value: Option<RawValue<'_>>) -> Result<Self, DecodeError>;
}

impl<T: Value> Attribute for T {
    type Kind = T::Kind;
    type Present = T;
    const REQUIRED: bool = true;
    const __NULL_IS_ABSENT: bool = !T::Kind::HOLDS_NULL;
    const __RANGE: Option<(i128, i128)> = <T as Value>::__RANGE;
    const __EMBEDDABLE: bool = <T as Value>::__EMBEDDABLE;

    fn __stored_type(parents: &mut Parents) -> StoredType {
        <T as Value>::__stored_type(parents)
    }

    #[inline]
    fn __present(&self) -> Option<&T> {
        Some(self)
    }

    fn __of_present(present: T) -> Self {
        present
    }

    #[inline]
    fn encode_attribute(&self) -> Result<Option<AttributeValue>, EncodeError> {
        self.encode().map(Some)
    }

    #[inline]
    fn decode_attribute(value: Option<RawValue<'_>>) -> Result<Self, DecodeError> {
        match value {
            Some(value) => T::decode(value),
            None => Err(DecodeError::new(T::Kind::NAME, "no attribute")),
        }
    }
}

impl<T: Value> Attribute for Option<T> {
    type Kind = T::Kind;
    type Present = T;
    const REQUIRED: bool = false;
    const __RANGE: Option<(i128, i128)> = <T as Value>::__RANGE;

    #[inline]
    fn __present(&self) -> Option<&T> {
        self.as_ref()
    }

    fn __of_present(present: T) -> Self {
        Some(present)
    }

    #[inline]
    fn encode_attribute(&self) -> Result<Option<AttributeValue>, EncodeError> {
        self.as_ref().map(T::encode).transpose()
    }

    #[inline]
    fn decode_attribute(value: Option<RawValue<'_>>) -> Result<Self, DecodeError> {
        match value {
            // Other writers store NULL for "none".
            Some(value) if !value.is_null() => T::decode(value).map(Some),
            _ => Ok(None),
        }
    }
}

/// A raw value: anything that another writer stored.
impl Value for AttributeValue {
    type Kind = kind::Any;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        Ok(self.clone())
    }

    #[inline]
    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        Ok(value.into_attribute_value())
    }
}
