//! Rows of older and newer shapes, and of other programs; and `modify_each` beside each writer.

use super::{Kind, Promise, Told, record, tables};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "articles", schema_version = 2, upgrade = "upgrade")]
struct Article {
    #[partition_key]
    id: String,
    #[attribute(alias = "title")]
    headline: String,
    words: u64,
    #[version]
    version: u64,
}

#[expect(clippy::unnecessary_wraps, reason = "the attribute's form")]
fn upgrade(item: &mut Item, _: u32) -> Result<(), String> {
    item.entry("words".to_owned()).or_insert_with(|| AttributeValue::N("1".to_owned()));
    Ok(())
}

fn article(who: &str, version: u64) -> Article {
    Article { id: "1".into(), headline: who.into(), words: 7, version }
}

#[test]
fn shapes() {
    let kind = Kind {
        name: "shapes",
        promise: Promise::Once,
        tables: |repository| Box::pin(tables::<Article>(repository)),
        states: states! {
            "live" = |repository| article("old", 0).create().send(&repository).await?.applied()?;
            "older shape" = |repository| {
                let put = repository.client().put_item().table_name("articles").item("id", AttributeValue::S("1".into()));
                put.item("title", AttributeValue::S("old".into())).item("version", AttributeValue::N("1".into()))
                    .item("other", AttributeValue::N("7".into())).send().await.expect("an older row");
            };
        },
        commands: &[
            ("put 1", |repository, who| {
                Box::pin(async move { Told::of(article(who, 1).put().send(&repository).await) })
            }),
            ("modify", |repository, who| {
                Box::pin(async move {
                    Told::of(
                        Article::modify("1", move |article| article.headline.push_str(who)).send(&repository).await,
                    )
                })
            }),
            ("modify_each", |repository, who| {
                Box::pin(async move {
                    let each = Article::scan().modify_each(move |article| article.headline.push_str(who));
                    match each.send(&repository).await {
                        Ok(progress) if progress.changed() == 1 => Told::Applied,
                        Ok(progress) if progress.failures().iter().any(|failure| failure.error().may_be_applied()) => {
                            Told::Unknown
                        }
                        // There was no item, or none that the run had to change.
                        Ok(progress) => Told::Read(format!("{} unchanged", progress.unchanged())),
                        Err(_) => Told::Unknown,
                    }
                })
            }),
            ("set 1", |repository, who| {
                Box::pin(async move {
                    let set = Article::update("1").version(1).with(Article::fields().headline.set(who));
                    Told::of(set.send(&repository).await)
                })
            }),
            ("delete 1", |repository, _| {
                Box::pin(async move { Told::of(Article::delete("1", 1).send(&repository).await) })
            }),
        ],
        hidden: &["_w"],
        names: &["articles"],
        view: None,
    };
    record(&kind.explore());
}
