//! Every command that writes an item of an entity, for entities of any kind.

use crate::release::{Answered, Sample, Sent};
use dyno::__private::StoredAttribute;
use dyno::__private::evaluated::set;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::bound::{
    Counted as _, Deletable, Fenced, Idempotent, Replaceable, Tombstoned, Transactional, Updatable, Versioned,
    WithHistory, WithUniqueValues, WithoutHistory,
};
use dyno::command::{
    BatchWritten, Create, Delete, Get, Modify, Put, Replace, Rollback, Scan, Unconditional, Undelete, Update,
    VersionedUpdate,
};
use dyno::{BatchWrite, Error, Item, Outcome, Progress, Repository, Transaction, TransactionOutcome};
use std::marker::PhantomData;

/// A command. The first ones write an item where there is none, the others change one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Put,
    Create,
    Upsert,
    Batch,
    /// Puts the item that was loaded.
    PutLoaded,
    Replace,
    Update,
    /// Updates each attribute that an update may set.
    UpdateAll,
    Modify,
    ModifyEach,
    Delete,
    /// Writes over a tombstone.
    Undelete,
    /// Writes an earlier revision.
    Rollback,
    /// Puts in the closure of an interactive transaction what it has read.
    Closure,
    /// Puts the item with a newer token.
    PutNewer,
    /// Creates another item with the same unique value.
    CreateOther,
    /// Updates with an idempotency key.
    Keyed,
    /// Puts with this fencing token.
    Fenced(u64),
}

/// The way in which a command is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Alone,
    /// In a native transaction.
    Native,
    /// In a client-side transaction.
    ClientSide,
}

/// The result of a write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wrote {
    Applied,
    Refused(String),
    Failed(String),
}

impl From<Result<Self, Error>> for Wrote {
    fn from(sent: Result<Self, Error>) -> Self {
        sent.unwrap_or_else(|error| Self::Failed(error.to_string()))
    }
}

/// Stands for an entity. A method that needs a capability is implemented for `&Of<E>`. For other entities, the compiler finds the
/// method of [`Lacks`].
pub(crate) struct Of<E>(PhantomData<E>);

impl<E> Of<E> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

/// Sends a command that can also be an action of a transaction.
macro_rules! send {
    ($way:expr, $db:expr, $add:ident, $command:expr) => {{
        let (way, db) = ($way, $db);
        is_possible::<E>(way).then(|| {
            Box::pin(async move {
                match way {
                    Way::Alone => $command.send(db).await.map(Answered::wrote).into(),
                    _ => transact(Transaction::new().$add($command), way, db).await,
                }
            }) as Sent<'_, Wrote>
        })
    }};
}

/// Not generic, so that it is compiled once.
fn transact(transaction: Transaction, way: Way, db: &Repository) -> Sent<'_, Wrote> {
    Box::pin(async move {
        let transaction = if way == Way::ClientSide { transaction.client_side() } else { transaction.native() };
        transaction.send(db).await.map(transacted).into()
    })
}

fn transacted<T>(outcome: TransactionOutcome<T>) -> Wrote {
    match outcome {
        TransactionOutcome::Refused(refusal) => Wrote::Refused(refusal.to_string()),
        TransactionOutcome::Applied(_) => Wrote::Applied,
    }
}

/// Declares the methods for entities with these capabilities, and the same methods for entities that lack them. (None lacks `Sized`.)
macro_rules! commands {
    ($($trait:ident.$method:ident for $($bound:path)|+: |$way:ident, $db:ident| $sent:expr;)*) => {
        #[expect(dead_code, reason = "no entity lacks some of them")]
        pub(crate) trait Lacks {
            $(fn $method<'a>(&self, _: Way, _: &'a Repository) -> Option<Sent<'a, Wrote>> { None })*
            fn put_after<'a>(&self, _: &'a Repository, _: Sent<'a, Wrote>) -> Option<Sent<'a, Wrote>> { None }
        }
        impl<E> Lacks for Of<E> {}
        $(
            pub(crate) trait $trait {
                fn $method<'a>(&self, way: Way, db: &'a Repository) -> Option<Sent<'a, Wrote>>;
            }
            impl<E: Sample $(+ $bound)+> $trait for &Of<E> {
                fn $method<'a>(&self, $way: Way, $db: &'a Repository) -> Option<Sent<'a, Wrote>> {
                    $sent
                }
            }
        )*
    };
}

