//! The versions of a document: two editors in conflict, `modify`, a deletion, a rollback, and the timeline of all of them.
//!
//! Run it with `cargo run --example history`: the database is in this process.

#![allow(clippy::print_stdout, reason = "an example prints")]

use anyhow::{Context as _, Result};
use comfy_table::{Table, presets};
use dyno::{Entity, EpochMillis, Found, ManualClock, Outcome, Repository};
use std::sync::Arc;

#[derive(Entity, Clone, Debug)]
#[entity(table = "documents")]
#[tombstone(ttl_days = 30)]
#[history_table]
struct Document {
    #[partition_key]
    id: String,
    title: String,
    text: String,
    editor: String,
    #[version]
    version: u64,
}

const ID: &str = "roadmap";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let clock = Arc::new(ManualClock::new(EpochMillis::new(1_721_757_900_000)));
    let repository = Repository::local().await?.with_clock(clock);
    // Creates the table of the documents, and that of their history.
    repository.create_table::<Document>().await?;

    let mut document = Document {
        id: ID.to_owned(),
        title: "Roadmap".to_owned(),
        text: "Ship it.".to_owned(),
        editor: "Ada".to_owned(),
        version: 0,
    };
    document.version = document.create().send(&repository).await?.applied()?;
    println!("Ada creates a document: version {}", document.version);

    // Two editors load the same version.
    let mut ada = Document::get(ID).consistent().send(&repository).await?.context("it was created")?;
    let mut ben = ada.clone();
    ada.text = "Ship it in May.".into();
    ada.version = ada.put().send(&repository).await?.applied()?;
    println!("Ada changes the text: version {}", ada.version);

    (ben.title, ben.editor) = ("The Roadmap".to_owned(), "Ben".to_owned());
    match ben.put().send(&repository).await? {
        Outcome::Applied(version) => println!("Ben's change was applied: version {version}"),
        Outcome::Refused(refusal) => {
            println!("\nBen changes the title of what he has loaded:\n  {refusal}");
            // The stored item came with the refusal, so no further request was sent.
            if let Some(Found::Live(current)) = refusal.current()? {
                println!("  what is there: {:?} by {}", current.text, current.editor);
            }
        }
    }

    // `modify` loads the stored item and changes it, and does so again after each conflict.
    let modified = Document::modify(ID, |document| {
        document.title = "The Roadmap".into();
        document.editor = "Ben".into();
    });
    let modified = modified.send(&repository).await?.applied()?;
    println!("Ben does it with `modify`: version {}, with Ada's text: {:?}", modified.version, modified.text);

    let deleted = Document::delete(ID, modified.version).send(&repository).await?.applied()?;
    println!("\nCy deletes the document: version {deleted}");
    println!("reading it: {:?}", Document::get(ID).consistent().send(&repository).await?.map(|found| found.title));

    let restored = Document::rollback(ID, 2u64).send(&repository).await?.applied()?;
    println!("Ada takes it back to version 2, which makes version {}: {:?}", restored.version, restored.text);

    println!("\nThe timeline, newest first:");
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(["version", "title", "text", "editor"]);
    let mut revisions = Document::revisions(ID).stream(&repository);
    while let Some(revision) = revisions.next().await {
        let revision = revision?;
        let number = revision.version().to_string();
        table.add_row(match revision.decode()? {
            Some(document) => [number, document.title, document.text, document.editor],
            None => [number, "(deleted)".to_owned(), String::new(), String::new()],
        });
    }
    println!("{table}");
    let first = Document::revision(ID, 1u64).send(&repository).await?.context("nothing is lost")?;
    println!("the first version was {:?}", first.decode()?.map(|document| document.text));
    let usage = repository.usage();
    println!("\n{} requests, {} write units, {} read units", usage.requests, usage.write_units, usage.read_units);
    Ok(())
}
