//! The ratchet: a write passes only if its token is not older than the stored one. So writes may arrive in any order, twice, or
//! late.
//!
//! The source is the AWS Database Blog, "Timestamp writes for write hedging in Amazon DynamoDB". Three things differ: ties can be
//! broken, a token of another type does not count as newer, and groups of fields can have tokens of their own.

use super::write::Rule;
use super::{Verb, Write};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, RatchetToken, Shape, Value, compare, shape_of};
use crate::error::{EncodeError, Error, descriptor};
use crate::expression::{Action, Node, Operator, Path};
use crate::rule::Reason;
use crate::schema::{Ratchet, Schema, Token};
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

/// [`Ratchet::shape`] for tokens of type `T`.
#[doc(hidden)]
#[must_use]
pub const fn shape<T: RatchetToken>() -> Option<Shape> {
    T::__SHAPE
}

/// [`Ratchet::respell`] for tokens of type `T`.
#[doc(hidden)]
pub fn respell<T: RatchetToken>(token: &AttributeValue) -> Option<AttributeValue> {
    T::decode(token.into()).ok()?.encode().ok()
}

/// [`Ratchet::inspect`] for tokens of type `T`.
#[doc(hidden)]
pub fn inspect<T: RatchetToken>(token: &AttributeValue) -> Result<Option<EpochMillis>, EncodeError> {
    let decoded = T::decode(token.into()).map_err(|error| EncodeError::new(error.to_string()))?;
    decoded.check()?;
    // DynamoDB compares numbers by value, but text and bytes by their spelling, so another spelling has another place in the
    // order.
    if !matches!(token, AttributeValue::N(_)) && decoded.encode()? != *token {
        return Err(EncodeError::new("a token in another spelling than the type's own"));
    }
    Ok(decoded.time())
}

/// A token with its tiebreak.
#[derive(Clone, Copy, Debug)]
pub struct Tied<T, B>(pub T, pub B);

/// The token of one ratchet, with or without a tiebreak. The declaration of the ratchet checks that the token's type orders
/// writes.
pub trait GroupToken {
    #[doc(hidden)]
    fn token(&self) -> Result<Token, EncodeError>;
}

impl<T: Value> GroupToken for T {
    fn token(&self) -> Result<Token, EncodeError> {
        Ok(Token { value: self.encode()?, tiebreak: None })
    }
}

impl<T: Value, B: Value> GroupToken for Tied<T, B> {
    fn token(&self) -> Result<Token, EncodeError> {
        Ok(Token { value: self.0.encode()?, tiebreak: Some(self.1.encode()?) })
    }
}

/// The tokens of all of an entity's ratchets, as a tuple: an argument of its `delete`.
pub trait Tokens {
    #[doc(hidden)]
    fn tokens(&self) -> Result<Vec<Option<Token>>, EncodeError>;
}

impl Tokens for () {
    fn tokens(&self) -> Result<Vec<Option<Token>>, EncodeError> {
        Ok(Vec::new())
    }
}

macro_rules! tuples {
    ($($($token:ident $index:tt)+;)*) => {$(
        impl<$($token: GroupToken),+> Tokens for ($($token,)+) {
            fn tokens(&self) -> Result<Vec<Option<Token>>, EncodeError> {
                Ok(vec![$(Some(self.$index.token()?)),+])
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}

/// Tokens of an entity without a ratchet: there are none.
#[diagnostic::on_unimplemented(
    message = "`{E}` is deleted with a token",
    label = "only for an entity without a ratchet",
    note = "help: say which token each delete has, for example that of the item: `.delete_each_at(|item| item.at)`"
)]
pub trait NoTokens<E> {}

impl<E> NoTokens<E> for () {}

/// The token of a delete, or a tuple of one for each ratchet of the entity.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what the entity's `delete` takes",
    label = "expected the token; if there are several ratchets, a tuple of their tokens",
    note = "with a tiebreak, a token is `Tied(token, tiebreak)`"
)]
pub trait IntoTokens<T> {
    #[doc(hidden)]
    fn into_tokens(self) -> T;
}

impl<T: Tokens> IntoTokens<T> for T {
    fn into_tokens(self) -> T {
        self
    }
}

