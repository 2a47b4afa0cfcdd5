//! Native and client-side transactions, closures, and single writes of transactional entities.

use super::{Command, Depth, Kind, Promise, Told, at_one_time, record, tables};
use dyno::local::explore::Fault;
use dyno::{Entity, Error, Repository, Transaction};
use std::fmt::Write as _;
use std::time::Duration;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(super) struct Account {
    #[partition_key]
    pub(super) id: String,
    pub(super) balance: i64,
    #[version]
    pub(super) version: u64,
}

pub(super) fn account(id: &str, balance: i64, version: u64) -> Account {
    Account { id: id.into(), balance, version }
}

/// Moves an amount between two accounts, in a closure that reads both.
macro_rules! transfer {
    ($repository:ident, $amount:expr $(, $strategy:ident)?) => {{
        let transfer = Transaction::interactive(move |tx| async move {
            let mut from = tx.get(Account::get("a")).await?.ok_or("no account")?;
            let mut to = tx.get(Account::get("b")).await?.ok_or("no account")?;
            from.balance -= $amount;
            to.balance += $amount;
            tx.put(from.put());
            tx.put(to.put());
            Ok(())
        });
        Told::of(transfer$(.$strategy())?.send(&$repository).await)
    }};
}
pub(super) use transfer;

/// A transaction of two updates, which require nothing of the balances.
pub(super) fn both(amount: i64) -> Transaction {
    let update = |id: &str, amount: i64| Account::update(id).unchecked().with(Account::fields().balance.add(amount));
    Transaction::new().update(update("a", -amount)).update(update("b", amount))
}

pub(super) async fn open(repository: Repository) -> Result<(), Error> {
    for id in ["a", "b"] {
        account(id, 100, 0).create().send(&repository).await?.applied()?;
    }
    Ok(())
}

/// What readers see in the end. Each account can be written: no dead process keeps it locked.
async fn view(repository: Repository) -> Result<String, Error> {
    let mut text = String::new();
    for id in ["a", "b"] {
        let account = Account::get(id).consistent().send(&repository).await?;
        let _ = write!(text, "{account:?} ");
        if account.is_some() {
            Account::modify(id, |account| account.balance += 1).send(&repository).await?.applied()?;
        }
    }
    Ok(text)
}

pub(super) const SINGLE: [(&str, Command); 4] = [
    ("modify a", |repository, _| {
        Box::pin(async move { Told::of(Account::modify("a", |account| account.balance += 1).send(&repository).await) })
    }),
    ("set a 1", |repository, _| {
        Box::pin(async move {
            let set = Account::update("a").version(1).with(Account::fields().balance.set(10));
            Told::of(set.send(&repository).await)
        })
    }),
    ("put a 1", |repository, _| Box::pin(async move { Told::of(account("a", 7, 1).put().send(&repository).await) })),
    ("delete a 1", |repository, _| Box::pin(async move { Told::of(Account::delete("a", 1).send(&repository).await) })),
];

