//! Searches articles by similarity, with embeddings that a consumer of the stream computes late.
//!
//! `cargo run --example article_search`, or with a question: `cargo run --example article_search -- "how tea is made"`

#![allow(clippy::print_stdout, reason = "an example prints")]

use dyno::aws_sdk_dynamodb::types::StreamViewType;
use dyno::local::Engine;
use dyno::{Repository, TableOptions};
use dyno_examples::article_search::{Article, consume, search};
use std::error::Error;

const ARTICLES: [(&str, &str, &str); 5] = [
    ("tea", "How green tea is made", "The leaves are steamed or roasted soon after the harvest, and rolled."),
    ("coffee", "Roasting coffee at home", "A pan and ten minutes are enough to roast a handful of green beans."),
    (
        "locks",
        "Locks in distributed systems",
        "A lease ends when its time is over, so each write needs a fencing token.",
    ),
    (
        "clocks",
        "Clocks in distributed systems",
        "Two clocks never agree, so a later time does not prove a later write.",
    ),
    ("bread", "Bread from sour dough", "Flour, water and salt, and a day of patience before it is baked."),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let question = std::env::args().nth(1).unwrap_or_else(|| "distributed clocks and time".to_owned());
    let engine = Engine::in_memory()?;
    let repository = Repository::new(engine.client());
    let options = TableOptions::default().stream(StreamViewType::NewAndOldImages);
    repository.create_table_with::<Article>(&options).await?;
    for (id, title, body) in ARTICLES {
        let article = Article {
            id: id.to_owned(),
            language: "en".to_owned(),
            section: "all".to_owned(),
            title: title.to_owned(),
            body: body.to_owned(),
            embedding: None,
        };
        article.put().send(&repository).await?;
    }
    println!("before the consumer: {} found", search("en", None, &question, &repository).await?.len());

    let mut consumed = 0;
    for record in engine.stream_records("articles")? {
        consumed += usize::from(consume(record, &repository).await?);
    }
    println!("{consumed} embeddings stored; closest to {question:?}:");
    for (distance, hit) in search("en", None, &question, &repository).await? {
        println!("  {distance:.3} {}", hit.title);
    }

    // The text changes. Until its embedding is there, the article is not found, rather than found by its old text.
    let change = Article::update("clocks").with(Article::fields().title.set("Sundials in the garden"));
    change.send(&repository).await?.applied()?;
    println!("after a change of the title of `clocks`:");
    for (distance, hit) in search("en", None, &question, &repository).await? {
        println!("  {distance:.3} {}", hit.title);
    }
    Ok(())
}
