//! The one loop of a write, and of the writes of a transaction: composed, sent, judged; and again, where the verdict says so.

use super::compose::{Given, compose};
use super::key_list_phases::Phases;
use super::read_key_row::has_key_row;
use super::retry_limits::{Patience, ROUNDS, given_up};
use super::rows_to_send::Rows;
use super::verdict::{foresee, verdict};
use super::write_command::WriteCommand;
use super::write_steps::{Again, Denial, Ended, Frame, Knowledge, Next, Part, Read, Setting, Tried};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Context, Error, ErrorKind};
use crate::exchange::{Answer, Priority, Repository};
use crate::read::{GetCommand, Table};
use crate::rule::Phase;
use crate::schema::{Store, Tables};
use futures_util::future::{FutureExt as _, TryFutureExt as _, try_join_all};
use std::mem;

/// How writes get to DynamoDB: one by itself, or many in a transaction.
pub(crate) trait Carrier {
    type Ended: Send;

    /// How old it is, for other transactions whose items it waits for. A write by itself holds nothing, and has no priority.
    fn priority(&self) -> Option<&Priority> {
        None
    }

    /// What other attempts of this write have done until now.
    fn tried(&self, slot: usize) -> Tried;

    /// Takes up what an earlier attempt has left to be sent, if it has.
    fn recall(&mut self, _slots: &mut [Slot<'_>]) -> bool {
        false
    }

    /// Remembers what is about to be sent; or puts in its place what a clone has remembered meanwhile.
    fn keep(&mut self, repository: &Repository, slots: &mut [Slot<'_>]) -> Result<(), Error>;

    fn send(
        &self,
        repository: &Repository,
        slots: &mut [Slot<'_>],
    ) -> impl Future<Output = Result<AllAnswered, Error>> + Send;

    /// All is applied.
    fn applied(&self, slots: &mut [Slot<'_>], item: Option<Item>) -> Self::Ended;

    /// At least one of them has ended without that: before it was sent, or after.
    fn conclude(&self, slots: &mut [Slot<'_>], is_sent: bool) -> Result<Self::Ended, Error>;

    /// Refuses to go on with other contents, where an attempt with the old ones could still be applied beside them.
    fn check_open(&self, _slots: &[Slot<'_>]) -> Result<(), Error> {
        Ok(())
    }

    /// Says which write an error is of.
    fn named(&self, _slot: usize, error: Error) -> Error {
        error
    }
}

/// DynamoDB's answer to all of it: the item, where it returns one; or for each write what was said of it, if something was, and
/// the error, if nothing explains it.
pub(crate) type AllAnswered = Answer<Option<Item>, (Vec<Option<Denial>>, Error)>;

/// Takes writes to their end.
pub(crate) async fn drive<C: Carrier + Sync + Send>(
    repository: &Repository,
    carrier: &mut C,
    slots: &mut [Slot<'_>],
) -> Result<C::Ended, Error> {
    let mut patience = Patience::new(repository, carrier.priority().cloned());
    let mut is_kept = carrier.recall(slots);
    loop {
        if !mem::take(&mut is_kept) {
            if !compose_all(carrier, slots, &mut patience).await? {
                return carrier.conclude(slots, false);
            }
            carrier.keep(repository, slots)?;
        }
        let (denials, error) = match carrier.send(repository, slots).await? {
            Answer::Done(item) => return Ok(carrier.applied(slots, item)),
            Answer::Denied(denied) => denied,
        };
        // Boxed: most writes are not denied.
        if !Box::pin(judge_all(carrier, slots, &denials)).await? {
            return carrier.conclude(slots, true);
        }
        let again = slots.iter().enumerate().filter_map(|(at, slot)| Some((at, slot.again.as_deref()?)));
        let Some((at, again)) = again.max_by_key(|(_, again)| again.rank()) else { return Err(error) };
        // Where nothing else is against it, the same is sent again: nothing of it need be made anew.
        let is_same =
            slots.iter().filter_map(|slot| slot.again.as_deref()).all(|again| matches!(again, Again::Held(_)));
        if !is_same {
            carrier.check_open(slots)?;
        }
        if !patience.spend(again).await {
            return Err(carrier.named(at, given_up(again)));
        }
        Box::pin(wait_for_all(carrier, slots, &patience)).await?;
        slots.iter_mut().for_each(Slot::follow);
        is_kept = is_same && carrier.recall(slots);
    }
}

/// Composes the writes; whether all of them are to be sent.
async fn compose_all<C: Carrier + Sync>(
    carrier: &C,
    slots: &mut [Slot<'_>],
    patience: &mut Patience<'_>,
) -> Result<bool, Error> {
    for (at, slot) in slots.iter_mut().enumerate() {
        slot.ready(|| carrier.tried(at), patience).await.map_err(|error| carrier.named(at, error))?;
    }
    if slots.iter().all(|slot| slot.ended.is_none()) {
        return Ok(true);
    }
    for (at, slot) in slots.iter_mut().enumerate() {
        Box::pin(slot.foresee(patience)).await.map_err(|error| carrier.named(at, error))?;
    }
    Ok(false)
}

/// Judges what was denied; whether all of it can go on.
async fn judge_all<C: Carrier + Sync>(
    carrier: &C,
    slots: &mut [Slot<'_>],
    denials: &[Option<Denial>],
) -> Result<bool, Error> {
    for (at, (slot, denial)) in slots.iter_mut().zip(denials).enumerate() {
        if let Some(denial) = denial {
            slot.judge(denial, || carrier.tried(at)).await.map_err(|error| carrier.named(at, error))?;
        }
    }
    let is_applied = |slot: &Slot<'_>| matches!(slot.ended.as_deref(), Some(Ended::Applied { .. }));
    let is_held = |slot: &Slot<'_>| matches!(slot.again.as_deref(), Some(Again::Held(_)));
    if slots.iter().any(is_held) && !slots.iter().any(is_applied) {
        // While others hold an item, nothing is certain: what else refused may be their doing.
        for slot in slots.iter_mut() {
            slot.ended = None;
        }
    }
    Ok(slots.iter().all(|slot| slot.ended.is_none()))
}

/// Settles all that is held.
async fn wait_for_all<C: Carrier + Sync>(
    carrier: &C,
    slots: &[Slot<'_>],
    patience: &Patience<'_>,
) -> Result<(), Error> {
    // At once: of several dead processes, each is waited for as long as the others.
    let waits = slots.iter().enumerate().filter_map(|(at, slot)| {
        let Some(Again::Held(held)) = slot.again.as_deref() else { return None };
        let waited = patience.wait(&slot.command, &slot.tables.main, held);
        Some(waited.map_err(move |error| carrier.named(at, error)).boxed())
    });
    try_join_all(waits.collect::<Vec<_>>()).await.map(drop)
}

/// One write under way.
pub(crate) struct Slot<'a> {
    repository: &'a Repository,
    pub(crate) command: Box<WriteCommand>,
    pub(crate) tables: Tables,
    history: Option<Table<'a>>,
    pub(super) setting: Setting,
    /// Fixed before the first attempt.
    pub(crate) now: EpochMillis,
    pub(crate) known: Knowledge,
    /// What was composed.
    pub(crate) part: Option<Box<Part>>,
    pub(crate) rows: Option<Box<Rows>>,
    /// What came of it.
    pub(crate) ended: Option<Box<Ended>>,
    pub(crate) again: Option<Box<Again>>,
}

impl<'a> Slot<'a> {
    /// A write to be sent.
    pub(crate) fn new(
        command: Box<WriteCommand>,
        repository: &'a Repository,
        tables: Tables,
        now: EpochMillis,
        setting: Setting,
    ) -> Self {
        let history = Table::of(command.schema, &tables, repository).filter(|_| command.versioned.is_some());
        let known = Knowledge { phase: command.assumed_phase(repository, &tables.main), ..Knowledge::default() };
        let (part, rows, ended, again) = (None, None, None, None);
        Self { repository, command, tables, history, setting, now, known, part, rows, ended, again }
    }

    fn frame<'s>(&'s self, tried: &'s Tried) -> Frame<'s> {
        Frame {
            known: &self.known,
            tried,
            schema: self.command.schema,
            tables: &self.tables,
            history: self.history.as_ref(),
            now: self.now,
            setting: &self.setting,
        }
    }

    /// Which write it is, for errors and refusals: also once its item has gone into a request.
    pub(crate) fn context(&self) -> Context {
        let mut context = self.command.context();
        let sent = || self.rows.as_ref()?.key_text(self.command.schema);
        context.key = context.key.or_else(sent);
        context
    }

    /// Composes the write anew, given what is known.
    pub(crate) fn compose(&mut self, tried: &Tried) -> Result<Next, Error> {
        let Self { command, known, tables, history, now, setting, .. } = self;
        let (history, schema) = (history.as_ref(), command.schema);
        let frame = Frame { known, tried, schema, tables, history, now: *now, setting };
        compose(Given::new(command, setting), &frame)
    }

    /// Composes the write until it can be sent, or has ended.
    async fn ready(&mut self, tried: impl Fn() -> Tried + Sync, patience: &mut Patience<'_>) -> Result<(), Error> {
        match self.compose(&tried())? {
            Next::Send(part, rows) => self.hold(part, rows),
            // Boxed, as all that few writes need: the others have no room for its future.
            next => Box::pin(self.go_on(next, tried, patience)).await?,
        }
        Ok(())
    }

    /// Does what is to be done before the write can be sent.
    async fn go_on(
        &mut self,
        mut next: Next,
        tried: impl Fn() -> Tried + Sync,
        patience: &mut Patience<'_>,
    ) -> Result<(), Error> {
        let mut rounds = 0..ROUNDS;
        loop {
            match next {
                Next::Send(part, rows) => {
                    self.hold(part, rows);
                    return Ok(());
                }
                Next::Again(Again::Held(held)) => self.wait(held, patience).await?,
                Next::Again(again) if rounds.next().is_none() => return Err(given_up(&again)),
                Next::Again(again) => self.known.follow(again),
                // Others have put something else there meanwhile, or DynamoDB has removed it.
                Next::Read(Read::Newest) if self.known.newest.is_some() && rounds.next().is_none() => {
                    return Err(given_up(&Again::Taken));
                }
                Next::First(_) if rounds.next().is_none() => return Err(given_up(&Again::Taken)),
                Next::First(side) => {
                    let table = self.history.as_ref().ok_or_else(no_history)?;
                    table.put_side(side, self.now, &mut self.known).await?;
                }
                Next::Read(read) => self.read(read).await?,
                Next::Done(ended) => {
                    self.ended = Some(Box::new(ended));
                    return Ok(());
                }
                Next::Fine => return Ok(()),
            }
            next = self.compose(&tried())?;
        }
    }

    /// This is sent now.
    fn hold(&mut self, part: Box<Part>, rows: Box<Rows>) {
        // What was read is old then.
        self.known.fade();
        self.known.expected = part.write.expected;
        (self.part, self.rows) = (Some(part), Some(rows));
    }

    /// Reads a denial, and what is to be read for that.
    async fn judge(&mut self, denial: &Denial, tried: impl Fn() -> Tried + Sync) -> Result<(), Error> {
        while let Some(part) = &self.part {
            match verdict(part, denial, &self.frame(&tried())) {
                Next::Read(read) => self.read(read).await?,
                Next::Again(again) => {
                    self.note(&again)?;
                    self.again = Some(Box::new(again));
                    break;
                }
                Next::Done(ended) => {
                    self.ended = Some(Box::new(ended));
                    break;
                }
                Next::Send(..) | Next::First(_) | Next::Fine => break,
            }
        }
        Ok(())
    }

    /// Asks what would come of a write with an idempotency key that is not sent, since others would be refused.
    async fn foresee(&mut self, patience: &mut Patience<'_>) -> Result<(), Error> {
        while let (None, Some(part)) = (&self.ended, &self.part) {
            if part.write.key.is_none() {
                break;
            }
            match foresee(part, &self.frame(&Tried::default())) {
                Next::Read(read) => self.read(read).await?,
                Next::Done(ended) => self.ended = Some(Box::new(ended)),
                Next::Again(Again::Held(held)) => self.wait(held, patience).await?,
                Next::Again(again) => return Err(given_up(&again)),
                _ => break,
            }
        }
        Ok(())
    }

    /// Settles what holds the item, and goes on, before it is sent.
    async fn wait(&mut self, held: Box<Item>, patience: &mut Patience<'_>) -> Result<(), Error> {
        patience.wait_for(&self.command, &self.tables.main, &held).await?;
        self.known.follow(Again::Held(held));
        Ok(())
    }

    /// Goes on as the verdict says.
    fn follow(&mut self) {
        if let Some(again) = self.again.take() {
            self.known.follow(*again);
        }
    }

    /// Notes the phase that an item was in, for the next guess.
    fn note(&self, again: &Again) -> Result<(), Error> {
        if let (Again::Phase(phase), Some(Store::Count { .. })) = (again, self.command.schema.key_store()) {
            let (key, phase): (_, Phase) = (self.command.key()?, *phase);
            self.repository.memory::<Phases>().note(&self.tables.main, &key, phase);
        }
        Ok(())
    }

    async fn read(&mut self, wanted: Read) -> Result<(), Error> {
        let key = self.command.key()?;
        match (wanted, &self.history) {
            (Read::Item, _) => {
                let get = GetCommand::consistent(self.command.schema, Ok(key));
                self.known.item = Some(get.send(self.repository, self.tables.main.clone()).await?);
            }
            (Read::KeyRow, _) => {
                let has_row = has_key_row(self.repository, &self.command, &self.tables, &key, self.now).await?;
                self.known.key_row = Some(has_row);
            }
            (wanted, Some(table)) => table.learn(&key, wanted, &mut self.known).await?,
            (_, None) => return Err(no_history()),
        }
        Ok(())
    }
}

#[cold]
fn no_history() -> Error {
    Error::new(ErrorKind::Service, "the entity has no history")
}
