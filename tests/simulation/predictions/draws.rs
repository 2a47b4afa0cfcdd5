//! Random commands for the entities, most of which fit the stored item.

use super::entities::{Counter, Expiring, Place, Plain, Recent, Rowed, Shop, Timed};
use dyno::{Change, Entity, EpochSeconds, Item, Repository, Transaction};
use dyno_tests::{NOW, s};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};

/// An entity for which commands are drawn.
pub(super) trait Drawn: Entity {
    /// The attributes that its row may have, under current and older names.
    const NAMES: &[&str];

    /// The key of its row.
    fn row() -> Item {
        Item::from([("id".to_owned(), s("1"))])
    }

    /// Draws a command, given the stored item.
    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction;

    /// Returns a purge if the row is a tombstone.
    async fn purge(_: &Repository) -> Option<Transaction> {
        None
    }
}

pub(super) fn id() -> String {
    "1".to_owned()
}

pub(super) fn text(rng: &mut Rng) -> String {
    ["a", "b", ""][rng.usize(..3)].to_owned()
}

fn key(rng: &mut Rng) -> &'static str {
    ["a", "b", "c", "d", "e", "f"][rng.usize(..6)]
}

/// The stored number, a number near it, or 0.
pub(super) fn near(rng: &mut Rng, there: Option<&Item>, name: &str) -> u64 {
    let number = there.and_then(|item| item.get(name)?.as_n().ok()?.parse::<u64>().ok()).unwrap_or_default();
    match rng.u8(..6) {
        0 => number.saturating_sub(1),
        1 => number.saturating_add(1),
        2 => 0,
        _ => number,
    }
}

pub(super) fn new() -> Transaction {
    Transaction::new()
}

impl Drawn for Plain {
    const NAMES: &[&str] = &["text", "count"];

    fn draw(rng: &mut Rng, _: Option<&Item>) -> Transaction {
        let plain = Self { id: id(), text: text(rng), count: rng.bool().then(|| rng.i8(..)) };
        let f = Self::fields;
        let update = |rng: &mut Rng| {
            Self::update("1").with(match rng.u8(..5) {
                0 => f().count.add(rng.i8(..)),
                1 => f().count.increment(rng.i8(-9..100)),
                2 => f().count.decrement(rng.i8(-9..100)),
                3 => f().text.set(text(rng)),
                _ => f().count.set_if_absent(rng.i8(..)),
            })
        };
        match rng.u8(..10) {
            0 => new().put(plain.put()),
            1 => new().put(plain.create()),
            2 => new().put(plain.replace().condition(f().count.ge(rng.i8(0..20)))),
            3 => new().delete(Self::delete("1").condition(f().text.eq(text(rng)) | f().count.not_exists())),
            4 => new().check(Self::check("1").condition(f().text.ne(text(rng)))),
            5 => new().check(Self::check("1").absent()),
            6 => new().update(update(rng).condition(!f().text.size().gt(0))),
            7 => new().update(update(rng).with(f().text.set(text(rng))).upsert()),
            _ => new().update(update(rng)),
        }
    }
}

impl Drawn for Expiring {
    const NAMES: &[&str] = &["text", "expires", "kind"];

    fn draw(rng: &mut Rng, _: Option<&Item>) -> Transaction {
        let expires = rng.bool().then(|| EpochSeconds::new(NOW / 1000 + rng.i64(-100..2000)));
        let expiring = Self { id: id(), text: text(rng), expires };
        let f = Self::fields;
        match rng.u8(..6) {
            0 => new().put(expiring.put()),
            1 => new().put(expiring.create()),
            2 => new().put(expiring.replace()),
            3 => new().delete(Self::delete("1")),
            4 => new().update(Self::update("1").with(f().expires.set(expires)).condition(f().text.begins_with("a"))),
            _ => new().update(Self::update("1").with([f().text.set(text(rng)), f().expires.set(expires)]).upsert()),
        }
    }
}

fn shop_change(rng: &mut Rng) -> Change<Shop> {
    let f = Shop::fields();
    let element = key(rng);
    match rng.u8(..26) {
        0 => f.stars.add(rng.i64(-9..9)),
        1 => f.stars.increment(rng.i64(-9..9)),
        2 => f.stars.set_if_absent(rng.i64(-9..9)),
        3 => f.stars.set(rng.bool().then(|| rng.i64(..))),
        4 => f.tags.insert(element),
        5 => f.tags.remove_all(["a", "b", "c"]),
        6 => f.tags.clear(),
        7 => f.list.push(element),
        8 => f.list.push_unique(element),
        9 => f.list.remove_value(element),
        10 => f.list.remove_at(rng.usize(..2), element),
        11 => f.list.replace_at(rng.usize(..2), element, "z"),
        12 => f.list.extend(["x", "y"]),
        13 => f.scores.entry(element).set(rng.i64(-9..9)),
        14 => f.scores.entry(element).add(rng.i64(-9..9)),
        15 => f.scores.entry(element).clear(),
        16 => f.place.fields().city.set(text(rng)),
        17 => f.place.fields().visits.add(rng.u8(..9)),
        18 => f.note.set(rng.bool().then(|| text(rng))),
        19 => f.note.set_if_absent(text(rng)),
        20 => f.city.set(["Bern", "Rome", ""][rng.usize(..3)]),
        21 => f.floor.set(rng.u8(..3)),
        22 => f.ratio.add([0.1, 1e30, -2.5e-30][rng.usize(..3)]),
        23 => f.scores.set(BTreeMap::from([(element.to_owned(), 1)])),
        24 => f.list.set(vec![element.to_owned(), "a".to_owned()]),
        _ => f.tags.set(BTreeSet::from([element.to_owned()])),
    }
}

