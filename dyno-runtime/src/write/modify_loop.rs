//! Load, change, write; and again, where another writer has been faster: the one loop of `modify_loop`, `rollback` and
//! `modify_each`.
//!
//! What is written is what the change makes of the item: see `merge`. The writes themselves, each of one change, are those
//! of `write`.

use super::write_command::{WriteCommand, Written};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, equal, equal_items};
use crate::error::{Context, EncodeError, Error, ErrorKind};
use crate::exchange::{BackOff, Repository};
use crate::expression::{Action, Node, RawChange};
use crate::key::{check_item, key_text};
use crate::read::GetCommand;
use crate::rule;
use crate::rule::{Expected, Image, Reason, Refused, Verb};
use crate::schema::{Schema, SchemaVersion, Tables};
use aws_sdk_dynamodb::types::ReturnValue;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A change of the item at a key, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct RedoCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) operation: &'static str,
    pub(crate) key: Result<Item, EncodeError>,
    /// The fence that it was given; else the item's stays.
    pub(crate) fence: Option<u64>,
    /// How often it is tried.
    pub(crate) attempts: u32,
    /// Whether an item that counts as absent, or none, is changed too.
    pub(crate) from_nothing: bool,
}

/// How a change ended.
pub(crate) enum Redone {
    /// The item as it was stored.
    Applied(Item),
    /// The item, stored already as it is to be.
    Unchanged(Item),
    Refused(Refused),
    /// Every attempt met another writer; the last refusal.
    Contended(Refused),
}

/// What the caller's code makes of an item, whole, in the entity's shape of today.
pub(crate) type Rework<'a> = dyn FnMut(Option<&Item>) -> Result<Item, Error> + Send + 'a;

impl RedoCommand {
    fn context(&self) -> Context {
        let key = self.key.as_ref().ok().and_then(|key| key_text(key, self.schema));
        Context { operation: self.operation, entity: self.schema.entity, key }
    }

    pub(crate) async fn send(
        self,
        repository: &Repository,
        tables: Tables,
        rework: &mut Rework<'_>,
    ) -> Result<Redone, Error> {
        let context = self.context();
        self.run(repository, tables, rework).await.map_err(|error| error.with_context(|| context))
    }

    async fn run(self, repository: &Repository, tables: Tables, rework: &mut Rework<'_>) -> Result<Redone, Error> {
        let redo = Redo {
            schema: self.schema,
            operation: self.operation,
            key: self.key.clone()?,
            repository,
            tables,
            fence: self.fence,
            attempts: self.attempts,
            from_nothing: self.from_nothing,
            skips_equal: false,
            filter: None,
        };
        check_attempts(self.attempts)?;
        let loaded = redo.load().await?;
        redo.run(loaded, false, rework, &|| ()).await
    }

    /// A refusal for which nothing had to be sent.
    pub(crate) fn refused(&self, now: EpochMillis, reason: Reason, item: Option<Item>) -> Refused {
        refused(now, reason, item, self.context())
    }
}

fn refused(now: EpochMillis, reason: Reason, item: Option<Item>, context: Context) -> Refused {
    Refused { reasons: vec![reason], moot: rule::Moot::default(), item, now, context, in_doubt: false }
}

pub(crate) fn check_attempts(attempts: u32) -> Result<(), Error> {
    if attempts == 0 { Err(Error::invalid("0 attempts change nothing: give at least 1")) } else { Ok(()) }
}

/// A change of one item under way.
pub(crate) struct Redo<'a> {
    pub(crate) schema: &'static Schema,
    pub(crate) operation: &'static str,
    pub(crate) key: Item,
    pub(crate) repository: &'a Repository,
    pub(crate) tables: Tables,
    pub(crate) fence: Option<u64>,
    pub(crate) attempts: u32,
    pub(crate) from_nothing: bool,
    /// Whether nothing is sent where nothing differs.
    pub(crate) skips_equal: bool,
    /// What was asked of the item when it was read, and is asked anew of what is found later.
    pub(crate) filter: Option<Result<Node, EncodeError>>,
}

