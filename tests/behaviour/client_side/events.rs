//! The events of the commit protocol, which help to diagnose a stuck lane.

use super::{Account, account, bank, is_commit, name};
use crate::spans::subscribe;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Repository, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::{is_remote, pause};
use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};
use std::mem;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer};

/// The fields of one event, and its message.
#[derive(Debug, Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

/// Keeps the events that name a lane, in order.
#[derive(Clone, Debug, Default)]
struct Events(Arc<Mutex<Vec<Fields>>>);

impl<S: tracing::Subscriber> Layer<S> for Events {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        if event.metadata().target().starts_with("dyno") && fields.0.contains_key("lane") {
            self.0.lock().expect("no panic").push(fields);
        }
    }
}

impl Events {
    /// Returns the events since the last call: for each, its lane, the attempt, the message, the state, and further fields.
    fn take(&self) -> Vec<String> {
        let events = mem::take(&mut *self.0.lock().expect("no panic"));
        let text = |Fields(fields): Fields| {
            let mut text = String::new();
            for name in ["lane", "attempt", "message", "state", "participants", "table"] {
                if let Some(value) = fields.get(name) {
                    let separator = if text.is_empty() { "" } else { " " };
                    let _ = write!(text, "{separator}{value}");
                }
            }
            let is_named = |id: &String| id.starts_with(&format!("{}/", fields["lane"]));
            assert!(fields.get("transaction").is_none_or(is_named), "{fields:?}");
            text
        };
        events.into_iter().map(text).collect()
    }
}

/// Moves 1 from the first account to the second.
async fn transfer(repository: &Repository) -> Result<(), dyno::Error> {
    let balance = || Account::fields().balance;
    let (from, to) = (Account::update(name(0)).unchecked(), Account::update(name(1)).unchecked());
    let both = Transaction::new().update(from.with(balance().decrement(1))).update(to.with(balance().increment(1)));
    both.client_side().send(repository).await?.applied().map(|_| ())
}

#[tokio::test]
async fn an_attempt_reports_each_state_that_it_reaches() {
    let world = bank(2).await;
    let events = Events::default();
    let _guard = subscribe(events.clone());
    transfer(&world.repository).await.expect("applied");
    let went_on = "1 1 a transaction attempt reached the next state";
    let resolved = "1 1 resolved an intent rolled forward accounts";
    let expected = [
        format!("{went_on} prewritten 2"),
        format!("{went_on} validated 2"),
        format!("{went_on} committed 2"),
        resolved.to_owned(),
        resolved.to_owned(),
        format!("{went_on} rolled forward 2"),
    ];
    assert_eq!(events.take(), expected);
}

#[tokio::test]
async fn a_refused_attempt_reports_its_abort() {
    let world = bank(1).await;
    let events = Events::default();
    let _guard = subscribe(events.clone());
    let creates = Transaction::new().put(account(&name(0), 7).create()).put(account("new", 7).create());
    assert!(!creates.client_side().send(&world.repository).await.expect("sent").is_applied());
    let went_on = "1 1 a transaction attempt reached the next state";
    assert_eq!(events.take(), [format!("{went_on} aborting 2"), format!("{went_on} aborted 2")]);
}

#[tokio::test]
async fn a_process_reports_how_it_resolves_a_dead_process_s_intents() {
    pause();
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for is_committed in [true, false] {
        let world = bank(2).await;
        let (dead, next) = (world.process(RetryConfig::disabled()), world.process(RetryConfig::standard()));
        dead.faults.on_request(1, is_commit, if is_committed { Fault::DiesAfter } else { Fault::DiesBefore });
        assert!(dead.run(transfer(&dead.repository)).await.is_none());
        let events = Events::default();
        let _guard = subscribe(events.clone());
        let update = Account::update(name(0)).unchecked().with(Account::fields().balance.add(1));
        update.send(&next.repository).await.expect("sent").applied().expect("applied");
        let expected: &[&str] = if is_committed {
            &["1 1 resolved an intent rolled forward accounts"]
        } else {
            &["1 1 aborted a transaction attempt that held an item", "1 1 resolved an intent rolled back accounts"]
        };
        assert_eq!(events.take(), expected);
        // A process that needs a lane takes over the lane of the dead process. It finds lanes by eventually consistent
        // reads.
        next.faults.thaw_replica();
        next.clock.advance(61_000);
        transfer(&next.repository).await.expect("applied");
        let taken_over = events.take().into_iter().filter(|event| event.contains("took over a lane")).count();
        assert_eq!(taken_over, 1);
    }
}
