//! Client-side transactions that move money between accounts, together with plain writes and sweeps.

pub(super) mod judge;
mod piece;

use crate::journal::{Journal, Known};
use dyno::{Entity, Repository, Sweep, Transaction};
use piece::Piece;

/// The number of accounts, and how many of them each transaction changes.
#[derive(Clone, Copy)]
pub(super) struct Bank {
    pub(super) accounts: u64,
    pub(super) items: usize,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(super) struct Account {
    #[partition_key]
    id: u64,
    balance: i64,
    /// The numbers of all writes of this row.
    writes: Vec<u64>,
    #[version]
    version: u64,
}

/// A receipt. The transaction whose number is its ID creates it.
#[derive(Entity, Clone, Debug)]
#[entity(table = "receipts")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(super) struct Receipt {
    #[partition_key]
    id: u64,
    #[version]
    version: u64,
}

/// The receipt that exists from the beginning.
const OLD_RECEIPT: u64 = 0;

pub(super) async fn prepare(repository: &Repository, bank: Bank) {
    repository.create_table::<Account>().await.expect("a table");
    repository.create_table::<Receipt>().await.expect("a table");
    repository.create_lane_table().await.expect("a lane table");
    let accounts = (0..bank.accounts).map(|id| Account { id, balance: 0, writes: Vec::new(), version: 0 }.create());
    let accounts = Transaction::new().put(accounts.collect::<Vec<_>>());
    let all = accounts.put(Receipt { id: OLD_RECEIPT, version: 0 }.create());
    all.send(repository).await.expect("sent").applied().expect("new rows");
}

/// Sends one transaction after another, without end.
pub(super) async fn work(repository: &Repository, journal: &Journal, bank: Bank, first: u64) {
    for id in first.. {
        let piece = Piece::new(id, bank);
        journal.note(&format!("begin {id}"));
        let (sent, shown) = piece.send(repository).await;
        let known = Known::of(&sent);
        let detail = match sent {
            Ok(_) => shown.iter().map(|(account, last)| format!("{account}:{last}")).collect::<Vec<_>>().join(" "),
            Err(error) => format!("{:?}", error.kind()),
        };
        journal.note(&format!("{} {id} {detail}", known.word()));
    }
}

/// Sends one sweep after another, without end.
pub(super) async fn sweep(repository: &Repository, journal: &Journal) {
    loop {
        match Sweep::new().of::<Account>().of::<Receipt>().send(repository).await {
            Ok(report) => journal.note(&format!("swept {report:?}")),
            Err(error) => journal.note(&format!("not-swept {error:?}")),
        }
    }
}
