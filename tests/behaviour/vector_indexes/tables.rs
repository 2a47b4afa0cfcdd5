//! Tables with vector indexes: creation, addition, readiness, comparison.

use super::{Article, Hit, article};
use dyno::local::Engine;
use dyno::table::Mismatch;
use dyno::{Clock, Entity, ErrorKind, Repository, TableOptions};
use dyno_tests::clock::RunningClock;
use dyno_tests::world;
use std::sync::Arc;
use tokio::time::Instant;

/// The same table before it had an index.
#[derive(Entity)]
#[entity(table = "articles")]
struct Earlier {
    #[partition_key]
    id: String,
}

/// The same index with another declaration.
#[derive(Entity)]
#[entity(table = "articles")]
#[index(name = "similar", vector = embedding, metric = "dot_product", partition = brand, filter(tenant), projection(title))]
struct Other {
    #[partition_key]
    id: String,
    tenant: String,
    brand: String,
    title: String,
    embedding: [f32; 4],
}

#[tokio::test]
async fn a_new_table_has_its_vector_indexes() {
    let world = world::<Article>().await;
    assert_eq!(world.repository.verify_table::<Article>().await.expect("a comparison"), []);
    // A second `create_table` changes nothing.
    let before = world.faults.events().len();
    world.repository.create_table::<Article>().await.expect("nothing to do");
    let events: Vec<String> = world.faults.events()[before..].iter().map(|event| event.operation.clone()).collect();
    assert_eq!(events, ["CreateTable", "DescribeTable", "DescribeTimeToLive", "SearchVectors"]);
}

#[tokio::test]
async fn another_index_of_the_same_name_is_a_difference() {
    let world = world::<Article>().await;
    let found = world.repository.verify_table::<Other>().await.expect("a comparison");
    let expected = "embedding [4], dot_product, partition brand (S), filter tenant (S)";
    let actual = "embedding [3], cosine, partition tenant (S), filter brand (S), filter language (S)";
    let differs = Mismatch::VectorIndexDiffers {
        index: "similar".to_owned(),
        expected: expected.to_owned(),
        found: actual.to_owned(),
    };
    assert_eq!(found.iter().map(|difference| difference.what.clone()).collect::<Vec<_>>(), [differs]);
    let error = world.repository.create_table::<Other>().await.expect_err("it cannot be changed");
    assert_eq!(error.kind(), ErrorKind::TableDiffers);
    assert!(
        error.to_string().contains(&format!("has a vector index `similar` of {actual} instead of {expected}")),
        "{error}"
    );
}

#[tokio::test]
async fn provisioned_capacity_is_refused_before_the_request() {
    let world = world::<Earlier>().await;
    let options = TableOptions::default().provisioned(1, 1);
    let before = world.faults.events().len();
    let error = world.repository.create_table_with::<Article>(&options).await.expect_err("on demand only");
    assert!(error.is_invalid_input() && error.to_string().contains("on demand only"), "{error}");
    assert_eq!(world.faults.events().len(), before);
}

#[tokio::test]
async fn an_index_that_a_table_lacks_is_a_difference() {
    let world = world::<Earlier>().await;
    let found = world.repository.verify_table::<Article>().await.expect("a comparison");
    let missing = Mismatch::VectorIndexMissing { index: "similar".to_owned() };
    assert!(found.iter().any(|difference| difference.what == missing), "{found:?}");
    let search = Article::similar("acme", [0.0; 3]).project::<Hit>();
    let error = search.send(&world.repository).await.expect_err("no index");
    assert!(error.is_index_not_ready() && error.kind() == ErrorKind::Service, "{error}");
    article("1", "1", None).put().send(&world.repository).await.expect("a put");
}

