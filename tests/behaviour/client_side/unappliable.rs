//! Committed changes that DynamoDB rejects, and changes that it would always reject.

use super::{Account, account, bank, creates, heads};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection, ProjectionType,
    ScalarAttributeType,
};
use dyno::{Entity, Repository, Sweep, Transaction};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{World, is_remote, n, s, world};

#[derive(Entity, Clone)]
#[entity(table = "labels")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Label {
    #[partition_key]
    id: String,
    colour: String,
    #[version]
    version: u64,
}

fn label(id: &str, colour: &str) -> Label {
    Label { id: id.to_owned(), colour: colour.to_owned(), version: 0 }
}

/// A table with an index by `colour`, which the entity does not declare.
async fn labels() -> World {
    let world = world::<Account>().await;
    world.create_lanes().await;
    let attribute = |name: &str| {
        let attribute = AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S);
        attribute.build().expect("an attribute")
    };
    let key =
        |name: &str| KeySchemaElement::builder().attribute_name(name).key_type(KeyType::Hash).build().expect("a key");
    let index = GlobalSecondaryIndex::builder().index_name("by_colour").key_schema(key("colour"));
    let index = index.projection(Projection::builder().projection_type(ProjectionType::KeysOnly).build());
    let other = world.other();
    let create = other.client().create_table().table_name("labels").billing_mode(BillingMode::PayPerRequest);
    let create = create.attribute_definitions(attribute("id")).attribute_definitions(attribute("colour"));
    let create = create.key_schema(key("id")).global_secondary_indexes(index.build().expect("an index"));
    create.send().await.expect("a table");
    world
}

/// An intent can hold an invalid index key, but no process could ever apply it, so the transaction is refused.
#[tokio::test]
async fn an_invalid_index_key_is_refused_before_any_intent() {
    let world = labels().await;
    for colour in ["", &"x".repeat(3000)] {
        let before = world.faults.events().len();
        let both = Transaction::new().put([label("a", "red").create(), label("b", colour).create()]).client_side();
        let error = both.send(&world.repository).await.expect_err("no key");
        assert!(error.is_invalid_input(), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("action 1 of the transaction") && text.contains("`by_colour`"), "{text}");
        let writes = world.faults.events()[before..].iter().filter(|event| event.tables().contains("labels")).count();
        // At most one request, a `DescribeTable` for the indexes, was sent to the table.
        assert!(writes <= 1, "{writes}");
    }
    let both = Transaction::new().put([label("a", "red").create(), label("b", "blue").create()]).client_side();
    both.send(&world.repository).await.expect("sent").applied().expect("applied");
}

/// A process without permission for `DescribeTable` commits without knowing the indexes.
#[tokio::test]
async fn a_transaction_commits_without_the_right_to_describe_the_table() {
    let world = labels().await;
    let is_asked = |event: &Event| event.operation == "DescribeTable";
    let before = world.faults.events().len();
    world.faults.on_request(1, is_asked, Fault::ErrorCode("AccessDeniedException"));
    for id in ["a", "b"] {
        let made = Transaction::new().put(label(id, "red").create()).client_side();
        made.send(&world.repository).await.expect("sent").applied().expect("applied");
    }
    assert_eq!(world.faults.events()[before..].iter().filter(|event| is_asked(event)).count(), 1);
    let differences = world.repository.verify_table::<Label>().await.expect("described");
    let texts: Vec<_> = differences.iter().map(ToString::to_string).collect();
    assert!(
        texts.iter().any(|text| text.contains("has an index `by_colour` by `colour`, which no entity declares")),
        "{texts:?}"
    );
}

async fn balance(repository: &Repository, is_consistent: bool) -> Option<u64> {
    let get = Account::get("b");
    let got = if is_consistent { get.consistent().send(repository).await } else { get.send(repository).await };
    got.expect("a get").map(|account| account.balance)
}

