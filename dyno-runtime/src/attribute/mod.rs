//! How a Rust value becomes an `AttributeValue` and comes back.
//!
//! Here: the two codec traits and the map of the module. What stands in an item under which name is the
//! derive's business; what a command does with the values is `command`'s.

mod bytes;
mod characters;
mod collection;
mod compare;
pub(crate) mod depth;
mod duration;
mod integration;
mod into_field;
mod key_part;
pub mod kind;
mod number;
mod packed;
mod peek;
mod rest;
mod scalar;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod serde;
mod set;
mod shape;
mod sum;
mod text_time;
pub(crate) mod time;
mod token;

pub use characters::Characters;
pub use collection::Element;
pub(crate) use compare::{compare, equal, equal_items};
pub use into_field::IntoField;
pub use key_part::{KeyPart, KeyParts};
pub(crate) use number::{Decimal, parse_integer};
pub(crate) use packed::Packed;
pub(crate) use peek::{Peek, Scalar};
pub use rest::Rest;
pub(crate) use rest::put_rest;
pub use set::Container;
pub(crate) use shape::encode_set;
pub use shape::{ListOf, MapOf, SetOf};
pub use text_time::{Form, Rfc3339, Shape, TextTime, encode_in_form, form};
pub(crate) use text_time::{format_of, shape_of};
pub(crate) use token::in_seconds;
pub use token::{Expiry, FenceNumber, RatchetToken, Tiebreak, TimeToken, VersionNumber};

use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use kind::Kind;

/// An item as DynamoDB stores it: attribute names and their values.
pub type Item = std::collections::HashMap<String, AttributeValue>;

/// A type that is stored as one DynamoDB value, always.
///
/// The stored type follows from the Rust type and from nothing else, so a reader and a writer of one type
/// always agree:
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
/// What may also be *absent*, `Option<T>` and sets, implements [`Attribute`] only.
///
/// Integers are read from any spelling of the same number (`7`, `7.0`, `7E+0`), since other writers produce them.
///
/// Implement it for a type of your own, or derive [`Document`](derive@crate::Document), which forwards a
/// newtype to its field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as a DynamoDB value",
    label = "no DynamoDB value for this type",
    note = "derive `dyno::Document` for a type of yours; for a serde type write `#[attribute(serde)]` on the field, for any other `#[attribute(with = \"module\")]`",
    note = "`Option` and sets may be absent, so they can be fields but not values of a map or another `Option`; a list can hold an `Option`, as NULL"
)]
pub trait Value: Sized {
    /// Which DynamoDB type it is: decides where the type may stand (key, set, template) and what may be asked of it.
    type Kind: Kind;

    /// The value as DynamoDB stores it.
    fn encode(&self) -> Result<AttributeValue, EncodeError>;

    /// The value back from what DynamoDB stores.
    fn decode(value: AttributeValue) -> Result<Self, DecodeError>;

    /// A list of this type: L, but B for bytes.
    #[doc(hidden)]
    fn __encode_list(list: &[Self]) -> Result<AttributeValue, EncodeError> {
        collection::encode_list(list)
    }

    #[doc(hidden)]
    fn __decode_list(value: AttributeValue) -> Result<Vec<Self>, DecodeError> {
        collection::decode_list(value)
    }

    /// The text of this value within a key template.
    #[doc(hidden)]
    fn __push_text(&self, text: &mut String) -> Result<(), EncodeError> {
        key_part::push_encoded(self, text)
    }

    /// Whether each value has one spelling that is decoded, numbers apart, which DynamoDB compares by value.
    #[doc(hidden)]
    const __ONE_SPELLING: bool = false;

    /// Which characters the text of a string's type can have.
    #[doc(hidden)]
    const __CHARACTERS: Characters = Characters::Any;

    /// The least and the greatest of a whole number's type.
    #[doc(hidden)]
    const __RANGE: Option<(i128, i128)> = None;

    /// About how many bytes `__push_text` will add.
    #[doc(hidden)]
    fn __text_len(&self) -> usize {
        0
    }
}

/// A type that may be the field of an entity or document: a [`Value`], or one that may be absent.
///
/// `Option::None` and the empty set are absent attributes, never `NULL` or an empty set: an index stays sparse,
/// and `attribute_not_exists` means what it says. An absent attribute reads as `None` or as the empty set.
///
/// Other writers store NULL for "none". Where an attribute, a member or an entry may be absent (an `Option`, a set, what has
/// a default, an entry of a map), NULL there counts as absent: for reads, conditions, filters and changes. A change that does
/// something where nothing is (`set_if_absent`, `add`, `push`, `insert` and the like) demands, of such an attribute, that it
/// is not NULL; where it is, a second request follows, made for nothing. What must be present cannot be NULL: that is a
/// decode error, and of a token or a version [`Reason::Corrupt`](crate::Reason::Corrupt). To an [`AttributeValue`] and to a
/// codec of your own, NULL is a value like others.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a DynamoDB attribute",
    label = "no attribute for this type",
    note = "derive `dyno::Document` for a type of yours; for a serde type write `#[attribute(serde)]` on the field, for any other `#[attribute(with = \"module\")]`",
    note = "`Option` and sets cannot be nested in `Option`, lists or maps; a set holds strings, integers or bytes"
)]
pub trait Attribute: Sized {
    /// As [`Value::Kind`].
    type Kind: Kind;
    /// The type of the value when it is present.
    type Present: Attribute;
    /// Whether every item must carry the attribute.
    #[doc(hidden)]
    const REQUIRED: bool;
    /// Whether NULL can be no value of the type.
    #[doc(hidden)]
    const __NULL_IS_ABSENT: bool = true;
    /// As `Value::__RANGE`.
    #[doc(hidden)]
    const __RANGE: Option<(i128, i128)> = None;

    /// The value, where it is present.
    #[doc(hidden)]
    fn __present(&self) -> Option<&Self::Present>;

    /// With this value.
    #[doc(hidden)]
    fn __of_present(present: Self::Present) -> Self;

    /// The value, or `None` where the attribute is to be absent.
    fn encode_attribute(&self) -> Result<Option<AttributeValue>, EncodeError>;

    /// The value back; `None` stands for an absent attribute.
    fn decode_attribute(value: Option<AttributeValue>) -> Result<Self, DecodeError>;
}

impl<T: Value> Attribute for T {
    type Kind = T::Kind;
    type Present = T;
    const REQUIRED: bool = true;
    const __NULL_IS_ABSENT: bool = !T::Kind::HOLDS_NULL;
    const __RANGE: Option<(i128, i128)> = <T as Value>::__RANGE;

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
    fn decode_attribute(value: Option<AttributeValue>) -> Result<Self, DecodeError> {
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
    fn decode_attribute(value: Option<AttributeValue>) -> Result<Self, DecodeError> {
        match value {
            // Other writers store NULL for "none".
            None | Some(AttributeValue::Null(_)) => Ok(None),
            Some(value) => T::decode(value).map(Some),
        }
    }
}

/// A raw value: whatever another writer stored.
impl Value for AttributeValue {
    type Kind = kind::Any;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        Ok(self.clone())
    }

    #[inline]
    fn decode(value: AttributeValue) -> Result<Self, DecodeError> {
        Ok(value)
    }
}
