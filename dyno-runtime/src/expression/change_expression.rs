//! Changes without their entity, and the update expression that makes them.

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
    pub(crate) null: Null,
}

/// The assumption of a change about a stored NULL, where NULL counts as absent. DynamoDB's own operations treat NULL as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Null {
    /// NULL makes no difference: the change does not read the stored value, it refuses NULL anyway, or a guard excludes NULL.
    Irrelevant,
    /// NULL makes a difference, and the stored value has not been read yet.
    Unknown,
    /// NULL is stored, which a guard ensures. The change is made as if the attribute were absent.
    Stored,
}

/// The operation of a change.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Set(AttributeValue),
    /// Sets the value if the attribute is absent.
    SetAbsent(AttributeValue),
    /// Copies the value at another path of the item, which must exist.
    #[cfg_attr(not(feature = "transactions"), expect(dead_code, reason = "only rolling forward copies"))]
    Copy(Path),
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
    /// Does nothing, like the removal of no elements.
    Nothing,
}

/// An action in the grammar of DynamoDB's update expressions, after aliases and NULL have been taken into account. The renderer
/// writes it as text, and `apply` evaluates it on an item.
pub(super) enum Assignment {
    Set(Operand),
    Plus(Operand, AttributeValue),
    Minus(Operand, AttributeValue),
    Append(Operand, AttributeValue),
    Remove,
    Add(AttributeValue),
    Delete(AttributeValue),
}

/// A value in an assignment.
pub(super) enum Operand {
    Value(AttributeValue),
    /// The stored value at this path, which must exist.
    Path(Path),
    /// The stored value at the first of these paths that has one, or else this value.
    IfNotExists(Vec<Path>, AttributeValue),
}

impl RawChange {
    pub(crate) fn new(path: impl Into<Path>, action: Result<Action, EncodeError>) -> Self {
        Self { path: path.into(), action, guards: Vec::new(), aliases: &[], null: Null::Irrelevant }
    }

    /// Returns true if the change treats an absent attribute differently from a stored value, without refusing it.
    pub(crate) fn depends_on_absence(&self) -> bool {
        match &self.action {
            Ok(Action::SetAbsent(_) | Action::Add(_) | Action::Delete(_) | Action::Append { .. }) => true,
            Ok(Action::Plus { absent, .. }) => absent.is_some(),
            _ => false,
        }
    }

    /// Returns true if the change only removes and never creates anything.
    #[cfg(feature = "transactions")]
    pub(crate) fn only_removes(&self) -> bool {
        matches!(self.action, Ok(Action::Remove | Action::RemoveElement(_) | Action::Delete(_) | Action::Nothing))
    }

    /// Returns the path and the assignment to it, or `None` if the change does nothing.
    pub(super) fn assignment(self) -> Result<Option<(Path, Assignment)>, Error> {
        let Self { path, action, aliases, null, .. } = self;
        let is_null = null == Null::Stored;
        // The stored value, under the attribute's own name or an alias, or else `absent`.
        let stored = |absent: Option<AttributeValue>| match absent {
            Some(absent) if is_null => Operand::Value(absent),
            None if aliases.is_empty() => Operand::Path(path.clone()),
            // A guard requires that a value exists. But with several names, DynamoDB would refuse an operand whose path is
            // absent.
            absent => Operand::IfNotExists(
                std::iter::once(path.clone()).chain(aliases.iter().map(|alias| Path::from(*alias))).collect(),
                absent.unwrap_or_else(|| AttributeValue::N("0".to_owned())),
            ),
        };
        let assignment = match action.map_err(|error| path.locate(error))? {
            Action::Nothing => return Ok(None),
            Action::Set(value) => Assignment::Set(Operand::Value(value)),
            Action::SetAbsent(value) => Assignment::Set(stored(Some(value))),
            Action::Copy(from) => Assignment::Set(Operand::Path(from)),
            Action::Add(value) if is_null => Assignment::Set(Operand::Value(value)),
            Action::Add(value) => Assignment::Add(value),
            Action::Delete(value) if !is_null => Assignment::Delete(value),
            Action::Remove | Action::Delete(_) => Assignment::Remove,
            Action::Plus { by, absent } => Assignment::Plus(stored(absent), by),
            Action::Minus { by } => Assignment::Minus(stored(None), by),
            Action::Append { list, absent } => Assignment::Append(stored(Some(absent)), list),
            // By now, the index has been looked up and replaces this action.
            Action::RemoveElement(_) => {
                return Err(Error::invalid("an element is to be removed whose place is not known"));
            }
        };
        Ok(Some((path, assignment)))
    }

    /// Returns the number of operators and functions.
    fn operators(&self) -> usize {
        // Each alias takes one more function.
        let aliases = self.aliases.len();
        match &self.action {
            Ok(Action::Nothing) | Err(_) => 0,
            Ok(
                Action::Set(_)
                | Action::Copy(_)
                | Action::Remove
                | Action::RemoveElement(_)
                | Action::Add(_)
                | Action::Delete(_),
            ) => 1,
            Ok(Action::SetAbsent(_)) => 2 + aliases,
            Ok(Action::Minus { .. } | Action::Plus { absent: None, .. }) if aliases == 0 => 2,
            Ok(Action::Minus { .. } | Action::Plus { .. } | Action::Append { .. }) => 3 + aliases,
        }
    }

