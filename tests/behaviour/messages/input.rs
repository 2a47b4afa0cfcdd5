//! Mistakes of the caller, which no request is sent for.

use super::Messages;
use super::shop::{Bill, Counter, Line, Order, Rating, Shop, User, counter, line, order, page, rating, user};
use dyno::lock::Lock;
use dyno::{BatchWrite, Checkpoint, Cursor, Entity, Item, SendMany, TransactGet, Transaction};
use dyno_tests::NOW;
use std::future::ready;
use std::time::Duration;

pub(super) async fn messages(to: &mut Messages) {
    let shop = Shop::open().await;
    to.group("Values and keys that cannot be stored");
    values(to, &shop).await;
    to.group("Conditions and changes that DynamoDB would refuse");
    expressions(to, &shop).await;
    to.group("Requests that are not known, and hedges");
    plans(to, &shop).await;
    to.group("Reads that make no sense");
    reads(to, &shop).await;
    to.group("Runs over many items");
    many(to, &shop).await;
    to.group("Mistakes in transactions");
    transactions(to, &shop).await;
    to.group("Mistakes in locks");
    locks(to, &shop).await;
}

async fn values(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    to.error("an empty key", Counter::get("").send(repository).await);
    to.error("a key that is too long", Counter::get("x".repeat(2049)).send(repository).await);
    let large = Counter { note: Some("x".repeat(500_000)), ..counter(1) };
    to.error("an item that is too large", large.put().send(repository).await);
    to.error("an empty field of a key", line("").put().send(repository).await);
    to.error(
        "a number with more digits than its place in the key",
        Line { order: 12345, ..line("a") }.put().send(repository).await,
    );
    to.error("an empty key of an index", Line { city: String::new(), ..line("a") }.put().send(repository).await);
    to.error("a ratchet token too far in the future", rating(NOW + 120_000).put().send(repository).await);
    to.error(
        "a table name that cannot be one",
        Counter::get("1").send(&repository.clone().with_table::<Counter>("a b")).await,
    );
    to.error(
        "an empty idempotency key",
        Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("").send(repository).await,
    );
    order("0", 0).create().send(repository).await.expect("sent").applied().expect("applied");
    let loaded = Order::get("0").loaded().send(repository).await.expect("a get").expect("an order");
    to.error("a put over another item", order("moved", 1).put().over(&loaded).send(repository).await);
}

async fn expressions(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    let f = Counter::fields;
    order("1", 0).create().send(repository).await.expect("sent").applied().expect("applied");
    to.error("an update without changes", Counter::update("1").send(repository).await);
    let twice = [f().count.add(1), f().count.set(1)];
    to.error("two changes of one attribute", Counter::update("1").with(twice).send(repository).await);
    let nested = [f().tags.push("x"), f().tags.remove_at(0, "a")];
    to.error("changes of an attribute and of a part of it", Counter::update("1").with(nested).send(repository).await);
    to.error(
        "a field compared with itself",
        counter(1).put().condition(f().id.eq_field(&f().id)).send(repository).await,
    );
    to.error("bounds in the wrong order", counter(1).put().condition(f().count.between(9, 1)).send(repository).await);
    to.error("no values", counter(1).put().condition(f().count.is_in([0u8; 0])).send(repository).await);
    let terms = (0..400u16).map(|_| f().count.eq(1)).reduce(|one, other| one | other).expect("terms");
    to.error("a condition that is too long", counter(1).put().condition(terms).send(repository).await);
    to.error(
        "an upsert that could leave out an attribute",
        Counter::update("1").with(f().count.add(1)).upsert().send(repository).await,
    );
    to.error("a closure that changes the key", Order::modify("1", |order| order.id.push('2')).send(repository).await);
    let modify = Order::modify("1", |order| order.customer.push('b'));
    to.error("a closure that changes an immutable attribute", modify.send(repository).await);
    let refused = Order::modify("1", |_| Err::<(), _>("no budget")).send(repository).await;
    to.error("a closure that returns an error", refused);
    to.error("no attempts", Order::modify("1", |order| order.total = 2).attempts(0).send(repository).await);
}

async fn plans(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    let f = Counter::fields;
    to.error(
        "the request of `remove_value`",
        Counter::update("1").with(f().tags.remove_value("a")).request(repository),
    );
    to.error("the request of a create with a history", page(0).create().request(repository));
    let transaction = Transaction::new().put(page(0).create());
    to.error("the request of a transaction with a history", transaction.request(repository));
    to.error("a hedge after no time", Counter::get("1").hedge(Duration::ZERO).send(repository).await);
}