impl<T: GroupToken> IntoTokens<(T,)> for T {
    fn into_tokens(self) -> (T,) {
        (self,)
    }
}

/// Gives an item these tokens.
pub(crate) fn set_tokens(schema: &Schema, tokens: &[Option<Token>], item: &mut Item) {
    for (ratchet, token) in schema.ratchets.iter().zip(tokens) {
        let stored = token.iter().flat_map(|token| ratchet.attributes(token));
        item.extend(stored.map(|(name, value)| (name.to_owned(), value.clone())));
    }
}

/// The order of a write's token relative to the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// The write's token is newer than the stored one, or none is stored.
    Newer,
    /// The same token, and the same tiebreak if the ratchet has one.
    Same,
    /// The same token, in an item that was written before the ratchet had a tiebreak.
    Untied,
    /// The write's token is older than the stored one.
    Older,
    /// The stored value of this attribute cannot be compared with the write's.
    Incomparable(&'static str),
    /// The stored token is a text in another format, so the order of bytes is not the order of times.
    Misspelled,
}

impl Ratchet {
    /// Returns the token of an item that is about to be written.
    pub(crate) fn token_in(&self, item: &Item) -> Option<Token> {
        Some(Token {
            value: item.get(self.attribute)?.clone(),
            tiebreak: self.tiebreak.and_then(|tiebreak| item.get(tiebreak)).cloned(),
        })
    }

    /// Refuses a token that does not order writes, or that is too far ahead of the clock, because it would lock out every later
    /// writer.
    pub(crate) fn check(&self, token: &Token, now: EpochMillis) -> Result<(), Error> {
        let time = (self.inspect)(&token.value).map_err(|error| error.at_name(self.attribute))?;
        match self.ahead(time, now) {
            None => Ok(()),
            Some(ahead) => Err(Error::invalid(format!(
                "`{}`: the token is {ahead} seconds ahead of the clock, and `max_ahead_secs` is {}: it would lock out every writer until then",
                self.attribute,
                self.max_ahead_secs.unwrap_or_default(),
            ))),
        }
    }

    /// Returns by how many seconds a token is ahead of the clock, if this exceeds the limit.
    fn ahead(&self, token: Option<EpochMillis>, now: EpochMillis) -> Option<i64> {
        let ahead = token?.get().saturating_sub(now.get());
        (ahead > i64::from(self.max_ahead_secs?) * 1000).then_some(ahead / 1000)
    }

    /// Returns the time of a token, if the token is a time.
    pub(super) fn time(&self, token: &Token) -> Option<EpochMillis> {
        (self.inspect)(&token.value).ok().flatten()
    }

