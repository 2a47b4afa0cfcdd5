//! Transactions: all or nothing, under the rules of every entity, once.

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{
    Entity, EpochMillis, EpochSeconds, ErrorKind, Found, Projection, Reason, Repository, TransactGet, Transaction,
    TransactionOutcome,
};
use dyno_tests::faults::{Rates, TransactionFault};
use dyno_tests::{NOW, World, endpoint, item, n, pause, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
struct Account {
    #[partition_key]
    id: u64,
    balance: u64,
    tags: Vec<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
struct Transfer {
    #[partition_key]
    id: String,
    amount: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    stars: u8,
    #[ratchet]
    at: EpochMillis,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[tombstone(ttl_days = 7)]
struct Cart {
    #[partition_key]
    id: String,
    lines: u64,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
struct Session {
    #[partition_key]
    id: String,
    #[ttl]
    expires: EpochSeconds,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
struct Note {
    #[partition_key]
    id: rust_decimal::Decimal,
    text: String,
}

fn account(id: u64, balance: u64) -> Account {
    Account { id, balance, tags: Vec::new() }
}

fn transfer(id: &str) -> Transfer {
    Transfer { id: id.to_owned(), amount: 10 }
}

fn rating(id: &str, at: i64) -> Rating {
    Rating { id: id.to_owned(), stars: 3, at: EpochMillis::new(NOW + at) }
}

fn cart(version: u64) -> Cart {
    Cart { id: "cart".to_owned(), lines: 1, version }
}

/// Two accounts with 100 each.
async fn bank() -> World {
    let world = world::<Account>().await;
    world.repository.create_table::<Transfer>().await.expect("a table");
    for id in [1, 2] {
        account(id, 100).put().send(&world.repository).await.expect("a put");
    }
    world
}

/// Moves 10 from the first to the second, and notes it.
fn pay(id: &str) -> Transaction {
    let balance = || Account::fields().balance;
    Transaction::new()
        .put(transfer(id).create())
        .update(Account::update(1).with(balance().decrement(10)))
        .update(Account::update(2).with(balance().increment(10)))
}

async fn balances(world: &World) -> (u64, u64) {
    let both = TransactGet::new((Account::get(1), Account::get(2)));
    let (one, two) = both.send(&world.other()).await.expect("a read");
    (one.expect("an account").balance, two.expect("an account").balance)
}

/// Another process whose client does not retry by itself.
fn patient(world: &World) -> Repository {
    Repository::new(world.client(RetryConfig::disabled())).with_clock(std::sync::Arc::clone(&world.clock))
}

fn reasons(outcome: &TransactionOutcome) -> Vec<(usize, Vec<Reason>)> {
    let refusal = outcome.refusal().expect("refused");
    refusal.actions().map(|action| (action.index(), action.reasons().to_vec())).collect()
}

/// What DynamoDB charges for so many actions of up to 1 KB. DynamoDB Local counts otherwise: see `history`.
fn assert_units(used: f64, actions: u32) {
    if endpoint().is_none() {
        let expected = f64::from(2 * actions);
        assert!((used - expected).abs() < 0.01, "{used} of {expected} write units");
    }
}

#[tokio::test]
async fn all_is_applied_or_nothing() {
    let world = bank().await;
    let metered = world.repository.metered();
    let committed = pay("a").send(&metered).await.expect("an answer").applied().expect("applied");
    assert_eq!(committed.version_of::<Cart>(0), None);
    assert_eq!(metered.usage().requests, 1);
    assert_units(metered.usage().write_units, 3);
    assert_eq!(balances(&world).await, (90, 110));

    // The same transfer again: one action refuses, with what is there, and all of it is void.
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
        "the transaction was refused: action 0, create of `Transfer` (id = \"a\"): there is an item already"
    );
    let error = outcome.applied().expect_err("refused");
    assert!(error.is_refused());
    assert_eq!(error.transaction_refusal().map(|refusal| refusal.actions().len()), Some(1));
}

#[tokio::test]
async fn each_action_that_refused_says_why() {
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
async fn every_entity_keeps_its_rules() {
    let world = bank().await;
    let repository = &world.repository;
    // In one table, each under its own rules.
    let all = |version| {
        Transaction::new()
            .put([rating("r", 10).put()])
            .put(cart(version).put())
            .delete(Rating::delete("gone", EpochMillis::new(NOW)))
            .put(Session { id: "s".to_owned(), expires: EpochSeconds::new(NOW / 1000 + 60) }.create())
    };
    let committed = all(0).send(repository).await.expect("an answer").applied().expect("applied");
    assert_eq!(committed.version_of::<Cart>(1), Some(1));
    assert_eq!(committed.version_of::<Cart>(0), None, "of another entity");
    let gone = Rating::get("gone").include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = gone else { panic!("{gone:?}") };
    assert_eq!(tombstone.expires(), Some(EpochSeconds::new(NOW / 1000 + 7 * 86_400)));

    let outcome = Transaction::new()
        .put(rating("r", 5).put())
        .put(rating("gone", -5).put())
        .update(Cart::update("cart").version(7).with(Cart::fields().lines.set(3)))
        .check(Session::check("s"))
        .send(repository)
        .await
        .expect("an answer");
    let stale = Reason::Stale { attribute: "at", tie: false };
    assert_eq!(
        reasons(&outcome),
        [
            (0, vec![stale.clone()]),
            (1, vec![stale, Reason::Deleted]),
            (2, vec![Reason::Conflict { expected: 7, found: Some(1) }]),
        ]
    );
    assert!(!outcome.refusal().expect("refused").is_superseded(), "the update is not old news");

    // What has expired counts as absent, by the repository's clock.
    world.clock.advance(61_000);
    let outcome = Transaction::new().check(Session::check("s")).put(cart(1).put()).send(repository).await;
    assert_eq!(reasons(&outcome.expect("an answer")), [(0, vec![Reason::Expired])]);
    let outcome = Transaction::new().check(Session::check("s").absent()).delete(Cart::delete("cart", 1u64));
    let committed = outcome.send(repository).await.expect("an answer").applied().expect("applied");
    assert_eq!(committed.version_of::<Cart>(1), Some(2));
}

#[tokio::test]
async fn what_dynamodb_would_not_take_is_not_sent() {
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
    assert!(error.contains("has 101 actions, but DynamoDB takes at most 100"), "{error}");

    let error = refused(Transaction::new().put(puts(2)).check(Account::check(1))).await;
    assert!(
        error.contains("check of `Account` (id = 1): action 2 of the transaction: action 1 is of the same item"),
        "{error}"
    );
    // In another spelling, by another entity.
    let note = Note { id: "1.0".parse().expect("a number"), text: String::new() };
    let error = refused(Transaction::new().put(puts(2)).put(note.put())).await;
    assert!(error.contains("action 1 is of the same item"), "{error}");

    // 11 times 390 KB.
    let large = |id: u64| Account { tags: vec!["x".repeat(390 * 1024)], ..account(id, 0) }.put();
    let error = refused(Transaction::new().put((0..11).map(large).collect::<Vec<_>>())).await;
    assert!(error.contains("bytes, but DynamoDB takes at most 4194304"), "{error}");
    let error =
        refused(Transaction::new().put(Account { tags: vec!["x".repeat(401 * 1024)], ..account(1, 0) }.put())).await;
    assert!(error.contains("action 0 of the transaction: the item has"), "{error}");

    for token in ["", &"x".repeat(37)] {
        let error = refused(pay("a").token(token)).await;
        assert!(error.contains("DynamoDB takes 1 to 36"), "{error}");
    }
    assert_eq!(metered.usage().requests, 0);

    // As many as there can be.
    let committed = Transaction::new().put(puts(100)).token("x".repeat(36)).send(&metered).await.expect("an answer");
    assert!(committed.is_applied());
    assert_eq!(metered.usage().requests, 1);
    assert_units(metered.usage().write_units, 100);
}

/// Of the network: the answer to the first attempt is lost, and the SDK sends the same once more.
#[tokio::test]
async fn what_is_sent_twice_is_applied_once() {
    pause();
    let world = bank().await;
    let metered = world.repository.metered();
    let add = Account::update(1).with(Account::fields().balance.add(1));
    world.lose_answers(2);
    let outcome = Transaction::new().update(add).put(transfer("a").create()).send(&metered).await.expect("an answer");
    assert!(outcome.is_applied());
    assert_eq!(metered.usage().requests, 1, "the SDK's own");
    let sent = world.faults.transactions();
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|body| *body == sent[0]));
    assert_eq!(balances(&world).await, (101, 100));
}

/// Of the application: whatever has changed since, a clone sends the very same.
#[tokio::test]
async fn a_clone_that_is_sent_after_an_error_learns_the_outcome() {
    pause();
    for served in [true, false] {
        let world = bank().await;
        let repository = patient(&world);
        let at = EpochMillis::new(NOW);
        let transaction = Transaction::new()
            .update(Account::update(1).with(Account::fields().balance.add(1)))
            .delete(Rating::delete("r", at))
            .put(cart(0).create())
            .put(Session { id: "s".to_owned(), expires: EpochSeconds::new(NOW / 1000 + 9) }.create());
        if served {
            world.lose_answers(1);
        } else {
            world.faults.throttle(1);
        }
        let error = transaction.clone().send(&repository).await.expect_err("no answer");
        if served {
            assert!(
                error.is_unreachable() && error.to_string().contains("may have been applied: send this one"),
                "{error}"
            );
        } else {
            assert!(error.is_throttled(), "{error}");
        }
        world.clock.advance(60_000);
        let committed = transaction.send(&repository).await.expect("an answer").applied().expect("applied");
        assert_eq!(committed.version_of::<Cart>(2), Some(1));
        assert_eq!(repository.usage().requests, 2);
        let sent = world.faults.transactions();
        assert_eq!(sent.len(), 2);
        assert_eq!(sent[0], sent[1], "token, time, write id, and the order of everything");
        assert_eq!(balances(&world).await, (101, 100));
    }
}

#[tokio::test]
async fn a_clone_that_is_changed_is_another_transaction() {
    pause();
    let world = bank().await;
    let add = || Account::update(1).with(Account::fields().balance.add(1));
    let transaction = Transaction::new().update(add());
    assert!(transaction.clone().send(&world.repository).await.expect("an answer").is_applied());
    let metered = world.repository.metered();
    assert!(transaction.clone().send(&metered).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (101, 100), "the same one");
    if endpoint().is_none() {
        // DynamoDB reads the item only, for twice the units of a consistent read.
        let usage = metered.usage();
        assert!(usage.write_units.abs() < 0.01 && (usage.read_units - 2.0).abs() < 0.01, "{usage:?}");
    }
    let other = transaction.put(transfer("a").create());
    assert!(other.clone().send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (102, 100));
    assert!(Transaction::new().update(add()).send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (103, 100));
}

/// One that was refused changed nothing, so sent again it is judged anew, by the time and the items of then.
#[tokio::test]
async fn a_refused_transaction_that_is_sent_again_begins_anew() {
    let world = bank().await;
    let session = Session { id: "s".to_owned(), expires: EpochSeconds::new(NOW / 1000 + 60) };
    session.put().send(&world.repository).await.expect("a put");
    let transaction = Transaction::new()
        .check(Session::check("s").absent())
        .update(Account::update(1).with(Account::fields().balance.add(1)));
    let outcome = transaction.clone().send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::Exists])]);
    world.clock.advance(61_000);
    assert!(transaction.send(&world.repository).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (101, 100));
}

