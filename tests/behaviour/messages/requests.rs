//! Errors of requests: of DynamoDB, of the network, and of the SDK.

use super::Messages;
use super::shop::{Counter, Order, Shop, counter, order};
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::{BehaviorVersion, Config, Region};
use dyno::local::{Engine, Fault};
use dyno::{Repository, TransactGet, Transaction};

pub(super) async fn messages(to: &mut Messages) {
    let shop = Shop::open().await;
    to.group("DynamoDB refuses or throttles a request");
    throttled(to, &shop).await;
    to.group("DynamoDB does not answer a read");
    unanswered(to, &shop).await;
    to.group("Other writers or transactions hold an item");
    contended(to, &shop).await;
}

async fn throttled(to: &mut Messages, shop: &Shop) {
    let once = &shop.once;
    let get = || Counter::get("1").send(once);
    shop.faults.next([Fault::Throttled]);
    to.error("a throttled read", get().await);
    let body = r#"{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow","throttlingReasons":[{"reason":"TableReadKeyRangeThroughputExceeded","resource":"arn:aws:dynamodb:eu-central-1:1:table/counters"}]}"#;
    shop.faults.answer("GetItem", 400, body);
    to.error("a throttled read, with the reason", get().await);
    shop.faults.next([Fault::Throttled; 9]);
    to.error("a throttled batch", Counter::batch_get(["1", "2"]).send(once).await);
    shop.faults.calm();
    let both = || Transaction::new().put(order("1", 0).create()).put(counter(1).put());
    shop.faults.next([Fault::Cancelled(&["None", "ThrottlingError"]); 9]);
    to.error("a transaction that is cancelled because a table is throttled", both().send(once).await);
    shop.faults.calm();
    shop.faults.next([Fault::ErrorCode("AccessDeniedException")]);
    to.error("a denied read", get().await);
    shop.faults.next([Fault::ErrorCode("AccessDeniedException")]);
    to.error("a denied transaction", both().send(once).await);
    shop.faults.next([Fault::ErrorCode("ValidationException")]);
    to.error("another error of DynamoDB", get().await);
    shop.faults.next([Fault::ErrorCode("IdempotentParameterMismatchException")]);
    to.error("the token was used for another transaction", both().token("request-7").send(once).await);
    shop.faults.next([Fault::Cancelled(&["None", "ItemCollectionSizeLimitExceeded"])]);
    to.error("an action that DynamoDB can never execute", both().send(once).await);
}

async fn unanswered(to: &mut Messages, shop: &Shop) {
    let get = || Counter::get("1").send(&shop.once);
    for (situation, fault) in [
        ("the request is lost", Fault::RequestLost),
        ("the connection is refused", Fault::ConnectionRefused),
        ("an internal error of DynamoDB", Fault::ServerError { served: false }),
        ("the answer cannot be read", Fault::Unreadable),
        ("a proxy answers", Fault::Proxy { status: 502, served: false }),
    ] {
        shop.faults.next([fault]);
        to.error(situation, get().await);
    }
    let http = Engine::in_memory().expect("an engine").client().config().http_client().expect("an engine");
    let config = Config::builder().behavior_version(BehaviorVersion::latest()).region(Region::new("nowhere"));
    let nobody = Repository::new(Client::from_conf(config.http_client(http).build()));
    to.error("there are no credentials", Counter::get("1").send(&nobody).await);
}

async fn contended(to: &mut Messages, shop: &Shop) {
    let once = &shop.once;
    shop.faults.next([Fault::Conflict; 20]);
    to.error("a transaction holds the item of a write", counter(1).put().send(once).await);
    shop.faults.calm();
    shop.faults.next([Fault::Cancelled(&["None", "TransactionConflict"]); 20]);
    let both = Transaction::new().put(order("1", 0).create()).put(counter(1).put());
    to.error("another transaction holds the item of an action", both.send(once).await);
    shop.faults.calm();
    shop.faults.next([Fault::Cancelled(&["None", "TransactionConflict"]); 20]);
    to.error(
        "another transaction holds an item of a snapshot",
        TransactGet::new((Counter::get("1"), Order::get("1"))).send(once).await,
    );
    shop.faults.calm();
    shop.faults.next([Fault::ErrorCode("ReplicatedWriteConflictException"); 20]);
    to.error("a request in another region writes the item", counter(1).put().send(once).await);
    shop.faults.calm();
    shop.faults.next([Fault::ErrorCode("TransactionInProgressException"); 20]);
    let both = Transaction::new().put(order("1", 0).create()).put(counter(1).put());
    to.error("a transaction with the same token is in progress", both.token("request-7").send(once).await);
    shop.faults.calm();
}
