//! What a transaction does with the row of its request. Its one implementation takes the derive, which is a feature.

use super::Tx;
use crate::attribute::time::EpochMillis;
use crate::entity::TransactionRefusal;
use crate::error::Error;
use crate::exchange::Repository;
use futures_util::future::BoxFuture;

/// The row that is named after the request which a transaction serves.
pub(super) trait RequestRow: Send + Sync {
    /// Puts its creation among the writes of a run.
    fn enlist(&self, tx: &Tx, now: EpochMillis);

    /// The refusal of a request that was served already, if it was: one consistent `GetItem`.
    fn served<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Result<Option<TransactionRefusal>, Error>>;
}
