//! A bank: accounts in five tables, eight coordinators with transfers between any of them, and plain deposits. Meanwhile,
//! processes die, pause, come back, drop requests that they have sent, and wake up with the memory of another process. Each
//! sum of all accounts that is read at one moment is exact, and so is the sum at the end.
//!
//! `DYNO_SEEDS` is the number of runs, and `DYNO_FIRST` is the seed of the first run.

#![allow(clippy::print_stdout, reason = "what happened in all runs, for who asks with `--nocapture`")]

mod accounts;
mod books;

use crate::fleet::{Fleet, Trouble, check_kind, is_open};
use crate::runs::{from_first, run, seeds};
use accounts::{Accounts, Giro, transfer, transfer_blindly};
use books::Books;
use dyno::{Error, Repository, Transaction};
use dyno_tests::faults::{Rates, ms};
use dyno_tests::witness::Tally;
use futures_util::future::join_all;
use std::ops::{AddAssign, RangeInclusive};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::sleep;

const COORDINATORS: usize = 8;

/// The size of a bank, and the faults and crashes in it.
struct Size {
    accounts: Accounts,
    legs: RangeInclusive<usize>,
    /// The number of operations of each coordinator.
    pieces: usize,
    /// The longest pause before an operation, in milliseconds.
    idle: u64,
    rates: Rates,
    trouble: Trouble,
}

/// What happened in the runs.
#[derive(Clone, Debug, Default)]
struct Done {
    transfers: usize,
    sums: usize,
    pauses: usize,
    tally: Tally,
}

impl AddAssign for Done {
    fn add_assign(&mut self, Self { transfers, sums, pauses, tally }: Self) {
        self.transfers += transfers;
        self.sums += sums;
        self.pauses += pauses;
        self.tally += tally;
    }
}

/// A coordinator: a name under which one process works after another.
struct Coordinator<'a> {
    number: usize,
    fleet: &'a Fleet,
    size: &'a Size,
    books: &'a Books,
    transfers: &'a AtomicUsize,
}

impl Coordinator<'_> {
    async fn piece(&self, repository: Repository) {
        sleep(Duration::from_millis(fastrand::u64(0..=self.size.idle))).await;
        match fastrand::u8(0..10) {
            0..5 => self.transfer(&repository).await,
            5 => self.transfer_blindly(&repository).await,
            6..8 => self.pay_in(&repository).await,
            8 => self.sum(&repository).await,
            _ => self.sum_at_once(&repository).await,
        }
    }

    fn transferred(&self, sent: Option<Result<bool, Error>>) {
        match sent {
            Some(Ok(true)) => _ = self.transfers.fetch_add(1, Ordering::Relaxed),
            None | Some(Ok(false)) => {}
            Some(Err(error)) => check_kind(&error),
        }
    }

    async fn transfer(&self, repository: &Repository) {
        let changes = &self.size.accounts.any(fastrand::usize(self.size.legs.clone()));
        let transfer = Transaction::interactive(|tx| async move { transfer(&tx, changes).await }).client_side();
        let send = || async { transfer.clone().send(repository).await.map(|outcome| outcome.is_applied()) };
        self.transferred(self.fleet.tell(self.number, send).await);
    }

    async fn transfer_blindly(&self, repository: &Repository) {
        let changes = self.size.accounts.any(fastrand::usize(self.size.legs.clone()));
        let transfer = transfer_blindly(&changes);
        let transfer = if fastrand::bool() { transfer.client_side() } else { transfer };
        let send = || async { transfer.clone().send(repository).await.map(|outcome| outcome.is_applied()) };
        self.transferred(self.fleet.tell(self.number, send).await);
    }

    async fn pay_in(&self, repository: &Repository) {
        let Some((number, sum)) = self.books.begin() else { return };
        let Size { accounts, .. } = self.size;
        match accounts.pay_in(repository, fastrand::u64(0..accounts.0), sum).await {
            Ok(true) => self.books.end(number, true),
            Err(error) if !is_open(&error) => {
                check_kind(&error);
                self.books.end(number, false);
            }
            Ok(false) | Err(_) => {}
        }
    }

    async fn sum(&self, repository: &Repository) {
        let (from, accounts) = (self.books.now(), self.size.accounts);
        let sum = Transaction::interactive(|tx| async move { accounts.sum(&tx).await });
        match sum.send(repository).await {
            Ok(sum) => self.books.check(sum.applied().expect("nothing can be refused"), from),
            Err(error) => check_kind(&error),
        }
    }

    /// Reads the sum in one request, if one request can read all accounts.
    async fn sum_at_once(&self, repository: &Repository) {
        if self.size.accounts.0 > 100 {
            return self.sum(repository).await;
        }
        let from = self.books.now();
        match self.size.accounts.sum_at_once(repository).await {
            Ok(sum) => self.books.check(sum, from),
            Err(error) => check_kind(&error),
        }
    }
}

