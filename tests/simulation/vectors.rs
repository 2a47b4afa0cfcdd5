//! A simulation of vectors under network faults. Writers change texts with every command, and consumers embed texts that
//! they have read earlier, some of them long ago. No item ever has the vector of another text.

#![allow(clippy::print_stdout, reason = "how often an embedding was late, for who asks with `--nocapture`")]

use crate::runs::{hedged, retries, run, seeds, straggling};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, Item, Projection, Reason, Repository, Transaction};
use dyno_tests::faults::Rates;
use dyno_tests::{NOW, journaled_world};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const WRITERS: usize = 4;
const EMBEDDERS: usize = 3;
/// The number of rounds of each writer and each consumer.
const COMMANDS: usize = 12;

/// An article whose vector can be written later than its text.
#[derive(Entity, Clone)]
#[entity(table = "articles")]
#[tombstone(ttl_days = 7)]
#[index(name = "similar", vector = vector, of(text), projection(text))]
struct Article {
    #[partition_key]
    id: String,
    text: String,
    views: u64,
    vector: Option<[f32; 2]>,
}

#[derive(Projection)]
#[projection(of = Article, index = ArticleSimilar)]
struct Hit {
    id: String,
    text: String,
}

/// A transactional entity with a vector.
#[derive(Entity, Clone)]
#[entity(table = "posts")]
#[tombstone(ttl_days = 7)]
#[transactional]
#[index(name = "similar", vector = vector, of(text), projection = "keys")]
struct Post {
    #[partition_key]
    id: String,
    text: String,
    vector: Option<[f32; 2]>,
    #[version]
    version: u64,
}

/// An entity with a history and a vector.
#[derive(Entity, Clone)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table]
#[index(name = "similar", vector = vector, of(text), projection = "keys")]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    vector: Option<[f32; 2]>,
    #[version]
    version: u64,
}

/// An entity whose writer computes the vector. One ratchet guards the text and the vector together.
#[derive(Entity, Clone)]
#[entity(table = "listings")]
#[index(name = "similar", vector = vector, of(text), projection = "keys")]
struct Listing {
    #[partition_key]
    id: String,
    #[ratchet(guards(text, vector))]
    text_at: EpochMillis,
    text: String,
    vector: [f32; 2],
    #[ratchet(guards(price))]
    priced_at: EpochMillis,
    price: u64,
}

/// An article without `of(text)`, which couples the vector to the text.
#[derive(Entity, Clone)]
#[entity(table = "articles")]
#[index(name = "similar", vector = vector, projection = "keys")]
struct Uncoupled {
    #[partition_key]
    id: String,
    text: String,
    vector: Option<[f32; 2]>,
}

/// The embedding model. The vector contains the text's number, so it shows which text it belongs to.
fn model(text: &str) -> [f32; 2] {
    [text.parse().expect("a number"), 1.0]
}

fn text() -> String {
    fastrand::u8(..).to_string()
}

/// Draws one of two keys.
fn key() -> &'static str {
    ["1", "2"][fastrand::usize(0..2)]
}

/// Returns the vector of the text, or `None` in half of the calls.
fn vector(text: &str) -> Option<[f32; 2]> {
    fastrand::bool().then(|| model(text))
}

async fn write_article(repository: &Repository) {
    let text = text();
    let article = Article { id: key().to_owned(), vector: vector(&text), text, views: 0 };
    let f = Article::fields();
    match fastrand::u8(0..6) {
        0 => drop(article.put().send(repository).await),
        1 => drop(Article::update(article.id).with(f.text.set(article.text)).send(repository).await),
        2 => drop(Article::update(article.id).with(f.views.add(1)).send(repository).await),
        3 => {
            let both = f.text_and_vector.set((article.text, article.vector));
            drop(Article::update(article.id).with(both).send(repository).await);
        }
        4 => drop(article.undelete().send(repository).await),
        _ => drop(Article::delete(article.id).send(repository).await),
    }
}

