//! The repository, with the resolver of the intents that its reads and writes find.

use crate::exchange::Repository;
use aws_sdk_dynamodb::Client;

#[cfg(not(feature = "transactions"))]
use super::no_transactions::Refusing as Resolver;
#[cfg(feature = "transactions")]
use super::resolve::IntentResolver as Resolver;

impl Repository {
    /// Returns a repository for the DynamoDB that the client talks to.
    ///
    /// The repository sends its requests through a client of its own, which has the configuration of this one, and an interceptor of
    /// dyno behind yours. Retries, timeouts, region and credentials are those of the configuration. Both clients share connections
    /// if the configuration has an HTTP client; otherwise the SDK gives each its own.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self::resolving(client, &Resolver)
    }
}