async fn simulate(seed: u64, size: Size) -> Done {
    let fleet = Fleet::new::<Giro>(seed, size.rates).await;
    size.accounts.make(&fleet.world).await;
    let (books, transfers) = (Books::new(seed, size.accounts), AtomicUsize::new(0));
    let coordinators = (0..COORDINATORS).map(|number| {
        let (fleet, size, books, transfers) = (&fleet, &size, &books, &transfers);
        let coordinator = Coordinator { number, fleet, size, books, transfers };
        Box::pin(async move {
            let piece = |repository| Box::pin(coordinator.piece(repository));
            Box::pin(fleet.live(number, size.pieces, size.trouble, piece)).await;
        })
    });
    join_all(coordinators).await;
    fleet.calm().await;
    let from = books.now();
    let accounts = size.accounts;
    if let Some(stray) = fleet.stray() {
        // The stray process has another lane table, so it need not resolve the intents of the other processes.
        accounts.sweep(&stray).await.expect("a sweep");
    }
    let repository = fleet.process().repository;
    if seed.is_multiple_of(2) {
        let unresolved = accounts.sweep(&repository).await.expect("a sweep");
        assert!(unresolved.is_empty(), "seed {seed}: {unresolved:?}");
        assert_eq!(accounts.held(&fleet.world).await, 0, "seed {seed}");
    }
    // The reads of this transaction resolve the intents that they meet.
    let last = Transaction::interactive(|tx| async move { accounts.sum(&tx).await }).send(&repository).await;
    books.check(last.expect("sent").applied().expect("nothing can be refused"), from);
    assert_eq!(accounts.held(&fleet.world).await, 0, "seed {seed}");
    let (transfers, sums) = (transfers.into_inner(), books.sums());
    Done { transfers, sums, pauses: fleet.pauses.into_inner(), tally: fleet.witness.tally() }
}

fn check(seeds: u64, size: impl Fn() -> Size) {
    let mut sum = Done::default();
    for seed in from_first(seeds) {
        sum += run(seed, simulate(seed, size()));
    }
    println!("{seeds} seeds: {sum:?}");
    let Done { transfers, sums, pauses, tally } = sum;
    assert!(transfers > 0 && sums > 0, "{transfers}, {sums}");
    // In fewer than 6 seeds, some events may never happen.
    let mut never = tally.never();
    never.retain(|what| !what.starts_with("dropped") && !what.ends_with("native") && *what != "places");
    assert!(seeds < 6 || never.is_empty() && pauses > 0, "{never:?}: {tally:?}");
}

#[test]
fn the_sum_of_a_small_bank_is_exact() {
    check(seeds(6, 1), || Size {
        accounts: Accounts(30),
        legs: 5..=5,
        pieces: 8,
        idle: 1_000,
        rates: Rates { late_when_dropped: 0.7, late_when_dropped_by: ms(180_000), ..Rates::MANY },
        trouble: Trouble { death: 0.7, within: 30, commits: 3, pause: 0.4, fork: 0.1 },
    });
}

#[test]
fn the_sum_of_a_large_bank_is_exact() {
    let few = Rates { lose_request: 0.001, lose_answer: 0.002, duplicate: 0.01, delay: 0.05, ..Rates::NONE };
    // A bank of full size takes minutes per seed without optimization, so it is used only if `DYNO_SEEDS` is set.
    let is_asked = std::env::var_os("DYNO_SEEDS").is_some();
    check(seeds(1, 1), || Size {
        accounts: Accounts(if is_asked { 1_000 } else { 150 }),
        legs: if is_asked { 150..=400 } else { 101..=130 },
        pieces: if is_asked { 5 } else { 2 },
        idle: 20_000,
        rates: Rates { throttle: 0.001, fail: 0.002, late_when_dropped: 0.7, late_when_dropped_by: ms(180_000), ..few },
        trouble: Trouble { death: 0.8, within: 400, commits: 2, pause: 0.3, fork: 0.1 },
    });
}
