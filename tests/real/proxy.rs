//! The proxy. It forwards each request with changed table names, signed by the SDK with the credentials of the environment.

use crate::rename::{with_prefix, without_prefix};
use aws_config::SdkConfig;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::interceptors::{
    BeforeTransmitInterceptorContextMut, FinalizerInterceptorContextRef,
};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use dyno::aws_sdk_dynamodb::error::{BoxError, DisplayErrorContext};
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;

/// Forwards requests to an account.
#[derive(Clone)]
pub(crate) struct Proxy {
    client: Client,
    streams: aws_sdk_dynamodbstreams::Client,
    /// The prefix of all table names of the run.
    run: String,
    address: String,
}

impl Proxy {
    /// Creates a proxy, after checking that the account can be reached.
    pub(crate) async fn new(config: &SdkConfig, run: String) -> Result<Self, Box<dyn Error>> {
        let region = config.region().ok_or("no region: set AWS_REGION, or choose a profile by AWS_PROFILE")?;
        let address = config.endpoint_url().map_or_else(|| region.to_string(), str::to_owned);
        // The tests retry, so the proxy does not.
        let once = config.to_builder().retry_config(RetryConfig::disabled()).build();
        let (client, streams) = (Client::new(&once), aws_sdk_dynamodbstreams::Client::new(&once));
        client.list_tables().limit(1).send().await.map_err(|error| DisplayErrorContext(error).to_string())?;
        Ok(Self { client, streams, run, address })
    }

    /// Returns the endpoint if one is configured, else the region.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the answer to `ListTables`: the tables of one database, without all other tables of the account.
    async fn own_tables(&self, prefix: &str) -> Response {
        let mut names = Vec::new();
        let mut tables = self.client.list_tables().into_paginator().items().send();
        while let Some(table) = tables.next().await {
            match table {
                Ok(table) => names.extend(table.strip_prefix(prefix).map(str::to_owned)),
                Err(error) => return (StatusCode::BAD_GATEWAY, DisplayErrorContext(error).to_string()).into_response(),
            }
        }
        let answer = serde_json::json!({ "TableNames": names }).to_string();
        ([(header::CONTENT_TYPE, "application/x-amz-json-1.0")], answer).into_response()
    }

    pub(crate) async fn serve(self, listener: TcpListener) {
        let service = Router::new().route("/", post(forward)).layer(DefaultBodyLimit::disable()).with_state(self);
        axum::serve(listener, service).await.expect("a server");
    }
}

/// Returns the access key, which names the database. In `AWS4-HMAC-SHA256 Credential=test1x2/20261126/…` it is `test1x2`.
fn access_key(headers: &HeaderMap) -> Option<&str> {
    let authorization = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    authorization.split_once("Credential=")?.1.split('/').next()
}

async fn forward(State(proxy): State<Proxy>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok());
    let (Some(target), Some(key)) = (target, access_key(&headers)) else {
        return (StatusCode::BAD_REQUEST, "no target or no access key").into_response();
    };
    let prefix = format!("{}{key}-", proxy.run);
    let Ok(mut body) = serde_json::from_slice(&body) else {
        return (StatusCode::BAD_REQUEST, "no JSON").into_response();
    };
    if target.ends_with(".ListTables") {
        return proxy.own_tables(&prefix).await;
    }
    with_prefix(&mut body, &prefix);
    let forwarding = Forwarding { target: target.to_owned(), body: body.to_string(), answer: Arc::default() };
    let answer = Arc::clone(&forwarding.answer);
    // Any operation of the service will do, because the interceptor replaces the request and takes the answer.
    let error = if target.starts_with("DynamoDBStreams") {
        let sent = proxy.streams.list_streams().customize().interceptor(forwarding).send().await;
        sent.err().map(|error| DisplayErrorContext(error).to_string())
    } else {
        let sent = proxy.client.list_tables().customize().interceptor(forwarding).send().await;
        sent.err().map(|error| DisplayErrorContext(error).to_string())
    };
    let taken = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some((status, text)) = taken else {
        let error = error.unwrap_or_else(|| "no answer".to_owned());
        return (StatusCode::BAD_GATEWAY, error).into_response();
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    (status, [(header::CONTENT_TYPE, "application/x-amz-json-1.0")], without_prefix(&text, &prefix)).into_response()
}

/// A request that replaces the SDK's own request.
#[derive(Debug)]
struct Forwarding {
    target: String,
    body: String,
    answer: Arc<Mutex<Option<(u16, String)>>>,
}

impl Intercept for Forwarding {
    fn name(&self) -> &'static str {
        "Forwarding"
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request_mut();
        request.headers_mut().insert("x-amz-target", self.target.clone());
        request.headers_mut().insert("content-length", self.body.len().to_string());
        *request.body_mut() = self.body.clone().into();
        Ok(())
    }

    fn read_after_attempt(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(response) = context.response() else { return Ok(()) };
        let body = response.body().bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let answer = (response.status().as_u16(), body.unwrap_or_default());
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        Ok(())
    }
}
