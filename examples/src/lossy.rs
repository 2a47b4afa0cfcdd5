//! A network in front of the embedded engine that loses answers, so that the SDK has something to retry.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use dyno::local::Engine;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// An engine whose answers get lost at a given rate.
#[derive(Clone, Debug)]
pub struct Lossy {
    engine: Engine,
    rate: f64,
    /// The delay of each answer.
    latency: Duration,
    lost: Arc<AtomicU64>,
}

impl Lossy {
    /// Returns a network that loses the share `rate` of the engine's answers.
    #[must_use]
    pub fn new(engine: Engine, rate: f64, latency: Duration) -> Self {
        Self { engine, rate, latency, lost: Arc::default() }
    }

    /// Returns the number of lost answers.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl HttpClient for Lossy {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Lossy {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let this = self.clone();
        HttpConnectorFuture::new(async move {
            let answer = this.engine.call(request).await;
            tokio::time::sleep(this.latency).await;
            if rand::random_bool(this.rate) {
                this.lost.fetch_add(1, Ordering::Relaxed);
                return Err(ConnectorError::timeout("the answer was lost".into()));
            }
            answer
        })
    }
}
