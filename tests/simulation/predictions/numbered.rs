//! Random commands for the entities whose writes are ordered by versions, tokens or fences.

use super::draws::{Drawn, id, near, new, text};
use super::entities::{Account, Atomic, Draft, Fenced, Grouped, Loose, Ordered, Ratcheted, Shaped, Strict, Versioned};
use dyno::{EpochMillis, EpochSeconds, Found, Item, Repository, Transaction};
use dyno_tests::NOW;
use fastrand::Rng;

macro_rules! purge {
    ($entity:ident) => {
        async fn purge(repository: &Repository) -> Option<Transaction> {
            match $entity::get("1").include_deleted().send(repository).await {
                Ok(Some(Found::Deleted(tombstone))) => Some(Transaction::new().delete($entity::purge(&tombstone))),
                _ => None,
            }
        }
    };
}

impl Drawn for Ratcheted {
    const NAMES: &[&str] = &["text", "at", "deleted", "ttl"];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let at = EpochMillis::new(near(rng, there, "at").cast_signed().max(NOW - 5));
        let ratcheted = Self { id: id(), text: text(rng), at };
        match rng.u8(..7) {
            0 => new().put(ratcheted.create()),
            1 => new().put(ratcheted.replace()),
            2 | 3 => new().delete(Self::delete("1", at)),
            4 => new().put(ratcheted.undelete()),
            _ => new().put(ratcheted.put()),
        }
    }

    purge!(Self);
}

impl Drawn for Strict {
    const NAMES: &[&str] = &["text", "at", "writer", "deleted", "ttl", "expires"];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let (at, writer) = (near(rng, there, "at"), text(rng));
        let expires = rng.bool().then(|| EpochSeconds::new(NOW / 1000 + rng.i64(-100..2000)));
        let strict = Self { id: id(), text: text(rng), at, writer: writer.clone(), expires };
        match rng.u8(..7) {
            0 => new().put(strict.create()),
            1 => new().put(strict.replace().condition(Self::fields().text.eq("a"))),
            2 | 3 => new().delete(Self::delete("1", (at, writer))),
            4 => new().put(strict.undelete()),
            _ => new().put(strict.put()),
        }
    }

    purge!(Self);
}

impl Drawn for Grouped {
    const NAMES: &[&str] = &["text", "at", "count", "note", "counted_at", "writer", "deleted", "ttl"];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let (at, counted_at, writer) = (near(rng, there, "at"), near(rng, there, "counted_at"), rng.u8(..3));
        let (count, note) = (rng.u32(..3), rng.bool().then(|| text(rng)));
        let grouped = Self { id: id(), text: text(rng), at, count, note: note.clone(), counted_at, writer };
        match rng.u8(..9) {
            0 => new().put(grouped.create()),
            1 => new().put(grouped.replace()),
            2 => new().delete(Self::delete("1", at, (counted_at, writer))),
            3 => new().put(grouped.undelete()),
            4 | 5 => new().update(Self::update("1").at(at).text(text(rng))),
            6 | 7 => new().update(Self::update("1").counted_at((counted_at, writer)).count(count).note(note)),
            _ => new().put(grouped.put()),
        }
    }

    purge!(Self);
}

impl Drawn for Versioned {
    const NAMES: &[&str] = &["text", "count", "old", "version", "deleted", "ttl"];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let version = u8::try_from(near(rng, there, "version")).unwrap_or(u8::MAX);
        let versioned = Self { id: id(), text: text(rng), count: rng.i8(..), version };
        let f = Self::fields;
        let change = match rng.u8(..4) {
            0 => f().text.set(text(rng)),
            1 => f().count.add(rng.i8(..)),
            2 => f().count.set_if_absent(rng.i8(..)),
            _ => f().count.decrement(rng.i8(0..9)),
        };
        let both = || [f().text.set("u"), f().count.set(3)];
        match rng.u8(..14) {
            0 | 1 => new().put(versioned.create()),
            2 => new().put(versioned.replace()),
            3 => new().put(versioned.put().condition(f().count.lt(9))),
            4 => new().put(versioned.undelete()),
            5 => new().delete(Self::delete("1", version)),
            6 => new().update(Self::update("1").unchecked().with(change)),
            7 => new().update(Self::update("1").unchecked().with(both()).upsert()),
            8 => new().update(Self::update("1").version(version).with(both()).upsert()),
            9 => new().check(Self::check("1").condition(f().count.gt(0))),
            10 => new().check(Self::check("1").version(version)),
            11 => new().put(versioned.put()),
            _ => new().update(Self::update("1").version(version).with(change)),
        }
    }

    purge!(Self);
}

