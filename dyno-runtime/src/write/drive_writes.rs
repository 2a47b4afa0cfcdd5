//! The loop of a single write, and of the writes of a native transaction: composes them, sends them, evaluates a denial, and
//! begins again if the verdict is a retry.

use super::compose::{Composable, compose};
use super::key_list_phases::KeyListPhases;
use super::retry_limits::{ROUNDS, RetryBudget, contention};
use super::rows_to_send::Rows;
use super::verdict::{judge_unsent, verdict};
use super::write_command::WriteCommand;
use super::write_steps::{
    ComposedWrite, Conclusion, Decided, Denial, Judgement, Knowledge, Next, OtherAttempts, Read, Retry, SendAs,
    StepInput,
};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Context, Error, ErrorKind};
use crate::exchange::{Answer, ItemRef, Priority, Repository, read_row};
use crate::read::{GetCommand, HistoryTable};
use crate::rule;
use crate::rule::Phase;
use crate::schema::{Store, Tables, names};
use futures_util::future::{FutureExt as _, TryFutureExt as _, try_join_all};
use std::mem;

/// Sends writes to DynamoDB: one as a request of its own, or many in a native transaction. `slot` is the index of a write.
pub(crate) trait Carrier {
    type Outcome: Send;

    /// The priority of the transaction, where its writes wait for other transactions. A single write has none: no transaction
    /// waits for it.
    fn priority(&self) -> Option<&Priority> {
        None
    }

    /// Returns the other attempts of a write up to now.
    fn other_attempts(&self, slot: usize) -> OtherAttempts;