/// DynamoDB fills a new index, and refuses searches for a while after it reports the index as active. In this test, this
/// takes half a minute of the clock's time. `create_table` waits for it.
#[tokio::test(start_paused = true)]
async fn an_index_is_added_to_a_table_and_waited_for_until_it_answers() {
    let clock: Arc<dyn Clock> = Arc::new(RunningClock::new(Instant::now(), 0));
    let engine = Engine::in_memory_with_clock(Arc::clone(&clock)).expect("an engine");
    let repository = Repository::new(engine.client()).with_clock(clock);
    repository.create_table::<Earlier>().await.expect("a table");
    let whole = article("1", "1", Some([1.0, 0.0, 0.0]));
    whole.put().send(&repository).await.expect("a put, before there is an index");
    let before = Instant::now();
    let creating = {
        let repository = repository.clone();
        tokio::spawn(async move { repository.create_table::<Article>().await })
    };
    let search = Article::similar("acme", [1.0, 0.0, 0.0]).project::<Hit>();
    // While the index is filled, a search is refused, and the comparison gives the reason.
    tokio::time::sleep(std::time::Duration::from_secs(8)).await;
    let error = search.clone().send(&repository).await.expect_err("it is being filled");
    assert!(error.is_index_not_ready(), "{error}");
    let found = repository.verify_table::<Article>().await.expect("a comparison");
    let filled = Mismatch::VectorIndexNotReady { index: "similar".to_owned(), status: "being filled".to_owned() };
    assert!(found.iter().any(|difference| difference.what == filled), "{found:?}");
    creating.await.expect("no panic").expect("a table with an index");
    assert!(before.elapsed() >= std::time::Duration::from_secs(30), "{:?}", before.elapsed());
    let found = search.send(&repository).await.expect("it answers");
    assert_eq!(found.items[0].item.title, "1");
    assert_eq!(repository.verify_table::<Article>().await.expect("a comparison"), []);
}

/// Two programs that start at once add the same index.
#[tokio::test(start_paused = true)]
async fn two_programs_add_an_index_at_once() {
    let clock: Arc<dyn Clock> = Arc::new(RunningClock::new(Instant::now(), 0));
    let engine = Engine::in_memory_with_clock(Arc::clone(&clock)).expect("an engine");
    let repository = Repository::new(engine.client()).with_clock(clock);
    repository.create_table::<Earlier>().await.expect("a table");
    let (ours, theirs) = (Repository::new(engine.client()), Repository::new(engine.client()));
    let (ours, theirs) = tokio::join!(ours.create_table::<Article>(), theirs.create_table::<Article>());
    ours.expect("a table");
    theirs.expect("a table");
    assert_eq!(repository.verify_table::<Article>().await.expect("a comparison"), []);
}

/// DynamoDB accepts no vector index while the capacity of the table is provisioned. In this case, `create_table` changes
/// nothing.
#[tokio::test]
async fn a_provisioned_table_is_not_changed_in_part() {
    let world = world::<super::Picture>().await;
    let repository = &world.repository;
    let provisioned = TableOptions::default().provisioned(1, 1);
    repository.create_table_with::<Earlier>(&provisioned).await.expect("a table");
    let protected = TableOptions::default().deletion_protection();
    let before = world.faults.events().len();
    let error = repository.create_table_with::<Article>(&protected).await.expect_err("provisioned");
    assert_eq!(error.kind(), ErrorKind::TableDiffers, "{error}");
    assert!(error.to_string().contains("while its capacity is provisioned: bill it on demand"), "{error}");
    let sent: Vec<String> = world.faults.events()[before..].iter().map(|event| event.operation.clone()).collect();
    assert!(!sent.contains(&"UpdateTable".to_owned()), "{sent:?}");
    let found = repository.verify_table::<Article>().await.expect("a comparison");
    let expected = Mismatch::VectorIndexNeedsOnDemand { index: "similar".to_owned() };
    assert!(found.iter().any(|difference| difference.what == expected), "{found:?}");
}

