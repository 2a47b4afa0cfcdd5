//! A search of articles by similarity. The embeddings come late: a consumer of the table's stream computes them.

use dyno::stream::{Changed, Record};
use dyno::{Entity, Error, Projection, Repository};

/// The dimensions of the model.
pub const DIMENSIONS: usize = 64;

/// An article, whose embedding is computed after it has been written.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "articles")]
#[tombstone(ttl_days = 7)]
#[index(
    name = "similar",
    vector = embedding,
    of(title, body),
    partition = language,
    filter(section),
    projection(title)
)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Article {
    #[partition_key]
    pub id: String,
    pub language: String,
    pub section: String,
    pub title: String,
    pub body: String,
    pub embedding: Option<[f32; DIMENSIONS]>,
}

/// What a search shows of an article.
#[derive(Projection, Clone, Debug, PartialEq)]
#[projection(of = Article, index = ArticleSimilar)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Hit {
    pub id: String,
    pub title: String,
}

/// A small model without training: it counts the groups of three letters in a text. Texts with the same words have similar vectors. A
/// real program asks a model over the network here.
#[must_use]
pub fn embed(text: &str) -> [f32; DIMENSIONS] {
    let mut vector = [0.0; DIMENSIONS];
    for word in text.to_lowercase().split(|char: char| !char.is_alphanumeric()).filter(|word| word.len() > 2) {
        let letters: Vec<char> = format!(" {word} ").chars().collect();
        for group in letters.windows(3) {
            let hash = group.iter().fold(7_usize, |hash, letter| hash.wrapping_mul(31).wrapping_add(*letter as usize));
            vector[hash % DIMENSIONS] += 1.0;
        }
    }
    vector
}

/// Returns the text of which an article's embedding is made.
fn text(title: &str, body: &str) -> String {
    format!("{title}\n{body}")
}

/// Embeds what a record of the stream shows, if the record shows an article without an embedding. A record that comes late, or twice,
/// changes nothing. Returns whether an embedding was stored.
///
/// # Errors
/// The record is not of an article's shape, or the update failed: then deliver the record again.
pub async fn consume(record: Record, repository: &Repository) -> Result<bool, Error> {
    let article = match record.change::<Article>()? {
        Some(Changed::Created { new } | Changed::Updated { new, .. }) if new.embedding.is_none() => new,
        _ => return Ok(false),
    };
    let embedding = embed(&text(&article.title, &article.body));
    // While the model was busy, the article may have changed. Then this is refused, and the next record has the newer text. If the article
    // was deleted, this is refused as well, and nothing is left to do.
    let update = Article::embed(article.id, (article.title, article.body), embedding);
    Ok(update.send(repository).await?.accept_stale()?.is_some())
}

/// Finds the articles of a language that are most similar to a question, with their distances from it.
///
/// # Errors
/// Those of the search.
pub async fn search(
    language: &str,
    section: Option<&str>,
    question: &str,
    repository: &Repository,
) -> Result<Vec<(f64, Hit)>, Error> {
    let mut search = Article::similar(language, embed(question)).top(3);
    if let Some(section) = section {
        search = search.filter(ArticleSimilar::section(section));
    }
    let found = search.project::<Hit>().send(repository).await?;
    Ok(found.into_iter().map(|found| (found.score, found.item)).collect())
}
