//! The entities of the tables: one for each rule, or for each combination of rules that interact.

use crate::attribute::{Form as _, form};
use crate::rule::{inspect, respell, shape};
use crate::schema::{
    EntityType, Fence, History, Idempotency, KeyAttribute, KeyForm, Keys, Layout, Mode, Ratchet, Schema, SchemaVersion,
    Store, StoredAttribute, Tombstone, Ttl, Unique, Version, WriteId, guards,
};
use aws_sdk_dynamodb::types::ScalarAttributeType;

const ID: KeyAttribute = KeyAttribute { name: "id", key_type: ScalarAttributeType::S, form: KeyForm::Field(0) };

const fn attribute(name: &'static str) -> StoredAttribute {
    StoredAttribute { name, field: name, ..StoredAttribute::PLAIN }
}

const NUMBER: StoredAttribute = attribute("n");
const LIST: StoredAttribute = attribute("list");

const VERSION: Version = Version { attribute: "v", max: u64::MAX };
const WRITE_ID: WriteId = WriteId { attribute: "w" };
const TOMBSTONE: Tombstone = Tombstone { deleted: "deleted", ttl: "ttl", ttl_days: 7, mark: true };
const ATOMIC: History = History { mode: Mode::Atomic, layout: Layout::Table(None), ttl_days: None };
const ORDERED: History = History { mode: Mode::Ordered, layout: Layout::Table(None), ttl_days: Some(30) };
const FENCE: Fence = Fence { attribute: "f" };
const TTL: Ttl = Ttl { attribute: "ttl" };

/// The length of a list of idempotency keys.
pub(super) const KEYS: u32 = 2;

const THING: Schema = Schema {
    entity: "Thing",
    table: Some("things"),
    partition: ID,
    key_fields: &["id"],
    attributes: &[NUMBER, LIST],
    ..Schema::PLAIN
};

const RATCHET: Ratchet = Ratchet {
    attribute: "t",
    tiebreak: None,
    strict: false,
    max_ahead_secs: None,
    guards: guards(&[]),
    inspect: inspect::<u64>,
    shape: shape::<u64>(),
    respell: respell::<u64>,
};

static RATCHETS: &[Ratchet] = &[RATCHET];
static WITH_A_TIEBREAK: &[Ratchet] = &[Ratchet { tiebreak: Some("tie"), ..RATCHET }];
/// Times in Python's format, whose texts have two lengths. The other functions of the ratchet do not matter here.
static OF_TEXTS: &[Ratchet] =
    &[Ratchet { shape: Some(form::Python::SHAPE), inspect: |_| Ok(None), respell: |_| None, ..RATCHET }];

macro_rules! schemas {
    ($($name:ident { $($field:ident: $value:expr),* $(,)? })+) => {$(
        pub(super) static $name: Schema = Schema { partition: ID, $($field: $value,)* ..THING };
    )+};
}

