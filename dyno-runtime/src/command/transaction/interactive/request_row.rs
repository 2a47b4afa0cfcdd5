//! The row that an interactive transaction creates for the request which it serves: a trait, because its one implementation needs
//! the derive, which is a feature.

use super::Tx;
use crate::attribute::time::EpochMillis;
use crate::entity::TransactionRefusal;
use crate::error::Error;
use crate::exchange::Repository;
use futures_util::future::BoxFuture;

/// The row of the request that a transaction serves.
pub(super) trait RequestRow: Send + Sync {
    /// Adds the row's creation to the writes of a run.
    fn enlist(&self, tx: &Tx, now: EpochMillis);

    /// Returns the refusal as a duplicate if the row exists already. It reads the row by one consistent `GetItem`.
    fn duplicate<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Result<Option<TransactionRefusal>, Error>>;
}
