//! Every command of every kind of entity, and every kind of change.

use super::{Plain, boxed};
use dyno::{Condition, Document, Entity, EpochMillis, EpochSeconds, Repository};
use dyno_tests::{NOW, world};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Expiring {
    #[partition_key]
    id: String,
    #[sort_key]
    number: i64,
    text: String,
    #[ttl]
    expires: Option<EpochSeconds>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[partition_key(name = "id", template = "T#{name}")]
#[tombstone(ttl_days = 7)]
struct Ratcheted {
    name: String,
    #[sort_key]
    number: i64,
    text: String,
    #[ratchet]
    at: EpochMillis,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
struct Strict {
    #[partition_key]
    id: String,
    #[sort_key]
    number: i64,
    text: String,
    #[ratchet(strict, tiebreak = "writer")]
    at: EpochMillis,
    writer: String,
    #[ttl]
    expires: Option<EpochSeconds>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
struct Grouped {
    #[partition_key]
    id: String,
    #[sort_key]
    number: i64,
    text: String,
    #[ratchet(guards(text))]
    at: EpochMillis,
    count: u32,
    note: Option<String>,
    #[ratchet(guards(count, note), tiebreak = "writer")]
    counted_at: u64,
    writer: u8,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
struct Versioned {
    #[partition_key]
    id: String,
    #[sort_key]
    number: i64,
    text: String,
    #[ratchet(tiebreak = "writer")]
    at: EpochMillis,
    writer: String,
    #[version]
    #[attribute(rename = "a version")]
    version: u64,
    #[ttl]
    expires: Option<EpochSeconds>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Counted {
    #[partition_key]
    id: String,
    #[sort_key]
    number: i64,
    text: String,
    #[version(write_id = "written by")]
    version: u8,
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Place {
    #[attribute(rename = "c.ty")]
    city: String,
    visits: u8,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
#[idempotency(window_secs = 60)]
struct Timed {
    #[partition_key]
    id: String,
    #[sort_key]
    number: i64,
    count: u32,
    #[attribute(rename = "l.ist")]
    list: Vec<String>,
    tags: BTreeSet<String>,
    scores: BTreeMap<String, i64>,
    place: Place,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[idempotency(keys = 2, attribute = "the keys", raw, key_bytes = 8)]
struct Recent {
    #[partition_key]
    id: String,
    #[sort_key]
    number: i64,
    text: String,
    #[version]
    version: u64,
}

/// Checks every command of an entity that has all commands.
macro_rules! check_all {
    ($repository:expr, $entity:ident, $value:expr, $delete:expr, $condition:expr) => {{
        let (repository, value): (&Repository, $entity) = ($repository, $value);
        let condition = || -> Condition<$entity> { $condition };
        // The commands run before the item exists, while it exists, and after its deletion.
        for _ in 0..2 {
            check!(
                repository,
                value.create(),
                value.create().condition(condition()),
                value.replace(),
                value.replace().condition(condition()).return_old(),
                value.put(),
                value.put().condition(condition()),
                $delete,
                $delete.condition(condition()).return_old(),
                $entity::query(value.key().0),
                $entity::query(value.key().0).filter(condition()).limit(3).descending(),
                $entity::query(value.key().0).sort_gt(1).sort_le(9),
                $entity::scan(),
                $entity::scan().filter(condition()).consistent(),
            );
        }
    }};
}

/// Checks the commands that need a tombstone or show it.
macro_rules! check_tombstones {
    ($repository:expr, $entity:ident, $value:expr, $delete:expr) => {{
        let (repository, value): (&Repository, $entity) = ($repository, $value);
        let _deleted = $delete.send(repository).await.expect("a delete");
        let found = $entity::get(value.key()).include_deleted().send(repository).await.expect("a get");
        let Some(dyno::Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
        check!(repository, value.undelete(), $entity::purge(&tombstone), value.undelete());
        check!(repository, $entity::query(value.key().0).include_deleted(), $entity::scan().include_deleted());
    }};
}

#[tokio::test]
async fn every_command_sends_the_names_and_values_that_it_uses() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    let at = EpochMillis::new(NOW);
    let text = || "t".to_owned();

    let plain =
        Plain { id: text(), number: 1, text: text(), note: None, dotted: 1, tags: BTreeSet::new(), list: vec![] };
    let f = Plain::fields();
    check_all!(repository, Plain, plain.clone(), Plain::delete(("t", 1)), f.text.eq("x") | f.note.exists());
    let update = || Plain::update(("t", 1)).with([Plain::fields().note.clear(), Plain::fields().dotted.set(4)]);
    check!(repository, update(), update().condition(f.dotted.lt(9)).return_new());
    check!(repository, update().with([Plain::fields().text.set("x"), Plain::fields().list.set(vec![])]).upsert());

    let expiring = Expiring { id: text(), number: 2, text: text(), expires: None };
    let f = Expiring::fields();
    check_all!(repository, Expiring, expiring.clone(), Expiring::delete(("t", 2)), f.expires.ge(EpochSeconds::new(1)));
    let update = || Expiring::update(("t", 2)).with(Expiring::fields().text.set("x"));
    check!(repository, update(), update().upsert(), update().condition(!f.expires.exists()));

    let ratcheted = Ratcheted { name: text(), number: 3, text: text(), at };
    let f = Ratcheted::fields();
    check_all!(repository, Ratcheted, ratcheted.clone(), Ratcheted::delete(("t", 3), at), f.text.eq("t"));
    check_tombstones!(repository, Ratcheted, ratcheted.clone(), Ratcheted::delete(("t", 3), at));

    let strict = Strict { id: text(), number: 4, text: text(), at, writer: text(), expires: None };
    let f = Strict::fields();
    check_all!(
        repository,
        Strict,
        strict.clone(),
        Strict::delete(("t", 4), (at, "u")),
        f.text.eq("t") & !f.writer.eq("x")
    );
    check_tombstones!(repository, Strict, strict.clone(), Strict::delete(("t", 4), (at, "v")));

    let grouped = Grouped { id: text(), number: 5, text: text(), at, count: 1, note: None, counted_at: 7, writer: 1 };
    let f = Grouped::fields();
    let delete = || Grouped::delete(("t", 5), at, (7u64, 1));
    check_all!(repository, Grouped, grouped.clone(), delete(), f.count.between(1, 3));
    check_tombstones!(repository, Grouped, grouped.clone(), delete());
    check!(
        repository,
        Grouped::update(("t", 5)).at(at).text("x"),
        Grouped::update(("t", 5)).counted_at((7u64, 1)).count(1).note(None).condition(f.note.not_exists()),
    );

    let counted = Counted { id: text(), number: 6, text: text(), version: 0 };
    let f = Counted::fields();
    for version in [0, 1, 7] {
        let counted = || Counted { version, ..counted.clone() };
        check_all!(
            repository,
            Counted,
            counted(),
            Counted::delete(("t", 6), version),
            f.version.gt(0) | f.text.eq("t")
        );
        let update = || Counted::update(("t", 6));
        check!(
            repository,
            update().version(version).with(Counted::fields().text.set("x")),
            update().version(version).with(Counted::fields().text.set("x")).upsert().return_old(),
            update().unchecked().with(Counted::fields().text.set("x")).condition(f.version.lt(9)).return_new(),
            update().unchecked().with(Counted::fields().text.set("x")).upsert(),
        );
    }

    let versioned = Versioned { id: text(), number: 7, text: text(), at, writer: text(), version: 0, expires: None };
    let f = Versioned::fields();
    for version in [0, 1, 7] {
        let versioned = Versioned { version, ..versioned.clone() };
        let delete = || Versioned::delete(("t", 7), (at, "u"), version);
        check_all!(repository, Versioned, versioned.clone(), delete(), f.expires.exists() | f.text.eq("t"));
        check!(repository, versioned.undelete(), versioned.undelete().condition(f.text.eq("t")));
    }
    let versioned = Versioned { number: 8, ..versioned };
    versioned.create().send(repository).await.expect("sent").applied().expect("applied");
    check_tombstones!(repository, Versioned, versioned.clone(), Versioned::delete(("t", 8), (at, "v"), 1u64));
}

#[tokio::test]
async fn every_change_sends_the_names_and_values_that_it_uses() {
    let world = world::<Timed>().await;
    let repository = &world.repository;
    let place = Place { city: "Rome".to_owned(), visits: 1 };
    let (list, tags) = (vec!["a".to_owned(), "b".to_owned(), "c".to_owned()], BTreeSet::from(["t".to_owned()]));
    let (id, scores) = ("t".to_owned(), BTreeMap::from([("x".to_owned(), 1)]));
    let timed = Timed { id, number: 1, count: 3, list, tags, scores, place };
    timed.create().send(repository).await.expect("sent").applied().expect("applied");
    let update = || Timed::update(("t", 1));
    let f = Timed::fields;
    check!(
        repository,
        update().with([f().count.add(2), f().list.push("x"), f().tags.insert("u")]),
        update().with([f().count.increment(2), f().list.push_unique("y"), f().tags.remove("u")]).idempotency_key("1"),
        update().with([f().count.decrement(2), f().list.replace_at(0, "a", "A"), f().tags.clear()]),
        update().with([f().list.remove_at(1, "b"), f().tags.insert_all(["v", "w"])]).idempotency_key("1"),
        update().with([f().count.set_if_absent(1), f().scores.entry("a b").set(1), f().scores.entry("x").add(-1)]),
        update().with([f().scores.entry("x").clear(), f().place.fields().city.set("Oslo"), f().tags.remove_all(["v"])]),
        update().with(f().place.fields().visits.add(1)).condition(f().place.fields().city.ne("x")).idempotency_key("2"),
        update().with(f().count.add(1)).idempotency_key("3").return_new(),
    );
    let f = Recent::fields;
    let recent = Recent { id: "r".to_owned(), number: 1, text: String::new(), version: 0 };
    recent.create().send(repository).await.expect("sent").applied().expect("applied");
    for key in ["1", "2", "3", "4"] {
        check!(repository, Recent::update(("r", 1)).unchecked().with(f().text.set("x")).idempotency_key(key));
    }
    check!(repository, Recent::update(("r", 1)).version(1u64).with(f().text.set("x")).idempotency_key("5"));
}
