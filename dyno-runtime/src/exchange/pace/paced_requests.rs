//! How the requests of a repository's handle keep its pace.

use crate::error::Error;
use crate::exchange::pace::{Kind, Pace, Pacing, Reservation};
use crate::exchange::repository::Repository;
use crate::exchange::request::request_subject::About;
use crate::exchange::send::back_off::sleep;
use aws_sdk_dynamodb::config::AsyncSleep as _;
use std::time::Duration;

impl Repository {
    /// Returns the same repository, whose commands together use at most so many capacity units a second: for work that must leave
    /// capacity to others, such as a `modify_each` over a table, a backfill, or an `inspect_table`. Clones share the pace.
    ///
    /// ```no_run
    /// # use dyno::{Entity, Pace, Repository};
    /// # #[derive(Entity)] #[entity(table = "ratings")] struct Rating { #[partition_key] id: String, stars: u8 }
    /// # #[cfg(feature = "bulk")]
    /// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
    /// let paced = repository.paced(Pace::new().read_units(25.0).write_units(20.0));
    /// let clamp = |rating: &mut Rating| rating.stars = rating.stars.clamp(1, 5);
    /// let progress = Rating::scan().modify_each(clamp).send(&paced).await?.completed()?;
    /// # Ok(()) }
    /// ```
    ///
    /// Each request waits until the ones before it are paid for, by the units that DynamoDB reports. Pages of queries and scans are
    /// made so small that one costs about half a second's worth, so a `send` without a limit returns fewer items. If DynamoDB
    /// throttles a request, the next ones wait a second longer; the pace stays what it is. Idle time saves up one second's worth.
    ///
    /// Requests that others wait for are counted and not delayed: those of a lock, and those of a client-side transaction from its
    /// first write on. A future that is dropped while it waits costs nothing.
    ///
    /// The pace holds in this process. If several processes share a table, divide it. Time is the monotonic time of the
    /// repository's [`Clock`](crate::Clock), so with a [`ManualClock`](crate::ManualClock) nothing is paid off until the clock is
    /// advanced. If a rate is not more than 0, each command is refused ([`Error::is_invalid_input`]).
    #[must_use]
    pub fn paced(&self, pace: Pace) -> Self {
        let mut paced = self.clone();
        paced.pacing = Some(Pacing::new(pace));
        paced
    }

    pub(crate) fn is_paced(&self) -> bool {
        self.pacing.is_some()
    }

    /// Returns the same repository, whose requests are counted by the pace but not delayed.
    pub(crate) fn without_delay(&self) -> Self {
        let mut undelayed = self.clone();
        undelayed.pacing = self.pacing.as_ref().map(Pacing::without_delay);
        undelayed
    }

    /// Waits until the pace lets the next write be sent.
    pub(crate) async fn wait_for_write(&self) -> Result<(), Error> {
        match &self.pacing {
            None => Ok(()),
            Some(pacing) => {
                pacing.check()?;
                pause(self, pacing.wait(Kind::Write, self.moment().monotonic)).await
            }
        }
    }

    /// Returns the most items of a page of this operation, if there is a pace.
    pub(crate) fn items_of_page(&self, operation: &'static str, table: &str) -> Option<usize> {
        self.pacing.as_ref()?.items_of_page(&(operation, table.to_owned()))
    }
}

/// Waits until the pace lets a request be sent, and reserves its units.
pub(in crate::exchange) async fn reserve(
    repository: &Repository,
    operation: &'static str,
    about: &About<'_>,
) -> Result<Option<Reservation>, Error> {
    let Some((pacing, kind)) = repository.pacing.as_ref().zip(Kind::of(operation)) else { return Ok(None) };
    pacing.check()?;
    let (reserved, wait) = pacing.reserve(kind, about.latency_key(operation), repository.moment().monotonic);
    pause(repository, wait).await?;
    Ok(Some(reserved.sent()))
}

async fn pause(repository: &Repository, wait: Duration) -> Result<(), Error> {
    if wait.is_zero() {
        return Ok(());
    }
    let sleep = sleep(repository).ok_or_else(|| {
        Error::invalid(
            "a pace makes requests wait, and the client cannot sleep: give its configuration a `sleep_impl`, or run it on tokio",
        )
    })?;
    sleep.sleep(wait).await;
    Ok(())
}
