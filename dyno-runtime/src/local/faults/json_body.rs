//! The JSON bodies of requests and answers.

use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use serde_json::Value;

/// Returns the body of a request; `Null` if it is not JSON, for the engine to refuse.
pub(in crate::local) fn json_of(request: &HttpRequest) -> Value {
    serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default()
}

/// Replaces the body of a request.
pub(super) fn set_json(request: &mut HttpRequest, body: &Value) {
    let body = body.to_string();
    request.headers_mut().insert("content-length", body.len().to_string());
    *request.body_mut() = SdkBody::from(body);
}

/// Returns the body of an answer as text.
pub(super) async fn text_of(mut answer: HttpResponse) -> String {
    let body = ByteStream::new(answer.take_body()).collect().await.expect("a whole answer").to_vec();
    String::from_utf8(body).expect("an answer in UTF-8")
}

/// Returns the body of an answer of DynamoDB.
pub(super) async fn answered_json(answer: HttpResponse) -> Value {
    serde_json::from_str(&text_of(answer).await).expect("an answer in JSON")
}
