//! The command that sees to their ends what transactions of many requests have left: `Sweep`.

use crate::entity::Transactional;
use crate::error::{Context, Error};
use crate::exchange::Repository;
use crate::transaction::lanes::{SweepReport, Swept, sweep};
use std::fmt;

/// Settles what transactions of many requests have left whose process has died, or whose `send` was dropped.
///
/// Nothing has to be swept for items to be right: whoever writes such an item, or reads it with `consistent`, settles it. But
/// what nobody meets stays as it is, and readers that are not consistent do not see what is committed until then. So a sweep
/// now and then, as once a day, is enough; and one before a table or a lane table is backed up.
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
/// - *Lanes.* Each lane of the lane table is looked at. Where its owner has been silent for longer than
///   [`with_patience`](Repository::with_patience) says, by the repository's clock, what it has committed is applied where it is
///   not yet, in whatever tables; then the lane forgets these items. That is safe as well where the owner lives.
/// - *Items*, of the tables of the entities given by [`of`](Self::of): what is committed is applied, what is void is taken away.
///   A transaction that may yet commit is waited for, as long as it shows signs of life; then it is made void. Up to 200 are
///   waited for at once.
///
/// It costs a consistent `Scan` of the lane table and of each table, a `GetItem` for each transaction of which a page has
/// items, a write for each intent, a `BatchGetItem` for each 100 items that lanes name, and a write for each lane that is tidied.
/// Where there is nothing to do, nothing is written. Any number of sweeps can run at once, and one that is broken off does no
/// harm.
///
/// A program that does not know of transactions can write over an item between the look of the sweep and its write. Such items are
/// [listed](SweepReport::overwritten), because a committed change is missing in them.
///
/// What is no intent, or one of a lane that is not in this lane table, is left as it is, and listed. So is what DynamoDB does
/// not take, as an empty text for the key of an index that was made since; and a lane that names its items in pages, of which
/// one is missing: DynamoDB removes these after 30 days. A sweep keeps those that are still needed after 15.
#[derive(Clone, Default)]
#[must_use = "a command does nothing until it is sent"]
pub struct Sweep {
    tables: Vec<Of>,
}

/// An entity whose table is looked at.
#[derive(Clone, Copy)]
struct Of {
    entity: &'static str,
    swept: fn(&Repository) -> Result<Swept, Error>,
}

impl Sweep {
    /// A sweep of all lanes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at all items in `E`'s table, too: a transaction that has not committed is known by its items alone. The table of
    /// several entities is looked at once.
    pub fn of<E: Transactional>(mut self) -> Self {
        let swept = |repository: &Repository| Ok(Swept { table: repository.table_name::<E>()?, schema: E::SCHEMA });
        self.tables.push(Of { entity: E::SCHEMA.entity, swept });
        self
    }

    /// Sends the command.
    ///
    /// # Errors
    /// A table is not there, or its name is none that a table can have; or DynamoDB could not be reached or answered with an
    /// error while a table was read. What could not be done of an item or a lane is in the report.
    pub async fn send(self, repository: &Repository) -> Result<SweepReport, Error> {
        let context = |entity| move || Context { operation: "sweep", entity, key: None };
        let mut tables: Vec<Swept> = Vec::new();
        for Of { entity, swept } in self.tables {
            let swept = swept(repository).map_err(|error| error.with_context(context(entity)))?;
            if tables.iter().all(|known| known.table != swept.table) {
                tables.push(swept);
            }
        }
        sweep(repository, tables).await
    }
}

impl fmt::Debug for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entities = self.tables.iter().map(|of| of.entity);
        f.write_str("Sweep")?;
        f.debug_list().entries(entities).finish()
    }
}
