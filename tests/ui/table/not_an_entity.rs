//! Calls with the table of a type that is no entity: each gets one message.

use dyno::{Entity, Repository, TableOptions};

#[derive(Entity)]
#[entity(table = "carts")]
struct Cart {
    #[partition_key]
    id: String,
}

async fn tables(repository: &Repository) -> Result<(), dyno::Error> {
    repository.create_table::<String>().await?;
    repository.create_table_with::<String>(&TableOptions::default()).await?;
    repository.verify_table::<String>().await?;
    repository.verify_table_with::<String>(&TableOptions::default()).await?;
    repository.create_shared_table::<Cart>().await?;
    repository.create_shared_table_with::<Cart>(&TableOptions::default()).await?;
    repository.verify_shared_table::<Cart>().await?;
    repository.verify_shared_table_with::<Cart>(&TableOptions::default()).await?;
    Ok(())
}

fn main() {}
