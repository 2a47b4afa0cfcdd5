//! A program: an entity, and what its writers do with it. Two programs share a table.

/// The entity of a program, with a version (`counted`) or without one (`plain`), and all kinds of its commands.
macro_rules! program {
    ($kind:ident $unit:literal {
        [$(#[$on:meta])*]
        $(#[$log:meta])* log,
        $(#[$amount:meta])* amount,
        $(#[$tags:meta])* tags,
        $(#[$city:meta])* city,
    }) => {
        use super::super::ledger::{Begun, Place, Seen, Shared, Told, is_newer, told};
        use super::super::{CITIES, IDS, SHELF, WRITES};
        use dyno::{Checkpoint, Entity, Repository, Transaction};
        use std::collections::BTreeSet;
        use std::sync::atomic::{AtomicBool, Ordering};
        use std::sync::{Arc, Mutex};
        use std::time::Duration;
        use tokio::time::{sleep, timeout};

        program!(@entity $kind {
            [$(#[$on])*]
            $(#[$log])* log,
            $(#[$amount])* amount,
            $(#[$tags])* tags,
            $(#[$city])* city,
        });

        impl Row {
            /// A new row whose life begins with this write.
            fn new(id: &str, write: Begun) -> Self {
                let mut row = Self {
                    shelf: SHELF.to_owned(),
                    id: id.to_owned(),
                    life: write.number,
                    ..Self::default()
                };
                row.write(write);
                row
            }

            /// Changes the row as this write of the whole row does.
            fn write(&mut self, write: Begun) {
                self.coat = write.number;
                self.log.push(write.number);
                self.amount += $unit;
                CITIES[fastrand::usize(..CITIES.len())].clone_into(&mut self.city);
            }

            /// Returns what a read shows. The amount is one unit of this program for each write in the log.
            pub(super) fn seen(&self) -> Seen {
                let (log, tags) = (self.log.clone(), self.tags.clone());
                assert_eq!(self.amount, $unit * log.len() as u64, "the amount of {self:?}");
                Seen { life: self.life, coat: self.coat, log, tags, strange: None }
            }
        }

        type Update = dyno::command::Update<Row>;

        /// Sends a command until it is answered. If the newer program has upgraded a row, a transaction of the older program
        /// is refused as long as its first attempt may still arrive. The clock does not advance by itself, so after 20 sends,
        /// each send advances it by a minute.
        macro_rules! send {
            ($shared:ident, $what:literal, $repository:ident, $command:expr) => {{
                let (command, mut sends) = ($command, 0);
                loop {
                    if let Some(told) = told($shared, $what, command.clone().send($repository).await) {
                        break told;
                    }
                    sends += 1;
                    if sends > 20 {
                        $shared.clock.advance(60_000);
                    }
                }
            }};
        }

        /// The changes that leave a write's number in the log.
        fn logged(update: Update, write: Begun) -> Update {
            update.with([Row::fields().log.push(write.number), Row::fields().amount.add($unit)])
        }

        /// Reads all rows, in one way or another.
        async fn read(seed: u64, repository: &Repository, shared: &Shared) {
            let begun = shared.begin();
            let read = match fastrand::u8(0..3) {
                0 => Row::query(SHELF).consistent().send(repository).await,
                1 => Row::query(SHELF).consistent().filter(Row::fields().city.ne(CITIES[0])).send(repository).await,
                _ => Row::scan().consistent().send(repository).await,
            };
            match read {
                Ok(page) => {
                    shared.note("read");
                    page.items.iter().for_each(|row| shared.ledger().check(seed, begun, &row.seen()));
                }
                Err(error) if is_newer(&error) => shared.note("read: newer"),
                Err(error) => assert!(!error.is_decode(), "{error:?}"),
            }
        }

        /// Brings all rows up to date, again and again. Each run can be interrupted at any time, and the next one resumes
        /// from its checkpoint.
        #[allow(dead_code, reason = "of the newer of two programs")]
        pub(super) async fn upkeep(repository: Repository, shared: Shared, stop: Arc<AtomicBool>) {
            let mut kept: Option<Checkpoint> = None;
            while !stop.load(Ordering::Relaxed) {
                let at = Mutex::new(kept.clone());
                let each = Row::scan().parallel(2).modify_each(|_| {}).after(kept.clone());
                let each = each.on_progress(|progress| {
                    let text = progress.checkpoint().to_string();
                    *at.lock().expect("no panic") = Some(text.parse().expect("a checkpoint"));
                });
                let limit = Duration::from_millis(fastrand::u64(10..1500));
                match timeout(limit, each.send(&repository)).await {
                    Ok(sent) => {
                        let progress = sent.expect("it begins");
                        let decoded = |error: &dyno::Error| !error.is_decode() && !error.is_invalid_input();
                        assert!(progress.failures().iter().all(|failure| decoded(failure.error())), "{progress:?}");
                        shared.note("modify_each");
                        kept = (!progress.is_finished()).then(|| progress.checkpoint().clone());
                    }
                    Err(_) => {
                        shared.note("modify_each: broken off");
                        kept = at.into_inner().expect("no panic");
                    }
                }
                sleep(Duration::from_millis(fastrand::u64(0..300))).await;
            }
        }

        writer!($kind);
    };

    (@entity counted {
        [$(#[$on:meta])*]
        $(#[$log:meta])* log,
        $(#[$amount:meta])* amount,
        $(#[$tags:meta])* tags,
        $(#[$city:meta])* city,
    }) => {
        #[derive(Entity, Clone, Debug, Default, PartialEq)]
        #[entity(table = "rows")]
        #[tombstone(ttl_days = 7)]
        $(#[$on])*
        pub(super) struct Row {
            #[partition_key]
            shelf: String,
            #[sort_key]
            id: String,
            life: u64,
            coat: u64,
            $(#[$log])*
            log: Vec<u64>,
            $(#[$amount])*
            amount: u64,
            $(#[$tags])*
            tags: BTreeSet<u64>,
            $(#[$city])*
            pub(super) city: String,
            #[version]
            version: u64,
        }
    };
    (@entity plain {
        [$(#[$on:meta])*]
        $(#[$log:meta])* log,
        $(#[$amount:meta])* amount,
        $(#[$tags:meta])* tags,
        $(#[$city:meta])* city,
    }) => {
        #[derive(Entity, Clone, Debug, Default, PartialEq)]
        #[entity(table = "rows")]
        $(#[$on])*
        pub(super) struct Row {
            #[partition_key]
            shelf: String,
            #[sort_key]
            id: String,
            life: u64,
            coat: u64,
            $(#[$log])*
            log: Vec<u64>,
            $(#[$amount])*
            amount: u64,
            $(#[$tags])*
            tags: BTreeSet<u64>,
            $(#[$city])*
            pub(super) city: String,
        }
    };
}
