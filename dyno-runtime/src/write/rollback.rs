//! Writes the content of an earlier revision as a new version: a given one over a live item or over a deletion, or the last live
//! one over a deletion.

use super::kept_attributes::immutable_values;
use super::modify_loop::{Modification, ModifyCommand, ModifyOutcome};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, equal_items};
use crate::error::Error;
use crate::exchange::Repository;
use crate::expression::Action;
use crate::read::{RevisionsCommand, normalized, rows, see};
use crate::rule;
use crate::rule::{Reason, Verb};
use crate::schema::{Schema, Tables, Token};
use futures_util::future::BoxFuture;
use futures_util::stream::TryStreamExt as _;

/// Writes the content of revision `to`, with these tokens. `reread` brings it into the current shape of the entity.
pub(crate) fn roll_back<'a>(
    command: ModifyCommand,
    repository: &'a Repository,
    tables: Tables,
    (to, tokens): (u64, Vec<Option<Token>>),
    reread: &'a (dyn Fn(&Item) -> Result<Item, Error> + Sync),
) -> BoxFuture<'a, Result<ModifyOutcome, Error>> {
    Box::pin(async move {
        let schema = command.schema;
        let find = async || {
            let revisions = RevisionsCommand { schema, key: command.key.clone() };
            let revision = revisions.find(repository, tables.clone(), to).await?;
            Ok::<_, Error>(revision.filter(|revision| !revision.deleted))
        };
        let mut revision = find().await?;
        if revision.is_none() && schema.is_transactional {
            // An open transaction may be about to make this revision.
            let modification = Modification { command: command.clone(), repository, tables: &tables };
            modification.load().await.map_err(|error| error.with_context(|| command.context()))?;
            revision = find().await?;
        }
        let now = repository.now();
        let refused = |reason, item| Ok(ModifyOutcome::Refused(command.refused(now, reason, item)));
        let Some(revision) = revision else {
            return refused(Reason::NoRevision { version: to }, None);
        };
        if let Some(reason) = see(&[schema], now, &revision.image).state.reason() {
            return refused(reason, Some(revision.image));
        }
        let revision = Revision::new(schema, revision.image, &tokens, reread)?;
        let mut edit = |stored: Option<&Item>| content(schema, repository.now(), &revision, stored);
        command.send(repository, &tables, &mut edit).await
    })
}

/// Writes the content of the last live revision, with these tokens, if there is no live item.
pub(crate) fn restore<'a>(
    command: ModifyCommand,
    repository: &'a Repository,
    tables: Tables,
    tokens: Vec<Option<Token>>,
    reread: &'a (dyn Fn(&Item) -> Result<Item, Error> + Sync),
) -> BoxFuture<'a, Result<ModifyOutcome, Error>> {
    Box::pin(async move {
        let schema = command.schema;
        for _ in 0..command.attempts {
            let modification = Modification { command: command.clone(), repository, tables: &tables };
            let seen = modification.load().await.map_err(|error| error.with_context(|| command.context()))?;
            let now = repository.now();
            let state = |item: &Item| see(&[schema], now, item).state;
            let refused = |reason, item| Ok(ModifyOutcome::Refused(command.refused(now, reason, item)));
            if seen.as_ref().is_some_and(|seen| state(seen).is_live()) {
                let other = rule::other_entity(schema, seen.as_ref());
                return refused(other.unwrap_or(Reason::Exists), seen);
            }
            // Find the last revision that is no deletion.
            let revisions = RevisionsCommand { schema, key: command.key.clone() };
            let mut revisions = rows(revisions.timeline(repository, tables.clone(), None, None, Some(PAGE)));
            let mut last = revisions.try_next().await?;
            while last.as_ref().is_some_and(|revision| revision.deleted) {
                last = revisions.try_next().await?;
            }
            let Some(last) = last else {
                let reason = seen.as_ref().and_then(|seen| state(seen).reason());
                return refused(reason.unwrap_or(Reason::Missing), seen);
            };
            // A revision past its TTL stays deleted.
            if let Some(reason) = state(&last.image).reason() {
                return refused(reason, Some(last.image));
            }
            let revision = Revision::new(schema, last.image, &tokens, reread)?;
            // If another writer has been there since, another revision may be the last one.
            let mut has_changed = false;
            let mut edit = |stored: Option<&Item>| {
                has_changed = match (stored, &seen) {
                    (Some(stored), Some(seen)) => !equal_items(stored, seen),
                    (stored, seen) => stored.is_some() || seen.is_some(),
                };
                if has_changed {
                    return Err(Error::invalid("the item has changed"));
                }
                content(schema, repository.now(), &revision, stored)
            };
            let written = command.clone().send(repository, &tables, &mut edit).await;
            if !has_changed {
                return written;
            }
        }
        Ok(ModifyOutcome::Contended(command.refused(repository.now(), Reason::Deleted, None)))
    })
}

