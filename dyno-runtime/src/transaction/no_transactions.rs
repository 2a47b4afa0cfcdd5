//! The library without the feature `transactions`: no entity is transactional, so nobody asks about an intent.

use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, ReadThrough, Repository, Resolve, View, Waits};
use crate::read::TransactGetCommand;
use futures_util::future::BoxFuture;
use std::future::ready;

#[derive(Debug)]
pub(super) struct Refusing;

impl Resolve for Refusing {
    fn read<'a>(
        &'a self,
        _: &'a Repository,
        _: Caller<'a>,
        _: &'a ItemRef,
        _: Item,
        _: View,
    ) -> BoxFuture<'a, Result<ReadThrough, Error>> {
        Box::pin(ready(Err(held())))
    }

    fn wait<'a>(
        &'a self,
        _: &'a Repository,
        _: Caller<'a>,
        _: &'a ItemRef,
        _: &'a Item,
        _: &'a Waits,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(ready(Err(held())))
    }
}

#[cold]
fn held() -> Error {
    Error::invalid(
        "a client-side transaction holds the item, and this program cannot resolve it: add the feature `transactions` of dyno-runtime",
    )
}

impl TransactGetCommand {
    /// Returns the item at each key, in the order of the gets.
    pub(crate) fn snapshot(self, repository: &Repository) -> BoxFuture<'_, Result<Vec<Option<Item>>, Error>> {
        Box::pin(self.send(repository))
    }
}
