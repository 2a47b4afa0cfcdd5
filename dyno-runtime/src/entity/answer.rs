//! The result of `send`, as a type parameter of the command: what an applied write returns, and whether it may be refused.

use super::Entity;
use crate::attribute::VersionNumber as _;
use crate::error::Error;
use crate::rule::Refused;
use crate::write::Applied;
use aws_sdk_dynamodb::types::ReturnValue;
use std::fmt;

pub(super) mod sealed {
    pub trait Sealed {}
}

/// The value that an applied write returns: `()`, the item as it was ([`Old`](crate::Old)), or as it is now
/// ([`New`](crate::New)).
pub trait Returned: sealed::Sealed + Sized {
    #[doc(hidden)]
    const VALUE: Option<ReturnValue>;
    #[doc(hidden)]
    fn new(applied: Applied) -> Self;
}

/// The type of an entity's version, which counts its writes; `()` if the entity has none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot count versions",
    label = "expected `u64`, or a smaller unsigned integer",
    note = "a version is 0 before the item is stored, and each write raises it by one"
)]
pub trait Counted: Returned + fmt::Debug {
    /// The type `T` itself: see `attribute::checked`.
    #[doc(hidden)]
    type __Of<T>;
    #[doc(hidden)]
    fn __number(&self) -> u64;
    #[doc(hidden)]
    fn __of(number: u64) -> Self;
}

/// Writes that return no item, as a transaction requires.
#[diagnostic::on_unimplemented(
    message = "a transaction returns no items",
    label = "leave out `return_old` or `return_new`",
    note = "read what is there before with `TransactGet`, or `get` it after"
)]
pub trait ReturnsNothing: Returned {}

/// Writes that return no item, as a hedge requires.
#[diagnostic::on_unimplemented(
    message = "a hedged write returns no item",
    label = "leave out `return_old` and `return_new`, or leave out `hedge`",
    note = "the request that DynamoDB answers first can find the item as the other request has written it: the item before both would be lost"
)]
pub trait ReturnsNoItem: Returned {}

impl sealed::Sealed for () {}

impl Returned for () {
    const VALUE: Option<ReturnValue> = None;

    fn new(_applied: Applied) -> Self {}
}

impl Counted for () {
    type __Of<T> = T;

    fn __number(&self) -> u64 {
        0
    }

    fn __of(_number: u64) -> Self {}
}

impl ReturnsNothing for () {}

impl ReturnsNoItem for () {}

/// A versioned write returns the version that it stored.
macro_rules! versions {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}

        impl Returned for $type {
            const VALUE: Option<ReturnValue> = None;

            fn new(applied: Applied) -> Self {
                Self::__of(applied.version.unwrap_or_default())
            }
        }

        impl Counted for $type {
            type __Of<T> = T;

            fn __number(&self) -> u64 {
                self.to_number()
            }

            fn __of(number: u64) -> Self {
                Self::from_number(number)
            }
        }

        impl ReturnsNothing for $type {}

        impl ReturnsNoItem for $type {}
    )*};
}

versions!(u8 u16 u32 u64 usize);

/// The result of `send` for a write of `E`: the value of the applied write, or an [`Outcome`](crate::Outcome) of it if a rule or
/// a condition may refuse the write.
pub trait Answer<E: Entity>: sealed::Sealed + Sized {
    /// The value that is returned if the write is applied.
    type Returned: Returned;
    /// The result of the same write if it returns another value.
    type Returning<R: Returned>: Answer<E, Returned = R>;

    #[doc(hidden)]
    fn __applied(returned: Self::Returned) -> Self;
    #[doc(hidden)]
    fn __refused(refused: Refused) -> Result<Self, Error>;
}
