//! The tests of the example `subscriptions`. Those of the five tasks run them in both versions.

mod every_fault;
mod explored;
mod lines;
mod rules;

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::local::{Engine, Faults};
use dyno::lock::Lock;
use dyno::{EpochMillis, Error, Repository};
use dyno_examples::subscriptions::{Customer, Meter, Payment, Progress, by_hand, create_tables, tasks};
use std::collections::BTreeSet;

/// The two versions of the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Commands,
    ByHand,
}

impl Version {
    const BOTH: [Self; 2] = [Self::Commands, Self::ByHand];

    async fn import(self, repository: &Repository, rows: &[Customer], progress: &mut Progress) -> Result<(), Error> {
        match self {
            Self::Commands => tasks::import(repository, rows, progress).await,
            Self::ByHand => by_hand::import(repository, rows, progress).await,
        }
    }

    async fn each_customer(
        self,
        repository: &Repository,
        after: Option<&str>,
        work: impl AsyncFnMut(Customer, Option<String>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self {
            Self::Commands => tasks::each_customer(repository, after, work).await,
            Self::ByHand => by_hand::each_customer(repository, after, work).await,
        }
    }

    async fn book(self, repository: &Repository, payment: &Payment) -> Result<bool, Error> {
        match self {
            Self::Commands => tasks::book(repository, payment).await,
            Self::ByHand => by_hand::book(repository, payment).await,
        }
    }

    async fn restore(self, repository: &Repository, id: &str) -> Result<Option<Customer>, Error> {
        match self {
            Self::Commands => tasks::restore(repository, id).await,
            Self::ByHand => by_hand::restore(repository, id).await,
        }
    }

    async fn close(self, repository: &Repository, month: &str) -> Result<(), Error> {
        match self {
            Self::Commands => tasks::close(repository, month, &lock()).await,
            Self::ByHand => by_hand::close(repository, month, &lock()).await,
        }
    }
}

fn lock() -> Lock {
    Lock::new("closing")
}

/// A database with the tables, a process that can meet faults, and one that meets none.
struct World {
    faults: Faults,
    repository: Repository,
    calm: Repository,
}

impl World {
    async fn new() -> Result<Self, Error> {
        let (engine, faults) = (Engine::in_memory()?, Faults::new());
        let (repository, calm) = (Repository::new(engine.client_with(&faults)), Repository::new(engine.client()));
        create_tables(&calm).await?;
        Ok(Self { faults, repository, calm })
    }
}

fn customer(id: &str) -> Customer {
    let email = format!("{id}@example.com");
    Customer { id: id.into(), email, monthly_fee_cents: 1_000, cents_per_call: 2, version: 0 }
}

fn payment(id: &str, cents: u64) -> Payment {
    Payment { id: id.into(), invoice: 1, cents, received: EpochMillis::default() }
}

fn meter(customer: &str, calls: u64, at: i64) -> Meter {
    Meter { customer: customer.into(), calls, at: EpochMillis::new(at) }
}

/// Returns the rows of all tables as text, except for the lock's and for how far a closing is. Left out are write ids and times,
/// which differ from run to run.
async fn rows(world: &World) -> BTreeSet<String> {
    let client = world.calm.client();
    let tables = client.list_tables().send().await.expect("the tables").table_names.unwrap_or_default();
    let mut rows = BTreeSet::new();
    for table in tables.into_iter().filter(|table| !["closings", "dyno-locks"].contains(&&**table)) {
        let scan = client.scan().table_name(&table).consistent_read(true).into_paginator().items().send();
        for item in scan.collect::<Result<Vec<_>, _>>().await.expect("a scan") {
            rows.insert(format!("{table}: {}", text(&AttributeValue::M(item))));
        }
    }
    rows
}

fn text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::M(map) => {
            let mut members: Vec<_> = map.iter().collect();
            members.retain(|(name, _)| !["_w", "received", "ttl"].contains(&&***name));
            members.sort_by_key(|(name, _)| *name);
            let members: Vec<_> = members.iter().map(|(name, value)| format!("{name}: {}", text(value))).collect();
            format!("{{{}}}", members.join(", "))
        }
        scalar => format!("{scalar:?}"),
    }
}

/// Asserts that the rows are these. Names those that differ.
#[track_caller]
fn assert_same(rows: &BTreeSet<String>, expected: &BTreeSet<String>, case: &str) {
    let missing: Vec<_> = expected.difference(rows).collect();
    let surplus: Vec<_> = rows.difference(expected).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "{case}: missing: {missing:#?}\nsurplus: {surplus:#?}");
}
