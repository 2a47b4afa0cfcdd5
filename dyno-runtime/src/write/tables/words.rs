//! What comes next, in words.

use super::walk::Question;
use crate::attribute::Item;
use crate::exchange::{Body, Repeat, RowWrite};
use crate::rule::{Expected, Moot, Phase, Reason};
use crate::schema::names;
use crate::write::rows_to_send::Rows;
use crate::write::write_steps::{Again, Ended, Front, Knowledge, Next, Part, Read, Setting, Side};
use aws_sdk_dynamodb::types::AttributeValue;

pub(super) fn next(next: &Next, question: Question<'_>, known: &Knowledge, setting: &Setting) -> String {
    match next {
        Next::Send(part, rows) => send(part, rows, setting),
        Next::First(side) => first(side),
        Next::Read(Read::Item) => "read the item".to_owned(),
        Next::Read(Read::Newest) if known.newest.is_some() => "read the newest revision anew".to_owned(),
        Next::Read(Read::Newest) => "read the newest revision, then the item".to_owned(),
        Next::Read(Read::Ahead) => "read the newest revision".to_owned(),
        Next::Read(Read::Revision(number)) => format!("read revision {number}"),
        Next::Read(Read::KeyRow) => "read the key's row".to_owned(),
        Next::Again(again) => self::again(again),
        Next::Fine => "nothing against it".to_owned(),
        Next::Done(ended) => self::ended(ended, there(question, known)),
    }
}

/// The item that the question is of.
fn there<'a>(question: Question<'a>, known: &'a Knowledge) -> Option<&'a Item> {
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

fn send(part: &Part, rows: &Rows, setting: &Setting) -> String {
    let front = rows.front.as_ref().zip(part.front).map(|(row, kind)| front(kind, row));
    let main = match rows.main.body {
        Body::Put(_) => "put",
        Body::Update(..) => "update",
        Body::Delete(_) => "delete",
        Body::Check(_) => "check",
    };
    let mut text = format!("send {}: {}{main}", expected(part.write.expected), front.unwrap_or_default());
    if part.write.key.is_some() && !matches!(part.front, Some(Front::Key)) {
        text = format!("{text}, {}", phase(part.write.phase));
    }
    for path in &part.places {
        text = format!("{text}, at {path}");
    }
    if part.repeat == Repeat::Once {
        text.push_str(", once");
    }
    match (&rows.main.returns, setting) {
        (None, _) => {}
        (Some(returns), Setting::Alone(Some(asked))) if returns == asked => {}
        (Some(returns), _) => text = format!("{text}, returning {}", returns.as_str()),
    }
    text
}

fn front(kind: Front, row: &RowWrite) -> String {
    let number = match row.item().and_then(|row| row.get(names::VERSION)) {
        Some(AttributeValue::N(number)) => number.as_str(),
        _ => "?",
    };
    // Where none is, or where none is or the same.
    let over =
        if row.condition.as_ref().is_some_and(|condition| condition.contains(" OR ")) { " (or the same)" } else { "" };
    let deletion = row.item().is_some_and(|row| row.contains_key(names::DELETED));
    let over = format!("{over}{}", if deletion { ", a deletion" } else { "" });
    match kind {
        Front::New => format!("new revision {number}{over} + "),
        Front::Superseded => format!("superseded revision {number}{over} + "),
        Front::Key => "key + ".to_owned(),
    }
}

fn first(Side { revision, is_there }: &Side) -> String {
    let what = if revision.deleted && revision.image.len() == 1 { ", a deletion without a name" } else { "" };
    format!("first put revision {}{what}{}", revision.version, if *is_there { " anew" } else { "" })
}

fn again(again: &Again) -> String {
    match again {
        Again::Numbers(numbers, _) => format!("again as {}", expected(Some(*numbers))),
        Again::Taken => "again with numbers asked for anew".to_owned(),
        Again::Phase(to) => format!("again, {}", phase(*to)),
        Again::Shifted(_) => "again, made for what is there".to_owned(),
        Again::Held(_) => "again when no transaction holds it".to_owned(),
    }
}

fn ended(ended: &Ended, there: Option<&Item>) -> String {
    let shown = |item: &Option<Item>| match (item, there) {
        (None, None) => "",
        (None, Some(_)) => ", shows nothing",
        (Some(item), Some(there)) if item == there => "",
        (Some(_), _) => ", shows another item",
    };
    match ended {
        Ended::Applied { version, item } => {
            let shown = item.as_ref().map_or("", |_| shown(item));
            format!("applied as {}{shown}", version.map_or("?".to_owned(), |version| version.to_string()))
        }
        Ended::Refused { reasons, moot, item, .. } => {
            let reasons: Vec<String> = reasons.iter().map(reason).collect();
            let Moot { superseded, contained } = *moot;
            let moot = [(superseded, " (superseded)"), (contained, " (contained)")];
            let moot: String = moot.into_iter().filter_map(|(is, text)| is.then_some(text)).collect();
            format!("refused: {}{moot}{}", reasons.join(", "), shown(item))
        }
        Ended::Unknown => "unknown".to_owned(),
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