/// The revisions in a page. The last live one is usually the second.
const PAGE: usize = 4;

/// A revision that is restored, with the tokens of the write.
struct Revision<'a> {
    /// In the current shape, with the attributes that it had.
    image: Item,
    /// As the entity stores it: with defaults and with the keys of indexes.
    item: Item,
    reread: &'a (dyn Fn(&Item) -> Result<Item, Error> + Sync),
}

impl<'a> Revision<'a> {
    /// Brings a revision into the current shape. `upgrade` takes it as it was stored. The tokens are set before `reread`, which
    /// composes the keys of indexes: a token can be part of one.
    fn new(
        schema: &'static Schema,
        image: Item,
        tokens: &[Option<Token>],
        reread: &'a (dyn Fn(&Item) -> Result<Item, Error> + Sync),
    ) -> Result<Self, Error> {
        let mut image = normalized(schema, &image)?.into_owned();
        rule::set_tokens(schema, tokens, &mut image);
        Ok(Self { item: reread(&image)?, image, reread })
    }
}

/// Returns the new item: the declared attributes as in the revision, and the undeclared ones as they are stored now. Without a
/// live item, the undeclared ones are as in the revision, too. The stored fence stays, also that of a tombstone, because it says
/// which lock holder wrote last. An immutable attribute that the revision does not have yet stays, too.
fn content(
    schema: &'static Schema,
    now: EpochMillis,
    revision: &Revision<'_>,
    stored: Option<&Item>,
) -> Result<Item, Error> {
    let live = stored.filter(|stored| rule::state(schema, now, *stored).is_live());
    let mut item = revision.item.clone();
    if let Some(values) = live.map(|live| immutable_values(schema, live)).transpose()?.flatten() {
        let mut completed = revision.image.clone();
        rule::keep_immutable(schema, &values, &mut completed);
        // The keys of indexes can be made of these values.
        item = (revision.reread)(&completed)?;
        // If the revision lacks a text, its vector was not made of the present text.
        let completed = item.clone();
        rule::check_embeddings(schema, &revision.item, &completed, &mut item)?;
    }
    if let Some(live) = live.filter(|_| !schema.has_rest) {
        item.retain(|name, _| schema.declares(name));
        let undeclared = live.iter().filter(|(name, _)| !schema.declares(name));
        item.extend(undeclared.map(|(name, value)| (name.clone(), value.clone())));
    }
    item.retain(|name, _| !schema.is_bookkeeping(name));
    if let Some((fence, stored)) = schema.fence.as_ref().zip(stored) {
        fence.keep(stored, &mut item);
    }
    let verb = if live.is_some() { Verb::Replace } else { Verb::Undelete };
    for (attribute, action) in rule::times(schema, verb, None, &item, now)? {
        if let Action::Set(time) = action {
            item.insert(attribute.to_owned(), time);
        }
    }
    Ok(item)
}
