//! Two halves of one request: the second is sent when the first is late, and the first usable answer is taken.
//!
//! An error of one half does not count while the other runs. For a write, a refusal does not count either while the other half
//! may have been applied: that half may be what caused it. The SDK sends the second half once and not again, so a second half
//! that fails says nothing of the first: that one is awaited to its end, as it would be without a hedge.
//!
//! Where one half was refused and the answer of the other is lost, nothing tells which of them was served first. Then the request is
//! sent once more, behind both.

use super::Delay;
use super::latency::Of;
use super::watch::Watch;
use crate::error::{Error, ErrorKind};
use crate::exchange::call::{Ask, Leg};
use crate::exchange::classify_error::Heard;
use crate::exchange::operation::Operation;
use crate::exchange::{Attempts, Repository, Usage, within};
use futures_util::future::{Either, TryFutureExt as _, select};
use std::pin::pin;
use std::time::Duration;
use tracing::{Instrument as _, Span};

/// How long a half is awaited once the other has been answered: by a refusal that may not count, or, the first, by an error.
const PATIENCE: Duration = Duration::from_secs(5);

/// What came of one half: its output, or what its error comes to.
pub(in crate::exchange) type Came<O> = Result<<O as Operation>::Output, Heard<<O as Operation>::Denial>>;

/// A hedged request.
pub(in crate::exchange) struct Racing<'a> {
    pub(in crate::exchange) repository: &'a Repository,
    pub(in crate::exchange) ask: &'a Ask<'a>,
    pub(in crate::exchange) delay: Delay,
}

/// What is known of a half besides its answer.
pub(in crate::exchange) struct Half {
    pub(in crate::exchange) watch: Watch,
    pub(in crate::exchange) span: Span,
    pub(in crate::exchange) is_second: bool,
}

/// Awaits a request that was sent, and sends a second one, made by `again`, when it is late: what comes of them, and the span of
/// the half that it is of.
pub(in crate::exchange) async fn race<O: Operation>(
    Racing { repository, ask, delay }: Racing<'_>,
    first: Half,
    sent: impl Future<Output = Came<O>> + Send,
    again: impl Fn() -> Option<O> + Send + Sync,
) -> (Came<O>, Span) {
    repository.hedges().budget.earn();
    let timer = Timer::new(repository, ask.about.of(O::NAME), delay);
    let mut sent = pin!(sent.instrument(first.span.clone()));
    let Some(wait) = timer.wait() else {
        let came = sent.await;
        timer.note(&first.watch, &came);
        return (came, first.span);
    };
    if let Some(came) = within(repository, wait, &mut sent).await {
        timer.note(&first.watch, &came);
        return (came, first.span);
    }
    let Some(operation) = hedge(repository, &first, &again) else {
        let came = sent.await;
        timer.note(&first.watch, &came);
        return (came, first.span);
    };
    let second = Half { watch: Watch::default(), span: ask.about.span(O::NAME), is_second: true };
    second.span.record("hedge", true);
    let hedged = operation.send(Leg::hedge(ask, second.watch.clone())).instrument(second.span.clone());
    let hedged = pin!(hedged.map_err(|error| O::heard(error, ask.cancelled)));
    let settled = match select(sent, hedged).await {
        Either::Left((came, rest)) => settle::<O>(repository, ask.attempts, (came, first), (rest, second)).await,
        Either::Right((came, rest)) => settle::<O>(repository, ask.attempts, (came, second), (rest, first)).await,
    };
    for (heard, half) in settled.beaten {
        note(repository, heard, &half.span);
    }
    match settled.answer {
        Ok((came, half)) => {
            timer.note(&half.watch, &came);
            if half.is_second && came.is_ok() {
                repository.count(Usage { hedges_won: 1, ..Usage::default() });
            }
            (came, half.span)
        }
        Err(lost) => once_more(repository, ask, &again, lost).await,
    }
}

/// Sends the request behind two halves of which one was refused and the other `lost`: nothing tells which was served first.
///
/// That it is refused again says nothing of what is lost, which may be applied later; but of a write that knows itself, whoever
/// reads the refusal takes care of that.
async fn once_more<O: Operation>(
    repository: &Repository,
    ask: &Ask<'_>,
    again: impl Fn() -> Option<O> + Send,
    lost: Error,
) -> (Came<O>, Span) {
    let span = ask.about.span(O::NAME);
    let Some(operation) = again() else { return (Err(Heard::Error(lost)), span) };
    repository.count(Usage::REQUEST);
    let sent = operation.send(ask.leg(None)).instrument(span.clone()).await;
    match sent.map_err(|error| O::heard(error, ask.cancelled)) {
        Err(Heard::Denied(usage, _)) if !ask.is_named => {
            repository.count(usage);
            (Err(Heard::Error(lost)), span)
        }
        came => (came, span),
    }
}

/// The second request, if one is to be sent.
fn hedge<O>(repository: &Repository, first: &Half, again: impl FnOnce() -> Option<O>) -> Option<O> {
    // It is not late: DynamoDB has answered with an error, perhaps that it has too much to do, and the SDK waits.
    if first.watch.is_answered() {
        return None;
    }
    if !repository.hedges().budget.spend() {
        repository.count(Usage { hedges_suppressed: 1, ..Usage::default() });
        return None;
    }
    let operation = again()?;
    repository.count(Usage { hedges: 1, ..Usage::REQUEST });
    Some(operation)
}

