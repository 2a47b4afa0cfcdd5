//! Lists and maps: L and M. (A list of `u8` is B: see `bytes`.)

use super::depth::within;
use super::error::{DecodeError, EncodeError, Step};
use super::kind::{Kind, TextKind};
use super::{Value, kind};
use crate::shown;
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

/// The map whose members are put into it by `insert`, which says whether the key is new.
fn decode_map<K: Value<Kind: TextKind> + Eq, T: Value, M: Default>(
    value: AttributeValue,
    insert: impl Fn(&mut M, K, T) -> bool,
) -> Result<M, DecodeError> {
    let members = match value {
        AttributeValue::M(members) => members,
        other => return Err(DecodeError::wrong_type("a map (M)", &other)),
    };
    within(|| {
        let mut map = M::default();
        let mut names = Vec::new();
        for (name, value) in members {
            let value = T::decode(value).map_err(|error| error.at_name(name.clone()))?;
            let key = decode_name::<K>(&name)?;
            if !insert(&mut map, key, value) {
                return Err(two_names::<K>(&name, &names));
            }
            // Of text, two names are two keys.
            if K::Kind::IS_NUMBER || !K::__ONE_SPELLING {
                names.push(name);
            }
        }
        Ok(map)
    })
}

fn decode_name<K: Value<Kind: TextKind>>(name: &str) -> Result<K, DecodeError> {
    K::decode(K::Kind::from_text(name.to_owned())).map_err(|error| error.at_name(name.to_owned()))
}

/// One of the two would be lost.
#[cold]
fn two_names<K: Value<Kind: TextKind> + Eq>(name: &str, names: &[String]) -> DecodeError {
    let key = decode_name::<K>(name).ok();
    let other = names.iter().find(|other| key.is_some() && decode_name::<K>(other).ok() == key);
    let mut both = [name, other.map_or("", String::as_str)];
    both.sort_unstable();
    let [one, other] = both.map(shown::value);
    DecodeError::new(format!("one name for each key, \"{one}\" or \"{other}\""), "both")
}

impl<K: Value<Kind: TextKind> + Eq + Hash, T: Value, S: BuildHasher + Default> Value for HashMap<K, T, S> {
    type Kind = kind::Map;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        encode_map(self.len(), self.iter())
    }

    #[inline]
    fn decode(value: AttributeValue) -> Result<Self, DecodeError> {
        decode_map(value, |map: &mut Self, key, value| map.insert(key, value).is_none())
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
        decode_map(value, |map: &mut Self, key, value| map.insert(key, value).is_none())
    }
}
