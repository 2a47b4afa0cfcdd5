//! A mistake at the beginning of a command is reported there, and not again where the command is sent.

use dyno::{Entity, Repository};

#[derive(Entity)]
#[entity(table = "carts")]
#[index(name = "by_total", partition = total, projection = "keys")]
struct Cart {
    #[partition_key]
    id: String,
    #[sort_key]
    number: u32,
    total: u64,
    #[version]
    version: u64,
}

async fn sent(repository: &Repository) -> Result<(), dyno::Error> {
    // The index holds keys only.
    let _ = Cart::by_total(5_u64).send(repository).await?;
    let _ = Cart::by_total(5_u64).send_each(repository).await?;
    let _ = Cart::scan().index::<CartByTotal>().send(repository).await?;
    let _ = Cart::scan().index::<CartByTotal>().send_each(repository).await?;
    let _ = Cart::scan().index::<CartByTotal>().stream(repository).try_collect().await?;
    // The closure returns a number, or a future.
    let _ = Cart::modify(("1", 1_u32), |cart| cart.total).send(repository).await?;
    let _ = Cart::scan().modify_each(|cart| cart.total).send(repository).await?;
    let _ = Cart::scan().modify_each(async |cart: &mut Cart| cart.total = 0).send(repository).await?;
    // `Cart` derives neither `Aggregate` nor `Entities`.
    let _ = Cart::query("1").aggregate::<Cart>().send(repository).await?;
    let _ = Cart::query("1").entities::<Cart>().send(repository).await?;
    Ok(())
}

fn main() {}
