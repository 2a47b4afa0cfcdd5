//! `cost` of the commands that have `request`: what they cost, without sending anything.

use super::write::modify::reworking;
use super::{
    BatchGet, BatchWrite, Create, Delete, EntitiesQuery, Get, Gets, IndexQuery, IndexScan, Modify, Purge, Put, Query,
    Replace, Scan, TransactGet, Transaction, Undelete, Update,
};
use crate::cost::{Cost, of_batch_get, of_batch_write, of_modify, of_read, of_transaction, of_write};
use crate::entity::{Answer, Entity, Index, Outcome, Purgeable, Returned as _, Row, Tombstoned, Versioned};
use crate::error::Error;
use crate::exchange::Repository;
use crate::write::WriteCommand;

/// Returns the cost of a write.
fn write_cost<E: Entity, O: Answer<E>>(
    command: &WriteCommand,
    repository: &Repository,
    stored_bytes: usize,
) -> Result<Cost, Error> {
    of_write(command, repository, repository.tables::<E>()?, O::Returned::VALUE, stored_bytes)
}

/// Declares `cost` of writes.
macro_rules! write_costs {
    ($([$($params:tt)*] $command:ty, $answer:ty;)*) => {$(
        impl<$($params)*> $command {
            /// Returns what `send` costs, applied and refused, without sending it: see [`Cost`].
            ///
            /// `stored_bytes` is the most bytes that the item at the key has: before the write, and for an update also after it.
            /// 0 means that nothing is stored there.
            ///
            /// # Errors
            /// Those of `send` before its request ([`Error::is_invalid_input`]); or `stored_bytes` is more than an item can have,
            /// 400 KB.
            pub fn cost(&self, repository: &Repository, stored_bytes: usize) -> Result<Cost, Error> {
                write_cost::<E, $answer>(&self.command, repository, stored_bytes)
            }
        }
    )*};
}

write_costs! {
    [E: Entity, O: Answer<E>] Put<E, O>, O;
    [E: Entity, O: Answer<E>] Create<E, O>, O;
    [E: Entity, O: Answer<E>] Replace<E, O>, O;
    [E: Tombstoned, O: Answer<E>] Undelete<E, O>, O;
    [E: Entity, O: Answer<E>] Update<E, O>, O;
    [E: Entity, O: Answer<E>] Delete<E, O>, O;
    [E: Purgeable] Purge<E>, Outcome<E>;
}

impl<E: Entity, T: Row<E>> Get<E, T> {
    /// Returns what `send` costs, without sending it: see [`Cost`]. `item_bytes` is the most bytes that the
    /// item has.
    ///
    /// # Errors
    /// Those of `send` before its request ([`Error::is_invalid_input`]); or `item_bytes` is more than an item can have, 400 KB.
    pub fn cost(&self, repository: &Repository, item_bytes: usize) -> Result<Cost, Error> {
        of_read(&self.request(repository)?, 1, item_bytes)
    }
}

impl<G: Gets> TransactGet<G> {
    /// Returns what `send` costs, without sending it: see [`Cost`]. `item_bytes` is the most bytes that each
    /// item has.
    ///
    /// # Errors
    /// Those of `send` before its request ([`Error::is_invalid_input`]); or `item_bytes` is more than an item can have, 400 KB.
    pub fn cost(&self, repository: &Repository, item_bytes: usize) -> Result<Cost, Error> {
        of_read(&self.request(repository)?, 1, item_bytes)
    }
}

/// Declares `cost` of commands that read a page.
macro_rules! page_costs {
    ($([$($params:tt)*] $command:ty $(where $row:ty: $entity:ty)?;)*) => {$(
        impl<$($params)*> $command {
            /// Returns what one request for a page costs, without sending it: see [`Cost`].
            ///
            /// `items` is the most items that the page reads, those included that a filter drops or that count as absent.
            /// `item_bytes` is the most bytes that each has, in an index the most that the index holds of it. A page has at most
            /// 1 MB.
            ///
            /// # Errors
            /// Those of `send` before its request ([`Error::is_invalid_input`]); or `item_bytes` is more than an item can have,
            /// 400 KB.
            pub fn cost(&self, repository: &Repository, items: usize, item_bytes: usize) -> Result<Cost, Error>
            $(where $row: Row<$entity>,)?
            {
                of_read(&self.request(repository)?, items, item_bytes)
            }
        }
    )*};
}

