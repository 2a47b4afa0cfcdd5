//! Query and Scan: ranges of sort keys, limits that count live items, cursors, streams, segments.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Cursor, Document, Entity, EpochMillis, EpochSeconds, Found};
use dyno_tests::{World, endpoint, item, n, s, world};
use futures_util::StreamExt;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Movie#{movie}")]
#[tombstone(ttl_days = 7)]
struct Rating {
    user: String,
    movie: String,
    rating: u8,
    #[ratchet]
    at: EpochMillis,
}

#[test]
fn a_text_that_is_no_cursor_or_checkpoint_is_invalid_input() {
    fn cursor(text: &str) -> Result<Cursor, dyno::Error> {
        Ok(text.parse()?)
    }
    fn checkpoint(text: &str) -> Result<dyno::Checkpoint, dyno::Error> {
        Ok(text.parse()?)
    }
    let cursor = cursor("no cursor").expect_err("no cursor");
    assert!(cursor.is_invalid_input() && cursor.to_string().starts_with("not a cursor"), "{cursor}");
    let checkpoint = checkpoint("nothing").expect_err("no checkpoint");
    assert!(checkpoint.is_invalid_input() && checkpoint.to_string().starts_with("not a checkpoint"), "{checkpoint}");
}

/// A partition of ratings, one per letter; those in `deleted` are tombstones.
async fn ratings(movies: &str, deleted: &str) -> World {
    let world = world::<Rating>().await;
    for (index, movie) in movies.chars().enumerate() {
        let rating = Rating {
            user: "1".to_owned(),
            movie: movie.to_string(),
            rating: u8::try_from(index).expect("few"),
            at: EpochMillis::new(1),
        };
        let _applied = rating.put().send(&world.repository).await.expect("a put");
    }
    for movie in deleted.chars() {
        let delete = Rating::delete(("1", movie.to_string()), EpochMillis::new(2));
        let _applied = delete.send(&world.repository).await.expect("a delete");
    }
    world
}

async fn movies(world: &World, query: dyno::Query<Rating>) -> String {
    let page = query.send(&world.repository).await.expect("a query");
    assert_eq!(page.cursor, None);
    page.items.into_iter().map(|rating| rating.movie).collect()
}

#[tokio::test]
async fn ranges_of_a_templated_sort_key() {
    let world = ratings("ABCDE", "").await;
    // Neighbours of the template, and a rating whose key begins like another's.
    for sort in ["Movie", "Movie$", "Movid#Z", "Moviе#A", "Review#A"] {
        world.write_foreign::<Rating>(item([("PK", s("User#1")), ("SK", s(sort))])).await;
    }
    let query = || Rating::query("1");
    for (query, expected) in [
        (query(), "ABCDE"),
        (query().descending(), "EDCBA"),
        (query().sort_eq("B"), "B"),
        (query().sort_lt("C"), "AB"),
        (query().sort_le("C"), "ABC"),
        (query().sort_gt("C"), "DE"),
        (query().sort_ge("C"), "CDE"),
        (query().sort_between("B", "D"), "BCD"),
        (query().sort_gt("A").sort_lt("D"), "BC"),
        (query().sort_ge("B").sort_gt("B").sort_le("D").sort_lt("D"), "C"),
        (query().sort_begins_with("C"), "C"),
        (query().sort_begins_with(""), "ABCDE"),
        (query().sort_begins_with("C").sort_ge("A"), "C"),
        (query().sort_begins_with("C").sort_ge("D"), ""),
        (query().sort_between("D", "B"), ""),
        (query().sort_gt("B").sort_lt("B"), ""),
        (query().filter(Rating::fields().rating.ge(3)), "DE"),
        (query().filter(Rating::fields().rating.ge(1)).filter(Rating::fields().rating.le(2)), "BC"),
    ] {
        assert_eq!(movies(&world, query.clone()).await, expected, "{query:?}");
    }
}

#[tokio::test]
async fn an_empty_range_sends_no_request() {
    let world = ratings("A", "").await;
    let metered = world.repository.metered();
    let page = Rating::query("1").sort_between("D", "B").send(&metered).await.expect("a query");
    assert!(page.items.is_empty() && page.cursor.is_none());
    assert_eq!(metered.usage().requests, 0);
}

