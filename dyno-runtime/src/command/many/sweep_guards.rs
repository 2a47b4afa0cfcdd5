//! The command that removes the guards of unique values that no item has any more: `SweepGuards`.

use crate::entity::{Entity, WithUniqueValues, clone_and_debug};
use crate::error::Error;
use crate::exchange::Repository;
use crate::write::{SweptGuards, sweep_guards};
use std::marker::PhantomData;

/// Removes the guards of `E`'s unique values that no item has any more.
///
/// A guard stays when its item loses the value, because the write does not know it. It does no harm: the next claim takes it over.
/// It takes some 100 bytes, so sweep when there are many, for example once a month.
///
/// ```no_run
/// # use dyno::{Entity, Repository, command::SweepGuards};
/// # #[derive(Entity)] #[entity(table = "users")] struct User { #[partition_key] id: String, #[unique] email: String }
/// # async fn example(repository: &Repository) -> Result<(), dyno::Error> {
/// let swept = SweepGuards::<User>::new().send(repository).await?;
/// println!("{} guards removed", swept.removed);
/// # Ok(()) }
/// ```
///
/// It costs a consistent `Scan` of the table of the guards, a `BatchGetItem` for each 100 items that they name, and a
/// `TransactWriteItems` for each guard that it removes, which checks that the item is as it was read. Any number of sweeps can run
/// at once, beside all other writes.
#[must_use = "a command does nothing until it is sent"]
pub struct SweepGuards<E> {
    entity: &'static str,
    types: PhantomData<fn() -> E>,
}

impl<E: Entity> SweepGuards<E> {
    /// Makes the command.
    #[allow(clippy::new_without_default, reason = "a command is made by `new`")]
    pub fn new() -> Self
    where
        E: WithUniqueValues,
    {
        Self { entity: E::SCHEMA.entity, types: PhantomData }
    }

    /// Sweeps the guards.
    ///
    /// If you drop the future, the next sweep does what is left to do.
    ///
    /// # Errors
    /// DynamoDB could not be reached or answered with an error. The next sweep does what is left to do.
    pub async fn send(self, repository: &Repository) -> Result<SweptGuards, Error> {
        sweep_guards(repository, E::SCHEMA, &repository.tables::<E>()?).await
    }
}

clone_and_debug!([E] SweepGuards<E>: entity; types);
