//! Refusals: a reason of each rule.

use super::Messages;
use super::shop::{Bill, Counter, Film, Job, Order, Page, Rating, Reading, Session, Shop};
use super::shop::{bill, counter, order, page, rating, user};
use dyno::{EpochMillis, EpochSeconds, Found, Transaction};
use dyno_tests::{NOW, item, n, s};

pub(super) async fn messages(to: &mut Messages) {
    to.group("Refusals of the rules");
    let shop = Shop::open().await;
    order_of_writes(to, &shop).await;
    versions(to, &shop).await;
    uniqueness(to, &shop).await;
    to.group("Refusals by the state of the item");
    states(to, &shop).await;
    shapes(to, &shop).await;
    to.group("Refusals of changes");
    changes(to, &shop).await;
    to.group("Refusals of transactions");
    let repository = &shop.repository;
    order("t1", 0).create().send(repository).await.expect("sent").applied().expect("applied");
    let both = Transaction::new()
        .put(order("t1", 0).create())
        .update(Counter::update("9").with(Counter::fields().count.add(1)));
    let refused = both.send(repository).await.expect("sent").applied().expect_err("refused");
    to.note("two actions of a transaction are refused", refused);
}

async fn order_of_writes(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    rating(5).put().send(repository).await.expect("sent").applied().expect("applied");
    to.refusal("a put with an older ratchet token", rating(4).put().send(repository).await);
    Rating::delete(("ada", "Up"), EpochMillis::new(6))
        .send(repository)
        .await
        .expect("sent")
        .applied()
        .expect("applied");
    to.refusal("a put with the token of the tombstone", rating(6).put().send(repository).await);
    let row = |at| item([("user", s("ada")), ("movie", s("Up")), ("stars", n(5)), ("at", at)]);
    shop.put("ratings", row(n(NOW + 3_600_000))).await;
    to.refusal("the stored token is an hour ahead of the clock", rating(NOW).put().send(repository).await);
    shop.put("ratings", row(s("yesterday"))).await;
    to.refusal("the stored token has another type", rating(NOW).put().send(repository).await);
    for (what, at) in [("in another format", "2024-01-01T00:00:00Z"), ("not a time", "yesterday")] {
        shop.put("readings", item([("id", s("1")), ("at", s(at))])).await;
        let reading = Reading { id: "1".to_owned(), at: jiff::Timestamp::UNIX_EPOCH };
        to.refusal(&format!("the stored token is a text that is {what}"), reading.put().send(repository).await);
    }
    let job = Job { id: "1".to_owned(), epoch: 0 };
    job.put().fenced(5).send(repository).await.expect("sent").applied().expect("applied");
    to.refusal("a put with the fence of an earlier lock holder", job.put().fenced(3).send(repository).await);
}

async fn versions(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    order("1", 0).create().send(repository).await.expect("sent").applied().expect("applied");
    to.refusal("a put over a version that is no longer stored", order("1", 7).put().send(repository).await);
    to.refusal("a put over a version of an item that does not exist", order("none", 7).put().send(repository).await);
    let other = Order { customer: "bob".to_owned(), ..order("1", 1) };
    to.refusal("a put with another value of an immutable attribute", other.put().send(repository).await);
    shop.put("pages", item([("id", s("old")), ("text", s("x"))])).await;
    let uncounted = Page { id: "old".to_owned(), ..page(0) };
    to.refusal("a put of version 0 over an item without a version", uncounted.put().send(repository).await);
    page(0).create().send(repository).await.expect("sent").applied().expect("applied");
    page(1).put().send(repository).await.expect("sent").applied().expect("applied");
    to.refusal("a rollback to a revision that does not exist", Page::rollback("home", 99u64).send(repository).await);
}

async fn uniqueness(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    user("1").create().send(repository).await.expect("sent").applied().expect("applied");
    to.refusal("a unique value of another item", user("2").create().send(repository).await);
    bill().create().send(repository).await.expect("sent").applied().expect("applied");
    let add = || Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("event-7");
    add().send(repository).await.expect("sent").applied().expect("applied");
    to.refusal("an update with the idempotency key of an earlier one", add().send(repository).await);
    // The keys are in 26 sets, each for 15 seconds, which are used in turn.
    let turn = 15_000 * 26;
    shop.clock.set(EpochMillis::new(NOW + turn));
    let other = || Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("event-8");
    other().send(repository).await.expect("sent").applied().expect("applied");
    shop.clock.set(EpochMillis::new(NOW));
    let late = Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("event-9");
    to.refusal("the clock is minutes behind another writer's", late.send(repository).await);
}

