//! The command that changes all items of a table: `scan().modify_each(…)`.

use super::modify::{EditResult, Run, contended, reworking, run};
use super::pages::IntoPlace;
use super::read::{ParallelScan, Scan};
use crate::entity::{Entity, Refusal};
use crate::error::Error;
use crate::exchange::Repository;
use crate::read::ReadCommand;
use crate::write::{Checkpoint, Each, EachCommand, Progress};
use std::fmt;

/// How often an item is tried, unless it is said otherwise.
const ATTEMPTS: u32 = 10;

/// Reads each live item of a table, changes it, and writes it back where that makes another of what is stored: because the
/// closure changed it, because it is stored in an older shape (under an alias, in an older schema version, without an
/// attribute that has a default), or because the entity has a `#[version]` and the item has none yet. So `modify_each(|_| {})`
/// gives a version to each row of other programs.
///
/// An item is written only if it is still what was read: of its version and its write id, or without them with every attribute
/// as it was. Otherwise it is
/// changed anew, on what is there then. So nothing is lost that others write meanwhile, and what nobody changes stays as it is
/// stored, at every depth: see [`Modify`](crate::command::Modify#what-is-written). (A member of a document that is absent and has a
/// default stays absent until the document changes.) Rules apply as to any write: versions count, histories record, and a
/// token stays or gets newer.
///
/// The closure can run several times on an item. It should leave what it has made itself as it is (`rating.stars.min(5)`, not
/// `rating.stars += 1`): a run that was broken off, or has stopped at an item whose answer was lost, and goes on, can meet
/// it. Within a run, a write whose answer was lost is known by its write id. Where there is none, because the entity has no
/// version, and the closure would change the item once more, the segment stops before the item with
/// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown).
///
/// ```no_run
/// # use dyno::{Checkpoint, Entity, Repository};
/// # #[derive(Entity)] #[entity(table = "ratings")] struct Rating { #[partition_key] id: String, stars: u8 }
/// # fn load() -> Option<Checkpoint> { None }
/// # fn save(_: String) {}
/// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
/// let clamp = |rating: &mut Rating| rating.stars = rating.stars.clamp(1, 5);
/// let ratings = Rating::scan().parallel(4).modify_each(clamp).after(load());
/// let ratings = ratings.on_progress(|progress| save(progress.checkpoint().to_string()));
/// let done = ratings.send(&repository).await?.completed()?;
/// println!("{} of {} changed", done.changed(), done.done_items());
/// # Ok(()) }
/// ```
///
/// It costs the scan, and for each item that is written what an update costs; of an item of an older schema version
/// that has no `#[version]`, twice: the first update holds it, so that no older program changes it meanwhile (its
/// schema version is negative until the second one, and stays so where the run is broken off in between; the next run
/// goes on). There are at most as many requests at a time as segments; where that is too many, have the SDK's client
/// limit its rate (`RetryConfig::adaptive`).
#[must_use = "a command does nothing until it is sent"]
pub struct ModifyEach<E, F, P = fn(&Progress)> {
    command: EachCommand,
    edit: F,
    run: Run<E, F>,
    on_progress: P,
}

impl<E: Entity> Scan<E> {
    /// Changes each item: see [`ModifyEach`].
    pub fn modify_each<F, R>(self, edit: F) -> ModifyEach<E, F>
    where
        F: FnMut(&mut E) -> R + Send,
        R: EditResult,
    {
        ModifyEach::new(self.command, None, edit, run::<E, F, R>)
    }
}

impl<E: Entity> ParallelScan<E> {
    /// Changes each item, in all segments at once: see [`ModifyEach`].
    pub fn modify_each<F, R>(self, edit: F) -> ModifyEach<E, F>
    where
        F: FnMut(&mut E) -> R + Send,
        R: EditResult,
    {
        ModifyEach::new(self.scan.command, Some(self.segments), edit, run::<E, F, R>)
    }
}

impl<E, F> ModifyEach<E, F> {
    fn new(read: ReadCommand, parallel: Option<u32>, edit: F, run: Run<E, F>) -> Self {
        let command = EachCommand { read, parallel, after: None, attempts: ATTEMPTS };
        Self { command, edit, run, on_progress: |_| {} }
    }
}

impl<E: Entity, F, P> ModifyEach<E, F, P> {
    /// Goes on where an earlier run has come to, in the same segments; with `None` at the beginning.
    pub fn after(mut self, checkpoint: impl IntoPlace<Checkpoint>) -> Self {
        self.command.after = checkpoint.into_place();
        self
    }

    /// How often an item is tried that others keep writing: 10 times, unless it is said here. The pauses in between are
    /// those of [`Modify::attempts`](crate::command::Modify::attempts).
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.command.attempts = attempts;
        self
    }

    /// Calls this after each item, page and segment.
    pub fn on_progress<Q: FnMut(&Progress) + Send>(self, on_progress: Q) -> ModifyEach<E, F, Q> {
        ModifyEach { command: self.command, edit: self.edit, run: self.run, on_progress }
    }

    /// Sends the command: as many `Scan` requests as it takes, and for each item that differs an `UpdateItem`, or two
    /// where an older schema version is brought up to date that no version counts; with a history, what a `replace`
    /// sends.
    ///
    /// An item that cannot be decoded, changed or stored is passed by, and among the [failures](Progress::failures) with its
    /// key; a run that goes on from the checkpoint begins with such items. What is not the item's fault stops the segment
    /// before the item: DynamoDB cannot be reached, is throttling or fails, the credentials have expired, an answer was lost.
    /// The [checkpoint](Progress::checkpoint) says where to go on. The future can be dropped at any time.
    ///
    /// # Errors
    /// It cannot begin: the scan is impossible, or the checkpoint is of another one.
    pub async fn send(mut self, repository: &Repository) -> Result<Progress, Error>
    where
        F: Send,
        P: FnMut(&Progress) + Send,
    {
        let tables = repository.tables::<E>()?;
        let mut rework = reworking(&mut self.edit, self.run);
        let refuse =
            |refused, is_last| if is_last { contended::<E>(refused) } else { Refusal::<E>::new(refused).into() };
        let each = Each { rework: &mut rework, on_progress: &mut self.on_progress, refuse };
        self.command.send(repository, tables, each).await
    }
}

impl<E, F, P> fmt::Debug for ModifyEach<E, F, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ModifyEach").field(&self.command).finish_non_exhaustive()
    }
}
