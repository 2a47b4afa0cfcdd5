//! Texts and their vectors in transactions of each kind.

use dyno::{Entity, Projection, Reason, Transaction};
use dyno_tests::{item, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "posts")]
#[tombstone(ttl_days = 7)]
#[transactional]
#[index(name = "similar", vector = vector, of(text), partition = blog, projection = "keys")]
struct Post {
    #[partition_key]
    id: String,
    blog: String,
    text: String,
    vector: Option<[f32; 2]>,
    #[version]
    version: u64,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Post, index = PostSimilar)]
struct Id {
    id: String,
}

const X: [f32; 2] = [1.0, 0.0];

fn post(id: &str) -> Post {
    Post { id: id.to_owned(), blog: "b".to_owned(), text: "old".to_owned(), vector: Some(X), version: 0 }
}

async fn vectors(repository: &dyno::Repository) -> Vec<Option<[f32; 2]>> {
    let posts = Post::batch_get(["1", "2"]).send(repository).await.expect("a batch");
    posts.into_iter().map(|post| post.expect("a post").vector).collect()
}

#[tokio::test]
async fn a_native_transaction_removes_the_vectors_of_changed_texts() {
    let world = world::<Post>().await;
    let repository = world.repository.metered();
    for id in ["1", "2"] {
        applied!(post(id).put(), &repository);
    }
    let change = |id: &str| Post::update(id).version(1u64).with(Post::fields().text.set("new"));
    let outcome = Transaction::new().update(change("1")).update(change("2")).send(&repository).await;
    outcome.expect("sent").applied().expect("applied");
    assert_eq!(vectors(&repository).await, [None, None]);
    let embed = |id: &str, text: &str| Post::embed(id, text, X).unchecked();
    let outcome = Transaction::new().update(embed("1", "new")).update(embed("2", "old")).send(&repository).await;
    let refusal = outcome.expect("sent").applied().expect_err("one text is another");
    assert!(refusal.to_string().contains("the stored `text` has changed since the vector was computed"), "{refusal}");
    assert_eq!(vectors(&repository).await, [None, None]);
    assert!(repository.usage().vector_write_bytes > 0.0);
}

#[tokio::test]
async fn a_client_side_transaction_does_the_same() {
    let world = world::<Post>().await;
    let repository = &world.repository;
    repository.create_lane_table().await.expect("a lane table");
    for id in ["1", "2"] {
        applied!(post(id).put(), repository);
    }
    let change = |id: &str| Post::update(id).version(1u64).with(Post::fields().text.set("new"));
    let outcome = Transaction::new().update(change("1")).update(change("2")).client_side().send(repository).await;
    outcome.expect("sent").applied().expect("applied");
    assert_eq!(vectors(repository).await, [None, None]);
    let embed = |id: &str| Post::embed(id, "new", X).unchecked();
    let outcome = Transaction::new().update(embed("1")).update(embed("2")).client_side().send(repository).await;
    outcome.expect("sent").applied().expect("applied");
    assert_eq!(vectors(repository).await, [Some(X), Some(X)]);
    let found = Post::similar("b", X).project::<Id>().send(repository).await.expect("a search");
    assert_eq!(found.items.len(), 2);
}

#[tokio::test]
async fn an_interactive_transaction_does_the_same() {
    let world = world::<Post>().await;
    let repository = &world.repository;
    applied!(post("1").put(), repository);
    applied!(post("2").put(), repository);
    let change = Transaction::interactive(|tx| async move {
        let mut first = tx.get(Post::get("1")).await?.ok_or("no post")?;
        first.text = "new".to_owned();
        first.vector = None;
        tx.put(first.put());
        tx.update(Post::update("2").unchecked().with(Post::fields().text.set("new")));
        Ok(())
    });
    change.send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(vectors(repository).await, [None, None]);
}

/// Another program has made an index that this entity does not declare. A value that DynamoDB would refuse must not be
/// committed in an intent, because no process could ever apply it.
#[tokio::test]
async fn a_value_that_a_vector_index_does_not_take_is_refused_before_it_is_committed() {
    #[derive(Entity)]
    #[entity(table = "posts")]
    #[tombstone(ttl_days = 7)]
    #[transactional]
    struct Foreign {
        #[partition_key]
        id: String,
        vector: Vec<f32>,
        #[version]
        version: u64,
    }

    let world = world::<Post>().await;
    let repository = &world.repository;
    repository.create_lane_table().await.expect("a lane table");
    let foreign = |id: &str, vector: Vec<f32>| Foreign { id: id.to_owned(), vector, version: 0 };
    let (wrong, right) = (foreign("1", vec![1.0]), foreign("2", vec![1.0, 0.0]));
    let error = Transaction::new().put(wrong.create()).put(right.create()).client_side().send(repository).await;
    let error = error.expect_err("a vector of one dimension");
    assert!(error.is_invalid_input(), "{error}");
    assert!(error.to_string().contains("because of the index `similar`: it is a vector of 2 32-bit floats"), "{error}");
    assert_eq!(world.stored::<Post>().await.len(), 0);
    // An embedding of another text is refused on an existing row.
    world.write_foreign::<Post>(item([("id", s("3")), ("blog", s("b")), ("text", s("t")), ("version", n(1))])).await;
    assert_eq!(
        refused!(Post::embed("3", "other", X).unchecked(), repository),
        [Reason::OtherText { attribute: "text" }]
    );
}