pub(super) fn kind(name: &'static str, commands: &'static [(&'static str, Command)]) -> Kind {
    Kind {
        name,
        promise: Promise::Once,
        tables: |repository| {
            Box::pin(async move {
                repository.create_lane_table().await?;
                tables::<Account>(repository).await
            })
        },
        states: states! { "both" = |repository| open(repository).await?; },
        commands,
        hidden: &[],
        names: &[],
        view: Some(|repository| Box::pin(view(repository))),
    }
}

/// A closure that takes everything from one account, if both together have at least 200.
macro_rules! take {
    ($repository:ident, $who:ident, $strategy:ident) => {{
        let take = Transaction::interactive(move |tx| async move {
            let a = tx.get(Account::get("a")).await?.ok_or("no account")?;
            let b = tx.get(Account::get("b")).await?.ok_or("no account")?;
            if a.balance + b.balance >= 200 {
                let mut from = if $who == "ada" { a } else { b };
                from.balance = 0;
                tx.put(from.put());
            }
            Ok(())
        });
        Told::of(take.$strategy().send(&$repository).await)
    }};
}
pub(super) use take;

#[test]
fn native() {
    const COMMANDS: &[(&str, Command)] = &[
        SINGLE[0],
        SINGLE[1],
        SINGLE[2],
        SINGLE[3],
        ("both", |repository, _| Box::pin(async move { Told::of(both(5).native().send(&repository).await) })),
        ("transfer", |repository, _| Box::pin(async move { transfer!(repository, 20, native) })),
        ("take", |repository, who| Box::pin(async move { take!(repository, who, native) })),
    ];
    record(&kind("native transactions", COMMANDS).explore());
}

/// A program gives up waiting, and sends a clone of the transaction.
#[test]
fn native_clones() {
    let commands: &'static [(&str, Command)] = &[
        ("both, and a clone", |repository, _| {
            Box::pin(async move {
                let both = both(5).native();
                match tokio::time::timeout(Duration::from_secs(1), both.clone().send(&repository)).await {
                    Ok(answer) => Told::of(answer),
                    Err(_) => Told::of(both.send(&repository).await),
                }
            })
        }),
        SINGLE[0],
    ];
    let explore = at_one_time().with([Fault::Slow(Duration::from_secs(30)), Fault::AnswerLost]);
    record(&kind("native transactions, and their clones", commands).explore_with(&explore, Depth::Either));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "letters")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Letter {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

/// An intent too large for its item lies in pages. A process dies before it has applied it.
#[test]
fn pages_of_values() {
    let letter = |letter: char, version| Letter { id: "1".into(), text: letter.to_string().repeat(250_000), version };
    let shown = |letter: Option<Letter>| {
        letter.map(|letter| format!("{} times {:?}", letter.text.len(), letter.text.chars().next()))
    };
    let explore = at_one_time().with([Fault::StaleRead]).faults(1);
    let explored = super::explored(&explore, Depth::Both, async |world| {
        let repository = world.repository();
        repository.create_lane_table().await?;
        repository.create_table::<Letter>().await?;
        letter('a', 0).create().send(&repository).await?.applied()?;
        let write = world.process("ada", async move |repository| {
            Transaction::new()
                .put(letter('b', 1).put())
                .client_side()
                .send(&repository)
                .await
                .map(|outcome| outcome.is_applied())
        });
        let read = world.process("bob", async move |repository| {
            Ok::<_, Error>(shown(Letter::get("1").consistent().send(&repository).await?))
        });
        let (written, read) = world.run((write, read)).await;
        assert!(matches!(written, Some(Ok(true))), "{written:?}");
        let read = read.expect("nobody dies")?;
        assert!([shown(Some(letter('a', 0))), shown(Some(letter('b', 1)))].contains(&read), "{read:?}");
        assert_eq!(shown(Letter::get("1").consistent().send(&repository).await?), shown(Some(letter('b', 1))));
        Ok(())
    });
    let (runs, requests) = explored.unwrap_or_else(|failure| panic!("{failure}"));
    record(&format!("pages of values: 1 pairs, {runs} runs, {requests} requests in the longest, complete"));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shifts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Shift {
    #[partition_key]
    day: String,
    #[sort_key]
    doctor: String,
    #[version]
    version: u64,
}

/// Puts a doctor on the shift, if nobody is.
#[test]
fn closures_that_query() {
    let kind = Kind {
        name: "closures that query",
        promise: Promise::Once,
        tables: |repository| {
            Box::pin(async move {
                repository.create_lane_table().await?;
                tables::<Shift>(repository).await
            })
        },
        states: states! { "nobody" = |_repository| {}; },
        commands: &[
            ("take the shift", |repository, who| {
                Box::pin(async move {
                    let take = Transaction::interactive(move |tx| async move {
                        let shifts = tx.query(Shift::query("monday")).await?;
                        if shifts.is_empty() {
                            tx.put(Shift { day: "monday".into(), doctor: who.into(), version: 0 }.create());
                        }
                        Ok(shifts.len())
                    });
                    match take.send(&repository).await {
                        Ok(outcome) => match outcome.applied() {
                            Ok(seen) => Told::Read(format!("{seen} seen")),
                            Err(error) => Told::Failed(format!("{error}")),
                        },
                        Err(error) if error.may_be_applied() => Told::Unknown,
                        Err(error) => Told::Failed(format!("{error}")),
                    }
                })
            }),
            ("create", |repository, who| {
                Box::pin(async move {
                    let shift = Shift { day: "monday".into(), doctor: format!("new {who}"), version: 0 };
                    Told::of(shift.create().send(&repository).await)
                })
            }),
        ],
        hidden: &[],
        names: &[],
        view: Some(|repository| {
            Box::pin(
                async move { Ok(format!("{:?}", Shift::query("monday").consistent().send(&repository).await?.items)) },
            )
        }),
    };
    record(&kind.explore_with(&at_one_time(), Depth::Either));
}
