//! The handle through which commands are sent: the SDK client, the names of tables, the clock and the counters.

pub(super) mod clock;
pub(super) mod history_owners;
#[cfg(feature = "transactions")]
pub(super) mod lane_settings;
pub(super) mod memory;
pub(crate) mod random;
pub(super) mod repository_tables;
pub(super) mod seal;

use crate::attribute::time::EpochMillis;
use crate::exchange::hedge::{Delay, Hedge, Hedges};
use crate::exchange::pace::Pacing;
use crate::exchange::send::interceptor::intercepted;
use crate::exchange::send::page_deserializer::DecodeFrom;
use crate::exchange::watch::consumed_capacity::Meter;
use crate::exchange::{Clock, Memories, Moment, Resolve, Seal, SystemClock, Usage};
use aws_sdk_dynamodb::Client;
use history_owners::{GuardOwners, HistoryOwners};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The handle through which commands are sent: an SDK client with the names of the tables, a clock, and counters.
///
/// It is cheap to clone, and clones share everything.
///
/// ```no_run
/// # async fn example(config: &aws_sdk_dynamodb::Config) {
/// let client = aws_sdk_dynamodb::Client::from_conf(config.clone());
/// let repository = dyno::Repository::new(client).with_table_prefix("staging-");
/// # }
/// ```
#[derive(Clone)]
pub struct Repository {
    pub(in crate::exchange) settings: Arc<Settings>,
    meter: Meter,
    pub(in crate::exchange) pacing: Option<Pacing>,
}

#[derive(Clone)]
pub(in crate::exchange) struct Settings {
    client: Client,
    /// The client that sends the requests: `client` with dyno's interceptor.
    sender: Client,
    pub(in crate::exchange) prefix: String,
    pub(in crate::exchange) tables: HashMap<TypeId, String>,
    pub(in crate::exchange) histories: HashMap<TypeId, String>,
    pub(in crate::exchange) keys: HashMap<TypeId, String>,
    pub(in crate::exchange) guards: HashMap<TypeId, String>,
    pub(in crate::exchange) owners: Arc<HistoryOwners>,
    pub(in crate::exchange) guard_owners: Arc<GuardOwners>,
    clock: Arc<dyn Clock>,
    seal: Option<Seal>,
    hedges: Arc<Hedges>,
    #[cfg(feature = "transactions")]
    pub(in crate::exchange) lanes: lane_settings::LaneSettings,
    memories: Arc<Memories>,
    resolver: &'static dyn Resolve,
    decode_from: DecodeFrom,
}

impl Repository {
    /// Makes a repository whose reads and writes ask this resolver about intents.
    pub(crate) fn resolving(client: Client, resolver: &'static dyn Resolve) -> Self {
        Self {
            settings: Arc::new(Settings {
                sender: intercepted(&client),
                client,
                prefix: String::new(),
                tables: HashMap::new(),
                histories: HashMap::new(),
                keys: HashMap::new(),
                guards: HashMap::new(),
                owners: Arc::default(),
                guard_owners: Arc::default(),
                clock: Arc::new(SystemClock),
                seal: None,
                hedges: Arc::new(Hedges::new(None)),
                #[cfg(feature = "transactions")]
                lanes: lane_settings::LaneSettings::default(),
                memories: Arc::default(),
                resolver,
                decode_from: DecodeFrom::Response,
            }),
            meter: Meter::default(),
            pacing: None,
        }
    }

    /// Puts a prefix in front of the table names that entities declare. The prefix is the beginning of a name; or, for tables
    /// of another account, the beginning of their ARNs, such as `arn:aws:dynamodb:<region>:<account>:table/staging-`. If the
    /// result is neither a name nor an ARN, each command refuses it.
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

    /// Seals the cursors of queries and scans, so that you can hand them to browsers: without the key, nobody can read the keys
    /// of items in a cursor, change a cursor, or make one (XChaCha20-Poly1305). A cursor that is not sealed, or was sealed by
    /// another key, is refused ([`Error::is_invalid_input`](crate::Error::is_invalid_input)). So after you change the key, earlier cursors are refused. The key
    /// is 32 random bytes, the same in each process; keep it like any other secret. [`Checkpoint`](crate::Checkpoint)s are not
    /// sealed, because they stay inside your program.
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

