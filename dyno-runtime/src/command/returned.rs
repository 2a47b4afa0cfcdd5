//! What `send` returns, as a type parameter of the command: nothing, the item from before or after, and for a
//! write that may be refused, an `Outcome` of it.

use crate::attribute::Item;
use crate::core::{Applied, Request, WriteCommand, Written};
use crate::error::ErrorKind;
use crate::found::{Found, Loaded};
use crate::repository::Repository;
use crate::rule::VersionNumber as _;
use crate::{Entity, EpochMillis, Error, Outcome, Refusal};
use aws_sdk_dynamodb::types::ReturnValue;
use std::fmt;
use std::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// What an applied write returns: `()`, the item as it was ([`Old`]), or as it is ([`New`]).
pub trait Returned: sealed::Sealed + Sized {
    #[doc(hidden)]
    const VALUE: Option<ReturnValue>;
    #[doc(hidden)]
    fn new(applied: Applied) -> Self;
}

/// What tells an entity's writes apart: a version number, or `()` where there is none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot count versions",
    label = "expected `u64`, or a smaller unsigned integer",
    note = "a version is 0 before the item is stored, and each write raises it by one"
)]
pub trait Counted: Returned + fmt::Debug {
    #[doc(hidden)]
    fn __number(&self) -> u64;
    #[doc(hidden)]
    fn __of(number: u64) -> Self;
}

impl sealed::Sealed for () {}

impl Returned for () {
    const VALUE: Option<ReturnValue> = None;

    fn new(_applied: Applied) -> Self {}
}

impl Counted for () {
    fn __number(&self) -> u64 {
        0
    }

    fn __of(_number: u64) -> Self {}
}

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
            fn __number(&self) -> u64 {
                self.to_number()
            }

            fn __of(number: u64) -> Self {
                Self::from_number(number)
            }
        }
    )*};
}

versions!(u8 u16 u32 u64 usize);

/// What was at the key before the write: of a put or delete with `return_old`.
///
/// Decoded on demand: a write that was applied is never reported as an error because the old item is not of the
/// entity's shape. If the SDK had to send the write twice, the "old" item can be the write's own first result.
pub struct Old<E> {
    item: Option<Item>,
    now: EpochMillis,
    entity: PhantomData<fn() -> E>,
}

/// The item as the update made it: of an update with `return_new`. Decoded on demand, as [`Old`] is.
pub struct New<E> {
    item: Option<Item>,
    entity: PhantomData<fn() -> E>,
}

impl<E> sealed::Sealed for Old<E> {}
impl<E> sealed::Sealed for New<E> {}

impl<E> Returned for Old<E> {
    const VALUE: Option<ReturnValue> = Some(ReturnValue::AllOld);

    fn new(applied: Applied) -> Self {
        Self { item: applied.item, now: applied.now, entity: PhantomData }
    }
}

impl<E> Returned for New<E> {
    const VALUE: Option<ReturnValue> = Some(ReturnValue::AllNew);

    fn new(applied: Applied) -> Self {
        Self { item: applied.item, entity: PhantomData }
    }
}

impl<E> Old<E> {
    /// The item as DynamoDB stored it; `None` if there was none.
    #[must_use]
    pub fn item(&self) -> Option<&Item> {
        self.item.as_ref()
    }
}

impl<E: Entity> Old<E> {
    /// What was there: live, expired or a tombstone; `None` if nothing was.
    ///
    /// # Errors
    /// The item was not of the entity's shape. The write was applied all the same.
    pub fn decode(self) -> Result<Option<Found<E>>, Error> {
        self.item.map(|item| Found::classify(item, self.now)).transpose()
    }
}

impl<E> New<E> {
    /// The item as DynamoDB stores it.
    #[must_use]
    pub fn item(&self) -> Option<&Item> {
        self.item.as_ref()
    }
}

