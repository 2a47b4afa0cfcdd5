//! The Lambda function of the recipes, which reads the stream of a table. It runs in Lambda, and not by `cargo run`: build it with
//! `cargo lambda build --release --example lambda_consumer`. `examples/tests/recipes/lambda.rs` drives it by an event from a file.

use aws_config::BehaviorVersion;
use aws_lambda_events::event::dynamodb::Event;
use aws_smithy_http_client::{Builder, tls::Provider, tls::rustls_provider::CryptoMode};
use dyno::{Repository, aws_sdk_dynamodb::Client};
use dyno_examples::recipes::lambda::handle;
use lambda_runtime::{Error, LambdaEvent, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    // Once for each instance of the function, not for each event. (With the feature `default-https-client` of dyno, the SDK has a client
    // for HTTPS by itself. It takes long to compile.)
    let http = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    let config = aws_config::defaults(BehaviorVersion::latest()).http_client(http).load().await;
    let repository = Repository::new(Client::new(&config));
    run(service_fn(|event: LambdaEvent<Event>| async { Ok::<_, Error>(handle(&repository, event.payload).await) }))
        .await
}
