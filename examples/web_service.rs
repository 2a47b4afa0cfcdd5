//! The web service of the recipes: pages of orders over HTTP, and a webhook that counts once.
//!
//! `cargo run --example web_service`, and then:
//!
//! ```sh
//! curl 'localhost:8080/customers/ada/orders'
//! curl 'localhost:8080/webhooks/payments' -H 'content-type: application/json' \
//!     -d '{ "id": "p-1", "customer": "ada", "order": 1, "cents": 1000 }'
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use anyhow::Result;
use dyno::Repository;
use dyno_examples::recipes::web::{Order, Payment, service};
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    // The database is in this process. In production, it is `Repository::new(client)`, and the key of the cursors is a secret
    // that all instances share.
    let repository = Repository::local().await?.with_sealed_cursors([7; 32]);
    repository.create_table::<Order>().await?;
    repository.create_table::<Payment>().await?;
    for number in 1..=50 {
        let order = Order { customer: "ada".to_owned(), number, cents: 1000, paid: false };
        order.put().send(&repository).await?;
    }
    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    println!("http://{}/customers/ada/orders", listener.local_addr()?);
    axum::serve(listener, service(repository)).await?;
    Ok(())
}
