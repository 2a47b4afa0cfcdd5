//! Load, change, write; and again, where another writer has been faster: the one loop of `modify`, `rollback` and `modify_each`.
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

pub(super) const MODIFY_EACH: &str = "modify_each";

/// A change of the item at a key, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct ModifyCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) kind: ModifyKind,
    pub(crate) key: Result<Item, EncodeError>,
    /// The fence that it was given; else the item's stays.
    pub(crate) fence: Option<u64>,
    /// How often it is tried.
    pub(crate) attempts: u32,
}

/// The command that changes the item.
#[derive(Clone, Debug)]
pub(crate) enum ModifyKind {
    Modify,
    /// Changes an item that counts as absent, or none, too.
    Rollback,
    /// Sends nothing where nothing differs. The scan asked the filter of the item, and it is asked anew of what is found later.
    Each {
        filter: Option<Result<Node, EncodeError>>,
    },
}

/// How a change ended.
pub(crate) enum ModifyOutcome {
    /// The item as it was stored.
    Applied(Item),
    /// The item, stored already as it is to be.
    Unchanged(Item),
    Refused(Refused),
    /// Another writer was faster, at each attempt; the last refusal.
    Contended(Refused),
}

/// What the caller's code makes of an item, whole, in the entity's shape of today.
pub(crate) type Edit<'a> = dyn FnMut(Option<&Item>) -> Result<Item, Error> + Send + 'a;

impl ModifyCommand {
    fn operation(&self) -> &'static str {
        match self.kind {
            ModifyKind::Modify => "modify",
            ModifyKind::Rollback => "rollback",
            ModifyKind::Each { .. } => MODIFY_EACH,
        }
    }

    fn context(&self) -> Context {
        let key = self.key.as_ref().ok().and_then(|key| key_text(key, self.schema));
        Context { operation: self.operation(), entity: self.schema.entity, key }
    }

    fn is_of_scan(&self) -> bool {
        matches!(self.kind, ModifyKind::Each { .. })
    }

    fn is_rollback(&self) -> bool {
        matches!(self.kind, ModifyKind::Rollback)
    }

    pub(crate) async fn send(
        self,
        repository: &Repository,
        tables: &Tables,
        edit: &mut Edit<'_>,
    ) -> Result<ModifyOutcome, Error> {
        Modification { command: self, repository, tables }.run(None, edit, &|| ()).await
    }

    /// A refusal for which nothing had to be sent.
    pub(crate) fn refused(&self, now: EpochMillis, reason: Reason, item: Option<Item>) -> Refused {
        let (reasons, moot) = (vec![reason], rule::Moot::default());
        Refused { reasons, moot, item, now, context: self.context(), in_doubt: false }
    }
}

pub(crate) fn check_attempts(attempts: u32) -> Result<(), Error> {
    if attempts == 0 { Err(Error::invalid("0 attempts change nothing: give at least 1")) } else { Ok(()) }
}

/// A change of one item under way.
pub(crate) struct Modification<'a> {
    pub(crate) command: ModifyCommand,
    pub(crate) repository: &'a Repository,
    pub(crate) tables: &'a Tables,
}

