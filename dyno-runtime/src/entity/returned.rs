//! The item from before a write, or from after it, which an applied write returns on request.

use super::answer::{Returned, sealed};
use super::{Entity, Found};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::write::Applied;
use aws_sdk_dynamodb::types::ReturnValue;
use std::fmt;
use std::marker::PhantomData;

/// The item that was at the key before a put or delete with `return_old`.
///
/// Decoded on request, so that an applied write is never reported as an error because the old item is not of the entity's shape.
/// If the SDK had to send the write twice, the "old" item can be the result of the write's own first attempt.
pub struct Old<E> {
    item: Option<Item>,
    now: EpochMillis,
    entity: PhantomData<fn() -> E>,
}

/// The item as an update with `return_new` has left it. [`decode`](Self::decode) returns the entity, [`item`](Self::item) the stored
/// attributes.
///
/// It is decoded on request, so that an applied update is never reported as an error because the item is not of the entity's shape.
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
    /// Returns the item as DynamoDB stored it; `None` if there was none.
    #[must_use]
    pub fn item(&self) -> Option<&Item> {
        self.item.as_ref()
    }
}

impl<E: Entity> Old<E> {
    /// Decodes the item that was there: live, expired or a tombstone; `None` if there was none.
    ///
    /// # Errors
    /// The item was not of the entity's shape. The write was applied nevertheless.
    pub fn decode(self) -> Result<Option<Found<E>>, Error> {
        self.item.map(|item| Found::classify(item, self.now)).transpose()
    }

    /// Decodes the item that was there, if it was live.
    ///
    /// # Errors
    /// The item was not of the entity's shape. The write was applied nevertheless.
    pub fn live(self) -> Result<Option<E>, Error> {
        Ok(self.decode()?.and_then(Found::live))
    }
}

impl<E> New<E> {
    /// Returns the item as DynamoDB stores it.
    #[must_use]
    pub fn item(&self) -> Option<&Item> {
        self.item.as_ref()
    }
}

impl<E: Entity> New<E> {
    /// Returns the entity as the update has left it.
    ///
    /// # Errors
    /// The item is not of the entity's shape. The update was applied nevertheless.
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