    /// Hedges all commands that may be hedged: if a request is late, dyno sends a second, equal one, and takes the first usable
    /// answer. These commands may be hedged:
    ///
    /// - Reads: [`get`](crate::command::Get), [`batch_get`](crate::BatchGet), the pages of queries and scans, and
    ///   [`TransactGet`](crate::TransactGet).
    /// - Writes for which a second arrival does no harm, however late: those of a [`Hedgeable`](crate::bound::Hedgeable) entity,
    ///   updates with an idempotency key, and native transactions. In a client-side transaction, only the reads are hedged.
    ///
    /// All other commands are sent without hedges. A command's own `hedge` overrides the delay that you set here, but uses the
    /// same budget.
    ///
    /// The SDK retries the first request, but not the second. DynamoDB charges for a request that dyno drops, too.
    ///
    /// Make one such repository and clone it: each has a budget of its own, and must first learn how long requests take.
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

    /// Lets the SDK decode the items of queries, scans and batches of gets.
    ///
    /// By default, dyno decodes these items itself, from the bytes of DynamoDB's response, because the SDK would first make a map of
    /// each item. To do so, an interceptor replaces the SDK's deserializer for successful responses. Your own interceptors then see
    /// an output without items: if one of them reads the items, call this method. Both ways return the same entities and errors. A
    /// response that is not in the form that DynamoDB writes is always decoded by the SDK.
    #[must_use]
    pub fn with_sdk_decoding(mut self) -> Self {
        Arc::make_mut(&mut self.settings).decode_from = DecodeFrom::SdkOutput;
        self
    }

    pub(crate) fn decode_from(&self) -> DecodeFrom {
        self.settings.decode_from
    }

    /// Returns the state of this type, which the clones of the repository share.
    pub(crate) fn memory<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.settings.memories.of()
    }

    /// Returns this repository with another state of this type.
    #[cfg(feature = "__tests")]
    pub(crate) fn with_memory<T: Any + Send + Sync>(mut self, memory: T) -> Self {
        let settings = Arc::make_mut(&mut self.settings);
        settings.memories = Arc::new(settings.memories.with(memory));
        self
    }

    /// Returns the resolver of the intents that reads and writes find.
    pub(crate) fn resolver(&self) -> &'static dyn Resolve {
        self.settings.resolver
    }

    pub(crate) fn hedges(&self) -> &Hedges {
        &self.settings.hedges
    }

    /// Returns the delay of a command that may be hedged, if it is hedged. `own` is the command's own delay.
    pub(crate) fn hedging(&self, own: Option<Duration>) -> Option<Delay> {
        own.map(Delay::Fixed).or(self.settings.hedges.delay())
    }

    /// Returns the key that seals cursors, if there is one.
    pub(crate) fn seal(&self) -> Option<&Seal> {
        self.settings.seal.as_ref()
    }

    /// Returns the client that the repository was made with.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.settings.client
    }

    /// Returns the client that sends the requests of this crate.
    pub(crate) fn sender(&self) -> &Client {
        &self.settings.sender
    }

    /// Returns the current time of the repository's clock.
    #[must_use]
    pub fn now(&self) -> EpochMillis {
        self.settings.clock.now()
    }

    /// Returns the repository's clock.
    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.settings.clock
    }

    /// Returns the current wall time and monotonic time.
    pub(crate) fn moment(&self) -> Moment {
        Moment::now(&*self.settings.clock)
    }

    /// Returns the same repository with counters of its own, which start at zero and count for this repository as well:
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
        Self { meter: self.meter.child(), ..self.clone() }
    }

    /// Returns the requests and capacity units so far, through this handle, its clones, and those that were
    /// [`metered`](Self::metered) from it.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.meter.usage()
    }

    /// Adds to the counters.
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
