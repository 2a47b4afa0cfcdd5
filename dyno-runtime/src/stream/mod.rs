//! What a table's stream tells, as changes of entities: created, updated, deleted. A tombstone is a deletion here, too.
//!
//! [`Record`] is a record of the stream, whoever brought it: it is made of the types of `aws-sdk-dynamodbstreams` with the
//! feature `dynamodbstreams`, of those of `aws_lambda_events` with the feature `lambda`, or by hand of images.
//!
//! ```
//! use dyno::{Entity, Item, stream};
//!
//! #[derive(Entity, Debug, PartialEq)]
//! #[partition_key(name = "PK", template = "User#{id}")]
//! struct User { id: u64, name: String }
//!
//! fn apply(record: stream::Record) -> Result<(), dyno::Error> {
//!     match record.change::<User>()? {
//!         Some(stream::Changed::Created { new }) => println!("welcome, {}", new.name),
//!         Some(stream::Changed::Updated { old, new }) => println!("{} is {}", old.name, new.name),
//!         Some(stream::Changed::Deleted { old, .. }) => println!("good-bye, {}", old.name),
//!         None => {} // another entity's, or nothing of a user has changed
//!     }
//!     Ok(())
//! }
//! # fn main() -> Result<(), dyno::Error> {
//! # let user = User { id: 1, name: "Ada".into() };
//! # let item = user.to_item()?;
//! # let record = stream::Record::new(stream::Event::Insert, item.clone()).with_new_image(item);
//! # assert_eq!(record.change::<User>()?, Some(stream::Changed::Created { new: user }));
//! # apply(record)
//! # }
//! ```
//!
//! A stream delivers each record at least once, and those of one item in order: [`Record::sequence_number`] tells a
//! repetition. Between items there is no order.

#[cfg(feature = "dynamodbstreams")]
mod dynamodbstreams;
#[cfg(feature = "lambda")]
mod lambda;
mod record;

pub use record::{Event, Record};

use crate::entity::Tombstone;

/// What has become of an entity.
///
/// This is what readers see. The row of a tombstone is written when the entity is deleted, and goes later: the former is
/// `Deleted`, and the latter nothing. An entity that is written over its tombstone is `Created`. An entity that is past its
/// own `#[ttl]` is `Deleted` when DynamoDB removes it, though reads have passed it over since it expired.
#[derive(Clone, Debug, PartialEq)]
pub enum Changed<E> {
    /// There was none, or a tombstone.
    Created {
        /// The entity as it is now.
        new: E,
    },
    /// There was one, and something of it has changed.
    Updated {
        /// The entity as it was.
        old: E,
        /// The entity as it is now.
        new: E,
    },
    /// There is none any more.
    Deleted {
        /// The entity as it was.
        old: E,
        /// What was left of it: the tokens and the version of the deletion.
        tombstone: Option<Tombstone<E>>,
        /// Whether DynamoDB removed it because its TTL had passed.
        expired: bool,
    },
}

impl<E> Changed<E> {
    /// The entity as it was.
    #[must_use]
    pub fn before(&self) -> Option<&E> {
        match self {
            Self::Created { .. } => None,
            Self::Updated { old, .. } | Self::Deleted { old, .. } => Some(old),
        }
    }

    /// The entity as it is now.
    #[must_use]
    pub fn after(&self) -> Option<&E> {
        match self {
            Self::Created { new } | Self::Updated { new, .. } => Some(new),
            Self::Deleted { .. } => None,
        }
    }
}
