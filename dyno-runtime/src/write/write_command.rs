//! Every write, as it is asked, and what the rules are told of it. What it means is in `write_meaning`.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Context, EncodeError, Error};
use crate::exchange::{Answer, Attempts, Identity};
use crate::expression::{Action, Guard, Node, RawChange};
use crate::key::{key_of, key_text};
use crate::rule;
use crate::rule::{Expected, Image, Phase, Refused, Verb, Write, alias};
use crate::schema::{Ratchet, Schema, Store, Token};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use std::sync::Arc;
use std::time::Duration;

/// How to go on after a write of which nothing is known, and that has no name by which it would know itself.
pub(crate) const AGAIN: &str = "send it again, or load the entity and decide";

/// A write, as a typed command holds it. Nothing in it changes from its making to its last attempt.
#[derive(Clone, Debug)]
pub(crate) struct WriteCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) verb: Verb,
    /// The whole item of a put, the tombstone that a purge is to remove, the key of any other write.
    pub(crate) item: Result<Item, EncodeError>,
    /// The key of an item that could not be encoded, for its error.
    pub(crate) key: Option<Item>,
    /// The tokens of a delete, or of an update's group; a put has them in its item.
    pub(crate) tokens: Result<Vec<Option<Token>>, EncodeError>,
    /// The fence that it was given.
    pub(crate) fence: Option<u64>,
    pub(crate) update: UpdateParts,
    pub(crate) condition: Option<Result<Node, EncodeError>>,
    /// What is to be unchanged since it was read.
    pub(crate) image: Option<Arc<Image>>,
    /// When it is hedged, unless its repository says so.
    pub(crate) hedge: Option<Duration>,
    /// Of a write that changes a version.
    pub(crate) versioned: Option<Box<Versioned>>,
}

/// What an update changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct UpdateParts {
    pub(crate) changes: Vec<RawChange>,
    /// What an upsert stores of its key besides.
    pub(crate) key_copies: Vec<RawChange>,
    /// What is kept of its idempotency key.
    pub(crate) dedup_key: Option<Result<Blob, EncodeError>>,
}

/// The part of a command that is about its version.
#[derive(Clone, Debug, Default)]
pub(crate) struct Versioned {
    /// What an update or delete expects, or a put whatever its item says.
    pub(crate) expected: Option<Expected>,
    /// What the write is part of, if it is.
    pub(crate) operation: Option<&'static str>,
    /// The item as it was loaded: what an ordered history keeps of it.
    pub(crate) loaded: Option<Item>,
    identity: Identity,
}

impl Versioned {
    /// What is remembered of the write's attempts in this table.
    pub(crate) fn attempts(&self, table: &str) -> Attempts {
        self.identity.attempts(table)
    }

    /// Forgets the attempts: they were of another write.
    pub(crate) fn renew(&mut self) {
        self.identity = Identity::default();
    }
}

/// How a write ended: it was applied, or refused.
pub(crate) type Written = Answer<Applied, Refused>;

/// What is known of a write that was applied.
pub struct Applied {
    /// The item that DynamoDB returned, where it was asked for one.
    pub(crate) item: Option<Item>,
    /// The version that the write stored.
    pub(crate) version: Option<u64>,
    /// The time of the write.
    pub(crate) now: EpochMillis,
}

impl WriteCommand {
    pub(crate) fn new(schema: &'static Schema, verb: Verb, item: Result<Item, EncodeError>) -> Self {
        let is_versioned = schema.version.is_some() && verb != Verb::Purge;
        Self {
            schema,
            verb,
            item,
            key: None,
            tokens: Ok(Vec::new()),
            fence: None,
            update: UpdateParts::default(),
            condition: None,
            image: None,
            hedge: None,
            versioned: is_versioned.then(Box::default),
        }
    }

    /// Makes it another write than those that it is a clone of: what follows changes it.
    pub(crate) fn renew(&mut self) {
        if let Some(versioned) = &mut self.versioned {
            versioned.renew();
        }
    }

    /// Says what the write expects of the version, whatever its item says. Nothing, where there is no version.
    pub(crate) fn expecting(&mut self, expected: Expected) {
        self.renew();
        if let Some(versioned) = &mut self.versioned {
            versioned.expected = Some(expected);
        }
    }

    /// Says what was loaded, and what for.
    pub(crate) fn loaded(&mut self, operation: &'static str, item: Option<Item>) {
        if let Some(versioned) = &mut self.versioned {
            versioned.operation = Some(operation);
            versioned.loaded = rule::committed(self.schema, item);
        }
    }

