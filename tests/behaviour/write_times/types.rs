//! The types that can hold the time of a write, and the precision to which each type rounds the time down.

use dyno::value::form;
use dyno::{Entity, EpochSeconds, TextTime};
use dyno_tests::{n, s, world};

#[derive(Entity, Clone, Debug)]
#[entity(table = "events")]
struct Event {
    #[partition_key]
    id: String,
    #[created]
    seconds: EpochSeconds,
    #[updated]
    instant: Option<jiff::Timestamp>,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "events")]
struct Formed {
    #[partition_key]
    id: String,
    #[created]
    #[attribute(format = "seconds")]
    made: Option<chrono::DateTime<chrono::Utc>>,
    #[updated]
    changed: TextTime<time::OffsetDateTime, form::Python>,
}

#[tokio::test]
async fn each_type_stores_the_time_in_its_own_form() {
    let world = world::<Event>().await;
    let repository = &world.repository;
    world.clock.advance(1234);
    Event { id: "1".to_owned(), seconds: EpochSeconds::new(0), instant: None }
        .put()
        .send(repository)
        .await
        .expect("a put");
    let changed = TextTime::new(time::OffsetDateTime::UNIX_EPOCH);
    Formed { id: "2".to_owned(), made: None, changed }.put().send(repository).await.expect("a put");
    let mut rows = world.stored::<Event>().await;
    rows.sort_by_key(|row| row["id"].as_s().ok().cloned());
    assert_eq!(rows[0]["seconds"], n(4_102_444_801_i64));
    assert_eq!(rows[0]["instant"], s("2100-01-01T00:00:01.234000000Z"));
    assert_eq!(rows[1]["made"], s("2100-01-01T00:00:01Z"));
    assert_eq!(rows[1]["changed"], s("2100-01-01T00:00:01.234000+00:00"));
}

/// The beginning of 1970 is the default value of these types, so it counts as no time in every stored form.
#[tokio::test]
async fn the_beginning_of_1970_counts_as_no_time() {
    let world = world::<Formed>().await;
    let changed = TextTime::new(time::OffsetDateTime::UNIX_EPOCH);
    let formed = Formed { id: "1".to_owned(), made: Some(chrono::DateTime::UNIX_EPOCH), changed };
    applied!(formed.create(), &world.repository);
    assert_eq!(world.stored::<Formed>().await[0]["made"], s("2100-01-01T00:00:00Z"));
}