commands! {
    Puts.put for Replaceable: |way, db| send!(way, db, put, Put::new(&E::film()));
    Creates.create for Sized: |way, db| send!(way, db, put, Create::new(&E::film()));
    Updates.update for Updatable | WithoutHistory: |way, db| send!(way, db, update, update::<E>());
    UpdatesAll.update_all for Updatable | WithoutHistory: |way, db| send!(way, db, update, update_all::<E>(|_| true));
    Upserts.upsert for Updatable | WithoutHistory: |way, db| send!(way, db, update, upsert::<E>());
    Batches.batch for BatchSample: |way, db| alone(way, E::batch(db));
    PutsLoaded.put_loaded for Replaceable: |way, db| loaded::<E>(way, db, move |film, db| send!(way, db, put, Put::new(film)));
    Replaces.replace for Replaceable: |way, db| loaded::<E>(way, db, move |film, db| send!(way, db, put, Replace::new(film)));
    Modifies.modify for Versioned: |way, db| {
        alone(way, Box::pin(async {
            outcome(Modify::<E, _>::new(E::film().key(), E::touch).send(db).await)
        }))
    };
    ModifiesEach.modify_each for Sized: |way, db| {
        alone(way, Box::pin(async {
            match Scan::<E>::new().modify_each(E::touch).send(db).await.and_then(Progress::completed) {
                Ok(done) if done.changed() == 1 => Wrote::Applied,
                Ok(done) => Wrote::Refused(format!("{} changed", done.changed())),
                Err(error) => Wrote::Failed(error.to_string()),
            }
        }))
    };
    Deletes.delete for Deletable: |way, db| {
        let delete = async || {
            let version = version(E::SCHEMA, stored::<E>(db).await.as_ref());
            Delete::<E>::new(E::film().key(), E::film().tokens(), E::Version::__of(version))
        };
        send!(way, db, delete, delete().await)
    };
    Undeletes.undelete for Tombstoned: |way, db| {
        let undeleted = async || -> E {
            let row = stored::<E>(db).await;
            let mut item = newer(E::SCHEMA, E::film().to_item().expect("an item"));
            if let Some(of) = &E::SCHEMA.version {
                let version = version(E::SCHEMA, row.as_ref());
                item.insert(of.attribute.to_owned(), AttributeValue::N(version.to_string()));
            }
            E::from_item(item).expect("a film")
        };
        send!(way, db, put, Undelete::new(&undeleted().await))
    };
    RollsBack.roll_back for WithHistory: |way, db| {
        alone(way, Box::pin(async {
            outcome(Rollback::<E>::new(E::film().key(), E::Version::__of(1), E::film().tokens()).send(db).await)
        }))
    };
    Closes.closure for Transactional | Replaceable: |way, db| {
        alone(way, Box::pin(async {
            let transaction = Transaction::interactive(|tx| async move {
                let mut film = tx.get(Get::<E>::new(E::film().key())).await?.ok_or("no film")?;
                film.touch();
                tx.put(Put::new(&film));
                Ok(())
            });
            transaction.send(db).await.map(transacted).into()
        }))
    };
    PutsNewer.put_newer for Replaceable: |way, db| {
        let newer = || E::from_item(newer(E::SCHEMA, E::film().to_item().expect("an item"))).expect("a film");
        send!(way, db, put, Put::new(&newer()))
    };
    CreatesOther.create_other for WithUniqueValues: |way, db| {
        let other = || {
            let mut item = E::film().to_item().expect("an item");
            item.insert(E::SCHEMA.partition.name.to_owned(), AttributeValue::S("2".to_owned()));
            E::from_item(item).expect("a film")
        };
        send!(way, db, put, Create::new(&other()))
    };
    Remembers.keyed for Updatable | WithoutHistory | Idempotent: |way, db| {
        send!(way, db, update, update::<E>().idempotency_key("event"))
    };
}

