//! Which transaction comes before which, and why.

use crate::Summary;
use crate::history::{Element, Outcome};
use crate::known::Known;
use crate::orders::Order;
use crate::reads::Read;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, HashMap};

/// A transaction, by its place in the history, or the moment at which a transaction ended.
///
/// Moments keep the number of edges for real time proportional to that of the transactions: each moment comes before the
/// next, and a transaction that starts comes after the latest moment.
#[derive(Clone, Copy)]
pub(crate) enum Node {
    Transaction(usize),
    Moment,
}

/// Why one transaction comes before another.
#[derive(Clone, Copy)]
pub(crate) enum Why<'h> {
    /// The first appended `before`, and the second appended `after`, the next element.
    WriteWrite { key: &'h str, before: Element, after: Element },
    /// The first appended `element`, and the second read it as the last element.
    WriteRead { key: &'h str, element: Element },
    /// The first read `list`, and the second appended `next` to it.
    ReadWrite { key: &'h str, list: &'h [Element], next: Element },
    /// One process sent both.
    Process,
    /// The first ended before the second began.
    RealTime,
}

/// The dependencies of all transactions that count.
pub(crate) struct Dependencies<'h> {
    pub(crate) graph: DiGraph<Node, Why<'h>>,
}

impl<'h> Dependencies<'h> {
    pub(crate) fn new(known: &Known<'h>, reads: &[Read<'h>], orders: &BTreeMap<&'h str, Order<'h>>) -> Self {
        let mut dependencies = Self { graph: DiGraph::new() };
        for at in 0..known.history.transactions.len() {
            dependencies.graph.add_node(Node::Transaction(at));
        }
        // The search follows the edges that were added last first. Of two paths of the same length, it reports the one with
        // more data dependencies.
        dependencies.add_real_time(known);
        dependencies.add_processes(known);
        for (key, order) in orders {
            for pair in order.appends.windows(2) {
                let ((before, from), (after, to)) = (pair[0], pair[1]);
                dependencies.add(from, to, Why::WriteWrite { key, before, after });
            }
        }
        for read in reads {
            dependencies.add_read(read, &orders[read.key]);
        }
        dependencies
    }

    /// Adds a dependency, unless both operations belong to the same transaction.
    fn add(&mut self, from: usize, to: usize, why: Why<'h>) {
        if from != to {
            self.graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), why);
        }
    }

    fn add_read(&mut self, read: &Read<'h>, order: &Order<'h>) {
        let Read { transaction: reader, key, list } = *read;
        if !order.list.starts_with(list) {
            return;
        }
        let seen = order.before[list.len()];
        if let Some(&(element, writer)) = seen.checked_sub(1).and_then(|last| order.appends.get(last)) {
            self.add(writer, reader, Why::WriteRead { key, element });
        }
        if let Some(&(next, writer)) = order.appends.get(seen) {
            self.add(reader, writer, Why::ReadWrite { key, list, next });
        }
    }

    /// Whether other transactions can come after a transaction. A transaction of unknown outcome may be applied at any time,
    /// so nothing comes after it.
    fn has_ended(known: &Known<'_>, at: usize) -> bool {
        known.transaction(at).outcome != Outcome::Unknown
    }

    fn add_processes(&mut self, known: &Known<'h>) {
        let mut by_start: Vec<usize> = known.counting().collect();
        by_start.sort_by_key(|&at| known.transaction(at).start);
        let mut latest = HashMap::new();
        for at in by_start {
            let process = known.transaction(at).process;
            if let Some(&before) = latest.get(&process) {
                self.add(before, at, Why::Process);
            }
            if Self::has_ended(known, at) {
                latest.insert(process, at);
            }
        }
    }

    fn add_real_time(&mut self, known: &Known<'h>) {
        let mut events = Vec::new();
        for at in known.counting() {
            let transaction = known.transaction(at);
            // A transaction that starts at the moment in which another one ends does not come after it, so starts are sorted
            // before ends.
            events.push((transaction.start, false, at));
            if Self::has_ended(known, at) {
                events.push((transaction.end, true, at));
            }
        }
        events.sort_unstable();
        let mut latest = None;
        for (_, is_end, at) in events {
            let transaction = NodeIndex::new(at);
            if is_end {
                let moment = self.graph.add_node(Node::Moment);
                self.graph.add_edge(transaction, moment, Why::RealTime);
                if let Some(latest) = latest.replace(moment) {
                    self.graph.add_edge(latest, moment, Why::RealTime);
                }
            } else if let Some(latest) = latest {
                self.graph.add_edge(latest, transaction, Why::RealTime);
            }
        }
    }

    pub(crate) fn summary(&self, known: &Known<'_>, reads: usize) -> Summary {
        let elements = known.history.last.values().map(Vec::len).sum();
        let mut summary = Summary { elements, reads, ..Summary::default() };
        for (at, transaction) in known.history.transactions.iter().enumerate() {
            *match transaction.outcome {
                Outcome::Committed => &mut summary.committed,
                Outcome::Aborted => &mut summary.aborted,
                Outcome::Declined => &mut summary.declined,
                Outcome::Unknown if known.writes(at) => &mut summary.applied,
                Outcome::Unknown => &mut summary.unapplied,
            } += 1;
        }
        for why in self.graph.edge_weights() {
            match why {
                Why::WriteWrite { .. } => summary.write_write += 1,
                Why::WriteRead { .. } => summary.write_read += 1,
                Why::ReadWrite { .. } => summary.read_write += 1,
                Why::Process | Why::RealTime => {}
            }
        }
        summary
    }
}
