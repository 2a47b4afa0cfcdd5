//! How a guarded write ends: applied, or refused by its condition, with the reasons and the item that was there.
//!
//! A refusal is an ordinary outcome. `rule` finds the reasons; this file is what a caller sees of them.

use super::answer::{Answer, Returned, sealed};
use crate::attribute::Item;
use crate::entity::{Entity, Found};
use crate::error::shown::value;
use crate::error::{Error, ErrorKind};
use crate::rule::{Reason, Refused};
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

/// How a write that may be refused ended: what `send` returns for it.
///
/// A consumer of a stream accepts that an event may be old; anyone else wants to know:
///
/// ```no_run
/// # use dyno::{Entity, EpochMillis, Repository};
/// # #[derive(Entity)] #[tombstone(ttl_days = 7)]
/// # struct Rating { #[partition_key] id: String, #[ratchet] at: EpochMillis }
/// # async fn example(rating: Rating, repository: Repository) -> Result<(), dyno::Error> {
/// rating.put().send(&repository).await?.accept_stale()?; // old news is fine
/// rating.put().send(&repository).await?.applied()?; // any refusal is an error
/// # Ok(()) }
/// ```
///
/// If the answer to a write is lost, the SDK sends it again, and the second attempt can meet what the first one
/// wrote. A ratcheted put, delete or purge passes again; if a newer one came in between, it is [`Reason::Stale`] although it
/// was applied, and may have been read: what is there is the newer one either way. So does a fenced one; if a later holder of
/// the lock came in between, it is [`Reason::Fenced`]. A checked write of an entity with a
/// [`#[version]`](derive@crate::Entity) knows its own by the write id. Without a version, a ratcheted `create` or `undelete`, and
/// a write under a strict ratchet, is then refused as [old news](Refusal::is_superseded).
///
/// An attempt whose answer was lost can also arrive later, when the item that refused the next attempt has changed. `send` returns
/// `Refused` after a lost answer only if the write can never pass any more (a newer token, a greater fence or a later version is
/// stored) or need not be made (it is old news, a duplicate, or contained). Any other refusal is then an error:
/// [`Error::may_be_applied`].
#[must_use = "the write may have been refused: match on it, or call `.applied()?` or `.accept_stale()?`"]
pub enum Outcome<E, T = ()> {
    /// The write was applied; with what it was asked to return.
    Applied(T),
    /// The write was refused, and no attempt of it is applied later. (One can have been applied before: see above.)
    Refused(Refusal<E>),
}

impl<E, T: fmt::Debug> fmt::Debug for Outcome<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Applied(returned) => f.debug_tuple("Applied").field(returned).finish(),
            Self::Refused(refusal) => f.debug_tuple("Refused").field(refusal).finish(),
        }
    }
}

impl<E, T> Outcome<E, T> {
    /// What the write returned; a refusal is an error.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`], with the refusal in [`Error::refusal`].
    pub fn applied(self) -> Result<T, Error>
    where
        E: Entity,
    {
        match self {
            Self::Applied(returned) => Ok(returned),
            Self::Refused(refusal) => Err(refusal.into()),
        }
    }

    /// What the write returned, or `None` if it was old news; any other refusal is an error.
    ///
    /// Old news is a write that [`Refusal::is_superseded`]; one that another rule, or a condition of yours, refused
    /// is an error.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`], with the refusal in [`Error::refusal`].
    pub fn accept_stale(self) -> Result<Option<T>, Error>
    where
        E: Entity,
    {
        match self {
            Self::Applied(returned) => Ok(Some(returned)),
            Self::Refused(refusal) if refusal.is_superseded() => Ok(None),
            Self::Refused(refusal) => Err(refusal.into()),
        }
    }

    /// What the update returned, or `None` if one with its idempotency key had been made already; any other refusal is an
    /// error.
    ///
    /// # Errors
    /// As for [`applied`](Self::applied).
    pub fn accept_duplicate(self) -> Result<Option<T>, Error>
    where
        E: Entity,
    {
        match self {
            Self::Applied(returned) => Ok(Some(returned)),
            Self::Refused(refusal) if refusal.is_duplicate() => Ok(None),
            Self::Refused(refusal) => Err(refusal.into()),
        }
    }

