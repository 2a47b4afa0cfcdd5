//! The result of a transaction: applied as a whole, or refused, with the reasons of each action that refused.

use super::outcome::Names;
use crate::attribute::Item;
use crate::entity::{Counted as _, Entity, Refusal, Versioned};
use crate::error::{Context, Error, ErrorKind};
use crate::rule::Reason;
#[cfg(feature = "transactions")]
use crate::transaction::attempt::Report;
use crate::transaction::native::{NativeAnswer, RefusedAction, RefusedTransaction};
#[cfg(feature = "transactions")]
use crate::transaction::resolve::Overwritten;
use std::any::TypeId;
use std::fmt;

/// The result of a [`Transaction`](crate::Transaction). `T` is the value that it returns; for an
/// [interactive](crate::Transaction::interactive) one, the value of its closure.
#[derive(Debug)]
#[must_use = "the transaction may have been refused: match on it, or call `.applied()?`"]
pub enum TransactionOutcome<T = Committed> {
    /// The whole transaction was applied.
    Applied(T),
    /// Nothing of the transaction was applied, now or later. If the answer to an attempt was lost, and that attempt could still
    /// pass, `send` returns an error instead ([`Error::may_be_applied`]); send a clone to learn the outcome.
    Refused(TransactionRefusal),
}

impl TransactionOutcome {
    pub(crate) fn new(concluded: NativeAnswer) -> Self {
        match concluded {
            NativeAnswer::Done(actions) => Self::Applied(Committed::native(actions)),
            NativeAnswer::Denied(refused) => Self::refused(refused),
        }
    }
}

impl<T> TransactionOutcome<T> {
    pub(crate) fn refused(refused: RefusedTransaction) -> Self {
        Self::Refused(TransactionRefusal::new(refused))
    }

    /// Returns the value of the transaction; a refusal is an error.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`], with the refusal in [`Error::transaction_refusal`].
    pub fn applied(self) -> Result<T, Error> {
        match self {
            Self::Applied(applied) => Ok(applied),
            Self::Refused(refusal) => Err(refusal.into()),
        }
    }

    /// Returns the value of the transaction, or `None` if it was old news: see [`TransactionRefusal::is_superseded`]. Any other
    /// refusal is an error.
    ///
    /// # Errors
    /// As for [`applied`](Self::applied).
    pub fn accept_stale(self) -> Result<Option<T>, Error> {
        self.accept(TransactionRefusal::is_superseded)
    }

    /// Returns the value of the transaction, or `None` if it had been made already: see [`TransactionRefusal::is_duplicate`]. Any
    /// other refusal is an error.
    ///
    /// # Errors
    /// As for [`applied`](Self::applied).
    pub fn accept_duplicate(self) -> Result<Option<T>, Error> {
        self.accept(TransactionRefusal::is_duplicate)
    }

    /// Returns the value of the transaction, or `None` if it had been made already, because its lists contain its elements: see
    /// [`TransactionRefusal::is_contained`]. Any other refusal is an error.
    ///
    /// # Errors
    /// As for [`applied`](Self::applied).
    pub fn accept_contained(self) -> Result<Option<T>, Error> {
        self.accept(TransactionRefusal::is_contained)
    }

    /// Returns the value of the transaction, or `None` if it was refused and this refusal is accepted.
    fn accept(self, is_accepted: fn(&TransactionRefusal) -> bool) -> Result<Option<T>, Error> {
        match self {
            Self::Refused(refusal) if is_accepted(&refusal) => Ok(None),
            outcome => outcome.applied().map(Some),
        }
    }

    /// Returns `true` if the transaction was applied.
    #[must_use]
    pub const fn is_applied(&self) -> bool {
        matches!(self, Self::Applied(_))
    }

    /// Returns the refusal, if there was one.
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
    #[cfg(feature = "transactions")]
    unapplied: usize,
    #[cfg(feature = "transactions")]
    overwritten: Vec<Overwritten>,
}

#[cfg(feature = "transactions")]
impl Committed {
    pub(crate) fn new(report: Report) -> Self {
        let Report { versions, unapplied, overwritten } = report;
        Self { actions: versions, unapplied, overwritten }
    }

    /// Returns how many items do not show the committed change yet. It is 0, unless DynamoDB did not accept some of the last
    /// writes of a client-side transaction: not within its [lock timeout](crate::Repository::with_lock_timeout), or with an error
    /// that concerns that item alone. `.consistent()` reads and transactions see the change, and the next writer of such an item,
    /// or a sweep, rolls it forward.
    #[must_use]
    pub const fn unapplied(&self) -> usize {
        self.unapplied
    }

