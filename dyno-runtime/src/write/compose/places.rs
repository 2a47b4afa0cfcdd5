//! Changes that are made for what is there.
//!
//! Elements of lists, found by their values: an update can remove an element by its index only, and others may shift it.
//!
//! The element is looked for in the item as it was read, and the request is refused where it is not at that index any more.
//! The refusal brings the item, in which it is looked for again. (The article on list updates asks only whether the list
//! contains the element somewhere: then an index that has shifted removes another one.)
//!
//! NULL, which counts as absent: DynamoDB's operations do not know that. A change that does something where nothing is takes
//! none to be there, and is refused where it is; the refusal brings the item, and the change is made anew, for nothing.

use crate::attribute::{Item, equal};
use crate::error::Step;
use crate::expression::{Action, Guard, Null, Path, RawChange};
use crate::rule::{Reason, alias};
use crate::schema::Schema;
use crate::write::write_command::WriteCommand;
use aws_sdk_dynamodb::types::AttributeValue;

/// Whether the write is made for what is there.
pub(crate) fn is_made_for(command: &WriteCommand) -> bool {
    command.update.changes.iter().any(|change| change.null == Null::Unknown) || is_read_first(command)
}

/// Whether that must be known before, as elements must.
pub(crate) fn is_read_first(command: &WriteCommand) -> bool {
    command.update.changes.iter().any(|change| matches!(change.action, Ok(Action::RemoveElement(_))))
}

/// Whether the write was refused because something is not what it was made for, and for nothing else.
pub(crate) fn is_shift(reasons: &[Reason], places: &[String]) -> bool {
    let is_shifted = |reason: &Reason| match reason {
        Reason::OtherElement { path } | Reason::Null { path } => places.contains(path),
        _ => false,
    };
    reasons.iter().all(is_shifted)
}

/// A write, made for what an item has.
pub(crate) struct Made {
    pub(crate) command: WriteCommand,
    /// Where something is that it was made for.
    pub(crate) places: Vec<String>,
    /// The reasons for those that are not in the item.
    pub(crate) missing: Vec<Reason>,
}

/// Makes a write for this item; without one, for one that has no NULL.
pub(crate) fn make(command: &WriteCommand, item: Option<&Item>) -> Made {
    let mut made = command.clone();
    let (mut places, mut missing) = (Vec::new(), Vec::new());
    let changes = std::mem::take(&mut made.update.changes);
    made.update.changes = changes
        .into_iter()
        .filter_map(|change| {
            if change.null == Null::Unknown {
                return match made_for(command.schema, change, item, &mut places) {
                    Ok(change) => Some(change),
                    Err(reason) => {
                        missing.push(reason);
                        None
                    }
                };
            }
            let Ok(Action::RemoveElement(element)) = &change.action else { return Some(change) };
            let elements = match item.and_then(|item| change.path.find(item)) {
                Some(AttributeValue::L(elements)) => &elements[..],
                _ => &[],
            };
            let index = elements.iter().position(|found| equal(found, element));
            let Some(index) = index else {
                let elsewhere = item.and_then(|item| alias::elsewhere(command.schema, &change.path, item));
                missing.push(elsewhere.unwrap_or_else(|| Reason::NotContained { path: change.path.to_string() }));
                return None;
            };
            let path = change.path.then(Step::Index(index));
            places.push(path.to_string());
            let guards = vec![Guard::Element(path.clone(), element.clone())];
            Some(RawChange { guards, ..RawChange::new(path, Ok(Action::Remove)) })
        })
        .collect();
    Made { command: made, places, missing }
}

/// A change, made for NULL or for none, and the places where that was looked for.
fn made_for(
    schema: &Schema,
    mut change: RawChange,
    item: Option<&Item>,
    places: &mut Vec<String>,
) -> Result<RawChange, Reason> {
    let aliases = if change.path.is_attribute() { schema.aliases(change.path.name()) } else { &[] };
    let names = std::iter::once(change.path.clone()).chain(aliases.iter().map(|alias| Path::from(*alias)));
    let (mut looked_at, mut found_null) = (Vec::new(), false);
    for name in names {
        let found = item.and_then(|item| name.find(item));
        let is_null = found.is_some_and(AttributeValue::is_null);
        found_null |= is_null;
        looked_at.push(name.clone());
        if found.is_some() && !is_null {
            if found_null {
                // Under an older name, behind NULL: which of the two is the later one, nothing says.
                return Err(Reason::TwoValues { attribute: change.path.declared(), found: name.declared() });
            }
            break;
        }
    }
    change.null = if found_null { Null::Yes } else { Null::No };
    if found_null {
        // Of a number that is there.
        change.guards.retain(|guard| !matches!(guard, Guard::Within { .. }));
    }
    places.extend(looked_at.iter().map(Path::to_string));
    change.guards.extend(looked_at.into_iter().map(|path| Guard::Null { path, vacant: found_null }));
    Ok(change)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Verb;
    use crate::schema::StoredAttribute;

    static SCHEMA: Schema = Schema {
        attributes: &[StoredAttribute {
            name: "n",
            aliases: &["old"],
            field: "n",
            required: false,
            has_default: false,
            nullable: true,
        }],
        ..Schema::PLAIN
    };

    /// Only an attribute has older names: a part of it is under its own name, or the change is refused.
    #[test]
    fn null_is_looked_for_under_the_attribute_s_name_and_aliases() {
        let own = Path::from("n");
        for (path, places) in [(own.clone(), &["n", "old"][..]), (own.then(Step::Name("a".into())), &["n.a"])] {
            let action = Action::SetAbsent(AttributeValue::N("1".to_owned()));
            let change = RawChange { null: Null::Unknown, ..RawChange::new(path, Ok(action)) };
            let mut command = WriteCommand::new(&SCHEMA, Verb::Update { upsert: false }, Ok(Item::new()));
            command.update.changes = vec![change];
            assert_eq!(make(&command, None).places, places);
        }
    }
}