    /// Returns true if the change has the same effect when it is made twice. Then the update may be sent again although its
    /// outcome is unknown.
    pub(crate) fn is_repeatable(&self) -> bool {
        match &self.action {
            Ok(Action::Add(value)) => !matches!(value, AttributeValue::N(_)),
            Ok(Action::Plus { .. } | Action::Minus { .. } | Action::RemoveElement(_)) => false,
            // With this guard, the element is appended only once.
            Ok(Action::Append { .. }) => self.guards.iter().any(|guard| matches!(guard, Guard::Lacks(..))),
            // A guard on an element does not make a repetition safe: after a removal the next elements move up, and an equal one
            // can take its index.
            Ok(Action::Remove | Action::Set(_)) => !self.guards.iter().any(|guard| matches!(guard, Guard::Element(..))),
            Ok(Action::SetAbsent(_) | Action::Copy(_) | Action::Delete(_) | Action::Nothing) | Err(_) => true,
        }
    }
}

/// The clauses of an update expression.
#[derive(Default)]
struct Clauses([String; 4]);

const CLAUSES: [&str; 4] = ["SET ", "REMOVE ", "ADD ", "DELETE "];

impl Clauses {
    /// Returns the text of the clause that takes this assignment, ready for the assignment to be appended.
    fn text_for(&mut self, assignment: &Assignment) -> &mut String {
        let clause = match assignment {
            Assignment::Set(_) | Assignment::Plus(..) | Assignment::Minus(..) | Assignment::Append(..) => 0,
            Assignment::Remove => 1,
            Assignment::Add(_) => 2,
            Assignment::Delete(_) => 3,
        };
        let text = &mut self.0[clause];
        if text.is_empty() {
            text.reserve(64);
            text.push_str(CLAUSES[clause]);
        } else {
            text.push_str(", ");
        }
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
        if let Some((path, assignment)) = change.assignment()? {
            let text = clauses.text_for(&assignment);
            push_assignment(&path, assignment, placeholders, text);
        }
    }
    Ok(clauses.join())
}

/// Refuses an update that has too many operators for DynamoDB, before rendering it.
pub(crate) fn check_operators(changes: &[RawChange]) -> Result<(), Error> {
    let operators: usize = changes.iter().map(RawChange::operators).sum();
    if operators > OPERATORS {
        return Err(Error::invalid(format!(
            "the update has {operators} operators and functions, but DynamoDB accepts {OPERATORS}: make fewer changes in one update"
        )));
    }
    Ok(())
}

fn push_assignment(path: &Path, assignment: Assignment, placeholders: &mut Placeholders, text: &mut String) {
    placeholders.push_path(path, text);
    match assignment {
        Assignment::Set(operand) => {
            text.push_str(" = ");
            push_operand(path, operand, placeholders, text);
        }
        Assignment::Plus(operand, by) => {
            text.push_str(" = ");
            push_operand(path, operand, placeholders, text);
            text.push_str(" + ");
            placeholders.push_value(path, by, text);
        }
        Assignment::Minus(operand, by) => {
            text.push_str(" = ");
            push_operand(path, operand, placeholders, text);
            text.push_str(" - ");
            placeholders.push_value(path, by, text);
        }
        Assignment::Append(operand, list) => {
            text.push_str(" = list_append(");
            push_operand(path, operand, placeholders, text);
            text.push_str(", ");
            placeholders.push_value(path, list, text);
            text.push(')');
        }
        Assignment::Add(value) | Assignment::Delete(value) => {
            text.push(' ');
            placeholders.push_value(path, value, text);
        }
        Assignment::Remove => {}
    }
}

/// Appends an operand of an assignment to this path.
fn push_operand(path: &Path, operand: Operand, placeholders: &mut Placeholders, text: &mut String) {
    match operand {
        Operand::Value(value) => placeholders.push_value(path, value, text),
        Operand::Path(path) => placeholders.push_path(&path, text),
        Operand::IfNotExists(paths, value) => {
            for path in &paths {
                text.push_str("if_not_exists(");
                placeholders.push_path(path, text);
                text.push_str(", ");
            }
            placeholders.push_value(path, value, text);
            text.push_str(&")".repeat(paths.len()));
        }
    }
}

/// Refuses two changes of the same path, or of a path and another path within it, as DynamoDB does.
fn check_overlaps(changes: &[RawChange]) -> Result<(), Error> {
    for (index, change) in changes.iter().enumerate() {
        let Some(other) = changes[..index].iter().find(|other| other.path.overlaps(&change.path)) else { continue };
        let [one, two] = [&other.path, &change.path].map(|path| one_line(&path.to_string(), VALUE_BYTES).into_owned());
        let message = if other.path == change.path {
            format!("`{one}` is changed twice in one update, and DynamoDB accepts one change: combine them")
        } else {
            format!(
                "`{one}` and `{two}` are both changed in one update, and one contains the other: change only one of them"
            )
        };
        return Err(Error::invalid(message));
    }
    Ok(())
}