#[tokio::test]
async fn a_token_that_may_be_forgotten_is_not_sent_again() {
    pause();
    let world = bank().await;
    let repository = patient(&world);
    let transaction = Transaction::new().update(Account::update(1).with(Account::fields().balance.add(1)));
    world.lose_answers(1);
    transaction.clone().send(&repository).await.expect_err("no answer");
    world.clock.advance(9 * 60_000);
    let error = transaction.clone().send(&repository).await.expect_err("too late");
    assert!(error.is_outcome_unknown() && error.to_string().contains("ten minutes"), "{error}");
    assert_eq!(repository.usage().requests, 1);
    assert_eq!(balances(&world).await, (101, 100));
    // A clock that was set back changes nothing about it.
    world.clock.advance(-60_000);
    assert!(transaction.clone().send(&repository).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (101, 100));
    // Once it is known that it was applied, that stays known.
    world.clock.advance(60 * 60_000);
    assert!(transaction.send(&repository).await.expect("it is known").is_applied());
    assert_eq!(repository.usage().requests, 2);
}

/// By the runtime's time, where an attempt hangs.
#[tokio::test]
async fn attempts_end_before_the_token_is_forgotten() {
    pause();
    if endpoint().is_some() {
        return;
    }
    let world = bank().await;
    let start = tokio::time::Instant::now();
    world.faults.stop_after(1, true);
    let transaction = Transaction::new().update(Account::update(1).with(Account::fields().balance.add(1)));
    let error = transaction.send(&world.repository).await.expect_err("it hangs");
    assert!(error.is_outcome_unknown(), "{error}");
    assert_eq!(start.elapsed().as_secs(), 9 * 60);
}

