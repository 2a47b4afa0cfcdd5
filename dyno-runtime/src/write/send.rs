//! A write is sent, and DynamoDB's answer is read.

use super::command::{AGAIN, Applied, Terms, WriteCommand, Written};
use super::transmit::{Sent, no_request, transmit};
use super::{elements, keys, versioned};
use crate::error::Error;
use crate::exchange::{Attempts, Repository, Request, span};
use crate::rule;
use crate::rule::{Phase, Refused, Verb, Verdict};
use crate::schema::{Store, Tables};
use aws_sdk_dynamodb::types::ReturnValue;
use tracing::Instrument as _;

impl WriteCommand {
    /// The request, to be shown or sent by hand.
    pub(crate) fn request(
        &self,
        repository: &Repository,
        tables: Tables,
        returns: Option<ReturnValue>,
    ) -> Result<Request, Error> {
        if versioned::is_transaction(self) {
            let shown = versioned::request(self, repository, tables, returns);
            return shown.map_err(|error| error.with_context(|| self.context()));
        }
        let is_row = self.key_of_update.is_some() && matches!(self.schema.key_store(), Some(Store::Row { .. }));
        let hidden = if elements::is_read_first(self) {
            Some("`remove_value` has no request of its own: where the element is must be read first, as `send` does")
        } else if is_row {
            Some("an idempotency key in a row of its own makes a transaction of the update, which cannot be shown")
        } else {
            None
        };
        if let Some(message) = hidden {
            return Err(Error::invalid(message).with_context(|| self.context()));
        }
        let prepared = self.expected().and_then(|expected| {
            let (table, now) = (tables.main, repository.now());
            let terms = Terms { table, now, returns, expected, phase: Phase::default() };
            elements::located(self, None).command.prepare(terms)
        });
        let request = prepared.and_then(|(row, _)| row.fluent(repository.client()).request().ok_or_else(no_request));
        request.map_err(|error| error.with_context(|| self.context()))
    }

    /// Sends the request and reads the answer: one request, whatever the outcome. (Versions can take more: see
    /// `versioned`; so can keys: see `keys`; some changes are made for what is there: see `elements`.)
    pub(crate) async fn send(
        self,
        repository: &Repository,
        tables: Tables,
        returns: Option<ReturnValue>,
    ) -> Result<Written, Error> {
        if elements::is_needed(&self) {
            return elements::send(self, repository, tables, returns).await;
        }
        if self.versioned.is_some() {
            return versioned::send(self, repository, tables, returns).await;
        }
        let context = self.context();
        let span = span(self.schema, self.operation(), &tables.main);
        let own_condition = self.condition.is_some();
        let is_rewrite = self.verb == Verb::Rewrite;
        let attempts = Attempts::default();
        let is_lost = || is_rewrite && attempts.may_be_applied();
        let sent = if self.key_of_update.is_some() {
            keys::exchange(self, repository, tables, returns).instrument(span.clone()).await
        } else {
            let (table, now) = (tables.main, repository.now());
            let (about, repeat) = (self.about(), self.repeat());
            match self.prepare(Terms { table, now, returns, expected: None, phase: Phase::default() }) {
                Ok((row, write)) => {
                    let sent = transmit(repository, about, row, &attempts, repeat).instrument(span.clone()).await;
                    sent.map(|sent| (sent, write))
                }
                Err(error) => Err(error),
            }
        };
        match sent {
            Ok((Sent::Applied(item), write)) => {
                span.record("outcome", "applied");
                Ok(Written::Applied(Applied { item, version: None, now: write.now }))
            }
            Ok((Sent::Refused(item), write)) => {
                match rule::read_refusal(&write, item.as_ref(), own_condition) {
                    Verdict::Applied => {
                        span.record("outcome", "applied");
                        Ok(Written::Applied(Applied { item, version: None, now: write.now }))
                    }
                    // Phases have been settled by the exchange.
                    Verdict::InPhase(_) => {
                        span.record("outcome", "error");
                        Err(keys::unsettled().with_context(|| context))
                    }
                    Verdict::Refused { reasons, moot } => {
                        span.record("outcome", "refused");
                        let in_doubt = is_lost();
                        Ok(Written::Refused(Refused { reasons, moot, item, now: write.now, context, in_doubt }))
                    }
                }
            }
            Err(error) => {
                span.record("outcome", "error");
                let error = if is_lost() { error.of_a_lost_change() } else { attempts.recall(error, AGAIN) };
                Err(error.with_context(|| context))
            }
        }
    }
}
