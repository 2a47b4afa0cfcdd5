//! Versions, alone and with tombstones.

use super::{Command, Kind, Promise, record, tables};
use dyno::Entity;
use dyno::aws_sdk_dynamodb::types::AttributeValue;

macro_rules! entity {
    ($name:ident, $table:literal $(, $tombstone:ident)?) => {
        #[derive(Entity, Clone, Debug, PartialEq)]
        #[entity(table = $table)]
        $(#[$tombstone(ttl_days = 7)])?
        struct $name {
            #[partition_key]
            id: String,
            text: String,
            count: u64,
            #[version]
            version: u64,
        }

        impl $name {
            fn of(who: &str, version: u64) -> Self {
                Self { id: "1".into(), text: who.into(), count: 0, version }
            }
        }
    };
}

entity!(Versioned, "documents");
entity!(Marked, "pages", tombstone);

fn versioned(name: &'static str, promise: Promise, commands: &'static [(&'static str, Command)]) -> Kind {
    Kind {
        name,
        promise,
        tables: |repository| Box::pin(tables::<Versioned>(repository)),
        states: states! {
            "absent" = |_repository| {};
            "version 1" = |repository| Versioned::of("old", 0).create().send(&repository).await?.applied()?;
            "without a version" = |repository| {
                let put = repository.client().put_item().table_name("documents").item("id", AttributeValue::S("1".into()));
                put.item("text", AttributeValue::S("old".into())).item("count", AttributeValue::N("3".into()))
                    .item("other", AttributeValue::N("7".into())).send().await.expect("a foreign row");
            };
        },
        commands,
        hidden: &["_w"],
        names: &["documents"],
        view: None,
    }
}

#[test]
fn version() {
    const COMMANDS: &[(&str, Command)] = commands! {
        "create" = |who| Versioned::of(who, 0).create();
        "put 0" = |who| Versioned::of(who, 0).put();
        "put 1" = |who| Versioned::of(who, 1).put();
        "put 2" = |who| Versioned::of(who, 2).put();
        "replace" = |who| Versioned::of(who, 1).replace();
        "modify" = |who| Versioned::modify("1", move |item| item.text.push_str(who));
        "set 1" = |who| Versioned::update("1").version(1).with(Versioned::fields().text.set(who));
    };
    record(&versioned("version", Promise::Once, COMMANDS).explore());
}

/// A row that was deleted has no version, and an increment that is unchecked has no number: a late attempt of a create, or of an increment,
/// comes again.
#[test]
fn version_with_deletes() {
    const COMMANDS: &[(&str, Command)] = commands! {
        "create" = |who| Versioned::of(who, 0).create();
        "put 1" = |who| Versioned::of(who, 1).put();
        "modify" = |who| Versioned::modify("1", move |item| item.text.push_str(who));
        "set 1" = |who| Versioned::update("1").version(1).with(Versioned::fields().text.set(who));
        "add" = |_| Versioned::update("1").unchecked().with(Versioned::fields().count.add(1));
        "delete 1" = |_| Versioned::delete("1", 1);
    };
    record(&versioned("version, with deletes and increments", Promise::Repeated, COMMANDS).explore());
}

#[test]
fn version_and_tombstone() {
    let kind = Kind {
        name: "version and tombstone",
        promise: Promise::Once,
        tables: |repository| Box::pin(tables::<Marked>(repository)),
        states: states! {
            "absent" = |_repository| {};
            "version 1" = |repository| Marked::of("old", 0).create().send(&repository).await?.applied()?;
            "tombstone 2" = |repository| {
                Marked::of("old", 0).create().send(&repository).await?.applied()?;
                Marked::delete("1", 1).send(&repository).await?.applied()?;
            };
        },
        commands: commands! {
            "create" = |who| Marked::of(who, 0).create();
            "put 1" = |who| Marked::of(who, 1).put();
            "put 2" = |who| Marked::of(who, 2).put();
            "undelete 2" = |who| Marked::of(who, 2).undelete();
            "modify" = |who| Marked::modify("1", move |item| item.text.push_str(who));
            "set 1" = |who| Marked::update("1").version(1).with(Marked::fields().text.set(who));
            "delete 1" = |_| Marked::delete("1", 1);
            "delete 3" = |_| Marked::delete("1", 3);
        },
        hidden: &["_w", "ttl"],
        names: &["pages"],
        view: None,
    };
    record(&kind.explore());
    record(&kind.explore_triples());
}
