//! The command that resolves the intents that client-side transactions have left: `Sweep`.

use crate::entity::Transactional;
use crate::error::{Context, Error};
use crate::exchange::{Repository, Sending};
use crate::transaction::lanes::{SweepReport, SweptTable, sweep};
use std::fmt;

/// Resolves the intents of client-side transactions whose process has died, or whose `send` was dropped.
///
/// Items are right without a sweep, because a process that writes such an item, or reads it with `consistent`, resolves its
/// intent. But an item that no process meets keeps its intent, and until it is resolved, reads without `consistent` do not see
/// its committed change. So sweep now and then, for example once a day, and before you back up a table or a lane table.
///
/// ```no_run
/// # use dyno::{Entity, Repository, Sweep};
/// # #[derive(Entity)] #[entity(table = "accounts")] #[tombstone(ttl_days = 7)] #[transactional]
/// # struct Account { #[partition_key] id: String, balance: u64, #[version] version: u64 }
/// # async fn example(repository: &Repository) -> Result<(), dyno::Error> {
/// let report = Sweep::new().of::<Account>().send(repository).await?;
/// for unresolved in report.unresolved() {
///     eprintln!("{unresolved}");
/// }
/// # Ok(()) }
/// ```
///
/// - *Lanes.* The sweep reads each lane row (the transaction record). If the owner of the lane has been silent for longer than
///   [`with_lock_timeout`](Repository::with_lock_timeout), by the repository's clock, the sweep rolls forward what the lane has
///   committed, in all tables; then it clears the lane's list of these items. This is safe even if the owner is alive.
/// - *Items* in the tables of the entities given by [`of`](Self::of). The sweep rolls committed intents forward and aborted ones
///   back. It waits for a transaction that may yet commit, as long as this shows signs of life, and then aborts it. It waits for
///   up to 200 at once.
///
/// It costs a consistent `Scan` of the lane table and of each table, a `GetItem` for each transaction that has intents on a page
/// of the scan, a write for each intent, a `BatchGetItem` for each 100 items that lanes name, and a write for each lane that is
/// cleared. If there is nothing to do, it writes nothing. Any number of sweeps can run at once, and an interrupted one does no
/// harm.
///
/// A program that does not know of transactions can write over an item between the read of the sweep and its write. Such items
/// are [listed](SweepReport::overwritten), because a committed change is missing in them.
///
/// The sweep leaves a malformed intent as it is, and one of a lane that is not in this lane table, and lists the item. The same
/// holds for a change that DynamoDB rejects, such as an empty text for the key of an index that was created later, and for a lane
/// whose list of items is in pages, if a page is missing: DynamoDB deletes pages after 30 days. A sweep renews pages that are
/// still needed after 15.
#[derive(Clone, Default)]
#[must_use = "a command does nothing until it is sent"]
pub struct Sweep {
    entities: Vec<SweptEntity>,
}

/// An entity whose table is swept.
#[derive(Clone, Copy)]
struct SweptEntity {
    entity: &'static str,
    swept: fn(&Repository) -> Result<SweptTable, Error>,
}

impl Sweep {
    /// Makes a sweep of all lanes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sweeps all items in `E`'s table, too, because only its items tell of a transaction that has not committed. A table that
    /// several entities share is read once.
    pub fn of<E: Transactional>(mut self) -> Self {
        let swept =
            |repository: &Repository| Ok(SweptTable { table: repository.table_name::<E>()?, schema: E::SCHEMA });
        self.entities.push(SweptEntity { entity: E::SCHEMA.entity, swept });
        self
    }

    /// Runs the sweep.
    ///
    /// If you drop the future, the next sweep does what is left to do.
    ///
    /// # Errors
    /// A table does not exist, or has a name that DynamoDB does not accept; or DynamoDB could not be reached or answered with an
    /// error while a table was read. Failures of single items and lanes are in the report.
    #[must_use = "nothing is sent until it is awaited"]
    pub fn send(self, repository: &Repository) -> Sending<'_, SweepReport> {
        Box::pin(async move {
            let context = |entity| move || Context { operation: "sweep", entity, key: None };
            let mut tables: Vec<SweptTable> = Vec::new();
            for SweptEntity { entity, swept } in self.entities {
                let swept = swept(repository).map_err(|error| error.with_context(context(entity)))?;
                if tables.iter().all(|known| known.table != swept.table) {
                    tables.push(swept);
                }
            }
            sweep(repository, tables).await
        })
    }
}

impl fmt::Debug for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entities = self.entities.iter().map(|swept| swept.entity);
        f.write_str("Sweep")?;
        f.debug_list().entries(entities).finish()
    }
}