#[tokio::test]
async fn a_token_of_one_s_own_makes_one_transaction_of_many() {
    let world = bank().await;
    let add = |amount: u64| {
        let update = Account::update(1).with(Account::fields().balance.add(amount));
        Transaction::new().update(update).token("message 1")
    };
    assert!(add(1).send(&world.repository).await.expect("an answer").is_applied());
    assert!(add(1).send(&world.other()).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (101, 100));
    let error = add(2).send(&world.other()).await.expect_err("other contents");
    assert_eq!(error.kind(), ErrorKind::TokenMismatch);
    assert!(error.is_token_mismatch() && error.to_string().contains("may have been applied"), "{error}");
    assert_eq!(balances(&world).await, (101, 100));
}

/// A name is given to each write of a version, and a TTL is compared with the time: these are other contents each time.
#[tokio::test]
async fn a_token_of_one_s_own_does_not_make_one_of_other_names_and_times() {
    let world = bank().await;
    let versioned = || Transaction::new().put(cart(0).create()).token("message 1");
    assert!(versioned().send(&world.repository).await.expect("an answer").is_applied());
    assert!(versioned().send(&world.other()).await.expect_err("another name").is_token_mismatch());
    let session = Session { id: "s".to_owned(), expires: EpochSeconds::new(NOW / 1000 + 60) };
    let timed = || Transaction::new().put(session.create()).token("message 2");
    assert!(timed().send(&world.repository).await.expect("an answer").is_applied());
    assert!(timed().send(&world.other()).await.expect("an answer").is_applied(), "within the second");
    world.clock.advance(1_000);
    assert!(timed().send(&world.other()).await.expect_err("another time").is_token_mismatch());
}

#[tokio::test]
async fn an_attempt_that_is_under_way_is_waited_for() {
    pause();
    let world = bank().await;
    let repository = patient(&world);
    world.faults.refuse([TransactionFault::InProgress, TransactionFault::InProgress]);
    assert!(pay("a").send(&repository).await.expect("an answer").is_applied());
    assert_eq!(repository.usage().requests, 3);
    world.faults.refuse(vec![TransactionFault::InProgress; 9]);
    let error = pay("b").send(&repository).await.expect_err("it does not end");
    assert!(error.is_in_progress() && error.to_string().contains("still under way"), "{error}");
    assert_eq!(repository.usage().requests, 3 + 9);
    let sent = world.faults.transactions();
    assert!(sent[3..].iter().all(|body| *body == sent[3]), "one token");
    assert_eq!(balances(&world).await, (90, 110));
}

/// A condition that does not hold says nothing while another item is held.
#[tokio::test]
async fn conflicts_are_tried_again_and_hide_what_else_refused() {
    const CONFLICT: &str = "TransactionConflict";
    pause();
    let world = bank().await;
    let repository = patient(&world);
    world.faults.refuse([
        TransactionFault::Cancelled(vec!["None", CONFLICT, "None"]),
        TransactionFault::Cancelled(vec!["ConditionalCheckFailed", "None", CONFLICT]),
        TransactionFault::Cancelled(vec!["None", "ThrottlingError", "None"]),
    ]);
    assert!(pay("a").send(&repository).await.expect("an answer").is_applied());
    assert_eq!(repository.usage().requests, 4);
    for (cause, kind) in [(CONFLICT, ErrorKind::Contended), ("ProvisionedThroughputExceeded", ErrorKind::Throttled)] {
        let before = repository.usage().requests;
        world.faults.refuse(vec![TransactionFault::Cancelled(vec!["ConditionalCheckFailed", "None", cause]); 9]);
        let error = pay("b").send(&repository).await.expect_err("others hold it");
        assert_eq!((error.kind(), repository.usage().requests - before), (kind, 9), "{error}");
    }
    // After a lost answer, it is not certain that nothing was applied.
    world.lose_answers(1);
    let transaction = pay("c");
    transaction.clone().send(&repository).await.expect_err("no answer");
    world.faults.refuse(vec![TransactionFault::Cancelled(vec![CONFLICT, "None", "None"]); 9]);
    let error = transaction.clone().send(&repository).await.expect_err("others hold it");
    assert!(error.is_unreachable() && error.to_string().contains("may have been applied"), "{error}");
    assert!(transaction.send(&repository).await.expect("an answer").is_applied());
    assert_eq!(balances(&world).await, (80, 120));
}