impl Drawn for Shop {
    const NAMES: &[&str] = &[
        "city", "floor", "stars", "old", "tags", "older", "list", "oldest", "scores", "place", "note", "ratio",
        "GSI1PK",
    ];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let f = Self::fields;
        if there.is_none() || rng.u8(..6) == 0 {
            let shop = Self {
                id: id(),
                city: ["Bern", "Rome"][rng.usize(..2)].to_owned(),
                floor: rng.u8(..3),
                stars: rng.bool().then(|| rng.i64(-9..9)),
                tags: BTreeSet::from([key(rng).to_owned()]),
                list: (0..rng.usize(..4)).map(|_| key(rng).to_owned()).collect(),
                scores: BTreeMap::from([(key(rng).to_owned(), 1)]),
                place: Place { city: text(rng), visits: rng.u8(..) },
                note: None,
                ratio: rng.bool().then_some(0.5),
            };
            return if rng.bool() { new().put(shop.put()) } else { new().put(shop.create()) };
        }
        let mut update = Self::update("1").with(shop_change(rng));
        for _ in 0..rng.usize(..4) {
            update = update.with(shop_change(rng));
        }
        match rng.u8(..8) {
            0 => new().update(update.condition(f().stars.gt(2) | f().tags.contains(key(rng)))),
            1 => new().update(update.condition(f().list.size().lt(3) & !f().scores.entry("a").gt(3))),
            2 => new().update(update.upsert()),
            3 => new().update(Self::update("1").with([f().city.set("Oslo"), f().floor.set(1)])),
            _ => new().update(update),
        }
    }
}

impl Drawn for Counter {
    const NAMES: &[&str] = &["count", "seen", "old", "list", "id"];

    fn row() -> Item {
        Item::from([("PK".to_owned(), s("Counter#1"))])
    }

    fn draw(rng: &mut Rng, _: Option<&Item>) -> Transaction {
        let f = Self::fields;
        let changes = |rng: &mut Rng| {
            let count = if rng.bool() { f().count.add(rng.u32(..9)) } else { f().count.set_if_absent(7u32) };
            let other = match rng.u8(..5) {
                0 => f().list.push(key(rng)),
                1 => f().list.push_unique(key(rng)),
                2 => f().seen.insert(rng.u8(..4)),
                3 => f().seen.remove(rng.u8(..4)),
                _ => f().list.set_if_absent(vec!["a".to_owned()]),
            };
            [count, other]
        };
        match rng.u8(..5) {
            0 => new().delete(Self::delete("1")),
            1 => new().update(Self::update("1").with(changes(rng))),
            2 => new().update(Self::update("1").with(changes(rng)).condition(f().count.le(9)).upsert()),
            3 => new().update(Self::update("1").with(changes(rng)).condition(f().count.not_exists()).upsert()),
            _ => new().update(Self::update("1").with(changes(rng)).upsert()),
        }
    }
}

impl Drawn for Timed {
    const NAMES: &[&str] = &["count", "list"];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let f = Self::fields;
        if there.is_none() {
            return new().put(Self { id: id(), count: 0, list: vec!["a".to_owned()] }.create());
        }
        let change = match rng.u8(..3) {
            0 => f().count.add(1u32),
            1 => f().list.push(key(rng)),
            _ => f().list.remove_value(key(rng)),
        };
        let update = Self::update("1").with(change).idempotency_key(key(rng));
        match rng.u8(..8) {
            0 => new().update(update.condition(f().count.lt(4))),
            1 => new().delete(Self::delete("1")),
            2 => new().update(Self::update("1").with(f().count.add(1u32))),
            _ => new().update(update),
        }
    }
}

impl Drawn for Recent {
    const NAMES: &[&str] = &["count", "keys", "version"];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let f = Self::fields;
        let version = near(rng, there, "version");
        if there.is_none() {
            return new().put(Self { id: id(), count: 0, version: 0 }.create());
        }
        let update = || Self::update("1").unchecked().with(f().count.add(1u32));
        match rng.u8(..8) {
            0 => new().delete(Self::delete("1", version)),
            1 => new().update(update()),
            2 => new().update(Self::update("1").version(version).with(f().count.add(1u32)).idempotency_key(key(rng))),
            _ => new().update(update().idempotency_key(key(rng))),
        }
    }
}

impl Drawn for Rowed {
    const NAMES: &[&str] = &["count"];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let f = Self::fields;
        if there.is_none() && rng.bool() {
            return new().put(Self { id: id(), count: 0 }.create());
        }
        let key = rng.u32(..200).to_string();
        let update = Self::update("1").with(f().count.add(1u32)).idempotency_key(key);
        match rng.u8(..4) {
            0 => new().update(update.condition(f().count.lt(3))),
            1 => new().delete(Self::delete("1")),
            _ => new().update(update),
        }
    }
}
