use dyno::{Entity, TransactGet, Transaction};

#[derive(Entity, Clone, Copy)]
struct Account {
    #[partition_key]
    id: u64,
}

fn main() {
    let account = Account { id: 1 };
    let hundred: [Account; 100] = [account; 100];
    let _ = Transaction::new().put(hundred.map(|account| account.put()));
    let _ = Transaction::new().put([account; 101].map(|account| account.put()));
    let _ = Transaction::new().update([1; 101].map(|id: u64| Account::update(id)));
    let _ = Transaction::new().delete([1; 101].map(|id: u64| Account::delete(id)));
    let _ = Transaction::new().check([1; 101].map(|id: u64| Account::check(id)));
    let _ = TransactGet::new([1; 101].map(|id: u64| Account::get(id)));
}
