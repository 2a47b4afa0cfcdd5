//! The shortest cycle of a graph.

use crate::graph::{Node, Why};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef as _;
use std::collections::VecDeque;

/// Returns the sets of several nodes in which each node can be reached from every other, the smallest set first.
///
/// Does not use `tarjan_scc`, which recurses for each node of a path and can exhaust the stack.
pub(crate) fn components(graph: &DiGraph<Node, Why<'_>>) -> Vec<Vec<NodeIndex>> {
    let mut components = kosaraju_scc(graph);
    components.retain(|component| component.len() > 1);
    components.sort_by_key(Vec::len);
    components
}

/// Returns the edges of a shortest cycle. If `one` is set, it is a cycle with exactly one read that misses the next append.
pub(crate) fn cycle(graph: &DiGraph<Node, Why<'_>>, one: bool) -> Option<Vec<EdgeIndex>> {
    let mut search = Search { graph, one, found: vec![None; graph.node_count()], run: 0 };
    let mut shortest: Option<Vec<EdgeIndex>> = None;
    for component in components(graph) {
        for node in component {
            if matches!(graph[node], Node::Moment) {
                continue;
            }
            if !one {
                shortest = search.path(node, node, shortest.as_deref()).or(shortest);
                continue;
            }
            for edge in graph.edges(node).filter(|edge| matches!(edge.weight(), Why::ReadWrite { .. })) {
                if let Some(path) = search.path(edge.target(), node, shortest.as_deref()) {
                    shortest = Some([&[edge.id()], path.as_slice()].concat());
                }
            }
        }
    }
    shortest
}

struct Search<'g, 'h> {
    graph: &'g DiGraph<Node, Why<'h>>,
    one: bool,
    /// For each node: the last run that reached it, the length of the path, and the last edge of the path.
    found: Vec<Option<(usize, usize, Option<EdgeIndex>)>>,
    run: usize,
}

impl Search<'_, '_> {
    /// Returns the length of a path. Moments do not count.
    fn length(&self, path: &[EdgeIndex]) -> usize {
        path.iter().filter(|&&edge| self.cost_from(self.source(edge)) == 1).count()
    }

    fn cost_from(&self, node: NodeIndex) -> usize {
        usize::from(matches!(self.graph[node], Node::Transaction(_)))
    }

    fn source(&self, edge: EdgeIndex) -> NodeIndex {
        self.graph.edge_endpoints(edge).map_or(NodeIndex::end(), |(source, _)| source)
    }

    /// Returns the shortest path of at least one edge that makes a shorter cycle than the one already found.
    fn path(&mut self, from: NodeIndex, to: NodeIndex, than: Option<&[EdgeIndex]>) -> Option<Vec<EdgeIndex>> {
        let before = usize::from(self.one);
        let mut below = than.map_or(usize::MAX, |than| self.length(than) - before);
        let mut closing = None;
        self.run += 1;
        self.found[from.index()] = Some((self.run, 0, None));
        let mut queue = VecDeque::from([(from, 0)]);
        while let Some((node, length)) = queue.pop_front() {
            let next = length + self.cost_from(node);
            if next >= below || self.reached(node).is_some_and(|(reached, _)| reached < length) {
                continue;
            }
            for edge in self.graph.edges(node) {
                if self.one && matches!(edge.weight(), Why::ReadWrite { .. }) {
                    continue;
                }
                let target = edge.target();
                if target == to {
                    (below, closing) = (next, Some(edge.id()));
                    break;
                }
                if self.reached(target).is_none_or(|(reached, _)| next < reached) {
                    self.found[target.index()] = Some((self.run, next, Some(edge.id())));
                    // Targets at no cost go to the front of the queue, before those at cost 1.
                    if next == length { queue.push_front((target, next)) } else { queue.push_back((target, next)) }
                }
            }
        }
        closing.map(|closing| self.walk_back(closing))
    }

    /// Returns the length at which this run reached a node, and by which edge.
    fn reached(&self, node: NodeIndex) -> Option<(usize, Option<EdgeIndex>)> {
        self.found[node.index()].filter(|(run, ..)| *run == self.run).map(|(_, length, by)| (length, by))
    }

    fn walk_back(&self, closing: EdgeIndex) -> Vec<EdgeIndex> {
        let mut path = vec![closing];
        let mut node = self.source(closing);
        while let Some((_, Some(edge))) = self.reached(node) {
            path.push(edge);
            node = self.source(edge);
        }
        path.reverse();
        path
    }
}