/// Another program deletes the index while `create_table` waits for it.
#[tokio::test(start_paused = true)]
async fn an_index_that_is_deleted_while_it_is_waited_for_is_added_again() {
    use dyno::aws_sdk_dynamodb::types::{DeleteVectorIndexAction, VectorIndexUpdate};
    let clock: Arc<dyn Clock> = Arc::new(RunningClock::new(Instant::now(), 0));
    let engine = Engine::in_memory_with_clock(Arc::clone(&clock)).expect("an engine");
    let repository = Repository::new(engine.client()).with_clock(clock);
    repository.create_table::<Earlier>().await.expect("a table");
    let creating = {
        let repository = repository.clone();
        tokio::spawn(async move { repository.create_table::<Article>().await })
    };
    tokio::time::sleep(std::time::Duration::from_secs(20)).await;
    let delete = DeleteVectorIndexAction::builder().index_name("similar").build().expect("an action");
    let update = engine.client().update_table().table_name("articles");
    let update = update.vector_index_updates(VectorIndexUpdate::builder().delete(delete).build());
    update.send().await.expect("deleted");
    creating.await.expect("no panic").expect("a table with an index");
    let search = Article::similar("acme", [1.0, 0.0, 0.0]).project::<Hit>();
    assert_eq!(search.send(&repository).await.expect("it answers").items.len(), 0);
}

/// An entity with a secondary index and two vector indexes. Its table has none of them yet.
#[derive(Entity)]
#[entity(table = "articles")]
#[index(name = "by_brand", partition = brand)]
#[index(name = "similar", vector = embedding, partition = brand)]
#[index(name = "similar_images", vector = image, metric = "euclidean")]
struct Indexed {
    #[partition_key]
    id: String,
    brand: String,
    embedding: Option<[f32; 3]>,
    image: Option<[f32; 2]>,
}

/// DynamoDB creates one index of a table at a time, of either kind.
#[tokio::test(start_paused = true)]
async fn indexes_of_both_kinds_are_added_one_after_the_other() {
    let clock: Arc<dyn Clock> = Arc::new(RunningClock::new(Instant::now(), 0));
    let engine = Engine::in_memory_with_clock(Arc::clone(&clock)).expect("an engine");
    let repository = Repository::new(engine.client()).with_clock(clock);
    repository.create_table::<Earlier>().await.expect("a table");
    repository.create_table::<Indexed>().await.expect("a table with three indexes");
    assert_eq!(repository.verify_table::<Indexed>().await.expect("a comparison"), []);
    let whole = Indexed { id: "1".to_owned(), brand: "x".to_owned(), embedding: Some([1.0; 3]), image: Some([1.0; 2]) };
    whole.put().send(&repository).await.expect("a put");
    assert_eq!(Indexed::similar("x", [1.0; 3]).send(&repository).await.expect("a search").items.len(), 1);
    assert_eq!(Indexed::similar_images([1.0; 2]).send(&repository).await.expect("a search").items.len(), 1);
    assert_eq!(Indexed::by_brand("x").send(&repository).await.expect("a query").items.len(), 1);
}

/// A row that was stored before the index: DynamoDB silently leaves it out, and the inspection of the table reports it.
#[tokio::test(start_paused = true)]
async fn a_row_with_another_number_of_dimensions_is_reported_by_the_inspection() {
    use dyno::aws_sdk_dynamodb::types::AttributeValue;
    let clock: Arc<dyn Clock> = Arc::new(RunningClock::new(Instant::now(), 0));
    let engine = Engine::in_memory_with_clock(Arc::clone(&clock)).expect("an engine");
    let repository = Repository::new(engine.client()).with_clock(clock);
    repository.create_table::<Earlier>().await.expect("a table");
    let vector = AttributeValue::L(vec![AttributeValue::N("0.5".to_owned()); 512]);
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let put = engine.client().put_item().table_name("articles").item("id", text("1")).item("embedding", vector);
    let put =
        put.item("tenant", text("acme")).item("brand", text("x")).item("title", text("t")).item("body", text("b"));
    put.send().await.expect("a put");
    repository.create_table::<Article>().await.expect("a table with an index");
    let search = Article::similar("acme", [0.5; 3]).project::<Hit>();
    assert_eq!(search.send(&repository).await.expect("a search").items.len(), 0);
    let error = Article::get("1").send(&repository).await.expect_err("512 numbers");
    assert!(error.is_decode() && error.to_string().contains("`embedding`: expected 3 elements, found 512"), "{error}");
    #[cfg(feature = "all")]
    {
        let inspection = repository.inspect_table::<Article>(10).await.expect("an inspection");
        assert!(inspection.to_string().contains("`embedding`"), "{inspection}");
    }
}
