//! The commands that change or delete all items of a query or scan: `modify_each`, `delete_each`.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::command::read::index::IndexQuery;
use crate::command::read::index_scan::{IndexScan, ScannedIndex};
use crate::command::read::pages::IntoPlace;
use crate::command::read::query_and_scan::{ParallelScan, Query, Scan};
use crate::command::write::modify::{EditResult, contended, run_edit};
use crate::entity::{Deletable, Entity, Fenced, Refusal, resolve, rework};
use crate::error::Error;
use crate::exchange::Repository;
use crate::read::ReadCommand;
use crate::rule::{IntoFence, IntoTokens, NoTokens, Tokens as _, set_tokens};
use crate::write::{Checkpoint, ModifyEachCallbacks, ModifyEachCommand, Progress};
use std::fmt;
use std::marker::PhantomData;

/// The default number of attempts for an item.
const ATTEMPTS: u32 = 10;

/// Returns what an item becomes, by the caller's function. A command stores this where it takes the function, so the compiler
/// reports an unfit one there.
type Become<F> = fn(&mut F, &Item, EpochMillis) -> Result<Item, Error>;

/// Declares a command.
macro_rules! each_command {
    ($(#[$doc:meta])* $name:ident, deletes: $deletes:literal, $(#[$requests:meta])*) => {
        $(#[$doc])*
        #[must_use = "a command does nothing until it is sent"]
        pub struct $name<E, F, P = fn(&Progress)> {
            command: ModifyEachCommand,
            function: F,
            becoming: Become<F>,
            on_progress: P,
            entity: PhantomData<fn() -> E>,
        }

        impl<E, F> $name<E, F> {
            fn new((read, parallel): (ReadCommand, Option<u32>), function: F, becoming: Become<F>) -> Self {
                let command =
                    ModifyEachCommand { read, deletes: $deletes, parallel, after: None, fence: None, attempts: ATTEMPTS };
                Self { command, function, becoming, on_progress: |_| {}, entity: PhantomData }
            }
        }

        impl<E: Entity, F, P> $name<E, F, P> {
            /// Continues where an earlier run stopped, in the same segments; `None` starts at the beginning.
            pub fn after(mut self, checkpoint: impl IntoPlace<Checkpoint>) -> Self {
                self.command.after = checkpoint.into_place();
                self
            }

            /// Sets the number of attempts for an item that other writers keep writing, 10 by default. The pauses in between are
            /// those of [`Modify::attempts`](crate::command::Modify::attempts).
            pub fn attempts(mut self, attempts: u32) -> Self {
                self.command.attempts = attempts;
                self
            }

            /// Fences each write with a lock that you hold, or with another system's fencing token: an item that a write with a
            /// greater number has reached fails with [`Reason::Fenced`](crate::Reason::Fenced). Without it, `modify_each` keeps
            /// the stored fence, and `delete_each` deletes only items that no lock holder has written.
            pub fn fenced(mut self, fence: impl IntoFence) -> Self
            where
                E: Fenced,
            {
                self.command.fence = Some(fence.into_fence());
                self
            }

            /// Calls this function after each item, page and segment.
            pub fn on_progress<Q: FnMut(&Progress) + Send>(self, on_progress: Q) -> $name<E, F, Q> {
                let Self { command, function, becoming, entity, .. } = self;
                $name { command, function, becoming, on_progress, entity }
            }

            $(#[$requests])*
            ///
            /// An item that cannot be decoded, changed or stored is skipped, and listed with its key among the
            /// [failures](Progress::failures); a run that continues from the checkpoint begins with these items. Any other failure
            /// stops the segment before the item: DynamoDB cannot be reached, is throttling or fails, the credentials have
            /// expired, or an answer was lost. The [checkpoint](Progress::checkpoint) says where to continue. The future can be
            /// dropped at any time.
            ///
            /// # Errors
            /// The command cannot begin: the query or scan is invalid ([`Error::is_invalid_input`](crate::Error::is_invalid_input)), or the
            /// checkpoint is of another one.
            pub async fn send(mut self, repository: &Repository) -> Result<Progress, Error>
            where
                F: Send,
                P: FnMut(&Progress) + Send,
            {
                let tables = repository.tables::<E>()?;
                let (nothing, function, becoming) = (Item::new(), &mut self.function, self.becoming);
                let mut edit = |item: Option<&Item>| becoming(function, item.unwrap_or(&nothing), repository.now());
                let refuse =
                    |refused, is_last| if is_last { contended::<E>(refused) } else { Refusal::<E>::new(refused).into() };
                let each = ModifyEachCallbacks { edit: &mut edit, on_progress: &mut self.on_progress, refuse };
                self.command.send(repository, tables, each).await
            }
        }

        impl<E, F, P> fmt::Debug for $name<E, F, P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.command).finish_non_exhaustive()
            }
        }
    };
}

