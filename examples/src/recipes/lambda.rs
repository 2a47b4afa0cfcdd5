//! A Lambda function that reads the stream of a table, and keeps a second table up to date.

use aws_lambda_events::event::dynamodb::{Event, EventRecord};
use aws_lambda_events::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use dyno::stream::{Changed, Record};
use dyno::{Entity, Error, Repository};

/// A product, in the table whose stream the function reads.
#[derive(Entity, Clone, Debug)]
#[entity(table = "products")]
#[tombstone(ttl_days = 30)]
pub struct Product {
    #[partition_key]
    pub id: String,
    pub name: String,
    pub cents: u64,
    #[version]
    pub version: u64,
}

/// What the shop's pages show of a product. Only the function writes it.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "product-cards")]
#[tombstone(ttl_days = 7)]
pub struct Card {
    #[partition_key]
    pub id: String,
    pub title: String,
    /// The version of the product. A record that comes again does not overwrite a newer one.
    #[ratchet]
    pub version: u64,
}

/// Handles the records of an event. The response has those that must come again: a record that failed, and the later records of
/// the same item, which would otherwise overtake it.
pub async fn handle(repository: &Repository, event: Event) -> DynamoDbEventResponse {
    let mut response = DynamoDbEventResponse::default();
    let mut failed_items = Vec::new();
    for record in event.records {
        let item = record.change.keys.clone();
        let sequence_number = record.change.sequence_number.clone();
        if !failed_items.contains(&item) {
            let Err(error) = apply(repository, record).await else { continue };
            tracing::error!(%error, sequence_number, "a record failed");
            failed_items.push(item);
        }
        let mut failure = DynamoDbBatchItemFailure::default();
        failure.item_identifier = sequence_number;
        response.batch_item_failures.push(failure);
    }
    response
}

/// Applies a record. It may come twice, and after a later record of the same item.
async fn apply(repository: &Repository, record: EventRecord) -> Result<(), Error> {
    match Record::try_from(record)?.change::<Product>()? {
        Some(Changed::Created { new } | Changed::Updated { new, .. }) => {
            let title = format!("{} for {}.{:02}", new.name, new.cents / 100, new.cents % 100);
            let card = Card { id: new.id, title, version: new.version };
            card.put().send(repository).await?.accept_stale()?;
        }
        Some(Changed::Deleted { old, tombstone, .. }) => {
            let version = tombstone.map_or(old.version, |tombstone| tombstone.version());
            Card::delete(&*old.id, version).send(repository).await?.accept_stale()?;
        }
        None => {} // a record of another entity, or a change that `Product` does not show
    }
    Ok(())
}
