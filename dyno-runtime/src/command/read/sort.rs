//! The arguments of a query's `sort_…` methods: values of the sort key's fields, all or the leading ones.

use crate::attribute::kind::{KeyKind, PrefixKind};
use crate::attribute::{IntoField, Value};
use crate::error::EncodeError;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

/// A position in the order of sort keys whose fields are `S`: the value of the only field, or for a sort key of several fields a
/// tuple of all of them or of the leading ones. Leading fields stand for all keys that begin with them: `sort_le(("2026",))`
/// includes every key with `2026` in its first field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sort key of `{S}`",
    label = "expected the sort key's field, or a tuple of its leading fields",
    note = "a sort key of several fields is given as a tuple, of all of them or of the leading ones: `sort_eq((2026,))`"
)]
pub trait SortBound<S> {
    #[doc(hidden)]
    fn __values(self) -> Result<Vec<AttributeValue>, EncodeError>;
}

impl<T: Value<Kind: KeyKind>, X: IntoField<T>> SortBound<T> for X {
    fn __values(self) -> Result<Vec<AttributeValue>, EncodeError> {
        Ok(vec![self.into_field().encode()?])
    }
}

/// The sort key of an entity with mistakes, which has already failed to compile: takes anything.
#[derive(Debug)]
pub enum AnySort {}

impl<X> SortBound<AnySort> for X {
    fn __values(self) -> Result<Vec<AttributeValue>, EncodeError> {
        Ok(Vec::new())
    }
}

impl<X> SortPrefix<AnySort> for X {
    fn __parts(self) -> Result<(Vec<AttributeValue>, AttributeValue), EncodeError> {
        Ok((Vec::new(), text("")))
    }
}

/// A query of an entity without sort key fields is already a compile error (`Sorted`), so any argument is accepted here.
impl<X> SortBound<()> for X {
    fn __values(self) -> Result<Vec<AttributeValue>, EncodeError> {
        Ok(Vec::new())
    }
}

impl<X> SortPrefix<()> for X {
    fn __parts(self) -> Result<(Vec<AttributeValue>, AttributeValue), EncodeError> {
        Ok((Vec::new(), text("")))
    }
}

/// The beginning of a sort key whose fields are `S`: the beginning of its first field, or a tuple of leading fields and the
/// beginning of the next one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the beginning of a sort key of `{S}`",
    label = "expected the beginning of its first field, as `&str` or `&[u8]`, or a tuple of leading fields that ends in one",
    note = "for whole leading fields use `sort_eq`, for a range of numbers `sort_between`"
)]
pub trait SortPrefix<S> {
    #[doc(hidden)]
    fn __parts(self) -> Result<(Vec<AttributeValue>, AttributeValue), EncodeError>;
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

impl<T: Value<Kind: PrefixKind<Prefix = str>>> SortPrefix<T> for &str {
    fn __parts(self) -> Result<(Vec<AttributeValue>, AttributeValue), EncodeError> {
        Ok((Vec::new(), text(self)))
    }
}

impl<T: Value<Kind: PrefixKind<Prefix = str>>> SortPrefix<T> for &String {
    fn __parts(self) -> Result<(Vec<AttributeValue>, AttributeValue), EncodeError> {
        Ok((Vec::new(), text(self)))
    }
}

impl<T: Value<Kind: PrefixKind<Prefix = [u8]>>> SortPrefix<T> for &[u8] {
    fn __parts(self) -> Result<(Vec<AttributeValue>, AttributeValue), EncodeError> {
        Ok((Vec::new(), AttributeValue::B(Blob::new(self))))
    }
}

/// Implements `SortBound` for tuples of leading fields, each given as field, value and index; the other fields follow.
macro_rules! bounds {
    ($([$($field:ident $value:ident $index:tt),+] $($rest:ident),*;)*) => {$(
        impl<$($field: Value<Kind: KeyKind>, $value: IntoField<$field>,)+ $($rest),*>
            SortBound<($($field,)+ $($rest,)*)> for ($($value,)+)
        {
            fn __values(self) -> Result<Vec<AttributeValue>, EncodeError> {
                Ok(vec![$(self.$index.into_field().encode()?),+])
            }
        }
    )*};
}

bounds! {
    [A X 0] B;
    [A X 0, B Y 1];
    [A X 0] B, C;
    [A X 0, B Y 1] C;
    [A X 0, B Y 1, C Z 2];
    [A X 0] B, C, D;
    [A X 0, B Y 1] C, D;
    [A X 0, B Y 1, C Z 2] D;
    [A X 0, B Y 1, C Z 2, D W 3];
    [A X 0] B, C, D, E;
    [A X 0, B Y 1] C, D, E;
    [A X 0, B Y 1, C Z 2] D, E;
    [A X 0, B Y 1, C Z 2, D W 3] E;
    [A X 0, B Y 1, C Z 2, D W 3, E V 4];
    [A X 0] B, C, D, E, F;
    [A X 0, B Y 1] C, D, E, F;
    [A X 0, B Y 1, C Z 2] D, E, F;
    [A X 0, B Y 1, C Z 2, D W 3] E, F;
    [A X 0, B Y 1, C Z 2, D W 3, E V 4] F;
    [A X 0, B Y 1, C Z 2, D W 3, E V 4, F U 5];
}

/// Implements `SortPrefix` for tuples: leading fields as above, and the index of the text after them.
macro_rules! prefixes {
    ($([$($field:ident $value:ident $index:tt),*] $end:tt $next:ident $($rest:ident),*;)*) => {$(
        impl<$($field: Value<Kind: KeyKind>, $value: IntoField<$field>,)* $next, $($rest),*>
            SortPrefix<($($field,)* $next, $($rest,)*)> for prefixes!(@ $($value)*)
        {
            fn __parts(self) -> Result<(Vec<AttributeValue>, AttributeValue), EncodeError> {
                Ok((vec![$(self.$index.into_field().encode()?),*], text(prefixes!(= self $end))))
            }
        }
    )*};
    (@) => { &str };
    (@ $($value:ident)+) => { ($($value,)+ &str) };
    (= $this:ident whole) => { $this };
    (= $this:ident $index:tt) => { $this.$index };
}

prefixes! {
    [] whole A B;
    [A X 0] 1 B;
    [] whole A B, C;
    [A X 0] 1 B C;
    [A X 0, B Y 1] 2 C;
    [] whole A B, C, D;
    [A X 0] 1 B C, D;
    [A X 0, B Y 1] 2 C D;
    [A X 0, B Y 1, C Z 2] 3 D;
    [] whole A B, C, D, E;
    [A X 0] 1 B C, D, E;
    [A X 0, B Y 1] 2 C D, E;
    [A X 0, B Y 1, C Z 2] 3 D E;
    [A X 0, B Y 1, C Z 2, D W 3] 4 E;
    [] whole A B, C, D, E, F;
    [A X 0] 1 B C, D, E, F;
    [A X 0, B Y 1] 2 C D, E, F;
    [A X 0, B Y 1, C Z 2] 3 D E, F;
    [A X 0, B Y 1, C Z 2, D W 3] 4 E F;
    [A X 0, B Y 1, C Z 2, D W 3, E V 4] 5 F;
}
