//! A transaction that has lost three attempts claims its rows before the next attempt, so that other writers wait.

use super::{Account, account, bank, is_commit};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Error, Reason, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::{World, pause};
use tokio::task::JoinHandle;

/// Sends a transaction of a create and an update, which loses three attempts because another writer changes the updated item
/// each time. If `is_made`, another writer creates the new item before the claim. Returns the outcome.
async fn after_three_lost_tries(world: &World, is_made: bool) -> dyno::TransactionOutcome {
    let sending = until_the_claim(world).await;
    if is_made {
        account("new", 1000).create().send(&world.other()).await.expect("sent").applied().expect("applied");
    }
    world.faults.release();
    sending.await.expect("no panic").expect("sent")
}

/// Sends such a transaction, and holds it before its first claim.
async fn until_the_claim(world: &World) -> JoinHandle<Result<dyno::TransactionOutcome, Error>> {
    let balance = || Account::fields().balance;
    let update = Account::update("00000").unchecked().with(balance().add(1));
    let transaction = Transaction::new().put(account("new", 7).create()).update(update).client_side();
    let repository = world.repository.clone();
    // Four requests come before the intents: the read of the updated item, the read of lanes, the creation of a lane, and
    // `DescribeTable`.
    world.faults.hold_after(4);
    let sending = tokio::spawn(async move { transaction.send(&repository).await });
    for tried in 0..3 {
        world.faults.held().await;
        let raise = Account::update("00000").unchecked().with(balance().add(100));
        raise.send(&world.other()).await.expect("sent").applied().expect("applied");
        // An attempt sends two intents, of which one is refused, and removes the other one. Before the next attempt without
        // a claim, it reads the updated item again.
        world.faults.hold_after(if tried < 2 { 4 } else { 3 });
    }
    world.faults.held().await;
    sending
}

async fn balance_of(world: &World, id: &str) -> Option<u64> {
    let get = Account::get(id).consistent().send(&world.other()).await.expect("a get");
    get.map(|account| account.balance)
}

#[tokio::test]
async fn claimed_rows_are_not_read_again() {
    pause();
    let world = bank(1).await;
    let before = world.faults.events().len();
    let made = after_three_lost_tries(&world, false).await.applied().expect("applied");
    assert_eq!((made.version_of::<Account>(0), made.version_of::<Account>(1)), (Some(1), Some(5)));
    assert_eq!((balance_of(&world, "new").await, balance_of(&world, "00000").await), (Some(7), Some(401)));
    let reads = world.faults.events()[before..].iter().filter(|event| event.operation == "BatchGetItem").count();
    assert_eq!(reads, 4, "one for each lost try, and one for a lane");
    assert!(world.stored::<Account>().await.iter().all(|item| !item.contains_key("_x")));
}

/// Another writer creates the item before the transaction claims it. The create is refused, although the transaction assumed
/// that the item is absent.
#[tokio::test]
async fn a_create_does_not_overwrite_an_item_that_its_claim_found() {
    pause();
    let world = bank(1).await;
    let outcome = after_three_lost_tries(&world, true).await;
    let refusal = outcome.refusal().expect("refused").refusal_of::<Account>(0).expect("of the create");
    assert!(matches!(refusal.reasons(), [Reason::Exists]), "{refusal}");
    assert_eq!((balance_of(&world, "new").await, balance_of(&world, "00000").await), (Some(1000), Some(400)));
    assert!(world.stored::<Account>().await.iter().all(|item| !item.contains_key("_x")));
}

/// Another transaction waits until its lock timeout ends, removes the claims, and commits. Its items are not overwritten.
#[tokio::test]
async fn an_item_committed_over_a_removed_claim_is_not_overwritten() {
    pause();
    let world = bank(1).await;
    let sending = until_the_claim(&world).await;
    // Three requests claim both rows, because one of the rows takes two requests.
    world.faults.hold_after(3);
    world.faults.held().await;
    let other = world.process(RetryConfig::standard());
    other.faults.on_request(1, is_commit, Fault::DiesAfter);
    let add = Account::update("00000").unchecked().with(Account::fields().balance.add(1000));
    let both = Transaction::new().put(account("new", 1000).create()).update(add).client_side();
    assert!(other.run(both.send(&other.repository)).await.is_none(), "it died");
    world.faults.release();
    let outcome = sending.await.expect("no panic").expect("sent");
    let refusal = outcome.refusal().expect("refused").refusal_of::<Account>(0).expect("of the create");
    assert!(matches!(refusal.reasons(), [Reason::Exists]), "{refusal}");
    assert_eq!((balance_of(&world, "new").await, balance_of(&world, "00000").await), (Some(1000), Some(1400)));
}
