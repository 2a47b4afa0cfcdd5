//! The steps as the text of the tables.

use super::walk::Question;
use crate::attribute::Item;
use crate::exchange::{Body, Repeat, RowWrite};
use crate::rule::{Expected, Moot, Phase, Reason};
use crate::schema::names;
use crate::write::rows_to_send::Rows;
use crate::write::write_steps::{
    Companion, ComposedWrite, Conclusion, Judgement, Knowledge, Next, Read, Retry, RevisionPut, SendAs,
};
use aws_sdk_dynamodb::types::AttributeValue;

pub(super) fn next(next: &Next, question: Question<'_>, known: &Knowledge, send_as: &SendAs) -> String {
    match next {
        Next::Send(composed, rows) => send(composed, rows, send_as),
        Next::PutRevision(put) => put_revision(put),
        Next::Judged(judgement) => self::judgement(judgement, question, known),
    }
}

fn judgement(judgement: &Judgement, question: Question<'_>, known: &Knowledge) -> String {
    match judgement {
        Judgement::Read(Read::Item) => "read the item".to_owned(),
        Judgement::Read(Read::NewestBeforeItem) if known.newest.is_some() => "read the newest revision anew".to_owned(),
        Judgement::Read(Read::NewestBeforeItem) => "read the newest revision, then the item".to_owned(),
        Judgement::Read(Read::NewestAfterItem) => "read the newest revision".to_owned(),
        Judgement::Read(Read::Revision(number)) => format!("read revision {number}"),
        Judgement::Read(Read::KeyRow) => "read the key's row".to_owned(),
        Judgement::Retry(retry) => self::retry(retry),
        Judgement::Unopposed => "nothing against it".to_owned(),
        Judgement::End(conclusion) => self::conclusion(conclusion, stored(question, known)),
    }
}

/// The stored item that the step evaluates.
fn stored<'a>(question: Question<'a>, known: &'a Knowledge) -> Option<&'a Item> {
    let denied = match question {
        Question::Judge(_, denial) => denial.item.as_ref(),
        _ => None,
    };
    denied.or(known.item.as_ref())?.as_ref()
}

pub(super) fn expected(expected: Option<Expected>) -> String {
    match expected {
        None => "Any".to_owned(),
        Some(Expected::Behind { found, last, is_dead }) => {
            format!("Behind({found}, {last}{})", if is_dead { ", dead" } else { "" })
        }
        Some(expected) => format!("{expected:?}"),
    }
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Adding => "adding",
        Phase::Replacing => "replacing",
    }
}

fn send(composed: &ComposedWrite, rows: &Rows, send_as: &SendAs) -> String {
    let companion = rows.companion.as_ref().zip(composed.companion).map(|(row, kind)| companion(kind, row));
    let main = match rows.main.body {
        Body::Put(_) => "put",
        Body::Update(..) => "update",
        Body::Delete(_) => "delete",
        Body::Check(_) => "check",
    };
    let mut text = format!("send {}: {}{main}", expected(composed.write.expected), companion.unwrap_or_default());
    if composed.write.dedup.key.is_some() && !matches!(composed.companion, Some(Companion::DedupKey)) {
        text = format!("{text}, {}", phase(composed.write.dedup.phase));
    }
    for path in &composed.tailored_paths {
        text = format!("{text}, at {path}");
    }
    for claim in &composed.write.claims {
        text = format!("{text}, claiming {}", claim.guard);
    }
    if composed.repeat == Repeat::Once {
        text.push_str(", once");
    }
    match (&rows.main.returns, send_as) {
        (None, _) => {}
        (Some(returns), SendAs::Single(Some(asked))) if returns == asked => {}
        (Some(returns), _) => text = format!("{text}, returning {}", returns.as_str()),
    }
    text
}

