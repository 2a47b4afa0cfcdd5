//! Two versions of a program on one table: the deployed one, and the next release with renamed attributes, another schema
//! version, a templated index, or a type name. Writers of both versions, a writer that knows no entity, and a `modify_each`
//! of the newer program, which is interrupted and resumed, run while requests and answers are lost, repeated, delayed and
//! refused. No acknowledged write is lost if the versions are deployed in the order that the attributes' documentation gives.
//!
//! `DYNO_SEEDS` sets the number of runs of each kind. The same seed gives the same run.

#![allow(clippy::print_stdout, reason = "what there was, for who asks with `--nocapture`")]

mod ledger;
#[macro_use]
mod program;
#[macro_use]
mod writers;

use crate::runs::retries;
use dyno::Item;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use dyno_tests::{n, s};
use ledger::{Place, Shared};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::sleep;

/// How many writers there are of each program.
const WRITERS: usize = 3;
/// How many commands each of them sends.
const WRITES: usize = 12;
const SHELF: &str = "s";
const IDS: [&str; 2] = ["a", "b"];
const CITIES: [&str; 3] = ["Bern", "Rome", "Oslo"];

/// A writer that knows no entity: it sets attributes of its own in existing rows.
async fn stranger(client: Client, shared: Shared) {
    for _ in 0..WRITES {
        sleep(Duration::from_millis(fastrand::u64(0..300))).await;
        let write = shared.begin();
        let update = client.update_item().table_name("rows").return_values(ReturnValue::AllNew);
        let update = update.key("shelf", s(SHELF)).key("id", s(IDS[fastrand::usize(..IDS.len())]));
        let update = update.update_expression("SET #x = :x").condition_expression("attribute_exists(coat)");
        let update = update.expression_attribute_names("#x", format!("x{}", write.number));
        let sent = update.expression_attribute_values(":x", n(write.number)).send().await;
        if let Some(coat) = sent.ok().and_then(|sent| sent.attributes?.get("coat").map(number)) {
            shared.note("stranger");
            shared.acknowledge(write, Place::Strange, coat);
        }
    }
}

fn number(value: &AttributeValue) -> u64 {
    value.as_n().expect("a number").parse().expect("a whole one")
}

/// The numbers of a stranger's attributes.
fn strange(item: &Item) -> BTreeSet<u64> {
    item.keys().filter_map(|name| name.strip_prefix('x')?.parse().ok()).collect()
}

/// Checks that every row is in the index where it belongs, and nowhere else.
macro_rules! queried {
    ($other:ident $seed:ident) => {
        let rows = new::Row::scan().send(&$other).await.expect("a scan").items;
        for city in super::CITIES {
            let found = new::Row::by_city(city).send(&$other).await.expect("a query").items;
            let expected: Vec<_> = rows.iter().filter(|row| row.city == city).cloned().collect();
            assert_eq!(found, expected, "seed {}", $seed);
        }
    };
}

