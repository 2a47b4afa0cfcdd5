//! Sets: SS, NS and BS. DynamoDB has no empty set, so an empty set is an absent attribute, in both directions.

use super::error::{DecodeError, EncodeError};
use super::kind::{ElementKind, ListedKind};
use super::{Attribute, Value, kind};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, Hash};

macro_rules! set {
    ($($type:ty where T: $($bound:ident)+ $(, $hasher:ident)?;)*) => {$(
        impl<T: Value<Kind: ElementKind> $(+ $bound)+ $(, $hasher: BuildHasher + Default)?> Attribute for $type {
            type Kind = kind::Set;
            type Present = Self;
            const REQUIRED: bool = false;

            #[inline]
            fn __present(&self) -> Option<&Self> {
                (!self.is_empty()).then_some(self)
            }

            fn __of_present(present: Self) -> Self {
                present
            }

            #[inline]
            fn encode_attribute(&self) -> Result<Option<AttributeValue>, EncodeError> {
                if self.is_empty() {
                    return Ok(None);
                }
                T::Kind::encode_set(self.iter().map(T::encode)).map(Some)
            }

            #[inline]
            fn decode_attribute(value: Option<AttributeValue>) -> Result<Self, DecodeError> {
                match value {
                    // Other writers store NULL for "none".
                    None | Some(AttributeValue::Null(_)) => Ok(Self::default()),
                    Some(set) => T::Kind::decode_set(set)?.into_iter().map(T::decode).collect(),
                }
            }
        }
    )*};
}

set! {
    BTreeSet<T> where T: Ord;
    HashSet<T, S> where T: Eq Hash, S;
}

/// A type of which `contains` asks whether something is in it: a string, a list or a set, optional or not.
#[diagnostic::on_unimplemented(
    message = "nothing can be contained in a `{Self}`",
    label = "`contains` is for strings, lists and sets"
)]
pub trait Container {
    /// What is contained.
    type Element: Value;
}

impl Container for String {
    type Element = String;
}

impl<T: Value<Kind: ListedKind>> Container for Vec<T> {
    type Element = T;
}

impl<T: Value> Container for BTreeSet<T> {
    type Element = T;
}

impl<T: Value, S> Container for HashSet<T, S> {
    type Element = T;
}

impl<C: Container> Container for Option<C> {
    type Element = C::Element;
}
