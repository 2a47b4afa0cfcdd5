//! Lane rows and intents of client-side transactions, as another process writes them.

use crate::{World, item, n, s};
use dyno::Item;
use dyno::aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};

/// The lane table.
pub const LANES: &str = "dyno-lanes";

/// The transaction ID. The transaction is on lane `1`.
pub const TICKET: &str = "1/a1b2/7/c3d4";

/// The head of the lane, which is its lane row: the number and the nonce of the last commit, and the number up to which all
/// other attempts are aborted.
#[must_use]
pub fn head(committed: u64, nonce: &str, void: u64) -> Item {
    let mut head = item([
        ("lane", s("1")),
        ("part", s("#")),
        ("born", s("a1b2")),
        ("committed", n(committed)),
        ("void", n(void)),
        ("owner", s("another process")),
        ("beat", n(1)),
        ("epochs", AttributeValue::M(Item::new())),
    ]);
    if !nonce.is_empty() {
        head.insert("try".to_owned(), s(nonce));
    }
    head
}

/// The head while the attempt of `TICKET` is neither committed nor aborted.
#[must_use]
pub fn open() -> Item {
    head(6, "before", 0)
}

/// The head after the attempt of `TICKET` has committed.
#[must_use]
pub fn committed() -> Item {
    head(7, "c3d4", 0)
}

/// The head after the attempt of `TICKET` was aborted.
#[must_use]
pub fn void() -> Item {
    head(6, "before", 7)
}

/// The intent of a transaction that sets these attributes.
#[must_use]
pub fn intent(ticket: &str, set: Item) -> Item {
    item([("id", s(ticket)), ("since", n(1)), ("set", AttributeValue::M(set))])
}

/// The row with this intent.
#[must_use]
pub fn with(mut row: Item, intent: Item) -> Item {
    row.insert("_x".to_owned(), AttributeValue::M(intent));
    row
}

impl World {
    /// Creates an empty lane table. From then on, eventually consistent reads see no change.
    ///
    /// # Panics
    /// The engine refuses it.
    pub async fn create_lanes(&self) {
        self.create_lanes_only().await;
        self.faults.freeze_replica();
    }

    /// Creates an empty lane table, and leaves the replica as it is: for tests of eventually consistent reads.
    ///
    /// # Panics
    /// The engine refuses it.
    pub async fn create_lanes_only(&self) {
        let mut create =
            self.other().client().create_table().table_name(LANES).billing_mode(BillingMode::PayPerRequest);
        for (name, key_type) in [("lane", KeyType::Hash), ("part", KeyType::Range)] {
            let attribute = AttributeDefinition::builder().attribute_name(name);
            let key = KeySchemaElement::builder().attribute_name(name).key_type(key_type);
            create = create
                .attribute_definitions(attribute.attribute_type(ScalarAttributeType::S).build().expect("an attribute"))
                .key_schema(key.build().expect("a key"));
        }
        create.send().await.expect("a table of lanes");
    }

    /// Puts the head of a lane into the lane table.
    ///
    /// # Panics
    /// The engine refuses it.
    pub async fn put_head(&self, head: Item) {
        let other = self.other();
        other.client().put_item().table_name(LANES).set_item(Some(head)).send().await.expect("a head");
    }

    /// The head of lane `1`.
    ///
    /// # Panics
    /// The lane has no head.
    pub async fn lane(&self) -> Item {
        let get = self.other().client().get_item().table_name(LANES).key("lane", s("1")).key("part", s("#"));
        get.consistent_read(true).send().await.expect("a get").item.expect("a head")
    }
}