/// A write met another item than was read: the refusal that shows it.
struct Another(Box<Refused>);

impl Redo<'_> {
    /// Changes an item, given as it was read; `filtered` says whether the filter is to be asked at once. `on_retry` is called
    /// before each further attempt.
    pub(crate) async fn run(
        &self,
        mut loaded: Option<Item>,
        filtered: bool,
        rework: &mut Rework<'_>,
        on_retry: &(dyn Fn() + Sync),
    ) -> Result<Redone, Error> {
        let mut back_off = BackOff::new(self.repository, self.attempts - 1);
        let mut first = true;
        loaded = rule::committed(self.schema, loaded);
        loop {
            if let Some(refused) = self.absent(loaded.as_ref()) {
                return Ok(Redone::Refused(refused));
            }
            if !first {
                on_retry();
            }
            let Another(refused) = match self.attempt(&mut loaded, filtered || !first, rework).await? {
                Ok(redone) => return Ok(redone),
                Err(another) => another,
            };
            // A refusal has what is there now, which is all that is needed the first time. Later, to wait is better.
            loaded = if first && self.attempts > 1 {
                // It counts as an attempt, without its pause.
                back_off.skip();
                refused.item
            } else if back_off.pause().await {
                self.load().await?
            } else {
                return Ok(Redone::Contended(*refused));
            };
            first = false;
        }
    }

    /// Changes what was read, and writes it; what is there instead, if the change is to be made anew.
    async fn attempt(
        &self,
        loaded: &mut Option<Item>,
        filtered: bool,
        rework: &mut Rework<'_>,
    ) -> Result<Result<Redone, Another>, Error> {
        let mut wanted = self.wanted(loaded.as_ref(), rework)?;
        if let Some(hold) = self.hold(loaded.as_ref()) {
            let held = match Box::new(hold).send(self.repository, self.tables.clone(), Some(ReturnValue::AllNew)).await
            {
                Ok(Written::Done(applied)) => applied.item,
                Ok(Written::Denied(refused)) if self.is_of_another(&refused, loaded.as_ref()) => {
                    return Ok(Err(Another(Box::new(refused))));
                }
                Ok(Written::Denied(refused)) => return Ok(Ok(Redone::Refused(refused))),
                Err(error) => return Err(error),
            };
            // With what was added until then.
            wanted = self.wanted(held.as_ref(), rework)?;
            *loaded = held;
        }
        let Some(command) = self.command(loaded.as_ref(), &wanted, filtered)? else {
            return Ok(Ok(Redone::Unchanged(wanted)));
        };
        self.write(command, loaded.as_ref(), wanted, rework).await
    }

    /// What the caller's code makes of an item, under the fence of the change.
    fn wanted(&self, item: Option<&Item>, rework: &mut Rework<'_>) -> Result<Item, Error> {
        let mut wanted = rework(item)?;
        if let Some((fence, number)) = self.schema.fence.as_ref().zip(self.fence) {
            fence.set(&mut wanted, number);
        }
        Ok(wanted)
    }

    /// The write that keeps older programs from updating an item while it is brought up to date: of one whose writes nothing
    /// counts, and which is not held yet. It names nothing else of what was read, so it always asks the filter.
    fn hold(&self, read: Option<&Item>) -> Option<WriteCommand> {
        let (shape, read) = (self.schema.schema_version.as_ref()?, read?);
        let from = shape.of(read).ok().filter(|from| *from < shape.current && !shape.is_held(read))?;
        if self.schema.version.is_some() || self.from_nothing {
            return None;
        }
        let held = RawChange::new(shape.attribute, Ok(Action::Set(SchemaVersion::held(from))));
        let mut command = rewrite(self.schema, self.key.clone(), vec![held], read, read);
        command.image = Some(Arc::new(Image::of_one(shape.attribute, read)));
        self.filter(&mut command, true);
        Some(command)
    }

    /// Adds what was asked of the item when it was read: it may not be one of those any more.
    fn filter(&self, command: &mut WriteCommand, filtered: bool) {
        if let Some(filter) = self.filter.clone().filter(|_| filtered) {
            command.and(filter);
        }
    }

    /// Sends the write; what is there instead, if the change is to be made anew.
    async fn write(
        &self,
        command: WriteCommand,
        read: Option<&Item>,
        mut wanted: Item,
        rework: &mut Rework<'_>,
    ) -> Result<Result<Redone, Another>, Error> {
        let version = self.schema.version.as_ref();
        let attempts = command.versioned.as_ref().map(|versioned| versioned.attempts(&self.tables.main));
        match Box::new(command).send(self.repository, self.tables.clone(), None).await {
            Ok(Written::Done(applied)) => {
                if let Some(version) = version {
                    version.set(&mut wanted, applied.version.unwrap_or_default());
                }
                Ok(Ok(Redone::Applied(wanted)))
            }
            Ok(Written::Denied(refused)) if refused.in_doubt => {
                self.settle(&wanted, lost_answer(), rework).await.map(Ok)
            }
            Ok(Written::Denied(refused)) if !self.is_of_another(&refused, read) => Ok(Ok(Redone::Refused(refused))),
            Ok(Written::Denied(refused)) => Ok(Err(Another(Box::new(refused)))),
            Err(error) if error.is_outcome_unknown() => self.settle(&wanted, error, rework).await.map(Ok),
            Err(error) if attempts.is_some_and(|attempts| attempts.may_be_applied()) => Err(error.of_a_lost_change()),
            Err(error) => Err(error),
        }
    }

    /// A write may have been applied, and nothing tells. Where the caller's code would leave what is there now as it is, that
    /// is all the same.
    async fn settle(&self, wanted: &Item, error: Error, rework: &mut Rework<'_>) -> Result<Redone, Error> {
        if !self.skips_equal {
            return Err(error);
        }
        let there = self.load().await?;
        if let Some(refused) = self.absent(there.as_ref()) {
            return Ok(Redone::Refused(refused));
        }
        let there = there.unwrap_or_default();
        if is_unnumbered(self.schema, &there) {
            return Err(error);
        }
        let again = rework(Some(&there))?;
        match (changes(self.schema, &there, &again).is_empty(), changes(self.schema, &there, wanted).is_empty()) {
            (true, true) => Ok(Redone::Applied(there)),
            (true, false) => Ok(Redone::Unchanged(there)),
            _ => Err(error),
        }
    }

    /// The item, as every acknowledged write has left it.
    pub(crate) async fn load(&self) -> Result<Option<Item>, Error> {
        let get = GetCommand::consistent(self.schema, Ok(self.key.clone()));
        let item = get.send(self.repository, self.tables.main.clone()).await?;
        Ok(rule::committed(self.schema, item))
    }

    /// Why there is nothing to change, if there is not.
    fn absent(&self, loaded: Option<&Item>) -> Option<Refused> {
        let now = self.repository.now();
        let reason = match loaded {
            _ if self.from_nothing => return None,
            None => Reason::Missing,
            Some(item) => rule::state(self.schema, now, item).reason()?,
        };
        let key = key_text(&self.key, self.schema);
        let context = Context { operation: self.operation, entity: self.schema.entity, key };
        Some(refused(now, reason, loaded.cloned(), context))
    }

    /// Whether a refusal shows another item than was read, which is to be changed instead.
    fn is_of_another(&self, refused: &Refused, read: Option<&Item>) -> bool {
        let is_gone = |reason: &Reason| matches!(reason, Reason::Missing | Reason::Conflict { found: None, .. });
        match (&refused.item, read) {
            // There is nothing of this entity any more.
            (there @ Some(_), _) if rule::other_entity(self.schema, there.as_ref()).is_some() => false,
            (Some(there), Some(read)) => !equal_items(there, read),
            (Some(_), None) => true,
            (None, Some(_)) => refused.reasons.iter().any(is_gone),
            (None, None) => false,
        }
    }

    /// The write of the new item over what was read; `None` if that is what is stored, and nothing is to be sent then.
    fn command(&self, read: Option<&Item>, wanted: &Item, filtered: bool) -> Result<Option<WriteCommand>, Error> {
        let schema = self.schema;
        let nothing = Item::new();
        let there = read.unwrap_or(&nothing);
        let changes = changes(schema, there, wanted);
        if changes.is_empty() && self.skips_equal && !is_unnumbered(schema, there) {
            return Ok(None);
        }
        check_item(wanted, schema)?;
        let is_put = self.from_nothing || schema.history.is_some();
        let mut command = match self.from_nothing {
            true => WriteCommand::new(schema, Verb::Put, Ok(wanted.clone())),
            // A revision is a whole item.
            false if is_put => WriteCommand::new(schema, Verb::Replace, Ok(wanted.clone())),
            false => rewrite(schema, self.key.clone(), changes, there, wanted),
        };
        let version = schema.version.as_ref().and_then(|version| version.of(there)).unwrap_or_default();
        command.image = read.and_then(|read| Image::of_loaded(schema, read, is_put)).map(Arc::new);
        command.fence = self.fence.or(command.fence);
        command.expecting(read.map_or(Expected::New(0), |_| Expected::Loaded(version)));
        command.loaded(self.operation, read.cloned());
        self.filter(&mut command, filtered);
        Ok(Some(command))
    }
}

