//! The scenarios: the work that processes do while they are killed.

use crate::accounts::{self, Bank};
use crate::journal::Journal;
use crate::locks;
use crate::verdict::Verdict;
use dyno::Repository;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use std::ops::Range;
use std::time::Duration;

/// How long other processes wait for a transaction that shows no sign of life. It is short, so that other processes abort
/// many transactions.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// One row of the table of results.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// Its share of the total time.
    pub(super) share: u64,
    pub(super) workers: u64,
    /// After how many milliseconds a worker gets a signal.
    pub(super) pace: Range<u64>,
    /// How many milliseconds a stop lasts.
    pub(super) stop: Range<u64>,
    kind: Kind,
}

enum Kind {
    /// Client-side transactions in this bank, and the number of workers that sweep instead.
    Transactions(Bank, u64),
    Locks,
}

pub(super) const SCENARIOS: [Scenario; 5] = [
    Scenario {
        name: "two",
        title: "transactions of 2 accounts",
        share: 3,
        workers: 4,
        pace: 50..2_500,
        stop: 10..1_500,
        kind: Kind::Transactions(Bank { accounts: 24, items: 2 }, 0),
    },
    Scenario {
        name: "many",
        title: "transactions of 150 accounts",
        share: 5,
        workers: 3,
        pace: 200..8_000,
        stop: 10..2_000,
        kind: Kind::Transactions(Bank { accounts: 400, items: 150 }, 0),
    },
    Scenario {
        name: "large",
        title: "transactions of 500 accounts",
        share: 6,
        workers: 2,
        pace: 1_000..25_000,
        stop: 10..2_000,
        kind: Kind::Transactions(Bank { accounts: 800, items: 500 }, 0),
    },
    Scenario {
        name: "sweeps",
        title: "sweeps beside transactions of 150",
        share: 3,
        workers: 4,
        pace: 100..3_000,
        stop: 10..2_000,
        kind: Kind::Transactions(Bank { accounts: 400, items: 150 }, 2),
    },
    Scenario {
        name: "locks",
        title: "locks",
        share: 3,
        workers: 4,
        pace: 100..4_000,
        stop: 100..3_000,
        kind: Kind::Locks,
    },
];

impl Scenario {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        SCENARIOS.iter().find(|scenario| scenario.name == name)
    }

    /// Creates the tables and their first rows.
    pub(super) async fn prepare(&self, repository: &Repository) {
        match &self.kind {
            Kind::Transactions(bank, _) => accounts::prepare(repository, *bank).await,
            Kind::Locks => locks::prepare(repository).await,
        }
    }

    /// Does the work of this worker, without end. The numbers of its writes begin at `first`.
    pub(super) async fn work(&self, worker: u64, repository: &Repository, journal: &Journal, first: u64) {
        match &self.kind {
            Kind::Transactions(_, sweepers) if worker < *sweepers => accounts::sweep(repository, journal).await,
            Kind::Transactions(bank, _) => accounts::work(repository, journal, *bank, first).await,
            Kind::Locks => locks::work(repository, journal, first).await,
        }
    }

    /// Compares the tables with the journal.
    pub(super) async fn judge(&self, repository: &Repository, lines: &[Vec<String>]) -> Verdict {
        match &self.kind {
            Kind::Transactions(bank, _) => accounts::judge::judge(repository, lines, *bank).await,
            Kind::Locks => locks::judge(repository, lines).await,
        }
    }
}

/// Returns the repository of a database: the engine has one database for each access key. The client has the SDK's defaults.
pub(super) fn repository(database: &str) -> Repository {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("local"))
        .credentials_provider(Credentials::new(database, "secret", None, None, "tests"))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(dyno_tests::endpoint().expect("an engine in another process"));
    Repository::new(Client::from_conf(config.build())).with_lock_timeout(LOCK_TIMEOUT)
}
