//! Lanes of client-side transactions, and what such a transaction leaves in items, as another process writes them.

use crate::{World, item, n, s};
use dyno::Item;
use dyno::aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};

/// The table of lanes.
pub const LANES: &str = "dyno-lanes";

/// The ticket of the transaction: it is on the lane `1`.
pub const TICKET: &str = "1/a1b2/7/c3d4";

/// The head of the lane: which number is committed, as which try, and up to which all others are void.
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

/// The head when nothing has become of the ticket yet.
#[must_use]
pub fn open() -> Item {
    head(6, "before", 0)
}

/// The head when the ticket is committed.
#[must_use]
pub fn committed() -> Item {
    head(7, "c3d4", 0)
}

/// The head when the ticket is void.
#[must_use]
pub fn void() -> Item {
    head(6, "before", 7)
}

/// What a ticket makes of an item: sets these attributes.
#[must_use]
pub fn intent(ticket: &str, set: Item) -> Item {
    item([("id", s(ticket)), ("since", n(1)), ("set", AttributeValue::M(set))])
}

/// The row with this intent in it.
#[must_use]
pub fn with(mut row: Item, intent: Item) -> Item {
    row.insert("_x".to_owned(), AttributeValue::M(intent));
    row
}

impl World {
    /// Makes the table of lanes, empty. From then on, eventually consistent reads see no change.
    ///
    /// # Panics
    /// The engine refuses it.
    pub async fn create_lanes(&self) {
        self.create_lanes_only().await;
        self.faults.freeze_replica();
    }

    /// Makes the table of lanes, empty: for tests of eventually consistent reads.
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

    /// Puts the head of a lane there.
    ///
    /// # Panics
    /// The engine refuses it.
    pub async fn put_head(&self, head: Item) {
        let other = self.other();
        other.client().put_item().table_name(LANES).set_item(Some(head)).send().await.expect("a head");
    }

    /// The head of the lane.
    ///
    /// # Panics
    /// There is none.
    pub async fn lane(&self) -> Item {
        let get = self.other().client().get_item().table_name(LANES).key("lane", s("1")).key("part", s("#"));
        get.consistent_read(true).send().await.expect("a get").item.expect("a head")
    }
}
