//! The rows of a history: their cost, their retention, their table, and malformed rows.

use super::{Draft, Page, draft, page};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, ErrorKind, Reason};
use dyno_tests::{item, n, s, world};
use std::sync::Arc;

/// Requests, read units and write units of a command.
macro_rules! cost {
    ($repository:expr, $command:expr) => {{
        let metered = $repository.metered();
        let _outcome = $command.send(&metered).await.expect("sent");
        let usage = metered.usage();
        (usage.requests, usage.read_units, usage.write_units)
    }};
}

#[tokio::test]
async fn each_mode_of_history_has_its_cost_in_requests_and_units() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    // A put writes two rows, each at twice the plain price, in one request. (Developer guide, "Read and write operations": two
    // units for a transactional write of up to 1 KB.)
    let transaction = 4.0;
    // A create first reads earlier numbers from the history.
    let (requests, _, write_units) = cost!(repository, page("a", 0).create());
    assert_eq!((requests, write_units), (2, transaction));
    assert_eq!(cost!(repository, page("b", 1).put()), (1, 0.0, transaction));
    // DynamoDB reports no units for a refused transaction, so they are estimated.
    assert_eq!(cost!(repository, page("c", 1).put()), (1, 0.0, 4.0));
    assert_eq!(cost!(repository, Page::delete(1u64, 2u64)), (1, 0.0, transaction));
    repository.create_table::<Draft>().await.expect("a table");
    // A create supersedes nothing, but it reads the history for superseded revisions. It writes a transaction, because after a
    // deleted item only a transaction keeps a number from being given twice.
    let (requests, _, write_units) = cost!(repository, draft("a", 0).create());
    assert_eq!((requests, write_units), (2, transaction));
    let loaded = Draft::get(vec![1, 2]).consistent().loaded().send(repository).await.expect("a get").expect("there");
    assert_eq!(loaded.entity, draft("a", 1));
    // With the loaded item, a put writes two rows at the plain price, in two requests.
    assert_eq!(cost!(repository, draft("b", 1).put().over(&loaded)), (2, 0.0, 2.0));
    // Without the loaded item, the write reads the item first.
    assert_eq!(cost!(repository, draft("c", 2).put()), (3, 1.0, 2.0));
    assert_eq!(cost!(repository, Draft::modify(vec![1, 2], |draft| draft.text.push('!'))), (3, 1.0, 2.0));
    // A conflict costs only the read, and writes nothing.
    assert_eq!(cost!(repository, draft("d", 2).put()), (1, 1.0, 0.0));
    // The loaded item is outdated. The write puts a copy of it, although it already has a row, and is then refused.
    assert_eq!(cost!(repository, draft("d", 1).put().over(&loaded)), (2, 0.0, 2.0));
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["4 c!", "3 c", "2 b", "1 a"]);
    // A loaded item with another key is a mistake.
    let other = Draft { id: vec![9], ..draft("other", 1) };
    let error = other.put().over(&loaded).send(repository).await.expect_err("another key");
    assert!(error.is_invalid_input() && error.to_string().contains("`over` was given the item"), "{error}");
}

#[tokio::test]
async fn revisions_expire_after_their_retention() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    let table = repository.history_table_name::<Page>().expect("a name");
    assert_eq!(table, "pages-history");
    let ttl = repository.client().describe_time_to_live().table_name(&table).send().await.expect("described");
    assert_eq!(ttl.time_to_live_description().and_then(|ttl| ttl.attribute_name()), Some("_ttl"));
    applied!(page("a", 0).create(), repository);
    world.clock.advance(20 * 86_400_000);
    applied!(page("b", 1).put(), repository);
    world.clock.advance(11 * 86_400_000);
    // The first revision has expired, although the engine has not removed its row.
    assert_eq!(timeline!(Page, 1u64, repository), ["2 b"]);
    assert_eq!(Page::revision(1u64, 1u64).send(repository).await.expect("sent"), None);
    assert_eq!(refused!(Page::rollback(1u64, 1u64), repository), [Reason::NoRevision { version: 1 }]);
    world.clock.advance(40 * 86_400_000);
    // The newest revision is the item itself, however old its row is.
    assert_eq!(timeline!(Page, 1u64, repository), ["2 b"]);
    assert!(Page::revision(1u64, 2u64).send(repository).await.expect("sent").is_some());
    // The numbers continue after the expired revisions.
    applied!(Page::delete(1u64, 2u64), repository);
    assert_eq!(applied!(page("c", 0).create(), repository), 4);
    assert_eq!(timeline!(Page, 1u64, repository), ["4 c", "3 -"]);
}

#[tokio::test]
async fn the_history_table_has_the_configured_name_and_prefix() {
    let world = world::<Page>().await;
    let client = world.repository.client().clone();
    let repository = dyno::Repository::new(client).with_clock(Arc::clone(&world.clock)).with_table_prefix("staging-");
    assert_eq!(repository.history_table_name::<Page>().expect("a name"), "staging-pages-history");
    let repository = repository.with_table::<Page>("other");
    assert_eq!(repository.history_table_name::<Page>().expect("a name"), "other-history");
    let repository = repository.with_history_table::<Page>("other-revisions");
    repository.create_table::<Page>().await.expect("two tables");
    repository.create_table::<Page>().await.expect("there already");
    applied!(page("a", 0).create(), &repository);
    assert_eq!(timeline!(Page, 1u64, &repository), ["1 a"]);
    let tables = repository.client().list_tables().send().await.expect("tables").table_names.unwrap_or_default();
    assert!(["other", "other-revisions"].iter().all(|name| tables.iter().any(|table| table == name)), "{tables:?}");
    let impossible = repository.with_history_table::<Page>("no table");
    assert!(page("a", 1).put().send(&impossible).await.expect_err("a name").is_invalid_input());
    let missing = dyno::Repository::new(world.repository.client().clone()).with_history_table::<Page>("elsewhere");
    for error in [
        Page::revisions(1u64).send(&missing).await.expect_err("no table"),
        Page::revision(1u64, 1u64).send(&missing).await.expect_err("no table"),
    ] {
        assert!(error.is_table_missing() && error.to_string().contains("`elsewhere`"), "{error}");
    }
}

