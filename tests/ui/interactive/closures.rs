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
    // The closure returns no future.
    let _ = Transaction::interactive(|tx| {
        tx.put(Account { id: 1, balance: 1, version: 0 }.create());
        Ok(())
    });
    // The future returns no `Result`.
    let _ = Transaction::interactive(|tx| async move {
        tx.put(Account { id: 1, balance: 1, version: 0 }.create());
    });
}
