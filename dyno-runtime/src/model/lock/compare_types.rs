//! The changes of types: of values, and of the parts of documents, enums and lists.

use super::change::{Changes, Impact};
use super::compare_attributes::{Scope, members};
use super::file::{Attribute, Nested, Type};
use std::collections::BTreeMap;

/// The name of the type of a field with a codec of its own.
const ANY: &str = "any type";

pub(super) const OTHER_KEY: &str = "Stored items are under the old key, and the key of an item or a table cannot change: write the items to a new entity or table";

/// The beginning of the name of a time that is stored as text.
const TIME: &str = "S as RFC 3339 time";

const OTHER_TEXT: &str =
    "A string of another form is an error for the programs of the last release. Store one only when none of them runs";
const OTHER_LENGTH: &str = "A value of another length is an error for the programs that have the fixed length";
const UNREADABLE: &str = "Stored values cannot be read. Add an attribute with another name, or raise the `schema_version` and convert the value in `upgrade`";

/// Compares the types of the value at a path.
pub(super) fn types(path: &str, old: &Type, new: &Type, changes: &mut Changes<'_>) {
    if old == new {
        return;
    }
    match (old, new) {
        (Type::Plain(old), Type::Plain(new)) => plain(path, old, new, changes),
        (Type::Nested(Nested::Optional(old)), Type::Nested(Nested::Optional(new))) => types(path, old, new, changes),
        (old, Type::Nested(Nested::Optional(new))) => {
            changes.conditional(
                format!("`{path}` was required, and is optional"),
                "Programs of the last release cannot read `None`. Store it only when none of them runs",
            );
            types(path, old, new, changes);
        }
        (Type::Nested(Nested::Optional(old)), new) => {
            changes.breaking(format!("`{path}` was optional, and is required"), UNREADABLE);
            types(path, old, new, changes);
        }
        (Type::Nested(old), Type::Nested(new)) => nested(path, old, new, changes),
        (Type::Nested(Nested::Enum { tag: None, variants }), Type::Plain(text))
            if text == "S" && variants.values().all(Option::is_none) =>
        {
            changes.conditional(format!("the type of `{path}` was {}, and is S", named(old)), OTHER_TEXT);
        }
        (old, new) => {
            let what = format!("the type of `{path}` was {}, and is {}", named(old), named(new));
            if is_any(old) || is_any(new) {
                unknown(what, changes);
            } else {
                changes.breaking(what, UNREADABLE);
            }
        }
    }
}

fn is_any(described: &Type) -> bool {
    matches!(described, Type::Plain(name) if name == ANY)
}

fn unknown(what: String, changes: &mut Changes<'_>) {
    changes.conditional(
        what,
        "dyno cannot see which values the field's own codec reads and writes: test it with stored items",
    );
}

fn plain(path: &str, old: &str, new: &str, changes: &mut Changes<'_>) {
    let what = format!("the type of `{path}` was {old}, and is {new}");
    let is_number = |name: &str| name == "N" || name.starts_with("N as ") || name.starts_with("N from ");
    if old == ANY || new == ANY {
        unknown(what, changes);
    } else if old.starts_with(TIME) && new.starts_with(TIME) {
        changes.conditional(
            what,
            "Conditions, filters, indexes and sets compare texts, so they take one time in two forms for two times. Run `modify_each(|_| {})` when only the new release runs, and compare times after that",
        );
    } else if old.starts_with("S as ") && new == "S" {
        changes.conditional(what, OTHER_TEXT);
    } else if old.starts_with('B') && new.starts_with('B') && (old == "B" || new == "B") {
        changes.conditional(what, OTHER_LENGTH);
    } else if is_number(old) && is_number(new) {
        changes.conditional(
            what,
            "A number that only one of the two types can hold is an error for the programs that have the other one, or they round it",
        );
    } else {
        changes.breaking(what, UNREADABLE);
    }
}

/// Returns true for times that are stored as text in two forms.
pub(super) fn are_times(old: &Type, new: &Type) -> bool {
    let is_time = |described: &Type| matches!(described, Type::Plain(name) if name.starts_with(TIME));
    old != new && is_time(old) && is_time(new)
}

/// Compares the types of a field of the key. A key cannot change, and dyno finds an item only by the text that its own release writes.
pub(super) fn key_types(field: &str, old: &Type, new: &Type, changes: &mut Changes<'_>) {
    let mut found = Vec::new();
    types(field, old, new, &mut Changes { place: changes.place.clone(), all: &mut found });
    for change in found {
        if change.impact == Impact::Breaking || are_times(old, new) {
            changes.breaking(format!("{}, and it is a part of the key", change.what), OTHER_KEY);
        } else {
            changes.all.push(change);
        }
    }
}

