//! The circles of a graph: its strongly connected components.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the circles of more than one node, the largest first.
pub(crate) fn circles<'a>(arrows: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Vec<&'a str>> {
    let (mut out, mut back): (Neighbours<'a>, Neighbours<'a>) = (BTreeMap::new(), BTreeMap::new());
    for (from, to) in arrows {
        out.entry(from).or_default().insert(to);
        back.entry(to).or_default().insert(from);
    }
    let mut left: BTreeSet<&str> = out.keys().copied().collect();
    let mut circles = Vec::new();
    while let Some(node) = left.pop_first() {
        let circle: Vec<&str> = reached(node, &out).intersection(&reached(node, &back)).copied().collect();
        if circle.len() > 1 {
            left.retain(|node| !circle.contains(node));
            circles.push(circle);
        }
    }
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

type Neighbours<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Returns the node, and all nodes that can be reached from it.
fn reached<'a>(node: &'a str, neighbours: &Neighbours<'a>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::from([node]);
    let mut next = vec![node];
    while let Some(node) = next.pop() {
        next.extend(neighbours.get(node).into_iter().flatten().filter(|to| reached.insert(to)));
    }
    reached
}
