//! The commands that read many items: `query` and `scan`, as a page or as a stream.

use super::index_scan::{IndexScan, ScannedIndex};
use super::items::Items;
use super::pages::{IntoPlace, count, page, page_doc, paging};
use super::sort::{SortBound, SortPrefix};
use crate::attribute::time::EpochMillis;
use crate::attribute::{KeyPart, KeyParts};
use crate::entity::{Entity, Found, MayExpire, Projection, Row, SortOrdered, Sorted, Transactional, clone_and_debug};
use crate::error::{EncodeError, Error};
use crate::exchange::{Repository, Request};
use crate::field::Condition;
use crate::key::SortTerm;
use crate::read::{Cursor, RawPage, ReadCommand, SEGMENTS, Source};
use crate::schema::{Index, Schema};
use std::any::TypeId;
use std::marker::PhantomData;

/// The items of one page, and the cursor to continue with.
#[derive(Clone, Debug)]
#[must_use = "a page may have a cursor: there may be more items behind it"]
pub struct Page<T> {
    /// The items, in order.
    pub items: Vec<T>,
    /// The cursor to continue with, given to `after`; `None` if there are no more items. The page behind a cursor can be empty,
    /// because DynamoDB learns that only when it reads on.
    pub cursor: Option<Cursor>,
}

impl<T> Page<T> {
    pub(in crate::command) fn read<E>(page: RawPage, now: EpochMillis) -> Result<Self, Error>
    where
        T: Row<E>,
    {
        // A loop, because the adapters of an iterator would be compiled for each entity.
        let mut items = Vec::with_capacity(page.items.len());
        for item in page.items {
            items.push(T::read(item, now)?);
        }
        Ok(Self { items, cursor: page.cursor })
    }
}

impl<T> Page<Result<T, Error>> {
    pub(in crate::command) fn read_each<E>(page: RawPage, now: EpochMillis) -> Self
    where
        T: Row<E>,
    {
        Self { items: page.items.into_iter().map(|item| T::read(item, now)).collect(), cursor: page.cursor }
    }
}

/// Makes a query of the partition of this key, in the table or an index.
pub(in crate::command) fn query(
    schema: &'static Schema,
    index: Option<&'static Index>,
    key: &[&dyn KeyPart],
) -> ReadCommand {
    let partition = key.iter().map(|part| part.value()).collect();
    ReadCommand::new(schema, Source::Query { index, partition, sort: Vec::new(), descending: false })
}

/// Adds a condition on an attribute of the sort key to a query. An error in the condition's value is reported by `send`.
pub(in crate::command) fn add_sort_term(
    command: &mut ReadCommand,
    attribute: usize,
    term: Result<SortTerm, EncodeError>,
) {
    if let Source::Query { partition, sort, .. } = &mut command.source {
        match term {
            Ok(term) => sort.push((attribute, term)),
            Err(error) => *partition = Err(error),
        }
    }
}

