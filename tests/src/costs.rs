//! Compares what the suite's commands consume with what their `cost` has said.
//!
//! The macros `applied!` and `refused!` of the behaviour suite pass each command through [`Sent`], so that every test that sends a
//! command by them checks its cost, too. Commands that `in_the_way` excepts are not compared.

use crate::in_the_way::Since;
use dyno::bound::{Answer, Purgeable, Tombstoned};
use dyno::command::{Create, Delete, Purge, Put, Replace, Undelete, Update};
use dyno::model::{Bounds, Cost};
use dyno::{Entity, Error, Repository, Transaction, Usage};

/// The size that the items of the suite do not exceed, but for those of the module [`LARGE`].
const SMALL: usize = 1024;
/// The tests of items with up to the most bytes.
const LARGE: &str = "after_image_pages::";

/// A command that is about to be sent, with its cost, if it has `cost`.
#[derive(Debug)]
pub struct Sent(Option<Result<Cost, Error>>, Since);

/// A command of any type.
#[derive(Debug)]
pub struct Probe<'a, C>(pub &'a C);

/// The two traits of commands, for the macros. (A glob import may be unused in part.)
pub mod by_type {
    pub use super::{Costless, Costly, Probe};
}

/// A command that has `cost`. The macros call this method by either trait, and the compiler prefers this one.
pub trait Costly {
    /// Returns the command with its cost, or with the error of `cost`, which is that of `send`.
    fn sent(&self, repository: &Repository) -> Sent;
}

/// A command that has no `cost`.
pub trait Costless {
    /// Returns the command without a cost.
    fn sent(&self, repository: &Repository) -> Sent;
}

impl<C> Costless for &Probe<'_, C> {
    fn sent(&self, _: &Repository) -> Sent {
        Sent(None, Since::now())
    }
}

/// The most bytes of the items of this thread's test.
fn most_bytes() -> usize {
    let thread = std::thread::current();
    if thread.name().is_some_and(|name| name.starts_with(LARGE)) { 400 * 1024 } else { SMALL }
}

macro_rules! costly {
    ($([$($params:tt)*] $command:ty;)*) => {$(
        impl<$($params)*> Costly for Probe<'_, $command> {
            fn sent(&self, repository: &Repository) -> Sent {
                Sent(Some(self.0.cost(repository, most_bytes())), Since::now())
            }
        }
    )*};
}

costly! {
    [E: Entity, O: Answer<E>] Put<E, O>;
    [E: Entity, O: Answer<E>] Create<E, O>;
    [E: Entity, O: Answer<E>] Replace<E, O>;
    [E: Tombstoned, O: Answer<E>] Undelete<E, O>;
    [E: Entity, O: Answer<E>] Update<E, O>;
    [E: Entity, O: Answer<E>] Delete<E, O>;
    [E: Purgeable] Purge<E>;
    [] Transaction;
}

impl Sent {
    /// Checks the usage of a command that was applied.
    ///
    /// # Panics
    /// The usage is not within the cost.
    pub fn applied(self, usage: Usage) {
        self.check("applied", usage, |cost| Some(cost.applied));
    }

    /// Checks the usage of a command that was refused.
    ///
    /// # Panics
    /// The usage is not within the cost.
    pub fn refused(self, usage: Usage) {
        self.check("refused", usage, |cost| cost.refused);
    }

    fn check(self, outcome: &str, usage: Usage, of: fn(Cost) -> Option<Bounds>) {
        let Self(Some(cost), since) = self else { return };
        // An engine in another process may count otherwise.
        if crate::is_remote() || since.is_disturbed(usage.requests) {
            return;
        }
        let cost = match cost {
            // A client-side transaction has no cost.
            Err(error) if error.to_string().starts_with("the transaction is client-side and has no single request") => {
                return;
            }
            cost => cost.expect("a command that was sent has a cost"),
        };
        let is_included = of(cost).is_some_and(|bounds| bounds.includes(&usage));
        assert!(is_included, "{outcome} with {usage:?}, but the cost is {cost}");
    }
}