page_costs! {
    [E: Entity, T: Row<E>] Query<E, T>;
    [E: Entity, T: Row<E>] Scan<E, T>;
    [I: Index, T, S] IndexQuery<I, T, S> where T: I::Entity;
    [I: Index, T] IndexScan<I, T> where T: I::Entity;
    [E: Entity, C] EntitiesQuery<E, C>;
}

impl Transaction {
    /// Returns what `send` costs, applied and refused, without sending it: see [`Cost`]. `stored_bytes` is the
    /// most bytes that each of its items has: before the transaction, and for an update also after it.
    ///
    /// # Errors
    /// Those of `send` before its request ([`Error::is_invalid_input`]); the transaction would be sent client-side, whose cost
    /// [the table of `send`](Self::send) shows; or `stored_bytes` is more than an item can have, 400 KB.
    pub fn cost(&self, repository: &Repository, stored_bytes: usize) -> Result<Cost, Error> {
        self.command.check_strategy(self.strategy)?;
        if self.command.is_client_side(self.strategy) {
            return Err(self.command.many_requests());
        }
        of_transaction(&self.command, repository, stored_bytes)
    }
}

impl<E: Versioned, F: Send> Modify<E, F> {
    /// Returns what `send` costs if this entity is stored, applied and refused, without sending it: see [`Cost`]. The closure runs on
    /// the entity, because the changes decide which indexes and unique values are written.
    ///
    /// `stored_bytes` is the most bytes that the item has, before and after the change.
    ///
    /// # Errors
    /// Those of `send` before its write ([`Error::is_invalid_input`]), and that of the closure; the entity has another key than
    /// the command; or `stored_bytes` is more than an item can have, 400 KB.
    pub fn cost(&mut self, repository: &Repository, stored: &E, stored_bytes: usize) -> Result<Cost, Error> {
        let (tables, stored) = (repository.tables::<E>()?, stored.to_item()?);
        let mut edit = reworking(repository, &mut self.edit, self.run);
        let write = self.command.write_over(repository, &tables, &stored, &mut edit)?;
        of_modify(&write, repository, tables, stored_bytes)
    }
}

impl BatchWrite {
    /// Returns what `send` costs, without sending it: see [`Cost`]. `stored_bytes` is the most bytes that each item has that is
    /// stored before; 0 means that nothing is stored.
    ///
    /// Writes that DynamoDB leaves unprocessed, and those that are sent again in parts, take further requests.
    ///
    /// # Errors
    /// Those of `send` before its request ([`Error::is_invalid_input`]); or `stored_bytes` is more than an item can have, 400 KB.
    pub fn cost(&self, repository: &Repository, stored_bytes: usize) -> Result<Cost, Error> {
        of_batch_write(&self.writes, repository, stored_bytes)
    }
}

impl<E: Entity, T: Row<E>> BatchGet<E, T> {
    /// Returns what `send` costs, without sending it: see [`Cost`]. `item_bytes` is the most bytes that each item has. An answer has
    /// up to 16 MB, and up to 1 MB of one partition. So items of more than 160 KB, or of more than 10 KB in one partition, can take more
    /// requests than one for every 100.
    ///
    /// What [joint](crate::batch_get) commands cost together is at most the sum.
    ///
    /// # Errors
    /// Those of `send` before its request ([`Error::is_invalid_input`]); or `item_bytes` is more than an item can have, 400 KB.
    pub fn cost(&self, repository: &Repository, item_bytes: usize) -> Result<Cost, Error> {
        repository.table_name::<E>()?;
        of_batch_get(&self.command, item_bytes)
    }
}