each_command! {
    /// Reads each live item of a query or scan, changes it, and writes it back if the result differs from what is stored: because
    /// the closure changed it, because it is stored in an older shape (under an alias, in an older schema version, without an
    /// attribute that has a default), or because the entity has a `#[version]` and the item has none yet. So
    /// `modify_each(|_| {})` gives a version to each row of other programs.
    ///
    /// An item is written only if it is still the one that was read: it has the same version and write id, and every attribute is
    /// as it was, because programs without dyno need not change the version. Otherwise the closure changes the item again, as it
    /// is then. So no concurrent write is lost, and values that no writer changes stay as they are stored, at every depth: see
    /// [`Modify`](crate::command::Modify#what-is-written). (If an item with a version and a write id has more than 75 attributes,
    /// these two alone are expected.)
    /// (An absent member of a document that has a default stays absent until the document changes.) Rules apply as to any write:
    /// versions count, histories record, and a token stays or gets newer.
    ///
    /// The closure can run several times on an item, so it should be idempotent (`rating.stars.min(5)`, not `rating.stars += 1`):
    /// if a run was interrupted, or stopped at an item whose answer was lost, the run that continues it can meet an item that is
    /// already changed. Within a run, a write whose answer was lost is recognized by its write id. If the entity has no version,
    /// there is no write id; if the closure would then change the item once more, the segment stops before the item with
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
    /// It costs the query or scan, and an update for each item that is written. An index may return a part of an item, and is
    /// older than the item: so each item of an index is also read from the table, consistently, and changed only if it is still
    /// in the place of the index that was asked for, and meets the filter. A run over an index does each key once, although a
    /// change can move an item forward in the index; it keeps 16 bytes of each key in memory. If a client-side transaction holds
    /// an item, `modify_each` also reads this item and the lane of the transaction, so that it decides by what is committed.
    ///
    /// If the entity has no `#[version]`, an item of an older schema version costs two updates: the first one makes the item's
    /// schema version negative, so that no older program changes the item until the second one. If the run is interrupted in
    /// between, the schema version stays negative, and the next run continues. If the item cannot be written, its schema version
    /// becomes positive again.
    ///
    /// At most one request for each segment is in flight at a time, and a query is one segment; to spend a limited number of
    /// units a second, use [`Repository::paced`](crate::Repository::paced).
    ModifyEach, deletes: false,
    /// Sends the command: as many `Query` or `Scan` requests as necessary, and an `UpdateItem` for each item that differs, or two
    /// if the item has an older schema version and the entity no `#[version]`; a consistent `GetItem` for each item of an index.
    /// With a history, each item takes the requests of a `replace`.
}

