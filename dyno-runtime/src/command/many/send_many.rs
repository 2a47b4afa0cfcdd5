//! The command that sends many writes with rules, each for itself: `SendMany`.

use super::send_many_checkpoint::InputCheckpoint;
use crate::command::read::pages::IntoPlace;
use crate::command::write::accept_equal::AcceptEqual;
use crate::command::write::delete::Delete;
use crate::command::write::put::{Create, Put, Replace, Undelete};
use crate::command::write::update::Update;
use crate::entity::{Answer, Entity, Outcome, Tombstoned};
use crate::error::Error;
use crate::exchange::Repository;
use crate::key::{Asked, Identity};
use crate::write::WriteCommand;
use futures_core::Stream;
use futures_util::future::{BoxFuture, ready};
use futures_util::stream::{self, BoxStream, FuturesUnordered, StreamExt as _};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The default number of commands that are under way at once.
const CONCURRENCY: usize = 16;

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// A command of the input, ready to be sent.
#[doc(hidden)]
pub struct Prepared<O> {
    /// `None` if nothing is written: the input has an error, or the command cannot be encoded.
    key: Option<Identity>,
    sending: BoxFuture<'static, Result<O, Error>>,
}

impl<O> Prepared<O> {
    pub(crate) fn new(key: Option<Identity>, sending: BoxFuture<'static, Result<O, Error>>) -> Self {
        Self { key, sending }
    }
}

/// What a [`SendMany`] sends: a put, create, replace, undelete, update or delete of one item, with or without what `accept_equal`
/// and conditions add; an import of a row (feature `json-lines`); or a `Result` of one, whose error is passed on.
#[diagnostic::on_unimplemented(
    message = "`SendMany` does not send `{Self}`",
    label = "expected a put, create, replace, undelete, update or delete of an entity, or a `Result` of one",
    note = "the input has commands, not entities: `orders.map(|order| order.create())`"
)]
pub trait Input: sealed::Sealed + Send + 'static {
    /// The result of the command.
    type Output: Send + 'static;

    #[doc(hidden)]
    fn __prepare(self, repository: &Repository) -> Prepared<Self::Output>;
}

/// Returns the identity of the item that a command writes. All commands of an input are of one type, so their tables have one number.
fn identity(command: &WriteCommand) -> Option<Identity> {
    command.key().ok().map(|key| Identity::of(0, command.schema, &key))
}

macro_rules! inputs {
    ($($command:ident<E: $bound:ident $(, $output:ident)?> => $result:ty;)*) => {$(
        impl<E: $bound + 'static $(, $output: Answer<E> + Send + 'static)?> sealed::Sealed for $command<E $(, $output)?> {}

        impl<E: $bound + 'static $(, $output: Answer<E> + Send + 'static)?> Input for $command<E $(, $output)?>
        where
            $result: Send + 'static,
        {
            type Output = $result;

            fn __prepare(self, repository: &Repository) -> Prepared<$result> {
                let (key, repository) = (identity(&self.command), repository.clone());
                Prepared::new(key, Box::pin(async move { self.send(&repository).await }))
            }
        }
    )*};
}

inputs! {
    Put<E: Entity, O> => O;
    Create<E: Entity, O> => O;
    Replace<E: Entity, O> => O;
    Undelete<E: Tombstoned, O> => O;
    Update<E: Entity, O> => O;
    Delete<E: Entity, O> => O;
    AcceptEqual<E: Entity> => Outcome<E, E::Version>;
}

impl<C: Input, X> sealed::Sealed for Result<C, X> {}

impl<C: Input, X: Into<Box<dyn StdError + Send + Sync>> + Send + 'static> Input for Result<C, X> {
    type Output = C::Output;

    fn __prepare(self, repository: &Repository) -> Prepared<C::Output> {
        match self {
            Ok(command) => command.__prepare(repository),
            Err(error) => Prepared::new(None, Box::pin(ready(Err(Error::aborted("the input", error.into()))))),
        }
    }
}

