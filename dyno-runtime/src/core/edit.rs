//! Load, change, write; and again, if another writer has been faster.

use super::key::{key_of, key_text};
use super::read::GetCommand;
use super::write::{Refused, Tables, WriteCommand, Written};
use crate::attribute::{EncodeError, Item};
use crate::backoff::BackOff;
use crate::error::Context;
use crate::outcome::Reason;
use crate::repository::Repository;
use crate::rule::{self, Expected, Verb};
use crate::schema::Schema;
use crate::{EpochMillis, Error};

/// A change of a loaded item, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct EditCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) operation: &'static str,
    pub(crate) key: Result<Item, EncodeError>,
    /// How often it is tried.
    pub(crate) attempts: u32,
    /// Whether an item that counts as absent, or none, is changed too.
    pub(crate) from_nothing: bool,
}

/// How an edit ended.
pub(crate) enum Edit {
    /// The item as it was stored.
    Applied(Item),
    Refused(Refused),
    /// Every attempt met another writer; the last refusal.
    Contended(Refused),
}

/// What makes the new item of the loaded one.
pub(crate) type Change<'a> = &'a mut (dyn FnMut(Option<Item>) -> Result<Item, Error> + Send);

impl EditCommand {
    fn context(&self) -> Context {
        let key = self.key.as_ref().ok().and_then(|key| key_text(key, self.schema));
        Context { operation: self.operation, entity: self.schema.entity, key }
    }

    pub(crate) async fn send(self, repository: &Repository, tables: Tables, change: Change<'_>) -> Result<Edit, Error> {
        let context = self.context();
        self.run(repository, tables, change).await.map_err(|error| error.with_context(|| context))
    }

    async fn run(self, repository: &Repository, tables: Tables, change: Change<'_>) -> Result<Edit, Error> {
        let key = self.key.clone()?;
        if self.attempts == 0 {
            return Err(Error::invalid("0 attempts change nothing: give at least 1"));
        }
        let load = async || {
            let get = GetCommand::consistent(self.schema, Ok(key.clone()));
            get.send(repository, tables.main.clone()).await
        };
        let mut back_off = BackOff::new(repository, self.attempts - 1);
        let mut loaded = load().await?;
        let mut first = true;
        loop {
            if let Some(refused) = self.absent(repository, loaded.as_ref()) {
                return Ok(Edit::Refused(refused));
            }
            let mut item = change(loaded.clone())?;
            rule::keep_keys(self.schema, loaded.as_ref(), &mut item);
            if key_of(self.schema, &item) != key {
                return Err(Error::invalid(
                    "the key was changed: an item cannot move; create one under the new key and delete this one",
                ));
            }
            let (written, item) = self.write(repository, tables.clone(), item, loaded).await?;
            let refused = match written {
                Written::Applied(_) => return Ok(Edit::Applied(item)),
                Written::Refused(refused) => refused,
            };
            let is_conflict = |reason: &Reason| matches!(reason, Reason::Conflict { .. } | Reason::Exists);
            if !refused.reasons.iter().any(is_conflict) {
                return Ok(Edit::Refused(refused));
            }
            // The refusal has what is there now: the first time that is all that is needed. Later, to wait is better.
            if first && self.attempts > 1 {
                first = false;
                loaded = refused.item;
                // It counts as an attempt, without its pause.
                back_off.skip();
                continue;
            }
            if !back_off.pause().await {
                return Ok(Edit::Contended(refused));
            }
            loaded = load().await?;
        }
    }

    /// Why there is nothing to change, if there is not.
    fn absent(&self, repository: &Repository, loaded: Option<&Item>) -> Option<Refused> {
        let now = repository.now();
        let reason = match loaded {
            _ if self.from_nothing => return None,
            None => Reason::Missing,
            Some(item) => rule::is_dead(self.schema, now, item)?,
        };
        Some(self.refused(now, reason, loaded.cloned()))
    }

    /// A refusal for which nothing had to be sent.
    pub(crate) fn refused(&self, now: EpochMillis, reason: Reason, item: Option<Item>) -> Refused {
        Refused { reasons: vec![reason], superseded: false, item, now, context: self.context() }
    }

    /// Writes the new item over the loaded one; how that ended, and the item as it is then.
    async fn write(
        &self,
        repository: &Repository,
        tables: Tables,
        mut item: Item,
        loaded: Option<Item>,
    ) -> Result<(Written, Item), Error> {
        let version = self.schema.version.as_ref();
        let of = |item: &Item| version.and_then(|version| version.of(item)).unwrap_or_default();
        let expected = loaded.as_ref().map_or(Expected::New(0), |loaded| Expected::Loaded(of(loaded)));
        let verb = if self.from_nothing { Verb::Put } else { Verb::Replace };
        let mut command = WriteCommand::new(self.schema, verb, Ok(item.clone()));
        command.expecting(expected);
        command.loaded(self.operation, loaded);
        let written = command.send(repository, tables, None).await?;
        if let (Written::Applied(applied), Some(version)) = (&written, version) {
            version.set(&mut item, applied.version.unwrap_or_default());
        }
        Ok((written, item))
    }
}
