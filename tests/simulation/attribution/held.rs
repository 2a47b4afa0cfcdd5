//! Compares what each write reported with what it changed.

use super::{Made, Sent, Told};
use dyno::Item;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno_tests::journal::Change;
use std::collections::BTreeSet;

/// Returns the values of `unknown`, an attribute that no entity here declares, in a row and in the documents of this row.
fn unknown(item: &Item) -> Vec<AttributeValue> {
    let body = item.get("body").and_then(|body| body.as_m().ok());
    let parts = body.and_then(|body| body.get("parts")?.as_l().ok()).and_then(|parts| parts.first()?.as_m().ok());
    [Some(item), body, parts].into_iter().flatten().filter_map(|item| item.get("unknown").cloned()).collect()
}

/// Returns the requests that applied a write, without those that met a re-created item: an item that another write has
/// created again since the write was last applied, or since it was refused.
fn of_one_item(number: usize, sent: &Sent, made: &BTreeSet<usize>, changes: &[&Change]) -> BTreeSet<usize> {
    let refused = sent.last.filter(|_| sent.told == Told::Refused);
    let before = std::iter::once(refused).chain(made.iter().copied().map(Some));
    let anew = |(before, again): &(Option<usize>, &usize)| {
        before.is_some_and(|before| is_anew(number, sent.made, before, **again, changes))
    };
    before.zip(made).filter(|pair| !anew(pair)).map(|(_, again)| *again).collect()
}

/// Returns whether the request `again` of a write met an item that another write has created again since the request
/// `before`, which applied the write or was the last one before the write was refused.
fn is_anew(number: usize, may: Made, before: usize, again: usize, changes: &[&Change]) -> bool {
    let write_id = |item: &Option<Item>| item.as_ref().and_then(|item| item.get("_w").cloned());
    let Some(again) = changes.iter().find(|change| change.request == again) else { return false };
    let between = changes.iter().filter(|change| (before + 1..again.request).contains(&change.request));
    let mut others = between.filter(|change| change.write != Some(number) && change.keys == again.keys);
    if may == Made::OncePerItem {
        return others.any(|change| change.old.is_none());
    }
    let loaded = write_id(&again.old);
    // If the request `before` changed an item, both requests must have met the same loaded item.
    let mut met = changes.iter().filter(|change| change.request == before && change.keys == again.keys);
    loaded.is_some()
        && met.all(|change| write_id(&change.old) == loaded)
        && others.any(|change| write_id(&change.new) == loaded && write_id(&change.old) != loaded)
}

/// Checks that each write did what it reported.
pub(super) fn check(seed: u64, table: &str, sent: &[Sent], changes: &[Change]) {
    let changes: Vec<&Change> = changes.iter().filter(|change| change.table == table).collect();
    let mut made = vec![BTreeSet::new(); sent.len()];
    for change in &changes {
        let Some(number) = change.write else { continue };
        made[number].insert(change.request);
        if let (true, Some(old), Some(new)) = (sent[number].keeps, &change.old, &change.new) {
            assert_eq!(
                unknown(new),
                unknown(old),
                "seed {seed}: {} {number} took away: {change:#?}",
                sent[number].what
            );
        }
    }
    for (number, (sent, made)) in sent.iter().zip(made).enumerate() {
        let Sent { what, made: may, told, .. } = sent;
        let made = match may {
            Made::OncePerItem | Made::OncePerCopy => of_one_item(number, sent, &made, &changes),
            Made::Once | Made::AnyNumber => made,
        };
        let is_right = match (may, told) {
            (Made::AnyNumber, _) => true,
            (_, Told::Applied) => made.len() == 1,
            (_, Told::Refused) => made.is_empty(),
            (_, Told::Superseded | Told::Unknown) => made.len() <= 1,
        };
        let by_it: Vec<_> = changes.iter().filter(|change| change.write == Some(number)).collect();
        assert!(is_right, "seed {seed}: {what} {number} was told {told:?}, and was made at {made:?}: {by_it:#?}");
    }
}
