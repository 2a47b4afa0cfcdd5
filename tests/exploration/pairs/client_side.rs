//! Client-side transactions: beside each other, beside readers, and beside processes that recover what a dead one has left.

use super::transactions::{Account, SINGLE, account, both, kind, open, take, transfer};
use super::{Command, Depth, Kind, Told, at_one_time, record};
use dyno::local::explore::Fault;
use dyno::{Error, Repository, Sweep, TransactGet, Transaction};
use std::time::Duration;

const READS: [(&str, Command); 3] = [
    ("get a", |repository, _| Box::pin(async move { read(Account::get("a").consistent().send(&repository).await) })),
    ("get both", |repository, _| {
        Box::pin(async move { read(TransactGet::new((Account::get("a"), Account::get("b"))).send(&repository).await) })
    }),
    ("get twice", |repository, _| Box::pin(async move { twice(&repository).await.unwrap_or_else(Told::Failed) })),
];

fn read<T: std::fmt::Debug>(answer: Result<T, Error>) -> Told {
    match answer {
        Ok(items) => Told::Read(format!("{items:?}")),
        Err(error) => Told::Failed(format!("{error}")),
    }
}

/// Reads the account by both reads that tell the newest. Tells whether the second one knew less.
async fn twice(repository: &Repository) -> Result<Told, String> {
    let both = TransactGet::new((Account::get("a"), Account::get("b")));
    let (before, _) = both.send(repository).await.map_err(|error| error.to_string())?;
    let after = Account::get("a").consistent().send(repository).await.map_err(|error| error.to_string())?;
    let version = |account: Option<Account>| account.map_or(0, |account| account.version);
    Ok(Told::Read(format!("a later read knows less: {}", version(after) < version(before))))
}

/// Creates one account and updates the other.
fn create() -> Transaction {
    let update = Account::update("b").unchecked().with(Account::fields().balance.add(1));
    Transaction::new().put(account("a", 1, 0).create()).update(update).client_side()
}

/// Two transactions, of which the second one uses the lane row of the first one again.
async fn both_and_another(repository: &Repository) -> Told {
    let told = Told::of(both(5).client_side().send(repository).await);
    if told == Told::Applied {
        let another = Transaction::new().put(account("c", 1, 0).create()).client_side();
        let _none_depends_on_it = another.send(repository).await;
    }
    told
}

const TRANSFER: (&str, Command) =
    ("transfer", |repository, _| Box::pin(async move { transfer!(repository, 20, client_side) }));
const BOTH: (&str, Command) =
    ("both", |repository, _| Box::pin(async move { Told::of(both(5).client_side().send(&repository).await) }));

const TAKE: (&str, Command) = ("take", |repository, who| Box::pin(async move { take!(repository, who, client_side) }));

#[test]
fn client_side() {
    const COMMANDS: &[(&str, Command)] = &[SINGLE[0], SINGLE[1], SINGLE[2], SINGLE[3], BOTH, TRANSFER, TAKE];
    record(&kind("client-side transactions", COMMANDS).explore_with(&at_one_time(), Depth::Either));
}

#[test]
fn beside_readers() {
    const COMMANDS: &[(&str, Command)] = &[
        READS[0],
        READS[1],
        READS[2],
        ("create", |repository, _| Box::pin(async move { Told::of(create().send(&repository).await) })),
        ("both and another", |repository, _| Box::pin(async move { both_and_another(&repository).await })),
    ];
    let kind = Kind {
        states: states! {
            "both" = |repository| open(repository).await?;
            "a was deleted" = |repository| {
                open(repository.clone()).await?;
                Account::delete("a", 1).send(&repository).await?.applied()?;
            };
        },
        ..kind("client-side transactions beside readers", COMMANDS)
    };
    record(&kind.explore_with(&at_one_time(), Depth::Either));
}

/// Sweeps and native transactions meet what client-side ones have left.
#[test]
fn beside_sweeps_and_native_ones() {
    const COMMANDS: &[(&str, Command)] = &[
        ("sweep", |repository, _| {
            Box::pin(async move {
                match Sweep::new().of::<Account>().send(&repository).await {
                    Ok(_) => Told::Applied,
                    Err(_) => Told::Unknown,
                }
            })
        }),
        BOTH,
        TRANSFER,
        ("both natively", |repository, _| Box::pin(async move { Told::of(both(3).native().send(&repository).await) })),
    ];
    record(
        &kind("client-side transactions beside sweeps and native ones", COMMANDS)
            .explore_with(&at_one_time(), Depth::Either),
    );
}

/// A process dies, and its last write arrives at any later point: also between what another one reads of the attempt and decides (with
/// `DYNO_EXPLORE=all`).
#[test]
fn beside_late_writes_of_the_dead() {
    let kind = kind("client-side transactions beside late writes of the dead", &[BOTH]);
    record(&kind.explore_with(&at_one_time().with([Fault::Crash]), Depth::chosen()));
}

/// An item changes its transaction between two requests of one read.
#[test]
fn reads_between_two_transactions() {
    let kind = kind(
        "reads between two client-side transactions",
        &[READS[2], ("both and another", |repository, _| Box::pin(async move { both_and_another(&repository).await }))],
    );
    record(&kind.explore_with(&at_one_time(), Depth::Preemptions(2)));
}

/// A `modify` that finds nothing tells that the transaction which creates the item comes later.
#[test]
fn beside_refusals() {
    let kind = Kind {
        states: states! {
            "a was deleted" = |repository| {
                open(repository.clone()).await?;
                Account::delete("a", 1).send(&repository).await?.applied()?;
            };
        },
        ..kind(
            "client-side transactions beside refusals",
            &[
                ("create a while b is as it was", |repository, _| {
                    Box::pin(async move {
                        let create = Transaction::interactive(move |tx| async move {
                            let b = tx.get(Account::get("b")).await?.ok_or("no account")?;
                            if b.balance == 100 {
                                tx.put(account("a", 1, 0).create());
                            }
                            Ok(())
                        });
                        Told::of(create.client_side().send(&repository).await)
                    })
                }),
                ("put b, and modify a", |repository, _| {
                    Box::pin(async move {
                        let put = Told::of(account("b", 7, 1).put().send(&repository).await);
                        let modified = Account::modify("a", |account| account.balance += 1).send(&repository).await;
                        Told::Read(format!("{put:?}, {:?}", Told::of(modified)))
                    })
                }),
            ],
        )
    };
    record(&kind.explore_with(&at_one_time(), Depth::Preemptions(1)));
}

/// Two closures that each read what the other writes.
#[test]
fn write_skew() {
    let kind = kind("client-side transactions that read what others write", &[TAKE]);
    record(&kind.explore_with(&at_one_time(), Depth::Preemptions(2)));
}

/// A process stops for so long that others take it for dead, and goes on. Reads may be old.
#[test]
fn beside_stopped_processes() {
    let explore = at_one_time().with([Fault::Stop(Duration::from_mins(1)), Fault::StaleRead]);
    let kind = kind("client-side transactions of processes that stop", &[BOTH, READS[2], SINGLE[0]]);
    record(&kind.explore_with(&explore, Depth::chosen()));
}
