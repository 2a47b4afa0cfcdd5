//! An item that was deleted or overwritten by mistake: it is restored from its history, or from an export of the table.

use anyhow::{Context as _, Result, anyhow};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::stream::{Changed, Event, Record};
use dyno::{Entity, Error, Item, Loaded, Repository};
use serde::Deserialize;
use std::io::BufRead;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "articles")]
#[tombstone(ttl_days = 30)]
#[history_table(ttl_days = 90)]
pub struct Article {
    #[partition_key]
    pub id: String,
    pub text: String,
    #[version]
    pub version: u64,
    /// Attributes of other programs, which a restored item has again.
    #[attribute(rest)]
    pub rest: Item,
}

/// Takes an article back to its newest version that `is_good` accepts. Returns the article, or `None` if the history has no
/// such version.
pub async fn undo(
    repository: &Repository,
    id: &str,
    is_good: impl Fn(&Article) -> bool,
) -> Result<Option<Article>, Error> {
    let mut revisions = Article::revisions(id).stream(repository);
    let mut is_current = true;
    while let Some(revision) = revisions.next().await {
        let revision = revision?;
        // The revision of a deletion has no content.
        match revision.decode()?.filter(&is_good) {
            // The article is good: an earlier call, whose answer was lost, may have restored it.
            Some(article) if is_current => return Ok(Some(article)),
            Some(_) => {
                let rollback = Article::rollback(id, revision.version());
                return rollback.send(repository).await?.applied().map(Some);
            }
            None => is_current = false,
        }
    }
    Ok(None)
}

/// A line of an export: an item in DynamoDB JSON.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "Item")]
    item: serde_dynamo::Item,
}

/// Finds an article in an unzipped file of an export. An error names the line.
pub fn find(export: impl BufRead, id: &str) -> Result<Option<Article>> {
    let id = AttributeValue::S(id.to_owned());
    for (number, line) in (1..).zip(export.lines()) {
        let line = line.with_context(|| format!("line {number} of the export cannot be read"))?;
        let line: Line = serde_json::from_str(&line).map_err(|error| {
            let place = format!("line {number} of the export, column {}", error.column());
            anyhow!("{place}: expected {{\"Item\": …}} in DynamoDB JSON")
        })?;
        let item = Item::from(line.item);
        if item.get("id") == Some(&id) {
            return decode(item).with_context(|| format!("line {number} of the export"));
        }
    }
    Ok(None)
}

/// Decodes an item as a consumer of the table's stream does: through `upgrade`, and `None` for a tombstone.
fn decode(item: Item) -> Result<Option<Article>, Error> {
    let record = Record::new(Event::Insert, item.clone()).with_new_image(item);
    Ok(match record.change::<Article>()? {
        Some(Changed::Created { new }) => Some(new),
        _ => None,
    })
}

/// Puts an exported article in the place of what is stored: of nothing, or of the item that you have loaded and looked at.
/// Returns false if something else is stored by now.
pub async fn put_back(
    repository: &Repository,
    exported: Article,
    stored: Option<&Loaded<Article>>,
) -> Result<bool, Error> {
    let outcome = match stored {
        // Refused if a live item exists. The version continues from the tombstone or the history.
        None => exported.create().send(repository).await?,
        // Refused if anything in the item has changed since it was loaded.
        Some(stored) => {
            let article = Article { version: stored.entity.version, ..exported };
            article.put().over(stored).send(repository).await?
        }
    };
    Ok(outcome.is_applied())
}
