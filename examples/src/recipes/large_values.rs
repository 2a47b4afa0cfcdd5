//! A document whose text is too large for an item: the text is an object in a store such as S3, and the item has its name.

use dyno::{Entity, Error, Repository};
use sha2::{Digest, Sha256};
use std::time::Duration;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "documents")]
#[index(name = "by_text", partition = text)]
pub struct Document {
    #[partition_key]
    pub id: String,
    pub title: String,
    /// The name of the object that holds the text: the hash of the text.
    pub text: String,
    #[version]
    pub version: u64,
}

/// A store of objects, such as a bucket of S3.
pub trait Objects {
    /// Stores an object. If it exists, this renews its age.
    fn put(&self, name: &str, bytes: &[u8]) -> impl Future<Output = Result<(), Error>>;
    fn get(&self, name: &str) -> impl Future<Output = Result<Option<Vec<u8>>, Error>>;
    fn delete_if_older(&self, name: &str, age: Duration) -> impl Future<Output = Result<(), Error>>;
}

/// The name of the object that holds this text.
fn name_of(text: &[u8]) -> String {
    Sha256::digest(text).iter().fold(String::new(), |name, byte| format!("{name}{byte:02x}"))
}

/// Stores a document and its text. Returns false if somebody else has changed the document.
pub async fn save(
    repository: &Repository,
    objects: &impl Objects,
    mut document: Document,
    text: &[u8],
) -> Result<bool, Error> {
    document.text = name_of(text);
    // First the object, then the item: so an item never names an object that is missing.
    objects.put(&document.text, text).await?;
    Ok(document.put().send(repository).await?.is_applied())
}

/// Loads a text.
pub async fn load(repository: &Repository, objects: &impl Objects, id: &str) -> Result<Option<Vec<u8>>, Error> {
    match Document::get(id).consistent().send(repository).await? {
        Some(document) => objects.get(&document.text).await,
        None => Ok(None),
    }
}

/// Longer than any `save` takes, and than the index is late.
const GRACE: Duration = Duration::from_hours(24);

/// Removes an object that no document names. A consumer of the table's stream calls this a day after a document changed or
/// was deleted, with the text that the document had before.
pub async fn collect(repository: &Repository, objects: &impl Objects, text: &str) -> Result<(), Error> {
    let named = Document::by_text(text).limit(1).send(repository).await?;
    if named.items.is_empty() {
        // A `save` may be about to name the object again. It has renewed the object's age.
        objects.delete_if_older(text, GRACE).await?;
    }
    Ok(())
}
