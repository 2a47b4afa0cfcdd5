//! The row of an idempotency key, if keys are kept in a table of their own. Several entities can share such a table, so a row
//! names the table, the entity and the item that it belongs to.

use super::ttl;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::EncodeError;
use crate::key::identity_text;
use crate::schema::{Schema, Store, names, table_name};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

/// Makes the row of the idempotency key `id`, for an update of the item with this key.
pub(crate) fn key_row(
    schema: &Schema,
    id: &Blob,
    table: &str,
    key: &Item,
    now: EpochMillis,
) -> Result<Item, EncodeError> {
    // The row is written in the same transaction as the item, so its key has the table's name: see `key::distinct`.
    let mut parts = vec![table_name(table).to_owned(), schema.entity.to_owned()];
    for part in schema.keys() {
        parts.push(identity_text(key.get(part.name)).map_err(|error| error.at_name(part.name))?);
    }
    parts.push(aws_smithy_types::base64::encode(id));
    let keep = match schema.key_store() {
        Some(Store::Row { keep_secs, .. }) => i64::from(*keep_secs),
        _ => 0,
    };
    Ok(Item::from([
        (names::KEY.to_owned(), AttributeValue::S(parts.join("|"))),
        (names::TTL.to_owned(), ttl::seconds_from(now, keep)),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise a program that uses the table's name and a program that uses its ARN would each make the update.
    #[test]
    fn a_key_has_one_row_for_a_table_s_name_and_its_arn() {
        const SCHEMA: Schema = Schema { entity: "Account", ..Schema::PLAIN };
        let key = Item::from([(SCHEMA.partition.name.to_owned(), AttributeValue::S("1".to_owned()))]);
        let row = |table| key_row(&SCHEMA, &Blob::new("key"), table, &key, EpochMillis::new(0)).expect("a row");
        let name = row("accounts");
        assert_eq!(name[names::KEY], AttributeValue::S("accounts|Account|1|a2V5".to_owned()));
        assert_eq!(row("arn:aws:dynamodb:eu-west-1:123456789012:table/accounts"), name);
        assert_ne!(row("arn:aws:dynamodb:eu-west-1:123456789012:table/other"), name);
    }
}