/// Declares the methods that both commands have.
macro_rules! read_command {
    ($name:ident $operation:literal) => {
        impl<E: Entity, T: Row<E>> $name<E, T> {
            /// Returns only items that meet this condition. Several conditions are joined by AND. Items that the filter drops are
            /// still read and paid for.
            pub fn filter(mut self, condition: Condition<E>) -> Self {
                self.command.and(condition.into_node());
                self
            }

            paging!();

            /// Reads with strong consistency, for twice the price: the result includes every write that was acknowledged before.
            ///
            /// For each item that a client-side transaction holds, the lane row (the transaction record) is read, too. A
            /// committed change is shown, and rolled forward into the item if no process has done so yet. An undecided
            /// transaction is not waited for. The filter applies to the version of the item that the read returns, so DynamoDB
            /// returns all held items, and they are filtered here.
            pub fn consistent(mut self) -> Self {
                self.command.options.level = self.command.options.level.consistent();
                self
            }

            /// Shows items that client-side transactions hold as these would leave them, and filters them in that state: see
            /// [`get`](crate::command::Get::uncommitted).
            pub fn uncommitted(mut self) -> Self
            where
                E: Transactional,
            {
                self.command.options.level = self.command.options.level.uncommitted();
                self
            }

            /// Returns all items, dead or alive: tombstones and expired items, too.
            pub fn include_deleted(mut self) -> $name<E, Found<E>>
            where
                E: MayExpire,
            {
                self.command.options.include_dead = true;
                self.command.options.projection = None;
                $name { command: self.command, types: PhantomData }
            }

            /// Reads only the fields that `P` names. The read still costs the size of whole items.
            pub fn project<P: Projection<Entity = E>>(mut self) -> $name<E, P> {
                // A projection cannot tell whether the item is dead.
                self.command.options.include_dead = false;
                self.command.options.projection = Some(P::ATTRIBUTES);
                $name { command: self.command, types: PhantomData }
            }

            /// Returns the request for the first page, without sending it.
            ///
            /// # Errors
            /// Those of `send` before its request: [`Error::is_invalid_input`].
            pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
                self.command.request(repository, repository.table_name::<E>()?)
            }

            #[doc = page_doc!($operation)]
            ///
            /// If you drop the future, nothing is lost: the command writes nothing of its own.
            ///
            /// # Errors
            /// The request is invalid ([`Error::is_invalid_input`]), DynamoDB could not be reached or answered with an error,
            /// or an item is not of the entity's shape; to get past such an item use [`send_each`](Self::send_each) or
            /// [`stream`](Self::stream).
            pub async fn send(self, repository: &Repository) -> Result<Page<T>, Error> {
                Page::read::<E>(page(self.command, repository, TypeId::of::<E>()).await?, repository.now())
            }

            /// As [`send`](Self::send), but an item that is not of the entity's shape is an error in its place in the page.
            ///
            /// # Errors
            /// Those of `send`, except an item's.
            pub async fn send_each(self, repository: &Repository) -> Result<Page<Result<T, Error>>, Error> {
                Ok(Page::read_each::<E>(page(self.command, repository, TypeId::of::<E>()).await?, repository.now()))
            }

            #[doc = concat!("Counts the items, with as many `", $operation, "` requests as necessary. It costs as much as")]
            /// reading them. DynamoDB counts (`Select=COUNT`) if its filter can decide which items count. It cannot compare keys
            /// that are templates, so then the keys are read, and the attributes that tell whether an item is live. An item that
            /// is not of the entity's shape counts.
            ///
            /// # Errors
            /// Those of any request; or a limit was set ([`Error::is_invalid_input`]).
            pub async fn count(self, repository: &Repository) -> Result<u64, Error> {
                count(self.command, repository, TypeId::of::<E>()).await
            }

            #[doc = concat!("Reads item by item, with as many `", $operation, "` requests as necessary.")]
            pub fn stream(self, repository: &Repository) -> Items<E, T> {
                Items::new(repository, self.command, T::read)
            }
        }

        clone_and_debug!([E, T] $name<E, T>: command; types);

    };
}

/// Reads the items of one partition in the order of their sort keys. Tombstones and expired items are skipped.
///
/// If the sort key is a template, only keys that match it are read, so several entities can share a table. Several conditions on
/// the sort key must all hold.
#[must_use = "a command does nothing until it is sent"]
pub struct Query<E, T = E> {
    pub(in crate::command) command: ReadCommand,
    types: PhantomData<fn() -> (E, T)>,
}

read_command!(Query "Query");

impl<E: Entity> Query<E> {
    /// Makes the command for the partition of this key.
    pub fn new(partition: E::Partition) -> Self {
        Self { command: query(E::SCHEMA, None, &partition.parts()), types: PhantomData }
    }
}

impl<E: Entity, T: Row<E>> Query<E, T> {
    /// Reads from the highest sort key to the lowest.
    pub fn descending(mut self) -> Self {
        if let Source::Query { descending, .. } = &mut self.command.source {
            *descending = true;
        }
        self
    }

    fn sort(mut self, term: Result<SortTerm, EncodeError>) -> Self {
        add_sort_term(&mut self.command, 0, term);
        self
    }

    /// Reads only sort keys with this beginning: the beginning of the first field, or a tuple of leading fields and the beginning
    /// of the next one.
    pub fn sort_begins_with(self, prefix: impl SortPrefix<E::Sort>) -> Self
    where
        E: Sorted,
    {
        self.sort(prefix.__parts().map(|(values, beginning)| SortTerm::BeginsWith(values, beginning)))
    }

    /// Reads only this sort key, or all keys with these leading fields.
    pub fn sort_eq(self, bound: impl SortBound<E::Sort>) -> Self
    where
        E: Sorted,
    {
        self.sort(bound.__values().map(SortTerm::Eq))
    }

