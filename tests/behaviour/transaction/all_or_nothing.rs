//! A transaction is applied as a whole or not at all: what refuses it, and what is refused before it is sent.

use super::{
    Account, Cart, Doc, Rating, Transfer, account, assert_units, balances, bank, patient, pay, reasons, transfer,
};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, EpochMillis, ErrorKind, Found, Reason, Repository, TransactGet, Transaction};
use dyno_tests::faults::{Fault, Rates, cancelled};
use dyno_tests::{NOW, is_remote, pause};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
struct Note {
    #[partition_key]
    id: rust_decimal::Decimal,
    text: String,
}

#[tokio::test]
async fn a_transaction_is_applied_whole_or_not_at_all() {
    let world = bank().await;
    let metered = world.repository.metered();
    let committed = pay("a").send(&metered).await.expect("an answer").applied().expect("applied");
    assert_eq!(committed.version_of::<Cart>(0), None);
    assert_eq!(metered.usage().requests, 1);
    assert_units(metered.usage().write_units, 3);
    assert_eq!(balances(&world).await, (90, 110));

    // The same transfer again: one action is refused and reports the stored item, and nothing is applied.
    let metered = world.repository.metered();
    let outcome = pay("a").send(&metered).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::Exists])]);
    assert_eq!(metered.usage().requests, 1);
    assert_units(metered.usage().write_units, 3);
    let refusal = outcome.refusal().expect("refused");
    let of_transfer = refusal.refusal_of::<Transfer>(0).expect("it refused");
    assert_eq!(of_transfer.current().expect("it decodes"), Some(Found::Live(transfer("a"))));
    assert!(refusal.refusal_of::<Account>(0).is_none(), "of another entity");
    assert!(refusal.refusal_of::<Account>(1).is_none(), "it did not refuse");
    assert_eq!(balances(&world).await, (90, 110));
    assert_eq!(
        refusal.to_string(),
        "the transaction was refused: action 0, create of `Transfer` (id = \"a\"): a live item already exists at this key"
    );
    let error = outcome.applied().expect_err("refused");
    assert!(error.is_refused());
    assert_eq!(error.transaction_refusal().map(|refusal| refusal.actions().len()), Some(1));
}

#[tokio::test]
async fn each_refused_action_reports_its_reasons() {
    let world = bank().await;
    let balance = || Account::fields().balance;
    let outcome = Transaction::new()
        .update(Account::update(1).with(balance().decrement(500)))
        .update(Account::update(9).with(balance().increment(1)))
        .put(transfer("a").create())
        .check(Account::check(2).condition(balance().lt(50)))
        .send(&world.repository)
        .await
        .expect("an answer");
    assert_eq!(
        reasons(&outcome),
        [
            (0, vec![Reason::OutOfRange { path: "balance".to_owned() }]),
            (1, vec![Reason::Missing]),
            (3, vec![Reason::Condition]),
        ]
    );
    let refusal = outcome.refusal().expect("refused");
    let actions: Vec<_> = refusal.actions().collect();
    assert_eq!((actions[0].entity(), actions[0].operation(), actions[0].key()), ("Account", "update", Some("id = 1")));
    assert_eq!((actions[1].item(), actions[2].operation()), (None, "check"));
    let current = refusal.refusal_of::<Account>(3).expect("it refused").current().expect("it decodes");
    assert_eq!(current, Some(Found::Live(account(2, 100))));
    assert!(world.stored::<Transfer>().await.is_empty());
}

#[tokio::test]
async fn a_transaction_that_dynamodb_would_refuse_is_refused_before_any_request() {
    let world = bank().await;
    let metered = world.repository.metered();
    let refused = async |transaction: Transaction| {
        let error = transaction.send(&metered).await.expect_err("refused before it is sent");
        assert!(error.is_invalid_input(), "{error:?}");
        error.to_string()
    };
    let puts = |count: u64| (0..count).map(|id| account(id, 0).put()).collect::<Vec<_>>();

    assert!(refused(Transaction::new()).await.contains("no actions"));
    let many = Transaction::new().put(puts(101));
    assert_eq!((many.len(), many.is_empty()), (101, false));
    let error = refused(many).await;
    assert!(error.contains("has 101 actions, but DynamoDB accepts at most 100"), "{error}");

    let error = refused(Transaction::new().put(puts(2)).check(Account::check(1))).await;
    assert!(
        error.contains("check of `Account` (id = 1): action 2 of the transaction: action 1 is for the same item"),
        "{error}"
    );
    // The same item under another spelling of its key, by another entity.
    let note = Note { id: "1.0".parse().expect("a number"), text: String::new() };
    let error = refused(Transaction::new().put(puts(2)).put(note.put())).await;
    assert!(error.contains("action 1 is for the same item"), "{error}");

    // 11 items of 390 KB.
    let large = |id: u64| Account { tags: vec!["x".repeat(390 * 1024)], ..account(id, 0) }.put();
    let error = refused(Transaction::new().put((0..11).map(large).collect::<Vec<_>>())).await;
    assert!(error.contains("bytes, but DynamoDB accepts at most 4194304"), "{error}");
    let error =
        refused(Transaction::new().put(Account { tags: vec!["x".repeat(401 * 1024)], ..account(1, 0) }.put())).await;
    assert!(error.contains("action 0 of the transaction: the item has"), "{error}");

    for token in ["", &"x".repeat(37)] {
        let error = refused(pay("a").token(token)).await;
        assert!(error.contains("DynamoDB takes 1 to 36"), "{error}");
    }
    assert_eq!(metered.usage().requests, 0);

    // The largest number of actions, and the longest token.
    let committed = Transaction::new().put(puts(100)).token("x".repeat(36)).send(&metered).await.expect("an answer");
    assert!(committed.is_applied());
    assert_eq!(metered.usage().requests, 1);
    assert_units(metered.usage().write_units, 100);
}