#[tokio::test]
async fn what_cannot_be_done_is_named() {
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
        "one of the tables `no-accounts`, `no-transfers` does not exist: create it, or check the names and prefix, the region and the account"
    );
}

#[tokio::test]
async fn clones_for_other_tables_are_not_the_same() {
    pause();
    let world = bank().await;
    let repository = patient(&world);
    let transaction = pay("a");
    world.lose_answers(1);
    transaction.clone().send(&repository).await.expect_err("no answer");
    let error = transaction.send(&repository.with_table_prefix("no-")).await.expect_err("other tables");
    assert!(error.is_invalid_input() && error.to_string().contains("other tables"), "{error}");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "docs")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Doc {
    #[partition_key]
    id: u64,
    text: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered", ttl_days = 30)]
struct Page {
    #[partition_key]
    id: u64,
    text: String,
    #[version]
    version: u64,
}

/// The tests of both orders of history.
macro_rules! recorded {
    ($module:ident, $entity:ident) => {
        mod $module {
            use super::*;

            fn entity(id: u64, text: &str, version: u64) -> $entity {
                $entity { id, text: text.to_owned(), version }
            }

            async fn library() -> World {
                let world = world::<$entity>().await;
                world.repository.create_table::<Account>().await.expect("a table");
                account(1, 100).put().send(&world.repository).await.expect("a put");
                world
            }

            fn count() -> dyno::Update<Account> {
                Account::update(1).with(Account::fields().balance.add(1))
            }

            async fn revisions(world: &World, id: u64) -> Vec<(u64, Option<String>)> {
                let mut revisions = $entity::revisions(id).stream(&world.repository);
                let mut found = Vec::new();
                while let Some(revision) = revisions.next().await {
                    let revision = revision.expect("a revision");
                    let text = revision.decode().expect("it decodes").map(|entity| entity.text);
                    found.push((revision.version(), text));
                }
                found
            }

            #[tokio::test]
            async fn its_revisions_go_with_it_or_not_at_all() {
                let world = library().await;
                let repository = &world.repository;
                let send = async |transaction: Transaction| transaction.send(repository).await.expect("an answer");
                let new =
                    Transaction::new().put([entity(1, "a", 0).create(), entity(2, "x", 0).create()]).update(count());
                let committed = send(new).await.applied().expect("applied");
                assert_eq!(
                    (committed.version_of::<$entity>(0), committed.version_of::<$entity>(1)),
                    (Some(1), Some(1))
                );
                let committed = send(Transaction::new().put(entity(1, "b", 1).put()).update(count())).await;
                assert_eq!(committed.applied().expect("applied").version_of::<$entity>(0), Some(2));
                // Refused by the one or by the other, it leaves nothing.
                let outcome = send(Transaction::new().put(entity(1, "c", 1).put()).update(count())).await;
                assert_eq!(reasons(&outcome), [(0, vec![Reason::Conflict { expected: 1, found: Some(2) }])]);
                let outcome = send(Transaction::new().put(entity(1, "c", 2).put()).check(Account::check(7))).await;
                assert_eq!(reasons(&outcome), [(1, vec![Reason::Missing])]);
                let expected = [(2, Some("b".to_owned())), (1, Some("a".to_owned()))];
                assert_eq!(revisions(&world, 1).await, expected);
                // Deleted, and made anew: the numbers go on.
                let committed = send(Transaction::new().delete($entity::delete(1, 2u64)).update(count())).await;
                assert_eq!(committed.applied().expect("applied").version_of::<$entity>(0), Some(3));
                let committed = send(Transaction::new().put(entity(1, "d", 0).create()).update(count())).await;
                assert_eq!(committed.applied().expect("applied").version_of::<$entity>(0), Some(4));
                let [first, last] = [(4, Some("d".to_owned())), (3, None)];
                assert_eq!(revisions(&world, 1).await, [&[first, last][..], &expected].concat());
                assert_eq!(Account::get(1).send(repository).await.expect("a get"), Some(account(1, 104)));
            }

            #[tokio::test]
            async fn of_two_at_once_one_is_applied() {
                let world = library().await;
                let repository = &world.repository;
                entity(1, "a", 0).put().send(repository).await.expect("sent").applied().expect("applied");
                let writers = (0..5).map(|writer| {
                    let repository = repository.clone();
                    let transaction = Transaction::new().put(entity(1, &writer.to_string(), 1).put()).update(count());
                    tokio::spawn(async move { transaction.send(&repository).await.expect("an answer").is_applied() })
                });
                let mut applied = 0;
                for writer in writers.collect::<Vec<_>>() {
                    applied += u64::from(writer.await.expect("no panic"));
                }
                assert_eq!(applied, 1);
                assert_eq!(revisions(&world, 1).await.len(), 2);
                assert_eq!(Account::get(1).send(repository).await.expect("a get"), Some(account(1, 101)));
            }

            #[tokio::test]
            async fn a_lost_answer_is_not_a_conflict() {
                pause();
                let world = library().await;
                entity(1, "a", 0).put().send(&world.repository).await.expect("sent").applied().expect("applied");
                let repository = patient(&world);
                let before = world.faults.transactions().len();
                let transaction = Transaction::new()
                    .put(entity(1, "b", 1).put().over(
                        &$entity::get(1).loaded().consistent().send(&repository).await.expect("a get").expect("there"),
                    ))
                    .update(count());
                world.lose_answers(1);
                transaction.clone().send(&repository).await.expect_err("no answer");
                let committed = transaction.send(&repository).await.expect("an answer").applied().expect("applied");
                assert_eq!(committed.version_of::<$entity>(0), Some(2));
                assert_eq!(world.faults.transactions().len() - before, 2);
                assert_eq!(revisions(&world, 1).await.len(), 2);
            }
        }
    };
}

recorded!(atomic, Doc);
recorded!(ordered, Page);

#[tokio::test]
async fn what_a_recorded_write_costs_in_a_transaction() {
    let world = world::<Doc>().await;
    world.repository.create_table::<Page>().await.expect("a table");
    let doc = |version| Doc { id: 1, text: "a".to_owned(), version };
    let page = |version| Page { id: 1, text: "a".to_owned(), version };
    let cost = async |transaction: Transaction| {
        let metered = world.repository.metered();
        assert!(transaction.send(&metered).await.expect("an answer").is_applied());
        (metered.usage().requests, metered.usage().write_units)
    };
    // The history of a new one is asked; a revision goes with what changes. Of an ordered history it is what was there, or
    // what is new.
    let (requests, units) = cost(Transaction::new().put(doc(0).put()).put(page(0).put())).await;
    assert_eq!(requests, 3);
    assert_units(units, 4);
    let (requests, units) = cost(Transaction::new().put(doc(1).put()).put(page(1).put())).await;
    assert_eq!(requests, 2);
    assert_units(units, 4);
    let loaded = Page::get(1).loaded().consistent().send(&world.repository).await.expect("a get").expect("a page");
    let (requests, units) = cost(Transaction::new().put(doc(2).put()).put(loaded.entity.put().over(&loaded))).await;
    assert_eq!(requests, 1);
    assert_units(units, 4);
    // Rows count towards the hundred.
    let docs = (10..61).map(|id| Doc { id, ..doc(1) }.put()).collect::<Vec<_>>();
    let error = Transaction::new().put(docs).send(&world.repository).await.expect_err("too many");
    assert!(error.is_invalid_input() && error.to_string().contains("51 actions, and 51 rows of histories"), "{error}");
}

/// A crash of a plain write has left the row of the version that still is.
#[tokio::test]
async fn a_superseded_row_that_is_there_already_is_the_same() {
    pause();
    let world = world::<Page>().await;
    let page = |text: &str, version| Page { id: 1, text: text.to_owned(), version };
    let repository = patient(&world);
    page("a", 0).put().send(&repository).await.expect("sent").applied().expect("applied");
    // The get and the row, and no more.
    world.faults.stop_after(2, true);
    let (crashing, put) = (repository.clone(), page("lost", 1).put());
    let process = tokio::spawn(async move { put.send(&crashing).await.map(|outcome| outcome.is_applied()) });
    world.faults.stopped().await;
    process.abort();
    world.faults.go_on();
    let stored = || async { world.other().client().scan().table_name("pages-history").send().await.expect("a scan") };
    assert_eq!(stored().await.count, 1);
    world.clock.advance(1000);
    let before = repository.usage().requests;
    let committed = Transaction::new().put(page("b", 1).put()).send(&repository).await.expect("an answer");
    assert_eq!(committed.applied().expect("applied").version_of::<Page>(0), Some(2));
    assert_eq!(repository.usage().requests - before, 2, "the get, and the transaction");
    // Its time begins anew, as it is superseded only now.
    let rows = stored().await.items.unwrap_or_default();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["_ttl"], n(NOW / 1000 + 1 + 30 * 86_400));

    // Another one is not.
    let mut row = rows[0].clone();
    row.insert("_version".to_owned(), n(2));
    row.insert("_image".to_owned(), dyno::aws_sdk_dynamodb::types::AttributeValue::M(item([("id", n(1))])));
    let put = world.other();
    put.client().put_item().table_name("pages-history").set_item(Some(row)).send().await.expect("a row");
    let outcome = Transaction::new().put(page("c", 2).put()).send(&repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::Recorded { version: 2 }])]);
}

