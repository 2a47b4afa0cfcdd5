//! An item that was deleted or overwritten by mistake: it is restored from its history, or from an export of the table.

use anyhow::{Context as _, Result};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::json_lines::Line;
use dyno::{Entity, EpochMillis, Error, Item, Loaded, Repository};
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

/// Finds an article in an unzipped file of an export. An error names the line.
pub fn find(export: impl BufRead, id: &str, now: EpochMillis) -> Result<Option<Article>> {
    let id = AttributeValue::S(id.to_owned());
    for (number, line) in (1..).zip(export.lines()) {
        let place = || format!("line {number} of the export");
        let line: Line = line.with_context(place)?.parse().with_context(place)?;
        if line.item().get("id") == Some(&id) {
            // Through `upgrade`, as each read; and `None` for a tombstone.
            return line.read(now).with_context(place);
        }
    }
    Ok(None)
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
