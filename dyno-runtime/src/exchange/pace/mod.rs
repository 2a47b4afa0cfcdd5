//! The pace of requests: at most so many capacity units a second, over all commands of a repository's handles.
//!
//! A request may be sent when its bucket is not in debt, and is paid for afterwards, because only DynamoDB's answer has its price. So
//! a large page brings the bucket into debt, and the next request waits. Requests that are under way at the same time reserve what the
//! last one of their kind has cost.

pub(super) mod paced_requests;

use crate::error::Error;
use crate::exchange::watch::consumed_capacity::Usage;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The most capacity units a second that commands may use: see [`Repository::paced`](crate::Repository::paced).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    read_units: Option<f64>,
    write_units: Option<f64>,
}

impl Pace {
    /// Creates a pace without limits.
    #[must_use]
    pub const fn new() -> Self {
        Self { read_units: None, write_units: None }
    }

    /// Sets the read capacity units a second.
    #[must_use]
    pub const fn read_units(self, per_second: f64) -> Self {
        Self { read_units: Some(per_second), ..self }
    }

    /// Sets the write capacity units a second.
    #[must_use]
    pub const fn write_units(self, per_second: f64) -> Self {
        Self { write_units: Some(per_second), ..self }
    }

    /// Refuses a pace at which no request would ever be sent.
    pub(in crate::exchange) fn check(self) -> Result<(), Error> {
        match [self.read_units, self.write_units].into_iter().flatten().find(|rate| !(rate.is_finite() && *rate > 0.0))
        {
            None => Ok(()),
            Some(rate) => Err(Error::invalid(format!(
                "the pace is {rate} units a second: it must be more than 0, and it may be less than 1"
            ))),
        }
    }

    fn rate(self, kind: Kind) -> Option<f64> {
        match kind {
            Kind::Read => self.read_units,
            Kind::Write => self.write_units,
        }
    }
}

/// The kind of a request, by the units that it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exchange) enum Kind {
    Read,
    Write,
}

impl Kind {
    /// Returns the kind of an operation; `None` if it is about tables, and uses no units.
    pub(in crate::exchange) fn of(operation: &str) -> Option<Self> {
        match operation {
            "GetItem" | "BatchGetItem" | "TransactGetItems" | "Query" | "Scan" => Some(Self::Read),
            "PutItem" | "UpdateItem" | "DeleteItem" | "BatchWriteItem" | "TransactWriteItems" => Some(Self::Write),
            _ => None,
        }
    }
}

/// The pace of a repository's handle.
#[derive(Clone, Debug)]
pub(crate) struct Pacing {
    budget: Arc<Budget>,
    /// False if requests are counted but not delayed, because other processes wait for them.
    delays: bool,
}

/// The units that all handles may use.
#[derive(Debug)]
struct Budget {
    pace: Pace,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    read: Bucket,
    write: Bucket,
    costs: HashMap<CostKey, Cost>,
}

