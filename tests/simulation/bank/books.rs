//! The deposits of a run. Each deposit is a different power of two, so the sum of all accounts shows which deposits it includes.

use super::accounts::{Accounts, BEGINNING};
use std::sync::{Mutex, MutexGuard};

/// The exponent of the first deposit. The amounts that transfers move are smaller than this deposit.
const LOWEST: u32 = 20;
/// The most deposits of a run. With this limit, no account and no sum overflows.
const MOST: usize = 40;

/// What is known of one deposit.
#[derive(Clone, Copy, Debug)]
struct Paid {
    begun: u64,
    /// When the outcome became known, and `true` if the deposit was applied.
    told: Option<(u64, bool)>,
}

#[derive(Debug, Default)]
struct Log {
    now: u64,
    paid: Vec<Paid>,
    sums: usize,
}

#[derive(Debug)]
pub(super) struct Books {
    seed: u64,
    accounts: Accounts,
    log: Mutex<Log>,
}

impl Books {
    pub(super) fn new(seed: u64, accounts: Accounts) -> Self {
        Self { seed, accounts, log: Mutex::default() }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().expect("no panic")
    }

    /// Returns the next moment of a logical clock.
    pub(super) fn now(&self) -> u64 {
        let mut log = self.log();
        log.now += 1;
        log.now
    }

    /// Begins the next deposit. Returns its number and its amount.
    pub(super) fn begin(&self) -> Option<(usize, i64)> {
        let begun = self.now();
        let mut log = self.log();
        let number = log.paid.len();
        if number == MOST {
            return None;
        }
        log.paid.push(Paid { begun, told: None });
        Some((number, 1 << (LOWEST + u32::try_from(number).ok()?)))
    }

    /// Records that a deposit was applied, or that it was not applied and never will be.
    pub(super) fn end(&self, number: usize, is_paid: bool) {
        let now = self.now();
        self.log().paid[number].told = Some((now, is_paid));
    }

    /// Returns how many sums of all accounts were checked.
    pub(super) fn sums(&self) -> usize {
        self.log().sums
    }

    /// Checks a sum of all accounts, whose read began at `from`, against the deposits.
    pub(super) fn check(&self, sum: i64, from: u64) {
        let to = self.now();
        let mut log = self.log();
        log.sums += 1;
        let seed = self.seed;
        let beginning = BEGINNING * i64::try_from(self.accounts.0).expect("few accounts");
        let paid = sum - beginning;
        let moved = paid & ((1 << LOWEST) - 1);
        assert_eq!(moved, 0, "seed {seed}: {sum} is no sum of what the accounts began with and what was paid in");
        let most = 1_i64 << (LOWEST + u32::try_from(log.paid.len()).expect("few"));
        assert!((0..most).contains(&paid), "seed {seed}: of {sum}, too much was paid in");
        for (number, entry) in log.paid.iter().enumerate() {
            let is_in = (paid >> LOWEST) >> number & 1 == 1;
            let may_be = entry.begun < to && !matches!(entry.told, Some((_, false)));
            let must_be = matches!(entry.told, Some((told, true)) if told < from);
            assert!(is_in || !must_be, "seed {seed}: {number} is missing at {from} to {to}: {entry:?}");
            assert!(!is_in || may_be, "seed {seed}: {number} was not paid in at {from} to {to}: {entry:?}");
        }
    }
}
