use dyno::{Entity, Transaction};

#[derive(Entity)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
#[index(name = "by_state", partition = state)]
struct Account {
    #[partition_key]
    id: u64,
    #[sort_key]
    number: u32,
    state: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "carts")]
struct Cart {
    #[partition_key]
    id: String,
    #[sort_key]
    number: u32,
}

fn main() {
    let _ = Transaction::interactive(|tx| async move {
        let _ = tx.query(Account::by_state("open")).await?;
        let _ = tx.query(Account::scan()).await?;
        let _ = tx.scan(Account::scan()).await?;
        let _ = tx.query(Cart::query("1")).await?;
        tx.create(Account { id: 1, number: 1, state: String::new(), version: 0 }.create());
        tx.put(Account { id: 1, number: 1, state: String::new(), version: 0 });
        Ok(())
    });
}
