//! Loads an item, changes it and writes it back, and begins again if another writer was faster: the loop of `modify`, `rollback`,
//! `modify_each` and `delete_each`. It locks optimistically, so no concurrent write is lost.
//!
//! `merge` decides which values a change writes. Each write is sent as a single write.

use super::doubtful_change::{is_unnumbered, lost_answer};
use super::kept_attributes::{check_written, kept_by};
use super::retry_limits::RetryBudget;
use super::rewrite::{changes, rewrite};
use super::shape_lock::is_failed;
use super::write_command::{WriteCommand, Written};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, equal_items};
use crate::error::{Context, EncodeError, Error};
use crate::exchange::{BackOff, ItemRef, Repository};
use crate::key::key_text;
use crate::read::{GetCommand, Question, is_held};
use crate::rule;
use crate::rule::{Expected, Image, Reason, Refused, Verb};
use crate::schema::{Schema, Tables};
use aws_sdk_dynamodb::types::ReturnValue;
use futures_util::future::BoxFuture;
use std::sync::Arc;

pub(super) const MODIFY_EACH: &str = "modify_each";
pub(super) const DELETE_EACH: &str = "delete_each";

/// A change of the item at a key, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct ModifyCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) kind: ModifyKind,
    pub(crate) key: Result<Item, EncodeError>,
    /// The fence, if the caller gave one. Otherwise the stored fence stays.
    pub(crate) fence: Option<u64>,
    /// The number of attempts, at least 1.
    pub(crate) attempts: u32,
}

/// The kind of a change, by the command that makes it.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "bulk"), expect(dead_code, reason = "only bulk commands change many items"))]
pub(crate) enum ModifyKind {
    Modify,
    /// Writes an earlier revision also if the item does not exist, or counts as absent: the command of this name.
    Rollback(&'static str),
    /// Changes an item that answers this question, and sends nothing if it stays the same.
    ModifyEach(Question),
    /// Deletes an item that answers this question. The caller's change sets the tokens of the delete.
    DeleteEach(Question),
}

/// The outcome of a change.
pub(crate) enum ModifyOutcome {
    /// The item as it was written.
    Applied(Item),
    /// The item, which was stored in this state already.
    Unchanged(Item),
    Refused(Refused),
    /// Another writer was faster, at each attempt. This is the last refusal.
    Contended(Refused),
}

/// The caller's change: takes the stored item and returns the whole new item, in the current shape of the entity.
pub(crate) type Edit<'a> = dyn FnMut(Option<&Item>) -> Result<Item, Error> + Send + 'a;

impl ModifyCommand {
    fn operation(&self) -> &'static str {
        match self.kind {
            ModifyKind::Modify => "modify",
            ModifyKind::Rollback(command) => command,
            ModifyKind::ModifyEach(_) => MODIFY_EACH,
            ModifyKind::DeleteEach(_) => DELETE_EACH,
        }
    }

    /// Returns the question that the item must answer, if it is one of many.
    pub(super) fn question(&self) -> Option<&Question> {
        match &self.kind {
            ModifyKind::ModifyEach(question) | ModifyKind::DeleteEach(question) => Some(question),
            ModifyKind::Modify | ModifyKind::Rollback(_) => None,
        }
    }

    pub(super) fn context(&self) -> Context {
        let key = self.key.as_ref().ok().and_then(|key| key_text(key, self.schema));
        Context { operation: self.operation(), entity: self.schema.entity, key }
    }

    fn is_modify_each(&self) -> bool {
        matches!(self.kind, ModifyKind::ModifyEach(_))
    }

    pub(super) fn is_delete_each(&self) -> bool {
        matches!(self.kind, ModifyKind::DeleteEach(_))
    }

    pub(super) fn is_rollback(&self) -> bool {
        matches!(self.kind, ModifyKind::Rollback(_))
    }

