//! The row of its history that goes with what a leg makes: under which number, and whether that one is free.
//!
//! Once it is committed, it can have no other number. So what the history says is read before the intent is placed; and while
//! that stands, nobody of ours adds to the history of the item.

use super::evaluate_action::{Comes, comes};
use super::participant::{Leg, OPERATION};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, Priority, Repository};
use crate::read::Table;
use crate::rule;
use crate::rule::{Expected, Moot, RawRevision, Reason, Refused, Verb};
use crate::schema::{Mode, names};
use crate::transaction::closure::Row;
use crate::transaction::native::{RefusedAction, named};
use crate::transaction::record::{Record, Ticket, is_of, without};
use crate::transaction::resolve::{Look, free, row, rows};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _};
use std::collections::BTreeMap;

/// How many histories are asked at once.
const CONCURRENCY: usize = 100;

/// How often the numbers of one item are asked for anew, where others add to its history meanwhile.
const ROUNDS: usize = 16;

/// What a history says of a number.
enum Said {
    /// It can be used.
    Free,
    /// The numbers go on otherwise.
    Behind(Expected),
    /// Another row has it.
    Taken(u64),
}

/// What the histories of a run are asked with.
#[derive(Clone, Copy)]
pub(crate) struct Histories<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) all: &'a [Row],
    pub(crate) priority: &'a Priority,
    /// What keeps others out already.
    pub(crate) claim: Option<&'a Ticket>,
    pub(crate) now: EpochMillis,
}

impl Histories<'_> {
    /// Gives each leg whose item has a history the row that goes with it; or says which are refused.
    pub(crate) async fn record(self, legs: &mut [Leg]) -> Result<Vec<RefusedAction>, Error> {
        let known = known(self.repository, legs, self.priority).await?;
        let open = legs.iter_mut().enumerate().filter(|(_, leg)| leg.history.is_some());
        // Made before they are polled: a stream that made them would not be known to be `Send`.
        let asked: Vec<BoxFuture<'_, _>> = open
            .map(|(at, leg)| -> BoxFuture<'_, _> {
                let known = known.get(&at);
                Box::pin(async move {
                    let (index, entity) = (leg.index, leg.of.entity);
                    let refused = self.record_known(leg, known).await?;
                    Ok::<_, Error>(refused.map(|refused| RefusedAction { index, entity, refused }))
                })
            })
            .collect();
        let (mut refused, mut asked) = (Vec::new(), stream::iter(asked).buffer_unordered(CONCURRENCY));
        while let Some(asked) = asked.next().await {
            refused.extend(asked?);
        }
        Ok(refused)
    }

    /// Gives a leg the row that goes with it; or says why it is refused.
    pub(crate) async fn record_one(self, leg: &mut Leg) -> Result<Option<Refused>, Error> {
        if leg.history.is_none() {
            return Ok(None);
        }
        Box::pin(self.record_known(leg, None)).await
    }
}

/// Whether the histories are still without the rows that these are to put, now that all intents stand and nobody of ours adds
/// to them: an item without a name of a write, or none at all, can be as it was though others have been there (M12).
pub(crate) async fn are_free_still(repository: &Repository, legs: &[Leg], priority: &Priority) -> Result<bool, Error> {
    let can_be_taken = |leg: &Leg| {
        let id = leg.of.schema.write_id.as_ref();
        let is_named = leg.base.as_ref().is_some_and(|base| id.is_some_and(|id| id.is_in(base)));
        !is_named && leg.record.as_ref().is_some_and(|record| !record.is_superseded)
    };
    let found = found(repository, legs, priority, |leg, _| leg.version.filter(|_| can_be_taken(leg))).await?;
    Ok(found.values().all(Option::is_none))
}

/// What stands in the history where legs are to put a row, for each by its place. Not of those that make an item anew, which ask
/// for the newest row.
async fn known(
    repository: &Repository,
    legs: &[Leg],
    priority: &Priority,
) -> Result<BTreeMap<usize, Option<RawRevision>>, Error> {
    let number = |leg: &Leg, table: &Table<'_>| leg.number(table).filter(|_| !leg.is_begun()).map(|number| number.of);
    let found = found(repository, legs, priority, number).await?.into_iter();
    found.map(|(at, row)| Ok((at, row.map(RawRevision::read).transpose()?))).collect()
}