each_command! {
    /// Deletes each live item of a query or scan, under the rules of any delete of the entity: a tombstone stays, a history gets a
    /// revision, unique values become free.
    ///
    /// An item is deleted only if it still answers the query or scan at that moment: it is live and meets the filter. If an index
    /// was read, the item is loaded from the table, consistently, and must still be in the place of the index that was asked for.
    /// An item that another writer has deleted or moved away counts as [gone](Progress::gone). If the entity has a `#[version]`, the very
    /// item that was read is deleted; another one is read anew, and asked again. Without a version, a change that leaves the
    /// answer as it is does not save an item.
    ///
    /// If an answer was lost, the item is read: it is gone, or deleted again if it still answers. So a run can be repeated, and
    /// continued from its checkpoint. An item that the lost request has deleted counts as gone.
    ///
    /// ```no_run
    /// # use dyno::{Entity, Repository};
    /// # #[derive(Entity)] #[entity(table = "orders")]
    /// # #[index(name = "by_status", partition = status, sort = placed)]
    /// # struct Order { #[partition_key] customer: String, #[sort_key] number: u32, status: String, placed: u64 }
    /// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
    /// let done = Order::query("ada").delete_each().send(&repository).await?.completed()?;
    /// println!("{} orders deleted", done.changed());
    /// let cancelled = Order::by_status("cancelled").sort_lt(1_700_000_000_u64);
    /// cancelled.delete_each().send(&repository).await?.completed()?;
    /// # Ok(()) }
    /// ```
    ///
    /// It costs the query or scan, and a delete for each item; for each item of an index, also a consistent read. Each delete is a
    /// request of its own, because a batch takes no conditions.
    DeleteEach, deletes: true,
    /// Sends the command: as many `Query` or `Scan` requests as necessary, and the requests of a delete for each item; a consistent
    /// `GetItem` for each item of an index.
}

fn modify<E: Entity, F: FnMut(&mut E) -> R, R: EditResult>(
    edit: &mut F,
    item: &Item,
    now: EpochMillis,
) -> Result<Item, Error> {
    rework::<E>(item, now, |entity| run_edit(edit, entity))
}

#[expect(clippy::unnecessary_wraps, reason = "what a command stores")]
fn keep((): &mut (), item: &Item, _: EpochMillis) -> Result<Item, Error> {
    Ok(item.clone())
}

/// Returns the item with the tokens of its delete.
fn delete_at<E: Entity, F: FnMut(&E) -> T, T: IntoTokens<E::Tokens>>(
    token: &mut F,
    item: &Item,
    _: EpochMillis,
) -> Result<Item, Error> {
    let (_, entity) = resolve::<E>(item)?;
    let tokens = token(&entity).into_tokens().tokens()?;
    let mut item = item.clone();
    set_tokens(E::SCHEMA, &tokens, &mut item);
    Ok(item)
}

/// Declares the methods that make the commands from a query or scan.
macro_rules! each_of {
    ([$($generics:tt)*] $source:ty, $entity:ty, $this:ident => $read:expr) => {
        impl<$($generics)*> $source {
            /// Changes each item: see [`ModifyEach`].
            pub fn modify_each<F, R>(self, edit: F) -> ModifyEach<$entity, F>
            where
                F: FnMut(&mut $entity) -> R + Send,
                R: EditResult,
            {
                let $this = self;
                ModifyEach::new($read, edit, modify::<$entity, F, R>)
            }

            /// Deletes each item: see [`DeleteEach`]. If the entity has a ratchet, use [`delete_each_at`](Self::delete_each_at).
            pub fn delete_each(self) -> DeleteEach<$entity, ()>
            where
                $entity: Deletable,
                <$entity as Entity>::Tokens: NoTokens<$entity>,
            {
                let $this = self;
                DeleteEach::new($read, (), keep)
            }

            /// Deletes each item of an entity with a ratchet: see [`DeleteEach`]. The function returns the token of the delete;
            /// with several ratchets, a tuple of their tokens. An item whose stored token is newer fails. The item's own token
            /// deletes what was read, unless the ratchet is strict; then give a newer one.
            pub fn delete_each_at<F, T>(self, token: F) -> DeleteEach<$entity, F>
            where
                $entity: Deletable,
                F: FnMut(&$entity) -> T + Send,
                T: IntoTokens<<$entity as Entity>::Tokens>,
            {
                let $this = self;
                DeleteEach::new($read, token, delete_at::<$entity, F, T>)
            }
        }
    };
}

each_of!([E: Entity] Scan<E>, E, scan => (scan.command, None));
each_of!([E: Entity] ParallelScan<E>, E, parallel => (parallel.scan.command, Some(parallel.segments)));
each_of!([E: Entity] Query<E>, E, query => (query.command, None));
each_of!([I: ScannedIndex, S] IndexQuery<I, I::Read, S>, I::Entity, query => (query.command, None));
each_of!([I: ScannedIndex] IndexScan<I, I::Read>, I::Entity, scan => (scan.command, None));
