//! The commands that read an entity's history: `revisions`, `revision`.

use super::pages::IntoPlace;
use super::query_and_scan::Page;
use crate::attribute::{IntoField, Item};
use crate::entity::{Counted as _, Entity, WithHistory, clone_and_debug};
use crate::error::Error;
use crate::exchange::Repository;
use crate::key::build_key;
use crate::read::{Cursor, RevisionPage, RevisionsCommand, Timeline, rows, up_to};
use crate::rule::RawRevision;
use futures_core::Stream;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt as _};
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A version that an entity had, or has now.
pub struct Revision<E> {
    raw: RawRevision,
    entity: PhantomData<fn() -> E>,
}

impl<E> Revision<E> {
    fn new(raw: RawRevision) -> Self {
        Self { raw, entity: PhantomData }
    }

    /// Returns `true` if the revision is a deletion: the entity no longer existed.
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        self.raw.deleted
    }

    /// Returns the item as it was stored; of a deletion, only the key and the version.
    #[must_use]
    pub fn item(&self) -> &Item {
        &self.raw.image
    }
}

impl<E: Entity> Revision<E> {
    /// Returns the revision's number: the entity's version.
    #[must_use]
    pub fn version(&self) -> E::Version {
        E::Version::__of(self.raw.version)
    }

    /// Returns the entity as it was; `None` if the revision is a deletion.
    ///
    /// # Errors
    /// The item is not of the entity's current shape.
    pub fn decode(&self) -> Result<Option<E>, Error> {
        if self.raw.deleted { Ok(None) } else { E::from_item(self.raw.image.clone()).map(Some) }
    }
}

impl<E> Clone for Revision<E> {
    fn clone(&self) -> Self {
        Self::new(self.raw.clone())
    }
}

impl<E> PartialEq for Revision<E> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<E> fmt::Debug for Revision<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Revision")
            .field("version", &self.raw.version)
            .field("deleted", &self.raw.deleted)
            .field("item", &self.raw.image)
            .finish()
    }
}

/// Reads one revision: a `GetItem` of the history's table, and for the newest revision one of the entity's table, too.
#[must_use = "a command does nothing until it is sent"]
pub struct GetRevision<E> {
    command: RevisionsCommand,
    version: u64,
    entity: PhantomData<fn() -> E>,
}

impl<E: WithHistory> GetRevision<E> {
    /// Makes the command for this version of the item at this key.
    pub fn new(key: E::Key, version: E::Version) -> Self {
        Self { command: command::<E>(&key), version: version.__number(), entity: PhantomData }
    }

    /// Sends the command. Returns `None` if there is no such revision, or it has been aged out.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// DynamoDB cannot store the key ([`Error::is_invalid_input`]), could not be reached, or answered with an error.
    pub async fn send(self, repository: &Repository) -> Result<Option<Revision<E>>, Error> {
        let found = self.command.find(repository, repository.tables::<E>()?, self.version).await?;
        Ok(found.map(Revision::new))
    }
}

fn command<E: Entity>(key: &E::Key) -> RevisionsCommand {
    RevisionsCommand { schema: E::SCHEMA, key: build_key(E::SCHEMA, key) }
}

/// Reads the revisions of an item, newest first: a `GetItem` of the entity's table, and a `Query` of its history for
/// each page of up to 1 MB.
#[must_use = "a command does nothing until it is sent"]
pub struct Revisions<E> {
    command: RevisionsCommand,
    before: Option<u64>,
    after: Option<Cursor>,
    limit: Option<usize>,
    entity: PhantomData<fn() -> E>,
}

impl<E: WithHistory> Revisions<E> {
    /// Makes the command for the item at this key.
    pub fn new(key: E::Key) -> Self {
        Self { command: command::<E>(&key), before: None, after: None, limit: None, entity: PhantomData }
    }

    /// Reads only revisions older than this one. An item that lost its version counts as version 0 and comes first, so all versions
    /// are older than 0.
    pub fn before(mut self, version: impl IntoField<E::Version>) -> Self {
        self.before = Some(version.into_field().__number());
        self
    }

    /// Continues behind an earlier page of this item; `None` starts at the beginning.
    pub fn after(mut self, cursor: impl IntoPlace<Cursor>) -> Self {
        self.after = cursor.into_place();
        self
    }

    /// Reads at most this many revisions; 0 is refused.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Reads a page: up to the limit, with as many requests as it takes; without a limit, up to 1 MB of the history.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// DynamoDB cannot store the key, or the limit is 0 ([`Error::is_invalid_input`]); a row of the history is not a revision; or
    /// DynamoDB could not be reached or answered with an error.
    pub async fn send(self, repository: &Repository) -> Result<Page<Revision<E>>, Error> {
        let limit = self.limit;
        let (revisions, cursor) = page(self.timeline(repository)?, limit).await?;
        Ok(Page { items: revisions.into_iter().map(Revision::new).collect(), cursor })
    }

    /// Reads revision by revision.
    pub fn stream(self, repository: &Repository) -> RevisionStream<E> {
        let limit = self.limit;
        RevisionStream { revisions: up_to(limit, rows(self.timeline(repository))), entity: PhantomData }
    }

    fn timeline(self, repository: &Repository) -> Result<Timeline, Error> {
        let tables = repository.tables::<E>()?;
        self.command.timeline(repository, tables, self.before, self.after, self.limit)
    }
}

/// Not generic, so that it is compiled once and not for each entity.
fn page(timeline: Timeline, limit: Option<usize>) -> BoxFuture<'static, Result<RevisionPage, Error>> {
    Box::pin(timeline.page(limit))
}

/// The revisions of an item, newest first: a [`Stream`], which also has [`next`](Self::next) and
/// [`try_collect`](Self::try_collect), so that you need no stream library. An error ends it.
#[must_use = "a stream does nothing until it is read"]
pub struct RevisionStream<E> {
    revisions: BoxStream<'static, Result<RawRevision, Error>>,
    entity: PhantomData<fn() -> E>,
}

impl<E> RevisionStream<E> {
    /// Returns the next revision; `None` when there are no more.
    pub async fn next(&mut self) -> Option<Result<Revision<E>, Error>> {
        Some(self.revisions.next().await?.map(Revision::new))
    }

    /// Returns all revisions, or the error.
    ///
    /// # Errors
    /// Those of the stream.
    pub async fn try_collect(mut self) -> Result<Vec<Revision<E>>, Error> {
        let mut revisions = Vec::new();
        while let Some(revision) = self.next().await {
            revisions.push(revision?);
        }
        Ok(revisions)
    }
}

impl<E> Stream for RevisionStream<E> {
    type Item = Result<Revision<E>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let revision = self.revisions.poll_next_unpin(context);
        revision.map(|revision| revision.map(|revision| revision.map(Revision::new)))
    }
}

clone_and_debug! {
    [E] GetRevision<E>: command, version; entity
    [E] Revisions<E>: command, before, after, limit; entity
}

impl<E> fmt::Debug for RevisionStream<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RevisionStream")
    }
}