/// The change is counted as unapplied. Consistent reads show it at once, and plain reads show it when it is applied.
#[tokio::test]
async fn a_committed_change_that_dynamodb_refuses_is_counted_as_unapplied() {
    let world = bank(0).await;
    let is_apply = |event: &Event| event.text().starts_with("UpdateItem accounts {id=\"b\"}");
    world.faults.on_request(1, is_apply, Fault::ErrorCode("ValidationException"));
    let both = Transaction::new().put([account("a", 1).create(), account("b", 2).create()]).client_side();
    let committed = both.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!((committed.unapplied(), world.faults.unmet()), (1, 0));
    world.faults.thaw_replica();
    assert_eq!(balance(&world.repository, false).await, None);
    // The lane row keeps its participants, so that no process takes the lane over before the change is applied.
    assert!(heads(&world).await[0].contains_key("participants"));
    assert_eq!(balance(&world.repository, true).await, Some(2));
    assert_eq!(balance(&world.repository, false).await, Some(2));
    let next = Transaction::new().put(account("c", 3).create()).client_side();
    next.send(&world.repository).await.expect("sent").applied().expect("applied");
    let heads = heads(&world).await;
    assert_eq!((heads.len(), &heads[0]["void"]), (1, &n(1_000_000_000_000_u64)), "it was adopted");
}

/// An apply without an answer is sent again for as long as the lock timeout lasts.
#[tokio::test(start_paused = true)]
async fn an_unanswered_apply_is_resent_until_applied() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    let process = world.process(RetryConfig::disabled()).along();
    for time in 1..=3 {
        let is_apply = |event: &Event| event.text().starts_with("UpdateItem accounts {id=\"b\"}");
        process.faults.on_request(time, is_apply, Fault::ConnectionRefused);
    }
    let committed = creates(&["a", "b"]).send(&process.repository).await.expect("sent").applied().expect("applied");
    assert_eq!((committed.unapplied(), process.faults.unmet()), (0, 0));
    assert!(world.stored::<Account>().await.iter().all(|item| !item.contains_key("_x")));
}

/// The way out for an item whose committed change DynamoDB refuses each time (docs/client-side-transactions.md, "If a committed
/// change cannot be applied"): no write of it passes, and no process takes the lane over, until the item is put by hand.
#[tokio::test]
async fn an_item_whose_change_cannot_be_applied_is_repaired_by_hand() {
    let world = labels().await;
    // Without the right to describe the table, the process does not know of the index.
    let process = world.process(RetryConfig::disabled());
    process.faults.on_request(
        1,
        |event: &Event| event.operation == "DescribeTable",
        Fault::ErrorCode("AccessDeniedException"),
    );
    let made = Transaction::new().put([label("a", "red").create(), label("b", "").create()]).client_side();
    let committed = made.send(&process.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(committed.unapplied(), 1);
    let error = label("b", "blue").put().send(&world.repository).await.expect_err("it cannot be applied");
    assert!(
        error.to_string().contains("the committed change of a transaction cannot be applied to the item"),
        "{error}"
    );
    let report = Sweep::new().of::<Label>().send(&world.repository).await.expect("a sweep");
    assert_eq!(report.failed(), 1, "{report:?}");

    // The item as it is committed, without the intent; and the intent's ID.
    let client = world.other().client().clone();
    let loaded = Label::get("b").consistent().loaded().send(&world.repository).await.expect("a get").expect("an item");
    let row = client.get_item().table_name("labels").key("id", s("b")).consistent_read(true).send().await;
    let row = row.expect("a get").item.expect("a row");
    let id = row["_x"].as_m().expect("an intent")["id"].clone();
    let mut item = loaded.item().clone();
    item.insert("colour".to_owned(), s("none"));
    let put = client.put_item().table_name("labels").set_item(Some(item.clone()));
    let put = put.condition_expression("#x.id = :id").expression_attribute_names("#x", "_x");
    put.expression_attribute_values(":id", id).send().await.expect("put by hand");

    let report = Sweep::new().of::<Label>().send(&world.repository).await.expect("a sweep");
    assert_eq!((report.failed(), report.overwritten().len()), (0, 0), "{report:?}");
    label("b", "blue").replace().send(&world.repository).await.map(drop).expect("an answer");
    let next = Transaction::new().put(label("c", "green").create()).client_side();
    next.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert!(heads(&world).await.iter().all(|head| head.contains_key("owner")));
}
