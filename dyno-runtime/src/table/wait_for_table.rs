//! Waits for what DynamoDB does in the background, by looking again.

use crate::error::{Error, ErrorKind};
use crate::exchange::{Repository, sleep};
use aws_sdk_dynamodb::config::AsyncSleep as _;
use aws_sdk_dynamodb::types::TableStatus;
use std::time::Duration;

/// How long a table may take to become active. Usually it takes seconds.
pub(super) const WAIT: Duration = Duration::from_mins(5);

/// The first and the longest pause between two looks.
const FIRST_LOOK: Duration = Duration::from_millis(500);
const LAST_LOOK: Duration = Duration::from_secs(20);

/// Pauses between looks, each twice as long as the one before.
#[derive(Default)]
pub(super) struct Looks {
    last: Option<Duration>,
    pub(super) waited: Duration,
}

impl Looks {
    /// Waits before the next look. If the client cannot sleep, the error says `what` it waits for.
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

    /// Waits before the next look because of an error. Returns the error itself when the pauses have reached the time that it may
    /// last.
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

/// Returns `true` if a table of this status becomes active in the end. An unknown status may.
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