pub(crate) trait Fences {
    fn fenced<'a>(&self, fence: u64, way: Way, db: &'a Repository) -> Option<Sent<'a, Wrote>>;
}

impl<E: Sample + Fenced + Replaceable> Fences for &Of<E> {
    fn fenced<'a>(&self, fence: u64, way: Way, db: &'a Repository) -> Option<Sent<'a, Wrote>> {
        send!(way, db, put, Put::new(&E::film()).fenced(fence))
    }
}

pub(crate) trait Unfenced {
    fn fenced<'a>(&self, _: u64, _: Way, _: &'a Repository) -> Option<Sent<'a, Wrote>> {
        None
    }
}

impl<E> Unfenced for Of<E> {}

pub(crate) trait PutsAfter {
    fn put_after<'a>(&self, db: &'a Repository, other: Sent<'a, Wrote>) -> Option<Sent<'a, Wrote>>;
}

impl<E: Sample + Versioned + Replaceable> PutsAfter for &Of<E> {
    fn put_after<'a>(&self, db: &'a Repository, other: Sent<'a, Wrote>) -> Option<Sent<'a, Wrote>> {
        Some(Box::pin(async {
            match Get::<E>::new(E::film().key()).consistent().send(db).await {
                Ok(Some(film)) => match other.await {
                    Wrote::Applied => Put::new(&film).send(db).await.map(Answered::wrote).into(),
                    other => Wrote::Failed(format!("{other:?}")),
                },
                Ok(None) => Wrote::Failed("no film".to_owned()),
                Err(error) => Wrote::Failed(error.to_string()),
            }
        }))
    }
}

/// Sends a command of a release.
macro_rules! write {
    ($film:ident, $command:ident, $way:ident, $db:ident) => {{
        let of = &&Of::<$film>::NEW;
        match $command {
            Command::Put => of.put($way, $db),
            Command::Create => of.create($way, $db),
            Command::Upsert => of.upsert($way, $db),
            Command::Batch => of.batch($way, $db),
            Command::PutLoaded => of.put_loaded($way, $db),
            Command::Replace => of.replace($way, $db),
            Command::Update => of.update($way, $db),
            Command::UpdateAll => of.update_all($way, $db),
            Command::Modify => of.modify($way, $db),
            Command::ModifyEach => of.modify_each($way, $db),
            Command::Delete => of.delete($way, $db),
            Command::Undelete => of.undelete($way, $db),
            Command::Rollback => of.roll_back($way, $db),
            Command::Closure => of.closure($way, $db),
            Command::PutNewer => of.put_newer($way, $db),
            Command::CreateOther => of.create_other($way, $db),
            Command::Keyed => of.keyed($way, $db),
            Command::Fenced(fence) => of.fenced(fence, $way, $db),
        }
    }};
}
pub(crate) use write;

/// An entity whose puts can be sent in a batch.
pub(crate) trait BatchSample: Sample {
    fn batch(db: &Repository) -> Sent<'_, Wrote>;
}

impl<E: Sample + Replaceable + dyno::Entity<PutOutput: Unconditional<E>>> BatchSample for E {
    fn batch(db: &Repository) -> Sent<'_, Wrote> {
        let batch = BatchWrite::new().add(Put::new(&E::film()));
        Box::pin(async { batch.send(db).await.and_then(BatchWritten::applied).map(|()| Wrote::Applied).into() })
    }
}

/// Sends a command that cannot be an action of a transaction.
fn alone(way: Way, sent: Sent<'_, Wrote>) -> Option<Sent<'_, Wrote>> {
    (way == Way::Alone).then_some(sent)
}

fn outcome<E, T>(sent: Result<Outcome<E, T>, Error>) -> Wrote {
    sent.map(Answered::wrote).into()
}

/// Loads the item, changes it, and sends a command for it.
fn loaded<'a, E: Sample>(
    way: Way,
    db: &'a Repository,
    command: impl for<'b> FnOnce(&'b E, &'b Repository) -> Option<Sent<'b, Wrote>> + 'a,
) -> Option<Sent<'a, Wrote>> {
    let sent: Sent<'a, Wrote> = Box::pin(async move {
        match Get::<E>::new(E::film().key()).consistent().send(db).await {
            Ok(Some(mut film)) => {
                film.touch();
                command(&film, db).expect("a command").await
            }
            Ok(None) => Wrote::Refused("absent".to_owned()),
            Err(error) => Wrote::Failed(error.to_string()),
        }
    });
    is_possible::<E>(way).then_some(sent)
}

