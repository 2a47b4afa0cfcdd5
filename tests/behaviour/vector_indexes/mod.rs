//! Vector indexes: what a search finds, and that no item keeps the vector of an earlier text.

mod embedding;
mod facts;
mod groups;
mod metrics;
mod modify;
mod search;
mod tables;
#[cfg(feature = "all")]
mod transactions;

use dyno::{Entity, EpochSeconds, Projection};
use dyno_tests::NOW;

/// An article whose embedding comes later.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "articles")]
#[tombstone(ttl_days = 7)]
#[index(name = "similar", vector = embedding, of(title, body), partition = tenant, filter(brand, language), projection(title))]
struct Article {
    #[partition_key]
    id: String,
    tenant: String,
    brand: String,
    language: Option<String>,
    title: String,
    body: String,
    embedding: Option<[f32; 3]>,
}

#[derive(Projection, Clone, Debug, PartialEq)]
#[projection(of = Article, index = ArticleSimilar)]
struct Hit {
    id: String,
    title: String,
}

/// A picture that is written together with its vector, and that expires.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pictures")]
#[index(name = "near", vector = vector, of(caption), metric = "euclidean", projection = "all")]
struct Picture {
    #[partition_key]
    id: String,
    caption: String,
    vector: Box<[f32; 2]>,
    #[ttl]
    expires: Option<EpochSeconds>,
}

fn article(id: &str, title: &str, embedding: Option<[f32; 3]>) -> Article {
    Article {
        id: id.to_owned(),
        tenant: "acme".to_owned(),
        brand: "x".to_owned(),
        language: None,
        title: title.to_owned(),
        body: "…".to_owned(),
        embedding,
    }
}

fn picture(id: &str, vector: [f32; 2]) -> Picture {
    Picture { id: id.to_owned(), caption: id.to_owned(), vector: Box::new(vector), expires: None }
}

fn soon() -> EpochSeconds {
    EpochSeconds::new(NOW / 1000 + 60)
}
