//! The records of a table's stream, as changes of entities: created, updated, deleted. A tombstone is a deletion here, too.
//!
//! [`Record`] is a record of the stream, wherever it comes from. You make it from the types of `aws-sdk-dynamodbstreams` with the
//! feature `dynamodbstreams`, from those of `aws_lambda_events` with the feature `lambda`, or by hand from images.
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
//! A stream delivers each record at least once, and the records of one item in order. [`Record::sequence_number`] shows a
//! repetition. Between items there is no order.

#[cfg(feature = "dynamodbstreams")]
mod dynamodbstreams;
#[cfg(feature = "lambda")]
mod lambda;
mod record;

pub use record::{Event, Record};

use crate::entity::Tombstone;

/// A change of an entity.
///
/// It shows what readers see. When an entity is deleted, its tombstone is written, which is `Deleted`; when the tombstone is
/// removed later, nothing changes. An entity that is written over its tombstone is `Created`. An entity past its own `#[ttl]` is
/// `Deleted` when DynamoDB removes it, although reads have skipped it since it expired.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a consumer that does not look at the change loses it"]
pub enum Changed<E> {
    /// There was no entity, or a tombstone.
    Created {
        /// The entity as it is now.
        new: E,
    },
    /// There was an entity, and a part of it has changed.
    Updated {
        /// The entity as it was.
        old: E,
        /// The entity as it is now.
        new: E,
    },
    /// The entity no longer exists.
    Deleted {
        /// The entity as it was.
        old: E,
        /// Its tombstone, with the tokens and the version of the deletion.
        tombstone: Option<Tombstone<E>>,
        /// `true` if DynamoDB removed it because its TTL had passed.
        expired: bool,
    },
}

impl<E> Changed<E> {
    /// Returns the entity as it was.
    #[must_use]
    pub fn before(&self) -> Option<&E> {
        match self {
            Self::Created { .. } => None,
            Self::Updated { old, .. } | Self::Deleted { old, .. } => Some(old),
        }
    }

    /// Returns the entity as it is now.
    #[must_use]
    pub fn after(&self) -> Option<&E> {
        match self {
            Self::Created { new } | Self::Updated { new, .. } => Some(new),
            Self::Deleted { .. } => None,
        }
    }
}
