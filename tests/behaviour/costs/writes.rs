//! Single writes: each kind of entity, each command, applied and refused, with items of several sizes before and after.

use super::{
    Account, Atomic, Bill, Cart, Dead, Indexed, Letter, Member, Ordered, Plain, Rated, Session, Versioned, texts,
};
use dyno::{EpochMillis, EpochSeconds, Found};
use dyno_tests::{NOW, world};

#[tokio::test]
async fn writes_without_rules_cost_what_was_told() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    let f = Plain::fields;
    for before in texts() {
        for after in texts() {
            let [old, new] = [&before, &after].map(|text| Plain { id: "1".into(), text: text.clone() });
            costs!(repository, old.put() => applied);
            costs!(repository, new.put() => applied);
            costs!(repository, old.create() => refused);
            costs!(repository, old.replace() => applied);
            costs!(repository, Plain::update("1").with(f().text.set(after.as_str())) => applied);
            costs!(repository, Plain::update("1").condition(f().text.eq("else")).with(f().text.set("")) => refused);
            costs!(repository, Plain::delete("1") => applied);
            costs!(repository, Plain::delete("1") => applied);
            costs!(repository, new.replace() => refused);
            costs!(repository, Plain::update("1").with(f().text.set("")) => refused);
            costs!(repository, new.create() => applied);
            costs!(repository, Plain::update("2").upsert().with(f().text.set(after.as_str())) => applied);
            costs!(repository, Plain::delete("1") => applied);
            costs!(repository, Plain::delete("2") => applied);
        }
    }
}

#[tokio::test]
async fn an_index_costs_nothing_one_write_or_two() {
    let world = world::<Indexed>().await;
    let repository = &world.repository;
    let f = Indexed::fields;
    let indexed = |group: Option<&str>, rank, text: &str| Indexed {
        id: "1".into(),
        line: 1,
        group: group.map(str::to_owned),
        rank,
        text: text.into(),
        tags: vec!["a".into(), "b".into()],
    };
    for before in texts() {
        for after in texts() {
            for (old, new) in
                [(None, None), (None, Some("b")), (Some("a"), None), (Some("a"), Some("b")), (Some("a"), Some("a"))]
            {
                let rank = new.map_or(1, |_| 2);
                costs!(repository, indexed(old, 1, &before).create() => applied);
                costs!(repository, indexed(new, rank, &after).put() => applied);
                costs!(repository, indexed(new, rank, &after).replace() => applied);
                costs!(repository, Indexed::update(("1", 1)).with(f().text.set(before.as_str())) => applied);
                costs!(repository, Indexed::update(("1", 1)).with(f().group.set("c")) => applied);
                costs!(repository, Indexed::update(("1", 1)).with(f().rank.set(9)) => applied);
                costs!(repository, Indexed::update(("1", 1)).with(f().tags.remove_value("a")) => applied);
                costs!(repository, Indexed::update(("1", 1)).with(f().tags.remove_value("a")) => refused);
                costs!(repository, Indexed::update(("2", 1)).with(f().tags.remove_value("a")) => refused);
                costs!(repository, indexed(new, rank, &after).create() => refused);
                costs!(repository, Indexed::delete(("1", 1)) => applied);
            }
        }
    }
}

#[tokio::test]
async fn a_create_over_a_dead_item_costs_a_second_request() {
    let world = world::<Dead>().await;
    world.repository.create_table::<Session>().await.expect("a table");
    let repository = &world.repository;
    for text in texts() {
        let dead = |version| Dead { id: "1".into(), text: text.clone(), version };
        let first = costs!(repository, dead(0).create() => applied, version);
        costs!(repository, dead(0).put() => refused);
        costs!(repository, dead(0).create() => refused);
        let second = costs!(repository, dead(first).put() => applied, version);
        costs!(repository, dead(first).replace() => refused);
        costs!(repository, Dead::update("1").version(second).with(Dead::fields().text.set("")) => applied);
        costs!(repository, Dead::update("1").unchecked().with(Dead::fields().text.set("")) => applied);
        costs!(repository, Dead::delete("1", second) => refused);
        costs!(repository, Dead::delete("1", second + 2) => applied);
        costs!(repository, dead(second + 3).undelete() => applied);
        costs!(repository, dead(second + 3).undelete() => refused);
        costs!(repository, Dead::delete("1", second + 4) => applied);
        costs!(repository, dead(0).create().condition(Dead::fields().text.eq("else")) => refused);
        let third = costs!(repository, dead(0).create() => applied, version);
        costs!(repository, Dead::delete("1", third) => applied);
        costs!(repository, dead(0).put() => applied);
        let Some(stored) = Dead::get("1").send(repository).await.expect("a get") else { panic!("no item") };
        costs!(repository, Dead::delete("1", stored.version) => applied);
        let Some(Found::Deleted(tombstone)) = Dead::get("1").include_deleted().send(repository).await.expect("a get")
        else {
            panic!("no tombstone")
        };
        costs!(repository, Dead::purge(&tombstone) => applied);
        costs!(repository, Dead::purge(&tombstone) => applied);

        let seconds = NOW / 1000;
        let session =
            |until| Session { id: "1".into(), text: format!("s{text}"), until: EpochSeconds::new(until), version: 0 };
        if text.len() < 2_000 {
            costs!(repository, session(seconds - 10).create() => applied);
            costs!(repository, session(seconds + 10).create() => applied);
            costs!(repository, session(seconds + 10).create() => refused);
            costs!(repository, Session::delete("1", 2u64) => applied);
        }
    }
}