/// A kind of evolution: the entity of the older program, the entity of the newer one, and the final check of every live row.
macro_rules! generations {
    ($($name:ident $kind:ident { $($old:tt)* } { $($new:tt)* } $settled:expr;)*) => {$(
        mod $name {
            use super::ledger::Shared;
            use super::{IDS, SHELF, WRITERS, retries, strange, stranger};
            use crate::runs::{hedged, run, seeds, straggling};
            use dyno::{Item, Repository};
            use dyno_tests::faults::Rates;
            use dyno_tests::{World, world};
            use std::collections::BTreeMap;
            use std::sync::Arc;
            use std::sync::atomic::{AtomicBool, Ordering};

            mod old {
                program!($kind $($old)*);
            }

            mod new {
                program!($kind $($new)*);
            }

            async fn simulate(seed: u64) -> BTreeMap<String, usize> {
                let world = world::<new::Row>().await;
                let rates = match seed % 2 {
                    0 => Rates::MANY,
                    _ => Rates { duplicate: 0.0, ..Rates::MANY },
                };
                let shared = Shared::new(generations!(@again $kind rates), Arc::clone(&world.clock));
                world.faults.seed(seed, straggling(seed, rates, 4));
                let repository = || Repository::new(world.client(retries())).with_clock(Arc::clone(&world.clock));
                let repository = || hedged(seed, repository());
                let stop = Arc::new(AtomicBool::new(false));
                let upkeep = tokio::spawn(new::upkeep(repository(), shared.clone(), Arc::clone(&stop)));
                let mut writers = vec![tokio::spawn(stranger(world.client(retries()), shared.clone()))];
                for _ in 0..WRITERS {
                    writers.push(tokio::spawn(old::writer(seed, repository(), shared.clone())));
                    writers.push(tokio::spawn(new::writer(seed, repository(), shared.clone())));
                }
                for writer in writers {
                    writer.await.expect("no panic");
                }
                stop.store(true, Ordering::Relaxed);
                upkeep.await.expect("no panic");
                world.faults.calm();
                world.faults.settled().await;
                check(seed, &world, &shared).await;
                let told = std::mem::take(&mut shared.ledger().told);
                told
            }

            /// Brings all rows up to date after the older programs have stopped, and checks them.
            async fn check(seed: u64, world: &World, shared: &Shared) {
                let other = world.other();
                let up_to_date = async || {
                    let done = new::Row::scan().modify_each(|_| {}).send(&other).await.expect("sent");
                    done.completed().expect("every row is brought up to date").changed()
                };
                for _ in 0..up_to_date().await {
                    shared.note("left to be done");
                }
                assert_eq!(up_to_date().await, 0, "seed {seed}");
                let settled: fn(&Item, &str) = $settled;
                for item in world.stored::<new::Row>().await {
                    let id = item.get("id").and_then(|id| id.as_s().ok()).expect("an id");
                    let id = *IDS.iter().find(|known| *known == id).expect("one of them");
                    let row = new::Row::get((SHELF, id)).consistent().send(&other).await.expect("it can be read");
                    let Some(row) = row else { continue };
                    let mut seen = row.seen();
                    seen.strange = Some(strange(&item));
                    let now = shared.begin();
                    shared.ledger().check(seed, now, &seen);
                    row.check_city(seed, id, shared);
                    settled(&item, &row.city);
                }
                generations!(@queried $name other seed);
            }

            #[test]
            fn no_acknowledged_write_is_lost_between_two_program_versions() {
                let mut told = BTreeMap::<String, usize>::new();
                for seed in 0..seeds(3, 1) {
                    for (what, times) in run(seed, simulate(seed)) {
                        *told.entry(what).or_default() += times;
                    }
                }
                println!("{}: {} seeds, {told:?}", stringify!($name), seeds(3, 1));
            }
        }
    )*};
    // With a version condition, a write of a whole item is applied at most once.
    (@again counted $rates:ident) => { None };
    // Without one, the network can deliver it again up to four seconds later, and retries can repeat it until it is answered.
    (@again plain $rates:ident) => { Some(if $rates.duplicate > 0.0 { 4500 } else { 0 }) };
    (@queried index $other:ident $seed:ident) => { queried!($other $seed) };
    (@queried index_of_counted $other:ident $seed:ident) => { queried!($other $seed) };
    (@queried $name:ident $other:ident $seed:ident) => {};
}

