//! Client-side and interactive transactions, and what they leave in items.

use super::Messages;
use super::shop::{Order, Shop, order};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Transaction};
use dyno_tests::{item, lanes, n, s};

pub(super) async fn messages(to: &mut Messages) {
    to.group("Items that client-side transactions hold");
    let shop = Shop::open().await;
    held(to, &shop).await;
    to.group("Client-side and interactive transactions");
    sent(to).await;
}

async fn held(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    let row = || {
        let mut row = order("1", 1).to_item().expect("an item");
        row.extend(item([("version", n(1)), ("_w", s("0123456789abcdef-"))]));
        row
    };
    let of = |ticket: &str| lanes::with(row(), lanes::intent(ticket, item([("total", n(7))])));
    let get = || Order::get("1").consistent().send(repository);
    shop.put("orders", of("2/a1b2/7/c3d4")).await;
    to.error("the lane of the transaction does not exist", get().await);
    shop.put(lanes::LANES, lanes::open()).await;
    shop.put("orders", of("1/a1b2/1000000000000/c3d4")).await;
    to.error("the item names an attempt that the lane has not reached", get().await);
    shop.put("orders", lanes::with(row(), item([("id", s(lanes::TICKET))]))).await;
    to.error("the pending change is malformed", get().await);
    let mut malformed = row();
    malformed.insert("_x".to_owned(), AttributeValue::Bool(true));
    shop.put("orders", malformed).await;
    to.error("`_x` is not a pending change", get().await);
    shop.put(lanes::LANES, item([("lane", s("1")), ("part", s("#"))])).await;
    shop.put("orders", of(lanes::TICKET)).await;
    to.error("the lane row is malformed", get().await);
}

async fn sent(to: &mut Messages) {
    let shop = Shop::open().await;
    let repository = &shop.repository;
    let both = || Transaction::new().put([order("a", 0).create(), order("b", 0).create()]).client_side();
    let elsewhere = repository.clone().with_lane_table("no-lanes");
    to.error("the lane table does not exist", both().send(&elsewhere).await);
    let none = repository.clone().with_lanes(0);
    to.error("no lanes are allowed", both().send(&none).await);
    let denied = dyno::local::Fault::ErrorCode("AccessDeniedException");
    shop.faults.next([denied; 3]);
    to.error("the lane table denies the program", both().send(repository).await);
    shop.faults.calm();
    let closure = Transaction::interactive(|tx| async move {
        let order = tx.get(Order::get("none")).await?.ok_or("there is no such order")?;
        tx.put(order.put());
        Ok(())
    });
    to.error("the closure finds no order", closure.send(repository).await);
    both().send(repository).await.expect("sent").applied().expect("applied");
    let refused = both().send(repository).await.expect("sent").applied().expect_err("they exist");
    to.note("a client-side transaction is refused", refused);
    let closure = Transaction::interactive(|tx| async move {
        let mut order = tx.get(Order::get("a")).await?.ok_or("there is no such order")?;
        order.total += 1;
        // Another writer changes the order in each attempt.
        let other = Order::update("a").unchecked().with(Order::fields().total.add(1));
        other.send(repository).await?.applied()?;
        tx.put(order.put());
        Ok(())
    });
    to.error("another writer is faster in each attempt", closure.attempts(2).send(repository).await);
}