/// Numbers go on over a tombstone, in a second request with a token of its own.
#[tokio::test]
async fn a_create_over_a_tombstone_goes_on_with_its_numbers() {
    for token in [None, Some("mine")] {
        let world = bank().await;
        cart(0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
        Cart::delete("cart", 1u64).send(&world.repository).await.expect("sent").applied().expect("applied");
        let mut transaction =
            Transaction::new().put(cart(0).create()).update(Account::update(1).with(Account::fields().balance.add(1)));
        if let Some(token) = token {
            transaction = transaction.token(token);
        }
        let metered = world.repository.metered();
        let committed = transaction.clone().send(&metered).await.expect("an answer").applied().expect("applied");
        assert_eq!((committed.version_of::<Cart>(0), metered.usage().requests), (Some(3), 2));
        // A clone goes on where it came to.
        let again = transaction.send(&metered).await.expect("an answer").applied().expect("applied");
        assert_eq!((again.version_of::<Cart>(0), metered.usage().requests), (Some(3), 3));
        assert_eq!(balances(&world).await, (101, 100));
        assert_eq!(Cart::get("cart").send(&world.repository).await.expect("a get"), Some(cart(3)));
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[idempotency(window_secs = 60, max_skew_secs = 60)]
struct Bill {
    #[partition_key]
    id: String,
    total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[idempotency(keys = 2)]
struct Counted {
    #[partition_key]
    id: String,
    total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[idempotency(store = "row", window_secs = 3600, max_skew_secs = 10)]
struct Rowed {
    #[partition_key]
    id: String,
    total: u64,
}

async fn bills() -> World {
    let world = bank().await;
    let repository = &world.repository;
    repository.create_table::<Rowed>().await.expect("a table");
    let bills = Transaction::new()
        .put(Bill { id: "bill".to_owned(), total: 0 }.create())
        .put(Counted { id: "counted".to_owned(), total: 0 }.create())
        .put(Rowed { id: "rowed".to_owned(), total: 0 }.create());
    bills.send(repository).await.expect("an answer").applied().expect("applied");
    world
}

fn add(key: &str) -> Transaction {
    Transaction::new()
        .update(Bill::update("bill").with(Bill::fields().total.add(1)).idempotency_key(key))
        .update(Counted::update("counted").with(Counted::fields().total.add(1)).idempotency_key(key))
        .update(Rowed::update("rowed").with(Rowed::fields().total.add(1)).idempotency_key(key))
        .update(Account::update(1).with(Account::fields().balance.add(1)))
}

#[tokio::test]
async fn keyed_updates_are_made_once_and_all_together() {
    let world = bills().await;
    // Of a list, whether there is room is a guess at first.
    for (key, requests, actions) in [("a", 1, 5), ("b", 1, 5), ("c", 2, 10)] {
        let metered = world.repository.metered();
        assert!(add(key).send(&metered).await.expect("an answer").is_applied(), "{key}");
        assert_eq!(metered.usage().requests, requests, "{key}");
        assert_units(metered.usage().write_units, actions);
        let metered = world.repository.metered();
        let outcome = add(key).send(&metered).await.expect("an answer");
        let duplicate = vec![Reason::Duplicate];
        assert_eq!(reasons(&outcome), [(0, duplicate.clone()), (1, duplicate.clone()), (2, duplicate)], "{key}");
        assert_eq!(metered.usage().requests, 2, "the item beside the row is read");
        let refusal = outcome.refusal().expect("refused");
        let current = refusal.refusal_of::<Rowed>(2).expect("it refused").current().expect("it decodes");
        assert!(matches!(current, Some(Found::Live(Rowed { id, .. })) if id == "rowed"));
        assert!(refusal.is_duplicate());
        assert!(outcome.accept_duplicate().expect("it has been made").is_none());
    }
    assert_eq!(balances(&world).await, (103, 100));
    // One that was made on its own does not stand for all of them.
    let alone = Bill::update("bill").with(Bill::fields().total.add(1)).idempotency_key("d");
    alone.send(&world.repository).await.expect("an answer").applied().expect("applied");
    let outcome = add("d").send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::Duplicate])]);
    assert!(outcome.accept_duplicate().expect_err("the others were not made").is_refused());
}

/// Later than clocks may differ, its time would empty sets that have come into use since. So it is made anew, and the keys
/// tell.
#[tokio::test]
async fn a_keyed_transaction_that_comes_again_late_is_told_by_its_keys() {
    pause();
    for served in [true, false] {
        let world = bills().await;
        let repository = patient(&world);
        let transaction = add("a");
        if served {
            world.lose_answers(1);
        } else {
            world.faults.throttle(1);
        }
        transaction.clone().send(&repository).await.expect_err("no answer");
        world.clock.advance(60_000);
        let outcome = transaction.send(&repository).await.expect("an answer");
        assert_eq!(outcome.is_applied(), !served);
        assert!(outcome.accept_duplicate().is_ok());
        assert_eq!(balances(&world).await, (101, 100));
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[idempotency(window_secs = 300, max_skew_secs = 10)]
struct Basket {
    #[partition_key]
    id: String,
    articles: Vec<String>,
    total: u64,
}

/// A basket with a pen, and another one.
async fn baskets() -> World {
    let world = bank().await;
    for id in ["one", "two"] {
        let basket = Basket { id: id.to_owned(), articles: vec!["pen".to_owned()], total: 5 };
        basket.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    }
    world
}

/// Takes the pen out of one, and counts in the other.
fn take_pen(key: &str) -> Transaction {
    Transaction::new()
        .update(Basket::update("one").with(Basket::fields().articles.remove_value("pen")))
        .update(Basket::update("two").with(Basket::fields().total.add(1)).idempotency_key(key))
}

/// It has been made, and so what it takes out is not there any more. The keys tell which of the two is so.
#[tokio::test]
async fn what_has_been_made_already_is_a_duplicate_though_it_finds_nothing_to_take_out() {
    pause();
    let world = baskets().await;
    assert!(take_pen("a").send(&world.repository).await.expect("an answer").is_applied());
    let metered = world.repository.metered();
    let outcome = take_pen("a").send(&metered).await.expect("an answer");
    let gone = vec![Reason::NotContained { path: "articles".to_owned() }];
    assert_eq!(reasons(&outcome), [(0, gone.clone()), (1, vec![Reason::Duplicate])]);
    assert_eq!((metered.usage().requests, metered.usage().write_units), (2, 0.0));
    assert!(outcome.accept_duplicate().expect("it has been made").is_none());
    // Nothing to take out, and new.
    let outcome = take_pen("b").send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, gone)]);
    outcome.accept_duplicate().expect_err("it was not made");
}

