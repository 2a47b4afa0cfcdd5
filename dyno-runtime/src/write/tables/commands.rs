//! The commands of the tables, as the typed commands make them.

use super::rows::{item, list, number, text, tie, token};
use super::schemas::{
    ATOMIC_AND_TOMBSTONE, ATOMIC_HISTORY, FENCED, FENCED_AND_RATCHETED, FENCED_AND_VERSIONED, IMMUTABLE,
    IMMUTABLE_AND_VERSIONED, KEYED_BY_COUNT, KEYED_BY_ROW, MARKED, MARKED_AND_VERSIONED, ORDERED_AND_TOMBSTONE,
    ORDERED_UNNAMED, PLAIN, RATCHETED, RATCHETED_AND_VERSIONED, SHAPED, SHAPED_AND_RATCHETED, SPELLED, TIED,
    TOMBSTONE_AND_TTL, TRANSACTIONAL, TRANSACTIONAL_AND_KEYED, TRANSACTIONAL_AND_ORDERED, UNIQUE, UNNAMED,
    VERSION_AND_TOMBSTONE, VERSION_AND_TTL, VERSIONED,
};
use crate::attribute::Item;
use crate::expression::{Action, Guard, Node, Operator, RawChange};
use crate::rule::{Expected, Image, Verb};
use crate::schema::{Mode, Schema, Token};
use crate::write::write_command::WriteCommand;
use std::sync::Arc;

/// The version of the loaded item.
pub(super) const LOADED: u64 = 3;
/// The idempotency key.
pub(super) const KEY: &[u8] = b"key";

