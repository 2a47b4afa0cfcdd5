//! The commands that load an entity, change it and write it back: `modify`, `rollback`.

use crate::attribute::Item;
use crate::entity::{Counted as _, Entity, Fenced, Outcome, Refusal, Versioned, WithHistory, rework};
use crate::error::{Error, ErrorKind};
use crate::exchange::Repository;
use crate::key::build_key;
use crate::rule::{IntoFence, Refused, Tokens};
use crate::write::{ModifyCommand, ModifyKind, ModifyOutcome, roll_back};
use std::error::Error as StdError;
use std::fmt;

/// The default number of attempts.
const ATTEMPTS: u32 = 10;

/// The return type of a [`Modify`] closure: nothing, or a `Result` whose error ends the command.
#[diagnostic::on_unimplemented(
    message = "the closure returns `{Self}`",
    label = "expected `()`, or a `Result<(), _>`",
    note = "end the closure's last statement with `;`, or return `Ok(())`"
)]
pub trait EditResult {
    /// Returns `Ok` if the entity is to be written, and otherwise the closure's error.
    #[expect(clippy::missing_errors_doc, reason = "an error of the caller's own")]
    fn into_result(self) -> Result<(), Box<dyn StdError + Send + Sync>>;
}

impl EditResult for () {
    fn into_result(self) -> Result<(), Box<dyn StdError + Send + Sync>> {
        Ok(())
    }
}

impl<X: Into<Box<dyn StdError + Send + Sync>>> EditResult for Result<(), X> {
    fn into_result(self) -> Result<(), Box<dyn StdError + Send + Sync>> {
        self.map_err(Into::into)
    }
}

/// Runs a closure on an entity. A command stores this function where it takes the closure. So the compiler reports an unfit
/// closure there, and not again at `send`, whose bounds do not name the closure.
pub(in crate::command) type EditFn<E, F> = fn(&mut F, &mut E) -> Result<(), Error>;

pub(in crate::command) fn run_edit<E, F: FnMut(&mut E) -> R, R: EditResult>(
    edit: &mut F,
    entity: &mut E,
) -> Result<(), Error> {
    edit(entity).into_result().map_err(|error| Error::aborted("the closure", error))
}

/// Returns a function that applies the closure to an item.
pub(in crate::command) fn reworking<E: Entity, F: Send>(
    repository: &Repository,
    edit: &mut F,
    run: EditFn<E, F>,
) -> impl FnMut(Option<&Item>) -> Result<Item, Error> + Send {
    move |item| {
        let nothing = Item::new();
        rework::<E>(item.unwrap_or(&nothing), repository.now(), |entity| run(edit, entity))
    }
}

/// Loads the live entity at a key, changes it, and writes it back if no other writer has written since; otherwise loads and
/// changes it again. A consistent `GetItem`, and a checked write for each attempt.
///
/// The closure can run several times, each time on the item as it is then: it should do nothing but change the entity.
///
/// # What is written
/// Only the closure's changes, and what the entity's current shape adds: a value under an alias moves to its own name, an absent
/// attribute with a default gets it, an older row is upgraded, and keys of indexes follow their fields. Everything else stays as
/// it is stored, to the byte: attributes that the entity does not declare, members that a document in it does not declare, and a
/// date or number that is spelled otherwise than the program spells it. A value that the field's type reads and cannot write, such as
/// a time that is finer than its `format`, stays as it is stored, unless the closure changes it.
///
/// In a list of documents, dyno must find the old element that each new one was made from, because the undeclared members move
/// with it. An element that equals an old one is that one, wherever it stands now. A changed element is the old one with which it
/// has most members in common, or, in a list of the same length, the one at its index. So an element that was moved and changed
/// beyond recognition loses its undeclared members; and if several elements are equal in all that the document declares, one can
/// get the undeclared members of another. `#[attribute(rest)]` in the document makes it exact.
///
/// With a [history](derive@crate::Entity) the whole item is put, because a revision is a whole item. If a program that counts no
/// versions writes an undeclared attribute between the read and the put, its write is lost.
///
/// # If an answer is lost
/// dyno tells by the item's write id whether this write was applied. If the item no longer proves it, or the SDK's retries run
/// out, the error is [`ErrorKind::OutcomeUnknown`]: load the entity and decide, because the command makes another change if you
/// send it again.
///
/// A row that no writer has counted yet (its version is absent or 0) is written only if each attribute is as it was read.
///
/// ```no_run
/// # use dyno::{Entity, Repository};
/// # #[derive(Entity)] #[entity(table = "counters")]
/// # struct Counter { #[partition_key] id: String, count: u64, #[version] version: u64 }
/// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
/// let count = Counter::modify("visits", |counter| counter.count += 1);
/// let counter = count.send(&repository).await?.applied()?;
/// println!("{} visits", counter.count);
/// # Ok(()) }
/// ```
#[must_use = "a command does nothing until it is sent"]
pub struct Modify<E, F> {
    pub(in crate::command) command: ModifyCommand,
    pub(in crate::command) edit: F,
    pub(in crate::command) run: EditFn<E, F>,
}

impl<E: Versioned, F: Send> Modify<E, F> {
    /// Makes the command for this key.
    pub fn new<R>(key: E::Key, edit: F) -> Self
    where
        F: FnMut(&mut E) -> R,
        R: EditResult,
    {
        Self { command: command::<E>(ModifyKind::Modify, &key), edit, run: run_edit::<E, F, R> }
    }

