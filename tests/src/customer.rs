//! An entity with ten fields, and hand-written conversions to and from the SDK's types. The benches and the tests that count
//! allocations compare them.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item};
use serde::{Deserialize, Serialize};

/// A customer: strings, numbers, a flag, an option, a list.
#[derive(Entity, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[entity(table = "customers")]
pub struct Customer {
    /// The partition key.
    #[partition_key]
    pub id: String,
    /// A string.
    pub name: String,
    /// A string.
    pub email: String,
    /// An optional string, which the sample has.
    pub note: Option<String>,
    /// A small number.
    pub age: u8,
    /// A large number.
    pub visits: u64,
    /// A signed number.
    pub balance: i64,
    /// A floating-point number.
    pub score: f64,
    /// A flag.
    pub active: bool,
    /// A list of strings.
    pub tags: Vec<String>,
}

impl Customer {
    /// A typical customer.
    #[must_use]
    pub fn sample() -> Self {
        Self {
            id: "c-8f14e45f-ceea".to_owned(),
            name: "Ada Lovelace".to_owned(),
            email: "ada@example.com".to_owned(),
            note: Some("prefers mail".to_owned()),
            age: 36,
            visits: 1_284_337,
            balance: -12_995,
            score: 4.75,
            active: true,
            tags: vec!["early".to_owned(), "analytical".to_owned()],
        }
    }
}

/// Encodes a customer as a careful programmer does without a library.
#[must_use]
pub fn encode_by_hand(customer: &Customer) -> Item {
    let mut item = Item::with_capacity(10);
    item.insert("id".to_owned(), AttributeValue::S(customer.id.clone()));
    item.insert("name".to_owned(), AttributeValue::S(customer.name.clone()));
    item.insert("email".to_owned(), AttributeValue::S(customer.email.clone()));
    if let Some(note) = &customer.note {
        item.insert("note".to_owned(), AttributeValue::S(note.clone()));
    }
    item.insert("age".to_owned(), AttributeValue::N(customer.age.to_string()));
    item.insert("visits".to_owned(), AttributeValue::N(customer.visits.to_string()));
    item.insert("balance".to_owned(), AttributeValue::N(customer.balance.to_string()));
    item.insert("score".to_owned(), AttributeValue::N(customer.score.to_string()));
    item.insert("active".to_owned(), AttributeValue::Bool(customer.active));
    let tags = customer.tags.iter().map(|tag| AttributeValue::S(tag.clone())).collect();
    item.insert("tags".to_owned(), AttributeValue::L(tags));
    item
}

/// Decodes a customer; `None` if an attribute is missing or does not have the type that [`encode_by_hand`] gives it.
#[must_use]
pub fn decode_by_hand(mut item: Item) -> Option<Customer> {
    fn text(value: AttributeValue) -> Option<String> {
        match value {
            AttributeValue::S(text) => Some(text),
            _ => None,
        }
    }
    fn number<T: std::str::FromStr>(value: AttributeValue) -> Option<T> {
        match value {
            AttributeValue::N(number) => number.parse().ok(),
            _ => None,
        }
    }
    let mut take = |name: &str| item.remove(name);
    Some(Customer {
        id: text(take("id")?)?,
        name: text(take("name")?)?,
        email: text(take("email")?)?,
        note: match take("note") {
            Some(note) => Some(text(note)?),
            None => None,
        },
        age: number(take("age")?)?,
        visits: number(take("visits")?)?,
        balance: number(take("balance")?)?,
        score: number(take("score")?)?,
        active: match take("active")? {
            AttributeValue::Bool(active) => active,
            _ => return None,
        },
        tags: match take("tags")? {
            AttributeValue::L(tags) => tags.into_iter().map(text).collect::<Option<_>>()?,
            _ => return None,
        },
    })
}
