//! How a transaction ends: applied as a whole, or refused, with what each action that refused has to say.

use super::outcome::Names;
use crate::attribute::Item;
use crate::entity::{Counted as _, Entity, Refusal, Versioned};
use crate::error::{Context, Error, ErrorKind};
use crate::rule::Reason;
use crate::transaction::closure::Report;
use crate::transaction::native::{Concluded, RefusedAction, RefusedTransaction};
use crate::transaction::resolve::Overwritten;
use std::any::TypeId;
use std::fmt;

/// How a [`Transaction`](crate::Transaction) ended. `T` is what it returns: of an
/// [interactive](crate::Transaction::interactive) one, what its closure does.
#[derive(Debug)]
#[must_use = "the transaction may have been refused: match on it, or call `.applied()?`"]
pub enum TransactionOutcome<T = Committed> {
    /// All of it was applied.
    Applied(T),
    /// Nothing of it was applied, and nothing will be. Where the answer to an attempt was lost that could still pass, `send` ends in
    /// an error instead ([`Error::may_be_applied`]), and a clone learns what became of it.
    Refused(TransactionRefusal),
}

impl TransactionOutcome {
    pub(crate) fn new(concluded: Concluded) -> Self {
        match concluded {
            Concluded::Applied(actions) => Self::Applied(Committed { actions, unapplied: 0, overwritten: Vec::new() }),
            Concluded::Refused(refused) => Self::refused(refused),
        }
    }
}

impl<T> TransactionOutcome<T> {
    pub(crate) fn refused(refused: RefusedTransaction) -> Self {
        Self::Refused(TransactionRefusal::new(refused))
    }

    /// What the transaction stored; a refusal is an error.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`], with the refusal in [`Error::transaction_refusal`].
    pub fn applied(self) -> Result<T, Error> {
        match self {
            Self::Applied(applied) => Ok(applied),
            Self::Refused(refusal) => Err(refusal.into()),
        }
    }

    /// What the transaction stored, or `None` if it was old news: see [`TransactionRefusal::is_superseded`]. Any other refusal
    /// is an error.
    ///
    /// # Errors
    /// As for [`applied`](Self::applied).
    pub fn accept_stale(self) -> Result<Option<T>, Error> {
        match self {
            Self::Refused(refusal) if refusal.is_superseded() => Ok(None),
            outcome => outcome.applied().map(Some),
        }
    }

    /// What the transaction stored, or `None` if it had been made already: see [`TransactionRefusal::is_duplicate`]. Any other
    /// refusal is an error.
    ///
    /// # Errors
    /// As for [`applied`](Self::applied).
    pub fn accept_duplicate(self) -> Result<Option<T>, Error> {
        match self {
            Self::Refused(refusal) if refusal.is_duplicate() => Ok(None),
            outcome => outcome.applied().map(Some),
        }
    }

    /// What the transaction stored, or `None` if it had been made already, as the elements in its lists say: see
    /// [`TransactionRefusal::is_contained`]. Any other refusal is an error.
    ///
    /// # Errors
    /// As for [`applied`](Self::applied).
    pub fn accept_contained(self) -> Result<Option<T>, Error> {
        match self {
            Self::Refused(refusal) if refusal.is_contained() => Ok(None),
            outcome => outcome.applied().map(Some),
        }
    }

    /// Whether the transaction was applied.
    #[must_use]
    pub const fn is_applied(&self) -> bool {
        matches!(self, Self::Applied(_))
    }

    /// The refusal, if there was one.
    #[must_use]
    pub fn refusal(&self) -> Option<&TransactionRefusal> {
        match self {
            Self::Applied(_) => None,
            Self::Refused(refusal) => Some(refusal),
        }
    }
}

/// A transaction that was applied.
#[derive(Clone, Debug)]
pub struct Committed {
    actions: Vec<(TypeId, Option<u64>)>,
    unapplied: usize,
    overwritten: Vec<Overwritten>,
}

impl Committed {
    pub(crate) fn new(report: Report) -> Self {
        let Report { versions, unapplied, overwritten } = report;
        Self { actions: versions, unapplied, overwritten }
    }

    /// How many of its items do not show it yet, though it is committed: 0, but where it took many requests and DynamoDB did not
    /// take some of the last ones for as long as its [patience](crate::Repository::with_patience) lasts. `.consistent()` reads
    /// and transactions see it, and whoever writes such an item next, or a sweep, applies it.
    #[must_use]
    pub const fn unapplied(&self) -> usize {
        self.unapplied
    }

    /// The items in which the transaction's change is missing, though it is committed: a program that does not know of transactions
    /// wrote over them, or deleted them, between the commit and its application. None where all programs obey the condition
    /// `attribute_not_exists(_x)`, and none of a transaction in one request. An event at the level `WARN` reports each, too.
    ///
    /// The row that is there shows it: it was deleted without a tombstone, or its version is older, or its version is the same and
    /// another program wrote it. A foreign write with a greater version goes unnoticed.
    #[must_use]
    pub fn overwritten(&self) -> &[Overwritten] {
        &self.overwritten
    }