    pub(crate) fn send<'a>(
        self,
        repository: &'a Repository,
        tables: &'a Tables,
        edit: &'a mut Edit<'a>,
    ) -> BoxFuture<'a, Result<ModifyOutcome, Error>> {
        Box::pin(async move { Modification { command: self, repository, tables }.run(None, edit, &|| ()).await })
    }

    /// Returns a refusal that needed no write.
    pub(crate) fn refused(&self, now: EpochMillis, reason: Reason, item: Option<Item>) -> Refused {
        let (reasons, moot) = (vec![reason], rule::Moot::default());
        Refused { reasons, moot, item, now, context: self.context(), condition: None, in_doubt: false }
    }
}

pub(crate) fn check_attempts(attempts: u32) -> Result<(), Error> {
    if attempts == 0 { Err(Error::invalid("0 attempts change nothing: give at least 1")) } else { Ok(()) }
}

/// A change of one item that is under way.
pub(crate) struct Modification<'a> {
    pub(crate) command: ModifyCommand,
    pub(crate) repository: &'a Repository,
    pub(crate) tables: &'a Tables,
}

impl Modification<'_> {
    /// Changes the item. `scanned` is the item as a scan returned it; without it, the item is loaded. `on_retry` is called before
    /// each attempt but the first.
    pub(crate) async fn run(
        &self,
        scanned: Option<Item>,
        edit: &mut Edit<'_>,
        on_retry: &(dyn Fn() + Sync),
    ) -> Result<ModifyOutcome, Error> {
        let mut locked = None;
        let changed = self.change(scanned, edit, on_retry, &mut locked).await;
        if let Some(from) = locked.filter(|_| is_failed(&changed)) {
            Box::pin(self.unlock_shape(from)).await;
        }
        changed.map_err(|error| error.with_context(|| self.command.context()))
    }

    async fn change(
        &self,
        scanned: Option<Item>,
        edit: &mut Edit<'_>,
        on_retry: &(dyn Fn() + Sync),
        locked: &mut Option<u32>,
    ) -> Result<ModifyOutcome, Error> {
        let ModifyCommand { schema, attempts, key, .. } = &self.command;
        if let Err(error) = key {
            return Err(error.clone().into());
        }
        check_attempts(*attempts)?;
        let mut back_off = BackOff::new(self.repository, attempts - 1);
        // A transaction may hold the scanned item and may have committed a change of it. Only a load returns that change.
        let scanned = scanned.filter(|item| !schema.is_transactional || !is_held(item));
        // A scanned item has answered the question already.
        let mut is_judged = scanned.is_some();
        let mut loaded = match scanned {
            Some(item) => Some(item),
            None => self.load().await?,
        };
        loop {
            if let Some(refused) = self.absent(loaded.as_ref(), !is_judged) {
                return Ok(ModifyOutcome::Refused(refused));
            }
            let is_first = back_off.taken() == 0;
            if !is_first {
                on_retry();
            }
            let refused = match self.attempt(loaded, !is_judged, edit, locked).await? {
                ModifyOutcome::Contended(refused) => refused,
                outcome => return Ok(outcome),
            };
            // The second attempt follows at once, because the refusal has returned the item. Later attempts wait first, and load
            // it.
            loaded = if is_first && *attempts > 1 {
                back_off.skip();
                refused.item
            } else if back_off.pause().await {
                self.load().await?
            } else if refused.in_doubt {
                return Err(lost_answer());
            } else {
                return Ok(ModifyOutcome::Contended(refused));
            };
            is_judged = false;
        }
    }

    /// Makes one attempt to change the item that was read. `Contended` means that another writer was faster.
    async fn attempt(
        &self,
        read: Option<Item>,
        asks_again: bool,
        edit: &mut Edit<'_>,
        locked: &mut Option<u32>,
    ) -> Result<ModifyOutcome, Error> {
        let mut new = self.edit(read.as_ref(), edit)?;
        #[cfg(feature = "bulk")]
        if let (true, Some(item)) = (self.command.is_delete_each(), &read) {
            return self.write(Box::new(self.delete(item, &new)?), read.as_ref(), new, edit).await;
        }
        let mut read = read.map(Arc::new);
        if let Some(lock_shape) = self.lock_shape(read.as_deref())? {
            // An item that cannot be written is not locked.
            self.command(read.as_ref(), &new, asks_again)?;
            match Box::pin(self.send(Box::new(lock_shape), Some(ReturnValue::AllNew))).await? {
                Written::Done(applied) => {
                    let shape = self.command.schema.schema_version.as_ref();
                    *locked = shape.zip(read.as_deref()).and_then(|(shape, read)| shape.of(read).ok());
                    read = applied.item.map(Arc::new);
                }
                Written::Denied(refused) => return Ok(self.evaluate(refused, read.as_deref())),
            }
            // Other writers may have changed the item between the read and this write.
            new = self.edit(read.as_deref(), edit)?;
        }
        match self.command(read.as_ref(), &new, asks_again)? {
            Some(command) => self.write(Box::new(command), read.as_deref(), new, edit).await,
            None => Ok(ModifyOutcome::Unchanged(new)),
        }
    }

    /// Applies the caller's change to an item, and sets the fence.
    pub(super) fn edit(&self, item: Option<&Item>, edit: &mut Edit<'_>) -> Result<Item, Error> {
        let mut new = edit(item)?;
        if let Some((fence, number)) = self.command.schema.fence.as_ref().zip(self.command.fence) {
            fence.set(&mut new, number);
        }
        Ok(new)
    }

    pub(super) fn send(
        &self,
        command: Box<WriteCommand>,
        returns: Option<ReturnValue>,
    ) -> impl Future<Output = Result<Written, Error>> + Send {
        command.send(self.repository, self.tables.clone(), returns)
    }

    /// Sends the write of the new item.
    async fn write(
        &self,
        command: Box<WriteCommand>,
        read: Option<&Item>,
        mut new: Item,
        edit: &mut Edit<'_>,
    ) -> Result<ModifyOutcome, Error> {
        let attempts = command.versioned.is_some().then(|| command.attempts(&self.tables.main));
        match self.send(command, None).await {
            Ok(Written::Done(applied)) => {
                if let Some(version) = &self.command.schema.version {
                    version.set(&mut new, applied.version.unwrap_or_default());
                }
                Ok(ModifyOutcome::Applied(new))
            }
            // Boxed, because few writes are in doubt.
            Ok(Written::Denied(refused)) if refused.in_doubt => {
                Box::pin(self.resolve_doubt(&new, lost_answer(), edit)).await
            }
            Ok(Written::Denied(refused)) => Ok(self.evaluate(refused, read)),
            Err(error) if error.is_outcome_unknown() || self.command.is_delete_each() && error.may_be_applied() => {
                Box::pin(self.resolve_doubt(&new, error, edit)).await
            }
            Err(error) if attempts.is_some_and(|attempts| attempts.may_be_applied()) => Err(error.of_a_lost_change()),
            Err(error) => Err(error),
        }
    }

    /// Reads the item consistently. If an undecided transaction holds it, waits like every other write: what the closure decides
    /// and what a refusal reports must not come before a transaction that other writes come after.
    pub(super) async fn load(&self) -> Result<Option<Item>, Error> {
        let ModifyCommand { schema, key, .. } = &self.command;
        let mut budget = RetryBudget::new(self.repository, None);
        let at = ItemRef { table: self.tables.main.clone(), key: key.clone()? };
        loop {
            let get = GetCommand::consistent(schema, Ok(at.key.clone()));
            match get.send(self.repository, at.table.clone()).await? {
                Some(held) if rule::is_held(schema, Some(&held)) => {
                    let about = (self.command.operation(), schema.entity);
                    Box::pin(budget.spend_and_wait(about, at.clone(), &held)).await?;
                }
                found => return Ok(found),
            }
        }
    }

    /// Returns a refusal if there is no live item to change; with `asks_again`, also if the item does not answer the question.
    pub(super) fn absent(&self, loaded: Option<&Item>, asks_again: bool) -> Option<Refused> {
        let now = self.repository.now();
        let reason = match loaded {
            _ if self.command.is_rollback() => return None,
            None => Reason::Missing,
            Some(item) => match rule::state(self.command.schema, now, item).reason() {
                Some(reason) => reason,
                None if asks_again && !self.command.question()?.is_answered_by(now, item) => Reason::Condition,
                None => return None,
            },
        };
        Some(self.command.refused(now, reason, loaded.cloned()))
    }

    /// Evaluates a refusal: if the stored item is another than was read, another writer was faster.
    fn evaluate(&self, refused: Refused, read: Option<&Item>) -> ModifyOutcome {
        let is_gone = |reason: &Reason| matches!(reason, Reason::Missing | Reason::Conflict { found: None, .. });
        let is_another = match (&refused.item, read) {
            // Another entity's item has taken the key.
            (stored @ Some(_), _) if rule::other_entity(self.command.schema, stored.as_ref()).is_some() => false,
            (Some(stored), Some(read)) => !equal_items(stored, read),
            (Some(_), None) => true,
            (None, Some(_)) => refused.reasons.iter().any(is_gone),
            (None, None) => false,
        };
        if is_another { ModifyOutcome::Contended(refused) } else { ModifyOutcome::Refused(refused) }
    }

    /// Adds the condition that the item still answers the question.
    pub(super) fn ask_again(&self, command: &mut WriteCommand, read: &Item) {
        if let Some(condition) = self.command.question().and_then(|question| question.condition(read)) {
            command.and(condition);
        }
    }

    /// Returns the write of the new item over the one that was read; `None` if `modify_each` has nothing to write.
    pub(super) fn command(
        &self,
        read: Option<&Arc<Item>>,
        new: &Item,
        again: bool,
    ) -> Result<Option<WriteCommand>, Error> {
        let ModifyCommand { schema, key, fence, .. } = &self.command;
        let nothing = Item::new();
        let old = read.map_or(&nothing, |read| &**read);
        let changes = changes(schema, old, new);
        if changes.is_empty() && self.command.is_modify_each() && !is_unnumbered(schema, old) {
            return Ok(None);
        }
        // A history stores whole items, so the whole item is put.
        let is_put = self.command.is_rollback() || schema.history.is_some();
        check_written(schema, is_put, old, new)?;
        let mut command = match self.command.kind {
            ModifyKind::Rollback(_) => WriteCommand::new(schema, Verb::Put, Ok(new.clone())),
            _ if is_put => WriteCommand::new(schema, Verb::Replace, Ok(new.clone())),
            _ => rewrite(schema, key.clone()?, changes, old, new),
        };
        let version = schema.version.as_ref().and_then(|version| version.of(old)).unwrap_or_default();
        command.image = read.and_then(|read| Image::of_loaded(schema, read, is_put)).map(Arc::new);
        command.fence = fence.or(command.fence);
        command.expecting(match read.map(|read| rule::state(schema, self.repository.now(), &**read)) {
            None => Expected::New(0),
            // A rollback begins a new item, like a create.
            Some(rule::State::Expired) => Expected::Dead(version),
            Some(_) => Expected::Loaded(version),
        });
        command.loaded(self.command.operation(), read.cloned());
        if let (ModifyKind::Rollback(_), Some(read), Some(versioned)) =
            (&self.command.kind, read, &mut command.versioned)
        {
            versioned.kept = kept_by(schema, self.repository.now(), read, new)?;
        }
        if again {
            self.ask_again(&mut command, old);
        }
        Ok(Some(command))
    }
}
