//! A transaction in doubt: the time for which `send` itself keeps asking DynamoDB for the outcome.
//!
//! To ask, it sends the same transaction again. Its token, its write ids or its lane row make sure that it is applied once.

use crate::error::{Error, ErrorKind};
use crate::exchange::{BackOff, Moment, Repository};
use std::time::Duration;

/// The default time.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The pauses between the requests.
pub(in crate::command) struct InDoubt<'a> {
    repository: &'a Repository,
    timeout: Duration,
    since: Option<Moment>,
    pauses: BackOff<'a>,
}

impl<'a> InDoubt<'a> {
    /// Uses this timeout; without one, 10 seconds for a client that retries, and none for a client that does not.
    pub(in crate::command) fn new(repository: &'a Repository, timeout: Option<Duration>) -> Self {
        let config = repository.client().config();
        let retries = config.retry_config().is_none_or(|config| config.max_attempts() > 1);
        let timeout = timeout.unwrap_or(if retries { TIMEOUT } else { Duration::ZERO });
        Self { repository, timeout, since: None, pauses: BackOff::new(repository, u32::MAX) }
    }

    /// Pauses and returns `true` if the same transaction is to be sent again: the error leaves its outcome open, and there is
    /// time.
    pub(in crate::command) async fn ask_again(&mut self, error: &Error) -> bool {
        let is_final = matches!(error.kind(), ErrorKind::OutcomeUnknown | ErrorKind::TokenMismatch);
        if !error.may_be_applied() || is_final {
            return false;
        }
        let now = self.repository.moment();
        let elapsed = self.pauses.waited(*self.since.get_or_insert(now));
        elapsed < self.timeout && self.pauses.pause().await
    }
}
