//! Changes without their entity: what an update does to one attribute, or to a place within one.

use super::{Guard, OPERATORS, Path, Placeholders};
use crate::error::shown::{VALUE_BYTES, shown};
use crate::error::{EncodeError, Error};
use aws_sdk_dynamodb::types::AttributeValue;

/// A change without its entity.
#[derive(Clone, Debug)]
pub(crate) struct RawChange {
    pub(crate) path: Path,
    pub(crate) action: Result<Action, EncodeError>,
    /// What it demands of the item.
    pub(crate) guards: Vec<Guard>,
    /// Where the value may be that it goes by, if not there.
    pub(crate) aliases: &'static [&'static str],
    /// What is to be done about NULL.
    pub(crate) null: Null,
}

/// What a change takes to be there, where NULL counts as absent: to DynamoDB's operations it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Null {
    /// It does not matter: the change goes by nothing that is there, or refuses NULL by itself.
    Whatever,
    /// It matters, and what is there is not known.
    Unknown,
    /// No NULL, which a guard sees to.
    No,
    /// NULL, which a guard sees to: the change is made as if nothing were there.
    Yes,
}

/// What happens there.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Set(AttributeValue),
    /// Set, where nothing is.
    SetAbsent(AttributeValue),
    Remove,
    /// `ADD` to a number, which counts from 0, or to a set.
    Add(AttributeValue),
    /// `DELETE` from a set.
    Delete(AttributeValue),
    /// More than it was by so much; where it was not, more than this.
    Plus {
        by: AttributeValue,
        absent: Option<AttributeValue>,
    },
    /// Less than it was by so much.
    Minus {
        by: AttributeValue,
    },
    /// The list with this one behind it; where there was none, behind this.
    Append {
        list: AttributeValue,
        absent: AttributeValue,
    },
    /// The list without the first element that equals this. Where that is, is found out before it is sent.
    RemoveElement(AttributeValue),
    /// Nothing, as of the removal of no elements.
    Nothing,
}

impl RawChange {
    pub(crate) fn new(path: impl Into<Path>, action: Result<Action, EncodeError>) -> Self {
        Self { path: path.into(), action, guards: Vec::new(), aliases: &[], null: Null::Whatever }
    }

    /// Whether it goes by what is there, and does something where nothing is.
    pub(crate) fn goes_by_absence(&self) -> bool {
        let makes = |action: &Action| match action {
            Action::SetAbsent(_) | Action::Add(_) | Action::Delete(_) | Action::Append { .. } => true,
            Action::Plus { absent, .. } => absent.is_some(),
            _ => false,
        };
        self.action.as_ref().is_ok_and(makes)
    }

    /// Whether it takes away, and never makes anything.
    pub(crate) fn only_removes(&self) -> bool {
        matches!(self.action, Ok(Action::Remove | Action::RemoveElement(_) | Action::Delete(_) | Action::Nothing))
    }

    /// What is done where, by what is there under its own name or else under one of these; where they are `None`, by nothing.
    pub(super) fn settled(self) -> Result<(Path, Option<&'static [&'static str]>, Action), Error> {
        let Self { path, action, aliases, null, .. } = self;
        let is_null = null == Null::Yes;
        let action = match action.map_err(|error| path.locate(error))? {
            Action::Add(value) | Action::SetAbsent(value) if is_null => Action::Set(value),
            Action::Delete(_) if is_null => Action::Remove,
            // Where it is, has been found out by now.
            Action::RemoveElement(_) => {
                return Err(Error::invalid("an element is to be removed whose place is not known"));
            }
            action => action,
        };
        Ok((path, (!is_null).then_some(aliases), action))
    }

    /// How many operators and functions it has.
    fn operators(&self) -> usize {
        // Each older name takes a function more.
        let aliases = self.aliases.len();
        match &self.action {
            Ok(Action::Nothing) | Err(_) => 0,
            Ok(Action::Set(_) | Action::Remove | Action::RemoveElement(_) | Action::Add(_) | Action::Delete(_)) => 1,
            Ok(Action::SetAbsent(_)) => 2 + aliases,
            Ok(Action::Minus { .. } | Action::Plus { absent: None, .. }) if aliases == 0 => 2,
            Ok(Action::Minus { .. } | Action::Plus { .. } | Action::Append { .. }) => 3 + aliases,
        }
    }

    /// Whether the change, made twice, is as made once: then it may be sent again when nobody knows whether it was made.
    pub(crate) fn is_repeatable(&self) -> bool {
        match &self.action {
            Ok(Action::Add(value)) => !matches!(value, AttributeValue::N(_)),
            Ok(Action::Plus { .. } | Action::Minus { .. } | Action::RemoveElement(_)) => false,
            // Of an element that is not in the list, once is all.
            Ok(Action::Append { .. }) => self.guards.iter().any(|guard| matches!(guard, Guard::Lacks(..))),
            // Another element that is equal can have moved there: behind one that is removed, the next one does.
            Ok(Action::Remove | Action::Set(_)) => !self.guards.iter().any(|guard| matches!(guard, Guard::Element(..))),
            Ok(Action::SetAbsent(_) | Action::Delete(_) | Action::Nothing) | Err(_) => true,
        }
    }
}

/// The clauses of an update expression under way, each with its text.
#[derive(Default)]
struct Clauses([String; 4]);