#[tokio::test]
async fn a_ratchet_costs_no_request() {
    let world = world::<Rated>().await;
    let repository = &world.repository;
    for (turn, text) in (0..3).zip(texts()) {
        let rated =
            |at| Rated { id: "1".into(), text: text.clone(), at: EpochMillis::new(NOW - 10_000 + 10 * turn + at) };
        costs!(repository, rated(2).put() => applied);
        costs!(repository, rated(1).put() => refused);
        costs!(repository, Rated::delete("1", rated(1).at) => refused);
        costs!(repository, Rated::delete("1", rated(3).at) => applied);
        costs!(repository, Rated::delete("1", rated(3).at) => applied);
        costs!(repository, rated(4).undelete() => applied);
    }
}

#[tokio::test]
async fn an_atomic_history_costs_what_was_told() {
    let world = world::<Atomic>().await;
    let repository = &world.repository;
    for text in texts() {
        let atomic = |version| Atomic { id: "1".into(), text: text.clone(), version };
        let first = costs!(repository, atomic(0).create() => applied, version);
        costs!(repository, atomic(0).create() => refused);
        costs!(repository, atomic(0).put() => refused);
        let second = costs!(repository, atomic(first).put() => applied, version);
        costs!(repository, atomic(first).replace() => refused);
        costs!(repository, Atomic::delete("1", first) => refused);
        costs!(repository, Atomic::delete("1", second) => applied);
        costs!(repository, Atomic::delete("1", second) => refused);
    }
}

#[tokio::test]
async fn an_ordered_history_costs_what_was_told() {
    let world = world::<Ordered>().await;
    let repository = &world.repository;
    for text in texts() {
        let ordered = |version| Ordered { id: "1".into(), text: text.clone(), version };
        let first = costs!(repository, ordered(0).create() => applied, version);
        costs!(repository, ordered(0).create() => refused);
        let second = costs!(repository, ordered(first).put() => applied, version);
        costs!(repository, ordered(0).put() => refused);
        costs!(repository, ordered(first).put() => refused);
        let loaded = Ordered::get("1").loaded().send(repository).await.expect("a get").expect("an item");
        let third = costs!(repository, ordered(second).replace().over(&loaded) => applied, version);
        costs!(repository, ordered(second).replace().over(&loaded) => refused);
        costs!(repository, Ordered::delete("1", first) => refused);
        costs!(repository, Ordered::delete("1", third) => applied);
        costs!(repository, ordered(third).replace() => refused);
        costs!(repository, ordered(0).create().condition(Ordered::fields().text.eq("else")) => refused);
    }
}

#[tokio::test]
async fn a_unique_value_costs_what_was_told() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    let f = Member::fields;
    for (turn, text) in (0..3).zip(texts()) {
        let member = |id: &str, email: &str, version| Member {
            id: format!("{id}{turn}"),
            email: Some(format!("{email}{turn}")),
            text: text.clone(),
            version,
        };
        let key = |id: &str| format!("{id}{turn}");
        costs!(repository, member("1", "a", 0).create() => applied);
        costs!(repository, member("2", "a", 0).create() => refused);
        costs!(repository, member("1", "b", 0).put() => refused);
        costs!(repository, member("1", "b", 1).replace() => applied);
        costs!(repository, member("2", "a", 0).put() => applied);
        let update = |version: u64| Member::update(key("2")).version(version);
        costs!(repository, update(1).with(f().email.set(key("b"))) => refused);
        costs!(repository, update(1).with(f().email.set(key("c"))) => applied);
        costs!(repository, update(2).with(f().text.set("")) => applied);
        costs!(repository, Member::delete(key("1"), 2u64) => applied);
        costs!(repository, Member { email: None, ..member("3", "", 0) }.create() => applied);
        costs!(repository, update(3).with(f().email.set(key("b"))) => applied);
    }
}

