//! Ratchets of a whole item, and of groups of fields.

use super::{Kind, Promise, record, tables};
use dyno::{Entity, EpochMillis};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    text: String,
    #[ratchet]
    at: EpochMillis,
}

fn at(millis: i64) -> EpochMillis {
    EpochMillis::new(millis)
}

fn rating(who: &str, millis: i64) -> Rating {
    Rating { id: "1".into(), text: who.into(), at: at(millis) }
}

#[test]
fn ratchet() {
    let kind = Kind {
        name: "ratchet",
        promise: Promise::Repeated,
        tables: |repository| Box::pin(tables::<Rating>(repository)),
        states: states! {
            "absent" = |_repository| {};
            "live 15" = |repository| rating("old", 15).put().send(&repository).await?.applied()?;
            "tombstone 15" = |repository| Rating::delete("1", at(15)).send(&repository).await?.applied()?;
        },
        commands: commands! {
            "put 10" = |who| rating(who, 10).put();
            "put 20" = |who| rating(who, 20).put();
            "put 30" = |who| rating(who, 30).put();
            "create 20" = |who| rating(who, 20).create();
            "replace 25" = |who| rating(who, 25).replace();
            "delete 20" = |_| Rating::delete("1", at(20));
            "delete 12" = |_| Rating::delete("1", at(12));
            "delete 22" = |_| Rating::delete("1", at(22));
        },
        hidden: &["ttl", "_w"],
        names: &["ratings"],
        view: None,
    };
    record(&kind.explore());
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "scores")]
struct Score {
    #[partition_key]
    id: String,
    text: String,
    #[ratchet(tiebreak = "writer")]
    at: EpochMillis,
    writer: String,
}

fn score(who: &str, millis: i64, writer: &str) -> Score {
    Score { id: "1".into(), text: who.into(), at: at(millis), writer: writer.into() }
}

#[test]
fn ratchet_with_a_tiebreak() {
    let kind = Kind {
        name: "ratchet with a tiebreak",
        promise: Promise::Repeated,
        tables: |repository| Box::pin(tables::<Score>(repository)),
        states: states! {
            "absent" = |_repository| {};
            "live 15 m" = |repository| score("old", 15, "m").put().send(&repository).await?.applied()?;
        },
        commands: commands! {
            "put 15 a" = |who| score(who, 15, "a").put();
            "put 15 n" = |who| score(who, 15, "n").put();
            "put 15 z" = |who| score(who, 15, "z").put();
            "put 20 a" = |who| score(who, 20, "a").put();
        },
        hidden: &[],
        names: &["scores"],
        view: None,
    };
    record(&kind.explore());
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reviews")]
#[tombstone(ttl_days = 7)]
struct Review {
    #[partition_key]
    id: String,
    text: String,
    #[ratchet(guards(text))]
    written_at: EpochMillis,
    shipped: String,
    #[ratchet(guards(shipped))]
    shipped_at: EpochMillis,
}

fn review(who: &str, written: i64, shipped: i64) -> Review {
    Review { id: "1".into(), text: who.into(), written_at: at(written), shipped: who.into(), shipped_at: at(shipped) }
}

#[test]
fn ratchet_groups() {
    let kind = Kind {
        name: "ratchet groups",
        promise: Promise::Repeated,
        tables: |repository| Box::pin(tables::<Review>(repository)),
        states: states! {
            "absent" = |_repository| {};
            "live 15" = |repository| review("old", 15, 15).put().send(&repository).await?.applied()?;
        },
        commands: commands! {
            "put 20, 20" = |who| review(who, 20, 20).put();
            "put 20, 10" = |who| review(who, 20, 10).put();
            "text 18" = |who| Review::update("1").written_at(at(18)).text(who);
            "text 25" = |who| Review::update("1").written_at(at(25)).text(who);
            "shipped 19" = |who| Review::update("1").shipped_at(at(19)).shipped(who);
        },
        hidden: &["ttl", "_w"],
        names: &["reviews"],
        view: None,
    };
    record(&kind.explore());
}
