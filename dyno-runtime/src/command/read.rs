//! The commands that read many items: `query` and `scan`, as a page or as a stream.

use super::index_scan::{IndexScan, ScannedIndex};
use super::items::Items;
use super::pages::{IntoPlace, count, page, page_doc, paging};
use super::sort::{SortBound, SortPrefix};
use crate::attribute::time::EpochMillis;
use crate::attribute::{KeyPart, KeyParts};
use crate::entity::{Entity, Found, MayExpire, Projection, Row, SortOrdered, Sorted, Transactional};
use crate::error::{EncodeError, Error};
use crate::exchange::{Repository, Request};
use crate::field::Condition;
use crate::key::SortTerm;
use crate::read::{Cursor, Level, RawPage, ReadCommand, SEGMENTS, Source};
use crate::schema::{Index, Schema};
use aws_sdk_dynamodb::types::AttributeValue;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;

/// Items of one page, and where to go on.
#[derive(Clone, Debug)]
#[must_use = "a page may have a cursor: there may be more items behind it"]
pub struct Page<T> {
    /// The items, in order.
    pub items: Vec<T>,
    /// Where to go on, given to `after`; `None` if there are no more. Behind a cursor there may be nothing, too: DynamoDB
    /// only knows when it has looked.
    pub cursor: Option<Cursor>,
}

impl<T> Page<T> {
    pub(super) fn read<E>(page: RawPage, now: EpochMillis) -> Result<Self, Error>
    where
        T: Row<E>,
    {
        // A loop, since the adapters of an iterator would be compiled for each entity.
        let mut items = Vec::with_capacity(page.items.len());
        for item in page.items {
            items.push(T::read(item, now)?);
        }
        Ok(Self { items, cursor: page.cursor })
    }
}

impl<T> Page<Result<T, Error>> {
    pub(super) fn read_each<E>(page: RawPage, now: EpochMillis) -> Self
    where
        T: Row<E>,
    {
        Self { items: page.items.into_iter().map(|item| T::read(item, now)).collect(), cursor: page.cursor }
    }
}

/// A query of the partition of this key, of the table or an index.
pub(super) fn query(schema: &'static Schema, index: Option<&'static Index>, key: &[&dyn KeyPart]) -> ReadCommand {
    let partition = key.iter().map(|part| part.value()).collect();
    ReadCommand::new(schema, Source::Query { index, partition, sort: Vec::new(), descending: false })
}

/// Methods of both commands.
macro_rules! read_command {
    ($name:ident $operation:literal) => {
        impl<E: Entity, T: Row<E>> $name<E, T> {
            /// Returns only items for which this condition holds. Several conditions are joined by AND. Items that
            /// it drops are read and paid for all the same.
            pub fn filter(mut self, condition: Condition<E>) -> Self {
                self.command.and(condition.into_node());
                self
            }

            paging!();

            /// Reads what every acknowledged write has left, for twice the price.
            ///
            /// Of each item that a transaction of many requests holds, the lane is read as well; what is committed is shown, and
            /// applied to the item if that was still to be done. What is not committed yet is not waited for. The filter is
            /// decided by what is shown: so DynamoDB returns such items whatever they are, and they are filtered here.
            pub fn consistent(mut self) -> Self {
                self.command.consistent = true;
                self.command.level = self.command.level.consistent();
                self
            }

            /// Shows items that transactions of many requests hold as those are about to make them, and filters them as
            /// that: see [`get`](super::Get::uncommitted).
            pub fn uncommitted(mut self) -> Self
            where
                E: Transactional,
            {
                self.command.level = Level::Uncommitted;
                self
            }

            /// Returns what is there, dead or alive: tombstones and expired items, too.
            pub fn include_deleted(mut self) -> $name<E, Found<E>>
            where
                E: MayExpire,
            {
                self.command.include_dead = true;
                self.command.projection = None;
                $name { command: self.command, types: PhantomData }
            }

            /// Reads only the fields that `P` names. What is read is paid for by the size of whole items all the same.
            pub fn project<P: Projection<Entity = E>>(mut self) -> $name<E, P> {
                // A projection does not say whether the item is dead.
                self.command.include_dead = false;
                self.command.projection = Some(P::ATTRIBUTES);
                $name { command: self.command, types: PhantomData }
            }

            /// The request for the first page, without sending it.
            ///
            /// # Errors
            /// Those of `send` before its request: [`Error::is_invalid_input`].
            pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
                self.command.request(repository, repository.table_name::<E>()?)
            }

            #[doc = page_doc!($operation)]
            ///
            /// # Errors
            /// The request is impossible, DynamoDB could not be reached or answered with an error, or an item is not
            /// of the entity's shape; to get past such an item use [`send_each`](Self::send_each) or
            /// [`stream`](Self::stream).
            pub async fn send(self, repository: &Repository) -> Result<Page<T>, Error> {
                Page::read::<E>(page(self.command, repository, TypeId::of::<E>()).await?, repository.now())
            }

            /// As [`send`](Self::send), with an item that is not of the entity's shape as an error in its place.
            ///
            /// # Errors
            /// Those of `send`, but for an item's.
            pub async fn send_each(self, repository: &Repository) -> Result<Page<Result<T, Error>>, Error> {
                Ok(Page::read_each::<E>(page(self.command, repository, TypeId::of::<E>()).await?, repository.now()))
            }

            #[doc = concat!("Counts the items, with as many `", $operation, "` requests as it takes. It costs what reading ")]
            /// them does. DynamoDB counts (`Select=COUNT`) where its filter tells all; where keys are templates, which a
            /// filter cannot compare, these are read, and what tells whether an item is live. An item that is not of the
            /// entity's shape counts.
            ///
            /// # Errors
            /// Those of any request; and a limit was given ([`Error::is_invalid_input`]).
            pub async fn count(self, repository: &Repository) -> Result<u64, Error> {
                count(self.command, repository, TypeId::of::<E>()).await
            }
        }

        impl<E, T> Clone for $name<E, T> {
            fn clone(&self) -> Self {
                Self { command: self.command.clone(), types: PhantomData }
            }
        }

        impl<E, T> fmt::Debug for $name<E, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.command).finish()
            }
        }
    };
}

