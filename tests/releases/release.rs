//! A release of an entity, behind functions without its type: so the tests that run two releases against each other are compiled
//! once.

use crate::commands::{Command, Way, Wrote};
use dyno::bound::Answer;
use dyno::command::{Get, ReturnsNothing, Scan, Update};
use dyno::local::{Engine, Faults};
use dyno::model::{Model, SchemaLock};
use dyno::{Clock, Entity, Error, Item, Outcome, Repository, Schema};
use dyno_tests::clock::RunningClock;
use std::pin::Pin;
use std::sync::Arc;
use tokio::time::Instant;

/// A request that is being sent.
pub(crate) type Sent<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// The number of items that a query finds.
pub(crate) type Found<'a> = Sent<'a, Result<usize, Error>>;

/// A release of the entity `Film`.
#[derive(Clone, Copy)]
pub(crate) struct Release {
    pub(crate) name: &'static str,
    pub(crate) schema: &'static Schema,
    pub(crate) lock: fn() -> SchemaLock,
    pub(crate) create_table: fn(&Repository) -> Sent<'_, Result<(), Error>>,
    /// Sends a command; `None` if the entity does not have it.
    pub(crate) write: fn(Command, Way, &Repository) -> Option<Sent<'_, Wrote>>,
    /// Loads the item, waits for another program, and puts the item; `None` if the entity has no version.
    pub(crate) put_after: for<'a> fn(&'a Repository, Sent<'a, Wrote>) -> Option<Sent<'a, Wrote>>,
    /// Reads the item in each way.
    pub(crate) read: fn(&Repository) -> Sent<'_, Seen>,
    /// Counts the items that a query of an index, or a read by a unique value, finds.
    pub(crate) find: fn(&Repository) -> Option<Found<'_>>,
}

/// An item as a release reads it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Seen {
    /// The item that the release would store for the entity.
    Item(Item),
    Absent,
    Failed(String),
}

/// An entity of which a release has one item.
pub(crate) trait Sample:
    Entity<
        PutOutput: Answered + Answer<Self, Returned: ReturnsNothing>,
        DeleteOutput: Answered + Answer<Self, Returned: ReturnsNothing>,
        Version: ReturnsNothing,
    >
{
    /// The item that the release writes.
    fn film() -> Self;
    /// Changes an attribute that each release has.
    fn touch(&mut self);
    /// The tokens of its ratchets.
    fn tokens(&self) -> Self::Tokens;

    /// The update, if it is not the one that each entity has.
    fn update(_key: Self::Key) -> Option<Update<Self>> {
        None
    }

    fn find(_db: &Repository) -> Option<Found<'_>> {
        None
    }
}

/// The result of a write.
pub(crate) trait Answered {
    fn wrote(self) -> Wrote;
}

impl Answered for () {
    fn wrote(self) -> Wrote {
        Wrote::Applied
    }
}

impl<E, T> Answered for Outcome<E, T> {
    fn wrote(self) -> Wrote {
        match self {
            Self::Applied(_) => Wrote::Applied,
            Self::Refused(refusal) => Wrote::Refused(refusal.to_string()),
        }
    }
}

/// A database without tables. Its clock runs with the runtime's clock, by which the engine fills a new index.
pub(crate) fn database() -> Repository {
    database_behind(&Faults::new())
}

/// A database behind this network.
pub(crate) fn database_behind(faults: &Faults) -> Repository {
    let clock: Arc<dyn Clock> = Arc::new(RunningClock::new(Instant::now(), 0));
    let engine = Engine::in_memory_with_clock(Arc::clone(&clock)).expect("an engine");
    Repository::new(engine.client_with(faults)).with_clock(clock)
}

pub(crate) fn lock<E: Entity>() -> SchemaLock {
    Model::new(&database()).table::<E>().schema_lock().expect("a lock")
}