#[tokio::test]
async fn an_action_that_dynamodb_rejects_is_named_in_the_error() {
    let world = bank().await;
    let full = Account { tags: vec!["x".repeat(399 * 1024)], ..account(3, 0) };
    full.put().send(&world.repository).await.expect("a put");
    let push = |id: u64| Account::update(id).with(Account::fields().tags.push("x".repeat(2000)));
    let error = Transaction::new().update([push(1), push(3)]).send(&world.repository).await.expect_err("too large");
    assert_eq!(error.kind(), ErrorKind::Service);
    assert!(
        error.to_string().starts_with(
            "update of `Account` (id = 3): action 1 of the transaction: DynamoDB answered ValidationError"
        ),
        "{error}"
    );
    assert_eq!(balances(&world).await, (100, 100));
    let elsewhere = world.repository.clone().with_table_prefix("no-");
    let error = pay("a").send(&elsewhere).await.expect_err("no tables");
    assert_eq!(error.kind(), ErrorKind::TableMissing);
    assert_eq!(
        error.to_string(),
        "transaction of `Account`, `Transfer`: one of the tables `no-accounts`, `no-transfers` does not exist: create it, or check its name and prefix, the region and the account"
    );
}

/// If DynamoDB reports which actions it throttled, the error names only their tables.
#[tokio::test]
async fn a_throttled_transaction_names_its_tables() {
    pause();
    let world = bank().await;
    world.repository.create_table::<Doc>().await.expect("a table");
    let repository = patient(&world);
    let throttled = async |transaction: Transaction, fault: Fault| {
        world.faults.refuse(vec![fault; 9]);
        let error = transaction.send(&repository).await.expect_err("throttled");
        world.faults.calm();
        assert_eq!((error.kind(), error.may_be_applied()), (ErrorKind::Throttled, false), "{error}");
        error.to_string()
    };
    assert_eq!(
        throttled(pay("a"), Fault::Throttled).await,
        "transaction of `Account`, `Transfer`: DynamoDB throttled the request (ThrottlingException): try again later, or give the table or index more capacity; the request was to the tables `accounts`, `transfers`"
    );
    let one_table = Transaction::new().put([account(3, 0), account(4, 0)].map(|account| account.put()));
    assert_eq!(
        throttled(one_table, Fault::Throttled).await,
        "transaction of `Account`: DynamoDB throttled the request (ThrottlingException): try again later, or give the table or index more capacity; the request was to the table `accounts`"
    );
    for (reasons, tables) in [
        (["None", "None", "ThrottlingError"], "the table `accounts`"),
        (["None", "ThrottlingError", "ProvisionedThroughputExceeded"], "the table `accounts`"),
        (["ThrottlingError", "TransactionConflict", "None"], "the table `transfers`"),
        (["ConditionalCheckFailed", "ProvisionedThroughputExceeded", "None"], "the table `accounts`"),
        (["ThrottlingError", "ThrottlingError", "None"], "the tables `accounts`, `transfers`"),
    ] {
        let error = throttled(pay("a"), cancelled(reasons.to_vec())).await;
        assert!(
            error.starts_with("transaction of `Account`, `Transfer`: in each of 9 attempts, DynamoDB throttled"),
            "{error}"
        );
        assert!(error.ends_with(&format!("; throttled was {tables}")), "{reasons:?}: {error}");
    }
    // A put with a history is a transaction, too.
    world.faults.refuse(vec![cancelled(vec!["ThrottlingError", "None"]); 9]);
    let error = Doc { id: 1, text: "x".to_owned(), version: 0 }.put().send(&repository).await.expect_err("throttled");
    let (begin, end) = ("put of `Doc` (id = 1): in each of 9 attempts", "; throttled was the table `docs-history`");
    assert!(error.to_string().starts_with(begin) && error.to_string().ends_with(end), "{error}");
    // So are the reads of one moment.
    world.faults.calm();
    let both = || TransactGet::new((Account::get(1), Transfer::get("a")));
    for (fault, message) in [
        (cancelled(vec!["None", "ThrottlingError"]), "; throttled was the table `transfers`"),
        (Fault::Throttled, "more capacity; the request was to the tables `accounts`, `transfers`"),
    ] {
        world.faults.refuse(vec![fault; 9]);
        let error = both().send(&repository).await.expect_err("throttled");
        world.faults.calm();
        let text = error.to_string();
        assert!(text.starts_with("transact_get of `Account`, `Transfer`: ") && text.ends_with(message), "{text}");
    }
    // A batch of several tables names them, too.
    world.faults.throttle(usize::MAX);
    let batch = dyno::batch_get((Account::batch_get([1]), Transfer::batch_get(["a"])));
    let error = batch.send(&repository).await.expect_err("throttled");
    world.faults.calm();
    assert_eq!(
        error.to_string(),
        "batch_get of `Account` (id = 1): DynamoDB throttled the request (ThrottlingException): try again later, or give the table or index more capacity; the request was to the tables `accounts`, `transfers`; 1 more of the 2 keys were not read either"
    );
    assert_eq!(balances(&world).await, (100, 100));
}

