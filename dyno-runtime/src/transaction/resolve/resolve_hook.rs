//! The resolver of every repository. Reads and writes ask it about the intents that they find.

use super::read_through::{read_pending, read_through};
use super::resolve_intent::wait_until_free;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, ReadThrough, Repository, Resolve, View, Waits};
use futures_util::future::BoxFuture;

/// Resolves intents by the commit protocol of client-side transactions.
#[derive(Debug)]
pub(crate) struct IntentResolver;

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
