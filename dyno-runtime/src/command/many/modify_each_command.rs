//! The command that changes all items of a table: `scan().modify_each(…)`.

use crate::command::read::pages::IntoPlace;
use crate::command::read::query_and_scan::{ParallelScan, Scan};
use crate::command::write::modify::{EditFn, EditResult, contended, reworking, run_edit};
use crate::entity::{Entity, Refusal};
use crate::error::Error;
use crate::exchange::Repository;
use crate::read::ReadCommand;
use crate::write::{Checkpoint, ModifyEachCallbacks, ModifyEachCommand, Progress};
use std::fmt;

/// The default number of attempts for an item.
const ATTEMPTS: u32 = 10;

/// Reads each live item of a table, changes it, and writes it back if the result differs from what is stored: because the closure
/// changed it, because it is stored in an older shape (under an alias, in an older schema version, without an attribute that has
/// a default), or because the entity has a `#[version]` and the item has none yet. So `modify_each(|_| {})` gives a version to
/// each row of other programs.
///
/// An item is written only if it is still the one that was read: it has the same version and write id, and every attribute is as it
/// was, because programs without dyno need not change the version. Otherwise the closure changes the item again, as it is then. So
/// no concurrent write is lost, and values that no writer changes stay as they are stored, at every depth: see
/// [`Modify`](crate::command::Modify#what-is-written). (If an item with a version and a write id has more than 75 attributes,
/// these two alone are expected.)
/// (An absent member of a document that has a default stays absent until the document changes.) Rules apply as to any write:
/// versions count, histories record, and a token stays or gets newer.
///
/// The closure can run several times on an item, so it should be idempotent (`rating.stars.min(5)`, not `rating.stars += 1`): if
/// a run was interrupted, or stopped at an item whose answer was lost, the run that continues it can meet an item that is already
/// changed. Within a run, a write whose answer was lost is recognized by its write id. If the entity has no version, there is no
/// write id; if the closure would then change the item once more, the segment stops before the item with
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
/// It costs the scan, and an update for each item that is written. If a client-side transaction holds an item, `modify_each` also
/// reads this item and the lane of the transaction, so that it decides by what is committed.
///
/// If the entity has no `#[version]`, an item of an older schema version costs two updates: the first one makes the item's schema
/// version negative, so that no older program changes the item until the second one. If the run is interrupted in between, the schema
/// version stays negative, and the next run continues. If the item cannot be written, its schema version becomes positive again.
///
/// At most one request for each segment is in flight at a time; if that is too many, let the SDK's client limit its rate
/// (`RetryConfig::adaptive`).
#[must_use = "a command does nothing until it is sent"]
pub struct ModifyEach<E, F, P = fn(&Progress)> {
    command: ModifyEachCommand,
    edit: F,
    run: EditFn<E, F>,
    on_progress: P,
}

impl<E: Entity> Scan<E> {
    /// Changes each item: see [`ModifyEach`].
    pub fn modify_each<F, R>(self, edit: F) -> ModifyEach<E, F>
    where
        F: FnMut(&mut E) -> R + Send,
        R: EditResult,
    {
        ModifyEach::new(self.command, None, edit, run_edit::<E, F, R>)
    }
}

impl<E: Entity> ParallelScan<E> {
    /// Changes each item, in all segments at once: see [`ModifyEach`].
    pub fn modify_each<F, R>(self, edit: F) -> ModifyEach<E, F>
    where
        F: FnMut(&mut E) -> R + Send,
        R: EditResult,
    {
        ModifyEach::new(self.scan.command, Some(self.segments), edit, run_edit::<E, F, R>)
    }
}

impl<E, F> ModifyEach<E, F> {
    fn new(read: ReadCommand, parallel: Option<u32>, edit: F, run: EditFn<E, F>) -> Self {
        let command = ModifyEachCommand { read, parallel, after: None, attempts: ATTEMPTS };
        Self { command, edit, run, on_progress: |_| {} }
    }
}

impl<E: Entity, F, P> ModifyEach<E, F, P> {
    /// Continues where an earlier run stopped, in the same segments; `None` starts at the beginning.
    pub fn after(mut self, checkpoint: impl IntoPlace<Checkpoint>) -> Self {
        self.command.after = checkpoint.into_place();
        self
    }

    /// Sets the number of attempts for an item that other writers keep writing, 10 by default. The pauses in between are those of
    /// [`Modify::attempts`](crate::command::Modify::attempts).
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.command.attempts = attempts;
        self
    }

    /// Calls this function after each item, page and segment.
    pub fn on_progress<Q: FnMut(&Progress) + Send>(self, on_progress: Q) -> ModifyEach<E, F, Q> {
        ModifyEach { command: self.command, edit: self.edit, run: self.run, on_progress }
    }

    /// Sends the command: as many `Scan` requests as necessary, and an `UpdateItem` for each item that differs, or two if the
    /// item has an older schema version and the entity no `#[version]`. With a history, each item takes the requests of a
    /// `replace`.
    ///
    /// An item that cannot be decoded, changed or stored is skipped, and listed with its key among the
    /// [failures](Progress::failures); a run that continues from the checkpoint begins with these items. Any other failure stops
    /// the segment before the item: DynamoDB cannot be reached, is throttling or fails, the credentials have expired, or an
    /// answer was lost. The [checkpoint](Progress::checkpoint) says where to continue. The future can be dropped at any time.
    ///
    /// # Errors
    /// The command cannot begin: the scan is impossible, or the checkpoint is of another scan.
    pub async fn send(mut self, repository: &Repository) -> Result<Progress, Error>
    where
        F: Send,
        P: FnMut(&Progress) + Send,
    {
        let tables = repository.tables::<E>()?;
        let mut edit = reworking(repository, &mut self.edit, self.run);
        let refuse =
            |refused, is_last| if is_last { contended::<E>(refused) } else { Refusal::<E>::new(refused).into() };
        let each = ModifyEachCallbacks { edit: &mut edit, on_progress: &mut self.on_progress, refuse };
        self.command.send(repository, tables, each).await
    }
}

impl<E, F, P> fmt::Debug for ModifyEach<E, F, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ModifyEach").field(&self.command).finish_non_exhaustive()
    }
}
