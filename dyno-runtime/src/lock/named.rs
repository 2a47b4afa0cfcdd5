//! A lock that can be acquired, and its options.

use super::acquire::Acquiring;
use super::held::{Held, Inspection};
use super::lease_duration::Term;
use super::lock_row::{LockRow, ReadRow};
use super::observation::ObservedRow;
use crate::attribute::Value;
use crate::error::foreign_text::value;
use crate::error::{EncodeError, Error};
use crate::exchange::{Repository, Sending};
use crate::table::{Differences, TableOptions};
use aws_sdk_dynamodb::types::AttributeValue;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);

/// A lock, identified by its name: only one process at a time can hold it.
///
/// A `Lock` is a value that sends nothing until you acquire it. Its clones share what they have read of the lock's row.
#[derive(Clone, Debug)]
#[must_use = "a lock is not held until it is acquired"]
pub struct Lock {
    pub(super) name: String,
    pub(super) lease: Duration,
    pub(super) wait: Option<Duration>,
    /// The most by which the wall clocks of any two programs differ; `None` if observations are not kept in the row.
    pub(super) max_skew: Option<Duration>,
    pub(super) owner: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) data: Result<Option<AttributeValue>, EncodeError>,
    /// The row as clones have last read it.
    pub(super) last_row: Arc<Mutex<Option<ReadRow>>>,
}

