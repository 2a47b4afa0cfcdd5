//! Strings and booleans, and the pointers, which are stored as the value that they point to.

use super::{AttributeKind, Characters, Parents, RawValue, StoredType, Value, kind};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;
use std::sync::Arc;

const TEXT: &str = "a string (S)";

macro_rules! text {
    ($($type:ty)*) => {$(
        impl Value for $type {
            type Kind = kind::Text;

            #[inline]
            fn encode(&self) -> Result<AttributeValue, EncodeError> {
                Ok(AttributeValue::S(str::to_owned(self)))
            }

            #[inline]
            fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
                value.into_text(TEXT).map(Self::from)
            }

            fn __push_text(&self, text: &mut String) -> Result<(), EncodeError> {
                text.push_str(self);
                Ok(())
            }

            const __ONE_SPELLING: bool = true;

            fn __text_len(&self) -> usize {
                self.len()
            }
        }
    )*};
}

text!(String Box<str> Arc<str> Cow<'_, str>);

impl Value for char {
    type Kind = kind::Text;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, "one character")
    }

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        Ok(AttributeValue::S(self.to_string()))
    }

    #[inline]
    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        value.parse_text(TEXT, |text| {
            let mut chars = text.chars();
            match (chars.next(), chars.next()) {
                (Some(char), None) => Ok(char),
                _ => {
                    let found = format!("a string of {} bytes", text.len());
                    Err(DecodeError::new("a string of one character (S)", found))
                }
            }
        })
    }
}

impl Value for bool {
    type Kind = kind::Boolean;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        Ok(AttributeValue::Bool(*self))
    }

    #[inline]
    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        value.as_bool().ok_or_else(|| value.wrong_type("a boolean (BOOL)"))
    }
}

macro_rules! pointer {
    ($($type:ty, $wrap:expr $(, $bound:ident)?;)*) => {$(
        impl<T: Value $(+ $bound)?> Value for $type {
            type Kind = <T::Kind as kind::Kind>::Newtype;

            #[inline]
            fn encode(&self) -> Result<AttributeValue, EncodeError> {
                T::encode(self)
            }

            #[inline]
            fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
                T::decode(value).map($wrap)
            }

            fn __push_text(&self, text: &mut String) -> Result<(), EncodeError> {
                T::__push_text(self, text)
            }

            fn __text_len(&self) -> usize {
                T::__text_len(self)
            }

            fn __stored_type(parents: &mut Parents) -> StoredType {
                T::__stored_type(parents)
            }

            const __CHARACTERS: Characters = T::__CHARACTERS;
            const __RANGE: Option<(i128, i128)> = T::__RANGE;
        }
    )*};
}

pointer! {
    Box<T>, Box::new;
    Arc<T>, Arc::new;
    Cow<'_, T>, Cow::Owned, Clone;
}