/// Sends the commands of an input, each for itself: items with rules in bulk, as an import. (Items without rules fit more cheaply
/// into a [`BatchWrite`](crate::BatchWrite).)
///
/// At most [`concurrency`](Self::concurrency) commands are under way, and no more are taken from the input. Commands of one item
/// are sent one after the other, in the order of the input. Each command keeps its rules and its result. Nothing is collected:
/// the outcomes are a stream, and the input goes on while it is read. To spend a limited number of units a second, send with
/// [`Repository::paced`](crate::Repository::paced).
///
/// ```no_run
/// # use dyno::{Entity, Repository, SendMany};
/// # #[derive(Entity)] #[entity(table = "orders")] struct Order { #[partition_key] id: String, total: u32, #[version] version: u64 }
/// # fn orders() -> Vec<Order> { vec![] }
/// # fn load() -> Option<dyno::InputCheckpoint> { None }
/// # fn save(_: String) {}
/// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
/// let orders = orders().into_iter().map(|order| order.create().accept_equal());
/// let mut sent = SendMany::new("orders.csv", orders).after(load()).send(&repository);
/// while let Some(sent_one) = sent.next().await {
///     if let Err(error) = sent_one.result.and_then(|outcome| outcome.applied()) {
///         eprintln!("order {} of the file: {error}", sent_one.number);
///     }
///     save(sent.checkpoint().to_string());
/// }
/// # Ok(()) }
/// ```
///
/// It costs as much as its commands.
#[must_use = "a command does nothing until it is sent"]
pub struct SendMany<S> {
    input: Asked,
    commands: S,
    concurrency: usize,
    in_order: bool,
    after: Option<InputCheckpoint>,
}

impl<I: Iterator> SendMany<stream::Iter<I>> {
    /// Makes the command for the commands of an iterator. `input` names it in checkpoints: a file's name, for example.
    pub fn new(input: &str, commands: impl IntoIterator<IntoIter = I>) -> Self {
        Self::of_stream(input, stream::iter(commands))
    }
}

impl<S> SendMany<S> {
    /// Makes the command for the commands of a stream. `input` names it in checkpoints.
    pub fn of_stream(input: &str, commands: S) -> Self {
        let input = InputCheckpoint::input(input);
        Self { input, commands, concurrency: CONCURRENCY, in_order: true, after: None }
    }

    /// Sets the number of commands that are under way at once, 16 by default; 0 is as 1.
    pub fn concurrency(mut self, commands: usize) -> Self {
        self.concurrency = commands.max(1);
        self
    }

    /// Returns the outcomes as they come. By default, they come in the order of the input, so a slow command holds the next
    /// ones back.
    pub fn unordered(mut self) -> Self {
        self.in_order = false;
        self
    }

    /// Continues behind what an earlier run has done, with the same input; `None` starts at the beginning. The commands before are
    /// taken from the input, and not sent.
    pub fn after(mut self, checkpoint: impl IntoPlace<InputCheckpoint>) -> Self {
        self.after = checkpoint.into_place();
        self
    }

    /// Sends the commands, while the outcomes are read.
    ///
    /// If you drop the outcomes, commands that are under way may be applied or not. They come again after the last checkpoint, so
    /// use commands that can be sent twice: with a rule that recognizes them, or `create().accept_equal()`.
    pub fn send<C: Input>(self, repository: &Repository) -> Outcomes<C::Output>
    where
        S: Stream<Item = C> + Send + 'static,
    {
        let repository = repository.clone();
        let commands = self.commands.map(move |command| command.__prepare(&repository));
        let is_other = self.after.is_some_and(|after| after.input != self.input);
        let other =
            "the checkpoint belongs to another input: continue with the same input, or commands would be skipped";
        Outcomes {
            commands: if is_other { failing(Error::invalid(other)) } else { commands.boxed() },
            input: self.input,
            concurrency: self.concurrency,
            in_order: self.in_order,
            skipped: self.after.filter(|_| !is_other).map_or(0, |after| after.done),
            taken: 0,
            is_finished: false,
            waiting: None,
            running: FuturesUnordered::new(),
            keys: HashSet::new(),
            open: BTreeSet::new(),
            ready: BTreeMap::new(),
            stopped: is_other.then_some(0),
        }
    }
}

impl<S> fmt::Debug for SendMany<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("SendMany");
        debug.field("concurrency", &self.concurrency).field("after", &self.after).finish_non_exhaustive()
    }
}

/// Returns commands of which the only one fails.
fn failing<O: Send + 'static>(error: Error) -> BoxStream<'static, Prepared<O>> {
    stream::once(ready(Prepared::new(None, Box::pin(ready(Err(error)))))).boxed()
}

/// The outcome of a command of a [`SendMany`].
#[derive(Debug)]
pub struct SentOne<O> {
    /// The number of the command in the input, from 0.
    pub number: u64,
    /// The result of the command's own `send`.
    pub result: Result<O, Error>,
}

