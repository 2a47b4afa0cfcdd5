use dyno::bound::Transactional;
use dyno::command::Purge;
use dyno::{BatchWrite, Entity, Tombstone};

#[derive(Entity)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: String,
    balance: u64,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "carts")]
#[tombstone(ttl_days = 7)]
struct Cart {
    #[partition_key]
    id: String,
    lines: u32,
    #[version]
    version: u64,
}

fn of<E: Transactional>() {}

fn commands(account: &Account, tombstone: &Tombstone<Account>, of_a_cart: &Tombstone<Cart>) {
    let _ = Account::purge(tombstone);
    let _ = Purge::new(tombstone);
    let _ = BatchWrite::new().add(account.put());
    let _ = BatchWrite::new().add_all([Account::delete("1", 3u64)]);
    of::<Cart>();
    // These calls compile.
    let _ = Cart::purge(of_a_cart);
    of::<Account>();
}

fn main() {}
