//! The row of an idempotency key, where keys are kept in a table of their own. Tables can be shared: a row says of which
//! table, entity and item it is.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::EncodeError;
use crate::key::identity_text;
use crate::schema::{Schema, Store, names};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, ScalarAttributeType};

/// The partition key of the table.
pub(crate) const KEY_ROW_ID: &str = names::KEY;

/// Its key.
pub(crate) const KEY_TABLE_KEYS: [(&str, ScalarAttributeType); 1] = [(KEY_ROW_ID, ScalarAttributeType::S)];

/// Its TTL attribute.
pub(crate) const KEY_TABLE_TTL: &str = names::TTL;

/// The row of the idempotency key `id` of an update of the item with this key.
pub(crate) fn key_row(
    schema: &Schema,
    id: &Blob,
    table: &str,
    key: &Item,
    now: EpochMillis,
) -> Result<Item, EncodeError> {
    let texts = schema.keys().map(|part| identity_text(key.get(part.name)).map_err(|error| error.at_name(part.name)));
    let mut parts = vec![table.to_owned(), schema.entity.to_owned()];
    for text in texts {
        parts.push(text?);
    }
    parts.push(aws_smithy_types::base64::encode(id));
    let keep = match schema.key_store() {
        Some(Store::Row { keep_secs, .. }) => i64::from(*keep_secs),
        _ => 0,
    };
    let ttl = now.to_seconds_ceil().plus(keep);
    Ok(Item::from([
        (KEY_ROW_ID.to_owned(), AttributeValue::S(parts.join("|"))),
        (KEY_TABLE_TTL.to_owned(), AttributeValue::N(ttl.to_string())),
    ]))
}
