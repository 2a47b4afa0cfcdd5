//! The changes of attributes, and of the members of documents.

use super::change::Changes;
use super::compare_types::{are_times, named, types};
use super::file::{Attribute, Entity, Type};
use std::collections::{BTreeMap, BTreeSet};

type Attributes = BTreeMap<String, Attribute>;

/// The place of attributes: an item, or a document in it.
pub(super) struct Scope {
    /// The path of the document and a dot; empty for an item.
    prefix: String,
    /// The attributes that rules need under their names. They have no aliases, and their rules report another name.
    of_rules: BTreeSet<String>,
}

impl Scope {
    pub(super) fn document(path: &str) -> Self {
        Self { prefix: format!("{path}."), of_rules: BTreeSet::new() }
    }

    fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Returns the advice for an attribute whose name was changed. The members of documents have no aliases.
    fn rename(&self, old: &str, new: &str) -> String {
        if self.prefix.is_empty() {
            format!(
                "Programs that know one name do not read the other. Deploy `#[attribute(rename = \"{old}\", alias = \"{new}\")]` in this release, and the other way round in the next"
            )
        } else {
            format!(
                "Members of documents have no aliases. Keep the name, `#[attribute(rename = \"{old}\")]`, or raise the `schema_version` and rename it in `upgrade`"
            )
        }
    }
}

/// Compares the attributes. If the schema version was raised, `upgrade` converts older items, and dyno cannot know how: changes of
/// the shape are safe then.
pub(super) fn attributes(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    if is_upgraded(old, new) {
        if old.attributes != new.attributes {
            changes.safe("the attributes are different, and `upgrade` converts older items");
        }
        // Another form of times is reported with the rule that compares them.
        let is_other = |old: &Type, new: &Type| old != new && !are_times(old, new);
        for name in of_conditions(old).intersection(&of_conditions(new)) {
            let types = old.attributes.get(name).zip(new.attributes.get(name));
            if let Some((known, attribute)) = types.filter(|(old, new)| is_other(&old.stored_type, &new.stored_type)) {
                let (was, is) = (named(&known.stored_type), named(&attribute.stored_type));
                changes.breaking(
                    format!("the type of `{name}` was {was}, and is {is}, and a rule uses it"),
                    "DynamoDB compares the values of items as they are stored, before `upgrade`. Keep the type, or use another attribute",
                );
            }
        }
    } else {
        let scope = Scope { prefix: String::new(), of_rules: of_rules(old) };
        members(&scope, &old.attributes, &new.attributes, changes);
    }
    match (old.rest, new.rest) {
        (true, false) => changes
            .conditional("the `rest` field is removed", "A put drops the attributes that the entity does not declare"),
        (false, true) => changes.safe("the `rest` field is new"),
        _ => {}
    }
}

/// Returns the attributes of the rules that report another name themselves.
fn of_rules(entity: &Entity) -> BTreeSet<String> {
    entity.version.iter().chain(&entity.fence).chain(entity.ratchets.keys()).cloned().collect()
}

/// Returns the attributes that the conditions of rules compare as they are stored.
fn of_conditions(entity: &Entity) -> BTreeSet<String> {
    let tiebreaks = entity.ratchets.values().filter_map(|ratchet| ratchet.tiebreak.clone());
    let unique = entity.unique.values().flatten().cloned();
    let times = entity.ttl.iter().chain(&entity.created).chain(&entity.updated).cloned();
    of_rules(entity).into_iter().chain(tiebreaks).chain(unique).chain(times).collect()
}

pub(super) fn is_upgraded(old: &Entity, new: &Entity) -> bool {
    let versions = old.schema_version.as_ref().zip(new.schema_version.as_ref());
    versions.is_some_and(|(old, new)| old.attribute == new.attribute && old.current < new.current)
}

/// Compares the attributes of an item, or the members of a document.
pub(super) fn members(scope: &Scope, old: &Attributes, new: &Attributes, changes: &mut Changes<'_>) {
    for (name, known) in old {
        match reader(name, new) {
            Some((current, attribute)) => {
                if current != name && !old.contains_key(current) {
                    renamed(scope, name, known, current, changes);
                }
                types(&scope.path(name), &known.stored_type, &attribute.stored_type, changes);
                presence(&scope.path(name), known, attribute, changes);
                aliases(name, known, new, changes);
            }
            None => removed(scope, name, known, old, new, changes),
        }
    }
    for (name, attribute) in new {
        let read: Vec<&String> =
            old.keys().filter(|stored| reader(stored, new).is_some_and(|(found, _)| found == name)).collect();
        match read[..] {
            [] => added(&scope.path(name), attribute, changes),
            [_] => {}
            [..] => changes.breaking(
                format!("`{name}` is read from several stored attributes: {}", list(&read)),
                "An item that has two of them cannot be read. Read them as separate fields, or raise the `schema_version` and merge them in `upgrade`",
            ),
        }
    }
}

