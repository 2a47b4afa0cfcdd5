//! Cycles of dependencies: for each set of transactions that depend on each other, the worst cycle in its shortest form.

use crate::anomaly::{Anomaly, Cycle, Kind, Needs};
use crate::graph::{Dependencies, Node, Why};
use crate::known::Known;
use crate::shortest;
use crate::words::list_of;
use petgraph::graph::{DiGraph, EdgeIndex};

/// The largest number of sets of transactions that are reported.
const TOLD: usize = 10;

/// The worst first. A cycle that needs no order of processes or of time is worse than one that does.
const CYCLES: [Cycle; 4] = [Cycle::G0, Cycle::G1c, Cycle::GSingle, Cycle::G2Item];
const NEEDS: [Needs; 3] = [Needs::Data, Needs::Process, Needs::RealTime];

/// One step of a cycle: the places of two transactions, and why the first comes before the second.
struct Step<'h> {
    from: usize,
    to: usize,
    why: Why<'h>,
}

pub(crate) fn find(known: &Known<'_>, dependencies: &Dependencies<'_>, anomalies: &mut Vec<Anomaly>) {
    let graph = &dependencies.graph;
    for component in shortest::components(graph).into_iter().take(TOLD) {
        let mut inside = vec![false; graph.node_count()];
        for node in component {
            inside[node.index()] = true;
        }
        let part = graph.filter_map(|at, node| inside[at.index()].then_some(*node), |_, why| Some(*why));
        anomalies.extend(worst(known, &part));
    }
}

/// Returns the worst cycle of these transactions. Worse classes are searched first, so a cycle that is found contains the
/// dependency that gives its class the name.
fn worst(known: &Known<'_>, part: &DiGraph<Node, Why<'_>>) -> Option<Anomaly> {
    NEEDS.into_iter().flat_map(|needs| CYCLES.map(|cycle| (cycle, needs))).find_map(|(cycle, needs)| {
        let class = part.filter_map(|_, node| Some(*node), |_, why| allows(cycle, needs, why).then_some(*why));
        let edges = shortest::cycle(&class, cycle == Cycle::GSingle)?;
        Some(told(known, Kind::Cycle(cycle, needs), &steps(&class, &edges)))
    })
}

fn allows(cycle: Cycle, needs: Needs, why: &Why<'_>) -> bool {
    match why {
        Why::WriteWrite { .. } => true,
        Why::WriteRead { .. } => cycle >= Cycle::G1c,
        Why::ReadWrite { .. } => cycle >= Cycle::GSingle,
        Why::Process => needs == Needs::Process,
        Why::RealTime => needs == Needs::RealTime,
    }
}

/// Returns the steps from transaction to transaction, without the moments between them.
fn steps<'h>(graph: &DiGraph<Node, Why<'h>>, edges: &[EdgeIndex]) -> Vec<Step<'h>> {
    let mut steps = Vec::new();
    let mut left = None;
    for &edge in edges {
        let Some((source, target)) = graph.edge_endpoints(edge) else { continue };
        if let Node::Transaction(at) = graph[source] {
            left = Some(at);
        }
        if let (Some(from), Node::Transaction(to)) = (left, graph[target]) {
            steps.push(Step { from, to, why: graph[edge] });
        }
    }
    if let Some(first) = (0..steps.len()).min_by_key(|&at| steps[at].from) {
        steps.rotate_left(first);
    }
    steps
}

fn told(known: &Known<'_>, kind: Kind, steps: &[Step<'_>]) -> Anomaly {
    let name = common_name(steps).map(|name| format!("{name}: ")).unwrap_or_default();
    let transactions = || steps.iter().map(|step| known.transaction(step.from));
    let mut lines = vec![format!("{name}each comes before the next, and the last before the first")];
    lines.extend(transactions().map(ToString::to_string));
    lines.extend(steps.iter().map(|step| reason(known, step)));
    Anomaly::new(kind, transactions().map(|transaction| transaction.id).collect(), lines.join("\n  "))
}

fn reason(known: &Known<'_>, step: &Step<'_>) -> String {
    let (from, to) = (known.transaction(step.from), known.transaction(step.to));
    let (a, b) = (from.id, to.id);
    match step.why {
        Why::WriteWrite { key, before, after } => {
            format!("T{a} before T{b} (ww): T{a} appended {before} to {key}, and T{b} the next, {after}")
        }
        Why::WriteRead { key, element } => {
            format!("T{a} before T{b} (wr): T{a} appended {element} to {key}, and T{b} saw it")
        }
        Why::ReadWrite { key, list, next } => {
            format!("T{a} before T{b} (rw): T{a} saw {key} as {}, without {next}, which T{b} appended", list_of(list))
        }
        Why::Process => format!("T{a} before T{b} (process): process {} sent T{a}, and then T{b}", from.process),
        Why::RealTime => {
            format!("T{a} before T{b} (real time): T{a} ended at {}, and T{b} started at {}", from.end, to.start)
        }
    }
}

/// Returns the name that textbooks give to a cycle.
fn common_name(steps: &[Step<'_>]) -> Option<&'static str> {
    let mut steps: Vec<&Why<'_>> = steps.iter().map(|step| &step.why).collect();
    // A cycle has no beginning, and `steps` begins at the transaction that is first in the history. Most patterns begin with
    // an append, so steps that begin otherwise are rotated by one.
    if !matches!(steps[0], Why::WriteRead { .. } | Why::WriteWrite { .. }) {
        steps.rotate_left(1);
    }
    match steps.as_slice() {
        [Why::WriteWrite { key, .. }, Why::ReadWrite { key: read, .. }] if key == read => Some("lost update"),
        [Why::WriteRead { .. }, Why::ReadWrite { .. }] => Some("read skew"),
        [Why::ReadWrite { .. }, Why::ReadWrite { .. }] => Some("write skew"),
        [Why::WriteRead { .. }, Why::ReadWrite { .. }, Why::WriteRead { .. }, Why::ReadWrite { .. }] => {
            Some("long fork")
        }
        [Why::Process | Why::RealTime, Why::ReadWrite { .. }]
        | [Why::ReadWrite { .. }, Why::Process | Why::RealTime] => Some("stale read"),
        _ => None,
    }
}
