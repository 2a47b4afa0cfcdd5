//! The command that reads several items as they were at one moment: `TransactGet`.

use super::actions::{Count, UpTo100};
use crate::attribute::Item;
use crate::attribute::RawItem;
use crate::attribute::time::EpochMillis;
use crate::command::read::get::Get;
use crate::entity::{Entity, Row, found};
use crate::error::Error;
use crate::exchange::{Repository, Request};
use crate::read::{GetCommand, TransactGetCommand};
use std::time::Duration;

mod sealed {
    pub trait Sealed {}
}

/// Reads up to 100 items, of any entities and tables, as they are at one moment: it never sees a part of a transaction. One
/// `TransactGetItems`.
///
/// ```
/// # use dyno::{Entity, Repository, TransactGet};
/// # #[derive(Entity)] #[entity(table = "orders")] struct Order { #[partition_key] id: String }
/// # #[derive(Entity)] #[entity(table = "users")] struct User { #[partition_key] id: String }
/// # async fn example(repository: &Repository) -> Result<(), dyno::Error> {
/// let both = TransactGet::new((Order::get("1"), User::get("2")));
/// let (order, user): (Option<Order>, Option<User>) = both.send(repository).await?;
/// # Ok(()) }
/// ```
///
/// It costs twice as much as consistent gets, so the `consistent` of a single get has no effect here. If other writers write to
/// one of the items meanwhile, it tries again a few times, with random pauses. To read more than 100 items as of one moment, use
/// an [interactive transaction](crate::Transaction::interactive) that writes nothing.
#[derive(Clone, Debug)]
#[must_use = "a command does nothing until it is sent"]
pub struct TransactGet<G> {
    gets: G,
    hedge: Option<Duration>,
}

impl<G: Gets> TransactGet<G> {
    /// Makes the command for these gets: one, a tuple of up to twelve, an array or a `Vec`; or a tuple of arrays.
    pub fn new(gets: G) -> Self {
        Self { gets, hedge: None }
    }

    /// Sends a second, equal request if the first has not been answered after this time, and takes the first answer: see
    /// [`Repository::hedged`]. The default is the shortest time that one of its gets has.
    pub fn hedge(mut self, after: Duration) -> Self {
        self.hedge = Some(after);
        self
    }

    /// Returns the request that `send` would send, without sending it.
    ///
    /// # Errors
    /// Those of `send` before its request: [`Error::is_invalid_input`].
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        self.command(repository)?.request(repository)
    }

    /// Reads all items as of one moment, with one `TransactGetItems`. Each get has its result in its place. Tombstones and expired
    /// items count as absent, unless the get includes them.
    ///
    /// If client-side transactions hold items, everything is read once more together with their lane rows (the transaction
    /// records), which say what is committed. This writes nothing. An undecided transaction is waited for, as a write would wait:
    /// it is aborted if it shows no sign of life for [`lock_timeout`](Repository::with_lock_timeout). If there are more than 100
    /// items and lane rows, the transactions are resolved first, committed changes are rolled forward into the items, and the
    /// items are read again.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// There is no get, or more than 100, or two are of one item; DynamoDB cannot store a key; an item is not of the entity's shape;
    /// other writers kept writing to an item ([`ErrorKind::Contended`](crate::ErrorKind::Contended)); or DynamoDB could not be
    /// reached or answered with an error, as it does if the items have more than 4 MB.
    pub async fn send(self, repository: &Repository) -> Result<G::Found, Error> {
        let items = self.command(repository)?.snapshot(repository).await?;
        G::__read(&self.gets, &mut items.into_iter(), repository.now())
    }

    fn command(&self, repository: &Repository) -> Result<TransactGetCommand, Error> {
        let mut gets = Vec::new();
        self.gets.__gets(repository, &mut gets)?;
        let hedge = self.hedge.or_else(|| gets.iter().filter_map(|(get, _)| get.hedge).min());
        Ok(TransactGetCommand { gets, hedge })
    }
}

/// Gets that can be read in one transaction.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read in a transaction",
    label = "expected `get` of an entity; or a tuple of up to twelve, an array or a `Vec` of them",
    note = "a query or a scan reads page by page, and no transaction keeps its pages together"
)]
pub trait Gets: sealed::Sealed {
    /// The results: for each get an `Option`, in the same places.
    type Found;
    #[doc(hidden)]
    fn __gets(&self, repository: &Repository, gets: &mut Vec<(GetCommand, String)>) -> Result<(), Error>;
    #[doc(hidden)]
    fn __read(&self, items: &mut dyn Iterator<Item = Option<Item>>, now: EpochMillis) -> Result<Self::Found, Error>;
}

impl<E: Entity, T: Row<E>> sealed::Sealed for Get<E, T> {}

impl<E: Entity, T: Row<E>> Gets for Get<E, T> {
    type Found = Option<T>;

    fn __gets(&self, repository: &Repository, gets: &mut Vec<(GetCommand, String)>) -> Result<(), Error> {
        gets.push((self.command.clone(), repository.table_name::<E>()?));
        Ok(())
    }

    fn __read(&self, items: &mut dyn Iterator<Item = Option<Item>>, now: EpochMillis) -> Result<Option<T>, Error> {
        found::<E, T>(items.next().flatten().map(RawItem::from), now)
    }
}

impl<G: Gets, const N: usize> sealed::Sealed for [G; N] {}

impl<G: Gets, const N: usize> Gets for [G; N]
where
    Count<N>: UpTo100,
{
    type Found = [G::Found; N];

    fn __gets(&self, repository: &Repository, gets: &mut Vec<(GetCommand, String)>) -> Result<(), Error> {
        self.iter().try_for_each(|get| get.__gets(repository, gets))
    }

    fn __read(&self, items: &mut dyn Iterator<Item = Option<Item>>, now: EpochMillis) -> Result<[G::Found; N], Error> {
        let found: Vec<G::Found> = self.iter().map(|get| get.__read(items, now)).collect::<Result<_, _>>()?;
        found.try_into().map_err(|_| Error::invalid("the transaction read another number of items"))
    }
}

impl<G: Gets> sealed::Sealed for Vec<G> {}

impl<G: Gets> Gets for Vec<G> {
    type Found = Vec<G::Found>;

    fn __gets(&self, repository: &Repository, gets: &mut Vec<(GetCommand, String)>) -> Result<(), Error> {
        self.iter().try_for_each(|get| get.__gets(repository, gets))
    }

    fn __read(&self, items: &mut dyn Iterator<Item = Option<Item>>, now: EpochMillis) -> Result<Vec<G::Found>, Error> {
        self.iter().map(|get| get.__read(items, now)).collect()
    }
}

macro_rules! tuples {
    ($(($($gets:ident $index:tt),+))+) => {$(
        impl<$($gets: Gets),+> sealed::Sealed for ($($gets,)+) {}

        impl<$($gets: Gets),+> Gets for ($($gets,)+) {
            type Found = ($($gets::Found,)+);

            fn __gets(&self, repository: &Repository, gets: &mut Vec<(GetCommand, String)>) -> Result<(), Error> {
                $(self.$index.__gets(repository, gets)?;)+
                Ok(())
            }

            fn __read(&self, items: &mut dyn Iterator<Item = Option<Item>>, now: EpochMillis) -> Result<Self::Found, Error> {
                Ok(($(self.$index.__read(items, now)?,)+))
            }
        }
    )+};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11)
}