async fn reads(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    let f = Rating::fields;
    to.error("a limit of 0", Rating::query("ada").limit(0).send(repository).await);
    to.error("a filter on a key attribute", Rating::query("ada").filter(f().movie.eq("Up")).send(repository).await);
    to.error("a segment that does not exist", Rating::scan().segment(3, 3).send(repository).await);
    for movie in ["It", "Up"] {
        let rating = Rating { movie: movie.to_owned(), ..rating(1) };
        rating.put().send(repository).await.expect("sent").applied().expect("applied");
    }
    let page = Rating::query("ada").limit(1).send(repository).await.expect("a query");
    let cursor = page.cursor.expect("a cursor");
    to.error("a cursor of another query", Rating::query("bob").after(cursor.clone()).send(repository).await);
    let sealed = repository.clone().with_sealed_cursors([7; 32]);
    to.error("a cursor that is not sealed", Rating::query("ada").after(cursor).send(&sealed).await);
    let page = Rating::query("ada").limit(1).send(&sealed).await.expect("a query");
    let cursor = page.cursor.expect("a cursor");
    to.error("a sealed cursor without the key", Rating::query("ada").after(cursor.clone()).send(repository).await);
    let rekeyed = repository.clone().with_sealed_cursors([8; 32]);
    to.error("a cursor sealed with another key", Rating::query("ada").after(cursor).send(&rekeyed).await);
    to.error("a text that is not a cursor", "x".parse::<Cursor>());
    to.error(
        "a snapshot without gets",
        TransactGet::new(Vec::<dyno::command::Get<Counter>>::new()).send(repository).await,
    );
    to.error(
        "a snapshot of one item twice",
        TransactGet::new((Counter::get("1"), Counter::get("1"))).send(repository).await,
    );
}

async fn many(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    let nothing = |_: &mut Counter| ();
    to.error("a limit of a `modify_each`", Counter::scan().limit(3).modify_each(nothing).send(repository).await);
    let run = Counter::scan().modify_each(nothing).send(repository).await.expect("sent");
    let checkpoint = run.checkpoint().clone();
    let other = Counter::scan().filter(Counter::fields().count.gt(3)).modify_each(nothing);
    to.error("a checkpoint of another scan", other.after(checkpoint.clone()).send(repository).await);
    let other = Counter::scan().parallel(2).modify_each(nothing).after(checkpoint);
    to.error("a checkpoint of a scan with other segments", other.send(repository).await);
    to.error("a text that is not a checkpoint", "x".parse::<Checkpoint>());
    let puts = [counter(1).put()];
    let mut sent = SendMany::new("counters", puts).send(repository);
    while sent.next().await.is_some() {}
    let checkpoint = sent.checkpoint();
    let mut other = SendMany::new("ratings", [counter(1).put()]).after(checkpoint).send(repository);
    to.error("a checkpoint of another input", other.next().await.expect("an answer").result);
    let batch = BatchWrite::new().add(user_without_rules("1").put()).add(user_without_rules("1").put());
    to.error("two writes of one item in a batch", batch.send(repository).await);
    let misplaced = Line::from_item(Item::new());
    to.error("an item without attributes", misplaced);
}

/// An entity without rules, which a batch takes.
fn user_without_rules(id: &str) -> Plain {
    Plain { id: id.to_owned() }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "plain")]
struct Plain {
    #[partition_key]
    id: String,
}

async fn transactions(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    to.error("a transaction without actions", Transaction::new().send(repository).await);
    let same = Transaction::new().put(order("1", 0).create()).check(Order::check("1"));
    to.error("two actions on one item", same.send(repository).await);
    let many = Transaction::new()
        .put((0..101).map(|id| Counter { id: id.to_string(), ..counter(1) }.put()).collect::<Vec<_>>());
    to.error("101 actions of an entity that is not transactional", many.send(repository).await);
    to.error(
        "a transaction that is native and client-side",
        Transaction::new().put(order("2", 0).create()).native().client_side().send(repository).await,
    );
    let token = Transaction::new().put(order("2", 0).create()).token("request-7").client_side();
    to.error("a client-side transaction with a token", token.send(repository).await);
    let plain = Transaction::new().put(counter(1).put()).client_side();
    to.error("a client-side transaction of another entity", plain.send(repository).await);
    to.error(
        "the request of a client-side transaction",
        Transaction::new().put(order("2", 0).create()).client_side().request(repository),
    );
    let unique = Transaction::new().put(user("3").create()).put(User { id: "4".to_owned(), ..user("3") }.create());
    to.error("two actions that claim one unique value", unique.send(repository).await);
    let kept = std::sync::Mutex::new(None);
    let keep = Transaction::interactive(|tx| {
        *kept.lock().expect("no panic") = Some(tx);
        ready(Ok(()))
    });
    let _refused = keep.send(repository).await;
    let tx = kept.into_inner().expect("no panic").expect("the handle");
    to.error("a handle that outlives its closure", tx.get(Order::get("1")).await);
    let closure = Transaction::interactive(|_| ready(Err::<(), _>("no budget".into())));
    to.error("the closure returns an error", closure.send(repository).await);
}

async fn locks(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    Lock::create_table(repository).await.expect("a table");
    let seconds = Duration::from_secs;
    to.error("a lease that is too short", Lock::new("a").lease(Duration::from_millis(10)).acquire(repository).await);
    to.error("a lock without a name", Lock::new("").acquire(repository).await);
    to.error("no locks", Lock::many([]).acquire(repository).await);
    let twice = Lock::many([Lock::new("a"), Lock::new("a")]);
    to.error("one lock twice", twice.acquire(repository).await);
    let timeouts = dyno::aws_sdk_dynamodb::config::timeout::TimeoutConfig::builder();
    let timeouts = timeouts.operation_attempt_timeout(seconds(6)).build();
    let config = repository.client().config().to_builder().timeout_config(timeouts);
    let patient = dyno::Repository::new(dyno::aws_sdk_dynamodb::Client::from_conf(config.build()));
    to.error(
        "a lease shorter than the client's timeout allows",
        Lock::new("a").lease(seconds(10)).acquire(&patient).await,
    );
}
