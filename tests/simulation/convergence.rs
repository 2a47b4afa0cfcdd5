//! Events of a stream that arrive in any order, and some of them more than once. The table ends as if each event had arrived
//! once and in order.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, Item, Outcome};
use dyno_tests::{World, world};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// An entity whose ratchet breaks ties, so that it takes any events.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "files")]
#[tombstone(ttl_days = 7)]
struct File {
    #[partition_key]
    path: u8,
    blob: u8,
    note: Option<String>,
    #[ratchet(tiebreak = "sequence")]
    at: EpochMillis,
    sequence: u64,
}

/// An entity whose ratchet does not break ties between puts. So at most one put of a path has a given token, but a delete
/// can have the same one.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "files")]
#[tombstone(ttl_days = 7)]
struct Untied {
    #[partition_key]
    path: u8,
    blob: u8,
    #[ratchet]
    at: u64,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    path: u8,
    at: i64,
    /// The content, or `None` for a delete.
    blob: Option<u8>,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = (0u8..3, 0i64..5, proptest::option::weighted(0.7, 0u8..9));
    proptest::collection::vec(event.prop_map(|(path, at, blob)| Event { path, at, blob }), 1..24)
}

/// Returns events in their order, and their indices in the order of arrival. Each event arrives at least once.
fn streams() -> impl Strategy<Value = (Vec<Event>, Vec<usize>)> {
    events().prop_flat_map(|mut events| {
        events.sort_by_key(|event| event.at);
        let count = events.len();
        let repeated = proptest::collection::vec(0..count, 0..=count);
        let arrivals = repeated.prop_map(move |repeated| (0..count).chain(repeated).collect::<Vec<_>>());
        (Just(events), arrivals.prop_shuffle())
    })
}

/// The stored items by path, without the TTL of tombstones, which depends on the time of the delete.
async fn table<E: Entity>(world: &World) -> BTreeMap<String, Item> {
    let items = world.stored::<E>().await.into_iter();
    items
        .map(|item| {
            let Some(AttributeValue::N(path)) = item.get("path") else { panic!("no path") };
            (path.clone(), item)
        })
        .collect()
}

fn accept(outcome: Outcome<impl Entity>) {
    let _applied_or_old_news = outcome.accept_stale().expect("at most old news");
}

async fn deliver(world: &World, events: &[Event], index: usize) {
    let Event { path, at, blob } = events[index];
    let (at, sequence) = (EpochMillis::new(at), index as u64);
    let sent = match blob {
        Some(blob) => {
            // Some events set every attribute, and others do not.
            let note = (blob % 2 == 0).then(|| "even".to_owned());
            File { path, blob, note, at, sequence }.put().send(&world.repository).await
        }
        None => File::delete(path, (at, sequence)).send(&world.repository).await,
    };
    accept(sent.expect("sent"));
}

async fn deliver_untied(world: &World, events: &[Event], index: usize) {
    let Event { path, at, blob } = events[index];
    let index = u8::try_from(index).expect("few events");
    // An even index and the next odd one can have the same token. Only the even one can be a put.
    let at = at.cast_unsigned() * 100 + u64::from(index / 2);
    let sent = match blob {
        Some(blob) if index.is_multiple_of(2) => Untied { path, blob, at }.put().send(&world.repository).await,
        _ => Untied::delete(path, at).send(&world.repository).await,
    };
    accept(sent.expect("sent"));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn events_in_any_order_with_duplicates_end_as_the_sorted_list((events, arrivals) in streams()) {
        runtime().block_on(async {
            let sorted = world::<File>().await;
            for index in 0..events.len() {
                deliver(&sorted, &events, index).await;
            }
            let arrived = world::<File>().await;
            for index in &arrivals {
                deliver(&arrived, &events, *index).await;
            }
            assert_eq!(table::<File>(&arrived).await, table::<File>(&sorted).await);
            // Each path is as its last event says.
            for path in 0..3 {
                let last = events.iter().enumerate().rfind(|(_, event)| event.path == path);
                let blob = last.and_then(|(_, event)| event.blob);
                let found = File::get(path).send(&arrived.repository).await.expect("a get");
                assert_eq!(found.map(|file| file.blob), blob);
            }
        });
    }

    #[test]
    fn a_delete_wins_over_the_put_of_its_token_in_any_order((events, arrivals) in streams()) {
        runtime().block_on(async {
            let sorted = world::<Untied>().await;
            for index in 0..events.len() {
                deliver_untied(&sorted, &events, index).await;
            }
            let arrived = world::<Untied>().await;
            for index in &arrivals {
                deliver_untied(&arrived, &events, *index).await;
            }
            assert_eq!(table::<Untied>(&arrived).await, table::<Untied>(&sorted).await);
        });
    }
}
