//! One run: the transaction meets a mishap at one of its requests, then another operation meets the remains of the transaction.

use super::model::{IDS, Seen, Shape, Told};
use super::sender::{Clones, Sending};
use super::stage::{Account, Size, Stage};
use dyno::Sweep;
use dyno_tests::faults::{Event, Fault};
use futures_util::future::{Either, join, select};
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// The mishap that the transaction meets at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mishap {
    /// The request at this position meets the fault.
    Meets(Fault),
    /// The same, with the SDK's retries disabled.
    Once(Fault),
    /// The same as `Once`, and the following requests meet the fault, too.
    Outage(Fault),
    /// The request at this position meets the fault, but only the future is dropped. The process lives on.
    Dropped(Fault),
    /// The future is dropped after this many polls.
    Polled,
    /// The process pauses before the request at this position, while the other processes continue.
    Held,
    /// Two clones are sent at once, and one of their requests meets the fault.
    Twins(Fault),
    /// Two clones are sent at once, and one of them is dropped after this many polls.
    TwinPolled,
}

/// The process or operation that meets the remains of the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeter {
    Get,
    Put,
    Add,
    /// A writer that changes only the row `r`, which the transaction only reads. Then a transaction reads all rows.
    Aside,
    Native,
    Intents,
    /// A process that takes over the lane, for a transaction on the row `r`.
    Adopter,
    Sweeper,
    /// The same process, which sends a clone.
    Clone,
    /// The same process, which sends another transaction on the row `r`.
    Own,
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) shape: Shape,
    pub(super) size: Size,
    pub(super) mishap: Mishap,
    pub(super) position: usize,
    pub(super) meeter: Meeter,
}

/// The number of requests that an outage affects.
const OUTAGE: usize = 8;

impl Mishap {
    fn faults(self) -> (Option<Fault>, usize) {
        match self {
            Self::Meets(fault) | Self::Once(fault) | Self::Dropped(fault) | Self::Twins(fault) => (Some(fault), 1),
            Self::Outage(fault) => (Some(fault), OUTAGE),
            Self::Polled | Self::Held | Self::TwinPolled => (None, 0),
        }
    }
}

/// Plays a case. Returns `false` if the transaction has no such position.
pub(super) async fn play(case: Case) -> bool {
    let has_retries = !matches!(case.mishap, Mishap::Once(_) | Mishap::Outage(_));
    let mut stage = Stage::new(case.size, has_retries).await;
    let transaction = stage.transaction(case.shape);
    let Some((told, is_alive)) = send(&mut stage, &transaction, case).await else { return false };
    let mut told: Vec<(Told, usize)> = told.into_iter().map(|told| (told, stage.ops.len())).collect();
    if let Mishap::Meets(_) | Mishap::Twins(_) = case.mishap
        && is_alive
    {
        let is_applied = |(told, _): &(Told, usize)| matches!(told, Told::Applied(_));
        assert!(told.iter().all(is_applied), "{case:?}: it is sent again until it is applied: {told:?}");
    }
    let own = stage.own.clone();
    // If no clone of the transaction is kept, the process abandons its lane.
    let clones = (case.meeter != Meeter::Own || !told.is_empty()).then_some(transaction);
    let again = || clones.as_ref().map(|clones| clones(&own.repository));
    match case.meeter {
        _ if case.mishap == Mishap::Held => {}
        Meeter::Clone => told.push((again().expect("a clone").await, stage.ops.len())),
        Meeter::Own => {
            own.faults.calm();
            stage.add_by_intents(&own, "r").await;
        }
        meeter => meet(&mut stage, meeter, case.position).await,
    }
    look(&mut stage, case.position).await;
    let is_known = |told: &[(Told, usize)]| told.last().is_some_and(|(told, _)| !matches!(told, Told::Open(_)));
    while let Some(clone) = again().filter(|_| is_alive && !is_known(&told)) {
        assert!(told.len() < 10, "{case:?}: it is never known: {told:?}");
        told.push((clone.await, stage.ops.len()));
    }
    own.faults.calm();
    if own.faults.undelivered() > 0 {
        let (ahead, other) = (stage.ahead.clone(), stage.other.clone());
        for _ in 0..5 {
            stage.bump(if is_alive { &own } else { &ahead }).await;
            stage.bump(&other).await;
        }
        sweep(&stage, case).await;
        if (case.position + case.meeter as usize).is_multiple_of(2) {
            stage.deliver_amid(&own).await;
        }
        while own.faults.deliver().await.is_some() {}
        look(&mut stage, case.position).await;
    }
    ended(&stage, case).await;
    let rows = stage.rows(&case).await;
    Seen { shape: case.shape, ops: stage.ops, told, rows }.explain(&case);
    true
}