/// Returns true if writes of the entity can be sent in this way.
fn is_possible<E: Sample>(way: Way) -> bool {
    way != Way::ClientSide || E::SCHEMA.is_transactional
}

/// The update of the attribute that each release has.
fn update<E: Sample + Updatable + WithoutHistory>() -> Update<E> {
    let key = E::film().key();
    if let Some(update) = E::update(E::film().key()) {
        return update;
    }
    let touched = E::SCHEMA.attributes.iter().find(|attribute| attribute.field == "touched").expect("an attribute");
    let update = Update::new(key).with(set(touched.name, AttributeValue::N("1".to_owned())));
    if E::SCHEMA.version.is_some() { VersionedUpdate::__of(update).unchecked() } else { update }
}

/// The upsert of as few attributes as possible.
fn upsert<E: Sample + Updatable + WithoutHistory>() -> Update<E> {
    update_all::<E>(|attribute| attribute.required).upsert()
}

/// The update that also sets these attributes, as far as no rule or group does.
fn update_all<E: Sample + Updatable + WithoutHistory>(is: fn(&StoredAttribute) -> bool) -> Update<E> {
    let (schema, item) = (E::SCHEMA, E::film().to_item().expect("an item"));
    let of_rules = [&schema.created, &schema.updated].into_iter().flatten().map(|time| time.attribute);
    let of_rules = of_rules.chain(schema.version.iter().map(|version| version.attribute));
    let of_rules: Vec<&str> = of_rules.chain(schema.fence.iter().map(|fence| fence.attribute)).collect();
    let is_own = |attribute: &StoredAttribute| {
        let is_elsewhere = attribute.field == "touched" || schema.key_fields.contains(&attribute.field);
        !is_elsewhere && !of_rules.contains(&attribute.name) && schema.ratchets.is_empty()
    };
    let attributes = schema.attributes.iter().filter(|attribute| is(attribute) && is_own(attribute));
    let changes = attributes.filter_map(|attribute| Some(set(attribute.name, item.get(attribute.name)?.clone())));
    update::<E>().with(changes.collect::<Vec<_>>())
}

/// The row as it is stored.
async fn stored<E: Sample>(db: &Repository) -> Option<Item> {
    row(E::SCHEMA, &E::film().to_item().expect("an item"), db).await
}

/// The row with this item's key.
pub(crate) fn row<'a>(schema: &'a dyno::Schema, item: &'a Item, db: &'a Repository) -> Sent<'a, Option<Item>> {
    let keys = std::iter::once(&schema.partition).chain(&schema.sort);
    let key: Item = keys.map(|key| (key.name.to_owned(), item[key.name].clone())).collect();
    Box::pin(async move {
        let get = db.client().get_item().table_name("films").set_key(Some(key));
        get.send().await.expect("an answer").item
    })
}

fn version(schema: &dyno::Schema, row: Option<&Item>) -> u64 {
    let stored = schema.version.as_ref().and_then(|version| row?.get(version.attribute)?.as_n().ok());
    stored.and_then(|version| version.parse().ok()).unwrap_or_default()
}

/// The item with newer tokens: a greater number, or another year.
fn newer(schema: &dyno::Schema, mut item: Item) -> Item {
    for ratchet in schema.ratchets {
        let newer = match &item[ratchet.attribute] {
            AttributeValue::N(number) => AttributeValue::N((number.parse::<i64>().expect("a number") + 1).to_string()),
            AttributeValue::S(text) => AttributeValue::S(text.replacen("1970-", "1971-", 1)),
            other => panic!("a token: {other:?}"),
        };
        item.insert(ratchet.attribute.to_owned(), newer);
    }
    item
}
