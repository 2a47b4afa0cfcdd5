//! Checks of the accounts and receipts after the processes were killed.

use super::{Account, Bank, OLD_RECEIPT, Piece, Receipt};
use crate::journal::{Begun, Known, WRITES_OF_A_LIFE, begun};
use crate::scenario::LOCK_TIMEOUT;
use crate::verdict::Verdict;
use dyno::{Entity, Repository, Sweep};
use dyno_checker::{Element, History, Operation, Outcome, Transaction, check};
use std::collections::{BTreeMap, HashSet};

pub(crate) async fn judge(repository: &Repository, lines: &[Vec<String>], bank: Bank) -> Verdict {
    let writes = begun(lines);
    let mut verdict = Verdict::of(&writes);
    verdict.done = lines.iter().filter(|line| line[0] == "swept").count();
    sweep(repository, &mut verdict).await;
    let accounts = stored(repository, &mut verdict).await;
    let receipts = stored(repository, &mut verdict).await;
    verdict.check(accounts.len() as u64 == bank.accounts, || format!("{} accounts", accounts.len()));
    check_receipts(&writes, &accounts, &receipts, bank, &mut verdict);
    check_balances(&accounts, bank, &mut verdict);
    let judged = check(&history(&writes, &accounts, lines.len(), bank));
    verdict.wrong.extend(judged.err().map(|rejection| rejection.to_string()));
    verdict
}

/// Checks that the first sweep resolves everything, and that the second one writes nothing.
async fn sweep(repository: &Repository, verdict: &mut Verdict) {
    tokio::time::sleep(2 * LOCK_TIMEOUT).await;
    let sweep = || Sweep::new().of::<Account>().of::<Receipt>();
    let report = sweep().send(repository).await.expect("a sweep");
    verdict.check(report.failed() == 0, || format!("a sweep leaves something: {report:?}"));
    let metered = repository.metered();
    let again = sweep().send(&metered).await.expect("a sweep");
    verdict.check(metered.usage().write_units == 0.0, || format!("a second sweep writes: {again:?}"));
}

/// Returns all items of a table, and checks that no item has an intent.
async fn stored<E: Entity>(repository: &Repository, verdict: &mut Verdict) -> Vec<E> {
    let table = repository.table_name::<E>().expect("a table");
    let scan = repository.client().scan().table_name(table).consistent_read(true).into_paginator().items().send();
    let items = scan.collect::<Result<Vec<_>, _>>().await.expect("a scan");
    let held = items.iter().filter(|item| item.contains_key("_x")).count();
    verdict.check(held == 0, || format!("{held} items have an intent after a sweep"));
    items.into_iter().map(|item| E::from_item(item).expect("an item of its shape")).collect()
}

/// Checks that a transaction's receipt exists exactly if the transaction is applied.
fn check_receipts(writes: &[Begun], accounts: &[Account], receipts: &[Receipt], bank: Bank, verdict: &mut Verdict) {
    let applied: HashSet<_> = accounts.iter().flat_map(|account| &account.writes).collect();
    let receipts: HashSet<_> = receipts.iter().map(|receipt| &receipt.id).collect();
    let expected =
        writes.iter().filter(|write| applied.contains(&write.id) && Piece::new(write.id, bank).has_receipt());
    let expected: HashSet<_> = expected.map(|write| &write.id).chain([&OLD_RECEIPT]).collect();
    let wrong: Vec<_> = expected.symmetric_difference(&receipts).collect();
    verdict.check(wrong.is_empty(), || format!("accounts and receipts disagree about the transactions {wrong:?}"));
}

/// Checks that each balance is the sum of the writes in its row, and that the sum of all balances is 0.
fn check_balances(accounts: &[Account], bank: Bank, verdict: &mut Verdict) {
    for Account { id, balance, writes, .. } in accounts {
        let sum: i64 = writes.iter().map(|write| Piece::new(*write, bank).amount(*id)).sum();
        verdict.check(sum == *balance, || format!("account {id} has {balance}, and its writes come to {sum}"));
    }
    let sum: i64 = accounts.iter().map(|account| account.balance).sum();
    verdict.check(sum == 0, || format!("the sum of all balances is {sum}"));
}

/// Returns the writes as a history for the checker. The checker requires that each write is in all of its rows once or in none,
/// as the write reported, and that one order explains all rows and all looks and respects the order of the journal's lines.
fn history(writes: &[Begun], accounts: &[Account], lines: usize, bank: Bank) -> History {
    let last: BTreeMap<String, Vec<Element>> = accounts
        .iter()
        .map(|Account { id, writes, .. }| {
            (id.to_string(), writes.iter().map(|write| element(*write, *id, bank)).collect())
        })
        .collect();
    let transactions = writes.iter().enumerate().map(|(at, write)| Transaction {
        id: at,
        process: usize::try_from(write.id / WRITES_OF_A_LIFE).expect("a life"),
        start: write.begin as u64,
        end: write.end.unwrap_or(lines) as u64,
        operations: operations(write, &last, bank),
        outcome: match write.known {
            Known::Applied => Outcome::Committed,
            Known::Refused => Outcome::Aborted,
            Known::InDoubt => Outcome::Unknown,
        },
    });
    History { transactions: transactions.collect(), last }
}

/// Returns the element that a write appends to an account. For an account that the write does not change, it is an element
/// that no write appends.
fn element(write: u64, account: u64, bank: Bank) -> Element {
    let place = Piece::new(write, bank).accounts.iter().position(|known| *known == account);
    write * 1000 + place.map_or(999, |place| place as u64)
}

/// Returns the operations of a write: an append to each of its accounts, or for a look, a read of each account. Such a read
/// returns all writes up to the last one that the look has seen.
fn operations(write: &Begun, lists: &BTreeMap<String, Vec<Element>>, bank: Bank) -> Vec<Operation> {
    let piece = Piece::new(write.id, bank);
    if piece.writes() {
        let append =
            |account: &u64| Operation::Append { key: account.to_string(), element: element(write.id, *account, bank) };
        return piece.accounts.iter().map(append).collect();
    }
    let shown = write.result.iter().filter_map(|word| word.split_once(':'));
    let read = shown.map(|(key, shown)| {
        let shown: u64 = shown.parse().expect("the number of a write");
        let there = lists.get(key).map(Vec::as_slice).unwrap_or_default();
        let place = there.iter().position(|element| element / 1000 == shown);
        // The look has seen a write that is not in the final list. The checker rejects it, because no write appends this element.
        let missing = || if shown == 0 { Vec::new() } else { vec![shown * 1000 + 999] };
        Operation::Read { key: key.to_owned(), list: place.map_or_else(missing, |place| there[..=place].to_vec()) }
    });
    read.collect()
}
