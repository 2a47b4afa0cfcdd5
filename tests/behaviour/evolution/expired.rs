//! Expired rows of another shape.

use dyno::{Entity, EpochSeconds, Reason};
use dyno_tests::{n, reasons, world};

/// The entity of an older program, whose items expire.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "offers", schema_version = 1)]
struct Offer {
    #[partition_key]
    id: String,
    #[ratchet]
    at: u64,
    #[ttl]
    until: Option<EpochSeconds>,
}

/// DynamoDB can take days to remove an expired row, and until then it counts as absent, whatever its shape.
#[tokio::test]
async fn a_put_replaces_an_expired_row_of_a_newer_program() {
    let world = world::<Offer>().await;
    let repository = &world.repository;
    let now = world.clock_seconds();
    let row = |until: i64| {
        let row = Offer { id: "1".to_owned(), at: 10, until: Some(EpochSeconds::new(until)) };
        let mut row = row.to_item().expect("an item");
        row.insert("_v".to_owned(), n(2));
        row
    };
    let later = Offer { id: "1".to_owned(), at: 20, until: None };
    world.write_foreign::<Offer>(row(now + 60)).await;
    let live = later.put().send(repository).await.expect("sent");
    assert_eq!(reasons(&live), [Reason::Newer { found: 2, current: 1 }]);
    world.write_foreign::<Offer>(row(now - 60)).await;
    applied!(later.put(), repository);
    assert_eq!(world.stored::<Offer>().await, [later.to_item().expect("an item")]);
}
