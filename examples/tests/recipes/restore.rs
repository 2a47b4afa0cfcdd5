use super::database;
use anyhow::Result;
use dyno::local::{Fault, Rates};
use dyno::{EpochMillis, Item, Repository};
use dyno_examples::recipes::restore::{self, Article, put_back, undo};
use std::io::BufRead;

const EXPORT: &str = include_str!("../../data/articles-export.jsonl");

fn article(text: &str, version: u64) -> Article {
    Article { id: "apples".to_owned(), text: text.to_owned(), version, rest: Item::new() }
}

/// When the tombstone of the export is older than its TTL, it is still none of the live articles.
fn find(export: impl BufRead, id: &str) -> Result<Option<Article>> {
    restore::find(export, id, EpochMillis::new(4_102_444_800_000))
}

fn is_good(article: &Article) -> bool {
    article.text != "oops"
}

async fn stored(repository: &Repository) -> Result<Option<Article>> {
    Ok(Article::get("apples").consistent().send(repository).await?)
}

/// Writes these texts as the versions of an article.
async fn written(repository: &Repository, texts: &[&str]) -> Result<()> {
    repository.create_table::<Article>().await?;
    for (version, text) in (0..).zip(texts) {
        article(text, version).put().send(repository).await?.applied()?;
    }
    Ok(())
}

#[tokio::test]
async fn an_overwritten_article_gets_its_newest_good_version_again() -> Result<()> {
    let (repository, _) = database()?;
    written(&repository, &["first", "second", "oops", "oops"]).await?;
    assert_eq!(undo(&repository, "apples", is_good).await?, Some(article("second", 5)));
    // Repeated, it writes nothing.
    assert_eq!(undo(&repository, "apples", is_good).await?, Some(article("second", 5)));
    assert_eq!(stored(&repository).await?, Some(article("second", 5)));
    assert_eq!(undo(&repository, "apples", |_| false).await?, None);
    assert_eq!(undo(&repository, "nothing", is_good).await?, None);
    Ok(())
}

#[tokio::test]
async fn a_deleted_article_gets_its_last_version_again() -> Result<()> {
    let (repository, _) = database()?;
    written(&repository, &["first", "second"]).await?;
    Article::delete("apples", 2u64).send(&repository).await?.applied()?;
    assert_eq!(undo(&repository, "apples", is_good).await?, Some(article("second", 4)));
    assert_eq!(stored(&repository).await?, Some(article("second", 4)));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_undo_that_failed_is_repeated() -> Result<()> {
    for seed in 0..20 {
        let (repository, faults) = database()?;
        written(&repository, &["first", "second", "oops"]).await?;
        faults.random(seed, Rates::ALL);
        let undone = loop {
            if let Ok(undone) = undo(&repository, "apples", is_good).await {
                break undone.expect("a good version");
            }
        };
        faults.calm();
        faults.settled().await;
        assert_eq!(undone.text, "second");
        assert_eq!(stored(&repository).await?.expect("an article").text, "second", "{seed}");
    }
    Ok(())
}

#[test]
fn an_exported_article_is_found_and_decoded() -> Result<()> {
    let apples = find(EXPORT.as_bytes(), "apples")?.expect("an article");
    assert_eq!((&*apples.text, apples.version, apples.rest.len()), ("Apples keep\nfor weeks.", 3, 3));
    assert_eq!(apples.rest["tags"].as_ss().expect("a set"), &["fruit", "storage"]);
    assert_eq!(apples.rest["picture"].as_b().expect("bytes").as_ref(), b"\x89PNG");
    assert_eq!(find(EXPORT.as_bytes(), "bananas")?, None, "a tombstone");
    assert_eq!(find(EXPORT.as_bytes(), "cherries")?.expect("an article").version, 0, "a row without a version");
    assert_eq!(find(EXPORT.as_bytes(), "elderberries")?, None);
    Ok(())
}

#[test]
fn a_garbled_line_is_an_error_with_its_number() {
    let error = |line: &str| {
        let export = format!("{}\n{line}\n", EXPORT.lines().next().expect("a line"));
        format!("{:#}", find(export.as_bytes(), "bananas").expect_err(line))
    };
    let object = "expected `{\"Item\":{name:{type:value},…}}`";
    for (line, column, problem) in [
        ("", 0, "the line ends too early"),
        (r#"{"Item":{"id":{"S":"bana"#, 24, "the line ends too early"),
        (r#"{"Item":{"id":"bananas"}}"#, 23, object),
        (r#"{"Item":{"id":{"Q":"bananas"}}}"#, 18, object),
        (r#"{"Keys":{"id":{"S":"bananas"}}}"#, 7, object),
    ] {
        let expected = format!("line 2 of the export: not a line of DynamoDB's JSON, at column {column}: {problem}");
        assert_eq!(error(line), expected, "{line}");
    }
    let error = format!("{:#}", find(EXPORT.as_bytes(), "dates").expect_err("no text"));
    assert!(
        error.starts_with("line 4 of the export: ") && error.contains("`text`: expected a string (S), found N"),
        "{error}"
    );
    let zipped: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\xff\xfe";
    let error = format!("{:#}", find(zipped, "dates").expect_err("zipped"));
    assert!(error.starts_with("line 1 of the export: "), "{error}");
}

#[tokio::test]
async fn a_deleted_article_is_put_back_from_the_export() -> Result<()> {
    let (repository, faults) = database()?;
    written(&repository, &["first"]).await?;
    let exported = find(EXPORT.as_bytes(), "apples")?.expect("an article");
    assert!(!put_back(&repository, exported.clone(), None).await?, "it exists");
    Article::delete("apples", 1u64).send(&repository).await?.applied()?;
    faults.on_request(1, |request| request.operation.starts_with("Transact"), Fault::AnswerLost);
    assert!(put_back(&repository, exported.clone(), None).await?);
    // The numbers continue after the deletion, which was version 2.
    assert_eq!(stored(&repository).await?, Some(Article { version: 3, ..exported.clone() }));
    assert!(!put_back(&repository, exported, None).await?, "it is back already");
    Ok(())
}

#[tokio::test]
async fn an_overwritten_article_is_put_back_unless_somebody_else_writes_it() -> Result<()> {
    let (repository, faults) = database()?;
    written(&repository, &["first", "oops"]).await?;
    let exported = find(EXPORT.as_bytes(), "apples")?.expect("an article");
    let load = async || Article::get("apples").consistent().loaded().send(&repository).await;
    let loaded = load().await?.expect("an article");
    article("repaired by hand", 2).put().send(&repository).await?.applied()?;
    assert!(!put_back(&repository, exported.clone(), Some(&loaded)).await?);
    assert_eq!(stored(&repository).await?, Some(article("repaired by hand", 3)));

    let loaded = load().await?.expect("an article");
    faults.on_request(1, |request| request.operation.starts_with("Transact"), Fault::AnswerLost);
    assert!(put_back(&repository, exported.clone(), Some(&loaded)).await?);
    assert_eq!(stored(&repository).await?, Some(Article { version: 4, ..exported.clone() }));
    // A program that counts no versions has removed the row, and the history still has it.
    let key = dyno::aws_sdk_dynamodb::types::AttributeValue::S("apples".to_owned());
    repository.client().delete_item().table_name("articles").key("id", key).send().await?;
    assert!(put_back(&repository, exported.clone(), None).await?);
    assert_eq!(stored(&repository).await?, Some(Article { version: 5, ..exported }));
    Ok(())
}
