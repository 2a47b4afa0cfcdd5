//! Writes of several rows, by dyno and by an expert with the SDK alone, with the same guarantees: all rows or none, no
//! concurrent write lost, and a lost answer recognised. The benches compare their cost, and the page *Costs* shows them.

pub mod by_hand;

use dyno::aws_sdk_dynamodb::Client;
use dyno::{Entity, Error, Outcome, Repository, Transaction};

/// A document of which each version is kept.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "documents")]
#[history_table]
#[expect(missing_docs, reason = "the names say it")]
pub struct Document {
    #[partition_key]
    pub id: String,
    pub title: String,
    pub text: String,
    #[version]
    pub version: u64,
}

/// A user whose e-mail address no other user has.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
#[expect(missing_docs, reason = "the names say it")]
pub struct User {
    #[partition_key]
    pub id: String,
    #[unique]
    pub email: String,
    pub name: String,
    #[version]
    pub version: u64,
}

/// An account that transactions read and write.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
#[expect(missing_docs, reason = "the names say it")]
pub struct Account {
    #[partition_key]
    pub id: u64,
    pub balance: u64,
    #[version]
    pub version: u64,
}

/// Stores the next version of a loaded document, and its revision. Returns `false` if another
/// writer was faster.
pub async fn put_document(db: &Repository, new: &Document) -> Result<bool, Error> {
    Ok(matches!(new.replace().send(db).await?, Outcome::Applied(_)))
}

/// Creates a user. Returns `false` if another user has the id or the e-mail address.
pub async fn create_user(db: &Repository, user: &User) -> Result<bool, Error> {
    Ok(matches!(user.create().send(db).await?, Outcome::Applied(_)))
}

/// Transfers a sum. Returns what the payer has then, or an error if the payer has less.
pub async fn transfer(db: &Repository, from: u64, to: u64, sum: u64) -> Result<u64, Error> {
    let transfer = Transaction::interactive(|tx| async move {
        let mut source = tx.get(Account::get(from)).await?.ok_or("no such payer")?;
        let mut target = tx.get(Account::get(to)).await?.ok_or("no such payee")?;
        source.balance = source.balance.checked_sub(sum).ok_or("not enough")?;
        target.balance += sum;
        tx.put([source.put(), target.put()]);
        Ok(source.balance)
    });
    transfer.native().send(db).await?.applied()
}

/// Makes the call of this name with a sample.
///
/// # Panics
/// The call fails, or no call has this name.
pub async fn call(name: &str, client: &Client, repository: &Repository) {
    match name {
        "atomic history" => assert!(put_document(repository, &document()).await.expect("sent")),
        "atomic history by hand" => assert!(by_hand::put_document(client, &document()).await.expect("sent")),
        "unique value" => assert!(create_user(repository, &user()).await.expect("sent")),
        "unique value by hand" => assert!(by_hand::create_user(client, &user()).await.expect("sent")),
        "closure of two items" => assert_eq!(transfer(repository, 1, 2, 10).await.expect("sent"), 990),
        "closure of two items by hand" => assert_eq!(by_hand::transfer(client, 1, 2, 10).await.expect("sent"), 990),
        _ => panic!("there is no call `{name}`"),
    }
}

fn document() -> Document {
    let text = "The engine weaves algebraical patterns just as the loom weaves flowers and leaves.";
    Document { id: "d-8f14e45f-ceea".to_owned(), title: "Notes".to_owned(), text: text.to_owned(), version: 7 }
}

fn user() -> User {
    let (email, name) = ("ada@example.com".to_owned(), "Ada Lovelace".to_owned());
    User { id: "u-8f14e45f-ceea".to_owned(), email, name, version: 0 }
}