#[tokio::test]
async fn a_page_has_bad_rows_beside_good_ones() {
    let world = ratings("ABCDEF", "B").await;
    let repository = &world.repository;
    let bad = item([("PK", s("User#1")), ("SK", s("Movie#C")), ("rating", s("five")), ("at", n(1))]);
    world.write_foreign::<Rating>(bad).await;
    let query = || Rating::query("1").limit(3);
    query().send(repository).await.expect_err("a bad row");
    let page = query().send_each(repository).await.expect("a page");
    let read = |page: &dyno::Page<Result<Rating, dyno::Error>>| -> String {
        page.items.iter().map(|item| item.as_ref().map_or("!", |rating| &rating.movie)).collect()
    };
    assert_eq!(read(&page), "A!D");
    assert!(page.items[1].as_ref().is_err_and(|error| error.is_decode() && error.to_string().contains("Movie#C")));
    let rest = query().after(page.cursor).send_each(repository).await.expect("a page");
    assert_eq!((read(&rest).as_str(), rest.cursor.is_some()), ("EF", false));
    let scanned = Rating::scan().include_deleted().send_each(repository).await.expect("a page");
    assert_eq!((scanned.items.len(), scanned.items.iter().filter(|item| item.is_err()).count()), (6, 1));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "samples", type_name = "sample")]
#[index(name = "by_kind", partition = kind, sort = size, projection = "keys")]
struct Sample {
    #[partition_key]
    device: String,
    #[sort_key]
    number: u32,
    kind: Option<String>,
    size: u64,
    text: String,
    #[ttl]
    expires: Option<EpochSeconds>,
}

fn sample(number: u32) -> Sample {
    let kind = number.is_multiple_of(2).then(|| "even".to_owned());
    Sample { device: "1".to_owned(), number, kind, size: number.into(), text: String::new(), expires: None }
}

#[tokio::test]
async fn live_items_are_counted() {
    let world = world::<Sample>().await;
    let repository = &world.repository;
    let long = "x".repeat(300_000);
    for number in 0..8 {
        let expires = (number == 3).then(|| EpochSeconds::new(1));
        Sample { text: long.clone(), expires, ..sample(number) }.put().send(repository).await.expect("a put");
    }
    let mut other = sample(9).to_item().expect("an item");
    other.insert("_type".to_owned(), s("another"));
    world.write_foreign::<Sample>(other).await;
    let all = || Sample::query("1");
    let metered = repository.metered();
    assert_eq!(all().count(&metered).await.expect("a count"), 7);
    assert!(metered.usage().requests > 1, "{:?}: more than one page", metered.usage());
    assert_eq!(all().include_deleted().count(repository).await.expect("a count"), 8);
    assert_eq!(all().sort_ge(6_u32).count(repository).await.expect("a count"), 2);
    assert_eq!(all().sort_gt(1_u32).sort_lt(6_u32).count(repository).await.expect("a count"), 3, "neither end");
    assert_eq!(all().filter(Sample::fields().size.lt(2)).count(repository).await.expect("a count"), 2);
    assert_eq!(Sample::query("2").count(repository).await.expect("a count"), 0);
    assert_eq!(Sample::scan().count(repository).await.expect("a count"), 7);
    assert_eq!(Sample::by_kind("even").count(repository).await.expect("a count"), 4);
    assert_eq!(Sample::by_kind("even").sort_gt(2_u64).count(repository).await.expect("a count"), 2);
    assert_eq!(Sample::scan().index::<SampleByKind>().count(repository).await.expect("a count"), 4);
    let behind = all().limit(4).send(repository).await.expect("a page").cursor;
    assert_eq!(all().after(behind).count(repository).await.expect("a count"), 3);
    let error = all().limit(4).count(repository).await.expect_err("a limit");
    assert!(error.is_invalid_input() && error.to_string().contains("limit"), "{error}");
}