/// Returns the attribute that reads the values stored under this name.
pub(super) fn reader<'a>(name: &str, new: &'a Attributes) -> Option<(&'a String, &'a Attribute)> {
    let by_alias = || new.iter().find(|(_, attribute)| attribute.aliases.contains(name));
    new.get_key_value(name).or_else(by_alias)
}

fn list(names: &[&String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn described(attribute: &Attribute) -> String {
    let presence = match attribute {
        Attribute { default: true, .. } => "with a default",
        Attribute { required: true, .. } => "required",
        _ => "optional",
    };
    format!("{}, {presence}", named(&attribute.stored_type))
}

fn renamed(scope: &Scope, name: &str, known: &Attribute, current: &str, changes: &mut Changes<'_>) {
    let what = format!("`{name}` is stored as `{current}` now");
    if known.aliases.contains(current) {
        changes.safe(what);
    } else {
        changes.breaking(what, &scope.rename(name, current));
    }
}

fn presence(path: &str, old: &Attribute, new: &Attribute, changes: &mut Changes<'_>) {
    match (old, new) {
        (Attribute { required: false, .. }, Attribute { required: true, .. }) => changes.breaking(
            format!("`{path}` could be absent, and is required"),
            "Items without it cannot be read. Give it a `default`, or raise the `schema_version` and add it in `upgrade`",
        ),
        (Attribute { required: true, .. }, Attribute { required: false, default: false, .. }) => changes.conditional(
            format!("`{path}` was required, and is optional"),
            "Programs of the last release cannot read an item without it. Store `None` only when none of them runs",
        ),
        (Attribute { default: true, .. }, Attribute { required: false, default: false, .. }) => changes.conditional(
            format!("`{path}` had a default, and is optional"),
            "An item without it is read as `None` instead of the default",
        ),
        (Attribute { required: true, .. }, Attribute { default: true, .. }) => changes.conditional(
            format!("`{path}` has a default now"),
            "Programs of the last release cannot read an item without it, as after an `upsert` that leaves it out, or after a `None`. Always store a value until none of them runs",
        ),
        (Attribute { required: false, default: false, .. }, Attribute { default: true, .. }) => changes.conditional(
            format!("`{path}` was optional, and has a default"),
            "An item without it is read as the default instead of `None`",
        ),
        _ => {}
    }
}

fn removed(
    scope: &Scope,
    name: &str,
    known: &Attribute,
    old: &Attributes,
    new: &Attributes,
    changes: &mut Changes<'_>,
) {
    let what = format!("`{}` ({}) is removed", scope.path(name), described(known));
    // A new attribute of the same type is probably the same field under another name.
    let is_same = |attribute: &Attribute| {
        attribute.stored_type == known.stored_type
            && (attribute.required, attribute.default) == (known.required, known.default)
    };
    let mut others = new.iter().filter(|(other, _)| !old.contains_key(*other) && !scope.of_rules.contains(name));
    let same = others.clone().find(|(_, attribute)| is_same(attribute));
    let similar = others.find(|(_, attribute)| attribute.stored_type == known.stored_type && !attribute.required);
    if let Some((other, _)) = same {
        let advice =
            format!("{}. If they are two fields, remove and add them in two releases", scope.rename(name, other));
        changes.breaking(format!("{what}, and `{}` of the same type is new", scope.path(other)), &advice);
    } else if known.required {
        changes.breaking(
            what,
            "Programs of the last release cannot read an item without it. Make it an `Option` or give it a `default` in this release, and remove it in the next",
        );
    } else if let Some((other, _)) = similar {
        changes.conditional(
            format!("{what}, and `{}` of the same type is new", scope.path(other)),
            "If it was renamed, the stored values are not read: give the new attribute the old name as an alias. If they are two fields, nothing is lost",
        );
    } else {
        changes.safe(what);
    }
}

fn added(path: &str, attribute: &Attribute, changes: &mut Changes<'_>) {
    let what = format!("`{path}` ({}) is new", described(attribute));
    if attribute.required {
        changes.breaking(
            what,
            "Stored items lack it and cannot be read. Make it an `Option`, give it a `default`, or raise the `schema_version` and add it in `upgrade`",
        );
    } else {
        changes.safe(what);
    }
}

/// Compares the older names under which the attribute is read.
fn aliases(name: &str, known: &Attribute, new: &Attributes, changes: &mut Changes<'_>) {
    let Some((current, attribute)) = reader(name, new) else { return };
    for alias in attribute.aliases.iter().filter(|alias| *alias != name && !known.aliases.contains(*alias)) {
        changes.safe(format!("the alias `{alias}` of `{name}` is new"));
    }
    for alias in known.aliases.iter().filter(|alias| reader(alias, new).is_none_or(|(found, _)| found != current)) {
        changes.conditional(
            format!("the alias `{alias}` of `{name}` is removed"),
            "Items that still have the older name are read without the value. Run `modify_each(|_| {})` before, and keep the alias while a history has such revisions",
        );
    }
}
