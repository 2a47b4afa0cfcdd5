use dyno::{Entity, Transaction};

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: u64,
    balance: u64,
    #[version]
    version: u64,
}

fn main() {
    // The closure moves a value away that it needs when it runs again.
    let ids = vec![1, 2];
    let _ = Transaction::interactive(|tx| async move {
        let _ = tx.batch_get(Account::batch_get(ids)).await?;
        Ok(())
    });
}
