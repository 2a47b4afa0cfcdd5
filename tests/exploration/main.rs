//! Exploration: `local::explore` itself, and dyno's own commands against each other.

mod accept_equal;
mod buyers;
mod faults;
mod mistakes;
mod pairs;
mod reduction;

use dyno::local::explore::{Explore, Failure, World};
use dyno::{Entity, Error, Repository};

type Checked = Result<(), Box<dyn std::error::Error>>;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "seats")]
struct Seat {
    #[partition_key]
    row: String,
    #[sort_key]
    number: u32,
    buyer: Option<String>,
    #[version]
    version: u64,
}

/// The seat of a program that knows no versions.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "seats")]
struct PlainSeat {
    #[partition_key]
    row: String,
    #[sort_key]
    number: u32,
    buyer: Option<String>,
}

async fn open(world: &World, seats: u32) -> Result<Repository, Error> {
    let repository = world.repository();
    repository.create_table::<Seat>().await?;
    for number in 1..=seats {
        let seat = Seat { row: "Up".to_owned(), number, buyer: None, version: 0 };
        seat.create().send(&repository).await?.applied()?;
    }
    Ok(repository)
}

async fn seat(repository: &Repository, number: u32) -> Result<Seat, Error> {
    Ok(Seat::get(("Up", number)).consistent().send(repository).await?.expect("a seat"))
}

async fn sell(repository: &Repository, number: u32, buyer: &str) -> Result<bool, Error> {
    let seat = seat(repository, number).await?;
    if seat.buyer.is_some() {
        return Ok(false);
    }
    let sold = Seat { buyer: Some(buyer.to_owned()), ..seat };
    Ok(sold.put().send(repository).await?.is_applied())
}

async fn sell_plain(repository: &Repository, buyer: &str) -> Result<bool, Error> {
    let seat = PlainSeat::get(("Up", 1u32)).consistent().send(repository).await?.expect("a seat");
    if seat.buyer.is_some() {
        return Ok(false);
    }
    PlainSeat { buyer: Some(buyer.to_owned()), ..seat }.put().send(repository).await?;
    Ok(true)
}

/// Explores a scenario that fails.
fn failure_of(explore: &Explore, scenario: impl AsyncFn(World) -> Checked) -> Failure {
    match explore.run(scenario) {
        Ok(report) => panic!("nothing has failed: {report}"),
        Err(failure) => *failure,
    }
}