/// Reads the items of one partition in the order of their sort keys. Tombstones and expired items are passed over.
///
/// Where the sort key is a template, only keys that match it are read, so several entities can share a table.
/// Conditions on the sort key narrow each other down.
#[must_use = "a command does nothing until it is sent"]
pub struct Query<E, T = E> {
    command: ReadCommand,
    types: PhantomData<fn() -> (E, T)>,
}

read_command!(Query "Query");

impl<E: Entity> Query<E> {
    /// The command for the partition of this key.
    pub fn new(partition: E::Partition) -> Self {
        Self { command: query(E::SCHEMA, None, &partition.parts()), types: PhantomData }
    }
}

impl<E, T> Query<E, T> {
    pub(in crate::command) fn into_command(self) -> ReadCommand {
        self.command
    }
}

type Values = Result<Vec<AttributeValue>, EncodeError>;

impl<E: Entity, T: Row<E>> Query<E, T> {
    /// Reads from the highest sort key to the lowest.
    pub fn descending(mut self) -> Self {
        if let Source::Query { descending, .. } = &mut self.command.source {
            *descending = true;
        }
        self
    }

    fn sort(mut self, values: Values, term: impl FnOnce(Vec<AttributeValue>) -> SortTerm) -> Self {
        if let Source::Query { partition, sort, .. } = &mut self.command.source {
            match values {
                Ok(values) => sort.push((0, term(values))),
                Err(error) => *partition = Err(error),
            }
        }
        self
    }

    /// Sort keys that begin so: with the beginning of the first field, or a tuple of leading fields and the
    /// beginning of the one behind them.
    pub fn sort_begins_with(self, prefix: impl SortPrefix<E::Sort>) -> Self
    where
        E: Sorted,
    {
        match prefix.__parts() {
            Ok((values, beginning)) => self.sort(Ok(values), |values| SortTerm::BeginsWith(values, beginning)),
            Err(error) => self.sort(Err(error), SortTerm::Eq),
        }
    }

    /// This sort key, or all keys with these leading fields.
    pub fn sort_eq(self, bound: impl SortBound<E::Sort>) -> Self
    where
        E: Sorted,
    {
        self.sort(bound.__values(), SortTerm::Eq)
    }

    /// Sort keys below this one.
    ///
    /// For this and the other ranges: the order is that of the stored sort keys, in which the query returns them. In a
    /// template, a text that is followed by other text is compared together with it: with `{city}#{street}`, `New York`
    /// comes before `New`, since a space comes before `#`. A separator that sorts before all characters of the values
    /// keeps the fields' own order.
    pub fn sort_lt(self, bound: impl SortBound<E::Sort>) -> Self
    where
        E: SortOrdered,
    {
        self.sort(bound.__values(), SortTerm::Lt)
    }

    /// Sort keys up to this one.
    pub fn sort_le(self, bound: impl SortBound<E::Sort>) -> Self
    where
        E: SortOrdered,
    {
        self.sort(bound.__values(), SortTerm::Le)
    }

