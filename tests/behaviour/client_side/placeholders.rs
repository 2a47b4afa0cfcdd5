//! The placeholder of a new item has the type name of its entity only if tombstones have it.

use super::{heads, is_commit};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, Item, Sweep, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::{World, pause, s, world};

/// The tests for tombstones with the type name of their entity, and without it.
macro_rules! marks {
    ($($marks:ident $mark:expr, $(#[$attribute:meta])*;)*) => {$(
        mod $marks {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "shop", type_name = "basket")]
            #[partition_key(name = "PK", template = "Customer#{customer}")]
            #[sort_key(name = "SK", template = "Basket#{number}")]
            $(#[$attribute])*
            #[transactional]
            struct Basket {
                customer: String,
                number: u32,
                text: String,
                #[version]
                version: u64,
            }

            const MARK: Option<&str> = $mark;

            fn basket(number: u32, text: &str) -> Basket {
                Basket { customer: "ada".to_owned(), number, text: text.to_owned(), version: 0 }
            }

            /// Returns a world in which a process has died at its commit, before or after it was served.
            async fn died(fault: Fault) -> World {
                let world = world::<Basket>().await;
                world.create_lanes().await;
                let process = world.process(RetryConfig::disabled());
                process.faults.on_request(1, is_commit, fault);
                let create = Transaction::new().put(basket(1, "new").create()).client_side();
                assert!(process.run(create.send(&process.repository)).await.is_none(), "it died");
                world
            }

            async fn row(world: &World) -> Option<Item> {
                let mut rows = world.stored::<Basket>().await;
                assert!(rows.len() < 2, "{rows:?}");
                rows.pop()
            }

            #[tokio::test]
            async fn a_placeholder_has_the_type_name_only_if_tombstones_have_one() {
                pause();
                let row = row(&died(Fault::DiesBefore).await).await.expect("a place");
                assert_eq!(row.get("_type"), MARK.map(s).as_ref(), "{row:?}");
                assert!(row.contains_key("_x"), "{row:?}");
            }

            #[tokio::test]
            async fn an_applied_item_has_its_type_name() {
                pause();
                let world = died(Fault::DiesAfter).await;
                let found = Basket::get(("ada", 1)).consistent().send(&world.repository).await.expect("a get");
                assert_eq!(found.map(|it| it.text), Some("new".to_owned()));
                let row = row(&world).await.expect("an item");
                assert_eq!((row.get("_type"), row.contains_key("deleted")), (Some(&s("basket")), false), "{row:?}");
            }

            #[tokio::test]
            async fn a_sweep_removes_a_dead_process_s_placeholder() {
                pause();
                let world = died(Fault::DiesBefore).await;
                let report = Sweep::new().of::<Basket>().send(&world.repository).await.expect("a sweep");
                assert_eq!((report.rolled_back(), report.aborted(), report.failed()), (1, 1, 0), "{report:?}");
                assert_eq!(row(&world).await, None);
            }

            /// A placeholder in the range of a query is resolved, with or without the type name.
            #[tokio::test]
            async fn a_query_in_a_transaction_resolves_a_placeholder() {
                pause();
                for (fault, expected) in [(Fault::DiesBefore, 0), (Fault::DiesAfter, 1)] {
                    let world = died(fault).await;
                    let count = Transaction::interactive(|tx| async move {
                        let baskets: Vec<Basket> = tx.query(Basket::query("ada")).await?;
                        tx.put(basket(2, "second").create());
                        Ok(baskets.len())
                    });
                    let counted = count.send(&world.repository).await.expect("sent").applied().expect("applied");
                    assert_eq!(counted, expected);
                    assert_eq!(world.stored::<Basket>().await.len(), expected + 1);
                    assert!(!heads(&world).await.is_empty());
                }
            }

            /// A placeholder that appears in a range after the query makes the closure run again.
            #[tokio::test]
            async fn a_placeholder_added_to_a_range_after_its_read_reruns_the_closure() {
                pause();
                let world = world::<Basket>().await;
                world.create_lanes().await;
                let process = world.process(RetryConfig::disabled());
                process.faults.on_request(1, is_commit, Fault::DiesAfter);
                let process = &process;
                let count = Transaction::interactive(|tx| async move {
                    let baskets: Vec<Basket> = tx.query(Basket::query("ada")).await?;
                    if baskets.is_empty() {
                        let create = Transaction::new().put(basket(1, "new").create()).client_side();
                        assert!(process.run(create.send(&process.repository)).await.is_none(), "it died");
                    }
                    tx.put(basket(2, "second").create());
                    Ok(baskets.len())
                });
                let counted = count.send(&world.repository).await.expect("sent").applied().expect("applied");
                assert_eq!(counted, 1);
            }
        }
    )*};
}

marks! {
    with_a_typed_tombstone Some("basket"), #[tombstone(ttl_days = 7)];
    with_an_untyped_tombstone None, #[tombstone(ttl_days = 7, mark = false)];
}
