//! Methods that a command does not have, by the names that they have on other commands or elsewhere.

use dyno::{BatchWrite, Entity, Repository, Transaction};
use std::time::Duration;

#[derive(Entity)]
#[entity(table = "carts")]
#[tombstone(ttl_days = 7)]
struct Cart {
    #[partition_key]
    customer: String,
    #[sort_key]
    number: u32,
    total: u64,
    #[version]
    version: u64,
}

async fn commands(repository: &Repository, cart: &Cart) -> Result<(), dyno::Error> {
    let key = || ("ada", 1_u32);
    let is_large = || Cart::fields().total.gt(5_u64);
    let loaded = Cart::get(key()).loaded().send(repository).await?.expect("there");

    let _ = Cart::get(key()).condition(is_large()).send(repository).await?;
    let _ = Cart::get(key()).filter(is_large());
    let _ = cart.put().filter(is_large()).send(repository).await?;
    let _ = cart.put().if_not_exists();
    let _ = cart.put().upsert();
    let _ = cart.put().version(1_u64);
    let _ = cart.put().unchecked();
    let _ = cart.put().return_new();
    let _ = cart.put().idempotency_key("a");
    let _ = cart.create().over(&loaded).send(repository).await?;
    let _ = cart.undelete().over(&loaded);
    let _ = Cart::delete(key(), 1_u64).unchecked();
    let _ = Cart::delete(key(), 1_u64).return_new();

    let _ = Cart::update(key()).condition(is_large()).with(Cart::fields().total.set(1_u64)).send(repository).await?;
    let _ = Cart::update(key()).upsert();
    let _ = Cart::update(key()).return_new();
    let _ = Cart::update(key()).hedge(Duration::from_millis(20));
    let _ = Cart::update(key()).unchecked().set(Cart::fields().total.set(1_u64));

    let _ = Cart::scan().condition(is_large()).send(repository).await?;
    let _ = Cart::query("ada").condition(is_large());
    let _ = Cart::query("ada").sort_starts_with(1_u32);
    let _ = Cart::query("ada").reverse();
    let _ = Cart::query("ada").loaded();
    let _ = Cart::query("ada").hydrate();
    let _ = Cart::query("ada").index("by_total");
    let _ = Cart::scan().all(repository).await?;
    let _ = Cart::scan().parallel(4).filter(is_large());
    let _ = Cart::scan().parallel(4).send(repository).await?;
    let _ = Cart::scan().modify_each(|cart| cart.total = 0).filter(is_large()).send(repository).await?;
    let _ = Cart::modify(key(), |cart| cart.total = 0).return_old();
    let _ = Cart::modify(key(), |cart| cart.total = 0).condition(is_large());

    let _ = Transaction::new().create(cart.create()).send(repository).await?;
    let _ = Transaction::new().add(cart.create());
    let _ = Transaction::new().get(Cart::get(key()));
    let _ = BatchWrite::new().put(cart.put());
    Ok(())
}

fn main() {}
