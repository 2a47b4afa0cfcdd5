//! Lists and maps: L and M. (A list of `u8` is B: see `bytes`.)

use super::depth::within;
use super::error::{DecodeError, EncodeError, Step};
use super::kind::{Kind, TextKind};
use super::{Value, kind};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

pub(super) fn encode_list<T: Value>(list: &[T]) -> Result<AttributeValue, EncodeError> {
    within(|| {
        let mut values = Vec::with_capacity(list.len());
        for (index, element) in list.iter().enumerate() {
            values.push(element.encode().map_err(|error| error.at(Step::Index(index)))?);
        }
        Ok(AttributeValue::L(values))
    })
}

pub(super) fn decode_list<T: Value>(value: AttributeValue) -> Result<Vec<T>, DecodeError> {
    match value {
        AttributeValue::L(values) => within(|| {
            let values = values.into_iter().enumerate();
            values.map(|(index, value)| T::decode(value).map_err(|error| error.at(Step::Index(index)))).collect()
        }),
        other => Err(DecodeError::wrong_type("a list (L)", &other)),
    }
}

type ListKind<T> = <<T as Value>::Kind as Kind>::List;

impl<T: Value> Value for Vec<T> {
    type Kind = ListKind<T>;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        T::__encode_list(self)
    }

    #[inline]
    fn decode(value: AttributeValue) -> Result<Self, DecodeError> {
        T::__decode_list(value)
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    type Kind = ListKind<T>;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        T::__encode_list(self)
    }

    #[inline]
    fn decode(value: AttributeValue) -> Result<Self, DecodeError> {
        let list = T::__decode_list(value)?;
        let length = list.len();
        list.try_into().map_err(|_| DecodeError::new(format!("{N} elements"), format!("{length}")))
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
            key.__push_text(&mut name)?;
            let value = value.encode().map_err(|error| error.at_name(name.clone()))?;
            members.insert(name, value);
        }
        Ok(AttributeValue::M(members))
    })
}

fn decode_map<K: Value<Kind: TextKind>, T: Value, M: FromIterator<(K, T)>>(
    value: AttributeValue,
) -> Result<M, DecodeError> {
    match value {
        AttributeValue::M(members) => within(|| {
            let members = members.into_iter().map(|(name, value)| {
                let value = T::decode(value).map_err(|error| error.at_name(name.clone()))?;
                let key = K::decode(K::Kind::from_text(name.clone())).map_err(|error| error.at_name(name))?;
                Ok((key, value))
            });
            members.collect()
        }),
        other => Err(DecodeError::wrong_type("a map (M)", &other)),
    }
}

impl<K: Value<Kind: TextKind> + Eq + Hash, T: Value, S: BuildHasher + Default> Value for HashMap<K, T, S> {
    type Kind = kind::Map;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        encode_map(self.len(), self.iter())
    }

    #[inline]
    fn decode(value: AttributeValue) -> Result<Self, DecodeError> {
        decode_map(value)
    }
}

impl<K: Value<Kind: TextKind> + Ord, T: Value> Value for BTreeMap<K, T> {
    type Kind = kind::Map;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        encode_map(self.len(), self.iter())
    }

    #[inline]
    fn decode(value: AttributeValue) -> Result<Self, DecodeError> {
        decode_map(value)
    }
}