fn nested(path: &str, old: &Nested, new: &Nested, changes: &mut Changes<'_>) {
    if let (Some((old_keys, old)), Some((new_keys, new))) = (entries(old), entries(new)) {
        names(&format!("{path} (names)"), &old_keys, &new_keys, changes);
        return types(&format!("{path}.*"), old, new, changes);
    }
    match (old, new) {
        (Nested::List(old), Nested::List(new)) | (Nested::Set(old), Nested::Set(new)) => {
            types(&format!("{path}[]"), old, new, changes);
        }
        (Nested::Array { length, of }, Nested::Array { length: new_length, of: new }) if length == new_length => {
            types(&format!("{path}[]"), of, new, changes);
        }
        (Nested::List(old), Nested::Array { of: new, .. }) | (Nested::Array { of: old, .. }, Nested::List(new)) => {
            changes.conditional(format!("the length of `{path}` is fixed in one of the two releases"), OTHER_LENGTH);
            types(&format!("{path}[]"), old, new, changes);
        }
        (Nested::Document(old), Nested::Document(new)) => {
            members(&Scope::document(path), old, new, changes);
        }
        (Nested::Enum { tag, variants: old }, Nested::Enum { tag: new_tag, variants: new }) if tag == new_tag => {
            variants(path, old, new, changes);
        }
        (Nested::Document(members), Nested::Map(_)) | (Nested::Map(_), Nested::Document(members)) => {
            map_and_document(path, members, changes);
        }
        _ => {
            let [old, new] = [old, new].map(|described| named(&Type::Nested(described.clone())));
            changes.breaking(format!("the type of `{path}` was {old}, and is {new}"), UNREADABLE);
        }
    }
}

/// Returns the types of the names and of the values of a map.
fn entries(described: &Nested) -> Option<(Type, &Type)> {
    match described {
        Nested::Map(values) => Some((Type::Plain("S".to_owned()), values)),
        Nested::KeyedMap { keys, values } => Some(((**keys).clone(), values)),
        _ => None,
    }
}

/// Compares the types of the names of a map. A name is text, even if its type is stored as a number elsewhere.
fn names(path: &str, old: &Type, new: &Type, changes: &mut Changes<'_>) {
    match (old, new) {
        (Type::Plain(old), Type::Plain(new)) if old.starts_with('N') && new == "S" => {
            changes.conditional(format!("the type of `{path}` was {old}, and is {new}"), OTHER_TEXT);
        }
        _ => types(path, old, new, changes),
    }
}

fn map_and_document(path: &str, members: &BTreeMap<String, Attribute>, changes: &mut Changes<'_>) {
    let names = members.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    changes.conditional(
        format!(
            "`{path}` is a document with {names} in one of the two releases, and a map with any names in the other"
        ),
        "A map that does not have these members, of their types, is an error for the programs that have the document",
    );
}

fn variants(
    path: &str,
    old: &BTreeMap<String, Option<Type>>,
    new: &BTreeMap<String, Option<Type>>,
    changes: &mut Changes<'_>,
) {
    for (name, known) in old {
        match (known, new.get(name)) {
            (_, None) => changes.breaking(
                format!("the variant `{name}` of `{path}` is removed"),
                "Stored values of it cannot be read. Keep it, with `#[attribute(rename = \"…\")]` if only its name in the program changes, or raise the `schema_version` and convert the values in `upgrade`",
            ),
            (Some(known), Some(Some(value))) => types(&format!("{path}.{name}"), known, value, changes),
            (None, Some(None)) => {}
            (_, Some(_)) => changes.breaking(
                format!("the variant `{name}` of `{path}` has a value in one of the two releases only"),
                UNREADABLE,
            ),
        }
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        changes.conditional(
            format!("the variant `{name}` of `{path}` is new"),
            "Programs of the last release cannot read it. Store it only when none of them runs",
        );
    }
}

/// Returns a short name of a type.
pub(super) fn named(described: &Type) -> String {
    match described {
        Type::Plain(name) => name.clone(),
        Type::Nested(Nested::List(of)) => format!("a list of {}", named(of)),
        Type::Nested(Nested::Array { length, of }) => format!("a list of {length} elements of {}", named(of)),
        Type::Nested(Nested::Optional(of)) => format!("optional {}", named(of)),
        Type::Nested(Nested::Set(of)) => format!("a set of {}", named(of)),
        Type::Nested(Nested::Map(of)) => format!("a map of {}", named(of)),
        Type::Nested(Nested::KeyedMap { keys, values }) => format!("a map of {} by {}", named(values), named(keys)),
        Type::Nested(Nested::Document(_)) => "a document".to_owned(),
        Type::Nested(Nested::Enum { tag: None, .. }) => "an enum".to_owned(),
        Type::Nested(Nested::Enum { tag: Some(tag), .. }) => format!("an enum with the tag `{tag}`"),
    }
}