    /// Sort keys above this one.
    pub fn sort_gt(self, bound: impl SortBound<E::Sort>) -> Self
    where
        E: SortOrdered,
    {
        self.sort(bound.__values(), SortTerm::Gt)
    }

    /// Sort keys from this one.
    pub fn sort_ge(self, bound: impl SortBound<E::Sort>) -> Self
    where
        E: SortOrdered,
    {
        self.sort(bound.__values(), SortTerm::Ge)
    }

    /// Sort keys from `low` up to `high`, both included.
    pub fn sort_between(self, low: impl SortBound<E::Sort>, high: impl SortBound<E::Sort>) -> Self
    where
        E: SortOrdered,
    {
        self.sort_ge(low).sort_le(high)
    }

    /// Reads item by item, with as many `Query` requests as it takes.
    pub fn stream(self, repository: &Repository) -> Items<E, T> {
        Items::new(repository, self.command, T::read)
    }
}

/// Reads all items of the entity's table, in no order. Tombstones and expired items are passed over.
///
/// Where the keys are templates, items whose keys do not match them are passed over, so several entities can share a
/// table.
#[must_use = "a command does nothing until it is sent"]
pub struct Scan<E, T = E> {
    pub(super) command: ReadCommand,
    types: PhantomData<fn() -> (E, T)>,
}

read_command!(Scan "Scan");

impl<E: Entity> Scan<E> {
    /// The command for the whole table.
    #[expect(clippy::new_without_default, reason = "a command is made, not defaulted to")]
    pub fn new() -> Self {
        Self { command: ReadCommand::new(E::SCHEMA, Source::Scan { index: None, segment: None }), types: PhantomData }
    }

    /// Reads an index instead of the table: the items that are in it, in no order. Of an index that holds only some
    /// attributes, say with `project` what to read.
    ///
    /// ```no_run
    /// # use dyno::{Entity, Repository};
    /// #[derive(Entity)]
    /// #[index(name = "by_status", partition = status)]
    /// struct Order { #[partition_key] id: String, status: Option<String> }
    ///
    /// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
    /// let with_status = Order::scan().index::<OrderByStatus>().send(&repository).await?.items;
    /// # Ok(()) }
    /// ```
    pub fn index<I: ScannedIndex<Entity = E>>(self) -> IndexScan<I, I::Read> {
        IndexScan::of(self.command)
    }
}

impl<E: Entity, T: Row<E>> Scan<E, T> {
    /// Reads only this segment of so many, counted from 0: to spread one scan over several processes.
    pub fn segment(mut self, segment: u32, of: u32) -> Self {
        if let Source::Scan { segment: of_all, .. } = &mut self.command.source {
            *of_all = Some((segment, of));
        }
        self
    }

    /// Reads so many segments of the table at once, at most 1,000,000. Its cursors would be many, so such a scan has none.
    pub fn parallel(mut self, segments: u32) -> ParallelScan<E, T> {
        if segments == 0 {
            self.command.and(Err(EncodeError::new("0 segments read nothing: give `parallel` at least 1")));
        }
        if matches!(self.command.source, Source::Scan { segment: Some(_), .. }) {
            let problem = "one segment or several at once: leave `segment` or `parallel` out";
            self.command.and(Err(EncodeError::new(problem)));
        }
        if self.command.after.is_some() {
            let problem =
                "a cursor is in one segment, and a parallel scan reads several: leave `after` or `parallel` out";
            self.command.and(Err(EncodeError::new(problem)));
        }
        ParallelScan { scan: self, segments }
    }

    /// Reads item by item, with as many `Scan` requests as it takes.
    pub fn stream(self, repository: &Repository) -> Items<E, T> {
        Items::new(repository, self.command, T::read)
    }
}

/// A [`Scan`] of several segments at once.
#[derive(Debug)]
#[must_use = "a command does nothing until it is sent"]
pub struct ParallelScan<E, T = E> {
    pub(super) scan: Scan<E, T>,
    pub(super) segments: u32,
}

impl<E: Entity, T: Row<E>> ParallelScan<E, T> {
    /// Reads item by item, the segments' items as they come.
    pub fn stream(self, repository: &Repository) -> Items<E, T> {
        // Of too many there is one, which says so, instead of a reader for each.
        let segments = self.segments.max(1);
        let readers = if segments > SEGMENTS { 1 } else { segments };
        let scan = |segment| self.scan.clone().segment(segment, segments).command;
        Items::of_segments(repository, (0..readers).map(scan).collect(), T::read)
    }
}
