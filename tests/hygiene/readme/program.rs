use dyno::{Entity, EpochMillis, Outcome, Repository};

#[derive(Entity, Debug)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)] // a late write does not bring a deleted rating back
struct Rating {
    #[partition_key]
    user: String,
    #[sort_key]
    movie: String,
    stars: u8,
    #[ratchet] // a late write does not pass a newer one
    at: EpochMillis,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), dyno::Error> {
    let repository = Repository::local().await?; // in this process: no server
    repository.create_table::<Rating>().await?;

    let rating = |stars, at| Rating { user: "ada".into(), movie: "Up".into(), stars, at };
    rating(5, EpochMillis::new(2_000)).put().send(&repository).await?.applied()?;

    let late = rating(1, EpochMillis::new(1_000)); // made earlier, delivered later
    println!("{}\n", late.put().request(&repository)?);
    match late.put().send(&repository).await? {
        Outcome::Applied(()) => println!("written"),
        Outcome::Refused(refusal) => println!("{refusal}\n{:?}", refusal.current()?),
    }
    Ok(())
}
