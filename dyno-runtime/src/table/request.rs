//! Requests about a table: each is a span and a count, as those about items are. And the waiting for what DynamoDB does in
//! its own time, by looking again.
//!
//! (The SDK has a waiter for tables. It sends by itself, where nothing counts it, looks for the second time after 20
//! seconds, and waits to the end for what cannot come any more.)

use super::plan::Plan;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Repository, Usage, sleep, table_span};
use aws_sdk_dynamodb::config::AsyncSleep as _;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;
use aws_sdk_dynamodb::types::{IndexStatus, TableDescription, TableStatus};
use std::time::Duration;
use tracing::Instrument as _;

/// How long a table may take to become active; it is a matter of seconds.
const WAIT: Duration = Duration::from_mins(5);

/// How often it is looked whether something is there: at first, and at last.
const FIRST_LOOK: Duration = Duration::from_millis(500);
const LAST_LOOK: Duration = Duration::from_secs(20);

impl Repository {
    /// Has a request sent. Boxed where it is made, so that the futures around it stay small: the SDK's have many kilobytes.
    pub(super) fn about_table<'a, T, E: ProvideErrorMetadata, R>(
        &'a self,
        operation: &'static str,
        table: &'a str,
        request: impl Future<Output = Result<T, SdkError<E, R>>> + Send + 'a,
    ) -> impl Future<Output = Result<T, SdkError<E, R>>> + Send + 'a {
        Box::pin(async move {
            let span = table_span(operation, table);
            self.count(Usage::REQUEST);
            let answer = request.instrument(span.clone()).await;
            span.record("outcome", answer.as_ref().map_or_else(outcome, |_| "answered"));
            answer
        })
    }

    /// What is there; `None` if there is no table.
    pub(super) async fn describe(&self, table: &str) -> Result<Option<TableDescription>, Error> {
        let describe = self.client().describe_table().table_name(table).send();
        match self.about_table("describe_table", table, describe).await {
            Ok(described) => Ok(described.table),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(Error::sdk(error)),
        }
    }

    pub(super) async fn wait_until_active(&self, table: &str) -> Result<(), Error> {
        let mut looks = Looks::default();
        loop {
            let there = self.describe(table).await?;
            let status = there.as_ref().and_then(TableDescription::table_status);
            let is_over = match status {
                Some(TableStatus::Active) => return Ok(()),
                Some(status) => !is_passing(status),
                // Who has just made it may not see it yet.
                None => false,
            };
            let status = status.map_or("missing", TableStatus::as_str);
            if is_over {
                let message = format!(
                    "the table `{table}` is {status}, and does not become active by itself: call `create_table` again when it is gone or restored"
                );
                return Err(Error::new(ErrorKind::Service, message));
            }
            if looks.waited >= WAIT {
                let minutes = WAIT.as_secs() / 60;
                let message = format!(
                    "the table `{table}` is {status}, after {minutes} minutes still: call `create_table` again, which goes on"
                );
                return Err(Error::new(ErrorKind::Service, message));
            }
            looks.pause(self, || format!("the table `{table}` is {status}")).await?;
        }
    }

    pub(super) async fn wait_until_indexed(&self, table: &Plan, index: &str) -> Result<(), Error> {
        let mut looks = Looks::default();
        loop {
            let there = self.describe(&table.name).await?;
            let mut indexes = there.iter().flat_map(TableDescription::global_secondary_indexes);
            match indexes.find(|there| there.index_name() == Some(index)).map(|there| there.index_status()) {
                Some(Some(IndexStatus::Active)) => break,
                Some(_) => {}
                None => {
                    let message =
                        format!("the index `{index}` of the table `{}` was removed while it was made", table.name);
                    return Err(Error::new(ErrorKind::Service, message));
                }
            }
            looks.pause(self, || format!("the index `{index}` is not active yet")).await?;
        }
        self.wait_until_active(&table.name).await
    }
}

/// Pauses between looks, each twice as long as the one before.
#[derive(Default)]
struct Looks {
    last: Option<Duration>,
    waited: Duration,
}

impl Looks {
    /// Waits before the next look; what it waits for is said where it cannot.
    async fn pause(&mut self, repository: &Repository, what: impl Fn() -> String) -> Result<(), Error> {
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
}

/// Whether a table of this status becomes active in the end. What is not known may.
fn is_passing(status: &TableStatus) -> bool {
    !matches!(
        status,
        TableStatus::Deleting
            | TableStatus::Archiving
            | TableStatus::Archived
            | TableStatus::InaccessibleEncryptionCredentials
            | TableStatus::ReplicationNotAuthorized
    )
}

/// What a request that was not served as asked came to.
fn outcome<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> &'static str {
    match error.as_service_error().and_then(ProvideErrorMetadata::code) {
        // What is there already, or is not: no failure for who asks.
        Some("ResourceInUseException" | "ResourceNotFoundException") => "refused",
        _ => "error",
    }
}

fn is_missing<R>(error: &SdkError<DescribeTableError, R>) -> bool {
    matches!(error.as_service_error(), Some(DescribeTableError::ResourceNotFoundException(_)))
}