#[tokio::test]
async fn a_keyed_transaction_is_not_made_anew_when_its_keys_may_be_forgotten() {
    pause();
    for served in [true, false] {
        let world = baskets().await;
        let repository = patient(&world);
        let count = Transaction::new()
            .update(Basket::update("two").with(Basket::fields().total.add(1)).idempotency_key("a"))
            .update(Account::update(1).with(Account::fields().balance.add(1)));
        if served {
            world.lose_answers(1);
        } else {
            world.faults.refuse([TransactionFault::Lost]);
        }
        count.clone().send(&repository).await.expect_err("no answer");
        world.clock.advance(200_000);
        world.faults.refuse([TransactionFault::Lost]);
        count.clone().send(&repository).await.expect_err("no answer");
        // Others go on with the same item.
        for other in 0..12 {
            world.clock.advance(60_000);
            let update = Basket::update("two").with(Basket::fields().total.add(1)).idempotency_key(format!("{other}"));
            assert!(update.send(&world.repository).await.expect("an answer").is_applied());
        }
        let sent = count.send(&repository).await;
        assert_eq!(balances(&world).await, (100 + u64::from(served), 100), "{sent:?}");
        let error = sent.expect_err("nothing tells");
        assert!(error.is_outcome_unknown() && error.to_string().contains("idempotency keys"), "{error}");
    }
}

