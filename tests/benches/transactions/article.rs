//! The protocol of the article "From CD to ACID", for updates of items that exist and that no other writer changes.
//!
//! Each add is conditional on the record's revision, so the adds run one after the other. Once an item is added, it is
//! locked, saved, verified and applied, one step after the other. These steps run concurrently for all items, while further
//! items are added. After the commit, items are unlocked and images are deleted concurrently, a hundred at a time, as dyno
//! applies its writes.
//!
//! The article counts the verification of an item among the writes. But its text describes the verification as another read
//! of the record, and its implementation in Java reads the record. So it counts as a read here.

use dyno::Item;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::types::{AttributeValue, ConsumedCapacity, ReturnConsumedCapacity, ReturnValue};
use dyno_tests::{item, n, s};
use futures_util::{StreamExt as _, stream};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinSet;

/// The table of the records, and of the images.
pub(crate) const RECORDS: &str = "transactions";
/// The update of an item, as the record stores it.
const UPDATE: &str = "SET #sum = #sum + :one, #version = #version + :one";
/// The record's key.
const RECORD: &str = "c0ffee00-0000-4000-8000-000000000000";
/// How many items are unlocked, or images deleted, at once.
const AT_ONCE: usize = 100;

/// The requests that were sent, and what they cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub(crate) reads: usize,
    pub(crate) writes: usize,
    pub(crate) read_units: f64,
    pub(crate) write_units: f64,
}

/// The coordinator of one transaction.
#[derive(Debug)]
pub(crate) struct Article {
    client: Client,
    table: &'static str,
    sent: Mutex<Sent>,
}

impl Article {
    pub(crate) fn new(client: Client, table: &'static str) -> Arc<Self> {
        Arc::new(Self { client, table, sent: Mutex::default() })
    }

