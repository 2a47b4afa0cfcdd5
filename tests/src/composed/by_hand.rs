//! The same writes with the SDK alone.

use super::{Account, Document, User};
use dyno::aws_sdk_dynamodb as sdk;
use sdk::Client;
use sdk::error::BuildError;
use sdk::operation::transact_write_items::TransactWriteItemsError as WriteError;
use sdk::types::builders::PutBuilder;
use sdk::types::{AttributeValue, Put, TransactWriteItem};
use sdk::types::{ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure};
use std::collections::HashMap;
use std::time::Duration;

type Item = HashMap<String, AttributeValue>;

/// An error of the SDK, or of what is stored.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The number of attempts while other transactions are faster.
const ATTEMPTS: u32 = 10;

/// The condition of a row that must not exist.
const NEW_ROW: &str = "attribute_not_exists(#key)";

/// Stores the next version of a loaded document, and its revision. Returns `false` if another
/// writer was faster.
pub async fn put_document(client: &Client, document: &Document) -> Result<bool, Error> {
    let (next, write_id) = (n(document.version + 1), write_id());
    let puts = || {
        let item = Item::from([
            ("id".to_owned(), s(&document.id)),
            ("title".to_owned(), s(&document.title)),
            ("text".to_owned(), s(&document.text)),
            ("version".to_owned(), next.clone()),
            ("_w".to_owned(), write_id.clone()),
        ]);
        let mut revision = item.clone();
        revision.insert("_key".to_owned(), s(&document.id));
        revision.insert("_version".to_owned(), next.clone());
        let revision = put("documents-history", revision).condition_expression(NEW_ROW);
        let revision = revision.expression_attribute_names("#key", "_key");
        let item = put("documents", item)
            .condition_expression("#version = :version")
            .expression_attribute_names("#version", "version")
            .expression_attribute_values(":version", n(document.version));
        Ok([revision.build()?, item.build()?])
    };
    Ok(matches!(write(client, puts, &write_id).await?, Written::Applied))
}

/// Creates a user. Returns `false` if another user has the id or the e-mail address.
pub async fn create_user(client: &Client, user: &User) -> Result<bool, Error> {
    let write_id = write_id();
    let puts = || {
        let key = format!("email#{}", user.email);
        let guard = Item::from([("_key".to_owned(), s(&key)), ("_of".to_owned(), s(&user.id))]);
        let item = Item::from([
            ("id".to_owned(), s(&user.id)),
            ("email".to_owned(), s(&user.email)),
            ("name".to_owned(), s(&user.name)),
            ("version".to_owned(), n(1)),
            ("_w".to_owned(), write_id.clone()),
        ]);
        let guard = put("users-unique", guard).condition_expression(NEW_ROW);
        let guard = guard.expression_attribute_names("#key", "_key");
        let item = put("users", item).condition_expression("attribute_not_exists(#id)");
        Ok([guard.build()?, item.expression_attribute_names("#id", "id").build()?])
    };
    Ok(matches!(write(client, puts, &write_id).await?, Written::Applied))
}

/// Transfers a sum. Returns what the payer has then, or an error if the payer has less.
pub async fn transfer(client: &Client, from: u64, to: u64, sum: u64) -> Result<u64, Error> {
    for attempt in 0..ATTEMPTS {
        let (source, source_read) = load(client, from).await?.ok_or("no such payer")?;
        let (target, target_read) = load(client, to).await?.ok_or("no such payee")?;
        let rest = source.balance.checked_sub(sum).ok_or("not enough")?;
        let write_id = write_id();
        let put_balance = |account: &Account, balance: u64, read: &AttributeValue| {
            let item = Item::from([
                ("id".to_owned(), n(account.id)),
                ("balance".to_owned(), n(balance)),
                ("version".to_owned(), n(account.version + 1)),
                ("_w".to_owned(), write_id.clone()),
            ]);
            put("accounts", item)
                .condition_expression("#version = :version AND #w = :read")
                .expression_attribute_names("#version", "version")
                .expression_attribute_names("#w", "_w")
                .expression_attribute_values(":version", n(account.version))
                .expression_attribute_values(":read", read.clone())
                .build()
        };
        let puts = || {
            let source = put_balance(&source, rest, &source_read)?;
            Ok([source, put_balance(&target, target.balance + sum, &target_read)?])
        };
        match write(client, puts, &write_id).await? {
            Written::Applied => return Ok(rest),
            // Another writer was faster: read again.
            Written::Refused => pause(attempt).await,
        }
    }
    Err("each attempt met another writer".into())
}

async fn load(client: &Client, id: u64) -> Result<Option<(Account, AttributeValue)>, Error> {
    let get = client.get_item().table_name("accounts").key("id", n(id)).consistent_read(true);
    let get = get.return_consumed_capacity(ReturnConsumedCapacity::Total);
    let Some(mut item) = get.send().await?.item else { return Ok(None) };
    let number = |name: &str| item.get(name)?.as_n().ok()?.parse().ok();
    let account = Account {
        id,
        balance: number("balance").ok_or("no balance")?,
        version: number("version").ok_or("no version")?,
    };
    Ok(Some((account, item.remove("_w").ok_or("no write id")?)))
}

/// The outcome of a transaction.
enum Written {
    Applied,
    /// At least one condition does not hold.
    Refused,
}

/// Sends the puts in one transaction, again if it meets another transaction. The SDK's retries
/// carry the same token, so they are applied once. If a refusal shows an item with our write
/// id, an earlier attempt was applied.
async fn write(
    client: &Client,
    puts: impl Fn() -> Result<[Put; 2], BuildError>,
    write_id: &AttributeValue,
) -> Result<Written, Error> {
    for attempt in 0..ATTEMPTS {
        let puts = puts()?.map(|put| TransactWriteItem::builder().put(put).build());
        let transaction = client
            .transact_write_items()
            .set_transact_items(Some(Vec::from(puts)))
            .client_request_token(token())
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let Err(error) = transaction.send().await else { return Ok(Written::Applied) };
        let service = error.as_service_error();
        let Some(WriteError::TransactionCanceledException(cancelled)) = service else {
            return Err(error.into());
        };
        let reasons = cancelled.cancellation_reasons();
        let code = |code: &str| reasons.iter().any(|reason| reason.code() == Some(code));
        let is_ours = |item: &Item| item.get("_w") == Some(write_id);
        if reasons.iter().filter_map(|reason| reason.item()).any(is_ours) {
            return Ok(Written::Applied);
        }
        if code("ConditionalCheckFailed") {
            return Ok(Written::Refused);
        }
        if !code("TransactionConflict") {
            return Err(error.into());
        }
        pause(attempt).await;
    }
    Err("each attempt met another transaction".into())
}

fn put(table: &str, item: Item) -> PutBuilder {
    let put = Put::builder().table_name(table).set_item(Some(item));
    put.return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
}

async fn pause(attempt: u32) {
    tokio::time::sleep(Duration::from_millis(fastrand::u64(0..10 << attempt))).await;
}

fn token() -> String {
    (0..32).map(|_| fastrand::alphanumeric()).collect()
}

fn write_id() -> AttributeValue {
    let random: String = (0..16).map(|_| fastrand::alphanumeric()).collect();
    AttributeValue::S(format!("-{random}"))
}

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn n(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}