#[tokio::test]
async fn an_element_is_looked_for_and_found_again() {
    let world = bank().await;
    let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
    let put = |ids: &[&str]| Account { tags: tags(ids), ..account(1, 100) }.put();
    put(&["a", "b"]).send(&world.repository).await.expect("a put");
    let remove = |tag: &str| {
        Transaction::new()
            .update(Account::update(1).with(Account::fields().tags.remove_value(tag)))
            .update(Account::update(2).with(Account::fields().balance.add(1)))
    };
    let metered = world.repository.metered();
    assert!(remove("a").send(&metered).await.expect("an answer").is_applied());
    assert_eq!(metered.usage().requests, 2, "the item is read first");
    let outcome = remove("a").send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::NotContained { path: "tags".to_owned() }])]);
    // Another writer shifts it between the read and the transaction.
    put(&["x", "b"]).send(&world.repository).await.expect("a put");
    let (repository, transaction) = (world.repository.metered(), remove("b"));
    world.faults.hold_after(1);
    let metered = repository.clone();
    let sent = tokio::spawn(async move { transaction.send(&metered).await.expect("an answer").is_applied() });
    world.faults.held().await;
    put(&["b", "c"]).send(&world.other()).await.expect("a put");
    world.faults.release();
    assert!(sent.await.expect("no panic"));
    assert_eq!(repository.usage().requests, 3);
    let left = Account::get(1).consistent().send(&world.repository).await.expect("a get").expect("an account");
    assert_eq!(left.tags, ["c"]);
    assert_eq!(balances(&world).await, (100, 102));
}

/// The attempt whose answer was lost can still be under way, and could take out another one of the same value.
#[tokio::test]
async fn after_a_lost_answer_no_other_element_is_looked_for() {
    pause();
    let world = bank().await;
    let put = |ids: [&str; 3]| Account { tags: ids.map(str::to_owned).to_vec(), ..account(1, 100) }.put();
    for (guarded, id) in [(false, "1"), (true, "2")] {
        put(["b", "b", "a"]).send(&world.repository).await.expect("a put");
        let repository = patient(&world);
        let mut transaction =
            Transaction::new().update(Account::update(1).with(Account::fields().tags.remove_value("a")));
        if guarded {
            transaction = transaction.put(Cart { id: id.to_owned(), ..cart(0) }.create());
        }
        // The item is read, and the attempt is lost before it arrives.
        world.faults.refuse([TransactionFault::Lost]);
        transaction.clone().send(&repository).await.expect_err("no answer");
        put(["a", "b", "a"]).send(&world.repository).await.expect("a put");
        put(["x", "a", "b"]).send(&world.repository).await.expect("a put");
        let sent = transaction.send(&repository).await;
        if guarded {
            assert!(sent.expect("an answer").is_applied());
        } else {
            assert!(sent.expect_err("it shifted").is_outcome_unknown());
        }
    }
}

#[tokio::test]
async fn an_undelete_and_a_purge() {
    let world = bank().await;
    let repository = &world.repository;
    for id in ["a", "b"] {
        Rating::delete(id, EpochMillis::new(NOW)).send(repository).await.expect("sent").applied().expect("applied");
    }
    let found = Rating::get("b").include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    let both = || Transaction::new().put(rating("a", 1).undelete()).delete(Rating::purge(&tombstone));
    assert!(both().send(repository).await.expect("an answer").is_applied());
    assert_eq!(world.stored::<Rating>().await.len(), 1);
    Rating::delete("b", EpochMillis::new(NOW + 5)).send(repository).await.expect("sent").applied().expect("applied");
    let outcome = both().send(repository).await.expect("an answer");
    assert_eq!(reasons(&outcome)[1], (1, vec![Reason::Changed]));
    assert!(reasons(&outcome)[0].1.contains(&Reason::NotDeleted), "{outcome:?}");
}

/// On its own, such a delete is as good as done. Here the other actions are not.
#[tokio::test]
async fn a_delete_that_has_been_made_already_refuses() {
    let world = bank().await;
    let delete = || Rating::delete("r", EpochMillis::new(NOW));
    assert!(delete().send(&world.repository).await.expect("an answer").is_applied());
    assert!(delete().send(&world.repository).await.expect("an answer").is_applied());
    let outcome = Transaction::new().delete(delete()).put(transfer("a").put()).send(&world.repository).await;
    let outcome = outcome.expect("an answer");
    let tie = vec![Reason::Stale { attribute: "at", tie: true }, Reason::Deleted];
    assert_eq!(reasons(&outcome), [(0, tie.clone())]);
    assert!(!outcome.refusal().expect("refused").is_superseded(), "the put was not");
    assert!(world.stored::<Transfer>().await.iter().all(|item| item["id"] == s("r")));
    // Where all that it writes is old news, nothing is lost.
    rating("q", 9).put().send(&world.repository).await.expect("sent").applied().expect("applied");
    let outcome = Transaction::new().delete(delete()).put(rating("q", 3).put()).check(Account::check(1));
    let outcome = outcome.send(&world.repository).await.expect("an answer");
    assert!(outcome.refusal().expect("refused").is_superseded());
    assert!(outcome.accept_stale().expect("old news").is_none());
}

