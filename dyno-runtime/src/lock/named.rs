//! A lock that can be acquired, and what is said of it.

use super::acquire::Acquiring;
use super::held::{Held, Inspection};
use super::observation::ObservedRow;
use super::row::{LockRow, Seen};
use super::term::Term;
use crate::attribute::Value;
use crate::error::shown::value;
use crate::error::{EncodeError, Error};
use crate::exchange::Repository;
use crate::table::{Differences, TableOptions};
use aws_sdk_dynamodb::types::AttributeValue;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);

/// A lock by its name: whoever acquires it holds it alone.
///
/// A value, which sends nothing until it is acquired. Clones remember together what they have seen of the lock.
#[derive(Clone, Debug)]
#[must_use = "a lock is not held until it is acquired"]
pub struct Lock {
    pub(super) name: String,
    pub(super) lease: Duration,
    pub(super) wait: Option<Duration>,
    /// Whether observations are kept in the row, and by how much the wall clocks of any two programs differ at most.
    pub(super) max_skew: Option<Duration>,
    pub(super) owner: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) data: Result<Option<AttributeValue>, EncodeError>,
    pub(super) seen: Arc<Mutex<Option<Seen>>>,
}

impl Lock {
    /// The lock of this name: of up to 2,048 bytes, and not empty.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            lease: LEASE,
            wait: None,
            max_skew: None,
            owner: None,
            reason: None,
            data: Ok(None),
            seen: Arc::default(),
        }
    }

    /// For how long the lock stays held without a heartbeat: of 1 second to 24 hours, and 10 seconds unless this is said.
    /// Where a holder crashes, the next one waits for so long. Heartbeats go three times as often.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Waits for so long at most, also for a request that is not answered. Then [`acquire`](Self::acquire) ends in an error,
    /// [`is_contended`](crate::Error::is_contended) where another one was seen to hold the lock. With a limit of zero there is one
    /// look, which lasts as long as the client waits for its answer.
    pub fn wait(mut self, limit: Duration) -> Self {
        self.wait = Some(limit);
        self
    }

    /// Lets programs that start anew each time, such as cron jobs and functions, take the lock over from a holder that has
    /// crashed.
    ///
    /// A waiter takes a lock over when it has seen the row unchanged for one lease. A program that ends before never does, however
    /// often it runs. With this, the first look of each acquisition that finds the lock held writes the row's version and the time
    /// into the row, unless they stand there already. A later program that finds the same version takes the lock over, when its
    /// wall clock shows that a lease and twice `max_skew` have passed since.
    ///
    /// `max_skew` is what the wall clocks of any two programs that use the lock differ by at most, at any time. If they differ by
    /// more, two can believe that they hold the lock; the [fences](Held::fence) tell them apart. An observation by a clock that is
    /// further ahead is ignored, and replaced.
    ///
    /// It costs one write unit for each heartbeat that is observed. All programs that start anew call it; the holder need not.
    pub fn persist_observations(mut self, max_skew: Duration) -> Self {
        self.max_skew = Some(max_skew);
        self
    }

    /// Says who holds it, for [`inspect`](Self::inspect).
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// Says what it is held for.
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Says anything else: a number, a text, a map, a [`Document`](crate::Document).
    pub fn data(mut self, data: &impl Value) -> Self {
        self.data = data.encode().map(Some);
        self
    }

    /// Acquires the lock, and waits until it is free or its holder is taken for dead. See [the module](crate::lock).
    ///
    /// It looks at the row by `GetItem`, every two seconds at most (a lease below 8 seconds is looked at four times), which costs a
    /// read unit each; then there is one `PutItem` or `UpdateItem`, of one write unit.
    ///
    /// Waiters have no order: the first one that looks after a release acquires the lock. A program that releases it and acquires
    /// it again at once is mostly the first. Where others wait, let it pause for longer than two seconds, or a quarter of the
    /// lease if that is less.
    ///
    /// A request that fails for a reason that passes (no answer, throttling, an error of DynamoDB's own) does not end the wait: the
    /// lock is looked at again, until the limit, or, without one, until all requests have failed for a minute.
    ///
    /// Dropped, it may have acquired the lock all the same: then the lock is free again one lease later.
    ///
    /// # Errors
    /// [`is_invalid_input`](Error::is_invalid_input), before any request: a name or a lease that cannot be.
    /// [`is_contended`](Error::is_contended): others had it for as long as it was [waited for](Self::wait). The message says when
    /// the lock is free, if its holder has crashed.
    /// [`may_be_applied`](Error::may_be_applied): the write that acquires it was not answered in time. If it was applied, the lock
    /// is free again one lease later.
    /// [`is_decode`](Error::is_decode): the row is not that of a lock; it is left as it is. And what DynamoDB answers.
    pub async fn acquire(&self, repository: &Repository) -> Result<Held, Error> {
        Acquiring::new(self, repository)?.acquire().await
    }

    /// Acquires the lock, if it is free or its holder is taken for dead; `None`, if others hold it. It does not wait.
    ///
    /// One look does not tell whether a holder is alive. Where others hold the lock, the look is remembered, by this value and
    /// its clones: one that comes a lease later, and finds it unchanged, acquires it. A program that starts anew each time
    /// remembers nothing, and never acquires the lock of a holder that has crashed, unless it calls
    /// [`persist_observations`](Self::persist_observations). With `wait(Duration::ZERO)`, [`acquire`](Self::acquire) does the same,
    /// and its error says when the lock is free.
    ///
    /// # Errors
    /// Those of [`acquire`](Self::acquire), but for contention.
    pub async fn try_acquire(&self, repository: &Repository) -> Result<Option<Held>, Error> {
        Acquiring::new(self, repository)?.try_acquire().await
    }

    /// Reads what the row of the lock says: one `GetItem`. For operators: by the time that it is read, it may be another's.
    ///
    /// # Errors
    /// [`is_decode`](Error::is_decode): the row is not that of a lock. And what DynamoDB answers.
    pub async fn inspect(&self, repository: &Repository) -> Result<Option<Inspection>, Error> {
        let row = LockRow::get(&self.name).consistent().send(repository).await;
        let read =
            row.map_err(|error| error.without_command().of(&format!("the lock `{}` was not read", value(&self.name))))?;
        Ok(read.map(Inspection::new))
    }

    /// Makes the table of the locks, as [`create_table`](Repository::create_table) does.
    ///
    /// # Errors
    /// Those of [`create_table`](Repository::create_table).
    pub async fn create_table(repository: &Repository) -> Result<(), Error> {
        repository.create_table::<LockRow>().await
    }

    /// The same with these options.
    ///
    /// # Errors
    /// Those of [`create_table`](Repository::create_table).
    pub async fn create_table_with(repository: &Repository, options: &TableOptions) -> Result<(), Error> {
        repository.create_table_with::<LockRow>(options).await
    }

    /// What the table of the locks lacks, as [`verify_table`](Repository::verify_table) says it.
    ///
    /// # Errors
    /// Those of [`verify_table`](Repository::verify_table).
    pub async fn verify_table(repository: &Repository) -> Result<Differences, Error> {
        repository.verify_table::<LockRow>().await
    }

    /// Refuses what cannot be acquired. The length of its lease.
    pub(super) fn check(&self, repository: &Repository) -> Result<Term, Error> {
        if let Err(error) = &self.data {
            return Err(Error::invalid(format!("the data of the lock `{}`: {error}", self.name)));
        }
        let term = Term::new(self.lease, repository)?;
        // Its key is checked with it.
        LockRow::get(&self.name).request(repository)?;
        Ok(term)
    }
}

impl Repository {
    /// Gives the table of the [locks](crate::lock) this name, as it is, without the prefix. By default it is `dyno-locks`
    /// behind the prefix.
    #[must_use]
    pub fn with_lock_table(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.with_table::<LockRow>(name.clone()).with_table::<ObservedRow>(name)
    }
}
