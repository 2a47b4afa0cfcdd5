//! Changes without their entity: the effect of an update on one attribute, or on a place within one.

use super::{Guard, OPERATORS, Path, Placeholders};
use crate::error::foreign_text::{VALUE_BYTES, one_line};
use crate::error::{EncodeError, Error};
use aws_sdk_dynamodb::types::AttributeValue;

/// A change without its entity.
#[derive(Clone, Debug)]
pub(crate) struct RawChange {
    pub(crate) path: Path,
    pub(crate) action: Result<Action, EncodeError>,
    /// The conditions that the change adds to the request.
    pub(crate) guards: Vec<Guard>,
    /// Older names under which the value may be stored.
    pub(crate) aliases: &'static [&'static str],
    /// How the change treats NULL.
    pub(crate) null: Null,
}

/// The assumption of a change about NULL, where NULL counts as absent. To DynamoDB's operations, NULL is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Null {
    /// The change does not depend on NULL: it does not read the stored value, or it refuses NULL anyway.
    Whatever,
    /// The change depends on it, and the stored value is not known yet.
    Unknown,
    /// The value is not NULL, which a guard ensures.
    No,
    /// The value is NULL, which a guard ensures. The change is made as if the attribute were absent.
    Yes,
}

/// The operation of a change.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Set(AttributeValue),
    /// Sets the value if the attribute is absent.
    SetAbsent(AttributeValue),
    Remove,
    /// `ADD` to a number, which counts from 0 if absent, or to a set.
    Add(AttributeValue),
    /// `DELETE` from a set.
    Delete(AttributeValue),
    /// Adds to the stored number, or to `absent` if there is none.
    Plus {
        by: AttributeValue,
        absent: Option<AttributeValue>,
    },
    /// Subtracts from the stored number.
    Minus {
        by: AttributeValue,
    },
    /// Appends `list` to the stored list, or to `absent` if there is none.
    Append {
        list: AttributeValue,
        absent: AttributeValue,
    },
    /// Removes the first element that equals this one. Its index is looked up before the request is sent.
    RemoveElement(AttributeValue),
    /// Does nothing, as for the removal of no elements.
    Nothing,
}

impl RawChange {
    pub(crate) fn new(path: impl Into<Path>, action: Result<Action, EncodeError>) -> Self {
        Self { path: path.into(), action, guards: Vec::new(), aliases: &[], null: Null::Whatever }
    }

    /// Returns true if the change depends on the stored value and also has an effect if there is none.
    pub(crate) fn goes_by_absence(&self) -> bool {
        let makes = |action: &Action| match action {
            Action::SetAbsent(_) | Action::Add(_) | Action::Delete(_) | Action::Append { .. } => true,
            Action::Plus { absent, .. } => absent.is_some(),
            _ => false,
        };
        self.action.as_ref().is_ok_and(makes)
    }

    /// Returns true if the change only removes and never creates anything.
    pub(crate) fn only_removes(&self) -> bool {
        matches!(self.action, Ok(Action::Remove | Action::RemoveElement(_) | Action::Delete(_) | Action::Nothing))
    }

    /// Returns the path, the aliases to read the stored value under, and the action to render. If the aliases are `None`, the
    /// change does not read the stored value.
    pub(super) fn settled(self) -> Result<(Path, Option<&'static [&'static str]>, Action), Error> {
        let Self { path, action, aliases, null, .. } = self;
        let is_null = null == Null::Yes;
        let action = match action.map_err(|error| path.locate(error))? {
            Action::Add(value) | Action::SetAbsent(value) if is_null => Action::Set(value),
            Action::Delete(_) if is_null => Action::Remove,
            // By now, the index has been looked up and replaces this action.
            Action::RemoveElement(_) => {
                return Err(Error::invalid("an element is to be removed whose place is not known"));
            }
            action => action,
        };
        Ok((path, (!is_null).then_some(aliases), action))
    }

    /// Returns the number of operators and functions.
    fn operators(&self) -> usize {
        // Each older name takes one function more.
        let aliases = self.aliases.len();
        match &self.action {
            Ok(Action::Nothing) | Err(_) => 0,
            Ok(Action::Set(_) | Action::Remove | Action::RemoveElement(_) | Action::Add(_) | Action::Delete(_)) => 1,
            Ok(Action::SetAbsent(_)) => 2 + aliases,
            Ok(Action::Minus { .. } | Action::Plus { absent: None, .. }) if aliases == 0 => 2,
            Ok(Action::Minus { .. } | Action::Plus { .. } | Action::Append { .. }) => 3 + aliases,
        }
    }

    /// Returns true if making the change twice has the effect of making it once. Then the update may be sent again after its
    /// outcome is unknown.
    pub(crate) fn is_repeatable(&self) -> bool {
        match &self.action {
            Ok(Action::Add(value)) => !matches!(value, AttributeValue::N(_)),
            Ok(Action::Plus { .. } | Action::Minus { .. } | Action::RemoveElement(_)) => false,
            // With this guard, the element is appended only once.
            Ok(Action::Append { .. }) => self.guards.iter().any(|guard| matches!(guard, Guard::Lacks(..))),
            // Not with a guard on an element: after a removal the next elements move up, and an equal one can take its index.
            Ok(Action::Remove | Action::Set(_)) => !self.guards.iter().any(|guard| matches!(guard, Guard::Element(..))),
            Ok(Action::SetAbsent(_) | Action::Delete(_) | Action::Nothing) | Err(_) => true,
        }
    }
}

/// The clauses of an update expression in the making, each with its text.
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

/// Refuses changes that DynamoDB would refuse together for every item.
pub(crate) fn check_changes(changes: &[RawChange]) -> Result<(), Error> {
    check_operators(changes)?;
    check_overlaps(changes)
}

/// Renders the update expression of some changes, in their order: `SET … REMOVE … ADD … DELETE …`.
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

/// Refuses an update that has too many operators for DynamoDB, before rendering it.
pub(crate) fn check_operators(changes: &[RawChange]) -> Result<(), Error> {
    let operators: usize = changes.iter().map(RawChange::operators).sum();
    if operators > OPERATORS {
        return Err(Error::invalid(format!(
            "the update has {operators} operators and functions, but DynamoDB takes {OPERATORS}: change less at once"
        )));
    }
    Ok(())
}

/// Renders one change within its clause. The change reads the stored value under its own name or an alias. If the aliases are
/// `None`, it does not read the stored value.
fn render(
    path: &Path,
    aliases: Option<&[&'static str]>,
    action: Action,
    placeholders: &mut Placeholders,
    text: &mut String,
) {
    placeholders.push_path(path, text);
    // Renders the stored value, under its name or an alias, or else `absent`.
    let there = |absent: Option<AttributeValue>, placeholders: &mut Placeholders, text: &mut String| {
        let (aliases, absent) = match (aliases, absent) {
            (None, Some(absent)) => return placeholders.push_value(path, absent, text),
            (aliases, absent) => (aliases.unwrap_or_default(), absent),
        };
        // If a value must exist, a condition requires it. But DynamoDB also refuses an operand whose path is absent.
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

/// Refuses two changes of one place, or of a place and another within it, as DynamoDB does.
fn check_overlaps(changes: &[RawChange]) -> Result<(), Error> {
    for (index, change) in changes.iter().enumerate() {
        let Some(other) = changes[..index].iter().find(|other| other.path.overlaps(&change.path)) else { continue };
        let [one, two] = [&other.path, &change.path].map(|path| one_line(&path.to_string(), VALUE_BYTES).into_owned());
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
