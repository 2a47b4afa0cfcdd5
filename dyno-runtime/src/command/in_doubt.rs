//! A transaction in doubt: for how long `send` itself goes on asking DynamoDB what became of it.
//!
//! Asking is sending the same transaction again: by its token, its write ids or its lane, it is applied once.

use crate::error::{Error, ErrorKind};
use crate::exchange::{BackOff, Moment, Repository};
use std::time::Duration;

/// For how long, unless it is said otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The pauses between the questions.
pub(super) struct InDoubt<'a> {
    repository: &'a Repository,
    timeout: Duration,
    since: Option<Moment>,
    pauses: BackOff<'a>,
}

impl<'a> InDoubt<'a> {
    /// With this timeout; without one, 10 seconds for a client that retries, and none for one that does not.
    pub(super) fn new(repository: &'a Repository, timeout: Option<Duration>) -> Self {
        let config = repository.client().config();
        let retries = config.retry_config().is_none_or(|config| config.max_attempts() > 1);
        let timeout = timeout.unwrap_or(if retries { TIMEOUT } else { Duration::ZERO });
        Self { repository, timeout, since: None, pauses: BackOff::new(repository, u32::MAX) }
    }

    /// Whether to send the same transaction again, after a pause: the error leaves its outcome open, and there is time.
    pub(super) async fn ask_again(&mut self, error: &Error) -> bool {
        let is_final = matches!(error.kind(), ErrorKind::OutcomeUnknown | ErrorKind::TokenMismatch);
        if !error.may_be_applied() || is_final {
            return false;
        }
        let now = self.repository.moment();
        // A test's clock can stand still.
        let elapsed = self.since.get_or_insert(now).until(now).max(self.pauses.paused());
        elapsed < self.timeout && self.pauses.pause().await
    }
}
