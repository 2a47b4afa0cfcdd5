//! The handle that commands are sent through: client, table names, clock, usage.

use super::usage::Meter;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::hedge::{Delay, Hedge, Hedges};
use crate::exchange::{Clock, Memories, Moment, Resolve, Seal, SystemClock, Usage};
use crate::schema::sharing::revisions_meet;
use crate::schema::{Layout, Schema, Store, Tables, check_table_name};
use aws_sdk_dynamodb::Client;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Where the items are: an SDK client, with the names of the tables, a clock, and counters.
///
/// Cheap to clone; clones share everything.
///
/// ```no_run
/// # async fn example(config: &aws_sdk_dynamodb::Config) {
/// let client = aws_sdk_dynamodb::Client::from_conf(config.clone());
/// let repository = dyno::Repository::new(client).with_table_prefix("staging-");
/// # }
/// ```
#[derive(Clone)]
pub struct Repository {
    settings: Arc<Settings>,
    meter: Meter,
}

#[derive(Clone)]
struct Settings {
    client: Client,
    prefix: String,
    tables: HashMap<TypeId, String>,
    histories: HashMap<TypeId, String>,
    keys: HashMap<TypeId, String>,
    owners: Arc<Owners>,
    clock: Arc<dyn Clock>,
    seal: Option<Seal>,
    hedges: Arc<Hedges>,
    lanes: LaneSettings,
    memories: Arc<Memories>,
    resolver: &'static dyn Resolve,
}

/// Where the lanes of client-side transactions are.
#[derive(Clone)]
struct LaneSettings {
    table: Option<String>,
    /// How many there are at most.
    most: u32,
    patience: Duration,
}

impl Default for LaneSettings {
    fn default() -> Self {
        Self { table: None, most: 4096, patience: Duration::from_secs(5) }
    }
}

/// The lane table's name, unless it is given: behind the prefix.
const LANE_TABLE: &str = "dyno-lanes";

