//! Streams of items, and segments of scans.

use super::{Rating, Reading, Ticket, ratings};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Found};
use dyno_tests::{item, n, s, world};
use futures_util::StreamExt;

#[tokio::test]
async fn a_stream_reads_pages_until_the_end_or_its_limit() {
    let world = ratings("ABCDEFGH", "B").await;
    let repository = &world.repository;
    let all = Rating::query("1").stream(repository).try_collect().await.expect("a stream");
    assert_eq!(all.len(), 7);
    let stream = Rating::query("1").limit(3).stream(repository);
    let some: Vec<_> = StreamExt::collect::<Vec<_>>(stream).await;
    assert_eq!(some.len(), 3);
    let mut stream = Rating::query("1").stream(repository);
    let first = stream.next().await.expect("an item").expect("a rating");
    let rest = Rating::query("1").after(stream.cursor().expect("made").expect("a cursor")).send(repository).await;
    assert_eq!((first.movie.as_str(), rest.expect("a query").items.len()), ("A", 6));
    let dead = Rating::query("1").include_deleted().stream(repository).try_collect().await.expect("a stream");
    assert_eq!(dead.iter().filter(|found| matches!(found, Found::Deleted(_))).count(), 1);
}

#[tokio::test]
async fn an_item_that_cannot_be_decoded_is_an_error_in_its_place() {
    let world = ratings("AC", "").await;
    let foreign = item([("PK", s("User#1")), ("SK", s("Movie#B")), ("rating", s("good")), ("at", n(1))]);
    world.write_foreign::<Rating>(foreign).await;
    let error = Rating::query("1").send(&world.repository).await.expect_err("another shape");
    assert_eq!(
        error.to_string(),
        "decode of `Rating` (PK = \"User#1\", SK = \"Movie#B\"): `rating`: expected a whole number from 0 to 255 (N), found S"
    );
    let mut stream = Rating::query("1").stream(&world.repository);
    let mut found = Vec::new();
    while let Some(rating) = stream.next().await {
        found.push(rating.map(|rating| rating.movie).map_err(|error| error.is_decode()));
    }
    assert_eq!(found, [Ok("A".to_owned()), Err(true), Ok("C".to_owned())]);
}

#[tokio::test]
async fn the_segments_of_a_scan_cover_the_table() {
    let world = world::<Reading>().await;
    for sensor in 0..50 {
        Reading { sensor, at: 0 }.put().send(&world.repository).await.expect("a put");
    }
    let whole = Reading::scan().stream(&world.repository).try_collect().await.expect("a scan");
    assert_eq!(whole.len(), 50);
    let mut parallel = Reading::scan().parallel(4).stream(&world.repository).try_collect().await.expect("a scan");
    parallel.sort_by_key(|reading| reading.sensor);
    assert_eq!(parallel.iter().map(|reading| reading.sensor).collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
    let mut segments = 0;
    for segment in 0..3 {
        let page = Reading::scan().segment(segment, 3).send(&world.repository).await.expect("a scan");
        segments += page.items.len();
    }
    assert_eq!(segments, 50);
    let limited = Reading::scan().limit(7).parallel(4).stream(&world.repository).try_collect().await;
    assert_eq!(limited.expect("a scan").len(), 7);
    let filter = Reading::fields().sensor.lt(10);
    let page = Reading::scan().filter(filter).limit(5).send(&world.repository).await.expect("a scan");
    assert_eq!(page.items.len(), 5);
}

#[tokio::test]
async fn a_partition_larger_than_a_page_is_read_whole() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "main")]
    struct Large {
        #[partition_key]
        id: String,
        #[sort_key]
        number: u32,
        body: AttributeValue,
    }
    let world = world::<Large>().await;
    for number in 0..5 {
        let body = s(&"x".repeat(300 * 1024));
        Large { id: "1".to_owned(), number, body }.put().send(&world.repository).await.expect("a put");
    }
    let page = Large::query("1").send(&world.repository).await.expect("a query");
    assert!(page.items.len() < 5 && page.cursor.is_some());
    let metered = world.repository.metered();
    let all = Large::query("1").stream(&metered).try_collect().await.expect("a stream");
    assert_eq!(all.iter().map(|large| large.number).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert!(metered.usage().requests >= 2);
    let page = Large::query("1").limit(5).send(&world.repository).await.expect("a query");
    assert_eq!(page.items.len(), 5);
}

#[tokio::test]
async fn a_scan_of_invalid_segments_is_refused_before_any_request() {
    let world = world::<Ticket>().await;
    let metered = world.repository.metered();
    let mut tickets = Ticket::scan().parallel(0).stream(&metered);
    let error = tickets.next().await.expect("an error").expect_err("no segments");
    assert!(error.is_invalid_input(), "{error}");
    assert!(tickets.next().await.is_none());
    let mut one = Ticket::scan().segment(0, 2).parallel(3).stream(&metered);
    let error = one.next().await.expect("an error").expect_err("one of two, or all of three");
    assert!(
        error
            .to_string()
            .ends_with("a scan reads one segment, or several in parallel: leave `segment` or `parallel` out"),
        "{error}"
    );
    let error = Ticket::scan().parallel(0).modify_each(|_| {}).send(&metered).await.expect_err("no segments");
    assert!(error.is_invalid_input(), "{error}");
    assert!(error.to_string().ends_with("0 segments read nothing: give `parallel` at least 1"), "{error}");
    assert_eq!(metered.usage().requests, 0);
}
