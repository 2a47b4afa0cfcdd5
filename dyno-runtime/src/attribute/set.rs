//! Sets: SS, NS and BS. DynamoDB has no empty set, so an empty set is an absent attribute, in both directions.

use super::kind::{ElementKind, ListedKind};
use super::{Attribute, AttributeKind, Parents, RawValue, StoredType, Value, kind};
use crate::error::foreign_text;
use crate::error::{DecodeError, EncodeError, descriptor};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, Hash};

macro_rules! set {
    ($($type:ty where T: $($bound:ident)+ $(, $hasher:ident)?;)*) => {$(
        impl<T: Value<Kind: ElementKind> $(+ $bound)+ $(, $hasher: BuildHasher + Default)?> Attribute for $type {
            type Kind = kind::Set;
            type Present = Self;
            const REQUIRED: bool = false;
            const __STORED: AttributeKind = T::Kind::STORED_SET;

            fn __stored_type(parents: &mut Parents) -> StoredType {
                StoredType::Set(Box::new(T::__stored_type(parents)))
            }
            const __EMBEDDABLE: bool = true;

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
            fn decode_attribute(value: Option<RawValue<'_>>) -> Result<Self, DecodeError> {
                match value {
                    Some(set) if !set.is_null() => decode_set(set, Self::insert),
                    // Other writers store NULL for "none".
                    _ => Ok(Self::default()),
                }
            }
        }
    )*};
}

/// Decodes a set. `insert` adds an element to it and returns true if the element is new.
fn decode_set<T: Value<Kind: ElementKind> + Eq, S: Default>(
    set: RawValue<'_>,
    insert: impl Fn(&mut S, T) -> bool,
) -> Result<S, DecodeError> {
    let mut decoded = S::default();
    let mut elements = Vec::new();
    for element in T::Kind::decode_set(set)? {
        let spelled = (!T::__ONE_SPELLING).then(|| element.clone().into_attribute_value());
        if !insert(&mut decoded, T::decode(element)?) {
            return Err(two_elements::<T>(spelled, &elements));
        }
        elements.extend(spelled);
    }
    Ok(decoded)
}

/// The error for two stored elements that decode to the same value. A set of the type could keep only one of them.
#[cold]
fn two_elements<T: Value + Eq>(element: Option<AttributeValue>, elements: &[AttributeValue]) -> DecodeError {
    let decode = |element: &AttributeValue| T::decode(element.into()).ok();
    let decoded = element.as_ref().and_then(decode);
    let other = elements.iter().find(|other| decoded.is_some() && decode(other) == decoded);
    let mut both = [element.as_ref(), other].map(|element| element.map(text).unwrap_or_default());
    both.sort_unstable();
    let [one, other] = both.each_ref().map(|text| foreign_text::value(text));
    DecodeError::new(format!("one spelling of each element, \"{one}\" or \"{other}\""), "both")
}

fn text(element: &AttributeValue) -> String {
    match element {
        AttributeValue::S(text) | AttributeValue::N(text) => text.clone(),
        other => descriptor(other).to_owned(),
    }
}

set! {
    BTreeSet<T> where T: Ord;
    HashSet<T, S> where T: Eq Hash, S;
}

/// A type that `contains` can search: a string, a list or a set, optional or not.
#[diagnostic::on_unimplemented(
    message = "nothing can be contained in a `{Self}`",
    label = "`contains` is for strings, lists and sets"
)]
pub trait Container {
    /// The type of the value that `contains` searches for.
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
