//! Lets the tests compare dyno's own evaluation of conditions, changes and writes with the engine's.

use crate::attribute::Item;
use crate::command::Transaction;
use crate::error::{Error, Step};
use crate::exchange::Repository;
use crate::expression::{Action, Node, Null, Operator, Path, Placeholders, RawChange, apply, render_changes};
use crate::field;
use crate::rule::{Expected, Moot, Reason, Verb};
use crate::transaction::attempt::{Outcome, predict};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;

/// Returns true if a condition holds for an item in memory.
#[must_use]
pub fn holds<E>(condition: &field::Condition<E>, item: &Item) -> bool {
    condition.clone().into_node().is_ok_and(|node| node.holds(item))
}

/// The name of an attribute, and the steps from there.
pub type Place = (String, Vec<Step>);

fn path((name, steps): Place) -> Path {
    steps.into_iter().fold(Path::from(name), |path, step| path.then(step))
}

/// A condition of any shape.
#[derive(Clone, Debug)]
pub enum Condition {
    /// `=`, `<>`, `<`, `<=`, `>` or `>=`.
    Compare(Place, &'static str, AttributeValue),
    CompareSize(Place, &'static str, AttributeValue),
    Between(Place, AttributeValue, AttributeValue),
    In(Place, Vec<AttributeValue>),
    Exists(Place),
    NotExists(Place),
    ComparePlaces(Place, &'static str, Place),
    Present(Place),
    Vacant(Place),
    IsType(Place, &'static str),
    BeginsWith(Place, AttributeValue),
    Contains(Place, AttributeValue),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
}

fn operator(text: &str) -> Operator {
    match text {
        "=" => Operator::Eq,
        "<>" => Operator::Ne,
        "<" => Operator::Lt,
        "<=" => Operator::Le,
        ">" => Operator::Gt,
        _ => Operator::Ge,
    }
}

impl Condition {
    fn node(self) -> Node {
        let all = |terms: Vec<Self>| terms.into_iter().map(Self::node).collect();
        match self {
            Self::Compare(place, text, value) => Node::Compare(path(place), operator(text), value),
            Self::CompareSize(place, text, value) => Node::CompareSize(path(place), operator(text), value),
            Self::Between(place, low, high) => Node::Between(path(place), low, high),
            Self::In(place, values) => Node::In(path(place), values),
            Self::Exists(place) => Node::Exists(path(place)),
            Self::NotExists(place) => Node::NotExists(path(place)),
            Self::ComparePlaces(one, text, other) => Node::ComparePaths(path(one), operator(text), path(other)),
            Self::Present(place) => Node::Present(path(place)),
            Self::Vacant(place) => Node::Vacant(path(place)),
            Self::IsType(place, name) => Node::IsType(path(place), name),
            Self::BeginsWith(place, prefix) => Node::BeginsWith(path(place), prefix),
            Self::Contains(place, part) => Node::Contains(path(place), part),
            Self::And(terms) => Node::And(all(terms)),
            Self::Or(terms) => Node::Or(all(terms)),
            Self::Not(term) => term.node().not(),
        }
    }

    /// Returns true if it holds for an item in memory.
    #[must_use]
    pub fn holds(&self, item: &Item) -> bool {
        self.clone().node().holds(item)
    }
}

/// The operation of a change.
#[derive(Clone, Debug)]
pub enum Deed {
    Set(AttributeValue),
    SetAbsent(AttributeValue),
    Remove,
    Add(AttributeValue),
    Delete(AttributeValue),
    Plus { by: AttributeValue, absent: Option<AttributeValue> },
    Minus(AttributeValue),
    Append { list: AttributeValue, absent: AttributeValue },
}

/// A change of any shape.
#[derive(Clone, Debug)]
pub struct Change {
    /// The place that it changes.
    pub place: Place,
    /// The operation.
    pub deed: Deed,
    /// Older names under which the stored value may be.
    pub aliases: &'static [&'static str],
    /// True if the change is made as if the attribute were absent.
    pub is_null: bool,
}

fn raw(changes: &[Change]) -> Vec<RawChange> {
    let raw = |change: Change| {
        let action = match change.deed {
            Deed::Set(value) => Action::Set(value),
            Deed::SetAbsent(value) => Action::SetAbsent(value),
            Deed::Remove => Action::Remove,
            Deed::Add(value) => Action::Add(value),
            Deed::Delete(value) => Action::Delete(value),
            Deed::Plus { by, absent } => Action::Plus { by, absent },
            Deed::Minus(by) => Action::Minus { by },
            Deed::Append { list, absent } => Action::Append { list, absent },
        };
        let null = if change.is_null { Null::Stored } else { Null::Irrelevant };
        RawChange { aliases: change.aliases, null, ..RawChange::new(path(change.place), Ok(action)) }
    };
    changes.iter().cloned().map(raw).collect()
}

/// Returns the change that sets an attribute to this value, for an update of any entity.
pub fn set<E>(attribute: &'static str, value: AttributeValue) -> field::Change<E> {
    field::Change::of(RawChange::new(Path::from(attribute), Ok(Action::Set(value))))
}

/// Returns the item after these changes, as dyno evaluates them in memory.
///
/// # Errors
/// DynamoDB would refuse them.
pub fn made(changes: &[Change], item: &Item) -> Result<Item, Error> {
    apply(raw(changes), item)
}

/// The expressions of a request.
#[derive(Clone, Debug)]
pub struct Expressions {
    /// The condition, or the filter.
    pub condition: Option<String>,
    /// The update, where there is one.
    pub update: Option<String>,
    /// The placeholders of names.
    pub names: Option<HashMap<String, String>>,
    /// The placeholders of values.
    pub values: Option<Item>,
}

/// Returns the expressions of a condition and of changes, as dyno sends them.
///
/// # Errors
/// They cannot be sent together.
pub fn rendered(condition: Option<&Condition>, changes: &[Change]) -> Result<Expressions, Error> {
    let mut placeholders = Placeholders::default();
    let condition = condition.map(|condition| condition.clone().node().render(&mut placeholders));
    let update = if changes.is_empty() { None } else { Some(render_changes(raw(changes), &mut placeholders)?) };
    let (names, values) = placeholders.into_parts();
    Ok(Expressions { condition, update, names, values })
}

/// The predicted result of a write.
#[derive(Clone, Debug, PartialEq)]
pub enum Foretold {
    /// The item after the write, and the version that the write stores.
    Makes { item: Option<Item>, version: Option<u64> },
    /// The reasons; whether the write is old news, and whether the lists already contain all elements that it would append.
    Refuses { reasons: Vec<Reason>, superseded: bool, contained: bool },
    /// The write has been made already.
    Made,
}

/// Predicts the result of a transaction's only action on an item in memory, and returns the reason why the prediction can be
/// wrong.
///
/// # Errors
/// Those that sending it would end in.
pub fn foretold(
    transaction: &Transaction,
    repository: &Repository,
    base: Option<&Item>,
) -> Result<(Foretold, Option<String>), Error> {
    let [action] = transaction.actions() else { return Err(Error::invalid("not one action")) };
    let tables = (action.tables)(repository)?;
    let phase = action.command.assumed_phase(repository, &tables.main);
    let (outcome, unless) = predict(&action.command, base, &tables, repository.now(), phase)?;
    let foretold = match outcome {
        Outcome::Makes { item, expected, revision: _ } => {
            let is_check = matches!(action.command.verb, Verb::Check { .. });
            let version = expected.and_then(Expected::next).filter(|_| !is_check);
            Foretold::Makes { item, version }
        }
        Outcome::Refuses { reasons, moot: Moot { superseded, contained } } => {
            Foretold::Refuses { reasons, superseded, contained }
        }
        Outcome::Made => Foretold::Made,
    };
    Ok((foretold, unless.map(|unless| format!("{unless:?}"))))
}
