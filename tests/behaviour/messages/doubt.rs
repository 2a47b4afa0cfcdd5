//! Writes without an answer: the error says whether the write may have been applied, and how to find out.

use super::Messages;
use super::shop::{Bill, Counter, Order, Page, Rating, Shop, bill, counter, order, page, rating};
use dyno::local::Fault;
use dyno::{Found, Transaction};

pub(super) async fn messages(to: &mut Messages) {
    let shop = Shop::open().await;
    to.group("Writes that may have been applied");
    let (repository, once) = (&shop.repository, &shop.once);
    let lose = || shop.faults.next([Fault::AnswerLost]);
    let f = Counter::fields;
    lose();
    to.error("a put without rules", counter(1).put().send(once).await);
    lose();
    to.error("an update that would count twice", Counter::update("1").with(f().count.add(1)).send(once).await);
    lose();
    to.error("a create with a version", order("1", 0).create().send(once).await);
    lose();
    to.error("a put with a ratchet", rating(5).put().send(once).await);
    let update = Order::update("1").unchecked().with(Order::fields().total.add(1));
    lose();
    to.error("an unchecked update of an entity with a version", update.send(once).await);
    page(0).create().send(repository).await.expect("sent").applied().expect("applied");
    shop.faults.next([Fault::Served, Fault::AnswerLost, Fault::RequestLost]);
    to.error("a modify", Page::modify("home", |page| page.text.push('y')).send(once).await);
    bill().create().send(repository).await.expect("sent").applied().expect("applied");
    lose();
    let add = Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("event-7");
    to.error("an update with an idempotency key", add.send(once).await);
    let at = dyno::EpochMillis::new(6);
    Rating::delete(("ada", "Up"), at).send(repository).await.expect("sent").applied().expect("applied");
    let found = Rating::get(("ada", "Up")).include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    lose();
    to.error("a purge", Rating::purge(&tombstone).send(once).await);
    lose();
    let both = Transaction::new().put(order("2", 0).create()).put(counter(2).put());
    to.error("a transaction", both.send(once).await);
    shop.faults.next([Fault::AnswerLost, Fault::ErrorCode("AccessDeniedException")]);
    to.error("a put whose second attempt is denied", counter(1).put().send(repository).await);
    let condition = f().count.eq(1);
    shop.faults.next([Fault::AnswerLost]);
    let put = counter(2).put().condition(condition);
    to.error("a put whose second attempt is refused", put.send(repository).await);
}
