//! An intent that is malformed, or whose outcome is unknown, is left as it is, byte for byte.

use super::{Account, VERBS, held, holding, row, send, stored};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{ErrorKind, Item, TransactGet};
use dyno_tests::{item, lanes, n, s};

/// Checks that every command that finds this row fails with an error of this kind, and leaves the row and the lane as they
/// are.
async fn is_left(there: Item, head: Item, kind: ErrorKind, message: &str) {
    let world = holding(there.clone(), head.clone()).await;
    let is_kept = |error: dyno::Error, what: &str| {
        assert!(error.kind() == kind && !error.may_be_applied(), "{what}: {error}");
        assert!(error.to_string().contains(message), "{what}: {error}");
        assert_eq!((error.entity(), error.key()), (Some("Account"), Some("id = \"1\"")), "{what}: {error}");
    };
    for verb in VERBS {
        is_kept(send(verb, &world.repository).await.expect_err(verb), verb);
    }
    let get = Account::get("1").consistent().send(&world.repository).await;
    is_kept(get.expect_err("a get"), "a get");
    let get = TransactGet::new((Account::get("1"),)).send(&world.repository).await;
    is_kept(get.expect_err("a moment"), "a moment");
    // A read that is not consistent needs no lane.
    assert!(Account::get("1").include_deleted().send(&world.repository).await.is_ok());
    assert_eq!((row(&world).await, world.lane().await), (Some(there), head));
}

#[tokio::test]
async fn an_intent_of_an_unknown_lane_is_left_unchanged() {
    let on = |ticket| lanes::with(stored(), lanes::intent(ticket, item([("balance", n(7))])));
    let message = "and this repository's lane table lacks that lane";
    is_left(on("2/a1b2/7/c3d4"), lanes::open(), ErrorKind::LaneMissing, message).await;
    // The lane of another lane table has the same name.
    for head in [lanes::open(), lanes::committed(), lanes::void()] {
        is_left(on("1/zzzz/7/c3d4"), head, ErrorKind::LaneMissing, message).await;
    }
}

#[tokio::test]
async fn a_missing_lane_table_is_named_in_the_error() {
    let world = dyno_tests::world::<Account>().await;
    world.write_foreign::<Account>(held()).await;
    let error = send("put", &world.repository).await.expect_err("no lanes");
    assert!(error.is_table_missing() && error.to_string().contains("`dyno-lanes`"), "{error}");
    assert_eq!(row(&world).await, Some(held()));
}

#[tokio::test]
async fn a_malformed_intent_is_a_decode_error_and_left_unchanged() {
    let set = |set| lanes::with(stored(), lanes::intent(lanes::TICKET, set));
    let message = "is not a pending change of a transaction";
    for there in [
        set(item([("id", s("2"))])),
        set(item([("_x", s("2"))])),
        lanes::with(stored(), item([("id", s(lanes::TICKET))])),
        stored().into_iter().chain([("_x".to_owned(), AttributeValue::Bool(true))]).collect(),
    ] {
        is_left(there, lanes::committed(), ErrorKind::Decode, message).await;
    }
    let beyond = lanes::with(stored(), lanes::intent("1/a1b2/1000000000000/c3d4", item([("balance", n(7))])));
    is_left(beyond, lanes::open(), ErrorKind::Decode, "an attempt that its lane has not reached").await;
}
