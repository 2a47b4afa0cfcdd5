//! Pages: limits that count live items, cursors, and what is refused before the request.

use super::{Plain, Rating, Reading, ratings};
use dyno::{Cursor, Entity, EpochSeconds};
use dyno_tests::{item, n, s, world};

#[test]
fn an_unparsable_cursor_or_checkpoint_is_invalid_input() {
    fn cursor(text: &str) -> Result<Cursor, dyno::Error> {
        text.parse()
    }
    fn checkpoint(text: &str) -> Result<dyno::Checkpoint, dyno::Error> {
        text.parse()
    }
    let cursor = cursor("no cursor").expect_err("no cursor");
    assert!(cursor.is_invalid_input() && cursor.to_string().contains("`Cursor::to_string`"), "{cursor}");
    let checkpoint = checkpoint("nothing").expect_err("no checkpoint");
    assert!(
        checkpoint.is_invalid_input() && checkpoint.to_string().contains("`Checkpoint::to_string`"),
        "{checkpoint}"
    );
}

#[tokio::test]
async fn send_each_returns_errors_beside_the_items_of_a_page() {
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
async fn count_counts_only_live_items() {
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
async fn count_skips_the_template_neighbours_of_the_entity() {
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

#[tokio::test]
async fn a_limit_counts_live_items() {
    let world = ratings("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "ABCDEFGHIJKLMNOPQRSTUVW").await;
    let metered = world.repository.metered();
    let page = Rating::query("1").limit(1).send(&metered).await.expect("a query");
    assert_eq!(page.items.iter().map(|rating| &*rating.movie).collect::<String>(), "X");
    // The limits double (1, 2, 4, 8, 16), so a run of tombstones takes few requests.
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
async fn a_cursor_continues_after_the_last_item_returned() {
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
                // A cursor can be stored as text.
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
async fn an_invalid_limit_cursor_filter_or_segment_is_refused_before_the_request() {
    let world = ratings("A", "").await;
    let repository = &world.repository;
    let before = repository.usage();
    let limit = Rating::query("1").limit(0).send(repository).await.expect_err("no limit");
    assert_eq!(limit.to_string(), "query of `Rating`: a limit of 0 returns nothing: give at least 1, or no limit");
    let mut streams = [
        Rating::query("1").limit(0).stream(repository),
        Rating::scan().limit(0).stream(repository),
        Rating::scan().limit(0).parallel(2).stream(repository),
    ];
    for stream in &mut streams {
        let error = stream.next().await.expect("an error").expect_err("no limit");
        assert!(error.to_string().ends_with("of `Rating`: a limit of 0 returns nothing: give at least 1, or no limit"));
    }
    let cursor = Reading { sensor: 1, at: 2 };
    let reading = dyno_tests::world::<Reading>().await;
    cursor.put().send(&reading.repository).await.expect("a put");
    let mut stream = Reading::scan().stream(&reading.repository);
    let _one = stream.next().await;
    let foreign = stream.cursor().expect("made").expect("a cursor");
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
async fn invalid_keys_and_foreign_cursors_are_refused_before_the_request() {
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
