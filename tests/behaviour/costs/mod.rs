//! What commands cost before they are sent, compared with what the engine counts.

/// Sends a command, and compares what it consumes with its cost for items of up to 10 KB. It must be applied or refused as told.
macro_rules! costs {
    ($repository:expr, $command:expr => $outcome:ident) => {{
        let _sent = costs!($repository, $command; $outcome);
    }};
    // Returns the version that the write has stored.
    ($repository:expr, $command:expr => applied, version) => {
        costs!($repository, $command; applied).applied().expect("applied")
    };
    ($repository:expr, $command:expr; $outcome:ident) => {{
        use crate::costs::Done as _;
        let command = $command;
        let cost = command.cost($repository, 10 * 1024).expect("a cost");
        let metered = $repository.metered();
        let sent = command.send(&metered).await.expect("sent");
        let (told, is_applied) = (stringify!($outcome), stringify!($outcome) == "applied");
        assert_eq!(sent.is_done(), is_applied, "{} is to be {told}", stringify!($command));
        let bounds = if is_applied { cost.applied } else { cost.refused.expect("a cost if it is refused") };
        let usage = metered.usage();
        assert!(bounds.includes(&usage), "{} is {told}, with {usage:?}: {cost}", stringify!($command));
        assert!(cost.includes(&usage));
        sent
    }};
}

mod batches;
mod input;
mod modify;
mod reads;
mod suite;
mod table;
mod transactions;
mod writes;

use dyno::{Entity, EpochMillis, EpochSeconds, Outcome, Projection, TransactionOutcome};

/// The result of a command.
pub(super) trait Done {
    /// Returns `true` if the command was applied.
    fn is_done(&self) -> bool;
}

impl<E: Entity, T> Done for Outcome<E, T> {
    fn is_done(&self) -> bool {
        self.is_applied()
    }
}

impl Done for TransactionOutcome {
    fn is_done(&self) -> bool {
        self.is_applied()
    }
}

impl Done for () {
    fn is_done(&self) -> bool {
        true
    }
}

/// No rule, a global index of whole items, and a local one of keys.
#[derive(Entity, Clone, Debug)]
#[entity(table = "indexed")]
#[index(name = "by_group", partition = group)]
#[index(name = "by_rank", local, sort = rank, projection = "keys")]
pub(super) struct Indexed {
    #[partition_key]
    pub(super) id: String,
    #[sort_key]
    pub(super) line: u32,
    pub(super) group: Option<String>,
    pub(super) rank: u32,
    pub(super) text: String,
    pub(super) tags: Vec<String>,
}

#[expect(dead_code, reason = "only the cost of reading it counts")]
#[derive(Projection, Debug)]
#[projection(of = Indexed, index = IndexedByRank)]
pub(super) struct Ranked {
    pub(super) rank: u32,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "plain")]
pub(super) struct Plain {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "versioned")]
pub(super) struct Versioned {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "rated")]
#[tombstone(ttl_days = 7)]
pub(super) struct Rated {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[ratchet]
    pub(super) at: EpochMillis,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "dead")]
#[tombstone(ttl_days = 7)]
pub(super) struct Dead {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "atomic")]
#[history_table]
pub(super) struct Atomic {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "ordered")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered", ttl_days = 30)]
pub(super) struct Ordered {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "unique")]
pub(super) struct Member {
    #[partition_key]
    pub(super) id: String,
    #[unique]
    pub(super) email: Option<String>,
    pub(super) text: String,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "bills")]
#[idempotency(store = "row", window_secs = 3600, max_skew_secs = 10)]
pub(super) struct Bill {
    #[partition_key]
    pub(super) id: String,
    pub(super) total: u64,
    pub(super) tags: Vec<String>,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "carts")]
#[idempotency(keys = 2, raw, key_bytes = 8)]
pub(super) struct Cart {
    #[partition_key]
    pub(super) id: String,
    pub(super) total: u64,
}

/// Several rules at once.
#[derive(Entity, Clone, Debug)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[history_table]
#[index(name = "by_group", partition = group)]
pub(super) struct Account {
    #[partition_key]
    pub(super) id: String,
    pub(super) group: String,
    #[unique]
    pub(super) email: Option<String>,
    pub(super) text: String,
    #[version]
    pub(super) version: u64,
}

/// An ordered history with tombstones and unique values.
#[derive(Entity, Clone, Debug)]
#[entity(table = "letters")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
pub(super) struct Letter {
    #[partition_key]
    pub(super) id: String,
    #[unique]
    pub(super) number: Option<u64>,
    pub(super) text: String,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "sessions")]
#[index(name = "by_text", partition = text)]
pub(super) struct Session {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[ttl]
    pub(super) until: EpochSeconds,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "balances")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(super) struct Balance {
    #[partition_key]
    pub(super) id: String,
    pub(super) amount: u64,
    #[version]
    pub(super) version: u64,
}

/// Texts from nothing to several units.
pub(super) fn texts() -> [String; 3] {
    [0, 1_500, 9_000].map(|length| "x".repeat(length))
}
