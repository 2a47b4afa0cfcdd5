//! The commands that the programs send, and the record of their results.

use super::entities::{Contract, Job, Member, Player, Rated, User};
use super::oracle::{Claims, Found, Refused};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::command::{GetByUnique, SweepGuards};
use dyno::{Entity, EpochMillis, Item, Outcome, Reason, Repository, Transaction};
use dyno_tests::NOW;
use dyno_tests::journal::{Journal, attributed};
use std::sync::{Arc, Mutex};

/// The number that marks dyno's writes in the journal. Writes of other programs have no number.
const DYNO: usize = 1;

/// Counts of the results.
#[derive(Debug, Default)]
pub(crate) struct Met {
    pub(crate) applied: usize,
    pub(crate) taken: usize,
    pub(crate) otherwise_refused: usize,
    pub(crate) errors: usize,
    pub(crate) found: usize,
}

/// Records the results that the programs receive.
#[derive(Clone)]
pub(crate) struct Witness {
    pub(crate) journal: Journal,
    pub(crate) claims: Claims,
    pub(crate) met: Arc<Mutex<Met>>,
}

/// The values that a write claims.
enum Claimed {
    /// These, by constraint.
    Values(Vec<(&'static str, String)>),
    /// Unknown, because the write takes them from the history, or has several items.
    Unknown,
}

impl Claimed {
    fn none() -> Self {
        Self::Values(Vec::new())
    }

    fn email(email: impl Into<Option<String>>) -> Self {
        Self::Values(email.into().into_iter().map(|email| ("email", email)).collect())
    }

    fn of_user(user: &User) -> Self {
        let email = user.email.iter().map(|email| ("email", email.clone()));
        Self::Values(email.chain([("handle", format!("{}|{}", user.tenant, user.handle))]).collect())
    }

    /// Returns the claimed value of a constraint, if it is known. A refusal names a constraint of which the write claims a value.
    fn of(&self, constraint: &str) -> Option<String> {
        let Self::Values(values) = self else { return None };
        let value = values.iter().find(|(name, _)| *name == constraint);
        Some(value.unwrap_or_else(|| panic!("the write claims no {constraint}")).1.clone())
    }
}

impl Witness {
    fn met(&self, note: impl FnOnce(&mut Met)) {
        note(&mut self.met.lock().expect("no panic"));
    }

    /// Sends a write of these values, and records its result. If another item has a value, the refusal names that item.
    async fn write<E: Entity, T>(
        &self,
        values: Claimed,
        sending: impl Future<Output = Result<Outcome<E, T>, dyno::Error>>,
    ) {
        let begin = self.journal.requests();
        let outcome = attributed(DYNO, sending).await;
        let end = self.journal.requests();
        match outcome {
            Ok(outcome) => match outcome.refusal() {
                None => self.met(|met| met.applied += 1),
                Some(refusal) => {
                    self.refused(E::SCHEMA.table.expect("a table"), refusal.reasons(), &values, [begin, end]);
                }
            },
            Err(_) => self.met(|met| met.errors += 1),
        }
    }

    fn refused(&self, table: &'static str, reasons: &[Reason], values: &Claimed, during: [usize; 2]) {
        let taken = reasons.iter().filter_map(|reason| match reason {
            Reason::Taken { constraint, holder } => {
                let AttributeValue::S(holder) = &holder.attributes()["id"] else { panic!("{holder}") };
                Some(Refused { table, constraint, value: values.of(constraint), holder: holder.clone(), during })
            }
            _ => None,
        });
        let taken: Vec<Refused> = taken.collect();
        self.met(|met| if taken.is_empty() { met.otherwise_refused += 1 } else { met.taken += 1 });
        self.claims.refused.lock().expect("no panic").extend(taken);
    }

    async fn transaction(&self, sending: impl Future<Output = Result<dyno::TransactionOutcome, dyno::Error>>) {
        let begin = self.journal.requests();
        let outcome = attributed(DYNO, sending).await;
        let end = self.journal.requests();
        let Ok(outcome) = outcome else { return self.met(|met| met.errors += 1) };
        match outcome.refusal() {
            None => self.met(|met| met.applied += 1),
            Some(refusal) => {
                for action in refusal.actions() {
                    let table = if action.entity() == "User" { "users" } else { "players" };
                    self.refused(table, action.reasons(), &Claimed::Unknown, [begin, end]);
                }
            }
        }
    }

    async fn find<E>(
        &self,
        constraint: &'static str,
        value: String,
        find: GetByUnique<E>,
        repository: &Repository,
        id: fn(&E) -> &str,
    ) where
        E: Entity,
    {
        let begin = self.journal.requests();
        let found = find.send(repository).await;
        let end = self.journal.requests();
        let Ok(found) = found else { return self.met(|met| met.errors += 1) };
        if found.is_some() {
            self.met(|met| met.found += 1);
        }
        let (table, holder) = (E::SCHEMA.table.expect("a table"), found.map(|found| id(&found).to_owned()));
        self.claims.found.lock().expect("no panic").push(Found {
            table,
            constraint,
            value,
            holder,
            during: [begin, end],
        });
    }
}

/// Draws one of four keys.
fn id() -> String {
    ["1", "2", "3", "4"][fastrand::usize(0..4)].to_owned()
}

/// Draws one of three values.
fn email() -> String {
    ["a", "b", "c"][fastrand::usize(0..3)].to_owned()
}

fn user() -> User {
    let email = (fastrand::u8(0..4) > 0).then(email);
    User { id: id(), email, tenant: "t".to_owned(), handle: self::email(), logins: 0 }
}

/// Puts users without guards, as a program does that does not know `#[unique]`.
pub(crate) async fn put_foreign_users(repository: &Repository) {
    for (id, email) in [("1", "a"), ("2", "a"), ("3", "b")] {
        let user = User {
            id: id.to_owned(),
            email: Some(email.to_owned()),
            tenant: "t".to_owned(),
            handle: id.to_owned(),
            logins: 0,
        };
        let row = user.to_item().expect("an item");
        repository.client().put_item().table_name("users").set_item(Some(row)).send().await.expect("a put");
    }
}

/// Deletes a row or removes its email, as a program does that does not know `#[unique]`.
async fn write_foreign(repository: &Repository) {
    let table = ["users", "members", "contracts", "players", "rated", "jobs"][fastrand::usize(0..6)];
    let key = Item::from([("id".to_owned(), AttributeValue::S(id()))]);
    if fastrand::bool() || table != "users" {
        let _ = repository.client().delete_item().table_name(table).set_key(Some(key)).send().await;
    } else {
        let update = repository.client().update_item().table_name(table).set_key(Some(key));
        let _ = update.update_expression("REMOVE email").condition_expression("attribute_exists(id)").send().await;
    }
}

pub(crate) async fn send_one(repository: &Repository, witness: &Witness) {
    match fastrand::u8(0..18) {
        0..5 => write_user(repository, witness).await,
        5..8 => Box::pin(write_member(repository, witness)).await,
        8..10 => Box::pin(write_contract(repository, witness)).await,
        10..12 => write_player(repository, witness).await,
        12..14 => write_rated(repository, witness).await,
        14..16 => write_job(repository, witness).await,
        16 if fastrand::bool() => write_foreign(repository).await,
        16 => drop(attributed(DYNO, SweepGuards::<User>::new().send(repository)).await),
        _ => drop(attributed(DYNO, Box::pin(User::scan().modify_each(|_| {}).send(repository))).await),
    }
}

async fn write_user(repository: &Repository, witness: &Witness) {
    let (user, f) = (user(), User::fields());
    match fastrand::u8(0..12) {
        0 => witness.write(Claimed::of_user(&user), user.put().send(repository)).await,
        1 => witness.write(Claimed::of_user(&user), user.create().send(repository)).await,
        2 => witness.write(Claimed::of_user(&user), user.replace().send(repository)).await,
        3 => {
            let values = Claimed::email(user.email.clone());
            witness.write(values, User::update(user.id).with(f.email.set(user.email)).send(repository)).await;
        }
        4 => witness.write(Claimed::none(), User::update(user.id).with(f.email.clear()).send(repository)).await,
        5 => {
            let values = Claimed::of_user(&User { email: None, ..user.clone() });
            let handle = f.tenant_and_handle.set((user.tenant, user.handle));
            witness.write(values, User::update(user.id).with(handle).send(repository)).await;
        }
        6 => {
            let values = Claimed::email(user.email.clone());
            let changes = [f.email.set(user.email), User::fields().logins.increment(1)];
            witness.write(values, User::update(user.id).with(changes).send(repository)).await;
        }
        7 => drop(attributed(DYNO, User::delete(user.id).send(repository)).await),
        8 => {
            let value = email();
            let find = User::get_by_email(value.as_str());
            witness.find("email", value.clone(), find, repository, |user| &user.id).await;
        }
        9 => {
            let value = email();
            let find = User::get_by_handle("t", value.as_str());
            witness.find("handle", format!("t|{value}"), find, repository, |user| &user.id).await;
        }
        10 => swap(repository, witness).await,
        _ => {
            let other = self::user();
            let both = match fastrand::u8(0..3) {
                0 => Transaction::new().put(user.create()).delete(User::delete(other.id)),
                1 => Transaction::new()
                    .update(User::update(other.id).with(f.logins.increment(1)))
                    .update(User::update(user.id).with(User::fields().email.set(user.email))),
                _ => Transaction::new().put(user.put()).check(User::check(other.id)),
            };
            witness.transaction(both.send(repository)).await;
        }
    }
}

/// Reads two users, and exchanges their emails in one transaction.
async fn swap(repository: &Repository, witness: &Witness) {
    let (one, other) = (User::get(id()).send(repository).await, User::get(id()).send(repository).await);
    if let (Ok(Some(one)), Ok(Some(other))) = (one, other) {
        let f = User::fields();
        let swap = Transaction::new()
            .update(User::update(one.id).with(f.email.set(other.email)))
            .update(User::update(other.id).with(User::fields().email.set(one.email)));
        witness.transaction(swap.send(repository)).await;
    }
}

async fn write_member(repository: &Repository, witness: &Witness) {
    let member = Member { id: id(), email: email(), visits: 0, version: 0 };
    let values = Claimed::email(member.email.clone());
    let stored = Member::get(member.id.clone()).loaded().consistent().send(repository).await.ok().flatten();
    match (fastrand::u8(0..6), stored) {
        (0, Some(stored)) => {
            let kept = Member { visits: stored.entity.visits + 1, ..stored.entity.clone() };
            witness.write(Claimed::none(), kept.put().over(&stored).send(repository)).await;
        }
        (1, Some(stored)) => {
            let set =
                Member::update(member.id).version(stored.entity.version).with(Member::fields().email.set(member.email));
            witness.write(values, set.send(repository)).await;
        }
        (2, Some(stored)) => {
            witness.write(Claimed::none(), Member::delete(member.id, stored.entity.version).send(repository)).await;
        }
        (3, _) => {
            let edit = |stored: &mut Member| stored.email.clone_from(&member.email);
            witness.write(values, Box::pin(Member::modify(member.id.clone(), edit).attempts(3).send(repository))).await;
        }
        (4, Some(stored)) => {
            witness.write(values, Member { version: stored.entity.version, ..member }.put().send(repository)).await;
        }
        _ => witness.write(values, member.create().send(repository)).await,
    }
}

async fn write_contract(repository: &Repository, witness: &Witness) {
    let contract = Contract { id: id(), email: email(), version: 0 };
    let values = Claimed::email(contract.email.clone());
    match fastrand::u8(0..4) {
        0 => witness.write(values, contract.create().send(repository)).await,
        1 => {
            let rollback = Box::pin(Contract::rollback(contract.id, fastrand::u64(1..4)).send(repository));
            witness.write(Claimed::Unknown, rollback).await;
        }
        2 => {
            let edit = |stored: &mut Contract| stored.email.clone_from(&contract.email);
            witness
                .write(values, Box::pin(Contract::modify(contract.id.clone(), edit).attempts(3).send(repository)))
                .await;
        }
        _ => {
            if let Ok(Some(stored)) = Contract::get(contract.id.clone()).consistent().send(repository).await {
                witness.write(Claimed::none(), Contract::delete(contract.id, stored.version).send(repository)).await;
            }
        }
    }
}

async fn write_player(repository: &Repository, witness: &Witness) {
    let player = Player { id: id(), email: email(), version: 0 };
    if fastrand::u8(0..3) == 0 {
        return witness.write(Claimed::email(player.email.clone()), player.create().send(repository)).await;
    }
    let other = id();
    let closure = Transaction::interactive(move |tx| {
        let (player, other) = (player.clone(), other.clone());
        async move {
            let one = tx.get(Player::get(player.id.clone())).await?;
            let two = tx.get(Player::get(other.clone())).await?;
            match (one, two) {
                (Some(mut one), Some(mut two)) if one.id != two.id => {
                    std::mem::swap(&mut one.email, &mut two.email);
                    tx.put(one.put());
                    tx.put(two.put());
                }
                (Some(mut one), _) => {
                    one.email.clone_from(&player.email);
                    tx.put(one.put());
                }
                (None, Some(two)) => {
                    tx.delete(Player::delete(two.id, two.version));
                    tx.put(player.create());
                }
                (None, None) => tx.put(player.create()),
            }
            Ok(())
        }
    });
    let begin = witness.journal.requests();
    let outcome = attributed(DYNO, closure.send(repository)).await;
    let during = [begin, witness.journal.requests()];
    match outcome {
        Ok(outcome) => match outcome.refusal() {
            None => witness.met(|met| met.applied += 1),
            Some(refusal) => {
                refusal
                    .actions()
                    .for_each(|action| witness.refused("players", action.reasons(), &Claimed::Unknown, during));
            }
        },
        Err(_) => witness.met(|met| met.errors += 1),
    }
}

async fn write_rated(repository: &Repository, witness: &Witness) {
    let at = EpochMillis::new(NOW + fastrand::i64(0..1000));
    let rated = Rated { id: id(), email: email(), at };
    match fastrand::u8(0..4) {
        0 => witness.write(Claimed::none(), Rated::delete(rated.id, at).send(repository)).await,
        1 => {
            let value = email();
            let find = Rated::get_by_email(value.as_str());
            witness.find("email", value.clone(), find, repository, |rated| &rated.id).await;
        }
        _ => witness.write(Claimed::email(rated.email.clone()), rated.put().send(repository)).await,
    }
}

async fn write_job(repository: &Repository, witness: &Witness) {
    let (id, f) = (id(), Job::fields());
    match fastrand::u8(0..3) {
        0 => {
            let email = email();
            let job = Job { id, email: Some(email.clone()), runs: 0 };
            witness.write(Claimed::email(email), job.create().send(repository)).await;
        }
        1 => drop(attributed(DYNO, Job::delete(id).send(repository)).await),
        _ => {
            let email = email();
            let changes = [f.email.set(email.clone()), Job::fields().runs.increment(1)];
            let update = Job::update(id).with(changes).idempotency_key(fastrand::u8(..).to_string());
            witness.write(Claimed::email(email), update.send(repository)).await;
        }
    }
}
