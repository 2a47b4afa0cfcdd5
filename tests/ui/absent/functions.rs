//! Functions that the derive generates only for some entities: a call says what the entity lacks.

use dyno::{Entity, EpochMillis, Repository};

#[derive(Entity)]
#[entity(table = "users")]
struct User {
    #[partition_key]
    id: String,
    logins: u64,
}

#[derive(Entity)]
#[history_table]
#[index(name = "similar", vector = embedding, of(title))]
struct Paper {
    #[partition_key]
    id: String,
    title: String,
    embedding: Option<[f32; 4]>,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding)]
struct Picture {
    #[partition_key]
    id: String,
    embedding: Option<[f32; 4]>,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, of(title))]
struct Latest {
    #[partition_key]
    id: String,
    title: String,
    embedding: Option<[f32; 4]>,
    #[ratchet]
    at: EpochMillis,
}

async fn functions(repository: &Repository, user: &User) -> Result<(), dyno::Error> {
    User::modify("1", |user| user.logins += 1).send(repository).await?.applied()?;
    user.undelete().send(repository).await?.applied()?;
    User::purge("1").send(repository).await?;
    let _ = User::revisions("1").limit(5).send(repository).await?;
    let _ = User::revision("1", 3_u64).send(repository).await?;
    User::rollback("1", 3_u64).send(repository).await?.applied()?;
    User::restore("1").send(repository).await?.applied()?;
    User::repair("1").send(repository).await?;
    let _ = User::query("1").descending().send(repository).await?;
    Paper::embed("1", "title", [0.0; 4]).send(repository).await?.applied()?;
    Picture::embed("1", "title", [0.0; 4]).send(repository).await?.applied()?;
    Latest::embed("1", "title", [0.0; 4]).send(repository).await?.applied()?;
    Ok(())
}

fn main() {}
