//! Compares several writes of a row in one transaction, which are merged into one write, with the same writes sent alone, one
//! after the other. Both are applied or refused, by the same write and for the same reasons, and leave the same item. Only
//! the version and the write id differ.
//!
//! `DYNO_SEEDS` sets the number of rows of each kind. The same seed gives the same run.

#![allow(clippy::print_stdout, reason = "how many were applied, for who asks with `--nocapture`")]

use crate::runs::{run, seeds};
use dyno::command::Tx;
use dyno::{Entity, Error, Item, Reason, Repository, Transaction, TransactionOutcome};
use dyno_tests::{World, is_remote, reasons, world};

/// What a write does.
#[derive(Clone, Copy, Debug)]
enum Verb {
    Put,
    Create,
    Replace,
    Undelete,
    Delete,
    Update,
    Unchecked,
    Check,
}

#[derive(Clone, Copy, Debug)]
struct Write {
    verb: Verb,
    /// True if the write expects the stored version.
    is_informed: bool,
    sum: u64,
}

impl Write {
    fn any() -> Self {
        let verb = match fastrand::u8(0..16) {
            0..3 => Verb::Put,
            3..6 => Verb::Create,
            6 => Verb::Replace,
            7 => Verb::Undelete,
            8..11 => Verb::Delete,
            11..13 => Verb::Update,
            13..15 => Verb::Unchecked,
            _ => Verb::Check,
        };
        Self { verb, is_informed: fastrand::u8(0..8) > 0, sum: fastrand::u64(0..5) }
    }

    /// Returns the version that the write expects if this version is stored. A create expects none.
    fn says(self, there: u64) -> u64 {
        match (self.verb, self.is_informed) {
            (Verb::Create, _) => 0,
            (_, true) => there,
            (_, false) => 900,
        }
    }

    fn counts(self) -> bool {
        !matches!(self.verb, Verb::Check)
    }
}

/// The reasons of a refusal without versions, which differ: each of the sequential writes makes a new version.
fn uncounted(reasons: &[Reason]) -> Vec<String> {
    let text = |reason: &Reason| match reason {
        Reason::Conflict { .. } => "another version".to_owned(),
        reason => format!("{reason:?}"),
    };
    reasons.iter().map(text).collect()
}

/// The attributes of an item without the version and the write id, which differ.
fn content(item: Option<&Item>) -> Option<Vec<(String, String)>> {
    let item = item?.iter().filter(|(name, _)| !["version", "_w"].contains(&name.as_str()));
    let mut content: Vec<_> = item.map(|(name, value)| (name.clone(), format!("{value:?}"))).collect();
    content.sort();
    Some(content)
}

/// Whether there is no live item.
fn is_dead(item: Option<&Item>) -> bool {
    item.is_none_or(|item| item.contains_key("deleted"))
}

/// An update of a row. With a history, each revision is a whole item, so there it is a replace.
macro_rules! change {
    (changes $row:ident $version:ident) => {
        Row::update(1).version($version).with(Row::fields().sum.add(1))
    };
    (puts $row:ident $version:ident) => {
        $row.replace()
    };
}

macro_rules! unchecked {
    (changes $row:ident) => {
        Row::update(1).unchecked().with(Row::fields().sum.add(1))
    };
    (puts $row:ident) => {
        $row.put()
    };
}

macro_rules! hold {
    (changes $tx:ident $change:expr) => {
        $tx.update($change)
    };
    (puts $tx:ident $put:expr) => {
        $tx.put($put)
    };
}

