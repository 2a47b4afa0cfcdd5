use dyno::{Document, Entity, EpochMillis, TextTime};
use dyno::value::{RatchetToken, Rfc3339, form};

/// A time type like those of other crates, which are stored as text.
#[derive(Document, Clone)]
struct Timestamp(String);

impl Rfc3339 for Timestamp {}
impl RatchetToken for Timestamp {}

#[derive(Entity)]
#[index(name = "by_shop", partition = shop, sort = sold)]
struct Sale {
    #[partition_key]
    #[attribute(format = "millis")]
    at: Timestamp,
    shop: String,
    #[attribute(format = "seconds")]
    sold: Timestamp,
    #[attribute(format = "milis")]
    paid: Timestamp,
    #[attribute(format = "millis", serde)]
    sent: Timestamp,
    #[attribute(skip, format = "millis")]
    seen: u8,
}

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
    #[ratchet]
    #[attribute(format = "java")]
    at: Timestamp,
}

#[derive(Entity)]
struct Typed {
    #[partition_key]
    id: String,
    #[ratchet]
    at: TextTime<Timestamp, form::Java>,
}

#[derive(Entity)]
struct Number {
    #[partition_key]
    id: String,
    #[attribute(format = "millis")]
    at: EpochMillis,
}

#[derive(Entity)]
struct Event {
    #[partition_key]
    id: String,
    #[attribute(format = "java")]
    at: Timestamp,
}

fn main() {
    let at = Event::fields().at;
    let _ = at.eq(Timestamp(String::new()));
    let _ = at.lt(Timestamp(String::new()));
}