async fn write_post(repository: &Repository) {
    let text = text();
    let post = Post { id: key().to_owned(), vector: vector(&text), text, version: 0 };
    match fastrand::u8(0..6) {
        0 => drop(post.create().send(repository).await),
        1 => {
            let set = Post::fields().text.set(post.text);
            drop(Post::update(post.id).unchecked().with(set).send(repository).await);
        }
        2 => {
            let edit = |stored: &mut Post| stored.text.clone_from(&post.text);
            let _ = Post::modify(post.id.clone(), edit).attempts(2).send(repository).await;
        }
        kind => {
            let both = Transaction::new()
                .update(Post::update(key()).unchecked().with(Post::fields().text.set(post.text)))
                .put(Post { id: "3".to_owned(), vector: Some(model("7")), text: "7".to_owned(), version: 0 }.create());
            let both = if kind == 3 { both } else { both.client_side() };
            let _ = both.send(repository).await;
            let third = Post::get("3").consistent().send(repository).await;
            if let Ok(Some(third)) = third {
                let _ = Post::delete("3", third.version).send(repository).await;
            }
        }
    }
}

async fn write_page(repository: &Repository) {
    let text = text();
    let page = Page { id: key().to_owned(), vector: vector(&text), text, version: 0 };
    match fastrand::u8(0..4) {
        0 => drop(page.put().send(repository).await),
        1 => drop(Page::rollback(page.id, fastrand::u64(1..5)).send(repository).await),
        _ => {
            let edit = |stored: &mut Page| stored.text.clone_from(&page.text);
            let _ = Page::modify(page.id.clone(), edit).attempts(2).send(repository).await;
        }
    }
}

async fn write_listing(repository: &Repository) {
    let (text, at) = (text(), EpochMillis::new(NOW + fastrand::i64(0..1000)));
    let vector = model(&text);
    if fastrand::bool() {
        let listing =
            Listing { id: key().to_owned(), text_at: at, text, vector, priced_at: at, price: fastrand::u64(..9) };
        drop(listing.put().send(repository).await);
    } else {
        let update = Listing::update(key()).text_at(at).text(text).vector(vector);
        drop(update.send(repository).await);
    }
}

