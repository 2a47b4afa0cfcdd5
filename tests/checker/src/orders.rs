//! The order of the elements of each list, and the anomalies that lists show by themselves.

use crate::anomaly::{Anomaly, Kind};
use crate::history::{Element, Outcome};
use crate::known::{Known, Origin};
use crate::reads::Read;
use crate::words::list_of;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The elements of one key, in the order in which they were appended.
pub(crate) struct Order<'h> {
    /// The longest list that was read.
    pub(crate) list: &'h [Element],
    /// The elements of the list that count, once each, with the transactions that appended them.
    pub(crate) appends: Vec<(Element, usize)>,
    /// For each prefix length of the list, how many elements of the prefix are among the appends.
    pub(crate) before: Vec<usize>,
}

/// A list, as a transaction read it, or as it was in the end.
#[derive(Clone, Copy)]
struct Seen<'h> {
    reader: Option<usize>,
    key: &'h str,
    list: &'h [Element],
}

impl<'h> Seen<'h> {
    fn last(known: &Known<'h>) -> impl Iterator<Item = Self> {
        known.history.last.iter().map(|(key, list)| Seen { reader: None, key, list })
    }

    fn reader(&self, known: &Known<'_>) -> Option<usize> {
        self.reader.map(|at| known.transaction(at).id)
    }

    fn text(&self, known: &Known<'_>) -> String {
        let Self { key, list, .. } = self;
        match self.reader(known) {
            Some(id) => format!("T{id} read {key} as {}", list_of(list)),
            None => format!("{key} is {} in the end", list_of(list)),
        }
    }

    fn anomaly(&self, known: &Known<'_>, kind: Kind, others: &[usize], why: &str) -> Anomaly {
        let places = self.reader.into_iter().chain(others.iter().copied());
        let transactions: Vec<_> = places.map(|at| known.transaction(at)).collect();
        let mut lines = vec![format!("{}, {why}", self.text(known))];
        lines.extend(transactions.iter().map(ToString::to_string));
        let ids = transactions.iter().map(|transaction| transaction.id).collect();
        Anomaly::new(
            kind,
            ids,
            lines.join(
                "
  ",
            ),
        )
    }

    /// Returns the elements that this list must not contain, with their positions.
    fn faults(&self, known: &Known<'_>) -> Vec<(usize, Kind, Element)> {
        let mut before = HashSet::new();
        let mut faults = Vec::new();
        for (position, &element) in self.list.iter().enumerate() {
            if !before.insert(element) {
                faults.push((position, Kind::Duplicate, element));
            } else if let Some(kind) = self.fault(known, element) {
                faults.push((position, kind, element));
            }
        }
        faults
    }

    fn fault(&self, known: &Known<'_>, element: Element) -> Option<Kind> {
        let Some(origin) = known.origin(element).filter(|origin| origin.key == self.key) else {
            return Some(Kind::Garbage);
        };
        let outcome = known.transaction(origin.transaction).outcome;
        matches!(outcome, Outcome::Aborted | Outcome::Declined).then_some(Kind::AbortedRead)
    }

    fn told(&self, known: &Known<'_>, kind: Kind, element: Element) -> Anomaly {
        let origin = known.origin(element);
        let id = |origin: Origin<'_>| known.transaction(origin.transaction).id;
        let why = match (kind, origin) {
            (Kind::Duplicate, _) => format!("with {element} twice"),
            (Kind::AbortedRead, Some(origin)) => {
                format!("with {element} of T{}, which has written nothing", id(origin))
            }
            (_, Some(origin)) => format!("with {element}, which T{} has appended to {}", id(origin), origin.key),
            (_, None) => format!("with {element}, which nobody has appended"),
        };
        let others: Vec<usize> = origin.map(|origin| origin.transaction).into_iter().collect();
        self.anomaly(known, kind, &others, &why)
    }
}

impl<'h> Read<'h> {
    fn seen(&self) -> Seen<'h> {
        Seen { reader: Some(self.transaction), key: self.key, list: self.list }
    }
}

/// Reports elements that lists must not contain. Each element is reported once, with its first reader.
pub(crate) fn check_lists(known: &Known<'_>, reads: &[Read<'_>], anomalies: &mut Vec<Anomaly>) {
    let mut told = HashSet::new();
    // For each key, the length of the final list's part before its first fault. A read of a prefix of this part has no fault
    // either.
    let clean: HashMap<&str, usize> = Seen::last(known)
        .map(|last| (last.key, last.faults(known).first().map_or(last.list.len(), |&(position, ..)| position)))
        .collect();
    let is_clean = |read: &Read<'_>| {
        let clean = clean.get(read.key).copied().unwrap_or_default();
        read.list.len() <= clean && known.history.last(read.key).starts_with(read.list)
    };
    let suspects = reads.iter().filter(|read| !is_clean(read)).map(Read::seen);
    for seen in suspects.chain(Seen::last(known)) {
        for (_, kind, element) in seen.faults(known) {
            if told.insert((kind, element)) {
                anomalies.push(seen.told(known, kind, element));
            }
        }
    }
    for read in reads {
        anomalies.extend(intermediate(known, read));
    }
}