    /// Gives the slots the contents that an earlier attempt has kept. Returns `false` if there are none.
    fn resume(&mut self, _slots: &mut [Slot<'_>]) -> bool {
        false
    }

    /// Keeps what is about to be sent. If a clone has kept other contents meanwhile, the slots get those.
    fn remember(&mut self, repository: &Repository, slots: &mut [Slot<'_>]) -> Result<(), Error>;

    fn send(
        &self,
        repository: &Repository,
        slots: &mut [Slot<'_>],
    ) -> impl Future<Output = Result<CarrierAnswer, Error>> + Send;

    /// Returns the outcome of a request that DynamoDB has applied.
    fn applied(&self, slots: &mut [Slot<'_>], item: Option<Item>) -> Self::Outcome;

    /// Returns the outcome if at least one write has a conclusion, before the request was sent or after its denial.
    fn conclude(&self, slots: &mut [Slot<'_>], is_sent: bool) -> Result<Self::Outcome, Error>;

    /// Refuses to send other contents while an attempt with the old ones may still be applied, if then both could be.
    fn check_new_contents(&self, _slots: &[Slot<'_>]) -> Result<(), Error> {
        Ok(())
    }

    /// Adds to an error which write it belongs to.
    fn named(&self, _slot: usize, error: Error) -> Error {
        error
    }
}

/// DynamoDB's answer to the request: the item, if it returns one; or a denial for each write whose condition failed, and the
/// error to report if no denial explains the refusal.
pub(crate) type CarrierAnswer = Answer<Option<Item>, (Vec<Option<Denial>>, Error)>;

/// Drives writes to their end.
pub(crate) async fn drive<C: Carrier + Sync + Send>(
    repository: &Repository,
    carrier: &mut C,
    slots: &mut [Slot<'_>],
) -> Result<C::Outcome, Error> {
    let mut budget = RetryBudget::new(repository, carrier.priority().cloned());
    let mut is_resumed = carrier.resume(slots);
    loop {
        if !mem::take(&mut is_resumed) {
            if !compose_all(carrier, slots, &mut budget).await? {
                return carrier.conclude(slots, false);
            }
            carrier.remember(repository, slots)?;
        }
        let (denials, error) = match carrier.send(repository, slots).await? {
            Answer::Done(item) => return Ok(carrier.applied(slots, item)),
            Answer::Denied(denied) => denied,
        };
        // Boxed, because most writes are not denied.
        if !Box::pin(judge_all(carrier, slots, &denials)).await? {
            return carrier.conclude(slots, true);
        }
        let retry = slots.iter().enumerate().filter_map(|(at, slot)| Some((at, slot.retry()?)));
        let Some((at, retry)) = retry.max_by_key(|(_, retry)| retry.rank()) else { return Err(error) };
        // If the writes only wait for transactions, the same contents are sent again.
        let is_same = slots.iter().filter_map(|slot| slot.retry()).all(|retry| matches!(retry, Retry::Locked(_)));
        if !is_same {
            carrier.check_new_contents(slots)?;
        }
        if !budget.spend(retry).await {
            return Err(carrier.named(at, contention(retry)));
        }
        Box::pin(wait_for_all(carrier, slots, &budget)).await?;
        slots.iter_mut().for_each(Slot::apply_retry);
        is_resumed = is_same && carrier.resume(slots);
    }
}

/// Composes the writes. Returns `true` if all of them can be sent.
async fn compose_all<C: Carrier + Sync>(
    carrier: &C,
    slots: &mut [Slot<'_>],
    budget: &mut RetryBudget<'_>,
) -> Result<bool, Error> {
    for (at, slot) in slots.iter_mut().enumerate() {
        slot.prepare(|| carrier.other_attempts(at), budget).await.map_err(|error| carrier.named(at, error))?;
    }
    if slots.iter().all(|slot| slot.conclusion().is_none()) {
        return Ok(true);
    }
    for (at, slot) in slots.iter_mut().enumerate() {
        Box::pin(slot.judge_unsent(budget)).await.map_err(|error| carrier.named(at, error))?;
    }
    Ok(false)
}

/// Evaluates the denials. Returns `true` if no write has ended.
async fn judge_all<C: Carrier + Sync>(
    carrier: &C,
    slots: &mut [Slot<'_>],
    denials: &[Option<Denial>],
) -> Result<bool, Error> {
    for (at, (slot, denial)) in slots.iter_mut().zip(denials).enumerate() {
        if let Some(denial) = denial {
            slot.judge(denial, || carrier.other_attempts(at)).await.map_err(|error| carrier.named(at, error))?;
        }
    }
    let is_applied = |slot: &Slot<'_>| matches!(slot.conclusion(), Some(Conclusion::Applied { .. }));
    let is_locked = |slot: &Slot<'_>| matches!(slot.retry(), Some(Retry::Locked(_)));
    if slots.iter().any(is_locked) && !slots.iter().any(is_applied) {
        // No refusal is certain while another transaction holds one of the items: that transaction may have caused it.
        for slot in slots.iter_mut().filter(|slot| slot.conclusion().is_some()) {
            slot.decided = None;
        }
    }
    Ok(slots.iter().all(|slot| slot.conclusion().is_none()))
}

/// Waits until no transaction holds any of the items.
async fn wait_for_all<C: Carrier + Sync>(
    carrier: &C,
    slots: &[Slot<'_>],
    budget: &RetryBudget<'_>,
) -> Result<(), Error> {
    // For all of them at once, because the process of each transaction may be dead, and each takes the whole lock timeout.
    let waits = slots.iter().enumerate().filter_map(|(at, slot)| {
        let Some(Retry::Locked(item)) = slot.retry() else { return None };
        let free = async { budget.wait(slot.command.about(), slot.item_ref()?, item).await };
        Some(free.map_err(move |error| carrier.named(at, error)).boxed())
    });
    try_join_all(waits.collect::<Vec<_>>()).await.map(drop)
}

/// One write that is under way.
pub(crate) struct Slot<'a> {
    repository: &'a Repository,
    pub(crate) command: Box<WriteCommand>,
    pub(crate) tables: Tables,
    history: Option<HistoryTable<'a>>,
    pub(super) send_as: SendAs,
    /// The time of the write, fixed before its first attempt.
    pub(crate) now: EpochMillis,
    pub(crate) known: Knowledge,
    /// The request that was composed last, and its rows.
    pub(crate) composed: Option<Box<ComposedWrite>>,
    pub(crate) rows: Option<Box<Rows>>,
    pub(crate) decided: Option<Decided>,
}

impl<'a> Slot<'a> {
    pub(crate) fn new(
        command: Box<WriteCommand>,
        repository: &'a Repository,
        tables: Tables,
        now: EpochMillis,
        send_as: SendAs,
    ) -> Self {
        let history = HistoryTable::of(command.schema, &tables, repository).filter(|_| command.versioned.is_some());
        let known = Knowledge { phase: command.assumed_phase(repository, &tables.main), ..Knowledge::default() };
        let (composed, rows, decided) = (None, None, None);
        Self { repository, command, tables, history, send_as, now, known, composed, rows, decided }
    }

    /// Returns how the write ended.
    fn conclusion(&self) -> Option<&Conclusion> {
        if let Some(Decided::Ended(conclusion)) = &self.decided { Some(conclusion) } else { None }
    }

    /// Takes out how the write ended.
    pub(crate) fn take_conclusion(&mut self) -> Option<Conclusion> {
        if let Some(Decided::Ended(conclusion)) = self.decided.take() { Some(*conclusion) } else { None }
    }

    /// Returns how the write is composed again.
    pub(crate) fn retry(&self) -> Option<&Retry> {
        if let Some(Decided::Retry(retry)) = &self.decided { Some(retry) } else { None }
    }

    fn input<'s>(&'s self, attempts: &'s OtherAttempts) -> StepInput<'s> {
        StepInput {
            known: &self.known,
            attempts,
            schema: self.command.schema,
            tables: &self.tables,
            history: self.history.as_ref(),
            now: self.now,
            send_as: &self.send_as,
        }
    }

    /// Identifies the write in errors and refusals, also after its item has moved into a request.
    pub(crate) fn context(&self) -> Context {
        let mut context = self.command.context();
        let of_request = || self.rows.as_ref()?.key_text(self.command.schema);
        context.key = context.key.or_else(of_request);
        context
    }

    /// Returns the next step of the write, given what is known.
    pub(crate) fn compose(&mut self, attempts: &OtherAttempts) -> Result<Next, Error> {
        let Self { command, known, tables, history, now, send_as, .. } = self;
        let (history, schema) = (history.as_ref(), command.schema);
        let input = StepInput { known, attempts, schema, tables, history, now: *now, send_as };
        compose(Composable::new(command, send_as), &input)
    }

    /// Takes the steps of the write until it can be sent, or has ended.
    async fn prepare(
        &mut self,
        attempts: impl Fn() -> OtherAttempts + Sync,
        budget: &mut RetryBudget<'_>,
    ) -> Result<(), Error> {
        match self.compose(&attempts())? {
            Next::Send(composed, rows) => self.set_composed(composed, rows),
            // Boxed, because few writes need it, and its future would enlarge the future of every write.
            next => Box::pin(self.take_steps(next, attempts, budget)).await?,
        }
        Ok(())
    }

    /// Takes the steps that come before the request.
    async fn take_steps(
        &mut self,
        mut next: Next,
        attempts: impl Fn() -> OtherAttempts + Sync,
        budget: &mut RetryBudget<'_>,
    ) -> Result<(), Error> {
        let mut rounds = 0..ROUNDS;
        loop {
            match next {
                Next::Send(composed, rows) => {
                    self.set_composed(composed, rows);
                    return Ok(());
                }
                Next::Judged(Judgement::Retry(Retry::Locked(item))) => self.wait(item, budget).await?,
                Next::Judged(Judgement::Retry(retry)) if rounds.next().is_none() => return Err(contention(&retry)),
                Next::Judged(Judgement::Retry(retry)) => self.known.apply(retry),
                // The row after the newest revision was put by another write, or removed by its TTL, since it was read.
                Next::Judged(Judgement::Read(Read::NewestBeforeItem))
                    if self.known.newest.is_some() && rounds.next().is_none() =>
                {
                    return Err(contention(&Retry::NumberTaken));
                }
                Next::PutRevision(_) if rounds.next().is_none() => return Err(contention(&Retry::NumberTaken)),
                Next::PutRevision(put) => {
                    let table = self.history.as_ref().ok_or_else(no_history)?;
                    table.put_revision(put, self.now, &mut self.known).await?;
                }
                Next::Judged(Judgement::Read(read)) => self.read(read).await?,
                Next::Judged(Judgement::End(conclusion)) => {
                    self.decided = Some(Decided::Ended(Box::new(conclusion)));
                    return Ok(());
                }
                Next::Judged(Judgement::Unopposed) => return Ok(()),
            }
            next = self.compose(&attempts())?;
        }
    }

    /// Stores the request that is sent next.
    fn set_composed(&mut self, composed: Box<ComposedWrite>, rows: Box<Rows>) {
        self.known.discard_reads();
        self.known.expected = composed.write.expected;
        (self.composed, self.rows) = (Some(composed), Some(rows));
    }

    /// Evaluates a denial, with the reads that its verdict needs.
    async fn judge(&mut self, denial: &Denial, attempts: impl Fn() -> OtherAttempts + Sync) -> Result<(), Error> {
        if let Some(composed) = &self.composed {
            self.known.learn_holders(self.command.schema, &composed.write.claims, denial);
        }
        while let Some(composed) = &self.composed {
            self.decided = match verdict(composed, denial, &self.input(&attempts())) {
                Judgement::Read(read) => {
                    self.read(read).await?;
                    continue;
                }
                Judgement::Retry(retry) => {
                    self.note_phase(&retry)?;
                    Some(Decided::Retry(Box::new(retry)))
                }
                Judgement::End(conclusion) => Some(Decided::Ended(Box::new(conclusion))),
                Judgement::Unopposed => None,
            };
            break;
        }
        Ok(())
    }

    /// Evaluates a write with an idempotency key that is not sent, because another action of its transaction is refused.
    async fn judge_unsent(&mut self, budget: &mut RetryBudget<'_>) -> Result<(), Error> {
        while let (None, Some(composed)) = (self.conclusion(), &self.composed) {
            if composed.write.dedup.key.is_none() {
                break;
            }
            match judge_unsent(composed, &self.input(&OtherAttempts::default())) {
                Judgement::Read(read) => self.read(read).await?,
                Judgement::End(conclusion) => self.decided = Some(Decided::Ended(Box::new(conclusion))),
                Judgement::Retry(Retry::Locked(item)) => self.wait(item, budget).await?,
                Judgement::Retry(retry) => return Err(contention(&retry)),
                Judgement::Unopposed => break,
            }
        }
        Ok(())
    }

    fn item_ref(&self) -> Result<ItemRef, Error> {
        Ok(ItemRef { table: self.tables.main.clone(), key: self.command.key()? })
    }

    /// Waits until no transaction holds the item, before the write is sent.
    async fn wait(&mut self, item: Box<Item>, budget: &mut RetryBudget<'_>) -> Result<(), Error> {
        budget.spend_and_wait(self.command.about(), self.item_ref()?, &item).await?;
        self.known.apply(Retry::Locked(item));
        Ok(())
    }

    /// Prepares the next request as the verdict says.
    fn apply_retry(&mut self) {
        if let Some(Decided::Retry(retry)) = self.decided.take() {
            self.known.apply(*retry);
        }
    }

    /// Notes whether the item's list of idempotency keys was full, for the guess of the next write.
    fn note_phase(&self, retry: &Retry) -> Result<(), Error> {
        if let (Retry::OtherPhase(phase), Some(Store::Count { .. })) = (retry, self.command.schema.key_store()) {
            let (key, phase): (_, Phase) = (self.command.key()?, *phase);
            self.repository.memory::<KeyListPhases>().note(&self.tables.main, &key, phase);
        }
        Ok(())
    }

    async fn read(&mut self, read: Read) -> Result<(), Error> {
        let key = self.command.key()?;
        match (read, &self.history) {
            (Read::Item, _) => {
                let get = GetCommand::consistent(self.command.schema, Ok(key));
                self.known.item = Some(get.send(self.repository, self.tables.main.clone()).await?);
            }
            (Read::KeyRow, _) => self.known.key_row = Some(self.has_key_row(&key).await?),
            (read, Some(table)) => table.learn(&key, read, &mut self.known).await?,
            (_, None) => return Err(no_history()),
        }
        Ok(())
    }

    /// Reads whether the idempotency key has a row.
    async fn has_key_row(&self, key: &Item) -> Result<bool, Error> {
        let (schema, dedup_key) = (self.command.schema, self.command.update.dedup_key.clone().transpose()?);
        let Some((table, dedup_key)) = self.tables.keys.as_ref().zip(dedup_key) else { return Ok(false) };
        let mut row = rule::key_row(schema, &dedup_key, &self.tables.main, key, self.now)?;
        row.retain(|name, _| name == names::KEY);
        let row = read_row(self.repository, ("update", schema.entity), table, row).await?;
        Ok(row.is_some())
    }
}

#[cold]
fn no_history() -> Error {
    Error::new(ErrorKind::Service, "the entity has no history")
}
