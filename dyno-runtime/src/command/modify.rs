//! The commands that load an entity, change it and write it back: `modify`, `rollback`.

use crate::attribute::KeyParts;
use crate::command::Counted as _;
use crate::core::{Edit, EditCommand, Refused, RevisionsCommand, build_key};
use crate::entity::{Recorded, Versioned};
use crate::error::ErrorKind;
use crate::outcome::Reason;
use crate::repository::Repository;
use crate::rule::{Tokens, set_tokens};
use crate::{Entity, Error, Outcome, Refusal, rule};
use std::error::Error as StdError;
use std::fmt;
use std::marker::PhantomData;

/// How often a change is tried, unless it is said otherwise.
const ATTEMPTS: u32 = 10;

/// What the closure of a [`Modify`] returns: nothing, or a `Result` whose error ends the command.
#[diagnostic::on_unimplemented(
    message = "the closure returns `{Self}`",
    label = "expected `()`, or a `Result<(), _>`",
    note = "end the closure's last statement with `;`, or return `Ok(())`"
)]
pub trait Edited {
    /// Whether the entity is to be written.
    #[expect(clippy::missing_errors_doc, reason = "an error of the caller's own")]
    fn into_result(self) -> Result<(), Box<dyn StdError + Send + Sync>>;
}

impl Edited for () {
    fn into_result(self) -> Result<(), Box<dyn StdError + Send + Sync>> {
        Ok(())
    }
}

impl<X: Into<Box<dyn StdError + Send + Sync>>> Edited for Result<(), X> {
    fn into_result(self) -> Result<(), Box<dyn StdError + Send + Sync>> {
        self.map_err(Into::into)
    }
}

/// Loads the live entity at a key, changes it, and writes it back if nobody else has written since; otherwise loads and
/// changes it again. A consistent `GetItem`, and a checked write for each attempt.
///
/// The closure can run several times, each time on what is there then: it should do nothing but change the entity. What the
/// item holds beside the entity's own attributes is not kept, as with any put. After an error that says that it may have
/// been applied, load the entity and decide: sent again, it is another change.
///
/// ```no_run
/// # use dyno::{Entity, Repository};
/// # #[derive(Entity)] #[entity(table = "counters")]
/// # struct Counter { #[partition_key] id: String, count: u64, #[version] version: u64 }
/// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
/// let counter = Counter::modify("visits", |counter| counter.count += 1).send(&repository).await?.applied()?;
/// println!("{} visits", counter.count);
/// # Ok(()) }
/// ```
#[must_use = "a command does nothing until it is sent"]
pub struct Modify<E, F> {
    command: EditCommand,
    edit: F,
    entity: PhantomData<fn() -> E>,
}

impl<E, F, R> Modify<E, F>
where
    E: Versioned,
    F: FnMut(&mut E) -> R + Send,
    R: Edited,
{
    /// The command for this key.
    pub fn new(key: E::Key, edit: F) -> Self {
        let command = EditCommand {
            schema: E::SCHEMA,
            operation: "modify",
            key: build_key(E::SCHEMA, &key.parts()),
            attempts: ATTEMPTS,
            from_nothing: false,
        };
        Self { command, edit, entity: PhantomData }
    }

    /// How often it is tried: 10 times, unless it is said here. The second attempt follows at once, later ones after
    /// pauses of random length, each up to twice as long as the one before and at most a second.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.command.attempts = attempts;
        self
    }

    /// Sends the command. Ends in the entity as it was stored, or in a refusal where there is no live entity or another
    /// rule than the version refuses it.
    ///
    /// # Errors
    /// [`ErrorKind::Contended`] if each attempt met another writer; [`ErrorKind::Aborted`] if the closure returned an
    /// error, which is the source; [`ErrorKind::OutcomeUnknown`] if an answer was lost and others have written since,
    /// and there is no history to tell; otherwise as a put's.
    pub async fn send(mut self, repository: &Repository) -> Result<Outcome<E, E>, Error> {
        let tables = repository.tables::<E>()?;
        let edit = &mut self.edit;
        let mut change = |item: Option<_>| {
            let mut entity = E::from_item(item.unwrap_or_default())?;
            edit(&mut entity).into_result().map_err(Error::aborted)?;
            Ok(entity.__encode()?)
        };
        let edited = self.command.send(repository, tables, &mut change).await;
        outcome(edited.map_err(|error| error.in_table(|| repository.table_name::<E>()))?)
    }
}

