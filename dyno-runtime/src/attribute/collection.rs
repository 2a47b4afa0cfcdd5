//! Lists and maps: L and M. (A list of `u8` is stored as B: see `bytes`.)

use super::depth::within;
use super::kind::{Kind, TextKind};
use super::unencodable::{stand_in, stand_in_text};
use super::{AttributeKind, Parents, RawValue, StoredType, Value, kind};
use crate::error::foreign_text;
use crate::error::{DecodeError, EncodeError, Step};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

pub(super) fn encode_list<T: Value>(list: &[T]) -> Result<AttributeValue, EncodeError> {
    encode_elements(list, T::encode)
}

pub(super) fn decode_list<T: Value>(value: RawValue<'_>) -> Result<Vec<T>, DecodeError> {
    decode_elements(value, T::decode)
}

/// Decodes a list whose elements mostly are numbers in the text of a response, such as a vector. They are parsed from there; `parse`
/// accepts what `T` decodes. All else, and each error, is left to the decoder of `T`.
pub(super) fn decode_numbers<T: Value>(
    value: RawValue<'_>,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, DecodeError> {
    match within(|| Ok(value.parse_numbers(parse)))? {
        Some(numbers) => Ok(numbers),
        None => decode_list(value),
    }
}

fn encode_elements<T>(
    list: &[T],
    encode: impl Fn(&T) -> Result<AttributeValue, EncodeError>,
) -> Result<AttributeValue, EncodeError> {
    within(|| {
        let mut values = Vec::with_capacity(list.len());
        for (index, element) in list.iter().enumerate() {
            values.push(encode(element).or_else(stand_in).map_err(|error| error.at(Step::Index(index)))?);
        }
        Ok(AttributeValue::L(values))
    })
}

fn decode_elements<T>(
    value: RawValue<'_>,
    decode: impl Fn(RawValue<'_>) -> Result<T, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    let elements = value.into_elements("L", "a list (L)")?;
    within(|| {
        // A collected `Result` would start with no capacity.
        let mut list = Vec::with_capacity(elements.len());
        for (index, element) in elements.enumerate() {
            list.push(decode(element).map_err(|error| error.at(Step::Index(index)))?);
        }
        Ok(list)
    })
}

/// A type that can be an element of a list: a [`Value`], or an `Option` of one. Elements are found by their position, so `None`
/// is stored as NULL instead of being left out.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a list",
    label = "no DynamoDB value for this type",
    note = "derive `dyno::Document` for a type of yours; for a serde type write `#[attribute(serde)]` on the field, for any other `#[attribute(with = \"module\")]`",
    note = "an `Option` of a value can be an element, which is NULL for `None`; a set cannot, since it may be absent"
)]
pub trait Element: Sized {
    /// The same as [`Value::Kind`].
    type Kind: Kind;

    #[doc(hidden)]
    fn __encode_element(&self) -> Result<AttributeValue, EncodeError>;
    #[doc(hidden)]
    fn __encode_elements(list: &[Self]) -> Result<AttributeValue, EncodeError>;
    #[doc(hidden)]
    fn __decode_elements(list: RawValue<'_>) -> Result<Vec<Self>, DecodeError>;
    #[doc(hidden)]
    #[must_use]
    fn __stored_element(parents: &mut Parents) -> StoredType;
}

impl<T: Value> Element for T {
    type Kind = T::Kind;

    fn __encode_element(&self) -> Result<AttributeValue, EncodeError> {
        self.encode()
    }

    #[inline]
    fn __encode_elements(list: &[Self]) -> Result<AttributeValue, EncodeError> {
        T::__encode_list(list)
    }

    #[inline]
    fn __decode_elements(list: RawValue<'_>) -> Result<Vec<Self>, DecodeError> {
        T::__decode_list(list)
    }

    fn __stored_element(parents: &mut Parents) -> StoredType {
        T::__stored_type(parents)
    }
}

impl<T: Value> Element for Option<T> {
    type Kind = kind::Any;

    fn __encode_element(&self) -> Result<AttributeValue, EncodeError> {
        self.as_ref().map_or(Ok(AttributeValue::Null(true)), T::encode)
    }

    fn __encode_elements(list: &[Self]) -> Result<AttributeValue, EncodeError> {
        encode_elements(list, Self::__encode_element)
    }

    fn __decode_elements(list: RawValue<'_>) -> Result<Vec<Self>, DecodeError> {
        decode_elements(list, |element| if element.is_null() { Ok(None) } else { T::decode(element).map(Some) })
    }