impl Drawn for Loose {
    const NAMES: &[&str] = &["note", "count", "version", "deleted", "ttl"];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let f = Self::fields;
        let version = near(rng, there, "version");
        let change = match rng.u8(..4) {
            0 => f().note.clear(),
            1 => f().note.set(text(rng)),
            2 => f().count.add(rng.i16(..)),
            _ => f().count.set_if_absent(rng.i16(..)),
        };
        match rng.u8(..6) {
            0 => new().delete(Self::delete("1", version)),
            1 => new().update(Self::update("1").version(version).with(change)),
            2 => new().update(Self::update("1").unchecked().with(change)),
            3 => new().update(Self::update("1").version(version).with(change).upsert()),
            _ => new().update(Self::update("1").unchecked().with(change).upsert()),
        }
    }

    purge!(Self);
}

macro_rules! histories {
    ($($entity:ident $names:expr, ($($undelete:ident)?), $($purge:ident)?;)*) => {$(
        impl Drawn for $entity {
            const NAMES: &[&str] = $names;

            fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
                let version = near(rng, there, "version");
                let value = Self { id: id(), text: text(rng), version };
                match rng.u8(..6) {
                    0 | 1 => new().put(value.create()),
                    2 => new().put(value.replace()),
                    3 => new().delete(Self::delete("1", version)),
                    $(4 => new().put(value.$undelete()),)?
                    _ => new().put(value.put()),
                }
            }

            $($purge!(Self);)?
        }
    )*};
}

impl Drawn for Account {
    const NAMES: &[&str] = &["text", "balance", "version", "_w", "deleted", "_x"];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let version = near(rng, there, "version");
        let account = Self { id: id(), balance: rng.u8(..), version };
        let f = Self::fields;
        match rng.u8(..9) {
            0 => new().put(account.create()),
            1 => new().put(account.replace()),
            2 => new().delete(Self::delete("1", version)),
            3 => new().put(account.undelete()),
            4 => new().check(Self::check("1").condition(f().balance.ge(9))),
            5 => new().update(Self::update("1").unchecked().with(f().balance.add(7))),
            6 | 7 => new().update(Self::update("1").version(version).with(f().balance.decrement(7))),
            _ => new().put(account.put()),
        }
    }
}

histories! {
    Atomic &["text"], (), ;
    Ordered &["text", "version", "_w", "deleted"], (undelete), purge;
    Draft &["text", "version", "_w", "deleted"], (undelete), purge;
    Shaped &["text", "version", "shape"], (), ;
}

impl Drawn for Fenced {
    const NAMES: &[&str] = &["text", "epoch", "deleted", "ttl"];

    fn draw(rng: &mut Rng, there: Option<&Item>) -> Transaction {
        let epoch = near(rng, there, "epoch");
        let fence = near(rng, there, "epoch");
        let fenced = Self { id: id(), text: text(rng), epoch };
        let update = || Self::update("1").with(Self::fields().text.set("u"));
        match rng.u8(..9) {
            0 => new().put(fenced.create()),
            1 => new().put(fenced.put()),
            2 => new().put(fenced.put().fenced(fence)),
            3 => new().put(fenced.replace().fenced(fence)),
            4 => new().delete(Self::delete("1").fenced(fence)),
            5 => new().delete(Self::delete("1")),
            6 => new().put(fenced.undelete()),
            7 => new().update(update()),
            _ => new().update(update().fenced(fence)),
        }
    }

    purge!(Self);
}