pub(crate) fn create_table<E: Entity>(db: &Repository) -> Sent<'_, Result<(), Error>> {
    Box::pin(async {
        db.create_table::<E>().await?;
        if E::SCHEMA.is_transactional { db.create_lane_table().await } else { Ok(()) }
    })
}

/// Reads the item by a scan, and by its key.
pub(crate) fn read<E: Sample>(db: &Repository) -> Sent<'_, Seen> {
    Box::pin(async {
        let found = Get::<E>::new(E::film().key()).consistent().send(db).await;
        let scanned = Scan::<E>::new().consistent().send(db).await.map(|mut page| page.items.pop());
        match (seen(found), seen(scanned)) {
            (found, scanned) if found == scanned => scanned,
            (_, Seen::Failed(error)) | (Seen::Failed(error), _) => Seen::Failed(error),
            _ => Seen::Failed("a scan finds the item, and a get by the key does not".to_owned()),
        }
    })
}

fn seen<E: Sample>(found: Result<Option<E>, Error>) -> Seen {
    match found {
        Ok(Some(film)) => match film.to_item() {
            Ok(item) => Seen::Item(item),
            Err(error) => Seen::Failed(error.to_string()),
        },
        Ok(None) => Seen::Absent,
        Err(error) => Seen::Failed(error.to_string()),
    }
}

/// Declares releases of the entity `Film`, each in a module of its own: the attributes of the struct, and its fields with their
/// values. A release has the key `id` and the attribute `touched`, unless it is `keyed`.
macro_rules! releases {
    ($($name:ident: $({ $($item:item)* })? $([$($attribute:meta),*])? ($($(#[$meta:meta])* $field:ident: $type:ty = $value:expr),* $(,)?)
        $(tokens |$film:ident| $tokens:expr)? $(, also { $($function:item)* })?;)*) => {
        crate::release::releases! { @keyed $($name: $({ $($item)* })? $([$($attribute),*])?
            (#[partition_key] id: String = "1".to_owned(), $($(#[$meta])* $field: $type = $value,)* touched: Option<u64> = None)
            $(tokens |$film| $tokens)? $(, also { $($function)* })?;)* }
    };
    (@keyed $($name:ident: $({ $($item:item)* })? $([$($attribute:meta),*])? ($($(#[$meta:meta])* $field:ident: $type:ty = $value:expr),* $(,)?)
        $(tokens |$film:ident| $tokens:expr)? $(, also { $($function:item)* })?;)*) => {$(
        #[expect(clippy::allow_attributes, reason = "not all releases use them")]
        #[allow(unused_imports, dead_code, unreachable_pub, clippy::unnecessary_wraps, reason = "not all releases use them")]
        pub(crate) mod $name {
            use crate::commands::*;
            use crate::release::{self, Found, Release, Sample, Seen, Sent};
            use dyno::command::Update;
            use dyno::*;
            use std::collections::*;
            $($($item)*)?
            #[derive(Entity)]
            #[entity(table = "films")]
            $($(#[$attribute])*)?
            pub struct Film { $($(#[$meta])* pub $field: $type),* }

            impl Sample for Film {
                fn film() -> Self { Self { $($field: $value),* } }
                fn touch(&mut self) { self.touched = Some(1); }
                fn tokens(&self) -> Self::Tokens { crate::release::releases!(@tokens self $($film $tokens)?) }
                $($($function)*)?
            }

            pub const RELEASE: Release = Release {
                name: stringify!($name),
                schema: Film::SCHEMA,
                lock: release::lock::<Film>,
                create_table: release::create_table::<Film>,
                write: |command, way, db| crate::commands::write!(Film, command, way, db),
                put_after: |db, other| (&&Of::<Film>::NEW).put_after(db, other),
                read: release::read::<Film>,
                find: Film::find,
            };
        }
    )*};
    (@tokens $self:ident) => { () };
    (@tokens $self:ident $film:ident $tokens:expr) => {{ let $film = $self; $tokens }};
}
pub(crate) use releases;
