use dyno::{Entity, Repository};

#[derive(Entity)]
#[entity(table = "carts")]
struct Cart {
    #[partition_key]
    id: String,
    total: u64,
}

async fn cursors(repository: &Repository) -> Result<(), dyno::Error> {
    // A text must be parsed into a cursor first.
    let _ = Cart::scan().after("abc");
    let _ = Cart::scan().modify_each(|cart| cart.total = 0).after("abc");
    let page = Cart::scan().send(repository).await?;
    let _ = Cart::scan().after(&page.cursor);
    Ok(())
}

fn main() {}
