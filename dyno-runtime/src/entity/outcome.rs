//! The result of a write with a condition: applied, or refused, with the reasons and the item that refused it.
//!
//! A refusal is an ordinary outcome. The room `rule` finds the reasons, and this file has the types that a caller sees.

use super::answer::{Answer, Returned, sealed};
use crate::attribute::Item;
use crate::entity::{Entity, Found};
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};
use crate::rule::{HolderKey, Reason, Refused};
use crate::sorted;
use std::fmt;
use std::marker::PhantomData;

/// The result of a write that may be refused: applied or refused.
///
/// A consumer of a stream accepts that an event may be old. Any other program treats a refusal as an error:
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
/// If the answer to a write is lost, the SDK sends the write again, and the second attempt can find what the first one wrote:
///
/// - A ratcheted put, delete or purge passes again, and so does a fenced one. If another writer wrote in between, with a newer
///   token or as a later holder of the lock, the second attempt is refused with [`Reason::Stale`] or [`Reason::Fenced`], although
///   the first one was applied and may have been read. The newer item is stored either way.
/// - A checked write of an entity with a [`#[version]`](derive@crate::Entity) recognizes its own first attempt by the write id.
/// - Without a version, a ratcheted `create` or `undelete`, and a write under a strict ratchet, is refused as [old
///   news](Refusal::is_superseded).
///
/// An attempt whose answer was lost can also arrive later, after the item that refused the next attempt has changed. After a lost
/// answer, `send` therefore returns `Refused` only if the write can never pass again (a newer token, a greater fence or a later
/// version is stored), or is not needed (it is old news, a duplicate, or contained). Any other refusal is then an error:
/// [`Error::may_be_applied`].
#[must_use = "the write may have been refused: match on it, or call `.applied()?` or `.accept_stale()?`"]
pub enum Outcome<E, T = ()> {
    /// The write was applied, and returned this value.
    Applied(T),
    /// The write was refused, and no attempt of it is applied later. (An attempt may have been applied before: see above.)
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
    /// Returns the value of the write; a refusal is an error.
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

    /// Returns the value of the write, or `None` if it was old news; any other refusal is an error.
    ///
    /// A write is old news if [`Refusal::is_superseded`] says so: the item has a newer token, or the same one. If another rule
    /// refused it as well, such as a version that has changed, it is old news all the same. A refusal only by other rules, or only
    /// by a condition of yours, is an error.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`], with the refusal in [`Error::refusal`].
    pub fn accept_stale(self) -> Result<Option<T>, Error>
    where
        E: Entity,
    {
        self.accept(Refusal::is_superseded)
    }

    /// Returns the value of the update, or `None` if an update with its idempotency key had been made already; any other refusal
    /// is an error.
    ///
    /// # Errors
    /// As for [`applied`](Self::applied).
    pub fn accept_duplicate(self) -> Result<Option<T>, Error>
    where
        E: Entity,
    {
        self.accept(Refusal::is_duplicate)
    }

    /// Returns the value of the update, or `None` if the lists contained all elements that it was to
    /// [`push_unique`](crate::Field::push_unique); any other refusal is an error.
    ///
    /// `None` means that the other changes of the update were made together with these elements. So if an update pushes an
    /// element of its own, such as the id of a message, and you send it again, it is made once, as long as the list has the
    /// element.
    ///
    /// # Errors
    /// As for [`applied`](Self::applied).
    pub fn accept_contained(self) -> Result<Option<T>, Error>
    where
        E: Entity,
    {
        self.accept(Refusal::is_contained)
    }

    /// Returns the value of the write, or `None` if the write was refused and this refusal is accepted.
    fn accept(self, is_accepted: fn(&Refusal<E>) -> bool) -> Result<Option<T>, Error>
    where
        E: Entity,
    {
        match self {
            Self::Refused(refusal) if is_accepted(&refusal) => Ok(None),
            outcome => outcome.applied().map(Some),
        }
    }

    /// Returns `true` if the write was applied.
    pub const fn is_applied(&self) -> bool {
        matches!(self, Self::Applied(_))
    }

    /// Returns the refusal, if there was one.
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

    /// Never called, because DynamoDB does not refuse a write without a condition.
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

/// The reasons why a write was refused, and the item that was there. DynamoDB returned the item with the refusal, so looking at
/// it costs no request.
///
/// It is an error type, too, and converts into [`Error`].
pub struct Refusal<E> {
    /// Boxed, because a refusal is moved often and rarely read.
    refused: Box<Refused>,
    entity: PhantomData<fn() -> E>,
}

impl<E> Refusal<E> {
    pub(crate) fn new(refused: Refused) -> Self {
        Self { refused: Box::new(refused), entity: PhantomData }
    }

    /// Returns every reason: one for each rule of the entity that refused.
    #[must_use]
    pub fn reasons(&self) -> &[Reason] {
        &self.refused.reasons
    }

