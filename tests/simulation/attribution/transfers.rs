//! Transactions that move money, beside writers of single accounts. The sum of all accounts is the same after every request.

use super::{ANSWERED_ONCE, COMMANDS, ITEMS, Writer, check, send, simulate};
use crate::runs::{run, seeds};
use dyno::{Entity, Transaction};
use dyno_tests::is_remote;
use dyno_tests::journal::Change;
use std::collections::BTreeMap;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Account {
    #[partition_key]
    id: String,
    count: u64,
    #[attribute(default)]
    note: Option<String>,
}

async fn writer(writer: Writer) {
    let run = &writer;
    for _ in 0..COMMANDS {
        let (from, to) = (fastrand::usize(0..ITEMS.len()), fastrand::usize(1..ITEMS.len()));
        let (from, to) = (ITEMS[from], ITEMS[(from + to) % ITEMS.len()]);
        let count = || Account::fields().count;
        if fastrand::u8(0..4) == 0 {
            send!(run, "note", AnyNumber, keeps: true, |write: usize| {
                Account::update(from).with(Account::fields().note.set(write.to_string()))
            });
        } else {
            let sum = fastrand::u64(1..5);
            send!(run, "transfer", Once, keeps: true, |_: usize| {
                Transaction::new()
                    .update(Account::update(from).with(count().decrement(sum)))
                    .update(Account::update(to).with(count().increment(sum)))
            });
        }
    }
}

/// Checks the sum of all accounts after each request.
fn check_sums(seed: u64, changes: &[Change]) {
    let mut balances = BTreeMap::new();
    for request in changes.chunk_by(|one, other| one.request == other.request) {
        for change in request {
            let new = change.new.as_ref().expect("nobody deletes");
            let balance: u64 = new["count"].as_n().expect("a number").parse().expect("a number");
            balances.insert(format!("{:?}", change.keys["id"]), balance);
        }
        let sum: u64 = balances.values().sum();
        let filled = balances.len() == ITEMS.len();
        assert!(!filled || sum == 10 * ITEMS.len() as u64, "seed {seed}: {balances:?} after {request:#?}");
    }
}

#[test]
fn the_sum_of_all_accounts_is_exact_after_every_request() {
    if is_remote() {
        return;
    }
    let mut told = BTreeMap::<String, usize>::new();
    for seed in 0..seeds(5, 0) {
        run(seed, async {
            let (world, journal, sent) = simulate::<Account, _>(seed, ANSWERED_ONCE, false, writer).await;
            let changes = journal.changes();
            check(seed, &world.repository.table_name::<Account>().expect("a table"), &sent, &changes);
            check_sums(seed, &changes);
            for sent in sent {
                *told.entry(format!("{:?}", sent.told)).or_default() += 1;
            }
        });
    }
    println!("transfers: {} seeds, {told:?}", seeds(5, 0));
}
