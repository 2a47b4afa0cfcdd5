//! A create that accepts an equal item.

use crate::entities::{Cart, Draft, Plain, cart, draft, plain};
use dyno::{Entity, EpochMillis, Found, Refusal, Repository, Request};
use dyno_tests::faults::Fault;
use dyno_tests::{item, n, s, world};
use std::collections::BTreeSet;

/// An entity of which writes set much themselves.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
#[tombstone(ttl_days = 7)]
#[history_table]
#[index(name = "by_total", partition(name = "sum", template = "TOTAL#{total}"), sort = created)]
struct Order {
    #[partition_key]
    id: String,
    total: u64,
    tags: BTreeSet<String>,
    note: Option<String>,
    #[created]
    created: EpochMillis,
    #[updated]
    updated: EpochMillis,
    #[fence]
    fence: u64,
    #[version]
    version: u64,
}

fn order(total: u64) -> Order {
    let tags = ["a", "b"].map(str::to_owned).into();
    let (created, updated) = (EpochMillis::new(0), EpochMillis::new(0));
    Order { id: "1".to_owned(), total, tags, note: None, created, updated, fence: 0, version: 0 }
}

/// Creates the same item twice, and then another one of its key.
macro_rules! created_twice {
    ($one:expr, $other:expr, $world:expr) => {{
        let repository = &$world.repository;
        let first = applied!($one.create().accept_equal(), repository);
        assert_eq!(applied!($one.create().accept_equal(), repository), first);
        let outcome = $other.create().accept_equal().send(repository).await.expect("sent");
        assert!(outcome.refusal().is_some_and(Refusal::is_existing), "{outcome:?}");
        let refusal = outcome.refusal().expect("refused");
        assert!(matches!(refusal.current().expect("decoded"), Some(Found::Live(_))), "{refusal}");
    }};
}

#[tokio::test]
async fn an_equal_item_is_accepted_and_another_one_refuses() {
    created_twice!(plain(1), plain(2), world::<Plain>().await);
    created_twice!(cart(1, 0), cart(2, 0), world::<Cart>().await);
    created_twice!(draft("a", 0), draft("b", 0), world::<Draft>().await);
    let world = world::<Order>().await;
    created_twice!(order(1), order(2), world);
    assert_eq!(revisions(&world.repository).await, 1);
}

async fn revisions(repository: &Repository) -> usize {
    Order::revisions("1").limit(10).send(repository).await.expect("revisions").items.len()
}

#[tokio::test]
async fn only_what_writes_set_themselves_may_differ() {
    let world = world::<Order>().await;
    let repository = &world.repository;
    applied!(order(1).create().fenced(3), repository);
    world.clock.advance(60_000);
    applied!(Order::modify("1", |order| order.total = 2), repository);
    applied!(Order::modify("1", |order| order.total = 1), repository);
    // It is the item's third version.
    assert_eq!(applied!(order(1).create().fenced(3).accept_equal(), repository), 3);
    // A process that has lost its lock does not succeed, and neither does a later holder: the item would let the earlier one write.
    let late = order(1).create().fenced(2).accept_equal().send(repository).await.expect("sent");
    assert!(late.refusal().is_some_and(Refusal::is_fenced), "{late:?}");
    let later = order(1).create().fenced(4).accept_equal().send(repository).await.expect("sent");
    assert!(later.refusal().is_some_and(Refusal::is_existing), "{later:?}");
    // Also if no answer comes, and the item is read.
    world.faults.next([Fault::Served, Fault::AnswerLost, Fault::AnswerLost, Fault::AnswerLost]);
    let error = order(1).create().fenced(2).accept_equal().send(repository).await.expect_err("in doubt");
    assert!(error.may_be_applied(), "{error}");
    applied!(Order::modify("1", |order| order.note = Some("n".to_owned())), repository);
    let changed = order(1).create().fenced(3).accept_equal().send(repository).await.expect("sent");
    assert!(!changed.is_applied());
}

