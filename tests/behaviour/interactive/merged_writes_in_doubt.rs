//! The error of merged writes whose answer was lost.

use super::clones::impatient;
use super::{Account, balance, bank};
use dyno::Transaction;
use dyno_tests::faults::Fault;

/// Several writes of one row are sent as a single write.
#[tokio::test]
async fn a_lost_answer_of_merged_writes_reports_that_they_may_be_applied() {
    let world = bank(["a"]).await;
    let fees = Transaction::interactive(|tx| async move {
        let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        account.balance -= 1;
        tx.put(account.put());
        tx.update(Account::update("a").unchecked().with(Account::fields().balance.decrement(10)));
        Ok(())
    });
    world.faults.next([Fault::Served, Fault::AnswerLost]);
    let error = fees.clone().send(&impatient(&world)).await.expect_err("no answer");
    assert!(error.may_be_applied(), "{error:?}");
    assert_eq!(
        error.to_string(),
        "transaction of `Account` (id = \"a\"): DynamoDB did not answer: the answer was lost; the transaction may have been applied: send a \
         clone of the transaction to find out"
    );
    fees.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(balance(&world, "a").await, Some(89));
}
