//! The tests of the example `article_search`.

use dyno::aws_sdk_dynamodb::types::StreamViewType;
use dyno::local::{Engine, Faults};
use dyno::stream::Record;
use dyno::{Error, Repository, TableOptions};
use dyno_examples::article_search::{Article, consume, embed, search};
use std::time::Duration;

fn article(title: &str) -> Article {
    Article {
        id: "1".to_owned(),
        language: "en".to_owned(),
        section: "food".to_owned(),
        title: title.to_owned(),
        body: "…".to_owned(),
        embedding: None,
    }
}

/// An engine with the table and its stream, and the network of a process.
async fn articles() -> Result<(Engine, Repository, Faults), Error> {
    let (engine, faults) = (Engine::in_memory()?, Faults::new());
    let repository = Repository::new(engine.client_with(&faults));
    let options = TableOptions::default().stream(StreamViewType::NewAndOldImages);
    repository.create_table_with::<Article>(&options).await?;
    Ok((engine, repository, faults))
}

fn records(engine: &Engine) -> Result<Vec<Record>, Error> {
    engine.stream_records("articles")
}

async fn stored(repository: &Repository) -> Result<Article, Error> {
    Ok(Article::get("1").send(repository).await?.expect("an article"))
}

#[tokio::test]
async fn an_article_is_found_once_its_embedding_is_there() -> Result<(), Error> {
    let (engine, repository, _) = articles().await?;
    article("Green tea").put().send(&repository).await?;
    assert_eq!(search("en", None, "green tea", &repository).await?, []);
    for record in records(&engine)? {
        assert!(consume(record, &repository).await?);
    }
    let found = search("en", Some("food"), "green tea", &repository).await?;
    assert_eq!(found[0].1.title, "Green tea");
    assert_eq!(search("en", Some("sport"), "green tea", &repository).await?, []);
    assert_eq!(search("de", None, "green tea", &repository).await?, []);
    Ok(())
}

/// Two consumers have the same stream. One is slow, and embeds a text that has changed since.
#[tokio::test(start_paused = true)]
async fn a_slower_consumer_with_an_older_text_never_wins() -> Result<(), Error> {
    let (engine, repository, faults) = articles().await?;
    article("Green tea").put().send(&repository).await?;
    let change = Article::update("1").with(Article::fields().title.set("Black tea"));
    change.send(&repository).await?.applied()?;
    let [old, new] = <[Record; 2]>::try_from(records(&engine)?).expect("two records");
    let slow_faults = faults.of_another_process();
    slow_faults.latency(Duration::from_mins(1), Duration::ZERO);
    let slow = Repository::new(engine.client_with(&slow_faults));
    let (slow, fast) = tokio::join!(consume(old, &slow), consume(new, &repository));
    assert_eq!((slow?, fast?), (false, true));
    assert_eq!(stored(&repository).await?.embedding, Some(embed("Black tea\n…")));
    Ok(())
}

#[tokio::test]
async fn a_record_that_comes_twice_or_after_a_deletion_changes_nothing() -> Result<(), Error> {
    let (engine, repository, _) = articles().await?;
    article("Green tea").put().send(&repository).await?;
    let record = records(&engine)?.remove(0);
    assert!(consume(record.clone(), &repository).await?);
    let first = stored(&repository).await?;
    assert!(consume(record.clone(), &repository).await?, "it stores the same embedding again");
    assert_eq!(stored(&repository).await?, first);
    Article::delete("1").send(&repository).await?;
    assert!(!consume(record, &repository).await?);
    assert_eq!(Article::get("1").send(&repository).await?, None);
    Ok(())
}