    /// What the update returned, or `None` if the lists contained all elements that it was to
    /// [`push_unique`](crate::Field::push_unique); any other refusal is an error.
    ///
    /// What the update does besides is taken to have been made with them: an element of its own, such as the id of a
    /// message, makes an update that is sent again by hand one that is made once, for as long as the list has it.
    ///
    /// # Errors
    /// As for [`applied`](Self::applied).
    pub fn accept_contained(self) -> Result<Option<T>, Error>
    where
        E: Entity,
    {
        match self {
            Self::Applied(returned) => Ok(Some(returned)),
            Self::Refused(refusal) if refusal.is_contained() => Ok(None),
            Self::Refused(refusal) => Err(refusal.into()),
        }
    }

    /// Whether the write was applied.
    pub const fn is_applied(&self) -> bool {
        matches!(self, Self::Applied(_))
    }

    /// The refusal, if there was one.
    pub fn refusal(&self) -> Option<&Refusal<E>> {
        match self {
            Self::Applied(_) => None,
            Self::Refused(refusal) => Some(refusal),
        }
    }
}

impl<E: Entity, R: Returned> Answer<E> for R {
    type Returned = R;
    type Returning<S: Returned> = S;

    fn __applied(returned: R) -> Self {
        returned
    }

    /// Does not happen: a write without a condition is not refused.
    fn __refused(refused: Refused) -> Result<Self, Error> {
        Err(Refusal::<E>::new(refused).into())
    }
}

impl<E, R> sealed::Sealed for Outcome<E, R> {}

impl<E: Entity, R: Returned> Answer<E> for Outcome<E, R> {
    type Returned = R;
    type Returning<S: Returned> = Outcome<E, S>;

    fn __applied(returned: R) -> Self {
        Self::Applied(returned)
    }

    fn __refused(refused: Refused) -> Result<Self, Error> {
        Ok(Self::Refused(Refusal::new(refused)))
    }
}

/// Why a write was refused, and the item that was there: DynamoDB returned it with the refusal, so looking at it
/// costs no request.
///
/// An error too, for those to whom a refusal is one: it converts into [`Error`].
pub struct Refusal<E> {
    /// On the heap: an error is moved often, and rarely looked at.
    refused: Box<Refused>,
    entity: PhantomData<fn() -> E>,
}

impl<E> Refusal<E> {
    pub(crate) fn new(refused: Refused) -> Self {
        Self { refused: Box::new(refused), entity: PhantomData }
    }

    /// Every reason: each rule of the entity that refused.
    #[must_use]
    pub fn reasons(&self) -> &[Reason] {
        &self.refused.reasons
    }

    /// Whether the write is old news and nothing is lost by dropping it: for each ratchet whose token it carried,
    /// the item holds a newer one or the same. Other reasons may stand beside; a [`Reason::Corrupt`], a
    /// [`Reason::Ahead`] or a [`Reason::Fenced`] is never old news.
    #[must_use]
    pub fn is_superseded(&self) -> bool {
        self.refused.moot.superseded
    }

    /// [`Reason::Duplicate`] is among the reasons: whatever the others are, the update has been made.
    /// [`current`](Self::current) is the item with it.
    #[must_use]
    pub fn is_duplicate(&self) -> bool {
        self.any(|reason| *reason == Reason::Duplicate)
    }

    /// Whether the lists contained all elements that the update was to [`push_unique`](crate::Field::push_unique), and
    /// nothing else was against it.
    #[must_use]
    pub fn is_contained(&self) -> bool {
        self.refused.moot.contained
    }

