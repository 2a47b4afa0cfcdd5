//! Makes the input of the rules from a command: its tokens, fence, version, write id, and what it expects of the stored item.

use super::write_command::WriteCommand;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{EncodeError, Error};
use crate::expression::{Action, Guard};
use crate::rule;
use crate::rule::{Dedup, Expected, Kept, Phase, Verb, Write, alias};
use crate::schema::{Ratchet, Token};
use aws_sdk_dynamodb::types::AttributeValue;

impl WriteCommand {
    /// Returns the values that the write stores in immutable attributes, unless they were compared with the loaded item.
    fn kept_values(&self, expected: Option<Expected>, item: &Item) -> Vec<Kept> {
        if self.schema.immutable.is_empty() || self.is_made_from_loaded() {
            return Vec::new();
        }
        let compared = self.versioned.as_ref().map_or(&[][..], |versioned| &versioned.kept);
        let mut kept = rule::kept_values(self.schema, self.verb, expected, item, &self.update.changes);
        kept.retain(|(name, _)| !compared.contains(name));
        kept
    }

    /// Returns the times that the write stores. An item that was made from a loaded one has them already.
    fn times(
        &self,
        expected: Option<Expected>,
        item: &Item,
        now: EpochMillis,
    ) -> Result<Vec<(&'static str, Action)>, EncodeError> {
        let versioned = self.versioned.as_ref();
        if versioned.is_some_and(|versioned| versioned.operation.is_some()) {
            return Ok(Vec::new());
        }
        let time = versioned.and_then(|versioned| versioned.time).unwrap_or(now);
        rule::times(self.schema, self.verb, expected, item, time)
    }

    /// Returns `true` if the write puts an item that was made from the loaded one: by a `modify`, or by several writes of a
    /// transaction.
    fn is_made_from_loaded(&self) -> bool {
        self.verb == Verb::Replace && self.versioned.as_ref().is_some_and(|versioned| versioned.operation.is_some())
    }

    /// Returns the token of the loaded item, if the write keeps it: a `modify` leaves it as it is; or the write only spells it as
    /// the type does, and DynamoDB cannot compare two spellings.
    fn kept_token(&self, ratchet: &Ratchet, item: &Item) -> Option<AttributeValue> {
        let versioned = self.versioned.as_ref()?;
        let loaded = versioned.loaded.as_deref()?;
        let (stored, token) = (loaded.get(ratchet.attribute)?, item.get(ratchet.attribute)?);
        let stays = self.is_made_from_loaded() && ratchet.token_in(item) == ratchet.token_in(loaded);
        (stays || ratchet.respells(stored, token)).then(|| stored.clone())
    }

    /// Returns the fence that the write stores: the caller's; otherwise that of the item that a put writes, or 0 for a delete.
    fn stored_fence(&self, item: &Item) -> Option<u64> {
        let fence = self.schema.fence.as_ref()?;
        let own = match self.verb {
            Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete => Some(fence.of(item).unwrap_or_default()),
            Verb::Delete => Some(0),
            Verb::Update { .. } | Verb::Rewrite | Verb::Renumber | Verb::Purge | Verb::Check { .. } => None,
        };
        self.fence.or(own)
    }

    /// Refuses a value that is no TTL. (The rules set the TTL of a tombstone.)
    fn check_ttl(&self, item: &Item) -> Result<(), EncodeError> {
        let Some(ttl) = &self.schema.ttl else { return Ok(()) };
        if self.is_put() && self.verb != Verb::Delete {
            return item.get(ttl.attribute).map_or(Ok(()), |value| ttl.check(value));
        }
        let mut changes = self.update.changes.iter().filter(|change| change.path.name() == ttl.attribute);
        changes.try_for_each(|change| match &change.action {
            Ok(Action::Set(value) | Action::SetAbsent(value)) => ttl.check(value),
            _ => Ok(()),
        })
    }

    /// Returns the write as the rules see it.
    pub(crate) fn rule_write(
        &self,
        now: EpochMillis,
        expected: Option<Expected>,
        phase: Phase,
    ) -> Result<Write, Error> {
        let (schema, verb, item) = (self.schema, self.verb, self.item()?);
        let (tokens, mut guards) = self.tokens(item)?;
        self.check_ttl(item)?;
        for (ratchet, token) in schema.ratchets.iter().zip(&tokens) {
            token.iter().try_for_each(|token| ratchet.check(token, now))?;
        }
        let expected = expected.filter(|_| self.versioned.is_some());
        if let (Some(expected), Some(version), true) = (expected, &schema.version, self.is_write()) {
            version.check(expected)?;
        }
        // An unchecked write stores no write id: if it arrives twice, it makes two states of the item, and one write id must
        // stand for one state.
        let is_named = self.is_write() && expected.is_some_and(|expected| expected != Expected::Unchecked);
        let write_id = if is_named { self.write_id()? } else { None };
        let changes = &self.update.changes;
        let unique = self.unique_values(now)?;
        // Most puts have none of these.
        if !changes.is_empty() || self.condition.is_some() || !unique.guards.is_empty() {
            self.add_guards(unique.guards, &mut guards);
        }
        Ok(Write {
            schema,
            verb,
            now,
            tokens,
            fence: self.stored_fence(item),
            kept: self.kept_values(expected, item),
            times: self.times(expected, item, now)?,
            tombstone: (verb == Verb::Purge).then(|| item.clone()),
            image: self.image.clone(),
            expected,
            write_id,
            guards,
            stores_vectors_only: rule::stores_vectors_only(changes),
            dedup: Dedup { key: self.update.dedup_key.clone().transpose()?, has_row: false, phase },
            claims: unique.claims,
        })
    }

    /// Adds the guards of the aliases, of the caller's condition, of the changes, and of the unique values, each once.
    fn add_guards(&self, of_unique_values: Vec<Guard>, guards: &mut Vec<Guard>) {
        let (schema, changes) = (self.schema, &self.update.changes);
        let of_aliases = if self.verb == Verb::Rewrite { Vec::new() } else { alias::guards(schema, changes) };
        let condition = self.condition.iter().flatten();
        let of_condition = condition.flat_map(|condition| alias::looked_at(schema, condition));
        let of_changes = changes.iter().flat_map(|change| change.guards.iter().cloned());
        for guard in of_aliases.into_iter().chain(of_condition).chain(of_changes).chain(of_unique_values) {
            if !guards.contains(&guard) {
                guards.push(guard);
            }
        }
    }

    /// Returns the tokens of the write, and a guard for each token that must stay as it is stored.
    fn tokens(&self, item: &Item) -> Result<(Vec<Option<Token>>, Vec<Guard>), Error> {
        let ratchets = self.schema.ratchets;
        let (mut tokens, mut guards) = (self.tokens.clone(), Vec::new());
        if let (Ok(tokens), true) = (&mut tokens, self.is_put() && self.verb != Verb::Delete) {
            tokens.extend(ratchets.iter().map(|ratchet| match self.kept_token(ratchet, item) {
                Some(stored) => {
                    guards.push(Guard::Element(ratchet.attribute.into(), stored));
                    None
                }
                None => ratchet.token_in(item),
            }));
        }
        let tokens = tokens.map_err(|error| match ratchets {
            [ratchet] => error.at_name(ratchet.attribute),
            _ => error,
        })?;
        Ok((tokens, guards))
    }
}