/// A command with its name in the tables.
pub(super) type Named = (&'static str, WriteCommand);

/// The entities, by the names of their tables.
pub(super) const ENTITIES: [(&str, &Schema); 29] = [
    ("plain", &PLAIN),
    ("tombstone_and_ttl", &TOMBSTONE_AND_TTL),
    ("version", &VERSIONED),
    ("version_without_names", &UNNAMED),
    ("version_and_tombstone", &VERSION_AND_TOMBSTONE),
    ("version_and_ttl", &VERSION_AND_TTL),
    ("atomic_history", &ATOMIC_HISTORY),
    ("atomic_history_and_tombstone", &ATOMIC_AND_TOMBSTONE),
    ("ordered_history", &ORDERED_AND_TOMBSTONE),
    ("ordered_history_without_names", &ORDERED_UNNAMED),
    ("keyed_by_count", &KEYED_BY_COUNT),
    ("keyed_by_row", &KEYED_BY_ROW),
    ("ratchet", &RATCHETED),
    ("ratchet_with_a_tiebreak", &TIED),
    ("ratchet_of_texts", &SPELLED),
    ("ratchet_and_version", &RATCHETED_AND_VERSIONED),
    ("fence", &FENCED),
    ("fence_and_ratchet", &FENCED_AND_RATCHETED),
    ("fence_and_version", &FENCED_AND_VERSIONED),
    ("immutable", &IMMUTABLE),
    ("immutable_and_version", &IMMUTABLE_AND_VERSIONED),
    ("marked", &MARKED),
    ("marked_and_ordered_history", &MARKED_AND_VERSIONED),
    ("schema_version", &SHAPED),
    ("schema_version_and_ratchet", &SHAPED_AND_RATCHETED),
    ("transactional", &TRANSACTIONAL),
    ("transactional_and_ordered_history", &TRANSACTIONAL_AND_ORDERED),
    ("transactional_and_keyed", &TRANSACTIONAL_AND_KEYED),
    ("unique", &UNIQUE),
];

/// Returns the commands of an entity whose steps differ from those of another entity.
pub(super) fn commands(schema: &'static Schema) -> Vec<Named> {
    let mut commands = match (&schema.version, &schema.history) {
        (Some(_), Some(_)) => recorded(schema),
        (Some(_), None) => counted(schema),
        (None, _) => uncounted(schema),
    };
    if schema.fence.is_some() {
        fence(&mut commands);
    }
    let mut checks = checks(schema);
    // One check is enough to show that a check leaves nothing in a history.
    checks.retain(|(name, _)| schema.history.is_none() || *name == "check of 3");
    commands.extend(checks);
    if schema.tombstone.is_some() && schema.history.is_none() {
        commands.push(("undelete", put(schema, Verb::Undelete, LOADED)));
        if schema.version.is_none() {
            let tombstone = super::rows::tombstone(schema, LOADED);
            commands.push(("purge", WriteCommand::new(schema, Verb::Purge, Ok(tombstone))));
        }
    }
    commands
}

/// Adds the fenced commands, and keeps those without a fence that a fence affects.
fn fence(commands: &mut Vec<Named>) {
    let fenced = [
        ("update", "update of fence 3"),
        ("put", "put of fence 4"),
        ("delete", "delete of fence 3"),
        ("update of 3", "update of 3, fence 3"),
        ("put of 3", "put of 3, fence 4"),
        ("delete of 3", "delete of 3, fence 3"),
    ];
    commands.retain(|(name, _)| ["create", "modify_each"].contains(name) || fenced.iter().any(|(of, _)| of == name));
    for (of, name) in fenced {
        let command = commands.iter().find(|(name, _)| *name == of).map(|(_, command)| command.clone());
        if let Some(mut command) = command {
            command.fenced(if name.ends_with('4') { LOADED + 1 } else { LOADED });
            commands.push((name, command));
        }
    }
}

fn uncounted(schema: &'static Schema) -> Vec<Named> {
    let is_keyed = schema.idempotency.is_some();
    let mut named = Vec::new();
    if schema.ratchets.is_empty() {
        named.push(("update", update(schema, false, set())));
        named.push(("upsert", update(schema, true, set())));
        named.push(("increment", update(schema, false, increment())));
        named.push(("append where it is not", update(schema, false, append())));
        named.push(("removal of an element", update(schema, false, removal())));
    }
    if is_keyed {
        for (_, command) in &mut named {
            command.update.dedup_key = schema.idempotency.as_ref().map(|idempotency| idempotency.keys.of(KEY));
        }
        let mut conditional = named[0].1.clone();
        conditional.and(Ok(condition()));
        named.extend([("update without a key", update(schema, false, set())), ("update if n is 3", conditional)]);
    } else {
        let read = item(schema, LOADED);
        let mut rewrite = WriteCommand::new(schema, Verb::Rewrite, Ok(key()));
        rewrite.update.changes = set();
        rewrite.image = Some(Arc::new(Image::of(schema, &read, false)));
        named.extend([
            ("put", put(schema, Verb::Put, LOADED)),
            ("put if n is 3", with_condition(put(schema, Verb::Put, LOADED))),
            ("create", put(schema, Verb::Create, LOADED)),
            ("replace", put(schema, Verb::Replace, LOADED)),
            ("modify_each", rewrite),
            ("delete", delete(schema, LOADED)),
            ("delete if n is 3", with_condition(delete(schema, LOADED))),
        ]);
    }
    named
}

fn counted(schema: &'static Schema) -> Vec<Named> {
    let mut over = put(schema, Verb::Put, LOADED);
    over.supersedes(&item(schema, LOADED));
    let mut unchecked = update(schema, false, increment());
    unchecked.expecting(Expected::Unchecked);
    let mut upsert = update(schema, true, set());
    upsert.expecting(Expected::Unchecked);
    if let Some(idempotency) = &schema.idempotency {
        let mut checked = of_loaded(update(schema, false, set()));
        for command in [&mut unchecked, &mut checked] {
            command.update.dedup_key = Some(idempotency.keys.of(KEY));
        }
        return vec![("unchecked increment", unchecked), ("update of 3", checked)];
    }
    let counted = vec![
        ("put of 3", put(schema, Verb::Put, LOADED)),
        ("create", put(schema, Verb::Create, LOADED)),
        ("update of 3", of_loaded(update(schema, false, set()))),
        ("delete of 3", delete(schema, LOADED)),
    ];
    // A write id and a tombstone change the other commands in the same way, so one entity shows them.
    let is_named = schema.write_id.is_some();
    if !is_named || schema.attribute("ttl").is_some() {
        return counted;
    }
    let others = [
        ("put of 0", put(schema, Verb::Put, 0)),
        ("put of 0 if n is 3", with_condition(put(schema, Verb::Put, 0))),
        ("put of 3 over what was loaded", over),
        ("put of 3 if n is 3", with_condition(put(schema, Verb::Put, LOADED))),
        ("replace of 0", put(schema, Verb::Replace, 0)),
        ("removal of an element of 3", of_loaded(update(schema, false, removal()))),
        ("unchecked increment", unchecked),
        ("unchecked upsert", upsert),
        ("delete of 0", delete(schema, 0)),
    ];
    counted.into_iter().chain(others).collect()
}

fn recorded(schema: &'static Schema) -> Vec<Named> {
    let loaded = item(schema, LOADED);
    let mut modify = put(schema, Verb::Replace, LOADED);
    modify.image = Image::of_loaded(schema, &loaded, true).map(Arc::new);
    modify.loaded("modify", Some(Arc::new(loaded)));
    // The loaded item has another key.
    let mut elsewhere = put(schema, Verb::Put, LOADED);
    let moved = Item::from([("id".to_owned(), text("2"))]);
    elsewhere.supersedes(&item(schema, LOADED).into_iter().chain(moved).collect());
    let conditional = with_condition(put(schema, Verb::Put, LOADED));
    let is_named = schema.write_id.is_some();
    let mut recorded = vec![
        ("create", put(schema, Verb::Create, LOADED)),
        ("put of 3", put(schema, Verb::Put, LOADED)),
        ("delete of 3", delete(schema, LOADED)),
    ];
    match schema.history.as_ref().map(|history| history.mode) {
        // These entities differ only by the mark, or by the lack of write ids.
        _ if schema.entity_type.is_some() || !is_named => recorded.truncate(2),
        Some(Mode::Ordered) => {
            recorded.extend([("replace of 0", put(schema, Verb::Replace, 0)), ("modify of 3", modify)]);
            recorded.extend([("put of 3 if n is 3", conditional), ("put of 3 over another key's", elsewhere)]);
        }
        _ if schema.tombstone.is_none() => recorded.push(("put of 0", put(schema, Verb::Put, 0))),
        _ => {}
    }
    recorded
}

/// Returns `true` if the verdicts on a command differ from those on another command.
pub(super) fn is_judged(name: &str, schema: &Schema) -> bool {
    match name {
        _ if schema.history.is_none() => true,
        _ if schema.entity_type.is_some() => false,
        "put of 3" => true,
        "create" | "delete of 3" => schema.write_id.is_some(),
        _ => false,
    }
}

fn checks(schema: &'static Schema) -> Vec<Named> {
    let check = |absent| WriteCommand::new(schema, Verb::Check { absent }, Ok(key()));
    let mut checks = vec![("check", check(false)), ("check of absence", check(true))];
    if schema.version.is_some() {
        checks.push(("check of 3", of_loaded(check(false))));
    }
    checks
}

fn put(schema: &'static Schema, verb: Verb, version: u64) -> WriteCommand {
    let mut put = item(schema, version);
    // The entity itself has no write id.
    put.remove("w");
    put.insert("n".to_owned(), number(100));
    if schema.version.is_some() {
        put.insert("v".to_owned(), number(version));
    }
    WriteCommand::new(schema, verb, Ok(put))
}

fn update(schema: &'static Schema, upsert: bool, changes: Vec<RawChange>) -> WriteCommand {
    let mut update = WriteCommand::new(schema, Verb::Update { upsert }, Ok(key()));
    update.update.changes = changes;
    update
}

fn delete(schema: &'static Schema, version: u64) -> WriteCommand {
    let mut delete = WriteCommand::new(schema, Verb::Delete, Ok(key()));
    let tokens = schema
        .ratchets
        .iter()
        .map(|ratchet| Some(Token { value: token(ratchet, LOADED), tiebreak: ratchet.tiebreak.map(|_| tie(LOADED)) }));
    delete.tokens = Ok(tokens.collect());
    delete.expecting(Expected::Loaded(version));
    delete
}

fn of_loaded(mut command: WriteCommand) -> WriteCommand {
    command.expecting(Expected::Loaded(LOADED));
    command
}

fn with_condition(mut command: WriteCommand) -> WriteCommand {
    command.and(Ok(condition()));
    command
}

fn condition() -> Node {
    Node::Compare("n".into(), Operator::Eq, number(3))
}

fn set() -> Vec<RawChange> {
    vec![RawChange::new("n", Ok(Action::Set(number(100))))]
}

fn increment() -> Vec<RawChange> {
    vec![RawChange::new("n", Ok(Action::Add(number(1))))]
}

fn append() -> Vec<RawChange> {
    let append = Action::Append { list: list(&["z"]), absent: list(&[]) };
    let guards = vec![Guard::Lacks("list".into(), text("z"))];
    vec![RawChange { guards, ..RawChange::new("list", Ok(append)) }]
}

fn removal() -> Vec<RawChange> {
    vec![RawChange::new("list", Ok(Action::RemoveElement(text("b"))))]
}

fn key() -> Item {
    Item::from([("id".to_owned(), text("1"))])
}
