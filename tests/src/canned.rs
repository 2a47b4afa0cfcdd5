//! A client whose requests are answered by a function, without an engine.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use dyno::aws_sdk_dynamodb::config::{BehaviorVersion, Builder, Config, Credentials, Region};
use std::fmt;
use std::sync::Arc;

/// The configuration of a client without an engine. Each request succeeds, and `answer` returns the body of the response.
pub fn config(answer: impl Fn(&HttpRequest) -> SdkBody + Send + Sync + 'static) -> Builder {
    Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("local"))
        .credentials_provider(Credentials::new("local", "local", None, None, "canned"))
        .http_client(Canned(Arc::new(answer)))
}

#[derive(Clone)]
struct Canned(Arc<dyn Fn(&HttpRequest) -> SdkBody + Send + Sync>);

impl HttpClient for Canned {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Canned {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let status = StatusCode::try_from(200).expect("a status");
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, (self.0)(&request))))
    }
}

impl fmt::Debug for Canned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Canned").finish_non_exhaustive()
    }
}