/// Embeds texts as a consumer of the stream does. It embeds a text that it has read, perhaps long ago.
async fn embed(repository: &Repository, late: &AtomicUsize) {
    let mut seen: Vec<(bool, String, String)> = Vec::new();
    for _ in 0..COMMANDS {
        let id = key();
        if let Ok(Some(article)) = Article::get(id).send(repository).await {
            seen.push((true, id.to_owned(), article.text));
        }
        if let Ok(Some(post)) = Post::get(id).send(repository).await {
            seen.push((false, id.to_owned(), post.text));
        }
        if let Ok(Some(page)) = Page::get(id).send(repository).await {
            let text = page.text;
            // An entity with a history has no update.
            let edit = |stored: &mut Page| {
                if stored.text == text {
                    stored.vector = Some(model(&text));
                }
            };
            let _ = Page::modify(id, edit).attempts(2).send(repository).await;
        }
        if seen.is_empty() {
            continue;
        }
        let (is_article, id, text) = seen[fastrand::usize(0..seen.len())].clone();
        let vector = model(&text);
        let reasons = if is_article {
            let sent = Article::embed(id, text, vector).send(repository).await;
            sent.ok().map(|outcome| dyno_tests::reasons(&outcome))
        } else {
            let sent = Post::embed(id, text, vector).unchecked().send(repository).await;
            sent.ok().map(|outcome| dyno_tests::reasons(&outcome))
        };
        if reasons.is_some_and(|reasons| reasons.contains(&Reason::OtherText { attribute: "text" })) {
            late.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Returns the text and the vector of a row that has both.
fn embedded(row: Option<&Item>) -> Option<(&str, [f32; 2])> {
    let row = row?;
    let AttributeValue::L(elements) = row.get("vector")? else { return None };
    let number = |element: &AttributeValue| element.as_n().ok()?.parse::<f32>().ok();
    let vector = [number(elements.first()?)?, number(elements.get(1)?)?];
    Some((row.get("text")?.as_s().ok()?, vector))
}

async fn simulate(seed: u64, late: &Arc<AtomicUsize>) {
    let (world, journal) = journaled_world::<Article>().await;
    let repository = &world.repository;
    repository.create_table::<Post>().await.expect("a table");
    repository.create_table::<Page>().await.expect("a table");
    repository.create_table::<Listing>().await.expect("a table");
    repository.create_lane_table().await.expect("a table");
    world.faults.seed(seed, straggling(seed, Rates::MANY, 60));
    let process = || hedged(seed, Repository::new(world.client(retries())).with_clock(Arc::clone(&world.clock)));
    let writers = (0..WRITERS).map(|_| {
        let repository = process();
        tokio::spawn(async move {
            for _ in 0..COMMANDS {
                match fastrand::u8(0..4) {
                    0 => write_article(&repository).await,
                    1 => write_post(&repository).await,
                    2 => write_page(&repository).await,
                    _ => write_listing(&repository).await,
                }
            }
        })
    });
    let consumers = (0..EMBEDDERS).map(|_| {
        let (repository, late) = (process(), Arc::clone(late));
        tokio::spawn(async move { embed(&repository, &late).await })
    });
    let all: Vec<_> = writers.chain(consumers).collect();
    for program in all {
        program.await.expect("no panic");
    }
    world.faults.calm();
    world.faults.settled().await;
    for change in journal.changes() {
        if let Some((text, vector)) = embedded(change.new.as_ref()) {
            let (operation, keys) = (&change.operation, &change.keys);
            assert_eq!(vector, model(text), "seed {seed}: {operation} left {keys:?} a vector of another text");
        }
    }
    // The index has the same articles and texts as the table.
    let found = Article::similar([1.0, 1.0]).top(100).project::<Hit>().send(repository).await.expect("a search");
    let mut found: Vec<(String, String)> = found.into_iter().map(|found| (found.item.id, found.item.text)).collect();
    let stored = Article::scan().send(repository).await.expect("a scan").items;
    let stored = stored.into_iter().filter(|article| article.vector.is_some());
    let mut stored: Vec<(String, String)> = stored.map(|article| (article.id, article.text)).collect();
    found.sort();
    stored.sort();
    assert_eq!(found, stored, "seed {seed}");
}

#[test]
fn no_vector_is_of_another_text() {
    let late = Arc::<AtomicUsize>::default();
    let seeds = seeds(20, 0);
    for seed in 0..seeds {
        run(seed, simulate(seed, &late));
    }
    let late = late.load(Ordering::Relaxed);
    println!("{late} late embeddings in {seeds} runs");
    assert!(seeds == 0 || late > 0, "no embedding was late");
}

/// Runs the same kind of programs without `of(text)`. Returns `true` if a row had the vector of another text.
async fn simulate_uncoupled(seed: u64) -> bool {
    let (world, journal) = journaled_world::<Uncoupled>().await;
    let item = Uncoupled { id: "1".to_owned(), text: "0".to_owned(), vector: None };
    item.put().send(&world.repository).await.expect("a put");
    world.faults.seed(seed, straggling(seed, Rates::MANY, 60));
    let process = || Repository::new(world.client(retries())).with_clock(Arc::clone(&world.clock));
    let (ours, theirs) = (process(), process());
    let writer = tokio::spawn(async move {
        for _ in 0..COMMANDS {
            let change = Uncoupled::fields().text.set(text());
            drop(Uncoupled::update("1").with(change).send(&ours).await);
        }
    });
    let consumer = tokio::spawn(async move {
        for _ in 0..COMMANDS {
            if let Ok(Some(read)) = Uncoupled::get("1").send(&theirs).await {
                let change = Uncoupled::fields().vector.set(model(&read.text));
                drop(Uncoupled::update("1").with(change).send(&theirs).await);
            }
        }
    });
    writer.await.expect("no panic");
    consumer.await.expect("no panic");
    world.faults.settled().await;
    let changes = journal.changes();
    let mut with_vector = changes.iter().filter_map(|change| embedded(change.new.as_ref()));
    with_vector.any(|(text, vector)| vector != model(text))
}

#[test]
fn without_the_declaration_a_vector_is_of_another_text() {
    let found = std::sync::atomic::AtomicBool::new(false);
    for seed in 0..seeds(3, 0) {
        run(seed, async {
            if simulate_uncoupled(seed).await {
                found.store(true, Ordering::Relaxed);
            }
        });
    }
    assert!(seeds(3, 0) == 0 || found.load(Ordering::Relaxed), "the simulation finds nothing");
}
