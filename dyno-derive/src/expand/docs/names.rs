//! The names in the documentation of generated functions: of the entity, of the fields of its key, and a call as an example.

use crate::model::{Access, Entity, FUNCTIONS, Field, Parameter, Ratchet};

/// Returns names in code style, joined: `a`, `b` and `c`.
pub(super) fn list(names: impl IntoIterator<Item = impl std::fmt::Display>, last: &str) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.pop() {
        Some(end) if names.is_empty() => end,
        Some(end) => format!("{} {last} {end}", names.join(", ")),
        None => String::new(),
    }
}

/// Joins texts: a, b or c.
pub(super) fn either(texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}

/// Returns the names of these fields, joined by "and".
pub(super) fn fields(entity: &Entity, fields: &[usize]) -> String {
    list(fields.iter().map(|field| &entity.fields[*field].name), "and")
}

/// Returns several fields as a call takes them: a tuple, unless there is only one.
pub(super) fn tuple(entity: &Entity, fields: &[usize]) -> String {
    let names: Vec<&str> = fields.iter().map(|field| &*entity.fields[*field].name).collect();
    if let [name] = names[..] { name.to_owned() } else { format!("({})", names.join(", ")) }
}

/// Names the item that a key means, by the fields of the key.
pub(super) fn item(entity: &Entity) -> String {
    let ident = &entity.container.ident;
    match &entity.key.parts[..] {
        [] => format!("`{ident}`"),
        parts => format!("`{ident}` with this `{}`", tuple(entity, parts)),
    }
}

/// Names the rows that count as no item, if the entity can have such: its tombstones, and items past their TTL.
pub(super) fn dead(entity: &Entity, tombstone: &str) -> Option<String> {
    Some(match (&entity.tombstone, entity.ttl_field) {
        (Some(_), Some(_)) => format!("{tombstone}, or an item past its TTL,"),
        (Some(_), None) => tombstone.to_owned(),
        (None, Some(_)) => "An item past its TTL".to_owned(),
        (None, None) => return None,
    })
}

/// Returns a call of a function, with the fields as arguments.
pub(super) fn call(entity: &Entity, name: &str) -> String {
    let takes = FUNCTIONS.iter().find(|function| function.name == name).map_or(&[][..], |function| function.takes);
    let token = |ratchet: &Ratchet| tuple(entity, &ratchet.tokens().collect::<Vec<_>>());
    let arguments = takes.iter().flat_map(|parameter| match parameter {
        Parameter::Key if entity.key.parts.is_empty() => Vec::new(),
        Parameter::Key => vec![tuple(entity, &entity.key.parts)],
        Parameter::Tokens => entity.ratchets.iter().map(token).collect(),
        Parameter::Version | Parameter::Number => {
            entity.version.iter().map(|version| entity.fields[version.field].name.clone()).collect()
        }
        Parameter::Edit => vec!["|item| { … }".to_owned()],
        Parameter::Itself | Parameter::Keys | Parameter::Partition | Parameter::Tombstone => Vec::new(),
    });
    format!("{}::{name}({})", entity.container.ident, arguments.collect::<Vec<_>>().join(", "))
}

/// Returns a call that updates an item: the version if the entity has one, and the change of a field.
pub(super) fn update_call(entity: &Entity) -> String {
    let version = entity.version.as_ref().map(|version| &entity.fields[version.field].name);
    let version = version.map_or_else(String::new, |name| format!(".version({name})"));
    let is_set = |field: &&Field| field.access == Access::Plain && field.attribute().is_some();
    let change = entity.fields.iter().find(is_set).map_or_else(
        || "change".to_owned(),
        |field| format!("{}::fields().{name}.set({name})", entity.container.ident, name = field.name),
    );
    format!("{}{version}.with({change})", call(entity, "update"))
}

/// Returns a call that updates a group of fields: the token of its ratchet, and a value for each field.
pub(super) fn group_call(entity: &Entity, ratchet: &Ratchet) -> String {
    let field = &entity.fields[ratchet.field].name;
    let token = tuple(entity, &ratchet.tokens().collect::<Vec<_>>());
    let values = ratchet.guards.iter().map(|guard| format!(".{name}({name})", name = entity.fields[guard.value].name));
    format!("{}.{field}({token}){}", call(entity, "update"), values.collect::<String>())
}
