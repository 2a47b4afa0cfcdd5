//! Reads in a transaction: many items as of one moment.

use super::{Account, Rating, Session, Transfer, account, bank, patient, rating};
use dyno::{EpochMillis, EpochSeconds, ErrorKind, Found, Projection, TransactGet};
use dyno_tests::faults::cancelled;
use dyno_tests::{NOW, pause};

#[tokio::test]
async fn many_items_are_read_as_of_one_moment() {
    let world = bank().await;
    let repository = world.repository.metered();
    rating("gone", 0).put().send(&repository).await.expect("sent").applied().expect("applied");
    Rating::delete("gone", EpochMillis::new(NOW + 1))
        .send(&repository)
        .await
        .expect("sent")
        .applied()
        .expect("applied");
    let expired = Session { id: "s".to_owned(), expires: EpochSeconds::new(NOW / 1000) };
    expired.put().send(&repository).await.expect("a put");
    let before = repository.usage();
    let everything = (
        [Account::get(1), Account::get(9)],
        vec![Rating::get("gone")],
        Session::get("s").include_deleted(),
        Transfer::get("none"),
    );
    let (accounts, ratings, session, none) = TransactGet::new(everything).send(&repository).await.expect("a read");
    assert_eq!(accounts, [Some(account(1, 100)), None]);
    assert_eq!((ratings, none), (vec![None], None));
    assert_eq!(session, Some(Found::Expired(expired)));
    assert_eq!(repository.usage().requests - before.requests, 1);
    // Two units for each item of up to 4 KB, found or not.
    let units = repository.usage().read_units - before.read_units;
    assert!((units - 10.0).abs() < 0.01, "{units} read units");
    let deleted = TransactGet::new(Rating::get("gone").include_deleted()).send(&repository).await.expect("a read");
    assert!(matches!(deleted, Some(Found::Deleted(_))), "{deleted:?}");

    let before = repository.usage().requests;
    let many: Vec<_> = (0..101u64).map(Account::get).collect();
    let error = TransactGet::new(many.clone()).send(&repository).await.expect_err("too many");
    assert!(
        error.is_invalid_input() && error.to_string().contains("has 101 gets, but DynamoDB accepts at most 100"),
        "{error}"
    );
    let error = TransactGet::new((Account::get(1), Account::get(1))).send(&repository).await.expect_err("twice");
    assert!(error.to_string().contains("get 1 of the transaction: get 0 is for the same item"), "{error}");
    let none: Vec<dyno::command::Get<Account>> = Vec::new();
    assert!(TransactGet::new(none).send(&repository).await.expect_err("nothing").is_invalid_input());
    assert_eq!(repository.usage().requests, before);
    let hundred = TransactGet::new(many[..100].to_vec()).send(&repository).await.expect("a read");
    assert_eq!(hundred.iter().flatten().count(), 2);
    let elsewhere = world.repository.clone().with_table_prefix("no-");
    let error = TransactGet::new(Account::get(1)).send(&elsewhere).await.expect_err("no table");
    assert!(error.is_table_missing() && error.to_string().contains("`no-accounts`"), "{error}");
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Rating)]
struct Stars {
    id: String,
    stars: u8,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Account)]
struct Balance {
    balance: u64,
}

#[tokio::test]
async fn a_projection_is_read_as_of_the_same_moment() {
    let world = bank().await;
    let repository = world.repository.metered();
    rating("r", 0).put().send(&repository).await.expect("sent").applied().expect("applied");
    Rating::delete("gone", EpochMillis::new(NOW)).send(&repository).await.expect("sent").applied().expect("applied");
    let read = || {
        let stars = ["r", "gone", "none"].map(|id| Rating::get(id).project::<Stars>());
        TransactGet::new((stars, Account::get(1).project::<Balance>(), Account::get(2)))
    };
    let sent = tokio::spawn({
        let repository = repository.clone();
        async move { read().send(&repository).await }
    });
    let (stars, balance, whole) = sent.await.expect("no panic").expect("a read");
    assert_eq!(stars, [Some(Stars { id: "r".to_owned(), stars: 3 }), None, None], "a tombstone is none");
    assert_eq!((balance, whole), (Some(Balance { balance: 100 }), Some(account(2, 100))));
    let shown = TransactGet::new(Account::get(1).project::<Balance>()).request(&repository).expect("a request");
    assert_eq!(
        shown.to_string(),
        "TransactGetItems\n  Get accounts\n    key: { id: 1 }\n    projection: #balance, #id\n      #balance = balance\n      #id = id"
    );
}

#[tokio::test]
async fn a_get_that_dynamodb_rejects_is_named_in_the_error() {
    let world = bank().await;
    world.faults.refuse([cancelled(vec!["None", "ValidationError"])]);
    let both = TransactGet::new((Account::get(1), Transfer::get("a")));
    let error = both.send(&world.repository).await.expect_err("it cannot be done");
    assert_eq!(error.kind(), ErrorKind::Service);
    assert_eq!(
        error.to_string(),
        "get of `Transfer` (id = \"a\"): get 1 of the transaction: DynamoDB answered ValidationError"
    );
}

#[tokio::test]
async fn a_transact_get_waits_for_conflicting_writers() {
    pause();
    let world = bank().await;
    let repository = patient(&world);
    let cancelled = |times| vec![cancelled(vec!["None", "TransactionConflict"]); times];
    let both = || TransactGet::new((Account::get(1), Account::get(2)));
    world.faults.refuse(cancelled(2));
    assert_eq!(both().send(&repository).await.expect("a read"), (Some(account(1, 100)), Some(account(2, 100))));
    assert_eq!(repository.usage().requests, 3);
    world.faults.refuse(cancelled(9));
    let error = both().send(&repository).await.expect_err("others write");
    assert!(error.is_contended(), "{error}");
    assert_eq!(repository.usage().requests, 3 + 9);
}

/// If dyno read such an answer, it could report an existing item as missing, or take one item for another.
#[tokio::test]
async fn an_answer_with_a_wrong_number_of_items_is_an_error() {
    let world = bank().await;
    let repository = &world.repository;
    let one = r#"{"Item":{"id":{"N":"1"},"balance":{"N":"100"}}}"#;
    for answered in [String::new(), one.to_owned(), [one; 3].join(",")] {
        world.faults.answer("TransactGetItems", 200, &format!(r#"{{"Responses":[{answered}]}}"#));
        let both = TransactGet::new((Account::get(1), Account::get(2)));
        let error = both.send(repository).await.expect_err("another number");
        assert_eq!(error.kind(), ErrorKind::Service);
        assert!(error.to_string().contains("DynamoDB's answer has"), "{error}");
    }
    world.faults.answer("TransactGetItems", 200, "{}");
    let error = TransactGet::new([Account::get(1)]).send(repository).await.expect_err("none at all");
    assert_eq!(error.kind(), ErrorKind::Service);
}
