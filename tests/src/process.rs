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

/// A process. Its faults are its own: that it dies, pauses or is slow does not concern the others.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its repository.
    pub repository: Repository,
    /// Its clock, which stands still, or goes [along](Self::along) and is off by what this one is set to.
    pub clock: Arc<ManualClock>,
    /// Its network's.
    pub faults: Faults,
    beginning: Arc<OnceLock<Instant>>,
}

impl World {
    /// Another process: its client has this retry configuration and a budget for retries that does not run out, its network
    /// no faults, its clock shows [`NOW`].
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
    /// The same process, whose clock goes with the runtime's, both hands of it: so do the SDK's pauses. All processes of
    /// a world that go along show the same time, but for what each one's [`clock`](Self::clock) is set to.
    #[must_use]
    pub fn along(self) -> Self {
        let beginning = *self.beginning.get_or_init(Instant::now);
        let clock = AlongClock::new(Arc::clone(&self.clock), beginning);
        Self { repository: self.repository.with_clock(clock), ..self }
    }

    /// Does this until it is done or the process dies: then it is dropped where it is, and there is no result. What it has
    /// spawned is not dropped, and sends nothing more. A request that takes [time](dyno::local::Faults::latency) and has not arrived yet is
    /// dropped, too, but for the one that the process dies of.
    pub fn run<T, W: Future<Output = T>>(&self, work: W) -> impl Future<Output = Option<T>> + use<T, W> {
        let faults = self.faults.clone();
        async move {
            // Death is looked for first: what has died does not go on.
            match select(pin!(faults.stopped()), pin!(work)).await {
                Either::Left(_) => None,
                Either::Right((done, _)) => Some(done),
            }
        }
    }
}
