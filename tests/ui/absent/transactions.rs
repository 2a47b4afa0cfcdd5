//! Methods that a transaction, or the handle of its closure, does not have.

use dyno::{Entity, Repository, Tombstone, Transaction};
use std::time::Duration;

#[derive(Entity)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: String,
    #[unique]
    email: String,
    balance: u64,
    #[version]
    version: u64,
}

async fn commands(repository: &Repository, account: &Account, tombstone: &Tombstone<Account>) -> Result<(), dyno::Error> {
    let is_rich = Account::fields().balance.gt(5_u64);
    let _ = Transaction::new().query(Account::scan());
    let _ = Transaction::new().batch_get(Account::batch_get(["1"]));
    let _ = Transaction::new().idempotency_key("a").send(repository).await?;
    let _ = Transaction::new().request_id("a");
    let _ = Transaction::new().commit(repository).await?;
    let _ = Transaction::new().condition(is_rich);
    let _ = Transaction::new().modify(Account::modify("1", |account| account.balance = 0));
    let _ = Transaction::new().return_old();
    let _ = Transaction::new().undelete(account.undelete());
    let _ = Transaction::new().purge(tombstone);
    let _ = Transaction::new().put_all([account.put()]);
    let _ = Transaction::new().attempts(5);

    let _ = Transaction::interactive(|_| async move { Ok(()) }).idempotency_key("a").send(repository).await?;
    let _ = Transaction::interactive(|_| async move { Ok(()) }).hedge(Duration::from_millis(20));
    Ok(())
}

async fn closures(repository: &Repository) -> Result<(), dyno::Error> {
    let transaction = Transaction::interactive(|tx| async move {
        let _ = tx.get(Account::get_by_email("a")).await?;
        let _ = tx.get_by_unique(Account::get_by_email("a")).await?;
        let _ = tx.get("1").await?;
        let _ = tx.batch_get(Account::scan()).await?;
        tx.undelete(Account::get("1"));
        tx.put_all([1]);
        tx.search(1).await?;
        tx.send(Account::get("1")).await?;
        tx.condition(Account::fields().balance.gt(5_u64));
        tx.rollback();
        tx.commit();
        Ok(())
    });
    let _ = transaction.send(repository).await?;
    Ok(())
}

fn main() {}
