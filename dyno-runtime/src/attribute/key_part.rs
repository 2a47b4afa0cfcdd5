//! A value as part of a key: the whole key, or the text of a hole in a template.
//!
//! The templates themselves are in `key`.

use super::Value;
use crate::error::{EncodeError, descriptor};
use aws_sdk_dynamodb::types::AttributeValue;

/// One field of a key, of any type. Every [`Value`] implements it. The place where the key is declared checks that its kind can
/// be a key.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of a key",
    label = "a key is made of strings, integers and bytes",
    note = "derive `dyno::Document` and `Clone` for a type of yours that has one field, or for an enum without fields"
)]
pub trait KeyPart {
    /// Returns the key attribute's value, if the field is the whole key.
    #[doc(hidden)]
    fn value(&self) -> Result<AttributeValue, EncodeError>;
    /// Appends the field's text, if the field is part of a template.
    #[doc(hidden)]
    fn push_text(&self, text: &mut String) -> Result<(), EncodeError>;
    #[doc(hidden)]
    fn text_len(&self) -> usize;
}

impl<T: Value> KeyPart for T {
    fn value(&self) -> Result<AttributeValue, EncodeError> {
        self.encode()
    }

    fn push_text(&self, text: &mut String) -> Result<(), EncodeError> {
        self.__push_text(text)
    }

    fn text_len(&self) -> usize {
        self.__text_len()
    }
}

pub(super) fn push_encoded<T: Value>(value: &T, text: &mut String) -> Result<(), EncodeError> {
    match value.encode()? {
        AttributeValue::S(encoded) | AttributeValue::N(encoded) => {
            text.push_str(&encoded);
            Ok(())
        }
        other => Err(EncodeError::new(format!("{} has no text form for a name or a key", descriptor(&other)))),
    }
}

/// The fields of a key or of one half of it: a single field, a tuple of several, or `()` for none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of a key",
    label = "a key is made of strings, integers and bytes",
    note = "derive `dyno::Document` and `Clone` for a type of yours that has one field, or for an enum without fields"
)]
pub trait KeyParts {
    /// Returns the fields in order.
    #[doc(hidden)]
    fn parts(&self) -> Vec<&dyn KeyPart>;
}

impl<T: Value> KeyParts for T {
    fn parts(&self) -> Vec<&dyn KeyPart> {
        vec![self]
    }
}

impl KeyParts for () {
    fn parts(&self) -> Vec<&dyn KeyPart> {
        Vec::new()
    }
}

macro_rules! tuples {
    ($($($part:ident $index:tt)+;)*) => {$(
        impl<$($part: KeyPart),+> KeyParts for ($($part,)+) {
            fn parts(&self) -> Vec<&dyn KeyPart> {
                vec![$(&self.$index),+]
            }
        }
    )*};
}

tuples! {
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}
