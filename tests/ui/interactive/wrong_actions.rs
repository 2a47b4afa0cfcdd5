use dyno::{Entity, Transaction};

#[derive(Entity, Clone)]
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
    let account = Account { id: 1, balance: 1, version: 0 };
    let _ = Transaction::interactive(|tx| async move {
        tx.put(Account::modify(1, |account| account.balance += 1));
        tx.put(Account::get(1));
        tx.update(account.put());
        tx.update(Account::update(1).with(Account::fields().balance.set(1)));
        tx.delete(Account::check(1));
        tx.check(Account::delete(1, 1));
        tx.put(account.put().return_old());
        tx.put(std::array::from_fn::<_, 101, _>(|_| account.put()));
        Ok(())
    });
}