async fn states(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    let f = Counter::fields;
    to.refusal("an update of a missing item", Counter::update("none").with(f().count.add(1)).send(repository).await);
    counter(3).create().send(repository).await.expect("sent").applied().expect("applied");
    to.refusal("a create over an item", counter(3).create().send(repository).await);
    let condition = f().count.ge(7) & (f().note.exists() | f().tags.contains("b"));
    to.refusal("the command's own condition", counter(3).put().condition(condition).send(repository).await);
    let condition =
        f().id.begins_with("x") & !f().count.is_in([1, 2]) & f().count.between(1, 9) & f().tags.size().lt(2);
    to.refusal("a condition with all kinds of operators", counter(3).put().condition(condition).send(repository).await);
    order("over", 0).create().send(repository).await.expect("sent").applied().expect("applied");
    let loaded = Order::get("over").loaded().send(repository).await.expect("a get").expect("an order");
    shop.put("orders", item([("id", s("over")), ("customer", s("ada")), ("total", n(9)), ("version", n(1))])).await;
    to.refusal(
        "a put over an item that has changed since",
        order("over", 1).put().over(&loaded).send(repository).await,
    );
    shop.put("counters", item([("id", s("1")), ("_type", s("invoice"))])).await;
    to.refusal("the key holds an item of another entity", counter(5).create().send(repository).await);

    Order::delete("1", 1u64).send(repository).await.expect("sent").applied().expect("applied");
    to.refusal("a replace of a deleted item", order("1", 2).replace().send(repository).await);
    order("2", 0).create().send(repository).await.expect("sent").applied().expect("applied");
    to.refusal("an undelete of a live item", order("2", 1).undelete().send(repository).await);
    Order::delete("2", 1u64).send(repository).await.expect("sent").applied().expect("applied");

    Rating::delete(("ada", "It"), EpochMillis::new(6))
        .send(repository)
        .await
        .expect("sent")
        .applied()
        .expect("applied");
    let found = Rating::get(("ada", "It")).include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    Rating::delete(("ada", "It"), EpochMillis::new(7))
        .send(repository)
        .await
        .expect("sent")
        .applied()
        .expect("applied");
    to.refusal("a purge of a tombstone that was replaced", Rating::purge(&tombstone).send(repository).await);

    let expires = Some(EpochSeconds::new(NOW / 1000 - 1));
    Session { id: "1".to_owned(), hits: 0, expires }.put().send(repository).await.expect("sent");
    let update = Session::update("1").with(Session::fields().hits.add(1));
    to.refusal("an update of an expired item", update.send(repository).await);
}

async fn shapes(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    let update = || Film::update("1").with(Film::fields().first.set("x"));
    shop.put("films", item([("id", s("1")), ("name", s("Ada"))])).await;
    to.refusal("an update of a row of an older schema version", update().send(repository).await);
    shop.put("films", item([("id", s("1")), ("_v", n(3))])).await;
    to.refusal("an update of a row of a newer schema version", update().send(repository).await);
    let labelled = |tags: Option<&str>| {
        let list = |text: &str| dyno::aws_sdk_dynamodb::types::AttributeValue::L(vec![s(text)]);
        let mut row = item([("id", s("1")), ("_type", s("counter")), ("count", n(1)), ("labels", list("old"))]);
        row.extend(tags.map(|tag| ("tags".to_owned(), list(tag))));
        row
    };
    let f = Counter::fields;
    shop.put("counters", labelled(None)).await;
    let part = Counter::update("1").with(f().tags.replace_at(0, "old", "new"));
    to.refusal("a change of a part of an attribute under its alias", part.send(repository).await);
    shop.put("counters", labelled(Some("new"))).await;
    let push = Counter::update("1").with(f().tags.push("x"));
    to.refusal("an attribute with two values, one under its alias", push.send(repository).await);
}

async fn changes(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    let f = Counter::fields;
    counter(255).put().send(repository).await.expect("sent");
    let update = |change| Counter::update("1").with(change).send(repository);
    to.refusal("a sum that does not fit the type", update(f().count.add(1)).await);
    to.refusal("an element that the list contains", update(f().tags.push_unique("a")).await);
    to.refusal("a removal of an element that the list lacks", update(f().tags.remove_value("z")).await);
    to.refusal("a replacement of an element that has changed", update(f().tags.replace_at(0, "z", "y")).await);
    shop.put("counters", item([("id", s("1")), ("_type", s("counter")), ("tags", s("x"))])).await;
    to.refusal("an increment of a number that is absent", update(f().count.increment(1)).await);
}