impl Modification<'_> {
    /// Changes the item, given as a scan has returned it, or as it is. `on_retry` is called before each further attempt.
    pub(crate) async fn run(
        &self,
        scanned: Option<Item>,
        edit: &mut Edit<'_>,
        on_retry: &(dyn Fn() + Sync),
    ) -> Result<ModifyOutcome, Error> {
        let changed = self.change(scanned, edit, on_retry).await;
        changed.map_err(|error| error.with_context(|| self.command.context()))
    }

    async fn change(
        &self,
        scanned: Option<Item>,
        edit: &mut Edit<'_>,
        on_retry: &(dyn Fn() + Sync),
    ) -> Result<ModifyOutcome, Error> {
        let ModifyCommand { schema, attempts, key, .. } = &self.command;
        if let Err(error) = key {
            return Err(error.clone().into());
        }
        check_attempts(*attempts)?;
        let mut back_off = BackOff::new(self.repository, attempts - 1);
        // The scan has asked its filter already.
        let mut asks_filter = scanned.is_none();
        let mut loaded = match scanned {
            Some(item) => rule::committed(schema, Some(item)),
            None => self.load().await?,
        };
        loop {
            if let Some(refused) = self.absent(loaded.as_ref()) {
                return Ok(ModifyOutcome::Refused(refused));
            }
            let is_first = back_off.taken() == 0;
            if !is_first {
                on_retry();
            }
            let refused = match self.attempt(loaded, asks_filter, edit).await? {
                ModifyOutcome::Contended(refused) => refused,
                outcome => return Ok(outcome),
            };
            // A refusal has what is there now, which is all that is needed the first time. Later, to wait is better.
            loaded = if is_first && *attempts > 1 {
                // It counts as an attempt, without its pause.
                back_off.skip();
                refused.item
            } else if back_off.pause().await {
                self.load().await?
            } else {
                return Ok(ModifyOutcome::Contended(refused));
            };
            asks_filter = true;
        }
    }

    /// Changes what was read, and writes it, once.
    async fn attempt(
        &self,
        mut read: Option<Item>,
        asks_filter: bool,
        edit: &mut Edit<'_>,
    ) -> Result<ModifyOutcome, Error> {
        let mut wanted = self.edited(read.as_ref(), edit)?;
        if let Some(hold) = self.hold(read.as_ref())? {
            match self.send(hold, Some(ReturnValue::AllNew)).await? {
                Written::Done(applied) => read = applied.item,
                Written::Denied(refused) => return Ok(self.refused(refused, read.as_ref())),
            }
            // With what was added until then.
            wanted = self.edited(read.as_ref(), edit)?;
        }
        match self.command(read.as_ref(), &wanted, asks_filter)? {
            Some(command) => self.write(command, read.as_ref(), wanted, edit).await,
            None => Ok(ModifyOutcome::Unchanged(wanted)),
        }
    }

    /// What the caller's code makes of an item, under the fence of the change.
    fn edited(&self, item: Option<&Item>, edit: &mut Edit<'_>) -> Result<Item, Error> {
        let mut wanted = edit(item)?;
        if let Some((fence, number)) = self.command.schema.fence.as_ref().zip(self.command.fence) {
            fence.set(&mut wanted, number);
        }
        Ok(wanted)
    }

    /// The write that keeps older programs from updating an item while it is brought up to date: of one whose writes nothing
    /// counts, and which is not held yet. It names nothing else of what was read, so it always asks the filter.
    fn hold(&self, read: Option<&Item>) -> Result<Option<WriteCommand>, Error> {
        let ModifyCommand { schema, key, .. } = &self.command;
        let (Some(shape), Some(read)) = (&schema.schema_version, read) else { return Ok(None) };
        let from = shape.of(read).ok().filter(|from| *from < shape.current && !shape.is_held(read));
        let (Some(from), None, false) = (from, &schema.version, self.command.is_rollback()) else { return Ok(None) };
        let held = RawChange::new(shape.attribute, Ok(Action::Set(SchemaVersion::held(from))));
        let mut command = rewrite(schema, key.clone()?, vec![held], read, read);
        command.image = Some(Arc::new(Image::of_one(shape.attribute, read)));
        self.filter(&mut command);
        Ok(Some(command))
    }

    /// Adds what was asked of the item when it was read: it may not be one of those any more.
    fn filter(&self, command: &mut WriteCommand) {
        if let ModifyKind::Each { filter: Some(filter) } = &self.command.kind {
            command.and(filter.clone());
        }
    }

    async fn send(&self, command: WriteCommand, returns: Option<ReturnValue>) -> Result<Written, Error> {
        Box::new(command).send(self.repository, self.tables.clone(), returns).await
    }

    /// Sends the write.
    async fn write(
        &self,
        command: WriteCommand,
        read: Option<&Item>,
        mut wanted: Item,
        edit: &mut Edit<'_>,
    ) -> Result<ModifyOutcome, Error> {
        let attempts = command.versioned.as_ref().map(|versioned| versioned.attempts(&self.tables.main));
        match self.send(command, None).await {
            Ok(Written::Done(applied)) => {
                if let Some(version) = &self.command.schema.version {
                    version.set(&mut wanted, applied.version.unwrap_or_default());
                }
                Ok(ModifyOutcome::Applied(wanted))
            }
            Ok(Written::Denied(refused)) if refused.in_doubt => self.settle(&wanted, lost_answer(), edit).await,
            Ok(Written::Denied(refused)) => Ok(self.refused(refused, read)),
            Err(error) if error.is_outcome_unknown() => self.settle(&wanted, error, edit).await,
            Err(error) if attempts.is_some_and(|attempts| attempts.may_be_applied()) => Err(error.of_a_lost_change()),
            Err(error) => Err(error),
        }
    }

    /// A write may have been applied, and nothing tells. Where the caller's code would leave what is there now as it is, that
    /// is all the same.
    async fn settle(&self, wanted: &Item, error: Error, edit: &mut Edit<'_>) -> Result<ModifyOutcome, Error> {
        if !self.command.is_of_scan() {
            return Err(error);
        }
        let there = self.load().await?;
        if let Some(refused) = self.absent(there.as_ref()) {
            return Ok(ModifyOutcome::Refused(refused));
        }
        let (schema, there) = (self.command.schema, there.unwrap_or_default());
        if is_unnumbered(schema, &there) {
            return Err(error);
        }
        let again = edit(Some(&there))?;
        match (changes(schema, &there, &again).is_empty(), changes(schema, &there, wanted).is_empty()) {
            (true, true) => Ok(ModifyOutcome::Applied(there)),
            (true, false) => Ok(ModifyOutcome::Unchanged(there)),
            _ => Err(error),
        }
    }

    /// The item, as every acknowledged write has left it.
    async fn load(&self) -> Result<Option<Item>, Error> {
        let ModifyCommand { schema, key, .. } = &self.command;
        let get = GetCommand::consistent(schema, key.clone());
        let item = get.send(self.repository, self.tables.main.clone()).await?;
        Ok(rule::committed(schema, item))
    }

    /// Why there is nothing to change, if there is not.
    fn absent(&self, loaded: Option<&Item>) -> Option<Refused> {
        let now = self.repository.now();
        let reason = match loaded {
            _ if self.command.is_rollback() => return None,
            None => Reason::Missing,
            Some(item) => rule::state(self.command.schema, now, item).reason()?,
        };
        Some(self.command.refused(now, reason, loaded.cloned()))
    }

    /// What a refusal means: if it shows another item than was read, that one is to be changed instead.
    fn refused(&self, refused: Refused, read: Option<&Item>) -> ModifyOutcome {
        let is_gone = |reason: &Reason| matches!(reason, Reason::Missing | Reason::Conflict { found: None, .. });
        let is_another = match (&refused.item, read) {
            // There is nothing of this entity any more.
            (there @ Some(_), _) if rule::other_entity(self.command.schema, there.as_ref()).is_some() => false,
            (Some(there), Some(read)) => !equal_items(there, read),
            (Some(_), None) => true,
            (None, Some(_)) => refused.reasons.iter().any(is_gone),
            (None, None) => false,
        };
        if is_another { ModifyOutcome::Contended(refused) } else { ModifyOutcome::Refused(refused) }
    }

    /// The write of the new item over what was read; `None` if that is what is stored, and nothing is to be sent then.
    fn command(&self, read: Option<&Item>, wanted: &Item, asks_filter: bool) -> Result<Option<WriteCommand>, Error> {
        let ModifyCommand { schema, key, fence, .. } = &self.command;
        let nothing = Item::new();
        let there = read.unwrap_or(&nothing);
        let changes = changes(schema, there, wanted);
        if changes.is_empty() && self.command.is_of_scan() && !is_unnumbered(schema, there) {
            return Ok(None);
        }
        check_item(wanted, schema)?;
        // A revision is a whole item.
        let is_put = self.command.is_rollback() || schema.history.is_some();
        let mut command = match self.command.kind {
            ModifyKind::Rollback => WriteCommand::new(schema, Verb::Put, Ok(wanted.clone())),
            _ if is_put => WriteCommand::new(schema, Verb::Replace, Ok(wanted.clone())),
            _ => rewrite(schema, key.clone()?, changes, there, wanted),
        };
        let version = schema.version.as_ref().and_then(|version| version.of(there)).unwrap_or_default();
        command.image = read.and_then(|read| Image::of_loaded(schema, read, is_put)).map(Arc::new);
        command.fence = fence.or(command.fence);
        command.expecting(read.map_or(Expected::New(0), |_| Expected::Loaded(version)));
        command.loaded(self.command.operation(), read.cloned());
        if asks_filter {
            self.filter(&mut command);
        }
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
    command.update.changes = changes.into_iter().filter(|change| !moved.contains(&change.path.name())).collect();
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
