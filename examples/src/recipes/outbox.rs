//! An outbox: an order and the message about it are stored together, and a relay publishes the message.

use dyno::{Entity, Error, Repository, Transaction, TransactionOutcome};
use std::collections::HashSet;

#[derive(Entity, Clone, Debug)]
#[entity(table = "shipments")]
pub struct Shipment {
    #[partition_key]
    pub id: String,
    pub state: String,
    #[version]
    pub version: u64,
}

/// A message that waits to be published.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "outbox")]
#[sort_key(name = "SK", template = "{shipment}#{number:010}")]
pub struct Message {
    /// The partition. Use several if one is not enough.
    #[partition_key]
    pub outbox: String,
    pub shipment: String,
    /// The shipment's version: it orders the messages of a shipment.
    pub number: u64,
    pub text: String,
}

/// Changes a shipment, and stores the message about it. Both, or neither of them.
pub async fn change(repository: &Repository, shipment: &Shipment) -> Result<bool, Error> {
    let message = Message {
        outbox: "shipments".into(),
        shipment: shipment.id.clone(),
        number: shipment.version + 1,
        text: shipment.state.clone(),
    };
    let both = Transaction::new().put(shipment.put()).put(message.create());
    match both.send(repository).await? {
        TransactionOutcome::Applied(_) => Ok(true),
        // The shipment has another version: somebody else has changed it, or an earlier call of yours whose answer was lost. Load it
        // to find out.
        TransactionOutcome::Refused(_) => Ok(false),
    }
}

/// Publishes the messages that wait, those of a shipment in their order. Returns how many.
///
/// If the process dies after `publish`, the next run publishes the message again. So subscribers must ignore a message
/// whose shipment and number they have seen.
pub async fn relay<E>(
    repository: &Repository,
    mut publish: impl AsyncFnMut(&Message) -> Result<(), E>,
) -> Result<usize, Error> {
    let (mut published, mut failed) = (0, HashSet::new());
    let mut messages = Message::query("shipments").consistent().stream(repository);
    while let Some(message) = messages.next().await {
        let message = message?;
        // After a failure, the later messages of this shipment wait, too. Those of others do not.
        if failed.contains(&message.shipment) || waits_behind_another(repository, &message).await? {
            continue;
        }
        if publish(&message).await.is_err() {
            failed.insert(message.shipment);
            continue;
        }
        let key = (&*message.outbox, &*message.shipment, message.number);
        Message::delete(key).send(repository).await?;
        published += 1;
    }
    Ok(published)
}

/// Whether the message before this one waits as well. A query is no snapshot: it may return this message without that one.
async fn waits_behind_another(repository: &Repository, message: &Message) -> Result<bool, Error> {
    if message.number <= 1 {
        return Ok(false);
    }
    let before = (&*message.outbox, &*message.shipment, message.number - 1);
    Ok(Message::get(before).consistent().send(repository).await?.is_some())
}