#[tokio::test]
async fn an_idempotency_key_costs_what_was_told() {
    let world = world::<Bill>().await;
    world.repository.create_table::<Cart>().await.expect("a table");
    let repository = &world.repository;
    let (b, c) = (Bill::fields, Cart::fields);
    let tags = vec!["a".to_owned(), "b".to_owned(), "b".to_owned()];
    costs!(repository, Bill { id: "1".into(), total: 0, tags }.put() => applied);
    costs!(repository, Bill::update("1").with(b().total.add(1)) => applied);
    costs!(repository, Bill::update("1").with(b().total.add(1)).idempotency_key("1") => applied);
    costs!(repository, Bill::update("1").with(b().total.add(1)).idempotency_key("1") => refused);
    costs!(repository, Bill::update("2").with(b().total.add(1)).idempotency_key("2") => refused);
    costs!(repository, Bill::update("2").with(b().total.add(1)).idempotency_key("1") => refused);
    costs!(repository, Bill::update("1").with(b().tags.remove_value("b")).idempotency_key("3") => applied);
    costs!(repository, Bill::update("1").with(b().tags.remove_value("b")).idempotency_key("3") => refused);
    costs!(repository, Bill::update("1").with(b().tags.remove_value("z")).idempotency_key("4") => refused);

    costs!(repository, Cart { id: "1".into(), total: 0 }.create() => applied);
    for key in ["1", "2", "3", "4"] {
        costs!(repository, Cart::update("1").with(c().total.add(1)).idempotency_key(key) => applied);
        costs!(repository, Cart::update("1").with(c().total.add(1)).idempotency_key(key) => refused);
    }
    // This process does not know yet that the list is full.
    costs!(&world.other(), Cart::update("1").with(c().total.add(1)).idempotency_key("5") => applied);
}

#[tokio::test]
async fn several_rules_together_cost_what_was_told() {
    let world = world::<Account>().await;
    world.repository.create_table::<Letter>().await.expect("a table");
    world.repository.create_table::<Versioned>().await.expect("a table");
    let repository = &world.repository;
    for (turn, text) in (0..3).zip(texts()) {
        let account = |id: &str, email: &str, version| Account {
            id: format!("{id}{turn}"),
            group: format!("g{version}"),
            email: Some(format!("{email}{turn}")),
            text: text.clone(),
            version,
        };
        costs!(repository, account("1", "a", 0).create() => applied);
        costs!(repository, account("1", "a", 0).create() => refused);
        costs!(repository, account("2", "a", 0).create() => refused);
        costs!(repository, account("1", "b", 1).put() => applied);
        costs!(repository, account("2", "a", 0).create() => applied);
        costs!(repository, account("2", "b", 1).replace() => refused);
        costs!(repository, Account::delete(format!("1{turn}"), 2u64) => applied);
        costs!(repository, account("2", "b", 1).replace() => applied);
        costs!(repository, account("1", "b", 0).create() => refused);
        costs!(repository, account("1", "a", 0).create() => applied);

        let letter = |id: &str, number: u64, version| Letter {
            id: format!("{id}{turn}"),
            number: Some(100 * turn + number),
            text: text.clone(),
            version,
        };
        costs!(repository, letter("1", 1, 0).create() => applied);
        costs!(repository, letter("1", 1, 0).create() => refused);
        costs!(repository, letter("2", 1, 0).put() => refused);
        costs!(repository, letter("1", 2, 1).put() => applied);
        costs!(repository, letter("2", 1, 0).put() => applied);
        costs!(repository, letter("2", 2, 1).replace() => refused);
        costs!(repository, Letter::delete(format!("1{turn}"), 1u64) => refused);
        costs!(repository, Letter::delete(format!("1{turn}"), 2u64) => applied);
        costs!(repository, letter("1", 1, 0).create() => refused);
        costs!(repository, letter("1", 2, 0).create() => applied);
        costs!(repository, Letter::delete(format!("1{turn}"), 4u64) => applied);
        costs!(repository, letter("1", 2, 5).undelete() => applied);

        let versioned = |version| Versioned { id: format!("{turn}"), text: text.clone(), version };
        costs!(repository, versioned(0).put() => applied);
        costs!(repository, versioned(1).put() => applied);
        costs!(repository, versioned(1).put() => refused);
        costs!(repository, versioned(2).replace() => applied);
        costs!(repository, Versioned::delete(format!("{turn}"), 2u64) => refused);
        costs!(repository, Versioned::delete(format!("{turn}"), 3u64) => applied);
    }
}