    /// The version that an action has stored. `None` if it is not of `E`, or is a check, or where only DynamoDB knows: of an
    /// [`unchecked`](crate::command::VersionedUpdate::unchecked) update, and of a transaction that an item shows to have been applied
    /// long ago.
    #[must_use]
    pub fn version_of<E: Versioned>(&self, action: usize) -> Option<E::Version> {
        let (entity, version) = self.actions.get(action)?;
        version.filter(|_| *entity == TypeId::of::<E>()).map(E::Version::__of)
    }
}

/// Why a transaction was refused: the actions whose conditions did not hold, each with the item that was there. The others
/// had nothing against it, or DynamoDB did not say.
///
/// An error too, for those to whom a refusal is one: it converts into [`Error`].
#[derive(Clone)]
pub struct TransactionRefusal {
    refused: Box<RefusedTransaction>,
}

impl TransactionRefusal {
    pub(crate) fn new(refused: RefusedTransaction) -> Self {
        Self { refused: Box::new(refused) }
    }

    /// The actions that refused.
    #[must_use]
    pub fn actions(&self) -> impl ExactSizeIterator<Item = ActionRefusal<'_>> {
        self.refused.actions.iter().map(|action| ActionRefusal { action })
    }

    /// The refusal of an action of `E`, counted from 0 in the order in which they were added: with its reasons, and the item
    /// that was there. `None` if that action did not refuse, or is of another entity.
    #[must_use]
    pub fn refusal_of<E: Entity>(&self, action: usize) -> Option<Refusal<E>> {
        let is_meant = |refused: &&RefusedAction| refused.index == action && refused.entity == TypeId::of::<E>();
        let action = self.refused.actions.iter().find(is_meant)?;
        Some(Refusal::new(action.refused.clone()))
    }

    /// Whether the transaction is old news and nothing is lost by dropping it: each of its writes was refused, and
    /// [superseded](Refusal::is_superseded).
    #[must_use]
    pub fn is_superseded(&self) -> bool {
        self.refused.superseded
    }

    /// Whether the transaction has been made already, by the elements that it was to
    /// [`push_unique`](crate::Field::push_unique): there are such, and each of their updates [is refused for them
    /// alone](Refusal::is_contained). (An element that is pushed by one transaction only tells that all of it has been made.)
    #[must_use]
    pub fn is_contained(&self) -> bool {
        self.refused.contained
    }

    /// Whether the transaction has been made already: there are idempotency keys in it, and each was refused as a
    /// [`Reason::Duplicate`]. (A key that is used for one transaction only tells that all of it has been made.)
    #[must_use]
    pub fn is_duplicate(&self) -> bool {
        self.refused.duplicate
    }
}

/// One action that refused.
#[derive(Clone, Copy)]
pub struct ActionRefusal<'a> {
    action: &'a RefusedAction,
}

impl<'a> ActionRefusal<'a> {
    fn context(self) -> &'a Context {
        &self.action.refused.context
    }

    /// Which action it is, counted from 0 in the order in which they were added.
    #[must_use]
    pub fn index(self) -> usize {
        self.action.index
    }

    /// The name of its entity.
    #[must_use]
    pub fn entity(self) -> &'static str {
        self.context().entity
    }

    /// What it is: `put`, `check`, …
    #[must_use]
    pub fn operation(self) -> &'static str {
        self.context().operation
    }

    /// The key of its item, as text for people.
    #[must_use]
    pub fn key(self) -> Option<&'a str> {
        self.context().key.as_deref()
    }

    /// Every reason: each rule of the entity that refused.
    #[must_use]
    pub fn reasons(self) -> &'a [Reason] {
        &self.action.refused.reasons
    }

    /// The item that was there, as DynamoDB stores it; `None` if there was none. [`refusal_of`](TransactionRefusal::refusal_of)
    /// has it decoded.
    #[must_use]
    pub fn item(self) -> Option<&'a Item> {
        self.action.refused.item.as_ref()
    }
}

impl fmt::Display for ActionRefusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "action {}, {} of `{}`", self.index(), self.operation(), self.entity())?;
        if let Some(key) = self.key() {
            write!(f, " ({key})")?;
        }
        for (index, reason) in self.reasons().iter().enumerate() {
            write!(f, "{}{reason}", if index == 0 { ": " } else { "; " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for ActionRefusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionRefusal")
            .field("index", &self.index())
            .field("entity", &self.entity())
            .field("operation", &self.operation())
            .field("reasons", &self.reasons())
            .field("item", &self.item().map(Names))
            .finish_non_exhaustive()
    }
}

impl fmt::Display for TransactionRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the transaction was refused")?;
        for (index, action) in self.actions().enumerate() {
            write!(f, "{}{action}", if index == 0 { ": " } else { " | " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for TransactionRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.actions()).finish()
    }
}

impl std::error::Error for TransactionRefusal {}

impl From<TransactionRefusal> for Error {
    fn from(refusal: TransactionRefusal) -> Self {
        Self::new(ErrorKind::Refused, refusal.to_string()).with_detail(Box::new(refusal))
    }
}

impl Error {
    /// The refusal of a transaction, if that is what the error is: with the actions that refused.
    #[must_use]
    pub fn transaction_refusal(&self) -> Option<&TransactionRefusal> {
        self.detail()
    }
}
