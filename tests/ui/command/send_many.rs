//! What `SendMany` sends.

use dyno::{Entity, Repository, SendMany};

#[derive(Entity)]
struct Order {
    #[partition_key]
    id: String,
}

async fn misuse(repository: &Repository, orders: Vec<Order>) {
    let _ = SendMany::new("orders", orders).send(repository);
    let _ = SendMany::new("orders", ["1"].map(Order::get)).send(repository);
}

fn main() {}
