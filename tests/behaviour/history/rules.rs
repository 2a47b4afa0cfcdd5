//! A history together with a ratchet, a TTL and a condition.

use super::{Draft, Page, draft, page};
use dyno::{Entity, EpochMillis, EpochSeconds, Reason, Request, stream};
use dyno_tests::faults::Fault;
use dyno_tests::{item, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sequels")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
struct Sequel {
    #[partition_key]
    id: u64,
    text: String,
    #[ratchet]
    at: u64,
    #[version(write_id = false)]
    version: u64,
}

#[tokio::test]
async fn a_write_that_a_ratchet_refuses_leaves_no_copy_in_the_history() {
    let world = world::<Sequel>().await;
    let repository = &world.repository;
    let sequel = |text: &str, at, version| Sequel { id: 1, text: text.to_owned(), at, version };
    applied!(sequel("a", 5, 0).create(), repository);
    applied!(sequel("b", 6, 1).put(), repository);
    let stale = || Reason::Stale { attribute: "at", tie: false };
    let loaded = Sequel::get(1u64).consistent().loaded().send(repository).await.expect("a get").expect("there");
    assert_eq!(refused!(sequel("late", 3, 2).put(), repository), [stale()]);
    let metered = repository.metered();
    let refused = sequel("late", 3, 2).put().over(&loaded).send(&metered).await.expect("sent");
    // The write reads the stored item, whatever the caller has loaded.
    assert_eq!((metered.usage().requests, metered.usage().write_units), (1, 0.0));
    assert_eq!(refused.refusal().expect("refused").reasons(), [stale()]);
    assert_eq!(refused!(Sequel::delete(1u64, 3u64, 2u64), repository), [stale()]);
    // No copy was left, so another program may change the item.
    let theirs = [("id", n(1)), ("text", s("theirs")), ("at", n(6)), ("version", n(2))];
    world.write_foreign::<Sequel>(item(theirs)).await;
    assert_eq!(applied!(sequel("c", 7, 2).put(), repository), 3);
    assert_eq!(timeline!(Sequel, 1u64, repository), ["3 c", "2 theirs", "1 a"]);
    // Another program may also change the item after a copy was left, although these writes have no write ids.
    leaves_a_copy!(Sequel, sequel("d", 8, 3).put(), &world);
    let theirs = [("id", n(1)), ("text", s("theirs")), ("at", n(7)), ("version", n(3))];
    world.write_foreign::<Sequel>(item(theirs)).await;
    assert_eq!(applied!(sequel("e", 8, 3).put(), repository), 6);
    assert_eq!(timeline!(Sequel, 1u64, repository), ["6 e", "5 theirs", "3 c", "2 theirs", "1 a"]);
}

#[tokio::test]
async fn a_write_that_its_own_condition_refuses_leaves_no_copy_in_the_history() {
    let world = world::<Sequel>().await;
    let repository = &world.repository;
    let sequel = |text: &str, at, version| Sequel { id: 1, text: text.to_owned(), at, version };
    applied!(sequel("a", 5, 0).create(), repository);
    applied!(sequel("b", 6, 1).put(), repository);
    let loaded = Sequel::get(1u64).consistent().loaded().send(repository).await.expect("a get").expect("there");
    let is_z = || Sequel::fields().text.eq("z");
    let metered = repository.metered();
    assert_eq!(refused!(sequel("c", 7, 2).put().condition(is_z()), &metered), [Reason::Condition]);
    assert_eq!(refused!(sequel("c", 7, 2).put().over(&loaded).condition(is_z()), &metered), [Reason::Condition]);
    assert_eq!(refused!(Sequel::delete(1u64, 7u64, 2u64).condition(is_z()), &metered), [Reason::Condition]);
    // Each write has read the item, and has written nothing.
    assert_eq!((metered.usage().requests, metered.usage().write_units), (3, 0.0));
    // Another program may change the item, and the history keeps its change.
    let theirs = [("id", n(1)), ("text", s("theirs")), ("at", n(6)), ("version", n(2))];
    world.write_foreign::<Sequel>(item(theirs)).await;
    assert_eq!(applied!(sequel("d", 7, 2).put().condition(!is_z()), repository), 3);
    assert_eq!(timeline!(Sequel, 1u64, repository), ["3 d", "2 theirs", "1 a"]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "events")]
#[tombstone(ttl_days = 7)]
#[history_table(layout = "same_table", ttl_days = 90)]
struct Event {
    #[partition_key]
    stream: String,
    #[sort_key]
    name: String,
    text: String,
    #[ratchet(tiebreak = "writer")]
    at: EpochMillis,
    writer: String,
    #[version]
    version: u64,
    #[ttl]
    expires: Option<EpochSeconds>,
}

fn event(text: &str, at: i64, version: u64) -> Event {
    Event {
        stream: "s".to_owned(),
        name: "n".to_owned(),
        text: text.to_owned(),
        at: EpochMillis::new(at),
        writer: "w".to_owned(),
        version,
        expires: None,
    }
}

#[tokio::test]
async fn a_ratchet_and_a_ttl_apply_with_a_history_in_the_same_table() {
    let world = world::<Event>().await;
    let repository = &world.repository;
    let key = ("s", "n");
    let at = EpochMillis::new;
    // The item has expired; its revision has not.
    let expired = EpochSeconds::new(world.clock_seconds() - 1);
    applied!(Event { expires: Some(expired), ..event("a", 10, 0) }.create(), repository);
    assert_eq!(Event::get(key).send(repository).await.expect("a get"), None);
    assert_eq!(timeline!(Event, key, repository), ["1 a"]);
    assert_eq!(applied!(event("b", 11, 0).create(), repository), 2);
    let stale = || Reason::Stale { attribute: "at", tie: false };
    assert_eq!(refused!(event("c", 5, 2).put(), repository), [stale()]);
    assert_eq!(refused!(Event::delete(key, (at(5), "w"), 2u64), repository), [stale()]);
    assert_eq!(applied!(Event::delete(key, (at(12), "w"), 2u64), repository), 3);
    // A rollback is a new write, so it has a token of its own.
    assert_eq!(refused!(Event::rollback(key, 2u64, (at(5), "w")), repository), [stale(), Reason::Deleted]);
    let rolled_back = applied!(Event::rollback(key, 2u64, (at(13), "me")), repository);
    assert_eq!(rolled_back, Event { writer: "me".to_owned(), ..event("b", 13, 4) });
    assert_eq!(timeline!(Event, key, repository), ["4 b", "3 -", "2 b", "1 a"]);
    assert_eq!(Event::query("s").send(repository).await.expect("a query").items, [rolled_back]);
    // The rows of revisions use the table's TTL attribute, and still hold the expiry of their items.
    let rows = world.stored::<Event>().await;
    let first = rows.iter().find(|row| row.get("_version") == Some(&n(1))).expect("a row");
    assert_eq!(first.get("expires"), Some(&n(world.clock_seconds() + 90 * 86_400)));
    let revision = Event::revision(key, 1u64).send(repository).await.expect("sent").expect("there");
    assert_eq!(revision.decode().expect("decodes").expect("an event").expires, Some(expired));
    // An item cannot have the key of a revision.
    let name = "_rev|n|00000000000000000009".to_owned();
    let error = Event { name: name.clone(), ..event("x", 20, 0) }.put().send(repository).await.expect_err("reserved");
    assert!(error.is_invalid_input() && error.to_string().contains("_rev|"), "{error}");
    assert!(Event::get(("s", name)).send(repository).await.expect_err("reserved").is_invalid_input());
    // The key of a revision is longer than the item's key.
    let long = Event { name: "n".repeat(1000), ..event("x", 20, 0) };
    let error = long.put().send(repository).await.expect_err("too long");
    assert!(error.is_invalid_input() && error.to_string().contains("history"), "{error}");
    assert_eq!(world.stored::<Event>().await.len(), rows.len());
}

/// Another program has put an item under the key of a revision. Reads and streams do not return it as an item.
#[tokio::test]
async fn a_row_with_the_key_of_a_revision_is_not_an_item() {
    let world = world::<Event>().await;
    let mut row = event("a", 10, 1).to_item().expect("an item");
    row.insert("name".to_owned(), s("_rev|n|00000000000000000001"));
    world.write_foreign::<Event>(row.clone()).await;
    assert_eq!(Event::query("s").send(&world.repository).await.expect("a query").items, []);
    assert_eq!(Event::scan().send(&world.repository).await.expect("a scan").items, []);
    let record = stream::Record::new(stream::Event::Insert, row.clone()).with_new_image(row);
    assert!(!record.is_of::<Event>());
}

/// An entity whose ratchet refuses the stored token.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "strict")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Strict {
    #[partition_key]
    id: String,
    text: String,
    #[ratchet(strict)]
    at: EpochMillis,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_modify_that_keeps_the_token_passes_a_strict_ratchet() {
    let world = world::<Strict>().await;
    let repository = &world.repository;
    let strict = |text: &str, at, version| {
        let (id, text) = ("1".to_owned(), text.to_owned());
        Strict { id, text, at: EpochMillis::new(at), version }
    };
    applied!(strict("a", 5, 0).create(), repository);
    let text = |to: &'static str| move |strict: &mut Strict| strict.text = to.to_owned();
    assert_eq!(applied!(Strict::modify("1", text("b")), repository), strict("b", 5, 2));
    let done = Strict::scan().modify_each(text("c")).send(repository).await.expect("sent").completed().expect("done");
    assert_eq!(done.changed(), 1);
    let moved = |at| Strict::modify("1", move |strict: &mut Strict| strict.at = EpochMillis::new(at));
    assert_eq!(refused!(moved(4), repository), [Reason::Stale { attribute: "at", tie: false }]);
    assert_eq!(applied!(moved(6), repository), strict("c", 6, 4));
    // A put has a token of its own.
    assert_eq!(refused!(strict("d", 6, 4).put(), repository), [Reason::Stale { attribute: "at", tie: true }]);
}

#[tokio::test]
async fn a_rollback_to_an_expired_revision_is_refused() {
    let world = world::<Event>().await;
    let repository = &world.repository;
    let expires = EpochSeconds::new(world.clock_seconds() + 60);
    applied!(Event { expires: Some(expires), ..event("a", 10, 0) }.create(), repository);
    applied!(event("b", 11, 1).put(), repository);
    world.clock.advance(120_000);
    let rollback = Event::rollback(("s", "n"), 1u64, (EpochMillis::new(12), "w"));
    assert_eq!(refused!(rollback, repository), [Reason::Expired]);
    assert_eq!(timeline!(Event, ("s", "n"), repository), ["2 b", "1 a"]);
}

#[tokio::test]
async fn a_write_with_an_atomic_history_shows_a_transaction() {
    let world = world::<Page>().await;
    let metered = world.repository.metered();
    let shown = page("b", 1).put().request(&metered).expect("a request").to_string();
    let lines: Vec<&str> = shown.lines().filter(|line| !line.contains("_w") && !line.contains("token")).collect();
    assert_eq!(lines[..2], ["TransactWriteItems", "  Put pages-history"], "{shown}");
    assert!(lines.contains(&"  Put pages") && lines.contains(&"    condition: #version = :version"), "{shown}");
    let shown = Page::delete(1u64, 2u64).request(&metered).expect("a request").to_string();
    assert!(shown.contains("\n  Put pages-history\n") && shown.contains("\n  Delete pages\n"), "{shown}");
    // The number of a new item follows the numbers in the history.
    let error = page("a", 0).create().request(&metered).expect_err("it reads");
    assert!(error.is_invalid_input() && error.to_string().contains("which only `send` reads"), "{error}");
    assert_eq!(metered.usage().requests, 0);
    // The request, sent through the client, does what `send` would do.
    applied!(page("a", 0).create(), &metered);
    let Request::Transaction(request) = page("b", 1).put().request(&metered).expect("a request") else {
        panic!("no transaction")
    };
    request.send_with(metered.client()).await.expect("applied");
    assert_eq!(timeline!(Page, 1u64, &metered), ["2 b", "1 a"]);
    assert_eq!(Page::get(1u64).send(&metered).await.expect("a get"), Some(page("b", 2)));
}

/// The copy of the superseded item is sent before it, in a request of its own.
#[tokio::test]
async fn a_write_with_an_ordered_history_shows_the_item_s_write_alone() {
    let world = world::<Draft>().await;
    let metered = world.repository.metered();
    for shown in [draft("b", 1).put().request(&metered), draft("a", 0).create().request(&metered)] {
        assert!(matches!(shown.expect("a request"), Request::Put(_)));
    }
    assert_eq!(metered.usage().requests, 0);
}

/// A write that is dropped between its two requests leaves its copy in the history.
#[tokio::test]
async fn a_leftover_copy_of_the_current_version_is_replaced() {
    let world = world::<Draft>().await;
    let repository = &world.repository;
    applied!(draft("a", 0).create(), repository);
    world.faults.hold_after(2);
    let (given_up, same) = (draft("given up", 1).put(), repository.clone());
    let given_up = tokio::spawn(async move { given_up.send(&same).await });
    world.faults.held().await;
    given_up.abort();
    assert!(given_up.await.is_err_and(|error| error.is_cancelled()));
    world.faults.release();
    // A program that counts no versions changes the item.
    let mut row = world.stored::<Draft>().await.remove(0);
    row.insert("text".to_owned(), s("theirs"));
    world.write_foreign::<Draft>(row).await;
    // The item is the current version, and not the copy.
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["1 theirs"]);
    let current = Draft::revision(vec![1, 2], 1u64).send(repository).await.expect("sent").expect("a revision");
    assert_eq!(current.decode().expect("decodes").expect("an item").text, "theirs");
    assert_eq!(applied!(draft("b", 1).put(), repository), 2);
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["2 b", "1 theirs"]);
    let first = Draft::revision(vec![1, 2], 1u64).send(repository).await.expect("sent").expect("a revision");
    assert_eq!(first.decode().expect("decodes").expect("an item").text, "theirs");
}