    /// Reads only sort keys below this one.
    ///
    /// This and the other ranges use the order of the stored sort keys, in which the query returns them. In a template, a text
    /// that is followed by other text is compared together with it: with `{city}#{street}`, `New York` comes before `New`,
    /// because a space comes before `#`. A separator that sorts before all characters of the values keeps the order of the
    /// fields.
    pub fn sort_lt(self, bound: impl SortBound<E::Sort>) -> Self
    where
        E: SortOrdered,
    {
        self.sort(bound.__values().map(SortTerm::Lt))
    }

    /// Reads only sort keys up to this one.
    pub fn sort_le(self, bound: impl SortBound<E::Sort>) -> Self
    where
        E: SortOrdered,
    {
        self.sort(bound.__values().map(SortTerm::Le))
    }

    /// Reads only sort keys above this one.
    pub fn sort_gt(self, bound: impl SortBound<E::Sort>) -> Self
    where
        E: SortOrdered,
    {
        self.sort(bound.__values().map(SortTerm::Gt))
    }

    /// Reads only this sort key and those above it.
    pub fn sort_ge(self, bound: impl SortBound<E::Sort>) -> Self
    where
        E: SortOrdered,
    {
        self.sort(bound.__values().map(SortTerm::Ge))
    }

    /// Reads only sort keys from `low` up to `high`, both included.
    pub fn sort_between(self, low: impl SortBound<E::Sort>, high: impl SortBound<E::Sort>) -> Self
    where
        E: SortOrdered,
    {
        self.sort_ge(low).sort_le(high)
    }
}

/// Reads all items of the entity's table, in no order. Tombstones and expired items are skipped.
///
/// If the keys are templates, items whose keys do not match are skipped, so several entities can share a table.
#[must_use = "a command does nothing until it is sent"]
pub struct Scan<E, T = E> {
    pub(in crate::command) command: ReadCommand,
    types: PhantomData<fn() -> (E, T)>,
}

read_command!(Scan "Scan");

impl<E: Entity> Scan<E> {
    /// Makes the command for the whole table.
    #[expect(clippy::new_without_default, reason = "a command is made, not defaulted to")]
    pub fn new() -> Self {
        Self { command: ReadCommand::new(E::SCHEMA, Source::Scan { index: None, segment: None }), types: PhantomData }
    }

    /// Reads an index instead of the table: the items that are in the index, in no order. If the index holds only some
    /// attributes, set with `project` which to read.
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
    /// Reads only this one of `of` segments, counted from 0: to spread one scan over several processes.
    pub fn segment(mut self, segment: u32, of: u32) -> Self {
        if let Source::Scan { segment: of_all, .. } = &mut self.command.source {
            *of_all = Some((segment, of));
        }
        self
    }

    /// Reads this many segments of the table at once, at most 1,000,000. Such a scan has no cursor, because each segment would
    /// need one.
    pub fn parallel(mut self, segments: u32) -> ParallelScan<E, T> {
        if segments == 0 {
            self.command.and(Err(EncodeError::new("0 segments read nothing: give `parallel` at least 1")));
        }
        if matches!(self.command.source, Source::Scan { segment: Some(_), .. }) {
            let problem = "a scan reads one segment, or several in parallel: leave `segment` or `parallel` out";
            self.command.and(Err(EncodeError::new(problem)));
        }
        if self.command.after.is_some() {
            let problem =
                "a cursor is in one segment, and a parallel scan reads several: leave `after` or `parallel` out";
            self.command.and(Err(EncodeError::new(problem)));
        }
        ParallelScan { scan: self, segments }
    }
}

/// A [`Scan`] of several segments at once.
#[derive(Debug)]
#[must_use = "a command does nothing until it is sent"]
pub struct ParallelScan<E, T = E> {
    pub(in crate::command) scan: Scan<E, T>,
    pub(in crate::command) segments: u32,
}

impl<E: Entity, T: Row<E>> ParallelScan<E, T> {
    /// Reads item by item, in the order in which the segments return them.
    pub fn stream(self, repository: &Repository) -> Items<E, T> {
        // If there are too many segments, a single reader reports it, instead of one for each.
        let segments = self.segments.max(1);
        let readers = if segments > SEGMENTS { 1 } else { segments };
        let scan = |segment| self.scan.clone().segment(segment, segments).command;
        Items::of_segments(repository, (0..readers).map(scan).collect(), T::read)
    }
}
