//! List elements that a transaction removes by value, whatever their current index.

use super::{Account, Cart, account, balances, bank, cart, patient, reasons};
use dyno::{ErrorKind, Reason, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::pause;

#[tokio::test]
async fn remove_value_in_a_transaction_finds_a_shifted_element() {
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
    let metered = world.repository.metered();
    let outcome = remove("a").send(&metered).await.expect("an answer");
    assert_eq!(metered.usage().requests, 1, "of the other write, nothing is asked");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::NotContained { path: "tags".to_owned() }])]);
    // Another writer shifts the element between the read and the transaction.
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

/// A message is delivered to two processes. DynamoDB recognizes the second transaction by its token. So the first
/// transaction keeps its token when its element has shifted.
#[tokio::test]
async fn a_shifted_element_does_not_change_the_caller_s_token() {
    let world = bank().await;
    let put = |ids: &[&str]| Account { tags: ids.iter().map(|id| (*id).to_owned()).collect(), ..account(1, 100) }.put();
    put(&["x", "b"]).send(&world.repository).await.expect("a put");
    let equal = || {
        Transaction::new()
            .update(Account::update(1).with(Account::fields().tags.remove_value("b")))
            .update(Account::update(2).with(Account::fields().balance.add(1)))
            .token("message 1")
    };
    world.faults.hold_after(1);
    let (repository, transaction) = (world.repository.clone(), equal());
    let sent = tokio::spawn(async move { transaction.send(&repository).await.expect("an answer").is_applied() });
    world.faults.held().await;
    put(&["b", "c", "b"]).send(&world.other()).await.expect("a put");
    world.faults.release();
    assert!(sent.await.expect("no panic"));
    let error = equal().send(&world.other()).await.expect_err("it was applied");
    assert_eq!(error.kind(), ErrorKind::TokenMismatch, "{error}");
    let left = Account::get(1).consistent().send(&world.repository).await.expect("a get").expect("an account");
    assert_eq!(left.tags, ["c", "b"]);
    assert_eq!(balances(&world).await, (100, 101));
}

/// After a lost answer, the first attempt can still arrive. A second attempt must not remove another element of the same
/// value.
#[tokio::test]
async fn remove_value_looks_for_no_other_element_after_a_lost_answer() {
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
        // The transaction reads the item, and its request is then lost before it arrives.
        world.faults.refuse([Fault::RequestLost]);
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