impl Lock {
    /// Creates the lock with this name, which has 1 to 2,048 bytes.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            lease: LEASE,
            wait: None,
            max_skew: None,
            owner: None,
            reason: None,
            data: Ok(None),
            last_row: Arc::default(),
        }
    }

    /// Sets how long the lock stays held without a heartbeat: 1 second to 24 hours, 10 seconds by default. If a holder crashes,
    /// the next one waits for this long. Three heartbeats are sent in this time.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Limits the wait, including requests that are not answered. After this time, [`acquire`](Self::acquire) ends in an error,
    /// which [`is_contended`](crate::Error::is_contended) if another process held the lock. With a limit of zero, dyno looks at
    /// the lock once, and waits for the answer as long as the client does.
    pub fn wait(mut self, limit: Duration) -> Self {
        self.wait = Some(limit);
        self
    }

    /// Lets programs that start anew each time, such as cron jobs and functions, take the lock over from a holder that has
    /// crashed.
    ///
    /// A waiter takes a lock over when it has seen the row unchanged for one lease. A program that ends earlier never does,
    /// however often it runs. With this option, the first look of each acquisition that finds the lock held writes the row's
    /// version and the time into the row, unless they are already stored. A later program that finds the same version takes the
    /// lock over when its wall clock shows that a lease and twice `max_skew` have passed since.
    ///
    /// `max_skew` is the most by which the wall clocks of any two programs that use the lock ever differ. If they differ by more,
    /// two programs can both believe that they hold the lock; the [fences](Held::fence) tell them apart. An observation by a
    /// clock that is further ahead is ignored, and replaced.
    ///
    /// It costs one write unit for each heartbeat that is observed. Every program that starts anew must call it; the holder need
    /// not.
    pub fn persist_observations(mut self, max_skew: Duration) -> Self {
        self.max_skew = Some(max_skew);
        self
    }

    /// Names the holder, for [`inspect`](Self::inspect).
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// States why the lock is held.
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// States any further data: a number, a text, a map, a [`Document`](crate::Document).
    pub fn data(mut self, data: &impl Value) -> Self {
        self.data = data.encode().map(Some);
        self
    }

    /// Waits until the lock is free or its holder is considered dead, and acquires it. See [the module](crate::lock).
    ///
    /// dyno looks at the row with `GetItem`, at least every two seconds (four times in a lease below 8 seconds), for one read
    /// unit each. Then it sends one `PutItem` or `UpdateItem` of one write unit.
    ///
    /// Waiters have no order: the first one that looks after a release acquires the lock. A program that releases the lock and
    /// acquires it again at once is usually the first. If others wait, let it pause for longer than two seconds, or than a
    /// quarter of the lease if that is less.
    ///
    /// A temporary failure of a request (no answer, throttling, an error within DynamoDB) does not end the wait: dyno looks
    /// again, until the limit, or, without a limit, until all requests have failed for a minute.
    ///
    /// If you drop the future, the lock may be acquired nevertheless: it is then free again one lease later.
    ///
    /// # Errors
    /// - [`is_invalid_input`](Error::is_invalid_input), before any request: DynamoDB cannot store the name, or the lease is too
    ///   short or too long.
    /// - [`is_contended`](Error::is_contended): others held the lock for the whole [wait](Self::wait). The message says when the
    ///   lock is free, if its holder has crashed.
    /// - [`may_be_applied`](Error::may_be_applied): the write that acquires the lock was not answered in time. If it was applied,
    ///   the lock is free again one lease later.
    /// - [`is_decode`](Error::is_decode): the row is not that of a lock; it is left as it is.
    /// - Any error of DynamoDB.
    pub fn acquire<'a>(&'a self, repository: &'a Repository) -> Sending<'a, Held> {
        Box::pin(async move { Acquiring::new(self, &repository.without_delay())?.acquire().await })
    }

    /// Acquires the lock if it is free or its holder is considered dead; `None` if another process holds it. It does not wait.
    ///
    /// One look does not tell whether a holder is alive. If another process holds the lock, this value and its clones remember
    /// the look: a look one lease later that finds the row unchanged acquires the lock. A program that starts anew each time
    /// remembers nothing, and never acquires the lock of a holder that has crashed, unless it calls
    /// [`persist_observations`](Self::persist_observations). With `wait(Duration::ZERO)`, [`acquire`](Self::acquire) does the
    /// same, and its error says when the lock is free.
    ///
    /// If you drop the future, the lock may be acquired nevertheless: it is then free again one lease later.
    ///
    /// # Errors
    /// Those of [`acquire`](Self::acquire), except contention.
    pub fn try_acquire<'a>(&'a self, repository: &'a Repository) -> Sending<'a, Option<Held>> {
        Box::pin(async move { Acquiring::new(self, &repository.without_delay())?.try_acquire().await })
    }

    /// Reads the lock's row: one `GetItem`. For operators: the lock may have another holder by the time that you read the result.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// [`is_decode`](Error::is_decode): the row is not that of a lock. And any error of DynamoDB.
    pub fn inspect<'a>(&'a self, repository: &'a Repository) -> Sending<'a, Option<Inspection>> {
        Box::pin(async move {
            let row = LockRow::get(&self.name).consistent().send(repository).await;
            let read = row.map_err(|error| {
                error.without_command().of(&format!("the lock `{}` was not read", value(&self.name)))
            })?;
            Ok(read.map(Inspection::new))
        })
    }

    /// Creates the table of the locks, as [`create_table`](Repository::create_table) does.
    ///
    /// # Errors
    /// Those of [`create_table`](Repository::create_table).
    pub async fn create_table(repository: &Repository) -> Result<(), Error> {
        repository.create_table::<LockRow>().await
    }

    /// Creates the table of the locks with these options.
    ///
    /// # Errors
    /// Those of [`create_table`](Repository::create_table).
    pub async fn create_table_with(repository: &Repository, options: &TableOptions) -> Result<(), Error> {
        repository.create_table_with::<LockRow>(options).await
    }

    /// Reports how the table of the locks differs from what it must be, as [`verify_table`](Repository::verify_table) does.
    ///
    /// # Errors
    /// Those of [`verify_table`](Repository::verify_table).
    pub async fn verify_table(repository: &Repository) -> Result<Differences, Error> {
        repository.verify_table::<LockRow>().await
    }

    /// Refuses a lock whose name or data cannot be stored, or whose lease is out of range. Returns the length of its lease.
    pub(super) fn check(&self, repository: &Repository) -> Result<Term, Error> {
        if let Err(error) = &self.data {
            return Err(Error::invalid(format!("the data of the lock `{}`: {error}", self.name)));
        }
        let term = Term::new(self.lease, repository).map_err(|error| error.of(&format!("the lock `{}`", self.name)))?;
        // Making the request checks the key.
        LockRow::get(&self.name).request(repository)?;
        Ok(term)
    }
}

impl Repository {
    /// Sets the name of the table of the [locks](crate::lock), exactly as given and without the prefix. The default is
    /// `dyno-locks` after the prefix.
    #[must_use]
    pub fn with_lock_table(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.with_table::<LockRow>(name.clone()).with_table::<ObservedRow>(name)
    }
}