#[tokio::test]
async fn an_item_of_another_program_is_equal_as_the_entity_reads_it() {
    let world = world::<Cart>().await;
    // Without a version, and with an attribute of its own.
    let foreign = item([("id", s("1")), ("lines", n(1)), ("theirs", s("x"))]);
    world.write_foreign::<Cart>(foreign.clone()).await;
    assert_eq!(applied!(cart(1, 0).create().accept_equal(), &world.repository), 0);
    assert_eq!(world.stored::<Cart>().await, [foreign]);
    // An item that is not of the entity's shape is no item of this value.
    world.write_foreign::<Cart>(item([("id", s("1")), ("lines", s("one"))])).await;
    let outcome = cart(1, 0).create().accept_equal().send(&world.repository).await.expect("sent");
    assert!(!outcome.is_applied());
}

#[tokio::test]
async fn what_is_deleted_is_created_anew() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    assert_eq!(applied!(cart(1, 0).create().accept_equal(), repository), 1);
    applied!(Cart::delete("1", 1), repository);
    assert_eq!(applied!(cart(1, 0).create().accept_equal(), repository), 3);
}

/// No answer comes to any of the SDK's attempts.
#[tokio::test]
async fn an_equal_item_is_accepted_after_lost_answers() {
    let world = world::<Plain>().await;
    let lost = |fault: Fault| world.faults.next([fault, fault, fault]);
    lost(Fault::AnswerLost);
    applied!(plain(1).create().accept_equal(), &world.repository);
    assert_eq!(world.stored::<Plain>().await.len(), 1);
    // Another item is there: nobody knows whether an attempt arrives after its deletion.
    lost(Fault::AnswerLost);
    let error = plain(2).create().accept_equal().send(&world.repository).await.expect_err("in doubt");
    assert!(error.may_be_applied(), "{error}");
}

#[tokio::test]
async fn without_an_equal_item_the_error_of_lost_requests_stays() {
    let world = world::<Plain>().await;
    let command = plain(1).create().accept_equal();
    world.faults.next([Fault::RequestLost; 3]);
    let error = command.clone().send(&world.repository).await.expect_err("no answer");
    assert!(error.may_be_applied(), "{error}");
    assert_eq!(world.stored::<Plain>().await, []);
    applied!(command, &world.repository);
    // The read fails, too.
    world.faults.next([Fault::AnswerLost; 6]);
    let error = plain(1).create().accept_equal().send(&world.repository).await.expect_err("no answer");
    assert!(error.may_be_applied(), "{error}");
}

#[tokio::test]
async fn the_request_is_that_of_the_create() {
    let world = world::<Plain>().await;
    let request = plain(1).create().accept_equal().request(&world.repository).expect("a request");
    let Request::Put(put) = request else { panic!("{request:?}") };
    assert_eq!(put.get_condition_expression().as_deref(), Some("attribute_not_exists(#id)"));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
struct Account {
    #[partition_key]
    id: String,
    #[unique]
    email: Option<String>,
}

fn account(id: &str) -> Account {
    Account { id: id.to_owned(), email: Some("a@x".to_owned()) }
}

/// An item whose unique value has no guard would let another item have the value.
#[tokio::test]
async fn the_unique_values_of_an_equal_item_are_claimed() {
    let world = world::<Account>().await;
    let repository = &world.repository;
    world.write_foreign::<Account>(item([("id", s("1")), ("email", s("a@x"))])).await;
    applied!(account("1").create().accept_equal(), repository);
    let taken = account("2").create().accept_equal().send(repository).await.expect("sent");
    assert!(taken.refusal().is_some_and(Refusal::is_taken), "{taken:?}");
    applied!(account("1").create().accept_equal(), repository);
    // Another program has stored the value of another item a second time.
    world.write_foreign::<Account>(item([("id", s("3")), ("email", s("a@x"))])).await;
    let taken = account("3").create().accept_equal().send(repository).await.expect("sent");
    assert!(taken.refusal().is_some_and(Refusal::is_taken), "{taken:?}");
}
