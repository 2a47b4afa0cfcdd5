//! Writers that do not agree on the value of an immutable attribute, with every command, alone and in transactions: whatever the
//! network does, a live item keeps its first value until it is deleted.

#![allow(clippy::print_stdout, reason = "how often the writers were refused, for who asks with `--nocapture`")]

use crate::runs::{hedged, retries, run, seeds, straggling};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Error, Item, Outcome, Reason, Repository, Transaction};
use dyno_tests::faults::Rates;
use dyno_tests::journaled_world;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const WRITERS: usize = 5;
/// How many commands each writer sends.
const COMMANDS: usize = 12;
const CHANGED: Reason = Reason::Immutable { attribute: "owner" };

#[derive(Entity, Clone)]
#[entity(table = "files")]
#[tombstone(ttl_days = 7)]
struct File {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    owner: Option<String>,
    text: String,
}

#[derive(Entity, Clone)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    owner: Option<String>,
    text: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone)]
#[entity(table = "contracts")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Contract {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    owner: Option<String>,
    text: String,
    #[version]
    version: u64,
}

/// Draws a value; sometimes none.
fn owner() -> Option<String> {
    let owners = [None, Some("a"), Some("b"), Some("c")];
    owners[fastrand::usize(0..4)].map(str::to_owned)
}

/// Draws one of two keys.
fn key() -> &'static str {
    ["1", "2"][fastrand::usize(0..2)]
}

/// Counts the refusals because of the immutable value. Other answers do not matter here.
fn count<E, T>(refused: &AtomicUsize, sent: Result<Outcome<E, T>, Error>) {
    if let Ok(Outcome::Refused(refusal)) = sent
        && refusal.reasons().contains(&CHANGED)
    {
        refused.fetch_add(1, Ordering::Relaxed);
    }
}

async fn write_file(repository: &Repository, refused: &AtomicUsize) {
    let file = File { id: key().to_owned(), owner: owner(), text: fastrand::u8(..).to_string() };
    let f = File::fields();
    match fastrand::u8(0..6) {
        0 | 1 => count(refused, file.put().send(repository).await),
        2 => count(refused, file.replace().send(repository).await),
        3 => count(refused, file.create().send(repository).await),
        4 => {
            let changes = (f.owner.set_if_absent(owner()), f.text.set(file.text));
            count(refused, File::update(file.id).with(changes).upsert().send(repository).await);
        }
        _ => drop(File::delete(file.id).send(repository).await),
    }
}

async fn write_account(repository: &Repository, refused: &AtomicUsize) {
    let text = fastrand::u8(..).to_string();
    let version = match Account::get(key()).consistent().send(repository).await {
        Ok(Some(account)) => account.version,
        _ => 0,
    };
    let account = Account { id: key().to_owned(), owner: owner(), text, version };
    match fastrand::u8(0..7) {
        0 => count(refused, account.put().send(repository).await),
        1 => count(refused, Account { version: 0, ..account }.create().send(repository).await),
        2 => {
            let edit = |stored: &mut Account| (stored.owner, stored.text) = (owner(), "m".to_owned());
            let _ = Account::modify(account.id, edit).attempts(2).send(repository).await;
        }
        3 => count(refused, Account::delete(account.id, version).send(repository).await),
        kind => {
            let (first, second) = (account.id, if key() == "1" { "3" } else { "4" });
            let open = Transaction::interactive(|tx| {
                let first = first.clone();
                async move {
                    let other = tx.get(Account::get(second)).await?;
                    let version = other.map_or(0, |other| other.version);
                    let entity = Account { id: second.to_owned(), owner: owner(), text: "t".to_owned(), version };
                    tx.put(entity.put());
                    if let Some(mut stored) = tx.get(Account::get(first)).await? {
                        stored.owner = owner().or(stored.owner);
                        tx.put(stored.put());
                    }
                    Ok(())
                }
            });
            let open = if kind == 4 { open } else { open.client_side() };
            let _ = open.send(repository).await;
        }
    }
}

async fn write_contract(repository: &Repository, refused: &AtomicUsize) {
    let stored = Contract::get(key()).consistent().loaded().send(repository).await.ok().flatten();
    let text = fastrand::u8(..).to_string();
    let version = stored.as_ref().map_or(0, |stored| stored.entity.version);
    let contract = Contract { id: key().to_owned(), owner: owner(), text, version };
    match (fastrand::u8(0..5), stored) {
        (0, _) => count(refused, contract.put().send(repository).await),
        (1, Some(stored)) => {
            let put = Contract { id: stored.entity.id.clone(), ..contract }.put().over(&stored);
            count(refused, put.send(repository).await);
        }
        (2, _) => count(refused, Contract::delete(contract.id, version).send(repository).await),
        (3, _) => {
            let to = fastrand::u64(1..5);
            count(refused, Contract::rollback(contract.id, to).send(repository).await);
        }
        _ => {
            let edit = |stored: &mut Contract| stored.owner = stored.owner.take().or_else(owner);
            let _ = Contract::modify(contract.id, edit).attempts(2).send(repository).await;
        }
    }
}

/// Returns the value in a row, if the row is a live item.
fn live_owner(row: Option<&Item>) -> Option<&AttributeValue> {
    row.filter(|row| !row.contains_key("deleted"))?.get("owner")
}

async fn simulate(seed: u64, refused: &Arc<AtomicUsize>) {
    let (world, journal) = journaled_world::<File>().await;
    let repository = &world.repository;
    repository.create_table::<Account>().await.expect("a table");
    repository.create_table::<Contract>().await.expect("a table");
    repository.create_lane_table().await.expect("a table");
    world.faults.seed(seed, straggling(seed, Rates::MANY, 60));
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            let repository = Repository::new(world.client(retries())).with_clock(Arc::clone(&world.clock));
            let (repository, refused) = (hedged(seed, repository), Arc::clone(refused));
            tokio::spawn(async move {
                for _ in 0..COMMANDS {
                    match fastrand::u8(0..3) {
                        0 => write_file(&repository, &refused).await,
                        1 => write_account(&repository, &refused).await,
                        _ => write_contract(&repository, &refused).await,
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.expect("no panic");
    }
    world.faults.calm();
    world.faults.settled().await;
    let tables = ["files", "accounts", "contracts"];
    for change in journal.changes().iter().filter(|change| tables.contains(&&*change.table)) {
        let (old, new) = (change.old.as_ref(), change.new.as_ref());
        let (Some(kept), Some(_)) = (live_owner(old), new.filter(|new| !new.contains_key("deleted"))) else { continue };
        assert_eq!(live_owner(new), Some(kept), "seed {seed}: {} changed {:?}", change.operation, change.keys);
    }
}

#[test]
fn a_live_item_never_changes_an_immutable_attribute() {
    let refused = Arc::<AtomicUsize>::default();
    let seeds = seeds(30, 0);
    for seed in 0..seeds {
        run(seed, simulate(seed, &refused));
    }
    let refused = refused.load(Ordering::Relaxed);
    println!("{refused} refusals in {seeds} runs");
    assert!(seeds == 0 || refused > 0, "the writers never disagreed");
}