schemas! {
    PLAIN {}
    // Its items have a TTL of their own, so DynamoDB removes them, too.
    TOMBSTONE_AND_TTL { tombstone: Some(TOMBSTONE), ttl: Some(TTL), attributes: &[NUMBER, LIST, attribute("ttl")] }
    VERSIONED { version: Some(VERSION), write_id: Some(WRITE_ID) }
    UNNAMED { version: Some(VERSION), tombstone: Some(TOMBSTONE), ttl: Some(TTL) }
    VERSION_AND_TOMBSTONE { version: Some(VERSION), write_id: Some(WRITE_ID), tombstone: Some(TOMBSTONE), ttl: Some(TTL) }
    VERSION_AND_TTL { version: Some(VERSION), write_id: Some(WRITE_ID), ttl: Some(TTL), attributes: &[NUMBER, LIST, attribute("ttl")] }
    ATOMIC_HISTORY { version: Some(VERSION), write_id: Some(WRITE_ID), history: Some(ATOMIC) }
    ATOMIC_AND_TOMBSTONE { version: Some(VERSION), write_id: Some(WRITE_ID), history: Some(ATOMIC), tombstone: Some(TOMBSTONE), ttl: Some(TTL) }
    ORDERED_AND_TOMBSTONE { version: Some(VERSION), write_id: Some(WRITE_ID), history: Some(ORDERED), tombstone: Some(TOMBSTONE), ttl: Some(TTL) }
    ORDERED_UNNAMED {
        version: Some(VERSION),
        history: Some(ORDERED),
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    // The greatest version is reached after a few writes.
    NARROW {
        version: Some(Version { max: 4, ..VERSION }), write_id: Some(WRITE_ID),
        history: Some(ATOMIC),
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    NARROW_ORDERED {
        version: Some(Version { max: 4, ..VERSION }), write_id: Some(WRITE_ID),
        history: Some(ORDERED),
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    KEYED_BY_COUNT {
        idempotency: Some(Idempotency { store: Store::Count { attribute: "keys", keys: KEYS }, keys: Keys::Raw(8) }),
    }
    KEYED_BY_ROW {
        idempotency: Some(Idempotency { store: Store::Row { table: None, keep_secs: 600 }, keys: Keys::Raw(8) }),
    }
    RATCHETED {
        ratchets: RATCHETS,
        attributes: &[NUMBER, LIST, attribute("t")],
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    TIED {
        ratchets: WITH_A_TIEBREAK,
        attributes: &[NUMBER, LIST, attribute("t"), attribute("tie")],
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    SPELLED {
        ratchets: OF_TEXTS,
        attributes: &[NUMBER, LIST, attribute("t")],
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    RATCHETED_AND_VERSIONED {
        ratchets: RATCHETS,
        attributes: &[NUMBER, LIST, attribute("t")],
        version: Some(VERSION), write_id: Some(WRITE_ID),
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    FENCED { fence: Some(FENCE), attributes: &[NUMBER, LIST, attribute("f")], tombstone: Some(TOMBSTONE), ttl: Some(TTL) }
    FENCED_AND_RATCHETED {
        fence: Some(FENCE),
        ratchets: RATCHETS,
        attributes: &[NUMBER, LIST, attribute("t"), attribute("f")],
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    FENCED_AND_VERSIONED {
        fence: Some(FENCE),
        attributes: &[NUMBER, LIST, attribute("f")],
        version: Some(VERSION), write_id: Some(WRITE_ID),
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    IMMUTABLE { immutable: &["i"], attributes: &[NUMBER, LIST, attribute("i")], tombstone: Some(TOMBSTONE), ttl: Some(TTL) }
    IMMUTABLE_AND_VERSIONED {
        immutable: &["i"],
        attributes: &[NUMBER, LIST, attribute("i")],
        version: Some(VERSION), write_id: Some(WRITE_ID),
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    MARKED { entity_type: Some(EntityType { attribute: "type", name: "Thing" }), tombstone: Some(TOMBSTONE), ttl: Some(TTL) }
    MARKED_AND_VERSIONED {
        entity_type: Some(EntityType { attribute: "type", name: "Thing" }),
        version: Some(VERSION), write_id: Some(WRITE_ID),
        history: Some(ORDERED),
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
    MARKED_AND_KEYED {
        entity_type: Some(EntityType { attribute: "type", name: "Thing" }),
        idempotency: Some(Idempotency { store: Store::Row { table: None, keep_secs: 600 }, keys: Keys::Raw(8) }),
    }
    TRANSACTIONAL {
        version: Some(VERSION), write_id: Some(WRITE_ID),
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
        is_transactional: true,
    }
    TRANSACTIONAL_AND_ORDERED {
        version: Some(VERSION), write_id: Some(WRITE_ID),
        history: Some(ORDERED),
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
        is_transactional: true,
    }
    TRANSACTIONAL_AND_KEYED {
        version: Some(VERSION), write_id: Some(WRITE_ID),
        idempotency: Some(Idempotency { store: Store::Count { attribute: "keys", keys: KEYS }, keys: Keys::Raw(8) }),
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
        is_transactional: true,
    }
    UNIQUE { unique: &[Unique { name: "n", attributes: &["n"] }], version: Some(VERSION), write_id: Some(WRITE_ID) }
    SHAPED { schema_version: Some(SchemaVersion { attribute: "shape", current: 2, upgrade: None }) }
    SHAPED_AND_RATCHETED {
        schema_version: Some(SchemaVersion { attribute: "shape", current: 2, upgrade: None }),
        ratchets: RATCHETS,
        attributes: &[NUMBER, LIST, attribute("t")],
        tombstone: Some(TOMBSTONE),
        ttl: Some(TTL),
    }
}