/// Whether an item has no version yet: a write gives it one, even if it changes nothing else. A value that is none stays.
fn is_unnumbered(schema: &Schema, item: &Item) -> bool {
    schema.version.as_ref().is_some_and(|version| version.of(item) == Some(0))
}

fn lost_answer() -> Error {
    let message = "an answer was lost, and the item is not what was read any more";
    Error::new(ErrorKind::OutcomeUnknown, message).of_a_lost_change()
}

/// The update that makes these changes.
pub(crate) fn rewrite(
    schema: &'static Schema,
    key: Item,
    changes: Vec<RawChange>,
    read: &Item,
    wanted: &Item,
) -> WriteCommand {
    let mut command = WriteCommand::new(schema, Verb::Rewrite, Ok(key));
    let mut moved = Vec::new();
    let tokens = schema.ratchets.iter().map(|ratchet| {
        let token = ratchet.token_in(wanted);
        // One that stays is no new one: the rule, which may be strict, says nothing of it.
        let token = token.filter(|token| Some(token) != ratchet.token_in(read).as_ref())?;
        // In another spelling, what is stored is compared with nothing; but it is known, and may not have changed since.
        if read.get(ratchet.attribute).is_some_and(|stored| ratchet.respells(stored, &token.value)) {
            return None;
        }
        moved.extend(std::iter::once(ratchet.attribute).chain(ratchet.tiebreak));
        Some(token)
    });
    command.tokens = Ok(tokens.collect());
    if let Some(fence) = &schema.fence
        && changes.iter().any(|change| change.path.name() == fence.attribute)
    {
        moved.push(fence.attribute);
        command.fence = fence.of(wanted);
    }
    // Those are the rules' to set.
    command.changes = changes.into_iter().filter(|change| !moved.contains(&change.path.name())).collect();
    command
}

/// What makes the one item of the other, besides what the rules do: in the order of names.
pub(crate) fn changes(schema: &Schema, read: &Item, wanted: &Item) -> Vec<RawChange> {
    let names: BTreeSet<&String> = read.keys().chain(wanted.keys()).collect();
    let names = names.into_iter().filter(|name| schema.is_content(name));
    let change = |name: &String| {
        let action = match (read.get(name), wanted.get(name)) {
            (Some(read), Some(wanted)) if equal(read, wanted) => return None,
            (_, Some(wanted)) => Action::Set(wanted.clone()),
            (_, None) => Action::Remove,
        };
        Some(RawChange::new(name.clone(), Ok(action)))
    };
    names.filter_map(change).collect()
}