    /// Returns the write's token for this ratchet.
    pub(super) fn token<'a>(&self, write: &'a Write) -> Option<&'a Token> {
        let index = write.schema.ratchets.iter().position(|ratchet| ratchet.attribute == self.attribute)?;
        write.tokens.get(index)?.as_ref()
    }

    /// Returns the attribute of the tiebreak and its value, if the token has one.
    fn tiebreak_of<'a>(&self, token: &'a Token) -> Option<(&'static str, &'a AttributeValue)> {
        self.tiebreak.zip(token.tiebreak.as_ref())
    }

    /// Returns the attributes that hold a token, with their values.
    fn attributes<'a>(&self, token: &'a Token) -> impl Iterator<Item = (&'static str, &'a AttributeValue)> + use<'a> {
        std::iter::once((self.attribute, &token.value)).chain(self.tiebreak_of(token))
    }

    /// Returns the condition that the item holds the same token.
    pub(super) fn same(&self, token: &Token) -> Node {
        let same = Node::compare(self.attribute, Operator::Eq, &token.value);
        match self.tiebreak_of(token) {
            None => same,
            Some((name, tiebreak)) => {
                same.and(Node::Or(vec![Node::NotExists(name.into()), Node::compare(name, Operator::Eq, tiebreak)]))
            }
        }
    }

    /// Returns `true` if the item holds the same token.
    pub(super) fn holds_same(&self, token: &Token, item: &Item) -> bool {
        matches!(self.standing(token, item), Standing::Same | Standing::Untied)
    }

    /// Returns `true` if a stored text is in another format than the type's own.
    fn is_misspelled(&self, stored: &AttributeValue) -> bool {
        match (&self.shape, stored) {
            (Some(shape), AttributeValue::S(text)) => !shape.has(text),
            _ => false,
        }
    }

    /// Returns the reason for a stored text in another format.
    fn misspelled(&self, item: &Item) -> Option<Reason> {
        let (shape, AttributeValue::S(text)) = (self.shape?, item.get(self.attribute)?) else { return None };
        Some(Reason::Misspelled { attribute: self.attribute, expected: shape.example, found: shape_of(text) })
    }

    /// Returns the condition that the stored token compares so with the write's. If tokens are texts that have other formats, the
    /// stored one must also be in the type's own format.
    fn ordered(&self, operator: Operator, token: &Token) -> Node {
        let compared = Node::compare(self.attribute, operator, &token.value);
        let Some(shape) = self.shape else { return compared };
        let path = || Path::from(self.attribute);
        let size = |size: &usize| Node::CompareSize(path(), Operator::Eq, AttributeValue::N(size.to_string()));
        let end = Node::Contains(path(), AttributeValue::S(shape.end.to_owned()));
        Node::any(shape.sizes.iter().map(size).collect()).into_iter().chain([end]).fold(compared, Node::and)
    }

    /// Returns `true` if a write that has read the stored token may replace it by this one although no comparison lets it pass:
    /// the stored token is not in the type's own format, and is not newer.
    pub(crate) fn respells(&self, stored: &AttributeValue, token: &AttributeValue) -> bool {
        let is_own = (self.inspect)(stored).is_ok() && !self.is_misspelled(stored);
        let is_newer = |stored: AttributeValue| compare(&stored, token) == Some(Ordering::Greater);
        !is_own && !(self.respell)(stored).is_some_and(is_newer)
    }

    fn standing(&self, token: &Token, item: &Item) -> Standing {
        let Some(stored) = item.get(self.attribute) else {
            return Standing::Newer;
        };
        let standing = |attribute, own, stored| match compare(own, stored) {
            None => Standing::Incomparable(attribute),
            Some(Ordering::Greater) => Standing::Newer,
            Some(Ordering::Less) => Standing::Older,
            Some(Ordering::Equal) => Standing::Same,
        };
        match (standing(self.attribute, &token.value, stored), self.tiebreak_of(token)) {
            (incomparable @ Standing::Incomparable(_), _) => incomparable,
            _ if self.is_misspelled(stored) => Standing::Misspelled,
            (Standing::Same, Some((name, tiebreak))) => {
                item.get(name).map_or(Standing::Untied, |stored| standing(name, tiebreak, stored))
            }
            (standing, _) => standing,
        }
    }

    /// Returns `true` if a write with the stored token passes, so that its retries and hedges pass, too.
    fn lets_same_pass(&self, verb: Verb) -> bool {
        // To bring an item back, a write must be newer than the delete.
        !self.strict && verb != Verb::Undelete
    }

    /// Returns `true` if a write passes when the item holds its token without a tiebreak: any tiebreak is greater than none. But
    /// such a tombstone was left by a delete with this token, and to bring an item back, a write must be newer.
    fn lets_untied_pass(verb: Verb) -> bool {
        verb != Verb::Undelete
    }
}

/// Describes a stored value that has the right type but is not a token.
fn describe_invalid(token: &AttributeValue) -> &'static str {
    match token {
        AttributeValue::S(_) => "another text (S)",
        AttributeValue::N(_) => "another number (N)",
        AttributeValue::B(_) => "other bytes (B)",
        other => descriptor(other),
    }
}