/// What two halves come to.
struct Settled<O: Operation> {
    /// What came of the half that counts; or how an answer was lost, if that is not told.
    answer: Result<(Came<O>, Half), Error>,
    /// What came of those that do not count.
    beaten: Vec<(Heard<O::Denial>, Half)>,
}

/// Takes what came of one half, or awaits the other.
async fn settle<O: Operation>(
    repository: &Repository,
    attempts: Option<&Attempts>,
    (came, one): (Came<O>, Half),
    (rest, other): (impl Future<Output = Came<O>>, Half),
) -> Settled<O> {
    let heard = match came {
        Ok(output) => {
            other.watch.settle(attempts);
            other.span.record("outcome", "overtaken");
            return Settled { answer: Ok((Ok(output), one)), beaten: Vec::new() };
        }
        Err(heard) if heard.is_denied() && (attempts.is_none() || other.watch.open() == 0) => {
            other.span.record("outcome", "overtaken");
            return Settled { answer: Ok((Err(heard), one)), beaten: Vec::new() };
        }
        Err(heard) => heard,
    };
    // Without a hedge, the caller would have had an error of the first half by now, and would still wait for the first half where
    // the hedge has failed.
    let is_bounded = heard.is_denied() || !one.is_second && heard.is_answer();
    let rest = if is_bounded { within(repository, PATIENCE, rest).await } else { Some(rest.await) };
    let rest = match rest {
        Some(Ok(output)) => {
            one.watch.settle(attempts);
            return Settled { answer: Ok((Ok(output), other)), beaten: vec![(heard, one)] };
        }
        Some(Err(rest)) => rest,
        None => Heard::Error(Error::new(ErrorKind::Unreachable, "no answer came in time")),
    };
    let is_open = |half: &Half| attempts.is_some() && half.watch.open() > 0;
    let is_others = match (heard.is_denied(), rest.is_denied()) {
        // What was lost of one half is behind its own refusal, and not behind the other's.
        (true, true) => !is_open(&one),
        (true, false) if is_open(&other) => return lost(rest, (heard, one)),
        (false, true) if is_open(&one) => return lost(heard, (rest, other)),
        (true, false) => false,
        (false, true) => true,
        (false, false) => match (heard.is_answer(), rest.is_answer()) {
            (true, false) => false,
            (false, true) => true,
            // The SDK sent the first half again, and the second only once: the result of the first says more.
            _ => one.is_second,
        },
    };
    let (counts, beaten) = if is_others { ((rest, other), (heard, one)) } else { ((heard, one), (rest, other)) };
    Settled { answer: Ok((Err(counts.0), counts.1)), beaten: vec![beaten] }
}

/// One half was refused, and the other may have been applied.
fn lost<O: Operation>(heard: Heard<O::Denial>, refused: (Heard<O::Denial>, Half)) -> Settled<O> {
    let error = match heard {
        Heard::Error(error) | Heard::Busy(error) => error,
        Heard::Denied(..) => Error::new(ErrorKind::Unreachable, "an answer was lost"),
    };
    Settled { answer: Err(error), beaten: vec![refused] }
}

/// Notes what came of a half that does not count.
fn note<D>(repository: &Repository, heard: Heard<D>, span: &Span) {
    let outcome = match heard {
        Heard::Denied(usage, _) => {
            repository.count(usage);
            usage.record(span);
            "refused"
        }
        Heard::Busy(_) => "busy",
        Heard::Error(error) if error.is_throttled() => "throttled",
        Heard::Error(_) => "error",
    };
    span.record("outcome", outcome);
}

/// When a request is late, and how long it takes.
struct Timer<'a> {
    repository: &'a Repository,
    of: Of,
    delay: Delay,
    begun: Duration,
}

impl<'a> Timer<'a> {
    fn new(repository: &'a Repository, of: Of, delay: Delay) -> Self {
        Self { repository, of, delay, begun: repository.moment().monotonic }
    }

    fn wait(&self) -> Option<Duration> {
        match self.delay {
            Delay::Fixed(delay) => Some(delay),
            Delay::Percentile(percentile) => {
                let delay = self.repository.hedges().latencies.percentile(&self.of, percentile);
                // By a clock that stands still, nothing takes time, and nothing is known.
                delay.filter(|delay| !delay.is_zero())
            }
        }
    }

    /// Notes how long an answer took: at least, if the other half was faster. What the SDK has sent again waited for that.
    fn note<T, D>(&self, half: &Watch, came: &Result<T, Heard<D>>) {
        let is_answer = came.as_ref().err().is_none_or(Heard::is_denied);
        if is_answer && !half.is_sent_again() && matches!(self.delay, Delay::Percentile(_)) {
            let time = self.repository.moment().monotonic.saturating_sub(self.begun);
            self.repository.hedges().latencies.record(&self.of, time);
        }
    }
}