/// The rows of these numbers in the histories of legs, for each by its place: asked for at once, table by table.
async fn found(
    repository: &Repository,
    legs: &[Leg],
    priority: &Priority,
    number: impl Fn(&Leg, &Table<'_>) -> Option<u64>,
) -> Result<BTreeMap<usize, Option<Item>>, Error> {
    let mut tables: BTreeMap<String, (Vec<usize>, Vec<Item>)> = BTreeMap::new();
    for (at, leg) in legs.iter().enumerate() {
        let Some(table) = leg.table(repository) else { continue };
        let Some(number) = number(leg, &table) else { continue };
        let key = leg.named(table.key(&leg.at.key, number))?.map(|(name, value)| (name.to_owned(), value));
        let (places, keys) = tables.entry(table.name).or_default();
        places.push(at);
        keys.push(key.into());
    }
    let (caller, mut found) = (Caller { operation: OPERATION, entity: "", priority: Some(priority) }, BTreeMap::new());
    for (table, (places, keys)) in tables {
        found.extend(places.into_iter().zip(rows(repository, caller, &table, &keys, Look::Consistent).await?));
    }
    Ok(found)
}

/// The number of the row that goes with a leg, and what the row holds.
#[derive(Clone, Copy)]
struct Number {
    of: u64,
    is_superseded: bool,
}

impl Leg {
    fn table<'a>(&self, repository: &'a Repository) -> Option<Table<'a>> {
        let (schema, name) = (self.of.schema, self.history.clone()?);
        Some(Table { schema, history: schema.history.as_ref()?, name, repository })
    }

    /// Nothing, where no row goes with it.
    fn number(&self, table: &Table<'_>) -> Option<Number> {
        Some(match (table.history.mode, self.expected?) {
            (Mode::Atomic, expected) | (Mode::Ordered, expected @ Expected::New(_)) => {
                Number { of: expected.next()?, is_superseded: false }
            }
            (Mode::Ordered, expected) => Number { of: expected.last()?, is_superseded: true },
        })
    }

    /// Whether it makes an item where there is none.
    fn is_begun(&self) -> bool {
        matches!(self.expected, Some(Expected::New(_)))
    }

    fn named<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| named(error, self.index, &self.action))
    }
}

