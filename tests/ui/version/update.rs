use dyno::{Entity, Repository};

#[derive(Entity)]
struct Cart {
    #[partition_key]
    id: String,
    lines: u32,
    #[version]
    version: u64,
}

async fn updates(repository: &Repository) {
    let f = Cart::fields();
    let _ = Cart::update("1").with(f.lines.set(1)).send(repository).await;
    let _ = Cart::update("1").send(repository).await;
    let _ = Cart::update("1").unchecked().with(f.version.set(7)).send(repository).await;
    let _ = Cart::delete("1").send(repository).await;
    let _ = Cart::modify("1", |cart| cart.lines);
}

fn main() {}
