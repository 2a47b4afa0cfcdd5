//! Changes without their entity. This code depends at most on a field's type, so it is not compiled again for each field of each
//! entity.

use super::{Codec, Place};
use crate::error::{EncodeError, Step};
use crate::expression::{Action, Guard, Null, Operator, Path, RawChange};
use aws_sdk_dynamodb::types::AttributeValue;

type Encoded = Result<AttributeValue, EncodeError>;
type EncodedOption = Result<Option<AttributeValue>, EncodeError>;

impl<T, P: Place> Codec<T, P> {
    pub(super) fn change(&self, value: &T) -> RawChange {
        let action = (self.encode)(value).map(|value| value.map_or(Action::Remove, Action::Set));
        new_change(self.place.__path(), action)
    }

    pub(super) fn change_absent(&self, value: &T) -> RawChange {
        let action = (self.encode)(value).map(|value| value.map_or(Action::Nothing, Action::SetAbsent));
        nullable(new_change(self.place.__path(), action), self.is_nullable())
    }
}

/// Creates a change. If its path leads into a map, a guard requires that the map exists.
pub(super) fn new_change(path: Path, action: Result<Action, EncodeError>) -> RawChange {
    // An element of a list has a stronger guard of its own.
    let parent = path.parent().filter(|_| !matches!(path.steps().last(), Some(Step::Index(_))));
    let mut change = RawChange::new(path, action);
    change.guards.extend(parent.map(|parent| Guard::Type(parent, "M")));
    change
}

/// Creates a change with a guard of its own.
fn new_guarded_change(path: Path, change: Result<(Action, Option<Guard>), EncodeError>) -> RawChange {
    let (action, guard) = match change {
        Ok((action, guard)) => (Ok(action), guard),
        Err(error) => (Err(error), None),
    };
    let mut change = new_change(path, action);
    change.guards.extend(guard);
    change
}

/// If `nullable` is true, marks a change that treats an absent attribute specially, because NULL counts as absent at its path.
pub(super) fn nullable(mut change: RawChange, nullable: bool) -> RawChange {
    if nullable && change.depends_on_absence() {
        change.null = Null::Unknown;
    }
    change
}

/// Creates a change that adds to a number, or to the default if there is none.
pub(super) fn add(path: Path, by: Encoded, default: EncodedOption, range: Range) -> RawChange {
    let change = by.and_then(|by| {
        let absent = default?.unwrap_or_else(|| AttributeValue::N("0".to_owned()));
        let limit = limit(range, &by, Sign::Plus)?;
        // If even the default would not fit, the guard requires that a number is stored.
        let fits = limit.is_none_or(|limit| limit.holds(&absent));
        let guard = limit.map(|limit| within(&path, limit, fits));
        let is_zero = absent.as_n().is_ok_and(|absent| absent == "0");
        let action = match (fits, path.is_attribute() && is_zero) {
            (false, _) => Action::Plus { by, absent: None },
            (true, true) => Action::Add(by),
            // By the API reference, ADD takes top-level attributes only.
            (true, false) => Action::Plus { by, absent: Some(absent) },
        };
        Ok((action, guard))
    });
    new_guarded_change(path, change)
}

/// Creates a change that adds to a number that must exist, or subtracts from it.
pub(super) fn add_to_existing(path: Path, by: Encoded, range: Range, sign: Sign) -> RawChange {
    let change = by.and_then(|by| {
        let guard = match limit(range, &by, sign)? {
            Some(limit) => within(&path, limit, false),
            None => Guard::Type(path.clone(), "N"),
        };
        let action = match sign {
            Sign::Plus => Action::Plus { by, absent: None },
            Sign::Minus => Action::Minus { by },
        };
        Ok((action, Some(guard)))
    });
    new_guarded_change(path, change)
}

/// The treatment of an element that the list already contains.
#[derive(Clone, Copy)]
pub(super) enum Repeated {
    Any,
    Refused,
}

/// Creates a change that appends elements to a list, or to the default if there is none.
pub(super) fn append(
    path: Path,
    elements: Result<Vec<AttributeValue>, EncodeError>,
    default: EncodedOption,
    repeated: Repeated,
) -> RawChange {
    let change = elements.and_then(|elements| {
        let Some(first) = elements.first() else {
            return Ok((Action::Nothing, None));
        };
        let absent = default?.unwrap_or_else(|| AttributeValue::L(Vec::new()));
        let guard = match repeated {
            Repeated::Any => None,
            Repeated::Refused => Some(Guard::Lacks(path.clone(), first.clone())),
        };
        Ok((Action::Append { list: AttributeValue::L(elements), absent }, guard))
    });
    new_guarded_change(path, change)
}

/// Creates a change of the element at an index, with a guard that the element is the expected one.
pub(super) fn change_element(
    list: &Path,
    index: usize,
    expected: Encoded,
    action: Result<Action, EncodeError>,
) -> RawChange {
    let path = list.then(Step::Index(index));
    let change = expected.and_then(|expected| Ok((action?, Some(Guard::Element(path.clone(), expected)))));
    new_guarded_change(path, change)
}

#[derive(Clone, Copy)]
pub(super) enum Sign {
    Plus,
    Minus,
}

/// The smallest and the largest value of a number's type, if it is bounded.
pub(super) type Range = Option<(i128, i128)>;

/// A limit on a stored number: at most or at least this number.
#[derive(Clone, Copy)]
struct Limit {
    operator: Operator,
    number: i128,
}

impl Limit {
    /// Returns `true` if a number is within the limit.
    fn holds(self, number: &AttributeValue) -> bool {
        match number.as_n().map(|number| number.parse::<i128>()) {
            Ok(Ok(number)) if self.operator == Operator::Le => number <= self.number,
            Ok(Ok(number)) => number >= self.number,
            // A number in another form, such as `1e3`.
            _ => self.operator.holds(number, &self.value()),
        }
    }

    fn value(self) -> AttributeValue {
        AttributeValue::N(self.number.to_string())
    }
}

/// Returns the limit on the stored number that keeps the result within its type, or `None` if the type is unbounded.
fn limit(range: Range, by: &AttributeValue, sign: Sign) -> Result<Option<Limit>, EncodeError> {
    let (Some((min, max)), AttributeValue::N(by)) = (range, by) else { return Ok(None) };
    let by = by.parse::<i128>().ok().filter(|by| by.unsigned_abs() < 10u128.pow(38));
    let by = by.ok_or_else(|| EncodeError::new("a number with more than 38 digits cannot be added or subtracted"))?;
    // None of these overflows, because the numbers have at most 38 digits.
    let (operator, number) = match (sign, by >= 0) {
        (Sign::Plus, true) => (Operator::Le, max - by),
        (Sign::Plus, false) => (Operator::Ge, min - by),
        (Sign::Minus, true) => (Operator::Ge, min + by),
        (Sign::Minus, false) => (Operator::Le, max + by),
    };
    Ok(Some(Limit { operator, number }))
}

fn within(path: &Path, limit: Limit, absent: bool) -> Guard {
    Guard::Within { path: path.clone(), operator: limit.operator, limit: limit.value(), absent }
}