/// Sends the transaction. Returns the results of all sendings and whether the process lives, or `None` if there is no such
/// position.
async fn send(stage: &mut Stage, transaction: &Clones, case: Case) -> Option<(Vec<Told>, bool)> {
    let own = stage.own.clone();
    let sending = || transaction(&own.repository);
    let (fault, times) = case.mishap.faults();
    for at in 0..times {
        own.faults.on_request(case.position + at, Event::is_any, fault.unwrap_or(Fault::Served));
    }
    if let Mishap::Polled | Mishap::TwinPolled = case.mishap {
        // A request that takes no time would be answered at the first poll.
        own.faults.latency_ms(2, 3);
    }
    let told: Vec<Told> = match case.mishap {
        Mishap::Polled => match polled(sending(), case.position).await {
            Some(_) => return None,
            None => Vec::new(),
        },
        Mishap::TwinPolled => {
            let (dropped, told) = join(polled(sending(), case.position), sending()).await;
            if dropped.is_some() {
                return None;
            }
            vec![told]
        }
        Mishap::Held => {
            own.faults.hold_after(case.position - 1);
            let sending = match select(sending(), pin!(own.faults.held())).await {
                Either::Left(_) => return None,
                Either::Right(((), sending)) => sending,
            };
            meet(stage, case.meeter, case.position).await;
            look(stage, case.position).await;
            own.faults.release();
            vec![sending.await]
        }
        Mishap::Twins(_) => {
            let both = own.run(join(sending(), sending())).await;
            both.into_iter().flat_map(<[Told; 2]>::from).collect()
        }
        _ => own.run(sending()).await.into_iter().collect(),
    };
    if times > 0 && own.faults.unmet() == times {
        return None;
    }
    let is_dead = matches!(fault, Some(Fault::DiesBefore | Fault::DiesAfter | Fault::DiesPostponed));
    let goes_on = matches!(case.mishap, Mishap::Dropped(_));
    if goes_on {
        own.faults.go_on();
    }
    Some((told, !is_dead || goes_on))
}

/// Polls the transaction at most this many times. Returns its result if it ends earlier.
async fn polled(mut sending: Sending, times: usize) -> Option<Told> {
    let mut left = times;
    poll_fn(|context| match sending.as_mut().poll(context) {
        Poll::Ready(told) => Poll::Ready(Some(told)),
        Poll::Pending => {
            left -= 1;
            if left == 0 { Poll::Ready(None) } else { Poll::Pending }
        }
    })
    .await
}

/// Returns all rows, beginning with a different row at each position.
fn ids(position: usize) -> impl Iterator<Item = &'static str> {
    IDS.into_iter().cycle().skip(position % IDS.len()).take(IDS.len())
}

async fn meet(stage: &mut Stage, meeter: Meeter, position: usize) {
    let (other, ahead) = (stage.other.clone(), stage.ahead.clone());
    match meeter {
        Meeter::Get | Meeter::Clone | Meeter::Own => {}
        Meeter::Put | Meeter::Add => {
            for id in ids(position) {
                if meeter == Meeter::Put { stage.put(id).await } else { stage.add(id).await }
            }
        }
        Meeter::Native => {
            let groups = [["a", "r"].to_vec(), ["c", "b"].to_vec(), ["d"].to_vec()];
            for at in 0..groups.len() {
                stage.add_natively(groups[(position + at) % groups.len()].clone()).await;
            }
        }
        Meeter::Intents => stage.bump(&other).await,
        Meeter::Aside => {
            stage.add("r").await;
            stage.read().await;
        }
        Meeter::Adopter => stage.add_by_intents(&ahead, "r").await,
        Meeter::Sweeper => sweep(stage, position).await,
    }
}

async fn look(stage: &mut Stage, position: usize) {
    for id in ids(position) {
        stage.get(id).await;
    }
}

async fn sweep(stage: &Stage, case: impl std::fmt::Debug) {
    let sweep = Sweep::new().of::<Account>().send(&stage.sweeper.repository).await.expect("a sweep");
    assert_eq!(sweep.failed(), 0, "{case:?}: {sweep:?}");
}

/// Checks that one sweep removes all remains of transactions, so that a second sweep writes nothing.
async fn ended(stage: &Stage, case: Case) {
    sweep(stage, case).await;
    for (id, item) in stage.stored().await {
        assert!(!item.contains_key("_x"), "{case:?}: {id} is {item:?}");
    }
    for head in stage.heads().await {
        let names = ["participants", "pages", "of"].map(|name| head.contains_key(name));
        assert_eq!(names, [false; 3], "{case:?}: {head:?}");
    }
    let before = stage.sweeper.faults.events().len();
    sweep(stage, case).await;
    let writes = stage.sweeper.faults.events().iter().skip(before).filter(|event| event.is_write()).count();
    assert_eq!(writes, 0, "{case:?}: by the second sweep");
}