    /// Says what is there before the write. It must be this very item: of two with one version, the write ids tell. An item that
    /// no write of ours has counted must be as it was.
    pub(crate) fn supersedes(&mut self, item: &Item) {
        self.makes_way_for(item);
        let is_over_it = matches!(self.verb, Verb::Put | Verb::Replace | Verb::Update { .. } | Verb::Delete)
            && matches!(self.expected(), Ok(Some(Expected::Loaded(_))));
        let is_counted = rule::is_counted(self.schema, item);
        // A history takes what was loaded of another key for nothing, and does without.
        let is_ignored = || self.schema.history.is_some() && is_counted && !self.is_of_key(item);
        if is_over_it && !is_ignored() {
            self.renew();
            let of_uncounted = || Some(Image::of_uncounted(self.schema, item));
            let image = if is_counted { Image::of_its_write(self.schema, item) } else { of_uncounted() };
            self.image = image.map(Arc::new);
        }
        if let Some(versioned) = &mut self.versioned {
            versioned.loaded = rule::committed(self.schema, Some(item.clone()));
        }
    }

    /// Whether an item is at the key of the write.
    fn is_of_key(&self, item: &Item) -> bool {
        self.key().is_ok_and(|key| key == key_of(self.schema, item))
    }

    /// A put of version 0 makes a new item; if what was loaded has no version, the put is of that.
    fn makes_way_for(&mut self, item: &Item) {
        let version = self.schema.version.as_ref().and_then(|version| version.of(item));
        if self.verb == Verb::Put && version == Some(0) && matches!(self.expected(), Ok(Some(Expected::New(0)))) {
            self.expecting(Expected::Loaded(0));
        }
    }

    /// Fixes the fence of the write.
    pub(crate) fn fenced(&mut self, fence: u64) {
        self.renew();
        self.fence = Some(fence);
    }

    /// Adds a condition to those that are there already.
    pub(crate) fn and(&mut self, condition: Result<Node, EncodeError>) {
        self.renew();
        self.condition = Some(Node::join(self.condition.take(), condition));
    }

    /// The write's name, where the entity has room for it.
    pub(crate) fn write_id(&self) -> Result<Option<String>, Error> {
        let Some(versioned) = self.versioned.as_ref().filter(|_| self.schema.write_id.is_some()) else {
            return Ok(None);
        };
        versioned.identity.write_id().map(Some)
    }

    /// The version and the name of what was loaded.
    pub(crate) fn loaded_name(&self) -> Option<(u64, Option<AttributeValue>)> {
        let loaded = self.versioned.as_ref()?.loaded.as_ref()?;
        let name = self.schema.write_id.as_ref()?.attribute;
        Some((self.schema.version.as_ref()?.of(loaded)?, loaded.get(name).cloned()))
    }

