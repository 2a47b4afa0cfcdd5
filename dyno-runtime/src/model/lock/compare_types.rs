//! The changes of types: of values, and of the parts of documents, enums and lists.

use super::change::Changes;
use super::compare_attributes::{Scope, members};
use super::file::{Attribute, Nested, Type};
use std::collections::BTreeMap;

/// The name of the type of a field with a codec of its own.
const ANY: &str = "any type";

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
    } else if old.starts_with("S as ") && new == "S" {
        changes.conditional(
            what,
            "A string of another form is an error for the programs of the last release. Store one only when none of them runs",
        );
    } else if is_number(old) && is_number(new) {
        changes.conditional(
            what,
            "A number that only one of the two types can hold is an error for the programs that have the other one",
        );
    } else {
        changes.breaking(what, UNREADABLE);
    }
}

fn nested(path: &str, old: &Nested, new: &Nested, changes: &mut Changes<'_>) {
    match (old, new) {
        (Nested::List(old), Nested::List(new)) => types(&format!("{path}[]"), old, new, changes),
        (Nested::Map(old), Nested::Map(new)) => types(&format!("{path}.*"), old, new, changes),
        (Nested::Array { length, of }, Nested::Array { length: new_length, of: new }) if length == new_length => {
            types(&format!("{path}[]"), of, new, changes);
        }
        (Nested::List(old), Nested::Array { of: new, .. }) | (Nested::Array { of: old, .. }, Nested::List(new)) => {
            changes.conditional(
                format!("the length of `{path}` is fixed in one of the two releases"),
                "A list of another length is an error for the programs that have the fixed length",
            );
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
        Type::Nested(Nested::Map(of)) => format!("a map of {}", named(of)),
        Type::Nested(Nested::Document(_)) => "a document".to_owned(),
        Type::Nested(Nested::Enum { tag: None, .. }) => "an enum".to_owned(),
        Type::Nested(Nested::Enum { tag: Some(tag), .. }) => format!("an enum with the tag `{tag}`"),
    }
}
