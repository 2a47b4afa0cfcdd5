//! The resolver of every repository. Reads and writes ask it about the intents that they find.

use super::read_through::{read_pending, read_through};
use super::wait_until_free::wait_until_free;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, ReadThrough, Repository, Resolve, View, Waits};
use aws_sdk_dynamodb::Client;
use futures_util::future::BoxFuture;

/// Resolves intents by the commit protocol of client-side transactions.
#[derive(Debug)]
struct IntentResolver;

impl Repository {
    /// Returns a repository for the DynamoDB that the client talks to.
    ///
    /// The repository sends its requests through a client of its own, which has the configuration of this one, and an interceptor of
    /// dyno behind yours. Retries, timeouts, region and credentials are those of the configuration. Both clients share connections
    /// if the configuration has an HTTP client; otherwise the SDK gives each its own.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self::resolving(client, &IntentResolver)
    }
}

impl Resolve for IntentResolver {
    fn read<'a>(
        &'a self,
        repository: &'a Repository,
        caller: Caller<'a>,
        at: &'a ItemRef,
        item: Item,
        view: View,
    ) -> BoxFuture<'a, Result<ReadThrough, Error>> {
        Box::pin(async move {
            match view {
                View::Committed { is_whole } => read_through(repository, caller, at, item, is_whole).await,
                View::Uncommitted => read_pending(repository, caller, item, &at.key).await.map(ReadThrough::Item),
            }
        })
    }

    fn wait<'a>(
        &'a self,
        repository: &'a Repository,
        caller: Caller<'a>,
        at: &'a ItemRef,
        item: &'a Item,
        waits: &'a Waits,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(wait_until_free(repository, caller, at, item, waits))
    }
}