/// An operation and its tables.
type CostKey = (&'static str, String);

/// The number of operations and tables whose costs are remembered.
const MOST_COSTS: usize = 256;

/// The cost of the last request of an operation to a table.
#[derive(Clone, Copy, Debug)]
struct Cost {
    units: f64,
    /// The units for each item that a query or scan has read.
    units_of_item: f64,
}

/// The cost of a request of which nothing is known.
const FIRST_COST: Cost = Cost { units: 1.0, units_of_item: 1.0 };

/// Units that are saved up, or owed if they are negative.
#[derive(Debug, Default)]
struct Bucket {
    units: f64,
    /// The monotonic time of this balance.
    at: Duration,
}

impl Bucket {
    /// Adds the units of the time since. Idle time saves up one second's worth at most.
    fn refill(&mut self, now: Duration, rate: f64) {
        let seconds = now.saturating_sub(self.at).as_secs_f64();
        self.units = (self.units + seconds * rate).min(rate);
        self.at = self.at.max(now);
    }
}

impl State {
    fn bucket(&mut self, kind: Kind) -> &mut Bucket {
        match kind {
            Kind::Read => &mut self.read,
            Kind::Write => &mut self.write,
        }
    }
}

impl Pacing {
    pub(in crate::exchange) fn new(pace: Pace) -> Self {
        Self { budget: Arc::new(Budget { pace, state: Mutex::default() }), delays: true }
    }

    pub(in crate::exchange) fn check(&self) -> Result<(), Error> {
        self.budget.pace.check()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.budget.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the same pace for requests that are counted but not delayed.
    pub(in crate::exchange) fn without_delay(&self) -> Self {
        Self { budget: Arc::clone(&self.budget), delays: false }
    }

    /// Returns how long a request has to wait.
    pub(in crate::exchange) fn wait(&self, kind: Kind, now: Duration) -> Duration {
        self.wait_in(&mut self.state(), kind, now)
    }

    fn wait_in(&self, state: &mut State, kind: Kind, now: Duration) -> Duration {
        let Some(rate) = self.budget.pace.rate(kind).filter(|_| self.delays) else { return Duration::ZERO };
        let bucket = state.bucket(kind);
        bucket.refill(now, rate);
        let owed = (-bucket.units).max(0.0);
        Duration::try_from_secs_f64(owed / rate).unwrap_or(Duration::MAX)
    }

    /// Reserves the units of a request, and returns how long the request has to wait. Both are one step, so that of several threads
    /// each finds the debt of those before it.
    pub(in crate::exchange) fn reserve(&self, kind: Kind, key: CostKey, now: Duration) -> (Reservation, Duration) {
        let mut state = self.state();
        let wait = self.wait_in(&mut state, kind, now);
        let units = state.costs.get(&key).unwrap_or(&FIRST_COST).units;
        state.bucket(kind).units -= units;
        drop(state);
        (Reservation { pacing: self.clone(), kind, key, units, is_sent: false }, wait)
    }

    /// Returns the number of items of which a page costs half a second's worth; `None` without a limit.
    pub(in crate::exchange) fn items_of_page(&self, key: &CostKey) -> Option<usize> {
        let rate = self.budget.pace.rate(Kind::Read)?;
        let units_of_item = self.state().costs.get(key).unwrap_or(&FIRST_COST).units_of_item;
        let items = (rate / 2.0 / units_of_item).clamp(1.0, 1e6);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 1 to a million")]
        Some(items as usize)
    }
}

/// The units that are reserved for a request.
#[derive(Debug)]
pub(in crate::exchange) struct Reservation {
    pacing: Pacing,
    kind: Kind,
    key: CostKey,
    units: f64,
    is_sent: bool,
}

impl Reservation {
    /// Returns the reservation of a request that is sent now, so that its units stay reserved if its future is dropped.
    pub(in crate::exchange) fn sent(mut self) -> Self {
        self.is_sent = true;
        self
    }

    /// Pays what the request has cost. `items` is the number of items that a query or scan has read.
    pub(in crate::exchange) fn settle(mut self, usage: Usage, items: Option<i32>) {
        self.is_sent = true;
        let pacing = self.pacing.clone();
        let mut state = pacing.state();
        state.bucket(self.kind).units += std::mem::take(&mut self.units);
        state.read.units -= usage.read_units;
        state.write.units -= usage.write_units;
        let units = match self.kind {
            Kind::Read => usage.read_units,
            Kind::Write => usage.write_units,
        };
        // A request that was throttled or had no answer tells nothing of its cost.
        if units > 0.0 {
            if state.costs.len() >= MOST_COSTS && !state.costs.contains_key(&self.key) {
                state.costs.clear();
            }
            let units_of_item = units / f64::from(items.unwrap_or(1).max(1));
            // A page this small has the least cost of any page.
            let units_of_item = if units <= 1.0 { units_of_item / 2.0 } else { units_of_item };
            state.costs.insert(std::mem::take(&mut self.key), Cost { units, units_of_item });
        }
    }

    /// Pays what a failed request has cost. If DynamoDB has throttled it, the next requests wait for a second more.
    pub(in crate::exchange) fn settle_failure(self, usage: Usage, is_throttled: bool, now: Duration) {
        let (pacing, kind) = (self.pacing.clone(), self.kind);
        self.settle(usage, None);
        if let Some(rate) = pacing.budget.pace.rate(kind).filter(|_| is_throttled) {
            let mut state = pacing.state();
            let bucket = state.bucket(kind);
            bucket.refill(now, rate);
            // If several requests are throttled at once, they delay the next requests together, and not one after the other.
            bucket.units = bucket.units.min(-rate);
        }
    }
}

/// Gives the units back if the request was not sent.
impl Drop for Reservation {
    fn drop(&mut self) {
        if !self.is_sent {
            self.pacing.state().bucket(self.kind).units += self.units;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: fn() -> CostKey = || ("GetItem", "t".to_owned());

    fn read(units: f64) -> Usage {
        Usage { read_units: units, ..Usage::default() }
    }

    #[test]
    fn a_debt_is_paid_by_waiting_and_idle_time_saves_one_second() {
        let pacing = Pacing::new(Pace::new().read_units(10.0));
        let at = Duration::from_secs;
        let reserve = |seconds| pacing.reserve(Kind::Read, KEY(), at(seconds));
        let (first, wait) = reserve(0);
        assert_eq!(wait, Duration::ZERO);
        first.sent().settle(read(30.0), None);
        assert_eq!(pacing.wait(Kind::Read, at(0)), at(3));
        assert_eq!(pacing.without_delay().wait(Kind::Read, at(0)), Duration::ZERO);
        let (second, wait) = reserve(0);
        assert_eq!(wait, at(3));
        second.sent().settle(read(5.0), None);
        // 5 units are owed at 3 s. After a minute, 10 are saved up, and the next request is expected to cost 5.
        let (_third, wait) = reserve(60);
        assert_eq!(wait, Duration::ZERO);
        assert!((pacing.state().read.units - 5.0).abs() < 1e-9);
    }

    #[test]
    fn a_request_that_was_not_sent_costs_nothing() {
        let pacing = Pacing::new(Pace::new().read_units(10.0));
        for _ in 0..100 {
            drop(pacing.reserve(Kind::Read, KEY(), Duration::ZERO));
        }
        assert_eq!(pacing.wait(Kind::Read, Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn only_a_positive_finite_pace_is_accepted() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Pace::new().write_units(rate).check().is_err(), "{rate}");
            assert!(Pace::new().write_units(5.0).read_units(rate).check().is_err(), "{rate}");
        }
        assert!(Pace::new().read_units(0.1).check().is_ok());
        assert!(Pace::new().check().is_ok());
    }
}