    /// Returns the items that lack the transaction's change although it is committed: a program that does not know of
    /// transactions wrote over them, or deleted them, between the commit and the roll forward. There are none if all programs
    /// obey the condition `attribute_not_exists(_x)`, and none in a native transaction. An event at the level `WARN` reports each
    /// of them, too.
    ///
    /// The row that is there shows it: it was deleted without a tombstone, or its version is older, or its version is the same
    /// and another program wrote it. A foreign write with a greater version goes unnoticed.
    #[must_use]
    pub fn overwritten(&self) -> &[Overwritten] {
        &self.overwritten
    }
}

impl Committed {
    fn native(actions: Vec<(TypeId, Option<u64>)>) -> Self {
        Self {
            actions,
            #[cfg(feature = "transactions")]
            unapplied: 0,
            #[cfg(feature = "transactions")]
            overwritten: Vec::new(),
        }
    }

    /// Returns the version that an action has stored. `None` if the action is not of `E`, or is a check, or if only DynamoDB
    /// knows the version: for an [`unchecked`](crate::command::VersionedUpdate::unchecked) update, and for a transaction of which
    /// an item shows that it was applied long ago.
    #[must_use]
    pub fn version_of<E: Versioned>(&self, action: usize) -> Option<E::Version> {
        let (entity, version) = self.actions.get(action)?;
        version.filter(|_| *entity == TypeId::of::<E>()).map(E::Version::__of)
    }
}

/// The reasons why a transaction was refused: the actions whose conditions did not hold, each with the item that was there. The
/// conditions of the other actions held, or DynamoDB did not report them.
///
/// It is an error type, too, and converts into [`Error`].
#[derive(Clone)]
pub struct TransactionRefusal {
    refused: Box<RefusedTransaction>,
}

impl TransactionRefusal {
    /// Reports the refusal as an event.
    #[cfg(feature = "transactions")]
    pub(crate) fn trace(&self) {
        self.refused.trace();
    }

    pub(crate) fn new(refused: RefusedTransaction) -> Self {
        Self { refused: Box::new(refused) }
    }

    /// Returns the actions that refused.
    #[must_use]
    pub fn actions(&self) -> impl ExactSizeIterator<Item = ActionRefusal<'_>> {
        self.refused.actions.iter().map(|action| ActionRefusal { action })
    }

    /// Returns the refusal of an action of `E`, counted from 0 in the order in which the actions were added, with its reasons and
    /// the item that was there. `None` if that action did not refuse, or is of another entity.
    #[must_use]
    pub fn refusal_of<E: Entity>(&self, action: usize) -> Option<Refusal<E>> {
        let is_meant = |refused: &&RefusedAction| refused.index == action && refused.entity == TypeId::of::<E>();
        let action = self.refused.actions.iter().find(is_meant)?;
        Some(Refusal::new(action.refused.clone()))
    }

    /// Returns `true` if the transaction is old news and nothing is lost by dropping it: each of its writes was refused, and
    /// [superseded](Refusal::is_superseded).
    #[must_use]
    pub fn is_superseded(&self) -> bool {
        self.refused.superseded
    }

    /// Returns `true` if the transaction has been made already, as shown by the elements that it was to
    /// [`push_unique`](crate::Field::push_unique): it has such updates, and each of them [is refused only because its list
    /// contains them](Refusal::is_contained). (If only one transaction pushes an element, the element proves that all of it has
    /// been made.)
    #[must_use]
    pub fn is_contained(&self) -> bool {
        self.refused.contained
    }

    /// Returns `true` if the transaction has been made already: it has idempotency keys, and each was refused as a
    /// [`Reason::Duplicate`]. (If only one transaction uses a key, the key proves that all of it has been made.)
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

    /// Returns the index of the action, counted from 0 in the order in which they were added.
    #[must_use]
    pub fn index(self) -> usize {
        self.action.index
    }

    /// Returns the name of the action's entity.
    #[must_use]
    pub fn entity(self) -> &'static str {
        self.context().entity
    }

    /// Returns the action's operation: `put`, `check`, …
    #[must_use]
    pub fn operation(self) -> &'static str {
        self.context().operation
    }

    /// Returns the key of the action's item, as text for people.
    #[must_use]
    pub fn key(self) -> Option<&'a str> {
        self.context().key.as_deref()
    }

    /// Returns every reason: one for each rule of the entity that refused.
    #[must_use]
    pub fn reasons(self) -> &'a [Reason] {
        &self.action.refused.reasons
    }

    /// Returns the item that was there, as DynamoDB stores it; `None` if there was none.
    /// [`refusal_of`](TransactionRefusal::refusal_of) decodes it.
    #[must_use]
    pub fn item(self) -> Option<&'a Item> {
        self.action.refused.item.as_ref()
    }
}

impl fmt::Display for ActionRefusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "action {}, {}: {}", self.index(), self.context(), self.action.refused.reasons_text())
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
    /// Returns the refusal of a transaction with the actions that refused, if this is such an error.
    #[must_use]
    pub fn transaction_refusal(&self) -> Option<&TransactionRefusal> {
        self.detail()
    }
}
