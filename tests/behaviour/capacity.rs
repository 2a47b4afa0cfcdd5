//! The arithmetic of `capacity`, compared with the capacity that the engine reports.

use dyno::capacity::{CountWindow, TimeWindow, write_units};
use dyno::{Entity, EpochMillis};
use dyno_tests::{NOW, World, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(window_secs = 40, max_skew_secs = 10, max_rps = 5, body_bytes = 40)]
struct Timed {
    #[partition_key]
    id: String,
    total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(keys = 150, body_bytes = 40)]
struct Counted {
    #[partition_key]
    id: String,
    total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "documents")]
struct Sized {
    #[partition_key]
    id: String,
    text: String,
}

/// Returns the size of the stored item, added up from its attributes. A list counts 3 bytes, and 1 byte more for each
/// element.
async fn size<E: Entity>(world: &World) -> u64 {
    let item = &world.stored::<E>().await[0];
    let sizes = item.iter().map(|(name, value)| {
        let value = match (value.as_bs(), value.as_l(), value.as_n(), value.as_s()) {
            (Ok(set), ..) => set.iter().map(|key| key.as_ref().len()).sum(),
            (_, Ok(list), ..) => {
                list.iter().map(|key| 1 + key.as_b().expect("bytes").as_ref().len()).sum::<usize>() + 3
            }
            (.., Ok(number), _) => number.len().div_ceil(2) + 1,
            (.., Ok(text)) => text.len(),
            _ => panic!("{value:?}"),
        };
        name.len() + value
    });
    sizes.sum::<usize>() as u64
}

async fn units(world: &World, write: impl Future<Output = bool>) -> u64 {
    let before = world.repository.usage().write_units;
    assert!(write.await);
    let units = world.repository.usage().write_units - before;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small, and counted in halves")]
    let doubled = (units * 2.0) as u64;
    assert_eq!(doubled % 2, 0);
    doubled / 2
}

/// The sizes are below, at and above whole KBs.
#[tokio::test]
async fn calculated_write_units_match_the_engine_s() {
    let world = world::<Sized>().await;
    for bytes in [10, 1023, 1024, 1025, 2048, 2049, 10_240, 10_241, 100_000] {
        // 7 bytes are for the attribute names and the key.
        let text = "x".repeat(bytes - 7);
        let sized = Sized { id: "1".to_owned(), text };
        // The item is deleted first, so that only the new size counts.
        Sized::delete("1").send(&world.repository).await.expect("a delete");
        let stored = units(&world, async {
            sized.put().send(&world.repository).await.expect("a put");
            true
        });
        let stored = stored.await;
        assert_eq!(size::<Sized>(&world).await, bytes as u64);
        assert_eq!(stored, write_units(bytes as u64), "{bytes}");
    }
}

/// The test lasts for several windows, with as many keys as the highest rate allows.
#[tokio::test]
async fn a_window_by_time_never_exceeds_its_calculated_size() {
    const WINDOW: TimeWindow = TimeWindow { window_secs: 40, max_skew_secs: 10, key_bytes: 16, body_bytes: 40 };
    let world = world::<Timed>().await;
    let timed = Timed { id: "1".to_owned(), total: 0 };
    timed.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let (mut largest, mut most_units) = (0, 0);
    for tick in 0..1000 {
        // 5 updates per second, for 200 seconds.
        world.clock.set(EpochMillis::new(NOW + tick * 200));
        let update = Timed::update("1").with(Timed::fields().total.add(1)).idempotency_key(tick.to_be_bytes());
        let used = units(&world, async { update.send(&world.repository).await.expect("sent").is_applied() }).await;
        if tick % 25 == 24 {
            let size = size::<Timed>(&world).await;
            largest = largest.max(size);
            // DynamoDB charges an update for the larger of the old and the new size.
            assert!((write_units(size)..=write_units(size) + 1).contains(&used), "{size} bytes, {used} units");
        }
        most_units = most_units.max(used);
    }
    let (steady, most) = (WINDOW.item_bytes(5), WINDOW.most_item_bytes(5));
    assert!(largest <= steady && steady <= most, "{largest} of {steady} bytes, {most} at most");
    assert!(largest * 10 > steady * 8, "no more is said than is needed: {largest} of {steady} bytes");
    assert!(most_units <= WINDOW.write_units(5), "{most_units} units");
}

#[tokio::test]
async fn a_window_by_count_has_its_calculated_size() {
    const WINDOW: CountWindow = CountWindow { keys: 150, key_bytes: 16, body_bytes: 40 };
    let world = world::<Counted>().await;
    let counted = Counted { id: "1".to_owned(), total: 0 };
    counted.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let mut last = 0;
    for key in 0..200_u32 {
        let update = Counted::update("1").with(Counted::fields().total.add(1)).idempotency_key(key.to_be_bytes());
        last = units(&world, async { update.send(&world.repository).await.expect("sent").is_applied() }).await;
    }
    let size = size::<Counted>(&world).await;
    assert!(size <= WINDOW.item_bytes() && size + 50 > WINDOW.item_bytes(), "{size} of {}", WINDOW.item_bytes());
    assert_eq!(last, WINDOW.write_units());
    assert_eq!(WINDOW.write_units(), write_units(size));
}
