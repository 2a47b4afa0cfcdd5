//! Generated code compiles without the names of the prelude.
#![no_implicit_prelude]

#[derive(::dyno::Entity, ::std::clone::Clone)]
#[entity(table = "things")]
#[partition_key(name = "PK", template = "A#{id}#B#{number:04}")]
#[sort_key(name = "SK", template = "S")]
#[tombstone(ttl_days = 7)]
struct Thing {
    id: ::std::string::String,
    number: u32,
    note: ::std::option::Option<::std::string::String>,
    #[attribute(default)]
    tags: ::std::collections::BTreeSet<::std::string::String>,
    #[attribute(serde)]
    any: ::std::vec::Vec<u8>,
    #[attribute(with = "codec")]
    coded: ::std::option::Option<u8>,
    address: Address,
    payment: Payment,
    event: Event,
    #[ratchet(guards(note, tags, any, coded, address, payment, event), tiebreak = "writer")]
    at: ::dyno::EpochMillis,
    writer: u8,
}

#[derive(::dyno::Entity, ::std::clone::Clone)]
#[entity(table = "versions")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered", layout = "same_table", ttl_days = 30)]
#[transactional]
struct Versioned<T> {
    #[partition_key]
    id: ::std::string::String,
    #[sort_key]
    name: ::std::string::String,
    body: T,
    #[ratchet]
    at: ::dyno::EpochMillis,
    #[fence]
    epoch: u64,
    #[version(write_id = "w")]
    version: u64,
}

#[derive(::dyno::Entity, ::std::clone::Clone)]
#[entity(table = "bills")]
#[idempotency(window_secs = 60, max_rps = 5)]
struct Bill {
    #[partition_key]
    id: ::std::string::String,
    total: u64,
    address: Address,
}

#[allow(clippy::trivially_copy_pass_by_ref, clippy::unnecessary_wraps, reason = "the signature of a codec")]
mod codec {
    use ::dyno::aws_sdk_dynamodb::types::AttributeValue;

    pub(super) fn encode(value: &u8) -> ::std::result::Result<AttributeValue, ::std::convert::Infallible> {
        ::std::result::Result::Ok(AttributeValue::N(::std::string::ToString::to_string(value)))
    }

    pub(super) fn decode(value: AttributeValue) -> ::std::result::Result<u8, ::dyno::DecodeError> {
        ::dyno::Value::decode(::std::convert::Into::into(value))
    }
}

#[derive(::dyno::Document, ::std::clone::Clone)]
struct Address {
    street: ::std::string::String,
    #[attribute(skip)]
    cached: bool,
}

#[derive(::dyno::Document, ::std::clone::Clone)]
enum Payment {
    Cash,
    Voucher(u32),
    Card { number: ::std::string::String },
}

#[derive(::dyno::Document, ::std::clone::Clone)]
#[document(tag = "type")]
enum Event {
    Opened,
    Moved(Address),
    Renamed { to: ::std::string::String },
}

#[test]
fn derived_code_encodes_and_decodes_without_the_prelude() {
    let text = || ::std::string::ToString::to_string("x");
    for (payment, event) in [
        (Payment::Cash, Event::Opened),
        (Payment::Voucher(1), Event::Moved(Address { street: text(), cached: false })),
        (Payment::Card { number: text() }, Event::Renamed { to: text() }),
    ] {
        let thing = Thing {
            id: text(),
            number: 1,
            note: ::std::option::Option::None,
            tags: ::std::collections::BTreeSet::new(),
            any: ::std::vec::Vec::new(),
            coded: ::std::option::Option::Some(7),
            address: Address { street: text(), cached: false },
            payment,
            event,
            at: ::dyno::EpochMillis::new(1),
            writer: 1,
        };
        let item = ::dyno::Entity::to_item(&thing).expect("encodes");
        let again = <Thing as ::dyno::Entity>::from_item(::std::clone::Clone::clone(&item)).expect("decodes");
        ::std::assert_eq!(::dyno::Entity::to_item(&again).expect("encodes"), item);
        ::std::assert!(!again.address.cached);
    }
}
