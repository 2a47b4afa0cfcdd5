//! How a guarded write ends: applied, or refused by its condition, with the reasons and the item that was there.
//!
//! A refusal is an ordinary outcome. `rule` finds the reasons; this file is what a caller sees of them.

use super::answer::{Answer, Returned, sealed};
use crate::attribute::{Item, format_of};
use crate::core::Refused;
use crate::entity::{Entity, Found};
use crate::error::{Error, ErrorKind};
use crate::shown::value;
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
/// rating.put().send(&repository).await?.accept_stale()?; // old news is fine, any other refusal is an error
/// rating.put().send(&repository).await?.applied()?;      // any refusal is an error
/// # Ok(()) }
/// ```
///
/// If the answer to a write is lost, the SDK sends it again, and the second attempt can meet what the first one
/// wrote. A ratcheted put, delete or purge passes again; if a newer one came in between, it is [`Reason::Stale`] although it
/// was applied, and may have been read: what is there is the newer one either way. A checked write of an entity with a
/// [`#[version]`](derive@crate::Entity) knows its own by the write id. Without a version, a `create`, an `undelete`, a
/// write with a condition of its own and one under a strict ratchet is then refused although it was applied.
#[must_use = "the write may have been refused: match on it, or call `.applied()?` or `.accept_stale()?`"]
pub enum Outcome<E, T = ()> {
    /// The write was applied; with what it was asked to return.
    Applied(T),
    /// The write was refused; what refused it is there still. (An earlier attempt of it can have been applied: see above.)
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

/// One reason of a [`Refusal`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The ratchet: the item holds a newer token. That says nothing of whether this write was there before: an attempt whose
    /// answer was lost may have been applied, and superseded since.
    Stale {
        /// The ratchet's attribute.
        attribute: &'static str,
        /// The item holds this very token, and a second write with it is not let in: the ratchet is strict, or
        /// the item was deleted by it. It may be this write itself, come twice.
        tie: bool,
    },
    /// The ratchet: the item holds a token from the future, beyond `max_ahead_secs`, and so refuses all writers
    /// until then. Someone's clock or unit was wrong.
    Ahead {
        /// The ratchet's attribute.
        attribute: &'static str,
        /// How far ahead of the clock it is.
        seconds: i64,
    },
    /// The ratchet: the item holds a token of another type, so that no comparison ever holds: it is frozen.
    Corrupt {
        /// The attribute with the wrong type.
        attribute: &'static str,
        /// DynamoDB's name of the declared type.
        expected: &'static str,
        /// DynamoDB's name of the stored type.
        found: &'static str,
    },
    /// The ratchet: the stored token is a time in another form of text, which does not sort with the type's own: with other
    /// digits, or an offset. Declare the form that all writers have with `#[attribute(format = "…")]`, or bring the rows
    /// over: `modify_each(|_| {})` stores each token in the type's own form.
    Misspelled {
        /// The ratchet's attribute.
        attribute: &'static str,
        /// What the declared form is like, with a `9` for each digit.
        expected: &'static str,
        /// What is stored, in the same way; `None` if that is no time.
        found: Option<String>,
    },
    /// The version: the item is no longer, or not yet, as the writer knew it.
    Conflict {
        /// The version that the write expected; 0 stands for an item without one.
        expected: u64,
        /// The version that is stored; `None` if there is no item.
        found: Option<u64>,
    },
    /// The put is of version 0, which makes a new item, and the item that is there has no version yet: it is from before
    /// there were versions, or of a writer that does not count. A `replace` of version 0 writes over it, unless another
    /// writer has counted since. It stands beside [`Exists`](Self::Exists).
    Uncounted {
        /// The version's attribute.
        attribute: &'static str,
    },
    /// The version is the last one that its type can hold.
    Overflow {
        /// The version's attribute.
        attribute: &'static str,
    },
    /// The history holds another revision of this number already, so it is ahead of the table, as after a restore of the
    /// table alone. Restore both, or go on: [`Repair`](crate::Repair) gives the item a number behind the newest revision.
    Recorded {
        /// The revision's number.
        version: u64,
    },
    /// The history has no such revision to go back to, or it is a deletion.
    NoRevision {
        /// The number that was asked for.
        version: u64,
    },
    /// The idempotency key: an update with it has been made already. It may be this one, come twice.
    Duplicate,
    /// The idempotency key: the item holds keys from so far ahead of this writer's clock that it must not touch them. Some
    /// clock is off by more than `max_skew_secs`, or the request was under way for that long.
    Behind {
        /// About how far.
        seconds: i64,
    },
    /// A change: there is nothing here to be changed, or to be changed within.
    Absent {
        /// Where.
        path: String,
    },
    /// A change: the number would not fit its type any more.
    OutOfRange {
        /// Where.
        path: String,
    },
    /// A change: the list contains the element already.
    Contained {
        /// Where the list is.
        path: String,
    },
    /// A change: the list does not contain the element.
    NotContained {
        /// Where the list is.
        path: String,
    },
    /// A change: here is another element than was expected, or none.
    OtherElement {
        /// Where.
        path: String,
    },
    /// A change: NULL, which counts as absent, is here, and the change was not made for that, or the other way round. A
    /// single write then makes it anew, so this is seen beside other reasons only.
    Null {
        /// Where.
        path: String,
    },
    /// A change of a part of an attribute, which is still stored under an older name: write the whole item once, or
    /// `modify_each` of them.
    Renamed {
        /// The attribute's name.
        attribute: &'static str,
        /// The alias that it was found under.
        found: &'static str,
    },
    /// An attribute that the write looks at or changes is stored under two of its names, with two values, as a program
    /// leaves it that knows only one of the names: which of them is the later one, nothing says. Set it, or put the item:
    /// that leaves one.
    TwoValues {
        /// The attribute's name.
        attribute: &'static str,
        /// The alias under which the other value is.
        found: &'static str,
    },
    /// The row is of an older schema version, in whose shape the update would leave it: `modify` or put the item, or bring
    /// all rows up to date with `modify_each`.
    Outdated {
        /// The row's schema version.
        found: u32,
        /// The entity's.
        current: u32,
    },
    /// The row is of a schema version that this program does not know: a newer one has written it.
    Newer {
        /// The row's schema version.
        found: u32,
        /// The entity's.
        current: u32,
    },
    /// The item at this key is marked as another entity's: see `type_name` of [`derive@crate::Entity`].
    OtherEntity {
        /// The mark that it has; DynamoDB's name of its type, where that is no text.
        found: String,
    },
    /// There is no item.
    Missing,
    /// There is a live item already.
    Exists,
    /// The item is deleted: a tombstone is there.
    Deleted,
    /// The item's TTL has passed, though DynamoDB has not removed it yet.
    Expired,
    /// The item to undelete is live.
    NotDeleted,
    /// What is there is no longer what was read: the tombstone that was to be purged, or the item that was to be rewritten.
    Changed,
    /// The condition given with the command did not hold. Named only where no rule of the entity refused.
    Condition,
    /// The item that DynamoDB returned gives no reason, or it returned none where one must have been.
    Unexplained,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stale { attribute, tie: false } => write!(f, "stale: the stored `{attribute}` is newer"),
            Self::Stale { attribute, tie: true } => write!(f, "stale: `{attribute}` is stored already"),
            Self::Ahead { attribute, seconds } => {
                write!(f, "the stored `{attribute}` is {seconds} seconds ahead of the clock")
            }
            Self::Corrupt { attribute, expected, found } => {
                write!(f, "corrupt: the stored `{attribute}` is {found}, not {expected}, and refuses every write")
            }
            Self::Misspelled { attribute, expected, found } => {
                write!(f, "the stored `{attribute}` is ")?;
                let found = found.as_deref();
                match found {
                    Some(found) => write!(f, "a time as `{found}`")?,
                    None => f.write_str("a text that is no time")?,
                }
                write!(f, ", not as `{expected}`, so it is in no order with it: ")?;
                if let Some(format) = found.and_then(format_of) {
                    write!(f, "declare the form that others write with `#[attribute(format = \"{format}\")]`, or ")?;
                }
                f.write_str("bring the rows over with `modify_each`")
            }
            Self::Conflict { expected, found: Some(found) } => {
                write!(f, "conflict: expected version {expected}, found {found}")
            }
            Self::Conflict { expected, found: None } => {
                write!(f, "conflict: expected version {expected}, found no item")
            }
            Self::Uncounted { attribute } => {
                write!(f, "it has no `{attribute}` yet: `replace` writes over an item from before there were versions")
            }
            Self::Overflow { attribute } => write!(f, "`{attribute}` is the last version that its type can hold"),
            Self::Recorded { version } => {
                write!(
                    f,
                    "the history holds another revision {version}: it is ahead of the table, as after a restore of the table alone: restore both, or let `repair` give the item a number behind the newest revision"
                )
            }
            Self::NoRevision { version } => write!(f, "there is no revision {version} to go back to"),
            Self::Duplicate => f.write_str("duplicate: an update with this idempotency key has been made already"),
            Self::Behind { seconds } => {
                write!(
                    f,
                    "the clock is some {seconds} seconds behind another writer's, which is more than `max_skew_secs`"
                )
            }
            Self::Absent { path } => write!(f, "there is no `{}` to be changed", value(path)),
            Self::OutOfRange { path } => write!(f, "`{}` would not fit its type any more", value(path)),
            Self::Contained { path } => write!(f, "`{}` contains the element already", value(path)),
            Self::NotContained { path } => write!(f, "`{}` does not contain the element", value(path)),
            Self::OtherElement { path } => write!(f, "`{}` is not the expected element", value(path)),
            Self::Null { path } => write!(f, "`{}` is NULL, or was when it was looked at", value(path)),
            Self::Renamed { attribute, found } => {
                write!(
                    f,
                    "`{attribute}` is still stored as `{found}`, and a part of it cannot be moved: write the item once"
                )
            }
            Self::TwoValues { attribute, found } => {
                write!(
                    f,
                    "`{attribute}` has another value under its alias `{found}`, where a program has written it that knows one of the names only: set `{attribute}`, or put the item"
                )
            }
            Self::Outdated { found, current } => {
                write!(
                    f,
                    "the row is of schema version {found}, not {current}: `modify` or put it, or update all rows first"
                )
            }
            Self::Newer { found, current } => {
                write!(
                    f,
                    "the row is of schema version {found}, and this program knows up to {current}: deploy the newer one"
                )
            }
            Self::OtherEntity { found } => {
                write!(f, "the item is another entity's: it is marked \"{}\"", value(found))
            }
            Self::Missing => f.write_str("there is no item"),
            Self::Exists => f.write_str("there is an item already"),
            Self::Deleted => f.write_str("the item is deleted"),
            Self::Expired => f.write_str("the item has expired"),
            Self::NotDeleted => f.write_str("the item is not deleted"),
            Self::Changed => f.write_str("what is there is not what was read any more"),
            Self::Condition => f.write_str("the given condition does not hold"),
            Self::Unexplained => f.write_str("DynamoDB returned no item that explains it"),
        }
    }
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
    /// the item holds a newer one or the same. Other reasons may stand beside; a [`Reason::Corrupt`] or
    /// [`Reason::Ahead`] is never old news.
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
        let reasons: Vec<String> = refusal.refused.reasons.iter().map(Reason::to_string).collect();
        let context = refusal.refused.context.clone();
        Self::new(ErrorKind::Refused, format!("refused: {}", reasons.join("; ")))
            .with_detail(refusal)
            .with_context(|| context)
    }
}

impl Error {
    /// The refusal of a write of `E`, if that is what the error is: with its reasons, and the item that was there.
    #[must_use]
    pub fn refusal<E: Entity>(&self) -> Option<&Refusal<E>> {
        self.detail()
    }
}
