//! Polls a table that DynamoDB is creating or changing in the background.

use crate::error::{Error, ErrorKind};
use crate::exchange::{Repository, sleep};
use aws_sdk_dynamodb::config::AsyncSleep as _;
use aws_sdk_dynamodb::types::TableStatus;
use std::time::Duration;

/// How long a table may take to become active. Usually it takes seconds.
pub(super) const WAIT: Duration = Duration::from_mins(5);

/// The first and the longest pause between two polls.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// The pauses between polls, each twice as long as the one before.
#[derive(Default)]
pub(super) struct Polls {
    last: Option<Duration>,
    pub(super) waited: Duration,
}

impl Polls {
    /// Waits before the next poll. If the client cannot sleep, the error says `what` it would wait for.
    pub(super) async fn pause(&mut self, repository: &Repository, what: impl Fn() -> String) -> Result<(), Error> {
        let Some(sleep) = sleep(repository) else {
            let message =
                format!("{}, and the client cannot wait, because its configuration has no `sleep_impl`", what());
            return Err(Error::new(ErrorKind::Service, message));
        };
        let pause = self.last.map_or(FIRST_PAUSE, |last| (last * 2).min(LONGEST_PAUSE));
        sleep.sleep(pause).await;
        self.last = Some(pause);
        self.waited += pause;
        Ok(())
    }

    /// Waits before the next poll because of an error, or returns the error if the pauses have reached the time `lasts`.
    pub(super) async fn pause_for(
        &mut self,
        repository: &Repository,
        error: Error,
        lasts: Duration,
    ) -> Result<(), Error> {
        if self.waited >= lasts || sleep(repository).is_none() {
            return Err(error);
        }
        self.pause(repository, || error.to_string()).await
    }
}

/// Returns `true` if a table of this status can become active without another request. An unknown status counts as such.
pub(super) fn is_temporary(status: &TableStatus) -> bool {
    !matches!(
        status,
        TableStatus::Deleting
            | TableStatus::Archiving
            | TableStatus::Archived
            | TableStatus::InaccessibleEncryptionCredentials
            | TableStatus::ReplicationNotAuthorized
    )
}