    /// What the caller calls the write: where it is a part of another command, that one.
    pub(crate) fn operation(&self) -> &'static str {
        let operation = self.versioned.as_ref().and_then(|versioned| versioned.operation);
        operation.unwrap_or_else(|| self.verb.name())
    }

    /// What its requests are a part of: the operation, and the entity.
    pub(crate) fn about(&self) -> (&'static str, &'static str) {
        (self.operation(), self.schema.entity)
    }

    /// Which write it is, for errors and refusals.
    pub(crate) fn context(&self) -> Context {
        let key = self.item.as_ref().ok().or(self.key.as_ref());
        Context {
            operation: self.operation(),
            entity: self.schema.entity,
            key: key.and_then(|key| key_text(key, self.schema)),
        }
    }

    /// Whether it writes anything: a check demands only.
    pub(crate) fn is_write(&self) -> bool {
        !matches!(self.verb, Verb::Check { .. })
    }

    /// Whether DynamoDB's operation is PutItem: a tombstone is put, too.
    pub(crate) fn is_put(&self) -> bool {
        match self.verb {
            Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete => true,
            Verb::Delete => self.schema.tombstone.is_some(),
            Verb::Update { .. } | Verb::Rewrite | Verb::Renumber | Verb::Purge | Verb::Check { .. } => false,
        }
    }

    /// What the write expects of the version, where there is one.
    pub(crate) fn expected(&self) -> Result<Option<Expected>, Error> {
        let Some((versioned, version)) = self.versioned.as_ref().zip(self.schema.version.as_ref()) else {
            return Ok(None);
        };
        match versioned.expected {
            None if self.is_write() => Ok(Some(version.expected_by(self.verb, self.item()?))),
            expected => Ok(expected),
        }
    }

    /// Whether an attempt in this table, of this command or of a clone, was or may have been applied.
    pub(crate) fn may_be_applied(&self, table: &str) -> bool {
        self.versioned.as_ref().is_some_and(|versioned| versioned.attempts(table).may_be_applied())
    }

    /// Whether the caller's own condition holds for this item.
    pub(crate) fn holds(&self, item: &Item) -> bool {
        let conditions = self.condition.iter().flatten();
        conditions.cloned().all(|condition| alias::seen(self.schema, condition).holds(item))
    }

    /// The item, unless it could not be encoded.
    pub(super) fn item(&self) -> Result<&Item, Error> {
        self.item.as_ref().map_err(|error| error.clone().into())
    }

    /// The key attributes of the item.
    pub(crate) fn key(&self) -> Result<Item, Error> {
        Ok(key_of(self.schema, self.item()?))
    }

    /// Whether it has an idempotency key.
    pub(crate) fn has_dedup_key(&self) -> bool {
        self.update.dedup_key.is_some()
    }

    /// Where its idempotency key is stored, if it has one.
    pub(super) fn dedup_store(&self) -> Option<&'static Store> {
        self.update.dedup_key.as_ref().and(self.schema.key_store())
    }

    /// The stored token, where it is known and the item's is no new one: it is the same in the type's own spelling, with
    /// which another cannot be compared; or a change of what was loaded lets it be.
    fn known_token(&self, ratchet: &Ratchet, item: &Item) -> Option<AttributeValue> {
        let versioned = self.versioned.as_ref()?;
        let loaded = versioned.loaded.as_ref()?;
        let (stored, token) = (loaded.get(ratchet.attribute)?, item.get(ratchet.attribute)?);
        let is_change = versioned.operation.is_some() && self.verb == Verb::Replace;
        let stays = is_change && ratchet.token_in(item) == ratchet.token_in(loaded);
        (stays || ratchet.respells(stored, token)).then(|| stored.clone())
    }

    /// The fence of the write: the one that it was given; of a put without one, what was loaded; of a delete, the lowest.
    fn fence(&self, item: &Item) -> Option<u64> {
        let fence = self.schema.fence.as_ref()?;
        let own = match self.verb {
            Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete => Some(fence.of(item).unwrap_or_default()),
            Verb::Delete => Some(0),
            Verb::Update { .. } | Verb::Rewrite | Verb::Renumber | Verb::Purge | Verb::Check { .. } => None,
        };
        self.fence.or(own)
    }

    /// Refuses a TTL that cannot be one. (A tombstone's is no one's but ours.)
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

    /// What the rules are told of the write.
    pub(crate) fn facts(&self, now: EpochMillis, expected: Option<Expected>, phase: Phase) -> Result<Write, Error> {
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
        // An unchecked write cannot say its name: sent twice it would make two states, which must not have one. The version
        // tells them apart.
        let is_named = self.is_write() && expected.is_some_and(|expected| expected != Expected::Unchecked);
        let write_id = if is_named { self.write_id()? } else { None };
        let changes = &self.update.changes;
        let own = changes.iter().flat_map(|change| change.guards.iter().cloned());
        let moving = if verb == Verb::Rewrite { Vec::new() } else { alias::guards(schema, changes) };
        let condition = self.condition.iter().flatten();
        let looked_at = condition.flat_map(|condition| alias::looked_at(schema, condition));
        for guard in moving.into_iter().chain(looked_at).chain(own) {
            if !guards.contains(&guard) {
                guards.push(guard);
            }
        }
        Ok(Write {
            schema,
            verb,
            now,
            tokens,
            fence: self.fence(item),
            tombstone: (verb == Verb::Purge).then(|| item.clone()),
            image: self.image.clone(),
            expected,
            write_id,
            guards,
            key: self.update.dedup_key.clone().transpose()?,
            is_known: false,
            phase,
        })
    }

    /// The tokens of the write, and the guards for those that stay as they are stored.
    fn tokens(&self, item: &Item) -> Result<(Vec<Option<Token>>, Vec<Guard>), Error> {
        let ratchets = self.schema.ratchets;
        let (mut tokens, mut guards) = (self.tokens.clone(), Vec::new());
        if let (Ok(tokens), true) = (&mut tokens, self.is_put() && self.verb != Verb::Delete) {
            tokens.extend(ratchets.iter().map(|ratchet| match self.known_token(ratchet, item) {
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