    fn __stored_element(parents: &mut Parents) -> StoredType {
        StoredType::Optional(Box::new(T::__stored_type(parents)))
    }
}

type ListKind<T> = <<T as Element>::Kind as Kind>::List;

impl<T: Element> Value for Vec<T> {
    type Kind = ListKind<T>;
    const __EMBEDDABLE: bool = T::Kind::IS_EMBEDDABLE;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        T::__encode_elements(self)
    }

    #[inline]
    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        T::__decode_elements(value)
    }

    fn __stored_type(parents: &mut Parents) -> StoredType {
        match Self::Kind::STORED {
            AttributeKind::L => StoredType::List(Box::new(T::__stored_element(parents))),
            kind => StoredType::Plain(kind),
        }
    }
}

impl<T: Element, const N: usize> Value for [T; N] {
    type Kind = ListKind<T>;
    const __EMBEDDABLE: bool = T::Kind::IS_EMBEDDABLE;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        T::__encode_elements(self)
    }

    #[inline]
    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        let list = T::__decode_elements(value)?;
        let length = list.len();
        list.try_into().map_err(|_| DecodeError::new(format!("{N} elements"), format!("{length}")))
    }

    fn __stored_type(parents: &mut Parents) -> StoredType {
        match Self::Kind::STORED {
            AttributeKind::L => StoredType::Array(Box::new(T::__stored_element(parents)), N),
            _ => StoredType::Bytes(N),
        }
    }
}

fn encode_map<'a, K: Value + 'a, T: Value + 'a>(
    length: usize,
    map: impl Iterator<Item = (&'a K, &'a T)>,
) -> Result<AttributeValue, EncodeError> {
    within(|| {
        let mut members = HashMap::with_capacity(length);
        for (key, value) in map {
            let mut name = String::with_capacity(key.__text_len());
            if let Err(error) = key.__push_text(&mut name) {
                name = stand_in_text(error)?;
            }
            let value = value.encode().or_else(stand_in).map_err(|error| error.at_name(name.clone()))?;
            members.insert(name, value);
        }
        Ok(AttributeValue::M(members))
    })
}

/// Decodes a map. `insert` adds an entry to it and returns true if the key is new.
fn decode_map<K: Value<Kind: TextKind> + Eq, T: Value, M: Default>(
    value: RawValue<'_>,
    insert: impl Fn(&mut M, K, T) -> bool,
) -> Result<M, DecodeError> {
    let members = value.into_members("a map (M)")?;
    within(|| {
        let mut map = M::default();
        let mut names = Vec::new();
        for (name, value) in members.into_entries() {
            // An entry that is NULL counts as absent, unless NULL is a value of the type.
            if value.is_null() && !T::Kind::HOLDS_NULL {
                continue;
            }
            let value = T::decode(value).map_err(|error| error.at_name(name.clone()))?;
            let key = decode_name::<K>(&name)?;
            if !insert(&mut map, key, value) {
                return Err(two_names::<K>(&name, &names));
            }
            // Two different texts are always two keys, so only other types of keys need this check.
            if K::Kind::IS_NUMBER || !K::__ONE_SPELLING {
                names.push(name);
            }
        }
        Ok(map)
    })
}

fn decode_name<K: Value<Kind: TextKind>>(name: &str) -> Result<K, DecodeError> {
    K::decode(K::Kind::from_text(name.to_owned()).into()).map_err(|error| error.at_name(name.to_owned()))
}

/// The error for two stored names that decode to the same key. The map could keep only one of the two entries.
#[cold]
fn two_names<K: Value<Kind: TextKind> + Eq>(name: &str, names: &[String]) -> DecodeError {
    let key = decode_name::<K>(name).ok();
    let other = names.iter().find(|other| key.is_some() && decode_name::<K>(other).ok() == key);
    let mut both = [name, other.map_or("", String::as_str)];
    both.sort_unstable();
    let [one, other] = both.map(foreign_text::value);
    DecodeError::new(format!("one name for each key, \"{one}\" or \"{other}\""), "both")
}

/// Implements `Value` for a type of maps.
macro_rules! map {
    ([$($params:tt)*] $map:ty) => {
        impl<$($params)*> Value for $map {
            type Kind = kind::Map;

            #[inline]
            fn encode(&self) -> Result<AttributeValue, EncodeError> {
                encode_map(self.len(), self.iter())
            }

            #[inline]
            fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
                decode_map(value, |map: &mut Self, key, value| map.insert(key, value).is_none())
            }

            fn __stored_type(parents: &mut Parents) -> StoredType {
                StoredType::Map(Box::new(K::__stored_type(parents)), Box::new(T::__stored_type(parents)))
            }
        }
    };
}

map!([K: Value<Kind: TextKind> + Eq + Hash, T: Value, S: BuildHasher + Default] HashMap<K, T, S>);
map!([K: Value<Kind: TextKind> + Ord, T: Value] BTreeMap<K, T>);
