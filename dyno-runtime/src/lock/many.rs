//! Several locks at once: all of them, or none.

use super::held::{Held, while_held};
use super::lost::{Lost, Released};
use super::named::Lock;
use crate::error::Error;
use crate::exchange::{Repository, Sending};
use futures_util::future::{join, join_all, select_all};
use std::time::Duration;

/// Several locks, which are acquired in the order of their names. So two processes that acquire some of the same locks this way
/// never wait for each other.
#[derive(Clone, Debug)]
#[must_use = "locks are not held until they are acquired"]
pub struct Locks {
    locks: Vec<Lock>,
    wait: Option<Duration>,
}

impl Lock {
    /// Combines these locks: they are acquired all or none.
    pub fn many(locks: impl IntoIterator<Item = Self>) -> Locks {
        let mut locks: Vec<Self> = locks.into_iter().collect();
        locks.sort_by(|one, other| one.name.cmp(&other.name));
        Locks { locks, wait: None }
    }
}

impl Locks {
    /// Limits the wait for all of the locks together, including requests that are not answered: see [`Lock::wait`].
    pub fn wait(mut self, limit: Duration) -> Self {
        self.wait = Some(limit);
        self
    }

    /// Acquires all of the locks, one after the other, as [`Lock::acquire`] does. While it waits for the next one, it keeps those
    /// that it already holds. If one of these is lost meanwhile, it releases all of them and begins again.
    ///
    /// # Errors
    /// Those of [`Lock::acquire`]; and, before any request, [`is_invalid_input`](Error::is_invalid_input): no locks, or the same
    /// name twice.
    #[must_use = "nothing is sent until it is awaited"]
    pub fn acquire<'a>(&'a self, repository: &'a Repository) -> Sending<'a, AllHeld> {
        Box::pin(async move {
            let begun = repository.clock().monotonic();
            loop {
                if let Some(held) = self.acquire_once(repository, begun).await? {
                    return Ok(held);
                }
            }
        })
    }

    fn check(&self, repository: &Repository) -> Result<(), Error> {
        if self.locks.is_empty() {
            return Err(Error::invalid("there is no lock to acquire: give `Lock::many` at least one"));
        }
        if let Some(pair) = self.locks.windows(2).find(|pair| pair[0].name == pair[1].name) {
            return Err(Error::invalid(format!(
                "the lock `{}` is given twice, so the program would wait for itself: give it once",
                pair[0].name
            )));
        }
        self.locks.iter().try_for_each(|lock| lock.check(repository).map(drop))
    }

    /// Acquires all of the locks, or returns `None` if one was lost meanwhile.
    async fn acquire_once(&self, repository: &Repository, begun: Duration) -> Result<Option<AllHeld>, Error> {
        self.check(repository)?;
        let mut all = AllHeld(Vec::new());
        for lock in &self.locks {
            let mut lock = lock.clone();
            if let Some(limit) = self.wait {
                let waited = repository.clock().monotonic().saturating_sub(begun);
                // With a limit of zero, a look could take any time.
                let least = Duration::from_millis(1).min(limit);
                lock = lock.wait(limit.saturating_sub(waited).max(least));
            }
            match all.during(lock.acquire(repository)).await {
                Ok(Ok(held)) => all.0.push(held),
                Ok(Err(error)) => {
                    // A lock that is not released becomes free when its lease runs out.
                    let _ = all.release().await;
                    return Err(error);
                }
                Err(_) => {
                    let _ = all.release().await;
                    return Ok(None);
                }
            }
        }
        Ok(Some(all))
    }
}

/// Several locks that are held.
#[derive(Debug)]
#[must_use = "dropped, the locks are free only when their leases have run out"]
pub struct AllHeld(Vec<Held>);

impl AllHeld {
    /// Returns the lock of this name, if it is one of them.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Held> {
        self.0.iter().find(|held| held.name() == name)
    }

    /// Returns all of the locks, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Held> {
        self.0.iter()
    }

    /// Sends the heartbeats of all locks: see [`Held::drive`].
    pub fn drive(&self) -> impl Future<Output = ()> + Send + use<> {
        let drives = join_all(self.0.iter().map(Held::drive));
        async move {
            drives.await;
        }
    }

    /// Waits until one of the locks is lost, for `select!`. Returns which, and the reason.
    pub async fn lost(&self) -> Lost {
        select_all(self.0.iter().map(|held| Box::pin(held.lost()))).await.0
    }

    /// Does this work while all of the locks are held: see [`Held::during`].
    ///
    /// # Errors
    /// One of the locks was lost before the work was done.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> Result<T, Lost> {
        if self.0.is_empty() {
            return Ok(work.await);
        }
        while_held(work, join(self.drive(), self.lost()), || self.0.iter().find_map(|held| held.left().err())).await
    }

    /// Releases all of the locks, the last one first. If one release fails, the others are still tried.
    ///
    /// If you drop the future, some of the locks may not be released. They are free one lease later.
    ///
    /// # Errors
    /// The first error, after all were tried. A lock that was not released becomes free when its lease runs out.
    #[must_use = "nothing is sent until it is awaited"]
    pub fn release(self) -> Sending<'static, Released> {
        Box::pin(async move {
            let mut all = Ok(Released::Free);
            for held in self.0.into_iter().rev() {
                let released = held.release().await;
                all = match (all, released) {
                    (Ok(Released::Free), released) => released,
                    (Ok(Released::Lost), Ok(_)) => Ok(Released::Lost),
                    (Err(error), _) | (_, Err(error)) => Err(error),
                };
            }
            all
        })
    }
}