fn companion(kind: Companion, row: &RowWrite) -> String {
    let number = match row.item().and_then(|row| row.get(names::VERSION)) {
        Some(AttributeValue::N(number)) => number.as_str(),
        _ => "?",
    };
    // The put requires that there is no row, or also accepts the same row.
    let over =
        if row.condition.as_ref().is_some_and(|condition| condition.contains(" OR ")) { " (or the same)" } else { "" };
    let deletion = row.item().is_some_and(|row| row.contains_key(names::DELETED));
    let over = format!("{over}{}", if deletion { ", a deletion" } else { "" });
    match kind {
        Companion::NewRevision => format!("new revision {number}{over} + "),
        Companion::SupersededRevision => format!("superseded revision {number}{over} + "),
        Companion::DedupKey => "key + ".to_owned(),
    }
}

fn put_revision(RevisionPut { revision, is_stored }: &RevisionPut) -> String {
    let what = if revision.deleted && revision.image.len() == 1 { ", a deletion without a name" } else { "" };
    format!("first put revision {}{what}{}", revision.version, if *is_stored { " anew" } else { "" })
}

fn retry(retry: &Retry) -> String {
    match retry {
        Retry::Renumbered(numbers, _) => format!("again as {}", expected(Some(*numbers))),
        Retry::OtherHolder => "again, for another holder".to_owned(),
        Retry::NumberTaken => "again with numbers asked for anew".to_owned(),
        Retry::OtherPhase(to) => format!("again, {}", phase(*to)),
        Retry::ItemChanged(_) => "again, made for what is there".to_owned(),
        Retry::Locked(_) => "again when no transaction holds it".to_owned(),
    }
}

fn conclusion(conclusion: &Conclusion, stored: Option<&Item>) -> String {
    let shown = |item: &Option<Item>| match (item, stored) {
        (None, None) => "",
        (None, Some(_)) => ", shows nothing",
        (Some(item), Some(stored)) if item == stored => "",
        (Some(_), _) => ", shows another item",
    };
    match conclusion {
        Conclusion::Applied { version, item } => {
            let shown = item.as_ref().map_or("", |_| shown(item));
            format!("applied as {}{shown}", version.map_or("?".to_owned(), |version| version.to_string()))
        }
        Conclusion::Refused { reasons, moot, item, .. } => {
            let reasons: Vec<String> = reasons.iter().map(reason).collect();
            let Moot { superseded, contained } = *moot;
            let moot = [(superseded, " (superseded)"), (contained, " (contained)")];
            let moot: String = moot.into_iter().filter_map(|(is, text)| is.then_some(text)).collect();
            format!("refused: {}{moot}{}", reasons.join(", "), shown(item))
        }
        Conclusion::InDoubt => "unknown".to_owned(),
    }
}

fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Conflict { expected, found } => {
            format!("Conflict {expected}/{}", found.map_or("none".to_owned(), |found| found.to_string()))
        }
        Reason::Stale { tie, .. } => if *tie { "Stale (tie)" } else { "Stale" }.to_owned(),
        Reason::Fenced { fence, found, .. } => format!("Fenced {fence}/{found}"),
        Reason::Corrupt { attribute, .. } => format!("Corrupt {attribute}"),
        Reason::Misspelled { attribute, .. } => format!("Misspelled {attribute}"),
        Reason::Recorded { version } => format!("Recorded {version}"),
        Reason::Outdated { found, current } => format!("Outdated {found}/{current}"),
        Reason::Newer { found, current } => format!("Newer {found}/{current}"),
        Reason::Absent { path } => format!("Absent {path}"),
        Reason::Contained { path } => format!("Contained {path}"),
        Reason::NotContained { path } => format!("NotContained {path}"),
        Reason::OtherElement { path } => format!("OtherElement {path}"),
        Reason::OtherEntity { found } => format!("OtherEntity {found}"),
        Reason::Uncounted { .. } => "Uncounted".to_owned(),
        Reason::Overflow { .. } => "Overflow".to_owned(),
        reason => format!("{reason:?}"),
    }
}
