//! A table of ratings, step by step: writes that arrive in any order, and a delete that older writes cannot undo.
//!
//! The table comes from the AWS article "Timestamp writes for write hedging in Amazon DynamoDB". Run it with
//! `cargo run --example quickstart`: the database is in this process.

#![allow(clippy::print_stdout, reason = "an example prints")]

use anyhow::Result;
use comfy_table::{Table, presets};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, Item, ManualClock, Outcome, Repository};
use std::sync::Arc;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings", rename_all = "PascalCase")]
#[partition_key(name = "PK", template = "User#{user_id}")]
#[sort_key(name = "SK", template = "Movie#{movie_id}")]
#[tombstone(ttl_days = 7, deleted = "Deleted", ttl = "TTL")]
struct Rating {
    user_id: String,
    movie_id: String,
    rating: u8,
    #[ratchet]
    timestamp: EpochMillis,
}

fn rating(user_id: &str, movie_id: &str, rating: u8, timestamp: i64) -> Rating {
    Rating {
        user_id: user_id.to_owned(),
        movie_id: movie_id.to_owned(),
        rating,
        timestamp: EpochMillis::new(timestamp),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    // In production: `Repository::new(aws_client)`. The clock stands still at the time of the article's delete. With the real
    // clock, the tombstone would be kept for seven days from now.
    let clock = Arc::new(ManualClock::new(EpochMillis::new(1_721_757_900_000)));
    let repository = Repository::local().await?.with_clock(clock);
    repository.create_table::<Rating>().await?;

    for rating in [
        rating("1", "A", 3, 1_721_769_060_000),
        rating("1", "B", 4, 1_721_768_150_000),
        rating("2", "A", 1, 1_721_767_220_000),
        rating("2", "Z", 5, 1_721_757_100_000),
    ] {
        rating.put().send(&repository).await?.applied()?;
    }
    show("Four ratings", &repository).await?;

    rating("1", "A", 5, 1_721_770_090_000).put().send(&repository).await?.applied()?;
    show("A newer rating of movie A", &repository).await?;

    let late = rating("1", "A", 2, 1_721_769_500_000);
    println!("\nAn older rating of movie A arrives late. What is sent:\n\n{}", late.put().request(&repository)?);
    match late.put().send(&repository).await? {
        Outcome::Applied(()) => println!("\nIt was applied."),
        Outcome::Refused(refusal) => println!("\n{refusal}\nwhat is there: {:?}", refusal.current()?),
    }

    Rating::delete(("2", "Z"), EpochMillis::new(1_721_757_900_000)).send(&repository).await?.applied()?;
    show("User 2 removes the rating of movie Z: a tombstone stays for seven days", &repository).await?;
    println!("reading it: {:?}", Rating::get(("2", "Z")).consistent().send(&repository).await?);

    let older = rating("2", "Z", 4, 1_721_757_500_000).put().send(&repository).await?;
    println!("an older rating of it arrives late: applied = {}", older.is_applied());

    rating("2", "Z", 2, 1_721_758_000_000).put().send(&repository).await?.applied()?;
    show("A newer rating of movie Z replaces the tombstone", &repository).await?;

    let mut ratings = Rating::query("1").sort_begins_with("B").limit(20).stream(&repository);
    while let Some(rating) = ratings.next().await {
        println!("user 1, movies that begin with B: {:?}", rating?);
    }
    let usage = repository.usage();
    println!("\n{} requests, {} write units, {} read units", usage.requests, usage.write_units, usage.read_units);
    Ok(())
}

const COLUMNS: [&str; 6] = ["PK", "SK", "Rating", "Timestamp", "Deleted", "TTL"];

/// Prints every item of the table as it is stored.
async fn show(title: &str, repository: &Repository) -> Result<()> {
    let scan = repository.client().scan().table_name(repository.table_name::<Rating>()?);
    let items = scan.send().await?.items.unwrap_or_default();
    let mut rows: Vec<[String; 6]> = items.iter().map(|item| COLUMNS.map(|name| text(item, name))).collect();
    rows.sort();
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(COLUMNS).add_rows(rows);
    println!("\n{title}:\n{table}");
    Ok(())
}

fn text(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(AttributeValue::S(text) | AttributeValue::N(text)) => text.clone(),
        Some(AttributeValue::Bool(flag)) => flag.to_string(),
        _ => String::new(),
    }
}