/// Returns an anomaly if a read ends within the appends of one transaction.
fn intermediate(known: &Known<'_>, read: &Read<'_>) -> Option<Anomaly> {
    let element = *read.list.last()?;
    let origin = known.origin(element).filter(|origin| origin.key == read.key && origin.nth + 1 < origin.of)?;
    let id = known.transaction(origin.transaction).id;
    let why = format!("which ends with append {} of {} that T{id} makes to it", origin.nth + 1, origin.of);
    Some(read.seen().anomaly(known, Kind::IntermediateRead, &[origin.transaction], &why))
}

/// Reports appends that are missing from the final lists, although the transaction was acknowledged, or an element of it was
/// read or is in a final list.
pub(crate) fn check_effects(known: &Known<'_>, anomalies: &mut Vec<Anomaly>) {
    let last = &known.history.last;
    let there: HashSet<(&str, Element)> =
        last.iter().flat_map(|(key, list)| list.iter().map(|element| (key.as_str(), *element))).collect();
    for at in known.counting().filter(|&at| known.writes(at)) {
        let transaction = known.transaction(at);
        let (present, missing): (Vec<_>, Vec<_>) = transaction.appends().partition(|append| there.contains(append));
        let name = |appends: &[(&str, Element)]| {
            appends.iter().map(|(key, element)| format!("{element} of {key}")).collect::<Vec<_>>().join(", ")
        };
        if missing.is_empty() {
            continue;
        }
        let (kind, why) = match transaction.outcome {
            Outcome::Unknown if !present.is_empty() => (Kind::Fractured, format!("and there is {}", name(&present))),
            Outcome::Unknown => (Kind::LostAppend, "which others have seen".to_owned()),
            _ => (Kind::LostAppend, "which was acknowledged".to_owned()),
        };
        let text = format!("in the end there is no {}, {why}\n  {transaction}", name(&missing));
        anomalies.push(Anomaly::new(kind, vec![transaction.id], text));
    }
}

/// Returns the order of each key. For each key, reports one list that is not a prefix of the longest list, if there is any.
pub(crate) fn find<'h>(
    known: &Known<'h>,
    reads: &[Read<'h>],
    anomalies: &mut Vec<Anomaly>,
) -> BTreeMap<&'h str, Order<'h>> {
    let mut lists = BTreeMap::<&str, Vec<Seen<'h>>>::new();
    for seen in Seen::last(known).chain(reads.iter().map(Read::seen)) {
        lists.entry(seen.key).or_default().push(seen);
    }
    let mut orders = BTreeMap::new();
    for (key, lists) in lists {
        let mut longest = lists[0];
        for seen in &lists {
            if seen.list.len() > longest.list.len() {
                longest = *seen;
            }
        }
        if let Some(other) = lists.iter().find(|seen| !longest.list.starts_with(seen.list)) {
            let why = format!("and {}: neither is how the other began", longest.text(known));
            let others: Vec<usize> = longest.reader.into_iter().collect();
            anomalies.push(other.anomaly(known, Kind::IncompatibleOrder, &others, &why));
        }
        orders.insert(key, order(known, longest, anomalies));
    }
    orders
}

fn order<'h>(known: &Known<'h>, longest: Seen<'h>, anomalies: &mut Vec<Anomaly>) -> Order<'h> {
    let mut order = Order { list: longest.list, appends: Vec::new(), before: vec![0] };
    let mut before = HashSet::new();
    let mut latest = HashMap::<usize, usize>::new();
    for &element in longest.list {
        let origin =
            known.origin(element).filter(|origin| origin.key == longest.key && known.writes(origin.transaction));
        if let Some(Origin { transaction, nth, .. }) = origin
            && before.insert(element)
        {
            order.appends.push((element, transaction));
            if latest.insert(transaction, nth).is_some_and(|latest| nth < latest) {
                let id = known.transaction(transaction).id;
                let why = format!("with {element} behind what T{id} has appended later");
                anomalies.push(longest.anomaly(known, Kind::Misordered, &[transaction], &why));
            }
        }
        order.before.push(order.appends.len());
    }
    order
}