macro_rules! kinds {
    ($($kind:ident $changes:ident $(#[$attribute:meta])* { $($fence:ident)? };)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug)]
            #[entity(table = "rows")]
            #[tombstone(ttl_days = 7)]
            #[transactional]
            $(#[$attribute])*
            struct Row {
                #[partition_key]
                id: u64,
                sum: u64,
                $(#[fence] $fence: u64,)?
                #[version]
                version: u64,
            }

            fn row(write: Write, version: u64) -> Row {
                Row { id: 1, sum: write.sum, $($fence: write.sum,)? version }
            }

            /// Sends a write alone, and returns the reasons of its refusal, if any.
            async fn alone(repository: &Repository, write: Write, version: u64) -> Result<Vec<Reason>, Error> {
                let row = row(write, version);
                Ok(match write.verb {
                    Verb::Put => reasons(&row.put().send(repository).await?),
                    Verb::Create => reasons(&row.create().send(repository).await?),
                    Verb::Replace => reasons(&row.replace().send(repository).await?),
                    Verb::Undelete => reasons(&row.undelete().send(repository).await?),
                    Verb::Delete => reasons(&Row::delete(1, version).send(repository).await?),
                    Verb::Update => reasons(&change!($changes row version).send(repository).await?),
                    Verb::Unchecked => reasons(&unchecked!($changes row).send(repository).await?),
                    Verb::Check => {
                        let sent = Transaction::new().check(Row::check(1)).send(repository).await?;
                        let refused = sent.refusal().into_iter().flat_map(|refusal| refusal.actions());
                        refused.flat_map(|action| action.reasons().to_vec()).collect()
                    }
                })
            }

            /// Adds a write to a transaction.
            fn held(tx: &Tx, write: Write, version: u64) {
                let row = row(write, version);
                match write.verb {
                    Verb::Put => tx.put(row.put()),
                    Verb::Create => tx.put(row.create()),
                    Verb::Replace => tx.put(row.replace()),
                    Verb::Undelete => tx.put(row.undelete()),
                    Verb::Delete => tx.delete(Row::delete(1, version)),
                    Verb::Update => hold!($changes tx change!($changes row version)),
                    Verb::Unchecked => hold!($changes tx unchecked!($changes row)),
                    Verb::Check => tx.check(Row::check(1)),
                }
            }

            async fn stored(repository: &Repository) -> Option<Item> {
                let table = repository.table_name::<Row>().expect("a table");
                let scan = repository.client().scan().table_name(table).consistent_read(true);
                scan.send().await.expect("a scan").items.unwrap_or_default().pop()
            }

            /// Makes the same row twice, with up to three writes, and returns the two repositories and the version.
            async fn begin(world: &World) -> ([Repository; 2], u64) {
                let copies = ["one-", "other-"].map(|prefix| world.repository.clone().with_table_prefix(prefix));
                let mut version = 0;
                let writes = fastrand::usize(0..4);
                for copy in &copies {
                    copy.create_table::<Row>().await.expect("a table");
                    version = 0;
                    for at in 0..writes {
                        let verb = [Verb::Create, Verb::Update, Verb::Delete][at];
                        // A deletion has the lowest fence, so these writes have it, too.
                        let write = Write { verb, is_informed: true, sum: 0 };
                        assert_eq!(alone(copy, write, version).await.expect("sent"), []);
                        version += 1;
                    }
                }
                (copies, version)
            }

            /// Compares one run, and returns true if its writes were applied.
            async fn compare(seed: u64) -> bool {
                let world = world::<Row>().await;
                let ([one, other], base) = begin(&world).await;
                let writes: Vec<Write> = (0..fastrand::usize(1..=5)).map(|_| Write::any()).collect();
                let before = stored(&other).await;
                let (mut made, mut refused) = (0, None);
                for (at, write) in writes.iter().enumerate() {
                    let reasons = alone(&one, *write, write.says(base + made)).await.expect("sent");
                    if !reasons.is_empty() {
                        refused = Some((at, uncounted(&reasons)));
                        break;
                    }
                    made += u64::from(write.counts());
                }
                let held_back = &writes;
                let transaction = Transaction::interactive(|tx| async move {
                    let mut made = 0;
                    for write in held_back {
                        // Together, the writes make one version.
                        held(&tx, *write, write.says(base + made));
                        made |= u64::from(write.counts());
                    }
                    Ok(())
                });
                let sent = transaction.send(&other).await.expect("sent");
                let (alone, together) = (stored(&one).await, stored(&other).await);
                match (&refused, &sent) {
                    (None, TransactionOutcome::Applied(())) => {
                        // An item that the writes create and delete again, or that was deleted already, stays unchanged.
                        let is_same = content(alone.as_ref()) == content(together.as_ref());
                        let stays = is_dead(alone.as_ref()) && is_dead(before.as_ref()) && together == before;
                        assert!(is_same || stays, "seed {seed}: {writes:?}\n{before:?}\n{alone:?}\n{together:?}");
                    }
                    (Some(refused), TransactionOutcome::Refused(refusal)) => {
                        let found: Vec<_> =
                            refusal.actions().map(|action| (action.index(), uncounted(action.reasons()))).collect();
                        assert_eq!(found, std::slice::from_ref(refused), "seed {seed}: {writes:?} on {before:?}");
                        assert_eq!(together, before, "seed {seed}: {writes:?}");
                    }
                    _ => panic!("seed {seed}: {writes:?} on {before:?}: {refused:?}, but together {sent:?}"),
                }
                refused.is_none()
            }

            #[test]
            fn merged_writes_of_a_row_have_the_effect_of_sequential_writes() {
                // On a remote engine, a table for each row is slow, and dyno itself makes the decisions that are compared.
                let runs = seeds(60, 3);
                let applied = (0..runs).filter(|seed| run(*seed, compare(*seed))).count();
                println!("{}: {runs} rows, {applied} applied", stringify!($kind));
                assert!(applied > 0 || is_remote());
            }
        }
    )*};
}

kinds! {
    plain changes {};
    fenced changes { epoch };
    with_a_history puts #[history_table] {};
    with_an_ordered_history puts #[history_table(mode = "ordered")] {};
}
