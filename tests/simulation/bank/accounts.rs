//! Accounts in five tables, and the operations on them.

use dyno::command::Tx;
use dyno::{Entity, Error, Repository, Sweep, TransactGet, Transaction};
use dyno_tests::World;
use std::collections::BTreeMap;
use std::error::Error as StdError;

/// The initial balance of each account.
pub(super) const BEGINNING: i64 = 100;

macro_rules! kinds {
    ($($kind:ident in $table:literal)*) => {
        $(
            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = $table)]
            #[tombstone(ttl_days = 7)]
            #[transactional]
            pub(super) struct $kind {
                #[partition_key]
                id: u64,
                balance: i64,
                #[version]
                version: u64,
            }
        )*
    };
}

kinds! { Giro in "giros" Deposit in "deposits" Loan in "loans" Stock in "stocks" Fee in "fees" }

/// Runs the same body for each kind of account. The body can use the kind's type and its number.
macro_rules! each {
    ($E:ident, $kind:ident => $body:block) => {{
        each!(@ Giro 0, $E, $kind => $body);
        each!(@ Deposit 1, $E, $kind => $body);
        each!(@ Loan 2, $E, $kind => $body);
        each!(@ Stock 3, $E, $kind => $body);
        each!(@ Fee 4, $E, $kind => $body);
    }};
    (@ $Kind:ident $number:literal, $E:ident, $kind:ident => $body:block) => {{
        use $Kind as $E;
        let $kind: u64 = $number;
        $body
    }};
}

const KINDS: u64 = 5;

type Boxed = Box<dyn StdError + Send + Sync>;

/// The number of all accounts. Each kind has the same number of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accounts(pub(super) u64);

impl Accounts {
    /// Returns the IDs of the accounts of each kind.
    fn ids(self) -> std::ops::Range<u64> {
        0..self.0 / KINDS
    }

    pub(super) async fn make(self, world: &World) {
        let other = world.other();
        each!(E, kind => {
            if kind > 0 {
                other.create_table::<E>().await.expect("a new table");
            }
            for id in self.ids() {
                let new = E { id, balance: BEGINNING, version: 0 };
                new.create().send(&other).await.expect("sent").applied().expect("applied");
            }
        });
    }

    /// Chooses accounts and an amount for each. The amounts add up to 0.
    pub(super) fn any(self, legs: usize) -> BTreeMap<u64, i64> {
        let chosen = fastrand::choose_multiple(0..self.0, legs);
        let mut changes: BTreeMap<_, _> = chosen.iter().map(|account| (*account, fastrand::i64(-500..500))).collect();
        let sum: i64 = changes.values().sum();
        if let Some(mut last) = changes.last_entry() {
            *last.get_mut() -= sum;
        }
        changes
    }

    /// Returns the sum of all balances, which a transaction reads in chunks.
    pub(super) async fn sum(self, tx: &Tx) -> Result<i64, Boxed> {
        let (mut sum, ids) = (0, self.ids().collect::<Vec<_>>());
        each!(E, _kind => {
            for ids in ids.chunks(100) {
                let found = tx.batch_get(E::batch_get(ids.iter().copied())).await?;
                for found in found {
                    sum += found.ok_or("an account is missing")?.balance;
                }
            }
        });
        Ok(sum)
    }

    /// Returns the sum of all balances at one moment, from one `TransactGet`. It takes at most 100 accounts.
    pub(super) async fn sum_at_once(self, repository: &Repository) -> Result<i64, Error> {
        macro_rules! gets { ($($E:ident)*) => { ($(self.ids().map($E::get).collect::<Vec<_>>(),)*) }; }
        let (giros, deposits, loans, stocks, fees) =
            TransactGet::new(gets!(Giro Deposit Loan Stock Fee)).send(repository).await?;
        macro_rules! sum { ($($found:ident)*) => { [$($found.iter().flatten().map(|found| found.balance).sum::<i64>(),)*] }; }
        Ok(sum!(giros deposits loans stocks fees).iter().sum())
    }

    /// Adds an amount to one account.
    pub(super) async fn pay_in(self, repository: &Repository, account: u64, sum: i64) -> Result<bool, Error> {
        each!(E, kind => {
            if account % KINDS == kind {
                let modify = E::modify(account / KINDS, |found: &mut E| found.balance += sum);
                return modify.send(repository).await.map(|outcome| outcome.is_applied());
            }
        });
        Ok(false)
    }

    /// Resolves all intents that are left. Returns the unresolved ones.
    pub(super) async fn sweep(self, repository: &Repository) -> Result<Vec<String>, Error> {
        let sweep = Sweep::new().of::<Giro>().of::<Deposit>().of::<Loan>().of::<Stock>().of::<Fee>();
        let report = sweep.send(repository).await?;
        Ok(report.unresolved().iter().map(ToString::to_string).collect())
    }

    /// Returns how many accounts have an intent.
    pub(super) async fn held(self, world: &World) -> usize {
        let mut held = 0;
        each!(E, _kind => { held += world.stored::<E>().await.iter().filter(|row| row.contains_key("_x")).count(); });
        held
    }
}

/// Reads these accounts and puts them back with their amounts added.
pub(super) async fn transfer(tx: &Tx, changes: &BTreeMap<u64, i64>) -> Result<(), Boxed> {
    each!(E, kind => {
        let own: Vec<_> = changes.iter().filter(|(account, _)| **account % KINDS == kind).collect();
        let ids: Vec<_> = own.iter().map(|(account, _)| **account / KINDS).collect();
        let found = tx.batch_get(E::batch_get(ids)).await?;
        for (found, (_, change)) in found.into_iter().zip(own) {
            let mut found = found.ok_or("an account is missing")?;
            found.balance += change;
            tx.put(found.put());
        }
    });
    Ok(())
}

/// Returns the same transfer as updates that read nothing.
pub(super) fn transfer_blindly(changes: &BTreeMap<u64, i64>) -> Transaction {
    let mut transaction = Transaction::new();
    each!(E, kind => {
        for (account, change) in changes.iter().filter(|(account, _)| **account % KINDS == kind) {
            let update = E::update(*account / KINDS).unchecked();
            transaction = transaction.update(update.with(E::fields().balance.add(*change)));
        }
    });
    transaction
}