    /// [`Reason::Stale`] is among the reasons.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.any(|reason| matches!(reason, Reason::Stale { .. }))
    }

    /// [`Reason::Fenced`] is among the reasons: whoever has written has lost the lock. It is never taken for
    /// [old news](Self::is_superseded).
    #[must_use]
    pub fn is_fenced(&self) -> bool {
        self.any(|reason| matches!(reason, Reason::Fenced { .. }))
    }

    /// [`Reason::Conflict`] is among the reasons: load the entity again, or take [`current`](Self::current), and decide.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.any(|reason| matches!(reason, Reason::Conflict { .. }))
    }

    /// [`Reason::Expired`] is among the reasons.
    #[must_use]
    pub fn is_expired(&self) -> bool {
        self.any(|reason| *reason == Reason::Expired)
    }

    /// [`Reason::Condition`] is among the reasons.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        self.any(|reason| *reason == Reason::Condition)
    }

    /// [`Reason::Corrupt`] or [`Reason::Misspelled`] is among the reasons.
    #[must_use]
    pub fn is_corrupt(&self) -> bool {
        self.any(|reason| matches!(reason, Reason::Corrupt { .. } | Reason::Misspelled { .. }))
    }

    /// [`Reason::Outdated`] is among the reasons.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        self.any(|reason| matches!(reason, Reason::Outdated { .. }))
    }

    /// [`Reason::OtherEntity`] is among the reasons.
    #[must_use]
    pub fn is_of_other_entity(&self) -> bool {
        self.any(|reason| matches!(reason, Reason::OtherEntity { .. }))
    }

    /// [`Reason::Missing`] is among the reasons.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.any(|reason| *reason == Reason::Missing)
    }

    /// [`Reason::Exists`] is among the reasons.
    #[must_use]
    pub fn is_existing(&self) -> bool {
        self.any(|reason| *reason == Reason::Exists)
    }

    /// [`Reason::Deleted`] is among the reasons.
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        self.any(|reason| *reason == Reason::Deleted)
    }

    fn any(&self, is: impl Fn(&Reason) -> bool) -> bool {
        self.refused.reasons.iter().any(is)
    }

    /// The item that was there, as DynamoDB stores it; `None` if there was none.
    #[must_use]
    pub fn item(&self) -> Option<&Item> {
        self.refused.item.as_ref()
    }
}

impl<E: Entity> Refusal<E> {
    /// The item that was there, decoded: live, expired or a tombstone; `None` if there was none.
    ///
    /// # Errors
    /// The item is not of the entity's shape.
    pub fn current(&self) -> Result<Option<Found<E>>, Error> {
        let item = self.refused.item.clone();
        item.map(|item| Found::classify(item, self.refused.now)).transpose()
    }
}

impl<E> fmt::Display for Refusal<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of `{}`", self.refused.context.operation, self.refused.context.entity)?;
        if let Some(key) = &self.refused.context.key {
            write!(f, " ({key})")?;
        }
        f.write_str(" was refused")?;
        for (index, reason) in self.refused.reasons.iter().enumerate() {
            write!(f, "{}{reason}", if index == 0 { ": " } else { "; " })?;
        }
        Ok(())
    }
}

/// The names of an item's attributes: what they hold is for whoever asks for the item.
pub(crate) struct Names<'a>(pub(crate) &'a Item);

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: BTreeSet<&String> = self.0.keys().collect();
        f.debug_set().entries(names.into_iter().map(|name| value(name))).finish()
    }
}

impl<E> fmt::Debug for Refusal<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusal")
            .field("reasons", &self.refused.reasons)
            .field("item", &self.refused.item.as_ref().map(Names))
            .finish_non_exhaustive()
    }
}

impl<E> std::error::Error for Refusal<E> {}

impl<E: Entity> From<Refusal<E>> for Error {
    fn from(refusal: Refusal<E>) -> Self {
        error_of(&refusal.refused).with_detail(Box::new(refusal))
    }
}

fn error_of(refused: &Refused) -> Error {
    let reasons: Vec<String> = refused.reasons.iter().map(Reason::to_string).collect();
    let error = Error::new(ErrorKind::Refused, format!("refused: {}", reasons.join("; ")));
    error.with_context(|| refused.context.clone())
}

impl Error {
    /// The refusal of a write of `E`, if that is what the error is: with its reasons, and the item that was there.
    #[must_use]
    pub fn refusal<E: Entity>(&self) -> Option<&Refusal<E>> {
        self.detail()
    }
}