/// The outcomes of a [`SendMany`]: a [`Stream`], which also has [`next`](Self::next), so that you need no stream library.
#[must_use = "commands are sent only while the outcomes are read"]
pub struct Outcomes<O> {
    commands: BoxStream<'static, Prepared<O>>,
    input: Asked,
    concurrency: usize,
    in_order: bool,
    /// The number of commands before the checkpoint.
    skipped: u64,
    /// The number of commands that were taken from the input.
    taken: u64,
    is_finished: bool,
    /// The next command, while an earlier one of its item is running.
    waiting: Option<(u64, Prepared<O>)>,
    running: FuturesUnordered<BoxFuture<'static, (Option<Identity>, SentOne<O>)>>,
    /// The keys of the running commands.
    keys: HashSet<Identity>,
    /// The numbers of the commands whose outcomes were not returned.
    open: BTreeSet<u64>,
    /// The outcomes that were not returned.
    ready: BTreeMap<u64, SentOne<O>>,
    /// The first command whose error is not its own fault.
    stopped: Option<u64>,
}

impl<O: Send + 'static> Outcomes<O> {
    /// Returns the next outcome; `None` when there are no more.
    pub async fn next(&mut self) -> Option<SentOne<O>> {
        stream::StreamExt::next(self).await
    }

    /// Returns the checkpoint behind the commands whose outcomes were returned, up to the first that is to be sent again: its error
    /// was not its own fault, because DynamoDB could not be reached, was throttling or failed, or the answer was lost.
    #[must_use]
    pub fn checkpoint(&self) -> InputCheckpoint {
        let first_open = self.open.first().copied().unwrap_or(self.taken.max(self.skipped));
        InputCheckpoint { input: self.input, done: self.stopped.map_or(first_open, |stopped| stopped.min(first_open)) }
    }

    /// Takes commands from the input and starts them. Returns `true` if one was started.
    fn start(&mut self, context: &mut Context<'_>) -> bool {
        let mut has_started = false;
        loop {
            if self.waiting.is_none() && !self.is_finished && self.open.len() < self.concurrency {
                match self.commands.poll_next_unpin(context) {
                    Poll::Ready(Some(command)) => {
                        let number = self.taken;
                        self.taken += 1;
                        if number < self.skipped {
                            continue;
                        }
                        self.open.insert(number);
                        self.waiting = Some((number, command));
                    }
                    Poll::Ready(None) => self.finish(),
                    Poll::Pending => {}
                }
            }
            match self.waiting.take() {
                Some((number, Prepared { key, sending })) if key.clone().is_none_or(|key| self.keys.insert(key)) => {
                    let sent = async move { (key, SentOne { number, result: sending.await }) };
                    self.running.push(Box::pin(sent));
                    has_started = true;
                }
                waiting => {
                    self.waiting = waiting;
                    return has_started;
                }
            }
        }
    }

    /// Notes the end of the input.
    fn finish(&mut self) {
        self.is_finished = true;
        if self.taken < self.skipped {
            let result = Err(Error::invalid(format!(
                "the input has {} commands, and the checkpoint comes after {}: continue with the same input",
                self.taken, self.skipped
            )));
            self.open.insert(self.taken);
            self.ready.insert(self.taken, SentOne { number: self.taken, result });
        }
    }

    /// Takes an outcome that can be returned.
    fn take_ready(&mut self) -> Option<SentOne<O>> {
        let number = if self.in_order { self.open.first() } else { self.ready.keys().next() };
        let number = *number?;
        let sent = self.ready.remove(&number)?;
        self.open.remove(&sent.number);
        if sent.result.as_ref().is_err_and(|error| !error.is_of_one_item()) {
            self.stopped = self.stopped.into_iter().chain([sent.number]).min();
        }
        Some(sent)
    }
}

impl<O: Send + 'static> Stream for Outcomes<O> {
    type Item = SentOne<O>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let mut has_advanced = self.start(context);
            while let Poll::Ready(Some((key, sent))) = self.running.poll_next_unpin(context) {
                if let Some(key) = key {
                    self.keys.remove(&key);
                }
                self.ready.insert(sent.number, sent);
                has_advanced = true;
            }
            if let Some(sent) = self.take_ready() {
                return Poll::Ready(Some(sent));
            }
            if !has_advanced {
                let is_done = self.is_finished && self.open.is_empty();
                return if is_done { Poll::Ready(None) } else { Poll::Pending };
            }
        }
    }
}

impl<O> fmt::Debug for Outcomes<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Outcomes");
        debug.field("taken", &self.taken).field("open", &self.open).finish_non_exhaustive()
    }
}
