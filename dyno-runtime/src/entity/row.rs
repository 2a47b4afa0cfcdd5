//! The result of a read at a key: an entity that is live or has expired, or the tombstone of a deleted one.

use super::clone_and_debug::clone_and_debug;
use crate::attribute::time::{EpochMillis, EpochSeconds};
use crate::attribute::{Item, RawItem, Value};
use crate::entity::{Counted as _, Entity, Versioned};
use crate::error::Error;
use crate::read::{present, see};
use crate::rule::State;
use std::marker::PhantomData;

/// The item at a key, dead or alive. Reads with `include_deleted` return it, and so does
/// [`Refusal::current`](crate::Refusal::current).
#[derive(Clone, Debug, PartialEq)]
pub enum Found<E> {
    /// A live entity.
    Live(E),
    /// An entity whose TTL has passed, although DynamoDB has not removed it yet. Reads skip it.
    Expired(E),
    /// The tombstone of a deleted entity. Reads skip it.
    Deleted(Tombstone<E>),
}

impl<E: Entity> Found<E> {
    /// Classifies an item at the time `now`.
    ///
    /// # Errors
    /// The item is not of the entity's shape.
    pub fn classify(item: Item, now: EpochMillis) -> Result<Self, Error> {
        Self::of(item.into(), now)
    }

    fn of(item: RawItem, now: EpochMillis) -> Result<Self, Error> {
        match see(&[E::SCHEMA], now, &item).state {
            State::Deleted | State::Absent => Ok(Self::Deleted(Tombstone::new(item.into_item()))),
            State::Expired => E::__from_raw(item).map(Self::Expired),
            State::Live => E::__from_raw(item).map(Self::Live),
        }
    }
}

impl<E> Found<E> {
    /// Returns the entity, if it is live.
    pub fn live(self) -> Option<E> {
        match self {
            Self::Live(entity) => Some(entity),
            Self::Expired(_) | Self::Deleted(_) => None,
        }
    }
}

/// An entity, and the item that it was read from: the result of a get with `loaded`.
///
/// A write with `over` takes it. If version numbers begin again after a deletion, the write then cannot hit another item of the
/// same version; and for an ordered history it need not read the item again. Load it from the table that you write to, because
/// its item becomes a revision there.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded<E> {
    /// The entity.
    pub entity: E,
    pub(crate) item: Item,
}

impl<E> Loaded<E> {
    /// Returns the item as DynamoDB stores it.
    #[must_use]
    pub fn item(&self) -> &Item {
        &self.item
    }
}

/// The tombstone of a deleted entity: its key, its tokens, and the time from which DynamoDB may remove it.
pub struct Tombstone<E> {
    item: Item,
    entity: PhantomData<fn() -> E>,
}

impl<E> Tombstone<E> {
    pub(crate) fn new(item: Item) -> Self {
        Self { item, entity: PhantomData }
    }

    /// Returns the tombstone as DynamoDB stores it.
    #[must_use]
    pub fn item(&self) -> &Item {
        &self.item
    }
}

impl<E: Entity> Tombstone<E> {
    /// Returns the time from which DynamoDB may remove it; `None` if another program left the time out.
    #[must_use]
    pub fn expires(&self) -> Option<EpochSeconds> {
        let ttl = E::SCHEMA.tombstone.as_ref()?.ttl;
        EpochSeconds::decode(self.item.get(ttl)?.into()).ok()
    }
}

impl<E: Versioned> Tombstone<E> {
    /// Returns the deletion's version, which an `undelete` expects.
    #[must_use]
    pub fn version(&self) -> E::Version {
        let version = E::SCHEMA.version.as_ref().and_then(|version| version.of(&self.item));
        E::Version::__of(version.unwrap_or_default())
    }
}

clone_and_debug!([E] Tombstone<E>: item; entity);

impl<E> PartialEq for Tombstone<E> {
    fn eq(&self, other: &Self) -> bool {
        self.item == other.item
    }
}

/// The types that a read of `E` can return: the entity itself, or [`Found`] if items that count as absent are wanted, too.
#[diagnostic::on_unimplemented(
    message = "`{E}` cannot be read as `{Self}`",
    label = "not a projection of `{E}`",
    note = "an index that holds only some attributes is read as a projection: `.project::<…>()`",
    note = "help: `#[derive(Projection)] #[projection(of = {E})]` on a struct that names the fields to be read"
)]
pub trait Row<E>: Sized {
    /// `true` if the read also returns items that count as absent.
    #[doc(hidden)]
    const DEAD: bool;
    #[doc(hidden)]
    fn read(item: RawItem, now: EpochMillis) -> Result<Self, Error>;
}

/// Decodes the result of a read by key.
pub(crate) fn found<E: Entity, T: Row<E>>(item: Option<RawItem>, now: EpochMillis) -> Result<Option<T>, Error> {
    match present(item, E::SCHEMA, now, T::DEAD) {
        Some(item) => T::read(item, now).map(Some),
        None => Ok(None),
    }
}

impl<E: Entity> Row<E> for E {
    const DEAD: bool = false;

    fn read(item: RawItem, _now: EpochMillis) -> Result<Self, Error> {
        E::__from_raw(item)
    }
}

impl<E: Entity> Row<E> for Loaded<E> {
    const DEAD: bool = false;

    fn read(item: RawItem, _now: EpochMillis) -> Result<Self, Error> {
        let item = item.into_item();
        Ok(Self { entity: E::from_item(item.clone())?, item })
    }
}

impl<E: Entity> Row<E> for Found<E> {
    const DEAD: bool = true;

    fn read(item: RawItem, now: EpochMillis) -> Result<Self, Error> {
        Self::of(item, now)
    }
}