    /// Returns `true` if the write is old news and nothing is lost by dropping it: for each ratchet whose token the write
    /// carried, the item holds a newer token or the same one. There may be other reasons, too; but a [`Reason::Corrupt`], a
    /// [`Reason::Ahead`] or a [`Reason::Fenced`] is never old news.
    ///
    /// An `embed` is old news if the item has other values by now than the vector was made of, or if it is gone; unless the update
    /// has further changes, or another rule refuses it, too.
    #[must_use]
    pub fn is_superseded(&self) -> bool {
        self.refused.moot.superseded
    }

    /// Returns `true` if the lists contained all elements that the update was to [`push_unique`](crate::Field::push_unique), and
    /// there is no other reason.
    #[must_use]
    pub fn is_contained(&self) -> bool {
        self.refused.moot.contained
    }

    /// Returns the unique values that are [taken](Reason::Taken): the name of each constraint, and the key of the item that has the
    /// value.
    pub fn taken(&self) -> impl Iterator<Item = (&'static str, &HolderKey)> {
        self.refused.reasons.iter().filter_map(|reason| match reason {
            Reason::Taken { constraint, holder } => Some((*constraint, holder)),
            _ => None,
        })
    }

    /// Returns the item that was there, as DynamoDB stores it; `None` if there was none.
    #[must_use]
    pub fn item(&self) -> Option<&Item> {
        self.refused.item.as_ref()
    }
}

/// Predicates that are true if a reason matches the pattern.
macro_rules! reason_predicates {
    ($($(#[$doc:meta])* $name:ident: $reason:pat,)*) => {
        impl<E> Refusal<E> {$(
            $(#[$doc])*
            #[must_use]
            pub fn $name(&self) -> bool {
                self.refused.reasons.iter().any(|reason| matches!(reason, $reason))
            }
        )*}
    };
}

reason_predicates! {
    /// Returns `true` if [`Reason::Duplicate`] is among the reasons: whatever the others are, the update has been made.
    /// [`current`](Self::current) is the item after it.
    is_duplicate: Reason::Duplicate,
    /// Returns `true` if [`Reason::Stale`] is among the reasons.
    is_stale: Reason::Stale { .. },
    /// Returns `true` if [`Reason::Taken`] is among the reasons: another live item has the unique value.
    is_taken: Reason::Taken { .. },
    /// Returns `true` if [`Reason::Fenced`] is among the reasons: the writer has lost the lock. This never counts as [old
    /// news](Self::is_superseded).
    is_fenced: Reason::Fenced { .. },
    /// Returns `true` if [`Reason::Conflict`] is among the reasons: load the entity again, or take [`current`](Self::current),
    /// and decide.
    is_conflict: Reason::Conflict { .. },
    /// Returns `true` if [`Reason::Expired`] is among the reasons.
    is_expired: Reason::Expired,
    /// Returns `true` if [`Reason::Condition`] is among the reasons.
    is_condition: Reason::Condition,
    /// Returns `true` if [`Reason::Corrupt`] or [`Reason::Misspelled`] is among the reasons.
    is_corrupt: Reason::Corrupt { .. } | Reason::Misspelled { .. },
    /// Returns `true` if [`Reason::Outdated`] is among the reasons.
    is_outdated: Reason::Outdated { .. },
    /// Returns `true` if [`Reason::OtherEntity`] is among the reasons.
    is_of_other_entity: Reason::OtherEntity { .. },
    /// Returns `true` if [`Reason::Missing`] is among the reasons.
    is_missing: Reason::Missing,
    /// Returns `true` if [`Reason::Exists`] is among the reasons.
    is_existing: Reason::Exists,
    /// Returns `true` if [`Reason::Deleted`] is among the reasons.
    is_deleted: Reason::Deleted,
}

impl<E: Entity> Refusal<E> {
    /// Decodes the item that was there: live, expired or a tombstone; `None` if there was none.
    ///
    /// # Errors
    /// The item is not of the entity's shape.
    pub fn current(&self) -> Result<Option<Found<E>>, Error> {
        let item = self.refused.item.clone();
        item.map(|item| Found::classify(item, self.refused.now)).transpose()
    }

    /// Decodes the item that was there, if it was live.
    ///
    /// # Errors
    /// The item is not of the entity's shape.
    pub fn live(&self) -> Result<Option<E>, Error> {
        Ok(self.current()?.and_then(Found::live))
    }
}

impl<E> fmt::Display for Refusal<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was refused: {}", self.refused.context, self.refused.reasons_text())
    }
}

/// Shows only the names of an item's attributes, because people who read a log may not be allowed to read the values.
pub(crate) struct Names<'a>(pub(crate) &'a Item);

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = sorted::names(self.0.keys().map(String::as_str));
        f.debug_set().entries(names.into_iter().map(value)).finish()
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
    let error = Error::new(ErrorKind::Refused, format!("refused: {}", refused.reasons_text()));
    error.with_context(|| refused.context.clone())
}

impl Error {
    /// Returns the refusal of a write of `E`, if this is such an error.
    #[must_use]
    pub fn refusal<E: Entity>(&self) -> Option<&Refusal<E>> {
        self.detail()
    }
}