impl<E: Entity> New<E> {
    /// The entity as it is now.
    ///
    /// # Errors
    /// The item is not of the entity's shape. The update was applied all the same.
    pub fn decode(self) -> Result<E, Error> {
        match self.item {
            Some(item) => E::from_item(item),
            None => Err(Error::new(ErrorKind::Decode, "DynamoDB did not return the new item")),
        }
    }
}

impl<E> fmt::Debug for Old<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Old").field(&self.item).finish()
    }
}

impl<E> fmt::Debug for New<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("New").field(&self.item).finish()
    }
}

/// What `send` returns for a write of `E`: what was applied, or an [`Outcome`] of it where a rule or condition may
/// refuse the write.
pub trait Answer<E: Entity>: sealed::Sealed + Sized {
    /// What is returned if the write is applied.
    type Returned: Returned;
    /// The same write, returning something else.
    type Returning<R: Returned>: Answer<E, Returned = R>;

    #[doc(hidden)]
    fn __applied(returned: Self::Returned) -> Self;
    #[doc(hidden)]
    fn __refused(refusal: Refusal<E>) -> Result<Self, Error>;
}

impl<E: Entity, R: Returned> Answer<E> for R {
    type Returned = R;
    type Returning<S: Returned> = S;

    fn __applied(returned: R) -> Self {
        returned
    }

    /// Does not happen: a write without a condition is not refused.
    fn __refused(refusal: Refusal<E>) -> Result<Self, Error> {
        Err(refusal.into())
    }
}

impl<E, R> sealed::Sealed for Outcome<E, R> {}

impl<E: Entity, R: Returned> Answer<E> for Outcome<E, R> {
    type Returned = R;
    type Returning<S: Returned> = Outcome<E, S>;

    fn __applied(returned: R) -> Self {
        Self::Applied(returned)
    }

    fn __refused(refusal: Refusal<E>) -> Result<Self, Error> {
        Ok(Self::Refused(refusal))
    }
}

/// Sends a write and puts types on its answer.
pub(super) async fn send<E: Entity, O: Answer<E>>(command: WriteCommand, repository: &Repository) -> Result<O, Error> {
    let tables = repository.tables::<E>()?;
    let written = command.send(repository, tables, O::Returned::VALUE).await;
    match written.map_err(|error| error.in_table(|| repository.table_name::<E>()))? {
        Written::Applied(applied) => Ok(O::__applied(O::Returned::new(applied))),
        Written::Refused(refused) => O::__refused(Refusal::new(refused)),
    }
}

/// The request of a write.
pub(super) fn request<E: Entity, O: Answer<E>>(
    command: &WriteCommand,
    repository: &Repository,
) -> Result<Request, Error> {
    let table = repository.table_name::<E>()?;
    command.request(table, repository.now(), O::Returned::VALUE)
}

/// What a read of `E` makes of an item: the entity itself, or [`Found`] where the items that count as absent are
/// wanted too.
#[diagnostic::on_unimplemented(
    message = "`{E}` cannot be read as `{Self}`",
    label = "not a projection of `{E}`",
    note = "an index that holds only some attributes is read as a projection: `.project::<…>()`",
    note = "help: `#[derive(Projection)] #[projection(of = {E})]` on a struct that names the fields to be read"
)]
pub trait Row<E>: Sized {
    /// Whether items that count as absent are wanted.
    #[doc(hidden)]
    const DEAD: bool;
    #[doc(hidden)]
    fn read(item: Item, now: EpochMillis) -> Result<Self, Error>;
}

impl<E: Entity> Row<E> for E {
    const DEAD: bool = false;

    fn read(item: Item, _now: EpochMillis) -> Result<Self, Error> {
        E::from_item(item)
    }
}

impl<E: Entity> Row<E> for Loaded<E> {
    const DEAD: bool = false;

    fn read(item: Item, _now: EpochMillis) -> Result<Self, Error> {
        Ok(Self { entity: E::from_item(item.clone())?, item })
    }
}

impl<E: Entity> Row<E> for Found<E> {
    const DEAD: bool = true;

    fn read(item: Item, now: EpochMillis) -> Result<Self, Error> {
        Self::classify(item, now)
    }
}
