//! Idempotency keys in the item by time and by count, and in rows.

use super::{Kind, Promise, record, tables};
use dyno::Entity;

macro_rules! keyed {
    ($test:ident, $name:ident, $kind:literal, $tables:expr, $attribute:meta) => {
        #[derive(Entity, Clone, Debug, PartialEq)]
        #[entity(table = "bills")]
        #[$attribute]
        struct $name {
            #[partition_key]
            id: String,
            total: u64,
            lines: Vec<String>,
        }

        #[test]
        fn $test() {
            let kind = Kind {
                name: $kind,
                promise: Promise::Repeated,
                tables: |repository| Box::pin(tables::<$name>(repository)),
                states: states! {
                    "live" = |repository| {
                        let bill = $name { id: "1".into(), total: 0, lines: Vec::new() };
                        bill.create().send(&repository).await?.applied()?;
                    };
                    "with the key" = |repository| {
                        let bill = $name { id: "1".into(), total: 0, lines: Vec::new() };
                        bill.create().send(&repository).await?.applied()?;
                        let add = $name::update("1").with($name::fields().total.add(1)).idempotency_key("one");
                        add.send(&repository).await?.applied()?;
                    };
                    "full of keys" = |repository| {
                        let bill = $name { id: "1".into(), total: 0, lines: Vec::new() };
                        bill.create().send(&repository).await?.applied()?;
                        for key in ["first", "second"] {
                            let add = $name::update("1").with($name::fields().total.add(1)).idempotency_key(key);
                            add.send(&repository).await?.applied()?;
                        }
                    };
                    "with an old key" = |repository| {
                        let bill = $name { id: "1".into(), total: 0, lines: Vec::new() };
                        bill.create().send(&repository).await?.applied()?;
                        let add = $name::update("1").with($name::fields().total.add(1)).idempotency_key("old");
                        add.send(&repository).await?.applied()?;
                        // A set of keys by time comes in turn again after half an hour.
                        tokio::time::sleep(std::time::Duration::from_mins(30)).await;
                    };
                },
                commands: commands! {
                    "add with one key" = |_| $name::update("1").with($name::fields().total.add(1)).idempotency_key("one");
                    "add with a key" = |who| $name::update("1").with($name::fields().total.add(10)).idempotency_key(who);
                    "push" = |who| $name::update("1").with($name::fields().lines.push(who.to_owned())).idempotency_key("one");
                    "add" = |_| $name::update("1").with($name::fields().total.add(100));
                    "delete" = |_| $name::delete("1");
                },
                hidden: &["ttl", "_ttl"],
                names: $tables,
                view: None,
            };
            record(&kind.explore());
            // Two processes begin a new turn of a set of keys.
            let turn = Kind { name: concat!($kind, ", after the window"), states: &kind.states[3..], commands: &kind.commands[..2], ..kind };
            record(&turn.explore_with(&super::at_one_time(), super::Depth::Both));
        }
    };
}

keyed!(by_time, ByTime, "keys by time", &["bills"], idempotency(window_secs = 600, max_skew_secs = 60));
keyed!(by_count, ByCount, "keys by count", &["bills"], idempotency(keys = 2));
keyed!(in_rows, InRows, "keys in rows", &["bills"], idempotency(store = "row", window_secs = 3600));
