//! Waiting for what DynamoDB does in its own time, by looking again.

use crate::error::{Error, ErrorKind};
use crate::exchange::{Repository, sleep};
use aws_sdk_dynamodb::config::AsyncSleep as _;
use aws_sdk_dynamodb::types::TableStatus;
use std::time::Duration;

/// How long a table may take to become active; it is a matter of seconds.
pub(super) const WAIT: Duration = Duration::from_mins(5);

/// How often it is looked whether something is there: at first, and at last.
const FIRST_LOOK: Duration = Duration::from_millis(500);
const LAST_LOOK: Duration = Duration::from_secs(20);

/// Pauses between looks, each twice as long as the one before.
#[derive(Default)]
pub(super) struct Looks {
    last: Option<Duration>,
    pub(super) waited: Duration,
}

impl Looks {
    /// Waits before the next look; what it waits for is said where it cannot.
    pub(super) async fn pause(&mut self, repository: &Repository, what: impl Fn() -> String) -> Result<(), Error> {
        let Some(sleep) = sleep(repository) else {
            let message = format!("{}, and the client cannot wait: it has no sleep", what());
            return Err(Error::new(ErrorKind::Service, message));
        };
        let pause = self.last.map_or(FIRST_LOOK, |last| (last * 2).min(LAST_LOOK));
        sleep.sleep(pause).await;
        self.last = Some(pause);
        self.waited += pause;
        Ok(())
    }

    /// Waits before the next look because of an error: the error itself, once the pauses were as long as it may last.
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

/// Whether a table of this status becomes active in the end. What is not known may.
pub(super) fn is_passing(status: &TableStatus) -> bool {
    !matches!(
        status,
        TableStatus::Deleting
            | TableStatus::Archiving
            | TableStatus::Archived
            | TableStatus::InaccessibleEncryptionCredentials
            | TableStatus::ReplicationNotAuthorized
    )
}
