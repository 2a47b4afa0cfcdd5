//! dyno's prediction of a write, given the stored item, agrees with the engine's answer and the item that it stores. The
//! commands are random, for entities of many kinds with one row each. Another program changes these rows between the
//! commands.

#![allow(clippy::print_stdout, reason = "how many there were, for who asks with `--nocapture`")]

mod draws;
mod entities;
mod numbered;

use crate::expressions::canonical_item;
use crate::runs::seeds;
use draws::Drawn;
use dyno::__private::evaluated::{Foretold, foretold};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{ErrorKind, Item, Reason, Transaction, TransactionOutcome};
use dyno_tests::{World, is_remote, n, pause, s, world};
use entities::{
    Account, Atomic, Counter, Draft, Expiring, Fenced, Grouped, Loose, Ordered, Plain, Ratcheted, Recent, Rowed,
    Shaped, Shop, Strict, Timed, Versioned,
};
use fastrand::Rng;
use std::collections::BTreeMap;

/// The number of writes in each run for each entity, including those of the other program.
const WRITES: usize = 60;

/// The number of writes for each kind of prediction.
#[derive(Debug, Default)]
struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    fn count(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }
}

/// The row of `E`, as it is stored.
async fn there<E: Drawn>(world: &World) -> Option<Item> {
    let table = world.repository.table_name::<E>().expect("a table");
    let get = world.repository.client().get_item().table_name(table).set_key(Some(E::row())).consistent_read(true);
    get.send().await.expect("a get").item
}

/// Changes the row as another program that ignores the rules of the entity.
async fn disturb<E: Drawn>(world: &World, rng: &mut Rng, there: Option<Item>) {
    let table = world.repository.table_name::<E>().expect("a table");
    let client = world.repository.client();
    if rng.u8(..5) == 0 {
        client.delete_item().table_name(table).set_key(Some(E::row())).send().await.expect("a delete");
        return;
    }
    let mut item = there.unwrap_or_else(E::row);
    for _ in 0..rng.usize(1..4) {
        let name = E::NAMES[rng.usize(..E::NAMES.len())];
        if name == "_x" && is_remote() {
            // On a remote engine, dyno waits in real time for the transaction of an intent.
            continue;
        }
        let value = match rng.u8(..9) {
            0 => AttributeValue::Null(true),
            1 => s("x"),
            2 | 3 => n(rng.u8(..5)),
            4 => n("99999999999999999999999999999999999999"),
            5 => AttributeValue::L(vec![s("a"), s("b"), s("a")]),
            6 => AttributeValue::Ss(vec!["a".to_owned(), "b".to_owned()]),
            7 => AttributeValue::Bool(true),
            _ => AttributeValue::M(Item::from([("a".to_owned(), n(1))])),
        };
        match rng.u8(..3) {
            0 => drop(item.remove(name)),
            1 => drop(item.insert(name.to_owned(), value)),
            // Moves the value to another name, as an older or a newer program stores it.
            _ => {
                let other = E::NAMES[rng.usize(..E::NAMES.len())];
                if let Some(value) = item.remove(name) {
                    item.insert(other.to_owned(), value);
                }
            }
        }
    }
    // DynamoDB may reject the value of an index key, so errors are ignored.
    drop(client.put_item().table_name(table).set_item(Some(item)).send().await);
}

fn reasons(outcome: &TransactionOutcome) -> Option<(Vec<Reason>, bool, bool)> {
    let refusal = outcome.refusal()?;
    let reasons = refusal.actions().flat_map(|action| action.reasons().to_vec()).collect();
    Some((reasons, refusal.is_superseded(), refusal.is_contained()))
}

/// Returns true if two items are equal to DynamoDB.
fn is_same(one: Option<&Item>, other: Option<&Item>) -> bool {
    one.map(canonical_item) == other.map(canonical_item)
}

