//! A write as the typed commands make it. `rule_input` makes the input of the rules of it, and `write_meaning` its request.

use super::merge::keep_unencodable;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Encoded, Item, check_stand_ins, equal_items, has_stand_in};
use crate::error::{Context, EncodeError, Error};
use crate::exchange::{Answer, Attempts, WriteIdentity};
use crate::expression::{Node, RawChange};
use crate::key::{key_of, key_text};
use crate::rule;
use crate::rule::{Expected, Image, Moot, Reason, Refused, Verb, alias};
use crate::schema::{Schema, Store, Token};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use std::sync::Arc;
use std::time::Duration;

/// A write, as a typed command holds it. It does not change between its attempts.
#[derive(Clone, Debug)]
pub(crate) struct WriteCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) verb: Verb,
    /// The whole item of a put, the tombstone that a purge removes, or the key of any other write.
    pub(crate) item: Result<Item, EncodeError>,
    /// The key, for the error of an item that could not be encoded.
    pub(crate) key: Option<Item>,
    /// The entity of a put that could not be encoded, unless it has no key either.
    pub(crate) not_encoded: Option<Box<NotEncoded>>,
    /// The tokens of a delete, or of the group that an update sets. A put has them in its item.
    pub(crate) tokens: Result<Vec<Option<Token>>, EncodeError>,
    /// The fence, if the caller gave one.
    pub(crate) fence: Option<u64>,
    pub(crate) update: UpdateParts,
    /// The caller's own condition.
    pub(crate) condition: Option<Result<Node, EncodeError>>,
    /// The attributes that must not have changed since the caller read them.
    pub(crate) image: Option<Arc<Image>>,
    /// The time after which the write is hedged, if the command sets its own.
    pub(crate) hedge: Option<Duration>,
    /// The version, if the write changes one.
    pub(crate) versioned: Option<Box<Versioned>>,
    /// The loaded item that the write is made from, if the entity has unique values.
    pub(crate) unique_basis: Option<Box<Item>>,
    /// The state that all clones of the command share.
    identity: WriteIdentity,
}

/// The parts of a command that only an update has.
#[derive(Clone, Debug, Default)]
pub(crate) struct UpdateParts {
    pub(crate) changes: Vec<RawChange>,
    /// The attributes that an upsert sets because the entity stores fields of its key a second time.
    pub(crate) key_copies: Vec<RawChange>,
    /// The stored form of the idempotency key.
    pub(crate) dedup_key: Option<Result<Blob, EncodeError>>,
}

/// An entity that could not be encoded.
#[derive(Clone, Debug)]
pub(crate) struct NotEncoded {
    /// The encoded item, with stand-ins.
    item: Item,
    reread: Reread,
}

/// Returns an item in the entity's current shape, and what its entity is encoded as, with stand-ins.
pub(crate) type Reread = fn(&Item) -> Result<(Item, Item), Error>;

/// The part of a command that is about its version.
#[derive(Clone, Debug, Default)]
pub(crate) struct Versioned {
    /// The version that the write expects. A put without it expects the version in its item.
    pub(crate) expected: Option<Expected>,
    /// The command that the write belongs to, such as `modify`.
    pub(crate) operation: Option<&'static str>,
    /// The item that the caller loaded. An ordered history stores it when the write supersedes it.
    pub(crate) loaded: Option<Arc<Item>>,
    /// The immutable attributes that have the values of the loaded item, in another form than its row of an older shape.
    pub(crate) kept: Vec<&'static str>,
    /// The time that the write stores, if it is not that of its sending: a closure has seen it.
    pub(crate) time: Option<EpochMillis>,
}

/// The result of a write: applied or refused.
pub(crate) type Written = Answer<Applied, Refused>;