const CLAUSES: [&str; 4] = ["SET ", "REMOVE ", "ADD ", "DELETE "];
const SET: usize = 0;
const REMOVE: usize = 1;
const ADD: usize = 2;
const DELETE: usize = 3;

impl Clauses {
    fn next(&mut self, clause: usize) -> &mut String {
        let text = &mut self.0[clause];
        text.push_str(if text.is_empty() { CLAUSES[clause] } else { ", " });
        text
    }

    fn join(self) -> String {
        let mut clauses = self.0.into_iter().filter(|text| !text.is_empty());
        let first = clauses.next().unwrap_or_default();
        clauses.fold(first, |joined, clause| joined + " " + &clause)
    }
}

/// Refuses changes that DynamoDB would refuse together, whatever is there.
pub(crate) fn check_changes(changes: &[RawChange]) -> Result<(), Error> {
    check_operators(changes)?;
    check_overlaps(changes)
}

/// The update expression of some changes, in their order: `SET … REMOVE … ADD … DELETE …`.
pub(crate) fn render_changes(changes: Vec<RawChange>, placeholders: &mut Placeholders) -> Result<String, Error> {
    let mut clauses = Clauses::default();
    for change in changes {
        let (path, aliases, action) = change.settled()?;
        let clause = match &action {
            Action::Nothing => continue,
            Action::Set(_)
            | Action::SetAbsent(_)
            | Action::Minus { .. }
            | Action::Plus { .. }
            | Action::Append { .. } => SET,
            Action::Remove | Action::RemoveElement(_) => REMOVE,
            Action::Add(_) => ADD,
            Action::Delete(_) => DELETE,
        };
        render(&path, aliases, action, placeholders, clauses.next(clause));
    }
    Ok(clauses.join())
}

/// Refuses an update that DynamoDB would refuse for its length in terms, before anything is made of them.
pub(crate) fn check_operators(changes: &[RawChange]) -> Result<(), Error> {
    let operators: usize = changes.iter().map(RawChange::operators).sum();
    if operators > OPERATORS {
        return Err(Error::invalid(format!(
            "the update has {operators} operators and functions, but DynamoDB takes {OPERATORS}: change less at once"
        )));
    }
    Ok(())
}

/// One change within its clause. It goes by what is there, or under one of the aliases; where these are `None`, by nothing.
fn render(
    path: &Path,
    aliases: Option<&[&'static str]>,
    action: Action,
    placeholders: &mut Placeholders,
    text: &mut String,
) {
    placeholders.push_path(path, text);
    // What is there, or under an alias; else this.
    let there = |absent: Option<AttributeValue>, placeholders: &mut Placeholders, text: &mut String| {
        let (aliases, absent) = match (aliases, absent) {
            (None, Some(absent)) => return placeholders.push_value(path, absent, text),
            (aliases, absent) => (aliases.unwrap_or_default(), absent),
        };
        // Where something must be there, a condition says so. DynamoDB takes no path to nothing all the same.
        let absent = absent.or_else(|| (!aliases.is_empty()).then(|| AttributeValue::N("0".to_owned())));
        let Some(absent) = absent else { return placeholders.push_path(path, text) };
        let paths = std::iter::once(path.clone()).chain(aliases.iter().map(|alias| Path::from(*alias)));
        for path in paths {
            text.push_str("if_not_exists(");
            placeholders.push_path(&path, text);
            text.push_str(", ");
        }
        placeholders.push_value(path, absent, text);
        text.push_str(&")".repeat(1 + aliases.len()));
    };
    match action {
        Action::Set(value) => {
            text.push_str(" = ");
            placeholders.push_value(path, value, text);
        }
        Action::SetAbsent(value) => {
            text.push_str(" = ");
            there(Some(value), placeholders, text);
        }
        Action::Plus { by, absent } => {
            text.push_str(" = ");
            there(absent, placeholders, text);
            text.push_str(" + ");
            placeholders.push_value(path, by, text);
        }
        Action::Minus { by } => {
            text.push_str(" = ");
            there(None, placeholders, text);
            text.push_str(" - ");
            placeholders.push_value(path, by, text);
        }
        Action::Append { list, absent } => {
            text.push_str(" = list_append(");
            there(Some(absent), placeholders, text);
            text.push_str(", ");
            placeholders.push_value(path, list, text);
            text.push(')');
        }
        Action::Add(value) | Action::Delete(value) => {
            text.push(' ');
            placeholders.push_value(path, value, text);
        }
        Action::Remove | Action::RemoveElement(_) | Action::Nothing => {}
    }
}

/// DynamoDB takes one change of each place, and none of a place within another that is changed.
fn check_overlaps(changes: &[RawChange]) -> Result<(), Error> {
    for (index, change) in changes.iter().enumerate() {
        let Some(other) = changes[..index].iter().find(|other| other.path.overlaps(&change.path)) else { continue };
        let [one, two] = [&other.path, &change.path].map(|path| shown(&path.to_string(), VALUE_BYTES).into_owned());
        let message = if other.path == change.path {
            format!("`{one}` is changed twice in one update: DynamoDB takes one change of it")
        } else {
            format!(
                "`{one}` and `{two}` are both changed in one update: DynamoDB takes only one of the two, since one is within the other"
            )
        };
        return Err(Error::invalid(message));
    }
    Ok(())
}