#[tokio::test]
async fn a_command_that_was_sent_on_its_own_is_another_write() {
    let world = bank().await;
    let create = cart(0).create();
    assert!(create.clone().send(&world.repository).await.expect("an answer").is_applied());
    let transaction = Transaction::new().put(create).put(transfer("a").create());
    let outcome = transaction.send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::Exists])]);
    assert_eq!(world.stored::<Transfer>().await.len(), 1);
}

#[tokio::test]
async fn a_check_demands_and_writes_nothing() {
    let world = bank().await;
    let repository = &world.repository;
    cart(0).create().send(repository).await.expect("sent").applied().expect("applied");
    rating("gone", 0).put().send(repository).await.expect("sent").applied().expect("applied");
    Rating::delete("gone", EpochMillis::new(NOW + 1)).send(repository).await.expect("sent").applied().expect("applied");
    let before = world.stored::<Transfer>().await;
    let outcome = Transaction::new()
        .check(Cart::check("cart").version(1u64))
        .check(Rating::check("gone").absent())
        .check([Transfer::check("none").absent()])
        .check(Account::check(1).condition(Account::fields().balance.ge(100)));
    let metered = repository.metered();
    assert!(outcome.send(&metered).await.expect("an answer").is_applied());
    assert_eq!(metered.usage().requests, 1);
    let mut after = world.stored::<Transfer>().await;
    after.sort_by_key(|item| item["id"].as_s().cloned().unwrap_or_default());
    let mut before = before;
    before.sort_by_key(|item| item["id"].as_s().cloned().unwrap_or_default());
    assert_eq!(before, after);

    let outcome = Transaction::new()
        .check(Cart::check("cart").version(2u64))
        .check(Rating::check("gone"))
        .check(Account::check(1).absent())
        .check(Transfer::check("none"));
    let outcome = outcome.send(repository).await.expect("an answer");
    assert_eq!(
        reasons(&outcome),
        [
            (0, vec![Reason::Conflict { expected: 2, found: Some(1) }]),
            (1, vec![Reason::Deleted]),
            (2, vec![Reason::Exists]),
            (3, vec![Reason::Missing]),
        ]
    );
}

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
    if endpoint().is_none() {
        // Two for each item of up to 4 KB, found or not.
        let units = repository.usage().read_units - before.read_units;
        assert!((units - 10.0).abs() < 0.01, "{units} read units");
    }
    let deleted = TransactGet::new(Rating::get("gone").include_deleted()).send(&repository).await.expect("a read");
    assert!(matches!(deleted, Some(Found::Deleted(_))), "{deleted:?}");

    let before = repository.usage().requests;
    let many: Vec<_> = (0..101u64).map(Account::get).collect();
    let error = TransactGet::new(many.clone()).send(&repository).await.expect_err("too many");
    assert!(
        error.is_invalid_input() && error.to_string().contains("has 101 gets, but DynamoDB takes at most 100"),
        "{error}"
    );
    let error = TransactGet::new((Account::get(1), Account::get(1))).send(&repository).await.expect_err("twice");
    assert!(error.to_string().contains("get 1 of the transaction: get 0 is of the same item"), "{error}");
    let none: Vec<dyno::Get<Account>> = Vec::new();
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
async fn a_get_that_cannot_be_done_is_named() {
    let world = bank().await;
    world.faults.refuse([TransactionFault::Cancelled(vec!["None", "ValidationError"])]);
    let both = TransactGet::new((Account::get(1), Transfer::get("a")));
    let error = both.send(&world.repository).await.expect_err("it cannot be done");
    assert_eq!(error.kind(), ErrorKind::Service);
    assert_eq!(
        error.to_string(),
        "get of `Transfer` (id = \"a\"): get 1 of the transaction: DynamoDB answered ValidationError"
    );
}

#[tokio::test]
async fn a_read_waits_for_writers() {
    pause();
    let world = bank().await;
    let repository = patient(&world);
    let cancelled = |times| vec![TransactionFault::Cancelled(vec!["None", "TransactionConflict"]); times];
    let both = || TransactGet::new((Account::get(1), Account::get(2)));
    world.faults.refuse(cancelled(2));
    assert_eq!(both().send(&repository).await.expect("a read"), (Some(account(1, 100)), Some(account(2, 100))));
    assert_eq!(repository.usage().requests, 3);
    world.faults.refuse(cancelled(9));
    let error = both().send(&repository).await.expect_err("others write");
    assert!(error.is_contended(), "{error}");
    assert_eq!(repository.usage().requests, 3 + 9);
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
    assert!(error.to_string().contains("which `send` reads first"), "{error}");
    assert_eq!(metered.usage().requests, 0);
}

/// Under every fault there is, what is paid arrives, and no payment is made twice.
#[tokio::test]
async fn money_is_neither_made_nor_lost() {
    const SEEDS: u64 = 3;
    pause();
    if endpoint().is_some() {
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
        world.faults.quiet().await;
        assert_eq!(paid, 12);
        assert_eq!(world.stored::<Transfer>().await.len(), 12, "seed {seed}");
        assert_eq!(balances(&world).await, (0, 220), "seed {seed}");
    }
}