#[tokio::test]
async fn the_request_is_shown_without_being_sent() {
    let world = bank().await;
    let metered = world.repository.metered();
    let transaction = pay("a").delete(Rating::delete("r", EpochMillis::new(NOW))).check(Cart::check("c")).token("t");
    let shown = transaction.request(&metered).expect("a request").to_string();
    assert_eq!(
        shown.lines().filter(|line| !line.starts_with("      ")).collect::<Vec<_>>(),
        [
            "TransactWriteItems",
            "  token t",
            "  Put transfers",
            "    item: { amount: 10, id: \"a\" }",
            "    condition: attribute_not_exists(#id)",
            "  Update accounts",
            "    key: { id: 1 }",
            "    update: SET #balance = #balance - :balance",
            "    condition: attribute_exists(#id) AND #balance >= :balance",
            "  Update accounts",
            "    key: { id: 2 }",
            "    update: SET #balance = #balance + :balance_2",
            "    condition: attribute_exists(#id) AND #balance <= :balance",
            "  Put transfers",
            "    item: { at: 4102444800000, deleted: true, id: \"r\", ttl: 4103049600 }",
            "    condition: (attribute_not_exists(#at) OR #at <= :at) AND NOT (#deleted = :deleted AND #at = :at)",
            "  ConditionCheck transfers",
            "    key: { id: \"c\" }",
            "    condition: attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2",
        ]
    );
    let gets = TransactGet::new((Account::get(1), Transfer::get("a"))).request(&metered).expect("a request");
    assert_eq!(
        gets.to_string(),
        "TransactGetItems\n  Get accounts\n    key: { id: 1 }\n  Get transfers\n    key: { id: \"a\" }"
    );
    let doc = Doc { id: 1, text: String::new(), version: 0 };
    let error = Transaction::new().put(doc.create()).request(&metered).expect_err("it reads");
    assert!(error.to_string().contains("which only `send` reads"), "{error}");
    assert_eq!(metered.usage().requests, 0);
}

/// Under every kind of fault, each payment arrives, and no payment is made twice.
#[tokio::test]
async fn every_payment_arrives_exactly_once_under_any_fault() {
    const SEEDS: u64 = 3;
    pause();
    if is_remote() {
        return; // The seeds give the same run where the engine is in this process only.
    }
    for seed in 0..SEEDS {
        let world = bank().await;
        account(1, 120).put().send(&world.repository).await.expect("a put");
        world.faults.seed(seed, Rates::MANY);
        let payers = (0..4).map(|payer| {
            let repository =
                Repository::new(world.client(RetryConfig::disabled())).with_clock(std::sync::Arc::clone(&world.clock));
            tokio::spawn(async move {
                let mut paid = 0;
                for turn in 0..3 {
                    let transaction = pay(&format!("{payer}-{turn}"));
                    let outcome = loop {
                        match transaction.clone().send(&repository).await {
                            Ok(outcome) => break outcome,
                            Err(error) if error.is_invalid_input() => panic!("{error:?}"),
                            Err(_) => {}
                        }
                    };
                    outcome.applied().expect("there is money enough");
                    paid += 1;
                }
                paid
            })
        });
        let mut paid = 0;
        for payer in payers.collect::<Vec<_>>() {
            paid += payer.await.expect("no panic");
        }
        world.faults.calm();
        world.faults.settled().await;
        assert_eq!(paid, 12);
        assert_eq!(world.stored::<Transfer>().await.len(), 12, "seed {seed}");
        assert_eq!(balances(&world).await, (0, 220), "seed {seed}");
    }
}