impl Histories<'_> {
    async fn record_known(&self, leg: &mut Leg, known: Option<&Option<RawRevision>>) -> Result<Option<Refused>, Error> {
        let Some(table) = leg.table(self.repository) else { return Ok(None) };
        let (mut known, mut is_begun) = (known.cloned(), false);
        for _ in 0..ROUNDS {
            if leg.is_begun() && !is_begun {
                is_begun = true;
                if let Some(refused) = self.begin(leg, &table).await? {
                    return Ok(Some(refused));
                }
                // Behind the newest row, there is none.
                known = leg.is_begun().then_some(None);
                continue;
            }
            let Some(number) = leg.number(&table) else { return Ok(None) };
            let said = match known.take() {
                Some(there) => self.said(leg, &table, number, there).await,
                None => {
                    let there = leg.named(table.row(&leg.at.key, number.of).await)?;
                    let there = there.map(RawRevision::read).transpose();
                    self.said(leg, &table, number, leg.named(there.map_err(Error::from))?).await
                }
            };
            match leg.named(said)? {
                Said::Free => {
                    leg.record = Some(leg.named(self.row(leg, &table, number))?);
                    return Ok(None);
                }
                Said::Taken(version) => return Ok(Some(self.taken(leg, version))),
                Said::Behind(expected) => {
                    is_begun = matches!(expected, Expected::New(_));
                    if let Some(refused) = self.make(leg, Some(expected))? {
                        return Ok(Some(refused));
                    }
                }
            }
        }
        leg.named(Err(given_up()))
    }

    /// Makes what it is to be of what is there, with these numbers.
    fn make(&self, leg: &mut Leg, expected: Option<Expected>) -> Result<Option<Refused>, Error> {
        let mut action = leg.action.clone();
        if let Some(expected) = expected {
            action.command.expecting(expected);
        }
        match comes(leg.index, &action, leg.base.as_ref(), &self.all[leg.row], self.now)? {
            Comes::Made(made) => leg.become_this(made),
            Comes::Same => return leg.named(Err(given_up())),
            Comes::Refused(refused) => return Ok(Some(refused)),
        }
        Ok(None)
    }

    /// The numbers of an item that is made anew: the history may know of some that no item has any more.
    async fn begin(&self, leg: &mut Leg, table: &Table<'_>) -> Result<Option<Refused>, Error> {
        let Some(newest) = leg.named(table.newest(&leg.at.key).await)? else { return Ok(None) };
        // What is there is read behind the history, also where it was read before: only so is what is not there deleted.
        let caller = leg.caller(self.priority);
        let there = leg.named(row(self.repository, caller, &leg.at).await)?;
        let there = match there {
            Some(there) if self.claim.is_some_and(|claim| is_of(Some(&there), claim)) => without(there, &leg.at.key),
            there => free(self.repository, caller, &leg.at, there).await,
        };
        let there = leg.named(there)?;
        if there.is_some() {
            if leg.is_read {
                // It came meanwhile, so that its intent is refused.
                return self.make(leg, Some(Expected::New(table.last_given(&newest))));
            }
            leg.base = there;
            return self.make(leg, None);
        }
        let mut last = newest.version;
        if table.history.mode == Mode::Ordered && !newest.deleted {
            // Its deletion is not in the history yet, since nobody has superseded it. If another was faster, that is the same.
            last += 1;
            let revision = RawRevision { version: last, deleted: true, image: leg.at.key.clone() };
            let there = leg.named(table.put(revision, self.now).await)?;
            if there.is_some_and(|there| !there.deleted) {
                return leg.named(Err(given_up()));
            }
        }
        self.make(leg, Some(Expected::New(last)))
    }

    /// What the history says of a number, given the row that has it.
    async fn said(
        &self,
        leg: &Leg,
        table: &Table<'_>,
        number: Number,
        there: Option<RawRevision>,
    ) -> Result<Said, Error> {
        let (schema, base) = (leg.of.schema, leg.base.as_ref());
        let is_foreign = base.is_some_and(|base| schema.write_id.as_ref().is_none_or(|id| !id.is_in(base)));
        let is_same =
            |revision: &RawRevision| base.is_some_and(|base| rule::is_of_one_write(schema, &revision.image, base));
        let is_free = there.as_ref().is_none_or(|there| number.is_superseded && is_same(there));
        // Of a foreign item, whose numbers mean nothing, the newest row says more than the one of its own number.
        if is_free && !(is_foreign && number.is_superseded) {
            return Ok(Said::Free);
        }
        let expected = leg.expected.unwrap_or(Expected::Unchecked);
        let newest = match table.newest(&leg.at.key).await? {
            Some(newest) if is_foreign || leg.is_begun() => newest,
            _ if is_free => return Ok(Said::Free),
            _ => return Ok(Said::Taken(number.of)),
        };
        let last = table.last_given(&newest);
        Ok(match expected {
            Expected::New(_) => Said::Behind(Expected::New(last)),
            Expected::Behind { last: known, .. } if is_free && known >= last => Said::Free,
            _ => match expected.base() {
                Some(found) if newest.version > found || newest.version == found && !is_same(&newest) => {
                    let last = last.saturating_add(u64::from(table.history.mode == Mode::Ordered));
                    Said::Behind(Expected::Behind { found, last, is_dead: expected.is_dead() })
                }
                _ if is_free => Said::Free,
                _ => Said::Taken(number.of),
            },
        })
    }

    /// The row, but for the item in it.
    fn row(&self, leg: &Leg, table: &Table<'_>, number: Number) -> Result<Record, Error> {
        let schema = leg.of.schema;
        let [(partition, _), _] = table.key(&leg.at.key, number.of)?;
        let deleted = match (&leg.base, number.is_superseded) {
            (Some(base), true) => rule::is_tombstone(schema, base),
            _ => leg.action.command.verb == Verb::Delete,
        };
        let revision = RawRevision { version: number.of, deleted, image: leg.at.key.clone() };
        let mut row = table.history.row(schema, revision, self.now)?;
        row.remove(names::IMAGE);
        let write_id = schema.write_id.as_ref().map(|id| id.attribute.to_owned()).unwrap_or_default();
        Ok(Record {
            table: table.name.clone(),
            partition: partition.to_owned(),
            write_id,
            is_superseded: number.is_superseded,
            row,
        })
    }

    /// The history has another row of this number, and nothing says how to go on.
    fn taken(&self, leg: &Leg, version: u64) -> Refused {
        let (item, now, context) = (leg.base.clone(), self.now, leg.action.command.context());
        let reasons = vec![Reason::Recorded { version }];
        Refused { reasons, moot: Moot::default(), item, now, context, in_doubt: false }
    }
}

fn given_up() -> Error {
    Error::new(
        ErrorKind::Contended,
        "others add to the history of the item faster than it can be read: send it again later",
    )
}