impl Rule for Ratchet {
    fn condition(&self, write: &Write) -> Option<Node> {
        let token = self.token(write)?;
        let last = if self.lets_same_pass(write.verb) { Operator::Le } else { Operator::Lt };
        let mut passes = vec![Node::NotExists(self.attribute.into())];
        match self.tiebreak_of(token) {
            None => passes.push(self.ordered(last, token)),
            Some((name, tiebreak)) => {
                passes.push(self.ordered(Operator::Lt, token));
                let mut tied = Node::compare(name, last, tiebreak);
                if Self::lets_untied_pass(write.verb) {
                    tied = Node::Or(vec![Node::NotExists(name.into()), tied]);
                }
                passes.push(Node::And(vec![Node::compare(self.attribute, Operator::Eq, &token.value), tied]));
            }
        }
        Some(Node::Or(passes))
    }

    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        // A put has its tokens in the item.
        if let (Verb::Update { .. } | Verb::Rewrite | Verb::Delete, Some(token)) = (write.verb, self.token(write)) {
            self.attributes(token).for_each(|(name, value)| assign(name.into(), Action::Set(value.clone())));
        }
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let (Some(token), Some(item)) = (self.token(write), item) else {
            return;
        };
        let attribute = self.attribute;
        match self.standing(token, item) {
            Standing::Newer => {}
            Standing::Same if self.lets_same_pass(write.verb) => {}
            Standing::Untied if Self::lets_untied_pass(write.verb) => {}
            Standing::Misspelled => reasons.extend(self.misspelled(item)),
            Standing::Same | Standing::Untied => reasons.push(Reason::Stale { attribute, tie: true }),
            Standing::Older => reasons.push(match item.get(attribute).map(self.inspect) {
                // The stored token has the right type, but it is not a valid token.
                Some(Err(_)) => Reason::Corrupt {
                    attribute,
                    expected: "a token as its type is stored",
                    found: item.get(attribute).map_or("nothing", describe_invalid),
                },
                stored => match self.ahead(stored.and_then(Result::ok).flatten(), write.now) {
                    Some(seconds) => Reason::Ahead { attribute, seconds },
                    None => Reason::Stale { attribute, tie: false },
                },
            }),
            Standing::Incomparable(attribute) => {
                let mut own = self.attributes(token).filter(|(name, _)| *name == attribute);
                reasons.push(Reason::Corrupt {
                    attribute,
                    expected: own.next().map_or("nothing", |(_, value)| descriptor(value)),
                    found: item.get(attribute).map_or("nothing", descriptor),
                });
            }
        }
    }
}

/// Returns `true` if a refused write is old news: for each token that it carries, the item holds a newer or the same one, so that
/// nothing is lost by dropping the write. A write that only the caller's condition refused is not old news.
pub(super) fn superseded(write: &Write, item: Option<&Item>, reasons: &[Reason]) -> bool {
    let is_by_rule = reasons.iter().any(|reason| !matches!(reason, Reason::Condition | Reason::Unexplained));
    // The caller must learn that it lost its lock, or that the stored fence is corrupt and refuses every write.
    let fence = write.schema.fence.as_ref().map(|fence| fence.attribute);
    let is_fenced = reasons.iter().any(|reason| match reason {
        Reason::Fenced { .. } => true,
        Reason::Corrupt { attribute, .. } => fence == Some(*attribute),
        _ => false,
    });
    // Another entity's item has no tokens of this entity.
    let is_other_entity = reasons.iter().any(|reason| matches!(reason, Reason::OtherEntity { .. }));
    let stale = |ratchet: &Ratchet| {
        let mut reasons = reasons.iter();
        reasons.any(|reason| matches!(reason, Reason::Stale { attribute, .. } if *attribute == ratchet.attribute))
    };
    // With another immutable value, it is another write, although it has the same token. Over a row of an older shape, only
    // `upgrade` knows the value, so the caller must hear of the put.
    let is_put = matches!(write.verb, Verb::Put | Verb::Replace);
    let is_another = reasons.iter().any(|reason| match reason {
        Reason::Immutable { .. } => true,
        Reason::Outdated { .. } => is_put,
        _ => false,
    });
    let is_old = |ratchet: &Ratchet| {
        let same = ratchet.token(write).zip(item).map(|(token, item)| ratchet.standing(token, item) == Standing::Same);
        same == Some(true) && !is_another || stale(ratchet)
    };
    let mut carried = write.schema.ratchets.iter().filter(|ratchet| ratchet.token(write).is_some()).peekable();
    is_by_rule && !is_fenced && !is_other_entity && carried.peek().is_some() && carried.all(is_old)
}
