//! Work under a lock in one call: `Lock::run`.

use super::held::Held;
use super::named::Lock;
use crate::error::Error;
use crate::exchange::Repository;
use std::error::Error as StdError;

impl Lock {
    /// Waits for the lock, does this work while it is held, and releases it, even if the work returns an error: as
    /// [`acquire`](Self::acquire), [`Held::during`] and [`Held::release`] together. The requests are those of these three.
    ///
    /// ```no_run
    /// # use dyno::{Entity, Repository, lock::Lock};
    /// # #[derive(Entity)]
    /// # struct Report { #[partition_key] name: String, lines: u32, #[fence] epoch: u64 }
    /// # async fn example(repository: Repository, report: Report) -> Result<(), dyno::Error> {
    /// let work = async |held: &_| report.put().fenced(held).send(&repository).await?.applied();
    /// Lock::new("reports/nightly").run(&repository, work).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// If the work is done, `run` returns its result, also if the release fails: then the lock is free
    /// one lease later.
    ///
    /// If you drop the future, or if the work panics, the lock is not released: it is free one lease later. (If you drop the future
    /// during the release, that may be applied.)
    ///
    /// # Errors
    /// - Those of [`acquire`](Self::acquire), before the work begins.
    /// - [`is_lock_lost`](Error::is_lock_lost): the lock was lost before the work was done, and the work was dropped. What it had
    ///   sent may have been applied.
    /// - The error of the work. If it is an [`Error`] of dyno, that error; any other is
    ///   [`ErrorKind::Aborted`](crate::ErrorKind::Aborted), and [`closure_error`](Error::closure_error) returns it. The writes that the work has sent stay applied. If the release has failed as
    ///   well, the message says so, and when the lock is free.
    pub async fn run<T, E>(
        &self,
        repository: &Repository,
        work: impl AsyncFnOnce(&Held) -> Result<T, E>,
    ) -> Result<T, Error>
    where
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        let held = self.acquire(repository).await?;
        let done = held.during(work(&held)).await?;
        let released = held.release().await;
        done.map_err(|error| {
            let error = Error::of_closure(error.into());
            match released {
                Ok(_) => error,
                Err(release) => error.and(&release),
            }
        })
    }
}
