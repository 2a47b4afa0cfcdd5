//! How often each thing has happened.

use std::ops::AddAssign;

macro_rules! tally {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// How often each thing has happened.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Tally {
            $($(#[$doc])* pub $name: usize,)*
        }

        impl AddAssign for Tally {
            fn add_assign(&mut self, other: Self) {
                $(self.$name += other.$name;)*
            }
        }

        impl Tally {
            /// The names of what has never happened.
            #[must_use]
            pub fn never(&self) -> Vec<&'static str> {
                let all = [$((self.$name, stringify!($name)),)*];
                all.into_iter().filter_map(|(times, name)| (times == 0).then_some(name)).collect()
            }
        }
    };
}

tally! {
    /// Intents that were placed.
    placed,
    /// Of them, those of items that were not there.
    places,
    /// Tries by intents that were committed.
    committed,
    /// Intents that whoever has placed them has applied.
    applied,
    /// Intents that others have applied.
    applied_by_others,
    /// Intents that were taken away by whoever has placed them.
    removed,
    /// Intents that others have taken away.
    removed_by_others,
    /// Tickets that were made void.
    voided,
    /// Lanes that were made.
    lanes,
    /// Lanes that were adopted.
    adopted,
    /// Native transactions that were applied.
    native,
    /// Plain writes that an intent has refused.
    met_by_writes,
    /// Native transactions that an intent has refused.
    met_by_native,
    /// Intents that another's has refused.
    met_by_intents,
    /// Reads that have shown an intent.
    met_by_reads,
    /// Processes that have died.
    deaths,
    /// Of them, those that had intents in place which were not decided.
    died_undecided,
    /// Of them, those that had committed what was not applied.
    died_unapplied,
    /// Sends that were dropped for good, with intents in place which were not decided.
    dropped_undecided,
    /// Sends that were dropped for good, with something committed that was not applied.
    dropped_unapplied,
}