    pub(crate) fn sent(&self) -> Sent {
        *self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates all items of these names.
    pub(crate) async fn send(self: &Arc<Self>, names: &[String]) {
        self.create().await;
        let mut items = JoinSet::new();
        for (at, name) in names.iter().enumerate() {
            self.add(at, name).await;
            let (article, name) = (Arc::clone(self), name.clone());
            items.spawn(async move {
                let image = article.lock(&name).await;
                article.save(&name, image).await;
                article.verify().await;
                article.apply(&name).await;
            });
        }
        items.join_all().await;
        self.mark("pending", "committed", names.len()).await;
        let ends = names
            .iter()
            .flat_map(|name| [(name, true), (name, false)])
            .map(async |(name, is_item)| if is_item { self.unlock(name).await } else { self.drop_image(name).await });
        stream::iter(ends).buffer_unordered(AT_ONCE).collect::<()>().await;
        self.mark("committed", "complete", names.len()).await;
        self.delete().await;
    }

    async fn create(&self) {
        let record = item([
            ("id", s(RECORD)),
            ("tx_state", s("pending")),
            ("tx_rev", n(0)),
            ("requests", AttributeValue::M(Item::new())),
        ]);
        let put = self.client.put_item().table_name(RECORDS).set_item(Some(record));
        let put = put.condition_expression("attribute_not_exists(id)");
        let put = put.return_consumed_capacity(ReturnConsumedCapacity::Total);
        self.wrote(put.send().await.expect("created").consumed_capacity);
    }

    async fn add(&self, at: usize, name: &str) {
        let request = item([("table", s(self.table)), ("key", s(name)), ("update", s(UPDATE))]);
        let update = self.client.update_item().table_name(RECORDS).key("id", s(RECORD));
        let update = update
            .update_expression("SET requests.#rid = :request, tx_rev = :next")
            .condition_expression("tx_state = :pending AND tx_rev = :rev")
            .expression_attribute_names("#rid", name)
            .expression_attribute_values(":request", AttributeValue::M(request))
            .expression_attribute_values(":pending", s("pending"))
            .expression_attribute_values(":rev", n(at))
            .expression_attribute_values(":next", n(at + 1))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        self.wrote(update.send().await.expect("added").consumed_capacity);
    }

    /// Returns the item as it was, with its lock.
    async fn lock(&self, name: &str) -> Item {
        let update = self.client.update_item().table_name(self.table).key("id", s(name));
        let update = update
            .update_expression("SET tx_lock = :tx, tx_since = :now")
            .condition_expression("attribute_exists(id) AND attribute_not_exists(tx_lock)")
            .expression_attribute_values(":tx", s(RECORD))
            .expression_attribute_values(":now", n(dyno_tests::NOW))
            .return_values(ReturnValue::AllNew)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let locked = update.send().await.expect("locked");
        self.wrote(locked.consumed_capacity);
        locked.attributes.expect("the item")
    }

    async fn save(&self, name: &str, mut image: Item) {
        image.insert("id".to_owned(), image_id(name));
        let put = self.client.put_item().table_name(RECORDS).set_item(Some(image));
        let put = put.condition_expression("attribute_not_exists(id)");
        let put = put.return_consumed_capacity(ReturnConsumedCapacity::Total);
        self.wrote(put.send().await.expect("saved").consumed_capacity);
    }

    /// Asserts that the record is pending. DynamoDB charges for the whole record, whatever the projection.
    async fn verify(&self) {
        let get = self.client.get_item().table_name(RECORDS).key("id", s(RECORD)).consistent_read(true);
        let get = get.projection_expression("tx_state").return_consumed_capacity(ReturnConsumedCapacity::Total);
        let got = get.send().await.expect("read");
        assert_eq!(got.item.expect("the record")["tx_state"], s("pending"));
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.reads += 1;
        sent.read_units += units(got.consumed_capacity);
    }

    async fn apply(&self, name: &str) {
        let update = self.client.update_item().table_name(self.table).key("id", s(name));
        let update = update
            .update_expression(format!("{UPDATE}, tx_applied = :yes"))
            .condition_expression("tx_lock = :tx AND attribute_not_exists(tx_applied)")
            .expression_attribute_names("#sum", "sum")
            .expression_attribute_names("#version", "version")
            .expression_attribute_values(":one", n(1))
            .expression_attribute_values(":yes", AttributeValue::Bool(true))
            .expression_attribute_values(":tx", s(RECORD))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        self.wrote(update.send().await.expect("applied").consumed_capacity);
    }

    /// Changes the state of the record: commits or completes.
    async fn mark(&self, from: &str, to: &str, requests: usize) {
        let update = self.client.update_item().table_name(RECORDS).key("id", s(RECORD));
        let update = update
            .update_expression("SET tx_state = :to")
            .condition_expression("tx_state = :from AND tx_rev = :rev")
            .expression_attribute_values(":from", s(from))
            .expression_attribute_values(":to", s(to))
            .expression_attribute_values(":rev", n(requests))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        self.wrote(update.send().await.expect("marked").consumed_capacity);
    }

    async fn unlock(&self, name: &str) {
        let update = self.client.update_item().table_name(self.table).key("id", s(name));
        let update = update
            .update_expression("REMOVE tx_lock, tx_since, tx_applied")
            .condition_expression("tx_lock = :tx")
            .expression_attribute_values(":tx", s(RECORD))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        self.wrote(update.send().await.expect("unlocked").consumed_capacity);
    }

    async fn drop_image(&self, name: &str) {
        let delete = self.client.delete_item().table_name(RECORDS).key("id", image_id(name));
        let delete = delete.return_consumed_capacity(ReturnConsumedCapacity::Total);
        self.wrote(delete.send().await.expect("dropped").consumed_capacity);
    }

    async fn delete(&self) {
        let delete = self.client.delete_item().table_name(RECORDS).key("id", s(RECORD));
        let delete = delete
            .condition_expression("tx_state = :complete")
            .expression_attribute_values(":complete", s("complete"))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        self.wrote(delete.send().await.expect("deleted").consumed_capacity);
    }

    fn wrote(&self, consumed: Option<ConsumedCapacity>) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.writes += 1;
        sent.write_units += units(consumed);
    }
}

fn image_id(name: &str) -> AttributeValue {
    s(&format!("{RECORD}#{name}"))
}

fn units(consumed: Option<ConsumedCapacity>) -> f64 {
    consumed.and_then(|consumed| consumed.capacity_units).expect("what it has cost")
}

/// Returns the size in bytes of a record of `requests` requests, by the rules that DynamoDB documents.
pub(crate) fn record_bytes(table: &str, requests: usize, state: &str) -> usize {
    let digits = requests.to_string().trim_end_matches('0').len();
    let fixed = 2 + RECORD.len() + 8 + state.len() + 6 + 1 + digits.div_ceil(2) + 8 + 3;
    let texts = [("table", table.len()), ("key", 5), ("update", UPDATE.len())];
    // A map takes 3 bytes, and 1 for each of its attributes.
    let request: usize = texts.iter().map(|(name, bytes)| 1 + name.len() + bytes).sum();
    fixed + requests * (1 + 5 + 3 + request)
}
