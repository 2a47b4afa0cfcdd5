use dyno::{Entity, Transaction};

#[derive(Entity)]
struct Account {
    #[partition_key]
    id: u64,
    balance: u64,
    #[version]
    version: u64,
}

fn main() {
    let _ = Transaction::interactive(|tx| async move {
        let account = tx.get(Account::get(1)).await?.ok_or("no such account")?;
        let _ = tx.batch_get(Account::batch_get([1, 2])).await?;
        tx.put([account.put()]);
        tx.update(Account::update(1).version(1).with(Account::fields().balance.set(1)));
        tx.delete(Account::delete(1, 1));
        tx.check(Account::check(1));
        Ok(())
    });
}
