//! Histories: atomic and ordered, in a table of their own and in the entity's.

use super::{Kind, Promise, record, tables};
use dyno::Entity;

/// What readers see of an ordered history: a write that a process did not finish may have copied its item ahead.
macro_rules! view {
    ($name:ident) => {
        Some(|repository| {
            Box::pin(async move {
                let item = $name::get(("1", "x")).consistent().send(&repository).await?;
                let revisions = $name::revisions(("1", "x")).send(&repository).await?.items;
                let shown =
                    |revision: &dyno::Revision<$name>| (revision.version(), revision.decode().expect("a revision"));
                Ok(format!("{item:?} {:?}", revisions.iter().map(shown).collect::<Vec<_>>()))
            })
        })
    };
}

macro_rules! history {
    ($test:ident, $name:ident, $kind:literal, $tables:expr, $view:expr, $(#[$attribute:meta])+) => {
        #[derive(Entity, Clone, Debug, PartialEq)]
        #[entity(table = "contracts")]
        $(#[$attribute])+
        struct $name {
            #[partition_key]
            id: String,
            #[sort_key]
            part: String,
            text: String,
            #[version]
            version: u64,
        }

        impl $name {
            fn of(who: &str, version: u64) -> Self {
                Self { id: "1".into(), part: "x".into(), text: who.into(), version }
            }
        }

        #[test]
        fn $test() {
            let kind = Kind {
                name: $kind,
                promise: Promise::Once,
                tables: |repository| Box::pin(tables::<$name>(repository)),
                states: states! {
                    "absent" = |_repository| {};
                    "version 2" = |repository| {
                        $name::of("old", 0).create().send(&repository).await?.applied()?;
                        $name::of("older", 1).put().send(&repository).await?.applied()?;
                    };
                    "deleted" = |repository| {
                        $name::of("old", 0).create().send(&repository).await?.applied()?;
                        $name::delete(("1", "x"), 1).send(&repository).await?.applied()?;
                    };
                },
                commands: commands! {
                    "create" = |who| $name::of(who, 0).create();
                    "put 2" = |who| $name::of(who, 2).put();
                    "modify" = |who| $name::modify(("1", "x"), move |item| item.text.push_str(who));
                    "rollback 1" = |_| $name::rollback(("1", "x"), 1);
                    "restore" = |_| $name::restore(("1", "x"));
                    "delete 2" = |_| $name::delete(("1", "x"), 2);
                },
                hidden: &["_w", "ttl", "_at"],
                names: $tables,
                view: $view,
            };
            record(&kind.explore());
        }
    };
}

history!(atomic, Atomic, "atomic history", &["contracts", "contracts-history"], None,
    #[history_table] #[tombstone(ttl_days = 7)]);
history!(ordered, Ordered, "ordered history", &[], view!(Ordered),
    #[history_table(mode = "ordered")] #[tombstone(ttl_days = 7)]);
history!(atomic_in_the_same_table, AtomicSame, "atomic history in the same table", &["contracts"], None,
    #[history_table(layout = "same_table")] #[tombstone(ttl_days = 7)]);
history!(ordered_in_the_same_table, OrderedSame, "ordered history in the same table", &[], view!(OrderedSame),
    #[history_table(mode = "ordered", layout = "same_table")] #[tombstone(ttl_days = 7)]);
history!(atomic_without_tombstones, AtomicPlain, "atomic history without tombstones", &["contracts", "contracts-history"], None,
    #[history_table]);
