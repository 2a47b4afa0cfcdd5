//! Tailors changes to the stored item, because their update expression depends on it.
//!
//! A list element that is removed by value: DynamoDB removes an element only by its index, and other writers may move the
//! element. dyno looks for the element in the item as it was read, and the request requires that the element is still at that
//! index. If it is not, the denial returns the item, and dyno looks for the element again. (The article on list updates requires
//! only that the list contains the element somewhere. Then, after a move, the update removes another element.)
//!
//! NULL, which counts as absent: DynamoDB's operations do not treat it so. A change that sets a value where there is none assumes
//! that no NULL is stored, and the request requires that. If NULL is stored, the denial returns the item, and the change is
//! tailored to the NULL, which costs no read.

use crate::attribute::{Item, equal};
use crate::error::Step;
use crate::expression::{Action, Guard, Null, Path, RawChange};
use crate::rule::{Reason, alias};
use crate::schema::Schema;
use crate::write::write_command::WriteCommand;
use aws_sdk_dynamodb::types::AttributeValue;

/// Returns `true` if the write must be tailored to the stored item.
pub(crate) fn depends_on_item(command: &WriteCommand) -> bool {
    command.update.changes.iter().any(|change| change.null == Null::Unknown) || needs_item(command)
}

/// Returns `true` if the item must be read before the first request: the write removes a list element by value.
pub(crate) fn needs_item(command: &WriteCommand) -> bool {
    command.update.changes.iter().any(|change| matches!(change.action, Ok(Action::RemoveElement(_))))
}

/// Returns `true` if the write was refused only because the item differs, at one of these paths, from the item that the write was
/// tailored to.
pub(crate) fn is_mismatch(reasons: &[Reason], tailored_paths: &[String]) -> bool {
    reasons.iter().all(|reason| match reason {
        Reason::OtherElement { path } | Reason::Null { path } => tailored_paths.contains(path),
        _ => false,
    })
}

/// A write whose changes fit one state of the item.
pub(crate) struct TailoredWrite {
    pub(crate) command: WriteCommand,
    /// The places that the changes depend on.
    pub(crate) paths: Vec<String>,
    /// The reasons why changes were left out: the item lacks their list elements, or holds two values.
    pub(crate) missing: Vec<Reason>,
}

/// Tailors a write to this item. Without an item, it assumes that no NULL is stored.
pub(crate) fn tailor(command: &WriteCommand, item: Option<&Item>) -> TailoredWrite {
    let mut command = command.clone();
    let (schema, mut paths, mut missing) = (command.schema, Vec::new(), Vec::new());
    let changes = std::mem::take(&mut command.update.changes).into_iter().filter_map(|change| {
        let tailored = match &change.action {
            _ if change.null == Null::Unknown => tailor_to_null(schema, change, item, &mut paths),
            Ok(Action::RemoveElement(element)) => remove_by_index(schema, &change.path, element, item, &mut paths),
            _ => Ok(change),
        };
        tailored.map_err(|reason| missing.push(reason)).ok()
    });
    command.update.changes = changes.collect();
    TailoredWrite { command, paths, missing }
}

/// Returns the removal of a list element by the index at which the item has it.
fn remove_by_index(
    schema: &Schema,
    list: &Path,
    element: &AttributeValue,
    item: Option<&Item>,
    paths: &mut Vec<String>,
) -> Result<RawChange, Reason> {
    let elements = match item.and_then(|item| list.find(item)) {
        Some(AttributeValue::L(elements)) => &elements[..],
        _ => &[],
    };
    let Some(index) = elements.iter().position(|found| equal(found, element)) else {
        let elsewhere = item.and_then(|item| alias::elsewhere(schema, list, item));
        return Err(elsewhere.unwrap_or_else(|| Reason::NotContained { path: list.to_string() }));
    };
    let path = list.then(Step::Index(index));
    paths.push(path.to_string());
    let guards = vec![Guard::Element(path.clone(), element.clone())];
    Ok(RawChange { guards, ..RawChange::new(path, Ok(Action::Remove)) })
}

/// Returns a change for an item that stores NULL at its place, or does not, and adds the places that tell this.
fn tailor_to_null(
    schema: &Schema,
    mut change: RawChange,
    item: Option<&Item>,
    paths: &mut Vec<String>,
) -> Result<RawChange, Reason> {
    let aliases = if change.path.is_attribute() { schema.aliases(change.path.name()) } else { &[] };
    let names = std::iter::once(change.path.clone()).chain(aliases.iter().map(|alias| Path::from(*alias)));
    let (mut guarded, mut found_null) = (Vec::new(), false);
    for name in names {
        let found = item.and_then(|item| name.find(item));
        let is_null = found.is_some_and(AttributeValue::is_null);
        found_null |= is_null;
        guarded.push(name.clone());
        if found.is_some() && !is_null {
            if found_null {
                // NULL under one name and a value under an older one: nothing tells which is the later.
                return Err(Reason::TwoValues { attribute: change.path.declared(), found: name.declared() });
            }
            break;
        }
    }
    change.null = if found_null { Null::Stored } else { Null::Irrelevant };
    if found_null {
        // The range of a number applies only to a stored number.
        change.guards.retain(|guard| !matches!(guard, Guard::Within { .. }));
    }
    paths.extend(guarded.iter().map(Path::to_string));
    change.guards.extend(guarded.into_iter().map(|path| Guard::Null { path, vacant: found_null }));
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
            nullable: true,
            ..StoredAttribute::PLAIN
        }],
        ..Schema::PLAIN
    };

    /// Only a whole attribute can be stored under an alias. A change of a part of it is refused then.
    #[test]
    fn null_is_looked_for_under_the_attribute_s_name_and_aliases() {
        let own = Path::from("n");
        for (path, paths) in [(own.clone(), &["n", "old"][..]), (own.then(Step::Name("a".into())), &["n.a"])] {
            let action = Action::SetAbsent(AttributeValue::N("1".to_owned()));
            let change = RawChange { null: Null::Unknown, ..RawChange::new(path, Ok(action)) };
            let mut command = WriteCommand::new(&SCHEMA, Verb::Update { upsert: false }, Ok(Item::new()));
            command.update.changes = vec![change];
            assert_eq!(tailor(&command, None).paths, paths);
        }
    }
}
