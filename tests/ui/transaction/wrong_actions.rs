use dyno::{Entity, EpochMillis, Repository, TransactGet, Transaction};

#[derive(Entity)]
struct Account {
    #[partition_key]
    id: u64,
    balance: u64,
}

#[derive(Entity)]
struct Cart {
    #[partition_key]
    id: u64,
    lines: u64,
    #[version]
    version: u64,
}

#[derive(Entity)]
struct Review {
    #[partition_key]
    id: u64,
    stars: u8,
    #[ratchet(guards(stars))]
    at: EpochMillis,
}

fn puts(account: &Account) {
    let _ = Transaction::new().put(account.put().return_old());
    let _ = Transaction::new().put(Account::update(1).with(Account::fields().balance.add(1)));
    let _ = Transaction::new().put(vec![Account::delete(1)]);
    let _ = Transaction::new().put(account);
}

fn updates(account: &Account) {
    let _ = Transaction::new().update(account.put());
    let _ = Transaction::new().update(Account::update(1).with(Account::fields().balance.add(1)).return_new());
    let _ = Transaction::new().update(Cart::update(1));
    let _ = Transaction::new().update(Cart::modify(1, |cart| cart.lines += 1));
    let _ = Transaction::new().update(Review::update(1).at(EpochMillis::new(1)));
}

fn others(account: &Account) {
    let _ = Transaction::new().delete(Account::check(1));
    let _ = Transaction::new().check(Account::get(1));
    let _ = Account::check(1).version(());
    let _ = TransactGet::new((Account::get(1), Account::scan()));
    let _ = TransactGet::new(account);
}

async fn alone(repository: &Repository) {
    let _ = Account::check(1).send(repository).await;
}

fn main() {}