/// The result of a write that was applied.
pub struct Applied {
    /// The item that DynamoDB returned, if the command asks for one.
    pub(crate) item: Option<Item>,
    /// The version that the write stored, if the entity has versions.
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
            not_encoded: None,
            tokens: Ok(Vec::new()),
            fence: None,
            update: UpdateParts::default(),
            condition: None,
            image: None,
            hedge: None,
            versioned: is_versioned.then(Box::default),
            unique_basis: None,
            identity: WriteIdentity::default(),
        }
    }

    /// Notes an entity that could not be encoded, with what it is encoded as with stand-ins. The rule writes the time of the last write,
    /// so a put need not be able to encode that.
    #[cold]
    pub(crate) fn not_encoded(&mut self, encoded: Option<Encoded>, reread: Reread) {
        let (Some(Encoded { mut item, .. }), Err(error)) = (encoded, &mut self.item) else { return };
        let updated = self.schema.updated.as_ref().and_then(|updated| item.remove(updated.attribute));
        match check_stand_ins(&item) {
            Ok(()) => self.item = Ok(item),
            Err(other) => {
                // The first error can be that of the time.
                if updated.as_ref().is_some_and(has_stand_in) {
                    *error = other;
                }
                if self.schema.version.as_ref().is_some_and(|version| version.of(&item) != Some(0)) {
                    let advice = "to keep the stored value, `modify` the item, or put it `over(&loaded)`";
                    *error = EncodeError::new(format!("{error}; {advice}"));
                }
                self.not_encoded = self.key.as_ref().map(|_| Box::new(NotEncoded { item, reread }));
            }
        }
    }

    /// Lets an entity that could not be encoded keep what is stored of the item that it was read from.
    pub(crate) fn keep_stored(&mut self, stored: &Item) {
        let Some(NotEncoded { item, reread }) = self.not_encoded.as_deref() else { return };
        if key_of(self.schema, stored) != key_of(self.schema, item) {
            return;
        }
        if let Ok((stored, before)) = reread(stored) {
            self.item = keep_unencodable(&stored, &before, item);
        }
    }

    /// Makes the command that claims the values which a stored item has.
    pub(crate) fn adopt(schema: &'static Schema, key: Item, item: Item) -> Self {
        let mut command = Self::new(schema, Verb::Check { absent: false }, Ok(key));
        command.made_from(Some(&item));
        command
    }

    /// Makes this command another write than its clones, because the caller changes it. It then has a write id of its own, and no
    /// attempts.
    pub(crate) fn renew(&mut self) {
        self.identity = WriteIdentity::default();
    }

    /// Sets the time that the write stores.
    #[cfg(feature = "transactions")]
    pub(crate) fn at(&mut self, time: EpochMillis) {
        if let Some(versioned) = &mut self.versioned {
            versioned.time = Some(time);
        }
    }

    /// Sets the version that the write expects, in place of the one in its item.
    pub(crate) fn expecting(&mut self, expected: Expected) {
        self.renew();
        if let Some(versioned) = &mut self.versioned {
            versioned.expected = Some(expected);
        }
    }

    /// Sets the item that was loaded, and the command that loaded it.
    pub(crate) fn loaded(&mut self, operation: &'static str, item: Option<Arc<Item>>) {
        self.made_from(item.as_deref());
        if let Some(versioned) = &mut self.versioned {
            versioned.operation = Some(operation);
            versioned.loaded = item.and_then(|item| committed(self.schema, item));
        }
    }

    /// Sets the item that the write replaces. The stored item must be this very one: of the same version and write id, and with every
    /// attribute as it was loaded.
    pub(crate) fn supersedes(&mut self, item: &Item) {
        self.keep_stored(item);
        // Refuse an item with another key.
        if let Ok(key) = self.key()
            && !equal_items(&key, &key_of(self.schema, item))
        {
            let (own, other) = (key_text(&key, self.schema), key_text(item, self.schema));
            let [own, other] = [own, other].map(Option::unwrap_or_default);
            self.key = Some(key);
            self.item = Err(EncodeError::new(format!(
                "`over` was given the item {other}, but the write is for {own}: DynamoDB cannot change an item's key: create an item under the new key and delete the other one"
            )));
            return;
        }
        self.expect_uncounted(item);
        let is_over_it = matches!(self.verb, Verb::Put | Verb::Replace | Verb::Update { .. } | Verb::Delete)
            && matches!(self.expected(), Ok(Some(Expected::Loaded(_))));
        let is_counted = rule::is_counted(self.schema, item);
        // Expect the item as it was loaded. An item that no writer has counted is compared attribute by attribute.
        if is_over_it {
            self.renew();
            let image = if is_counted {
                let is_whole = !matches!(self.verb, Verb::Update { .. });
                Image::of_loaded(self.schema, item, is_whole)
            } else {
                Some(Image::of_uncounted(self.schema, item))
            };
            self.image = image.map(Arc::new);
            self.made_from(Some(item));
        }
        if let Some(versioned) = &mut self.versioned {
            versioned.loaded = committed(self.schema, Arc::new(item.clone()));
        }
    }

    /// Notes the loaded item that the write is made from, if the entity has unique values.
    fn made_from(&mut self, item: Option<&Item>) {
        self.unique_basis = item.filter(|_| !self.schema.unique.is_empty()).cloned().map(Box::new);
    }

    /// Lets a put over the version of this item, which was read, claim only the unique values that the item does not have.
    #[cfg(feature = "transactions")]
    pub(crate) fn keep_unique_values_of(&mut self, read: &Item) {
        let version = self.schema.version.as_ref().and_then(|version| version.of(read));
        let is_over_it = matches!(self.verb, Verb::Put | Verb::Replace)
            && matches!(self.expected(), Ok(Some(Expected::Loaded(expected))) if version == Some(expected));
        if is_over_it && self.unique_basis.is_none() {
            self.made_from(Some(read));
        }
    }

    /// Lets a put of version 0, which would create an item, replace a loaded item that has no version yet.
    fn expect_uncounted(&mut self, item: &Item) {
        let version = self.schema.version.as_ref().and_then(|version| version.of(item));
        if self.verb == Verb::Put && version == Some(0) && matches!(self.expected(), Ok(Some(Expected::New(0)))) {
            self.expecting(Expected::Loaded(0));
        }
    }

    /// Sets the fence of the write.
    pub(crate) fn fenced(&mut self, fence: u64) {
        self.renew();
        self.fence = Some(fence);
    }

    /// Adds a condition to the caller's own.
    pub(crate) fn and(&mut self, condition: Result<Node, EncodeError>) {
        self.renew();
        self.condition = Some(Node::join(self.condition.take(), condition));
    }

    /// Returns the write id, if the entity stores write ids.
    pub(crate) fn write_id(&self) -> Result<Option<String>, Error> {
        let is_stored = self.versioned.is_some() && self.schema.write_id.is_some();
        is_stored.then(|| self.identity.write_id()).transpose()
    }

    /// Returns the version and the write id of the loaded item.
    pub(crate) fn loaded_identity(&self) -> Option<(u64, Option<AttributeValue>)> {
        let loaded = self.versioned.as_ref()?.loaded.as_deref()?;
        let write_id = self.schema.write_id.as_ref()?.attribute;
        Some((self.schema.version.as_ref()?.of(loaded)?, loaded.get(write_id).cloned()))
    }

    /// Returns the name of the command that the caller sent: the write itself, or the one that it belongs to.
    pub(crate) fn operation(&self) -> &'static str {
        let operation = self.versioned.as_ref().and_then(|versioned| versioned.operation);
        operation.unwrap_or_else(|| self.verb.name())
    }

    /// Returns the operation and the entity, which identify the write's requests.
    pub(crate) fn about(&self) -> (&'static str, &'static str) {
        (self.operation(), self.schema.entity)
    }

    /// Identifies the write in errors and refusals.
    pub(crate) fn context(&self) -> Context {
        let key = self.item.as_ref().ok().or(self.key.as_ref());
        Context {
            operation: self.operation(),
            entity: self.schema.entity,
            key: key.and_then(|key| key_text(key, self.schema)),
        }
    }

    /// Returns `true` unless this is a check, which only has a condition.
    pub(crate) fn is_write(&self) -> bool {
        !matches!(self.verb, Verb::Check { .. })
    }

    /// Returns `true` if DynamoDB's operation is `PutItem`. A tombstone is put, too.
    pub(crate) fn is_put(&self) -> bool {
        match self.verb {
            Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete => true,
            Verb::Delete => self.schema.tombstone.is_some(),
            Verb::Update { .. } | Verb::Rewrite | Verb::Renumber | Verb::Purge | Verb::Check { .. } => false,
        }
    }

    /// Returns the version that the write expects, if the entity has versions.
    pub(crate) fn expected(&self) -> Result<Option<Expected>, Error> {
        let Some((versioned, version)) = self.versioned.as_ref().zip(self.schema.version.as_ref()) else {
            return Ok(None);
        };
        match versioned.expected {
            None if self.is_write() => Ok(Some(version.expected_by(self.verb, self.item()?))),
            expected => Ok(expected),
        }
    }

    /// Returns `true` if an attempt of this command or of a clone, in this table, was or may have been applied.
    #[cfg(feature = "transactions")]
    pub(crate) fn may_be_applied(&self, table: &str) -> bool {
        self.attempts(table).may_be_applied()
    }

    /// Returns `true` if a clone of this command may be sent, too.
    pub(super) fn has_clones(&self) -> bool {
        self.identity.is_shared()
    }

    /// Returns the attempts of this command and its clones in this table.
    pub(super) fn attempts(&self, table: &str) -> Attempts {
        self.identity.attempts(table)
    }

    /// Returns `true` if the caller's own condition holds for this item.
    pub(crate) fn holds(&self, item: &Item) -> bool {
        let conditions = self.condition.iter().flatten();
        conditions.cloned().all(|condition| alias::seen(self.schema, condition).holds(item))
    }

    /// Returns a refusal of the command.
    pub(crate) fn refused(&self, reasons: Vec<Reason>, moot: Moot, item: Option<Item>, now: EpochMillis) -> Refused {
        let own = self.condition.as_ref().and_then(|condition| condition.as_ref().ok());
        let condition = own.filter(|_| reasons.contains(&Reason::Condition)).map(Node::outline);
        Refused { reasons, moot, item, now, context: self.context(), condition, in_doubt: false }
    }

    /// Returns the item, or the error of its encoding.
    pub(super) fn item(&self) -> Result<&Item, Error> {
        self.item.as_ref().map_err(|error| error.clone().into())
    }

    /// Returns the key attributes of the item.
    pub(crate) fn key(&self) -> Result<Item, Error> {
        Ok(key_of(self.schema, self.item()?))
    }

    /// Returns `true` if the write has an idempotency key.
    pub(crate) fn has_dedup_key(&self) -> bool {
        self.update.dedup_key.is_some()
    }

    /// Returns where the idempotency key is stored, if the write has one.
    pub(super) fn dedup_store(&self) -> Option<&'static Store> {
        self.update.dedup_key.as_ref().and(self.schema.key_store())
    }
}

/// Returns the committed part of a row, as [`rule::committed`] does.
fn committed(schema: &Schema, item: Arc<Item>) -> Option<Arc<Item>> {
    if !schema.is_transactional {
        return Some(item);
    }
    rule::committed(schema, Some(Arc::unwrap_or_clone(item))).map(Arc::new)
}
