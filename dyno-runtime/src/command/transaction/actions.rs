//! The actions of a transaction: writes and checks of entities, alone, in arrays and in `Vec`s.

use super::check::Check;
use crate::command::write::delete::{Delete, Purge};
use crate::command::write::put::{Create, Put, Replace, Undelete};
use crate::command::write::update::{ChecksVersion, Update, VersionedUpdate};
use crate::entity::{Answer, Entity, ReturnsNothing, Tombstoned};
use crate::exchange::Repository;
use crate::transaction::native::Action;
use crate::write::WriteCommand;
use std::any::TypeId;

mod sealed {
    pub trait Sealed {}
}

/// Commands that can be an action of a transaction.
pub trait Enlist: sealed::Sealed {
    /// The entity of the action.
    type Of: Entity;

    #[doc(hidden)]
    fn __enlist(self, add: &mut dyn FnMut(Action));
}

/// Arguments of [`Transaction::put`](crate::Transaction::put).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a put of a transaction",
    label = "expected `put`, `create`, `replace` or `undelete` of an entity; or an array or a `Vec` of one of them",
    note = "updates go into `update`, deletes and purges into `delete`, checks into `check`; what reads or tries again by itself, as `modify`, goes into none"
)]
pub trait PutActions: Enlist {}

/// Arguments of [`Transaction::update`](crate::Transaction::update).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an update of a transaction",
    label = "expected `update` of an entity; or an array or a `Vec` of it",
    note = "puts go into `put`, deletes and purges into `delete`, checks into `check`; what reads or tries again by itself, as `modify`, goes into none"
)]
pub trait UpdateActions: Enlist {}

/// Arguments of [`Transaction::delete`](crate::Transaction::delete).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a delete of a transaction",
    label = "expected `delete` or `purge` of an entity; or an array or a `Vec` of one of them",
    note = "puts go into `put`, updates into `update`, checks into `check`"
)]
pub trait DeleteActions: Enlist {}

/// Arguments of [`Transaction::check`](crate::Transaction::check).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a check of a transaction",
    label = "expected `check` of an entity; or an array or a `Vec` of it",
    note = "a check demands something of an item that the transaction does not write; a write takes a `condition` itself"
)]
pub trait CheckActions: Enlist {}

macro_rules! actions {
    ($($command:ident<E: $bound:ident $(, $output:ident)?>: $actions:ident;)*) => {$(
        impl<E: $bound $(, $output: Answer<E>)?> sealed::Sealed for $command<E $(, $output)?> {}

        impl<E: $bound $(, $output: Answer<E>)?> Enlist for $command<E $(, $output)?> {
            type Of = E;

            fn __enlist(self, add: &mut dyn FnMut(Action)) {
                add(action::<E>(*self.command));
            }
        }

        impl<E: $bound $(, $output: Answer<E, Returned: ReturnsNothing>)?> $actions for $command<E $(, $output)?> {}
    )*};
}

actions! {
    Put<E: Entity, O>: PutActions;
    Create<E: Entity, O>: PutActions;
    Replace<E: Entity, O>: PutActions;
    Undelete<E: Tombstoned, O>: PutActions;
    Update<E: Entity, O>: UpdateActions;
    Delete<E: Entity, O>: DeleteActions;
    Purge<E: Tombstoned>: DeleteActions;
    Check<E: Entity>: CheckActions;
}

pub(in crate::command) fn action<E: Entity>(command: WriteCommand) -> Action {
    Action { command, entity: TypeId::of::<E>(), tables: Repository::tables::<E> }
}

// The compiler asks for the version of an update that does not say it. (The bound is on `E`, because with a bound on the type
// itself the compiler reports this trait instead.)
impl<E: Entity> sealed::Sealed for VersionedUpdate<E> {}

impl<E: Entity + ChecksVersion> Enlist for VersionedUpdate<E> {
    type Of = E;

    fn __enlist(self, _: &mut dyn FnMut(Action)) {}
}

impl<E: Entity + ChecksVersion> UpdateActions for VersionedUpdate<E> {}

impl<T: Enlist, const N: usize> sealed::Sealed for [T; N] {}

impl<T: Enlist, const N: usize> Enlist for [T; N] {
    type Of = T::Of;

    fn __enlist(self, add: &mut dyn FnMut(Action)) {
        for actions in self {
            actions.__enlist(add);
        }
    }
}

impl<T: Enlist> sealed::Sealed for Vec<T> {}

impl<T: Enlist> Enlist for Vec<T> {
    type Of = T::Of;

    fn __enlist(self, add: &mut dyn FnMut(Action)) {
        for actions in self {
            actions.__enlist(add);
        }
    }
}

macro_rules! several {
    ($($actions:ident)*) => {$(
        impl<T: $actions, const N: usize> $actions for [T; N] where Count<N>: UpTo100 {}
        impl<T: $actions> $actions for Vec<T> {}
    )*};
}

several!(PutActions UpdateActions DeleteActions CheckActions);

/// A number known at compile time: the length of an array.
#[derive(Clone, Copy, Debug)]
pub struct Count<const N: usize>;

/// The lengths of arrays that fit into a transaction: 1 to 100.
#[diagnostic::on_unimplemented(
    message = "a transaction has 1 to 100 actions, and this is a `{Self}`",
    label = "an array of another length",
    note = "DynamoDB takes at most 100 actions, or gets, in one transaction: split it, where the parts make sense alone",
    note = "a `Vec` of writes of `#[transactional]` entities can be longer: it takes many requests"
)]
pub trait UpTo100 {}

macro_rules! up_to_100 {
    ($($count:literal)*) => {$(
        #[diagnostic::do_not_recommend]
        impl UpTo100 for Count<$count> {}
    )*};
}

up_to_100! {
    1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43
    44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83
    84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100
}