generations! {
    // The first release of a rename reads both names, and still writes the old ones.
    first_alias_of_counted counted { 1 {
        []
        #[attribute(rename = "entries")] log,
        #[attribute(rename = "units")] amount,
        #[attribute(rename = "labels")] tags,
        #[attribute(rename = "town")] city,
    } } { 1 {
        []
        #[attribute(rename = "entries", alias = "log")] log,
        #[attribute(rename = "units", alias = "amount")] amount,
        #[attribute(rename = "labels", alias = "tags")] tags,
        #[attribute(rename = "town", alias = "city")] city,
    } } super::named_as_before;
    // The second release writes the new names.
    alias_of_counted counted { 1 {
        []
        #[attribute(rename = "entries", alias = "log")] log,
        #[attribute(rename = "units", alias = "amount")] amount,
        #[attribute(rename = "labels", alias = "tags")] tags,
        #[attribute(rename = "town", alias = "city")] city,
    } } { 1 {
        []
        #[attribute(alias = "entries")] log,
        #[attribute(alias = "units")] amount,
        #[attribute(alias = "labels")] tags,
        #[attribute(alias = "town")] city,
    } } super::named_anew;
    // A rename in a single release. The rows store their schema version.
    numbered_alias_of_counted counted { 1 {
        [#[entity(schema_version = 1)]]
        #[attribute(rename = "entries")] log,
        #[attribute(rename = "units")] amount,
        #[attribute(rename = "labels")] tags,
        #[attribute(rename = "town")] city,
    } } { 1 {
        [#[entity(schema_version = 2, upgrade = "crate::program_versions::as_it_is")]]
        #[attribute(alias = "entries")] log,
        #[attribute(alias = "units")] amount,
        #[attribute(alias = "labels")] tags,
        #[attribute(alias = "town")] city,
    } } super::numbered;
    // Other names, and another unit.
    schema_version_of_counted counted { 1 {
        [#[entity(schema_version = 1)]]
        #[attribute(rename = "entries")] log,
        #[attribute(rename = "units")] amount,
        #[attribute(rename = "labels")] tags,
        #[attribute(rename = "town")] city,
    } } { 100 {
        [#[entity(schema_version = 2, upgrade = "crate::program_versions::to_hundredths")]]
        log,
        amount,
        tags,
        city,
    } } super::numbered;
    index_of_counted counted { 1 {
        []
        log,
        amount,
        tags,
        city,
    } } { 1 {
        [#[index(
            name = "GSI1",
            query = by_city,
            partition(name = "GSI1PK", template = "City#{city}"),
            sort(name = "GSI1SK", template = "{id}")
        )]]
        log,
        amount,
        tags,
        city,
    } } super::keyed;
    type_name_of_counted counted { 1 {
        []
        log,
        amount,
        tags,
        city,
    } } { 1 {
        [#[entity(type_name = "row")]]
        log,
        amount,
        tags,
        city,
    } } super::marked;
    // The first release of a rename reads both names, and still writes the old ones.
    first_alias plain { 1 {
        []
        #[attribute(rename = "entries")] log,
        #[attribute(rename = "units")] amount,
        #[attribute(rename = "labels")] tags,
        #[attribute(rename = "town")] city,
    } } { 1 {
        []
        #[attribute(rename = "entries", alias = "log")] log,
        #[attribute(rename = "units", alias = "amount")] amount,
        #[attribute(rename = "labels", alias = "tags")] tags,
        #[attribute(rename = "town", alias = "city")] city,
    } } super::named_as_before;
    // The second release writes the new names.
    alias plain { 1 {
        []
        #[attribute(rename = "entries", alias = "log")] log,
        #[attribute(rename = "units", alias = "amount")] amount,
        #[attribute(rename = "labels", alias = "tags")] tags,
        #[attribute(rename = "town", alias = "city")] city,
    } } { 1 {
        []
        #[attribute(alias = "entries")] log,
        #[attribute(alias = "units")] amount,
        #[attribute(alias = "labels")] tags,
        #[attribute(alias = "town")] city,
    } } super::named_anew;
    // A rename in a single release. The rows store their schema version.
    numbered_alias plain { 1 {
        [#[entity(schema_version = 1)]]
        #[attribute(rename = "entries")] log,
        #[attribute(rename = "units")] amount,
        #[attribute(rename = "labels")] tags,
        #[attribute(rename = "town")] city,
    } } { 1 {
        [#[entity(schema_version = 2, upgrade = "crate::program_versions::as_it_is")]]
        #[attribute(alias = "entries")] log,
        #[attribute(alias = "units")] amount,
        #[attribute(alias = "labels")] tags,
        #[attribute(alias = "town")] city,
    } } super::numbered;
    // Other names, and another unit.
    schema_version plain { 1 {
        [#[entity(schema_version = 1)]]
        #[attribute(rename = "entries")] log,
        #[attribute(rename = "units")] amount,
        #[attribute(rename = "labels")] tags,
        #[attribute(rename = "town")] city,
    } } { 100 {
        [#[entity(schema_version = 2, upgrade = "crate::program_versions::to_hundredths")]]
        log,
        amount,
        tags,
        city,
    } } super::numbered;
    index plain { 1 {
        []
        log,
        amount,
        tags,
        city,
    } } { 1 {
        [#[index(
            name = "GSI1",
            query = by_city,
            partition(name = "GSI1PK", template = "City#{city}"),
            sort(name = "GSI1SK", template = "{id}")
        )]]
        log,
        amount,
        tags,
        city,
    } } super::keyed;
    type_name plain { 1 {
        []
        log,
        amount,
        tags,
        city,
    } } { 1 {
        [#[entity(type_name = "row")]]
        log,
        amount,
        tags,
        city,
    } } super::marked;
}

/// Upgrades a row of the first schema version: renames its attributes, and converts its amount to hundredths.
fn to_hundredths(item: &mut Item, _: u32) -> Result<(), String> {
    for (old, new) in [("entries", "log"), ("labels", "tags"), ("town", "city")] {
        if let Some(value) = item.remove(old) {
            item.insert(new.to_owned(), value);
        }
    }
    let units = item.remove("units").ok_or("no units")?;
    item.insert("amount".to_owned(), n(100 * number(&units)));
    Ok(())
}

#[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
fn as_it_is(_: &mut Item, _: u32) -> Result<(), String> {
    Ok(())
}

const BEFORE: [&str; 4] = ["entries", "units", "labels", "town"];

fn named_as_before(item: &Item, _: &str) {
    assert!(["log", "amount", "tags", "city"].iter().all(|name| !item.contains_key(*name)), "{item:?}");
}

fn named_anew(item: &Item, _: &str) {
    assert!(BEFORE.iter().all(|name| !item.contains_key(*name)), "{item:?}");
}

fn numbered(item: &Item, city: &str) {
    named_anew(item, city);
    assert_eq!(item.get("_v"), Some(&n(2)));
}

fn keyed(item: &Item, city: &str) {
    assert_eq!(item.get("GSI1PK"), Some(&s(&format!("City#{city}"))));
    assert_eq!(item.get("GSI1SK"), item.get("id"));
}

fn marked(item: &Item, _: &str) {
    assert_eq!(item.get("_type"), Some(&s("row")));
}