#[tokio::test]
async fn items_whose_keys_are_templates_are_counted() {
    let world = ratings("ABCDE", "BD").await;
    for sort in ["Movie", "Movie$", "Movid#Z", "Review#A"] {
        world.write_foreign::<Rating>(item([("PK", s("User#1")), ("SK", s(sort))])).await;
    }
    let repository = &world.repository;
    assert_eq!(Rating::query("1").count(repository).await.expect("a count"), 3);
    assert_eq!(Rating::query("1").include_deleted().count(repository).await.expect("a count"), 5);
    assert_eq!(Rating::query("1").sort_gt("A").sort_lt("E").count(repository).await.expect("a count"), 1);
    assert_eq!(Rating::scan().count(repository).await.expect("a count"), 3);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Order#{day}#{number:04}#Line")]
struct Order {
    user: String,
    day: String,
    number: u32,
}

#[tokio::test]
async fn ranges_of_several_fields_go_by_the_leading_ones() {
    let world = world::<Order>().await;
    for (day, number) in [("0101", 1), ("0101", 2), ("0102", 3), ("0102", 10), ("0103", 4)] {
        let order = Order { user: "1".to_owned(), day: day.to_owned(), number };
        order.put().send(&world.repository).await.expect("a put");
    }
    let query = || Order::query("1");
    for (query, expected) in [
        (query().sort_eq(("0102",)), vec![3, 10]),
        (query().sort_eq(("0102", 3)), vec![3]),
        (query().sort_lt(("0102",)), vec![1, 2]),
        (query().sort_le(("0102",)), vec![1, 2, 3, 10]),
        (query().sort_gt(("0102",)), vec![4]),
        (query().sort_ge(("0102", 4)), vec![10, 4]),
        (query().sort_gt(("0102", 3)), vec![10, 4]),
        (query().sort_between(("0101", 2), ("0102",)), vec![2, 3, 10]),
        (query().sort_begins_with("010"), vec![1, 2, 3, 10, 4]),
        (query().sort_begins_with(("0102", "001")), vec![10]),
        (query().sort_begins_with(("0102", "")), vec![3, 10]),
    ] {
        let page = query.clone().send(&world.repository).await.expect("a query");
        let numbers: Vec<u32> = page.items.into_iter().map(|order| order.number).collect();
        assert_eq!(numbers, expected, "{query:?}");
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
struct Reading {
    #[partition_key]
    sensor: u64,
    #[sort_key]
    at: i64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
struct Blob {
    #[partition_key]
    id: Vec<u8>,
    #[sort_key]
    hash: Vec<u8>,
}

#[tokio::test]
async fn ranges_of_numbers_and_bytes() {
    let world = world::<Reading>().await;
    for at in [-10, -9, 2, 10, 100] {
        Reading { sensor: 1, at }.put().send(&world.repository).await.expect("a put");
    }
    let query = || Reading::query(1);
    for (query, expected) in [
        (query(), vec![-10, -9, 2, 10, 100]),
        (query().sort_gt(-10).sort_lt(100), vec![-9, 2, 10]),
        (query().sort_ge(2), vec![2, 10, 100]),
        (query().sort_gt(2), vec![10, 100]),
        (query().sort_le(2), vec![-10, -9, 2]),
        (query().sort_eq(10), vec![10]),
        (query().sort_between(-9, 10), vec![-9, 2, 10]),
    ] {
        let page = query.clone().send(&world.repository).await.expect("a query");
        let found: Vec<i64> = page.items.into_iter().map(|reading| reading.at).collect();
        assert_eq!(found, expected, "{query:?}");
    }

    let world = dyno_tests::world::<Blob>().await;
    for hash in [[0u8, 1], [1, 0], [1, 255], [2, 0]] {
        Blob { id: vec![7], hash: hash.to_vec() }.put().send(&world.repository).await.expect("a put");
    }
    let query = || Blob::query(&[7u8][..]);
    for (query, expected) in [
        (query().sort_begins_with(&[1u8][..]), 2),
        (query().sort_ge(&[1u8, 255][..]), 2),
        (query().sort_begins_with(&[][..]), 4),
    ] {
        assert_eq!(query.send(&world.repository).await.expect("a query").items.len(), expected);
    }
    let both = query().sort_begins_with(&[1u8][..]).sort_ge(&[1u8][..]).send(&world.repository).await;
    assert!(both.expect_err("two conditions").is_invalid_input());
}

#[tokio::test]
async fn a_limit_counts_live_items() {
    let world = ratings("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "ABCDEFGHIJKLMNOPQRSTUVW").await;
    let metered = world.repository.metered();
    let page = Rating::query("1").limit(1).send(&metered).await.expect("a query");
    assert_eq!(page.items.iter().map(|rating| &*rating.movie).collect::<String>(), "X");
    // 1, 2, 4, 8, 16: a run of tombstones takes few requests.
    assert_eq!(metered.usage().requests, 5);
    let mut found = String::new();
    let mut cursor = page.cursor;
    while let Some(after) = cursor {
        let page = Rating::query("1").limit(1).after(after).send(&metered).await.expect("a query");
        found.extend(page.items.iter().map(|rating| &*rating.movie));
        cursor = page.cursor;
    }
    assert_eq!(found, "YZ");
}

#[tokio::test]
async fn a_cursor_goes_on_behind_the_last_item_returned() {
    let world = ratings("ABCDEFGH", "BCF").await;
    for limit in 1..=6 {
        for descending in [false, true] {
            let mut found = String::new();
            let mut cursor: Option<Cursor> = None;
            loop {
                let mut query = Rating::query("1").limit(limit);
                if descending {
                    query = query.descending();
                }
                // As text, it has been somewhere else.
                let cursor_again = cursor.map(|cursor| cursor.to_string().parse::<Cursor>().expect("a cursor"));
                let page = query.after(cursor_again).send(&world.repository).await.expect("a query");
                assert!(page.items.len() <= limit);
                found.extend(page.items.iter().map(|rating| &*rating.movie));
                cursor = page.cursor;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(found, if descending { "HGEDA" } else { "ADEGH" }, "{limit}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_before_the_request() {
    let world = ratings("A", "").await;
    let repository = &world.repository;
    let before = repository.usage();
    let limit = Rating::query("1").limit(0).send(repository).await.expect_err("no limit");
    assert_eq!(limit.to_string(), "query of `Rating`: a limit of 0 returns nothing: give at least 1, or no limit");
    let cursor = Reading { sensor: 1, at: 2 };
    let reading = dyno_tests::world::<Reading>().await;
    cursor.put().send(&reading.repository).await.expect("a put");
    let mut stream = Reading::scan().stream(&reading.repository);
    let _one = stream.next().await;
    let foreign = stream.cursor().expect("a cursor").clone();
    let error = Rating::query("1").after(foreign).send(repository).await.expect_err("another table's");
    assert!(error.is_invalid_input());
    let error = Reading::query(1).filter(Reading::fields().at.ge(3)).send(repository).await.expect_err("a key");
    assert_eq!(
        error.to_string(),
        "query of `Reading`: `at` is a key attribute, which the filter of a query cannot name: use the query's `sort_…` methods"
    );
    let error = Rating::scan().segment(3, 3).send(repository).await.expect_err("no such segment");
    assert!(error.to_string().starts_with("scan of `Rating`: there is no segment 3 of 3"), "{error}");
    assert_eq!(repository.usage(), before);
}

#[tokio::test]
async fn streams_read_on_until_the_end_or_the_limit() {
    let world = ratings("ABCDEFGH", "B").await;
    let repository = &world.repository;
    let all = Rating::query("1").stream(repository).try_collect().await.expect("a stream");
    assert_eq!(all.len(), 7);
    let stream = Rating::query("1").limit(3).stream(repository);
    let some: Vec<_> = StreamExt::collect::<Vec<_>>(stream).await;
    assert_eq!(some.len(), 3);
    let mut stream = Rating::query("1").stream(repository);
    let first = stream.next().await.expect("an item").expect("a rating");
    let rest = Rating::query("1").after(stream.cursor().expect("a cursor").clone()).send(repository).await;
    assert_eq!((first.movie.as_str(), rest.expect("a query").items.len()), ("A", 6));
    let dead = Rating::query("1").include_deleted().stream(repository).try_collect().await.expect("a stream");
    assert_eq!(dead.iter().filter(|found| matches!(found, Found::Deleted(_))).count(), 1);
}

#[tokio::test]
async fn a_row_of_another_shape_is_an_error_in_its_place() {
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
async fn a_scan_can_be_split() {
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

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "streets")]
#[sort_key(name = "SK", template = "{city}#{street}")]
struct House {
    #[partition_key]
    country: String,
    city: String,
    street: String,
}

#[tokio::test]
async fn beginnings_narrow_each_other_and_stay_within_their_field() {
    let world = world::<House>().await;
    let repository = &world.repository;
    for (city, street) in [("New", "1st"), ("New York", "5th"), ("Newark", "1st")] {
        let house = House { country: "1".to_owned(), city: city.to_owned(), street: street.to_owned() };
        house.put().send(repository).await.expect("a put");
    }
    let cities = async |query: dyno::Query<House>| {
        let page = query.send(repository).await.expect("a query");
        page.items.into_iter().map(|house| house.city).collect::<Vec<_>>().join(",")
    };
    assert_eq!(cities(House::query("1").sort_begins_with("New").sort_begins_with("New ")).await, "New York");
    assert_eq!(cities(House::query("1").sort_begins_with(("New", "1"))).await, "New");
    // A range is one of stored keys, in which `New York#` comes before `New#`.
    assert_eq!(cities(House::query("1").sort_lt(("New",))).await, "New York");
    assert_eq!(cities(House::query("1").sort_ge(("New",))).await, "New,Newark");
    let error = House::query("1").sort_begins_with("New#1").send(repository).await.expect_err("two fields");
    assert_eq!(
        error.to_string(),
        "query of `House`: `city`: \"New#1\" contains \"#\", which follows the field in the key template: for a whole `city` and the beginning of the next field, give a tuple"
    );
}

#[tokio::test]
async fn several_beginnings_of_a_plain_key_are_joined() {
    let world = world::<Plain>().await;
    for id in ["A1", "AB", "B1"] {
        Plain { id: "1".to_owned(), sort: id.to_owned() }.put().send(&world.repository).await.expect("a put");
    }
    let found = async |query: dyno::Query<Plain>| {
        let page = query.send(&world.repository).await.expect("a query");
        page.items.into_iter().map(|plain| plain.sort).collect::<Vec<_>>().join(",")
    };
    let query = || Plain::query("1").sort_begins_with("A");
    assert_eq!(found(query().sort_begins_with("AB")).await, "AB");
    assert_eq!(found(query().sort_begins_with("").sort_begins_with("A")).await, "A1,AB");
    assert_eq!(found(query().sort_begins_with("B")).await, "");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "plain")]
struct Plain {
    #[partition_key]
    id: String,
    #[sort_key]
    sort: String,
}

#[tokio::test]
async fn impossible_keys_and_strange_cursors_are_refused_before_the_request() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    for id in ["1", "2"] {
        for sort in ["a", "b"] {
            Plain { id: id.to_owned(), sort: sort.to_owned() }.put().send(repository).await.expect("a put");
        }
    }
    let cursor = Plain::query("1").limit(1).send(repository).await.expect("a page").cursor;
    let empty = Plain::query("1").sort_lt("a").sort_gt("b").send(repository).await;
    assert_eq!(empty.expect("nothing").cursor, None, "an empty query has no end to go on from");
    let before = repository.usage();
    for query in [
        Plain::query(""),
        Plain::query("x".repeat(2049)),
        Plain::query("1").sort_eq(""),
        Plain::query("1").sort_lt(""),
        Plain::query("1").sort_gt("x".repeat(1025)),
        Plain::query("2").after(cursor.clone()),
    ] {
        let error = query.send(repository).await.expect_err("impossible");
        assert!(error.is_invalid_input(), "{error}");
    }
    let error = Plain::scan().after(cursor).parallel(2).stream(repository).try_collect().await.expect_err("a cursor");
    assert!(error.is_invalid_input(), "{error}");
    assert_eq!(repository.usage(), before);
}

#[derive(Document, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[document(rename_all = "lowercase", order = "declared")]
enum Priority {
    #[attribute(rename = "1-low")]
    Low,
    #[attribute(rename = "2-normal")]
    Normal,
    #[attribute(rename = "3-high")]
    High,
    Urgent,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "tickets")]
#[sort_key(name = "SK", template = "{priority}#{id}")]
#[index(name = "by_priority", partition = team, sort(priority, number))]
struct Ticket {
    #[partition_key]
    queue: u8,
    id: String,
    #[attribute(stored)]
    priority: Priority,
    team: String,
    number: u8,
}

#[tokio::test]
async fn an_enum_whose_names_sort_as_they_are_declared_has_ranges() {
    if endpoint().is_some() {
        // DynamoDB Local knows no keys of several attributes.
        return;
    }
    let world = world::<Ticket>().await;
    let all = [Priority::Low, Priority::Normal, Priority::High, Priority::Urgent];
    for priority in all {
        let ticket = Ticket { queue: 1, id: "a".to_owned(), priority, team: "t".to_owned(), number: 1 };
        ticket.put().send(&world.repository).await.expect("a put");
    }
    let field = Ticket::fields().priority;
    for (least, priority) in all.into_iter().enumerate() {
        let found = |tickets: dyno::Page<Ticket>| -> Vec<Priority> {
            tickets.items.into_iter().map(|ticket| ticket.priority).collect()
        };
        let filtered = Ticket::scan().filter(field.ge(priority)).send(&world.repository).await.expect("a scan");
        let mut filtered = found(filtered);
        filtered.sort();
        assert_eq!(filtered, all[least..]);
        let range = Ticket::query(1).sort_ge((priority,)).send(&world.repository).await.expect("a query");
        assert_eq!(found(range), all[least..]);
        let indexed = Ticket::by_priority("t").sort_le(priority).send(&world.repository).await.expect("a query");
        assert_eq!(found(indexed), all[..=least]);
    }
}

#[tokio::test]
async fn a_scan_of_no_segments_is_refused_before_any_request() {
    if endpoint().is_some() {
        // DynamoDB Local knows no keys of several attributes.
        return;
    }
    let world = world::<Ticket>().await;
    let metered = world.repository.metered();
    let mut tickets = Ticket::scan().parallel(0).stream(&metered);
    let error = tickets.next().await.expect("an error").expect_err("no segments");
    assert!(error.is_invalid_input(), "{error}");
    assert!(tickets.next().await.is_none());
    let error = Ticket::scan().parallel(0).modify_each(|_| {}).send(&metered).await.expect_err("no segments");
    assert!(error.is_invalid_input(), "{error}");
    assert!(error.to_string().ends_with("0 segments read nothing: give `parallel` at least 1"), "{error}");
    assert_eq!(metered.usage().requests, 0);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "places")]
#[partition_key(name = "PK", template = "{country}")]
#[sort_key(name = "SK", template = "{city}::{street}::end")]
#[index(name = "GSI1", query = by_city, partition(name = "GSI1PK", template = "all"), sort(name = "GSI1SK", template = "{city}::{street}::end"))]
struct Place {
    country: String,
    city: String,
    street: String,
}

/// With a separator of two characters, `a:` begins the stored text of the city `a`, too.
#[tokio::test]
async fn a_beginning_is_that_of_the_field_and_not_of_the_text_behind_it() {
    let world = world::<Place>().await;
    for (city, street) in [("a", "x"), ("a:b", "x"), ("a:b", "x:y"), ("ab", "x"), ("b", "x:")] {
        let place = Place { country: "c".to_owned(), city: city.to_owned(), street: street.to_owned() };
        place.put().send(&world.repository).await.expect("a put");
    }
    let query = || Place::query("c");
    for (query, expected) in [
        (query().sort_begins_with("a:"), vec!["a:b x", "a:b x:y"]),
        (query().sort_begins_with("a:").limit(1), vec!["a:b x"]),
        (query().sort_begins_with("a:").descending(), vec!["a:b x:y", "a:b x"]),
        (query().sort_begins_with("a"), vec!["a x", "a:b x", "a:b x:y", "ab x"]),
        (query().sort_begins_with(("a:b", "x:")), vec!["a:b x:y"]),
        (query().sort_begins_with(("a", "x:")), vec![]),
        (query().sort_begins_with(("b", "x:")), vec!["b x:"]),
        (query().sort_begins_with(("b", "x::e")), vec![]),
    ] {
        let page = query.clone().send(&world.repository).await.expect("a query");
        let found: Vec<_> = page.items.iter().map(|place| format!("{} {}", place.city, place.street)).collect();
        assert_eq!(found, expected, "{query:?}");
    }
    let found = Place::by_city().sort_begins_with("a:").limit(2).send(&world.repository).await.expect("a query").items;
    assert_eq!(found.len(), 2);
    let error = query().sort_begins_with("a::").send(&world.repository).await.expect_err("the whole separator");
    assert!(error.to_string().contains("give a tuple"), "{error}");
}
