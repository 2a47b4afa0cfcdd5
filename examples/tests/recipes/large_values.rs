use super::database;
use dyno::Error;
use dyno_examples::recipes::large_values::{Document, Objects, collect, load, save};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

/// Objects in memory, each with its age.
#[derive(Default)]
struct Memory(Mutex<HashMap<String, (Vec<u8>, Duration)>>);

impl Memory {
    fn all_grow_older(&self, time: Duration) {
        self.0.lock().expect("objects").values_mut().for_each(|(_, age)| *age += time);
    }
}

impl Objects for Memory {
    async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        self.0.lock().expect("objects").insert(name.to_owned(), (bytes.to_vec(), Duration::ZERO));
        Ok(())
    }

    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.0.lock().expect("objects").get(name).map(|(bytes, _)| bytes.clone()))
    }

    async fn delete_if_older(&self, name: &str, limit: Duration) -> Result<(), Error> {
        self.0.lock().expect("objects").retain(|object, (_, age)| object != name || *age <= limit);
        Ok(())
    }
}

#[tokio::test]
async fn a_text_stays_as_long_as_a_document_names_it() -> Result<(), Error> {
    let (repository, _) = database()?;
    repository.create_table::<Document>().await?;
    let objects = Memory::default();
    let document = |id: &str, version| Document { id: id.into(), title: "t".into(), text: String::new(), version };
    assert!(save(&repository, &objects, document("1", 0), b"first").await?);
    assert!(save(&repository, &objects, document("2", 0), b"first").await?, "two documents with one text");
    let name = Document::get("1").send(&repository).await?.expect("the document").text;

    assert!(save(&repository, &objects, document("1", 1), b"second").await?);
    assert!(!save(&repository, &objects, document("1", 1), b"third").await?, "somebody else was faster");
    assert_eq!(load(&repository, &objects, "1").await?.as_deref(), Some(&b"second"[..]));

    objects.all_grow_older(Duration::from_hours(48));
    collect(&repository, &objects, &name).await?;
    assert_eq!(load(&repository, &objects, "2").await?.as_deref(), Some(&b"first"[..]));

    assert!(save(&repository, &objects, document("2", 1), b"fourth").await?);
    // A process is about to store the first text again: its object is new, and the document is not there yet.
    objects.put(&name, b"first").await?;
    collect(&repository, &objects, &name).await?;
    assert!(objects.get(&name).await?.is_some());
    objects.all_grow_older(Duration::from_hours(48));
    collect(&repository, &objects, &name).await?;
    assert!(objects.get(&name).await?.is_none());
    Ok(())
}