async fn check<E: Drawn>(world: &World, transaction: Transaction, tally: &mut Tally, seed: u64) {
    let repository = &world.repository;
    let base = there::<E>(world).await;
    let told = foretold(&transaction, repository, base.as_ref());
    let sent = transaction.clone().send(repository).await;
    let made = there::<E>(world).await;
    let shown = || format!("seed {seed}: {transaction:#?}\nof {base:?}\ntold {told:?}\nsent {sent:?}\nmade {made:?}");
    let (what, is_true) = match (&told, &sent) {
        (Err(told), Err(sent)) => {
            // If DynamoDB rejects an update, the error is of the kind `Service`.
            let is_same_error = told.kind() == sent.kind() || sent.kind() == ErrorKind::Service;
            ("an error", is_same_error && is_same(base.as_ref(), made.as_ref()))
        }
        (Ok((Foretold::Makes { item, version, .. }, _)), Ok(TransactionOutcome::Applied(_))) => {
            let stored = made.as_ref().and_then(|made| made.get("version"));
            let is_counted = version.is_none() || stored.is_none() || stored == version.map(n).as_ref();
            ("an item", is_same(item.as_ref(), made.as_ref()) && is_counted)
        }
        (Ok((Foretold::Refuses { reasons: all, superseded, contained }, _)), Ok(outcome)) => {
            let is_same_refusal = reasons(outcome).is_some_and(|found| found == (all.clone(), *superseded, *contained));
            ("a refusal", is_same_refusal && is_same(base.as_ref(), made.as_ref()))
        }
        _ => ("", false),
    };
    match &told {
        _ if is_true => tally.count(what),
        // The prediction said that a row outside the item can decide otherwise.
        Ok((_, Some(unless))) => {
            tally.count(if unless == "Keyed" { "the key has a row" } else { "the history has a row" });
        }
        _ => panic!("{}", shown()),
    }
    // If the item keeps the id of the write, a second prediction reports that the write was made already.
    if let (Ok((Foretold::Makes { version: Some(_), .. }, _)), Ok(TransactionOutcome::Applied(_)), Some(made)) =
        (&told, &sent, &made)
        && made.contains_key("_w")
        && is_true
    {
        let again = foretold(&transaction, repository, Some(made));
        match again {
            Ok((Foretold::Made, _)) => tally.count("made already"),
            // The write has left no id of its own in the item.
            Ok(_) => {}
            Err(error) => panic!("{error:?} {}", shown()),
        }
    }
}

async fn run<E: Drawn>(seed: u64, tally: &mut Tally) {
    let mut rng = Rng::with_seed(seed);
    let world = world::<E>().await;
    for _ in 0..WRITES {
        world.clock.advance(rng.i64(0..40_000));
        let base = there::<E>(&world).await;
        if rng.u8(..4) == 0 {
            disturb::<E>(&world, &mut rng, base).await;
            continue;
        }
        let purge = if rng.u8(..6) == 0 { E::purge(&world.repository).await } else { None };
        let transaction = purge.unwrap_or_else(|| E::draw(&mut rng, base.as_ref()));
        check::<E>(&world, transaction, tally, seed).await;
    }
}

#[tokio::test]
async fn every_predicted_write_matches_the_engine() {
    // dyno waits for transactions that hold an item, so the clock is paused.
    pause();
    let mut tallies = BTreeMap::<&str, Tally>::new();
    for seed in 0..seeds(2, 1) {
        macro_rules! of {
            ($($entity:ident)*) => {$(
                run::<$entity>(seed, tallies.entry(stringify!($entity)).or_default()).await;
            )*};
        }
        of!(Account Plain Expiring Ratcheted Strict Grouped Versioned Shop Counter Loose Timed Recent Rowed Atomic Ordered Draft Fenced Shaped);
    }
    for (entity, Tally(counts)) in &tallies {
        println!("{entity}: {counts:?}");
        let of = |what| counts.get(what).copied().unwrap_or_default();
        assert!(of("an item") > 0 && of("a refusal") > 0, "{entity}: {counts:?}");
        // Writes that a row outside the item decides are the exception.
        assert!(
            of("the key has a row") + of("the history has a row") < of("an item") + of("a refusal"),
            "{entity}: {counts:?}"
        );
    }
}