/// Whose revisions are in each history table, as far as has been seen: the entities, and their own tables.
#[derive(Default)]
struct Owners(Mutex<HashMap<String, Vec<(String, &'static Schema)>>>);

impl Owners {
    /// Refuses a history table that is another table's already, where one revision could be taken for the other's.
    fn claim(&self, history: &str, main: &str, schema: &'static Schema) -> Result<(), Error> {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = owners.get(history).map_or(&[][..], Vec::as_slice);
        if known.iter().any(|(table, owner)| table == main && owner.entity == schema.entity) {
            return Ok(());
        }
        if let Some((table, owner)) = known.iter().find(|(table, owner)| table != main && revisions_meet(owner, schema))
        {
            return Err(Error::invalid(format!(
                "the table `{history}` cannot be the history of `{}` in `{main}`: it is that of `{}` in `{table}`, and their keys can be the same, so that one would have the other's revisions; name another with `#[history_table(name = \"…\")]` or `Repository::with_history_table`",
                schema.entity, owner.entity,
            )));
        }
        owners.entry(history.to_owned()).or_default().push((main.to_owned(), schema));
        Ok(())
    }
}

impl Repository {
    /// Returns a repository of this client, whose reads and writes ask this resolver about intents.
    pub(crate) fn resolving(client: Client, resolver: &'static dyn Resolve) -> Self {
        Self {
            settings: Arc::new(Settings {
                client,
                prefix: String::new(),
                tables: HashMap::new(),
                histories: HashMap::new(),
                keys: HashMap::new(),
                owners: Arc::default(),
                clock: Arc::new(SystemClock),
                seal: None,
                hedges: Arc::new(Hedges::new(None)),
                lanes: LaneSettings::default(),
                memories: Arc::default(),
                resolver,
            }),
            meter: Meter::default(),
        }
    }

    /// Puts a prefix in front of the table names that entities declare: the beginning of a name, or of the ARNs of another
    /// account's tables up to there, `arn:aws:dynamodb:<region>:<account>:table/staging-`. What comes of it is refused by
    /// each command where it is neither a name nor an ARN.
    #[must_use]
    pub fn with_table_prefix(mut self, prefix: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.settings).prefix = prefix.into();
        self
    }

    /// Takes the time from this clock instead of the system's.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        Arc::make_mut(&mut self.settings).clock = Arc::new(clock);
        self
    }

    /// Seals the cursors of its queries and scans, for whoever hands them to browsers: nobody can read the keys in them, or
    /// make or change one (XChaCha20-Poly1305). Cursors that are not sealed, or by another key, are refused
    /// ([`Error::is_invalid_input`]), also those of before the key was changed. The key is 32 random bytes, the same in each
    /// process, kept as any other secret is. [`Checkpoint`](crate::Checkpoint)s are not sealed: they stay with who runs the
    /// program.
    ///
    /// ```no_run
    /// # fn example(client: aws_sdk_dynamodb::Client, key: [u8; 32]) {
    /// let repository = dyno::Repository::new(client).with_sealed_cursors(key);
    /// # }
    /// ```
    #[cfg(feature = "sealed-cursors")]
    #[must_use]
    pub fn with_sealed_cursors(mut self, key: [u8; 32]) -> Self {
        Arc::make_mut(&mut self.settings).seal = Some(Seal::new(key));
        self
    }

    /// Hedges all that may be hedged: sends a second, equal request when the first is late, and takes the first usable answer.
    ///
    /// - Readings: [`get`](crate::command::Get), [`batch_get`](crate::BatchGet), the pages of queries and scans, and
    ///   [`TransactGet`](crate::TransactGet).
    /// - Writes to which a second arrival does no harm, however late: those of a [`Hedgeable`](crate::bound::Hedgeable) entity,
    ///   updates with an idempotency key, and native transactions. Of a client-side transaction, only the reads are hedged.
    ///
    /// All others are sent as ever. A command's own `hedge` goes before this, and takes its budget.
    ///
    /// The second request is sent once, without the retries that the client makes of the first. One that is dropped is charged
    /// for all the same.
    ///
    /// Make one such repository, and clone it: each has a budget of its own, and has to learn how long requests take.
    ///
    /// ```no_run
    /// # use dyno::{Hedge, Repository};
    /// # fn example(repository: Repository) {
    /// let repository = repository.hedged(Hedge::percentile(0.95).budget(0.05));
    /// # }
    /// ```
    #[must_use]
    pub fn hedged(mut self, hedge: Hedge) -> Self {
        Arc::make_mut(&mut self.settings).hedges = Arc::new(Hedges::new(Some(hedge)));
        self
    }

    /// Gives the lane table this name, as it is: of transactions that take many requests, it says what became of them. By
    /// default it is `dyno-lanes`, behind the prefix.
    ///
    /// All programs that write the same items must have the same one; and all that have the same one must mean the same tables
    /// by the same names, since lanes name items by their tables.
    #[must_use]
    pub fn with_lane_table(mut self, name: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.settings).lanes.table = Some(name.into());
        self
    }

    /// How many lanes there are at most, 4096 unless it is said here: each client-side transaction that is under way has
    /// one.
    #[must_use]
    pub fn with_lanes(mut self, lanes: u32) -> Self {
        Arc::make_mut(&mut self.settings).lanes.most = lanes;
        self
    }

    /// For how long a client-side transaction that holds an item is waited for while it shows no sign of life, 5 seconds
    /// unless it is said here. Then it is taken for dead, and made void. To do so is always safe: if it lives, it begins again.
    /// The closure of a transaction that has lost three attempts keeps other writers out for at most 6 times as long.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        Arc::make_mut(&mut self.settings).lanes.patience = patience;
        self
    }

    /// The name of the lane table.
    pub(crate) fn lane_table(&self) -> Result<String, Error> {
        let settings = &self.settings;
        let name = settings.lanes.table.clone().unwrap_or_else(|| [&settings.prefix, LANE_TABLE].concat());
        check_table_name(&name)?;
        Ok(name)
    }

    /// How many lanes there are at most.
    pub(crate) fn lanes(&self) -> u32 {
        self.settings.lanes.most
    }

    /// Returns the memory of this type, which the clones share.
    pub(crate) fn memory<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.settings.memories.of()
    }

    /// Returns this repository with another memory of this type.
    #[cfg(feature = "__tests")]
    pub(crate) fn with_memory<T: Any + Send + Sync>(mut self, memory: T) -> Self {
        let settings = Arc::make_mut(&mut self.settings);
        settings.memories = Arc::new(settings.memories.with(memory));
        self
    }

    /// The resolver of the intents that reads and writes find.
    pub(crate) fn resolver(&self) -> &'static dyn Resolve {
        self.settings.resolver
    }

    /// For how long others are waited for that show no sign of life.
    pub(crate) fn patience(&self) -> Duration {
        self.settings.lanes.patience
    }

    pub(crate) fn hedges(&self) -> &Hedges {
        &self.settings.hedges
    }

    /// When a request is hedged that may be, and that has this delay of its own.
    pub(crate) fn hedging(&self, own: Option<Duration>) -> Option<Delay> {
        own.map(Delay::Fixed).or(self.settings.hedges.delay())
    }

    /// What cursors are sealed by.
    pub(crate) fn seal(&self) -> Option<&Seal> {
        self.settings.seal.as_ref()
    }

    /// The SDK's client.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.settings.client
    }

    /// The time now, by the repository's clock.
    #[must_use]
    pub fn now(&self) -> EpochMillis {
        self.settings.clock.now()
    }

    /// Its clock.
    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.settings.clock
    }

    /// The point of time that it is now.
    pub(crate) fn moment(&self) -> Moment {
        Moment::now(&*self.settings.clock)
    }

    /// The same repository with counters of its own, which start at zero; what they count is added to this
    /// one's as well. To know what one call costs, or one request handler:
    ///
    /// ```no_run
    /// # use dyno::{Entity, Repository};
    /// # #[derive(Entity)] struct Rating { #[partition_key] id: String }
    /// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
    /// let metered = repository.metered();
    /// let found = Rating::get("1").send(&metered).await?;
    /// println!("{} read units", metered.usage().read_units);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn metered(&self) -> Self {
        Self { settings: Arc::clone(&self.settings), meter: self.meter.child() }
    }

    /// Requests and capacity units so far, through this handle, its clones, and those
    /// [`metered`](Self::metered) from it.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.meter.usage()
    }

    /// Gives the table of a type this name.
    pub(crate) fn with_given_table(mut self, of: TypeId, name: String) -> Self {
        Arc::make_mut(&mut self.settings).tables.insert(of, name);
        self
    }

    /// Gives the history table of a type this name.
    pub(crate) fn with_given_history(mut self, of: TypeId, name: String) -> Self {
        Arc::make_mut(&mut self.settings).histories.insert(of, name);
        self
    }

    /// Gives the table of idempotency keys of a type this name.
    pub(crate) fn with_given_keys(mut self, of: TypeId, name: String) -> Self {
        Arc::make_mut(&mut self.settings).keys.insert(of, name);
        self
    }

    /// The name of the table of this type.
    pub(crate) fn table_name_of(&self, of: TypeId, schema: &'static Schema) -> Result<String, Error> {
        let settings = &self.settings;
        if let Some(name) = settings.tables.get(&of) {
            check_table_name(name)?;
            return Ok(name.clone());
        }
        let entity = schema.entity;
        let name = schema.table.ok_or_else(|| {
            Error::invalid(format!(
                "`{entity}` has no table: write `#[entity(table = \"…\")]` on it, or name the table with `Repository::with_table::<{entity}>`"
            ))
        })?;
        let name = [&settings.prefix, name].concat();
        check_table_name(&name)?;
        Ok(name)
    }

    /// The names of all tables of this type.
    pub(crate) fn tables_of(&self, of: TypeId, schema: &'static Schema) -> Result<Tables, Error> {
        let main = self.table_name_of(of, schema)?;
        let settings = &self.settings;
        let history = match schema.history.as_ref().map(|history| history.layout) {
            None => None,
            Some(Layout::SameTable) => Some(main.clone()),
            Some(Layout::Table(declared)) => {
                let name = self.name_beside(&main, settings.histories.get(&of), declared, ["history", "-history"])?;
                settings.owners.claim(&name, &main, schema)?;
                Some(name)
            }
        };
        let keys = match schema.idempotency.as_ref().map(|idempotency| &idempotency.store) {
            Some(Store::Row { table, .. }) => {
                Some(self.name_beside(&main, settings.keys.get(&of), *table, ["idempotency keys", "-idempotency"])?)
            }
            _ => None,
        };
        Ok(Tables { main, history, keys })
    }

    /// The name of the table of an entity's history or idempotency keys, which has other keys than the entity's own: the one
    /// that was given, or declared, or the entity's with the suffix behind it.
    fn name_beside(
        &self,
        main: &str,
        given: Option<&String>,
        declared: Option<&str>,
        [what, suffix]: [&str; 2],
    ) -> Result<String, Error> {
        let name = match (given, declared) {
            (Some(given), _) => given.clone(),
            (None, Some(declared)) => [&self.settings.prefix, declared].concat(),
            (None, None) => [main, suffix].concat(),
        };
        check_table_name(&name)?;
        if name == main {
            return Err(Error::invalid(format!(
                "the table `{main}` cannot be that of its own {what}, which has another key: give that another name"
            )));
        }
        Ok(name)
    }

    /// Counts into the meters.
    pub(crate) fn count(&self, usage: Usage) {
        self.meter.add(usage);
    }
}

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repository")
            .field("prefix", &self.settings.prefix)
            .field("tables", &self.settings.tables.values())
            .field("usage", &self.usage())
            .finish_non_exhaustive()
    }
}