impl<E, F> fmt::Debug for Modify<E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Modify").field(&self.command).finish_non_exhaustive()
    }
}

/// Writes an earlier revision's content as a new version, over whatever is there: a live item, or a deletion.
///
/// Reads the revision and the item, and writes as a put does; again, if another writer has been faster.
#[must_use = "a command does nothing until it is sent"]
pub struct Rollback<E: Entity> {
    command: EditCommand,
    to: u64,
    tokens: E::Tokens,
}

impl<E: Recorded> Rollback<E> {
    /// The command for this key, with the tokens of the entity's ratchets: they are those of the new version.
    pub fn new(key: E::Key, to: E::Version, tokens: E::Tokens) -> Self {
        let command = EditCommand {
            schema: E::SCHEMA,
            operation: "rollback",
            key: build_key(E::SCHEMA, &key.parts()),
            attempts: ATTEMPTS,
            from_nothing: true,
        };
        Self { command, to: to.__number(), tokens }
    }

    /// Sends the command. Ends in the entity as it was stored, or in a refusal with
    /// [`Reason::NoRevision`] where the history has none to go back to.
    ///
    /// # Errors
    /// The revision is not of the entity's shape, as that is now; otherwise as for [`Modify::send`].
    pub async fn send(self, repository: &Repository) -> Result<Outcome<E, E>, Error> {
        let tables = repository.tables::<E>()?;
        let tokens = self.tokens.tokens()?;
        let revisions = RevisionsCommand { schema: E::SCHEMA, key: self.command.key.clone() };
        let revision = revisions.find(repository, tables.clone(), self.to).await;
        let revision = revision.map_err(|error| error.in_table(|| repository.table_name::<E>()))?;
        let now = repository.now();
        let refused = |reason, item| {
            let refused = self.command.refused(now, reason, item);
            Ok(Outcome::Refused(Refusal::new(refused)))
        };
        let Some(revision) = revision.filter(|revision| !revision.deleted) else {
            return refused(Reason::NoRevision { version: self.to }, None);
        };
        if let Some(reason) = rule::is_dead(E::SCHEMA, now, &revision.image) {
            return refused(reason, Some(revision.image));
        }
        // Through the entity: what is written is what can be read. The tokens can stand in the key of an index.
        let mut image = revision.image;
        set_tokens(E::SCHEMA, &tokens, &mut image);
        let item = E::from_item(image)?.__encode()?;
        let mut change = |_| Ok(item.clone());
        outcome(self.command.send(repository, tables, &mut change).await?)
    }
}

impl<E: Entity> fmt::Debug for Rollback<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rollback").field(&self.command).field(&self.to).finish()
    }
}

fn outcome<E: Entity>(edit: Edit) -> Result<Outcome<E, E>, Error> {
    match edit {
        Edit::Applied(item) => E::from_item(item).map(Outcome::Applied),
        Edit::Refused(refused) => Ok(Outcome::Refused(Refusal::new(refused))),
        Edit::Contended(refused) => Err(contended::<E>(refused)),
    }
}

/// The error of a change that each time met another writer; the last refusal.
pub(super) fn contended<E: Entity>(refused: Refused) -> Error {
    let context = refused.context.clone();
    let error = Error::new(ErrorKind::Contended, "each attempt met another writer, and none was applied");
    error.with_refusal(Refusal::<E>::new(refused)).with_context(|| context)
}