#[tokio::test]
async fn a_malformed_history_row_is_a_decode_error() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page("a", 0).create(), repository);
    applied!(page("b", 1).put(), repository);
    let row = item([("_key", s("1")), ("_version", n(1)), ("_image", s("no map"))]);
    repository.client().put_item().table_name("pages-history").set_item(Some(row)).send().await.expect("a row");
    let error = Page::revisions(1u64).send(repository).await.expect_err("no revision");
    assert_eq!(error.kind(), ErrorKind::Decode);
    let message = "revisions of `Page` (id = 1): `_image`: expected a map (M), found S";
    assert_eq!(error.to_string(), message);
    // A revision that no longer has the entity's shape does not hide the others.
    let row = item([("_key", s("1")), ("_version", n(1)), ("_image", AttributeValue::M(item([("id", n(1))])))]);
    repository.client().put_item().table_name("pages-history").set_item(Some(row)).send().await.expect("a row");
    let revisions = Page::revisions(1u64).send(repository).await.expect("revisions").items;
    assert_eq!(revisions.iter().map(|revision| revision.decode().is_ok()).collect::<Vec<_>>(), [true, false]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "aged")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered", ttl_days = 30)]
struct Aged {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

fn aged(text: &str, version: u64) -> Aged {
    Aged { id: "1".to_owned(), text: text.to_owned(), version }
}

/// An entity without write ids, so a revision is recognized by its content.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "tagged")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
struct Tagged {
    #[partition_key]
    id: String,
    tags: std::collections::BTreeSet<String>,
    size: u32,
    #[version(write_id = false)]
    version: u64,
}

#[tokio::test]
async fn a_copy_equals_its_item_in_any_order_of_set_elements() {
    let world = world::<Tagged>().await;
    let repository = &world.repository;
    let tagged = |version| Tagged { id: "1".to_owned(), tags: ["a", "b"].map(str::to_owned).into(), size: 7, version };
    applied!(tagged(0).create(), repository);
    let other = r#"{"Item":{"id":{"S":"1"},"tags":{"SS":["b","a"]},"size":{"N":"7.0"},"version":{"N":"1"}}}"#;
    world.faults.answer("GetItem", 200, other);
    assert_eq!(applied!(tagged(1).put(), repository), 2);
}

#[tokio::test]
async fn a_revision_s_retention_begins_when_it_is_superseded() {
    let world = world::<Aged>().await;
    let repository = &world.repository;
    let day = 86_400_000;
    applied!(aged("a", 0).create(), repository);
    world.clock.advance(40 * day);
    assert_eq!(timeline!(Aged, "1", repository), ["1 a"]);
    applied!(aged("b", 1).put(), repository);
    assert_eq!(timeline!(Aged, "1", repository), ["2 b", "1 a"]);
    world.clock.advance(29 * day);
    assert_eq!(applied!(Aged::rollback("1", 1u64), repository), aged("a", 3));
    world.clock.advance(2 * day);
    assert_eq!(timeline!(Aged, "1", repository), ["3 a", "2 b"]);
}

#[tokio::test]
async fn an_item_whose_revision_would_be_too_large_is_refused() {
    let world = world::<Draft>().await;
    let text = "x".repeat(409_600 - 60);
    let error = draft(&text, 0).create().send(&world.repository).await.expect_err("too large");
    assert!(error.is_invalid_input() && error.to_string().contains("the revision in the history: "), "{error}");
    assert!(world.stored::<Draft>().await.is_empty());
}

#[tokio::test]
async fn an_item_without_a_readable_version_does_not_hide_its_history() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page("a", 0).create(), repository);
    applied!(page("b", 1).put(), repository);
    world.write_foreign::<Page>(item([("id", n(1)), ("text", s("z"))])).await;
    assert_eq!(timeline!(Page, 1u64, repository), ["0 z", "2 b", "1 a"]);
    // A read that continues behind the item, and one behind a revision.
    for (before, expected) in [(0u64, &[2, 1][..]), (2, &[1]), (1, &[])] {
        let rest = Page::revisions(1u64).before(before).send(repository).await.expect("revisions").items;
        assert_eq!(rest.iter().map(dyno::Revision::version).collect::<Vec<_>>(), expected, "{before}");
    }
    world.write_foreign::<Page>(item([("id", n(1)), ("text", s("z")), ("version", s("x"))])).await;
    let error = Page::revisions(1u64).send(repository).await.expect_err("no version");
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert!(Page::revision(1u64, 1u64).send(repository).await.expect("sent").is_some());
}

#[tokio::test]
async fn a_limit_of_zero_revisions_is_refused_before_the_request() {
    let world = world::<Page>().await;
    applied!(page("a", 0).create(), &world.repository);
    let repository = world.repository.metered();
    let message = "revisions of `Page` (id = 1): a limit of 0 returns nothing: give at least 1, or no limit";
    let error = Page::revisions(1u64).limit(0).send(&repository).await.expect_err("no limit");
    assert!(error.is_invalid_input());
    assert_eq!(error.to_string(), message);
    let mut stream = Page::revisions(1u64).limit(0).stream(&repository);
    assert_eq!(stream.next().await.expect("an error").expect_err("no limit").to_string(), message);
    assert!(stream.next().await.is_none());
    assert_eq!(repository.usage().requests, 0);
}
