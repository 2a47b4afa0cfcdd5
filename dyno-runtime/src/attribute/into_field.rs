//! The argument types that a caller may pass for a field's value.

use std::borrow::Cow;
use std::sync::Arc;

/// A type that you can pass where a field of type `T` is expected: `T`, `&T`, `T` for an `Option<T>`, `&str` for a string,
/// `&[u8]` for bytes.
///
/// There is no conversion between numbers, or from numbers to times, so dyno never guesses a unit.
#[diagnostic::on_unimplemented(message = "expected `{T}`, found `{Self}`", label = "expected `{T}`")]
pub trait IntoField<T> {
    /// Returns the value of the field.
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