    /// Sets the number of attempts, 10 by default. The second attempt follows at once, later ones after pauses of random length,
    /// each up to twice as long as the one before and at most a second.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.command.attempts = attempts;
        self
    }

    /// Fences the change with a lock that you hold, or with another system's fencing token: it is refused with
    /// [`Reason::Fenced`](crate::Reason::Fenced) if a write with a greater number has been applied, and otherwise stores the
    /// number. Without it, the stored fence stays.
    pub fn fenced(mut self, fence: impl IntoFence) -> Self
    where
        E: Fenced,
    {
        self.command.fence = Some(fence.into_fence());
        self
    }

    /// Loads the item, changes it and writes it back. Returns the entity as stored, or a refusal if no live item exists, or a rule
    /// other than the version refuses the write.
    ///
    /// If you drop the future, the write may be applied or not: see [Cancel safety](crate::guide::cancel_safety).
    ///
    /// # Errors
    /// [`ErrorKind::Contended`] if each attempt met another writer; [`ErrorKind::Aborted`] if the closure returned an error,
    /// which is in [`Error::closure_error`]; [`ErrorKind::OutcomeUnknown`] if the change may have been applied, and the item no
    /// longer proves it; otherwise those of a put.
    pub async fn send(mut self, repository: &Repository) -> Result<Outcome<E, E>, Error> {
        let tables = repository.tables::<E>()?;
        outcome(self.command.send(repository, &tables, &mut reworking(repository, &mut self.edit, self.run)).await?)
    }
}

impl<E, F> fmt::Debug for Modify<E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Modify").field(&self.command).finish_non_exhaustive()
    }
}

/// Writes an earlier revision's content as a new version, over a live item or over a deletion.
///
/// The attributes that the entity declares become what they were in that revision, to the byte. Over a live item, undeclared
/// attributes stay as they are now; over a deletion they become what they were, too. (With `#[attribute(rest)]` the entity
/// declares all of them.) After [`ErrorKind::OutcomeUnknown`], load the entity and decide: if you send the command again, it
/// writes another version.
///
/// Reads the revision and the item, and writes as a put does; repeats both if another writer was faster.
#[must_use = "a command does nothing until it is sent"]
pub struct Rollback<E: Entity> {
    command: ModifyCommand,
    to: u64,
    tokens: E::Tokens,
}

impl<E: WithHistory> Rollback<E> {
    /// Makes the command for this key, with the tokens of the entity's ratchets, which the new version gets.
    pub fn new(key: E::Key, to: E::Version, tokens: E::Tokens) -> Self {
        Self { command: command::<E>(ModifyKind::Rollback("rollback"), &key), to: to.__number(), tokens }
    }

    /// Fences the change with a lock that you hold, or with another system's fencing token: it is refused with
    /// [`Reason::Fenced`](crate::Reason::Fenced) if a write with a greater number has been applied, and otherwise stores the
    /// number. Without it, the stored fence stays.
    pub fn fenced(mut self, fence: impl IntoFence) -> Self
    where
        E: Fenced,
    {
        self.command.fence = Some(fence.into_fence());
        self
    }

    /// Writes the revision's content as a new version. Returns the entity as stored, or a refusal with
    /// [`Reason::NoRevision`](crate::Reason::NoRevision) if the history does not have the revision.
    ///
    /// If you drop the future, the write may be applied or not: see [Cancel safety](crate::guide::cancel_safety).
    ///
    /// # Errors
    /// The revision is not of the entity's current shape; otherwise as for [`Modify::send`].
    pub async fn send(self, repository: &Repository) -> Result<Outcome<E, E>, Error> {
        let tables = repository.tables::<E>()?;
        let content = (self.to, self.tokens.tokens()?);
        let reread = |image: &Item| rework::<E>(image, repository.now(), |_| Ok(()));
        outcome(roll_back(self.command, repository, tables, content, &reread).await?)
    }
}

impl<E: Entity> fmt::Debug for Rollback<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rollback").field(&self.command).field(&self.to).finish()
    }
}

pub(super) fn command<E: Entity>(kind: ModifyKind, key: &E::Key) -> ModifyCommand {
    ModifyCommand { schema: E::SCHEMA, kind, key: build_key(E::SCHEMA, key), fence: None, attempts: ATTEMPTS }
}

pub(super) fn outcome<E: Entity>(edit: ModifyOutcome) -> Result<Outcome<E, E>, Error> {
    match edit {
        ModifyOutcome::Applied(item) | ModifyOutcome::Unchanged(item) => E::from_item(item).map(Outcome::Applied),
        ModifyOutcome::Refused(refused) => Ok(Outcome::Refused(Refusal::new(refused))),
        ModifyOutcome::Contended(refused) => Err(contended::<E>(refused)),
    }
}

/// Returns the error of a change whose every attempt met another writer, with the last refusal.
pub(in crate::command) fn contended<E: Entity>(refused: Refused) -> Error {
    contention(&refused).with_detail(Box::new(Refusal::<E>::new(refused)))
}

fn contention(refused: &Refused) -> Error {
    let message = "another writer changed the item during each attempt, and nothing was applied: send it again later";
    let error = Error::new(ErrorKind::Contended, message);
    error.with_context(|| refused.context.clone())
}
