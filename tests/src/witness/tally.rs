//! Counts of the events in client-side transactions.

use std::ops::AddAssign;

macro_rules! tally {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The number of times that each event has occurred.
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
            /// The names of the events that have never occurred.
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
    /// Those of them that are placeholders, for items that did not exist.
    places,
    /// Attempts that were committed.
    committed,
    /// Intents that were applied by the process that placed them.
    applied,
    /// Intents that were applied by another process.
    applied_by_others,
    /// Intents that were removed by the process that placed them.
    removed,
    /// Intents that were removed by another process.
    removed_by_others,
    /// Requests that aborted attempts.
    voided,
    /// Lanes that were created.
    lanes,
    /// Lanes that a process has taken over.
    adopted,
    /// Native transactions that were applied.
    native,
    /// Plain writes that were refused because of an intent.
    met_by_writes,
    /// Native transactions that were refused because of an intent.
    met_by_native,
    /// Writes of an intent that were refused because of another intent.
    met_by_intents,
    /// Reads that returned an intent.
    met_by_reads,
    /// Processes that have died.
    deaths,
    /// Those of them that left intents of an open attempt.
    died_undecided,
    /// Those of them that left intents of a committed attempt.
    died_unapplied,
    /// Sends that were dropped for good and left intents of an open attempt.
    dropped_undecided,
    /// Sends that were dropped for good and left intents of a committed attempt.
    dropped_unapplied,
}
