//! Another process over the same database: with a network, a client, a clock and a repository of its own.

use crate::clock::AlongClock;
use crate::faults::Faults;
use crate::journal::Attributed;
use crate::{NOW, World, unlimited};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{EpochMillis, ManualClock, Repository};
use futures_util::future::{Either, select};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use tokio::time::Instant;

/// A process with its own faults. If it dies, pauses or is slow, the other processes are not affected.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its repository.
    pub repository: Repository,
    /// Its clock. It stands still, or it advances [along](Self::along) with the runtime's clock, and this clock sets the
    /// offset.
    pub clock: Arc<ManualClock>,
    /// The faults of its network.
    pub faults: Faults,
    beginning: Arc<OnceLock<Instant>>,
}

impl World {
    /// Another process. Its client has this retry configuration and an unlimited budget for retries, its network has no
    /// faults, and its clock shows [`NOW`].
    #[must_use]
    pub fn process(&self, retries: RetryConfig) -> Process {
        let faults = self.faults.of_another_process();
        let network = faults.before(self.http.clone());
        let http = self.requests.noting(SharedHttpClient::new(Attributed(network)));
        let client = Client::from_conf(unlimited(self.quiet.clone().http_client(http), retries));
        let clock = Arc::new(ManualClock::new(EpochMillis::new(NOW)));
        let repository = Repository::new(client).with_clock(Arc::clone(&clock));
        Process { repository, clock, faults, beginning: Arc::clone(&self.beginning) }
    }
}

impl Process {
    /// The same process with a clock that advances with the runtime's clock, both its time of day and its monotonic time.
    /// The SDK's pauses follow the runtime's clock, too. All such processes of a world show the same time, except for the
    /// offset in each one's [`clock`](Self::clock).
    #[must_use]
    pub fn along(self) -> Self {
        let beginning = *self.beginning.get_or_init(Instant::now);
        let clock = AlongClock::new(Arc::clone(&self.clock), beginning);
        Self { repository: self.repository.with_clock(clock), ..self }
    }

    /// Runs the work until it is done or the process dies. If the process dies, the work is dropped, and there is no result.
    /// Tasks that the work has spawned are not dropped, but send nothing more. A request that takes
    /// [time](dyno::local::Faults::latency) and has not arrived yet is dropped, too, except for the request at which the
    /// process dies.
    pub fn run<T, W: Future<Output = T>>(&self, work: W) -> impl Future<Output = Option<T>> + use<T, W> {
        let faults = self.faults.clone();
        async move {
            // `select` polls `stopped` first, so a dead process does not continue its work.
            match select(pin!(faults.stopped()), pin!(work)).await {
                Either::Left(_) => None,
                Either::Right((done, _)) => Some(done),
            }
        }
    }
}
