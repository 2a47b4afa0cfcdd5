//! What a caller may write where a field's value is expected.

use std::borrow::Cow;
use std::sync::Arc;

/// Types that may be given where a field of type `T` is expected: `T`, `&T`, `T` for an `Option<T>`,
/// `&str` for a string, `&[u8]` for bytes.
///
/// Nothing is converted between numbers or from numbers to times: a unit is never guessed.
#[diagnostic::on_unimplemented(message = "expected `{T}`, found `{Self}`", label = "expected `{T}`")]
pub trait IntoField<T> {
    /// The value of the field.
    fn into_field(self) -> T;
}

impl<T> IntoField<T> for T {
    fn into_field(self) -> T {
        self
    }
}

impl<T: Clone> IntoField<T> for &T {
    fn into_field(self) -> T {
        self.clone()
    }
}

impl<T> IntoField<Option<T>> for T {
    fn into_field(self) -> Option<T> {
        Some(self)
    }
}

macro_rules! borrowed {
    ($($borrowed:ty => $($owned:ty),*;)*) => {$($(
        impl IntoField<$owned> for &$borrowed {
            fn into_field(self) -> $owned {
                <$owned>::from(self)
            }
        }

        impl IntoField<Option<$owned>> for &$borrowed {
            fn into_field(self) -> Option<$owned> {
                Some(<$owned>::from(self))
            }
        }
    )*)*};
}

borrowed! {
    str => String, Box<str>, Arc<str>;
    [u8] => Vec<u8>;
}

impl<'a> IntoField<Cow<'a, str>> for &'a str {
    fn into_field(self) -> Cow<'a, str> {
        Cow::Borrowed(self)
    }
}
