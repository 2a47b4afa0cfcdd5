//! The documentation of generated functions: their effect, the requests they send, and the conditions of these.
//!
//! `condition` repeats what the runtime's rules compose; the test `tests/hygiene/documentation.rs` compares the two.

mod condition;
mod request;
mod summary;

use crate::model::{Command, Embedding, Entity, Function, Index, Unique, VectorIndex};
use condition::Verb;
use proc_macro2::TokenStream;
use syn::Attribute;

/// Returns `#[doc]` attributes, one for each line.
pub(super) fn lines(lines: impl IntoIterator<Item = String>) -> TokenStream {
    let lines = lines.into_iter().map(|line| if line.is_empty() { line } else { format!(" {line}") });
    code!(#(#[doc = #lines])*)
}

/// Returns the attributes of a handle: how the field is stored, and as a paragraph of its own what the field itself says.
pub(super) fn handle(stored: &str, described: &[Attribute]) -> TokenStream {
    let has_own = described.iter().any(|attribute| attribute.path().is_ident("doc"));
    let blank = has_own.then(|| code!(#[doc = ""]));
    code!(#[doc = #stored] #blank #(#described)*)
}

/// Returns the documentation of a function that makes a command.
pub(super) fn function(entity: &Entity, function: &Function) -> TokenStream {
    let write = |verb| lines(request::write(entity, verb));
    match function.command {
        Command::Get => get(entity),
        Command::Check => write(Verb::Check),
        Command::BatchGet => batch_get(entity),
        Command::Query => query(entity),
        Command::Scan => scan(entity),
        Command::Put | Command::Replace if function.missing(entity).is_some() => lines([
            "Not available: it would forget the idempotency keys that the item holds. See `create` and `update`."
                .to_owned(),
        ]),
        Command::Put => write(Verb::Put),
        Command::Create => write(Verb::Create),
        Command::Replace => write(Verb::Replace),
        Command::Undelete => write(Verb::Undelete),
        Command::Update if entity.is_grouped() => {
            lines(["Sets one group of fields of the live item at this key: go on with its ratchet's name.".to_owned()])
        }
        Command::Update if entity.history.is_some() => {
            lines(["Not available: a revision is a whole item. See `modify`.".to_owned()])
        }
        Command::Update => write(Verb::Update),
        Command::Delete => write(Verb::Delete),
        Command::Purge if function.missing(entity).is_some() => lines([
            "Not available: without its tombstone, a late request could bring back what a transaction has made."
                .to_owned(),
        ]),
        Command::Purge => write(Verb::Purge),
        Command::Modify => modify(entity),
        Command::Revisions => revisions(),
        Command::GetRevision => revision(),
        Command::Rollback => rollback(entity),
        Command::Restore => restore(entity),
        Command::Repair => repair(),
    }
}

/// Returns the documentation of the update of a group of fields, by the index of the group's ratchet.
pub(super) fn group(entity: &Entity, ratchet: usize) -> TokenStream {
    lines(request::write(entity, Verb::UpdateGroup(ratchet)))
}

fn get(entity: &Entity) -> TokenStream {
    lines([
        format!("Reads the item at this key.{}", absent(entity, " counts as absent")),
        String::new(),
        "One `GetItem`.".to_owned(),
    ])
}

fn batch_get(entity: &Entity) -> TokenStream {
    let (what, keys) = match &entity.key.parts[..] {
        [] => ("the item, to be read with those of other entities.", "with theirs"),
        _ => ("the items at these keys, in their order.", "for every 100 keys"),
    };
    lines([
        format!("Reads {what}{}", absent(entity, " counts as absent")),
        String::new(),
        format!("One `BatchGetItem` {keys}, and again what it leaves unprocessed."),
    ])
}

fn query(entity: &Entity) -> TokenStream {
    lines([
        format!(
            "Reads the items of this partition, in the order of their sort keys.{}",
            absent(entity, " is passed over")
        ),
        String::new(),
        "One `Query` a page, of at most 1 MB.".to_owned(),
    ])
}

/// Returns the documentation of a function that reads the item with a unique value.
pub(super) fn get_by_unique(entity: &Entity, unique: &Unique) -> TokenStream {
    let names: Vec<String> = unique.fields.iter().map(|field| format!("`{}`", entity.fields[*field].name)).collect();
    lines([
        format!("Reads the item with this {}, consistently: no other live item has it.", names.join(" and ")),
        String::new(),
        "Two `GetItem`: of the value's guard, and of the item.".to_owned(),
    ])
}

pub(super) fn index_query(index: &Index) -> TokenStream {
    let kind = if index.is_local { "local" } else { "global" };
    let holds = match &index.projection {
        None => "It holds whole items.",
        Some(_) => "It holds some attributes: say with `project` what to read.",
    };
    lines([
        format!(
            "Reads the items of this partition of the {kind} index `{}`, in the order of its sort keys.",
            index.name
        ),
        String::new(),
        format!("One `Query` a page, of at most 1 MB. {holds}"),
    ])
}

pub(super) fn search(entity: &Entity, index: &VectorIndex) -> TokenStream {
    let partition = index.partition.map_or("", |_| " in this partition");
    let holds = match &index.projection {
        None => "It holds whole items.",
        Some(_) => "It holds some attributes: say with `project` what to read.",
    };
    let absent = if entity.ttl_field.is_some() { " An item past its TTL is passed over." } else { "" };
    lines([
        format!(
            "Finds the items{partition} whose `{}` is closest to this vector, by the vector index `{}`.{absent}",
            entity.fields[index.vector.value].name, index.name
        ),
        String::new(),
        format!("One `SearchVectors`. {holds}"),
    ])
}

pub(super) fn embed(entity: &Entity, embedding: &Embedding) -> TokenStream {
    let names: Vec<String> = embedding.of.iter().map(|field| format!("`{}`", entity.fields[*field].name)).collect();
    let vector = &entity.fields[embedding.vector].name;
    lines([
        format!("Stores `{vector}` for the live item at this key, if the item still has these values of {}.", names.join(" and ")),
        String::new(),
        "One `UpdateItem`, refused with `OtherText` if the item has other values by now. `accept_stale()` takes that as done: the vector of the newer values comes later.".to_owned(),
    ])
}

fn scan(entity: &Entity) -> TokenStream {
    lines([
        format!("Reads all items of the table, in no order.{}", absent(entity, " is passed over")),
        String::new(),
        "One `Scan` a page, of at most 1 MB.".to_owned(),
    ])
}

fn absent(entity: &Entity, counts: &str) -> String {
    match (&entity.tombstone, entity.ttl()) {
        (Some(_), _) => format!(" A tombstone, or an item past its TTL,{counts}."),
        (None, Some(_)) => format!(" An item past its TTL{counts}."),
        (None, None) => String::new(),
    }
}

fn modify(entity: &Entity) -> TokenStream {
    let write = if entity.history.is_some() { "a `replace`" } else { "an `UpdateItem` of what differs" };
    lines([
        "Loads the live item at this key, changes it, and writes it back; again, if another writer has been there since."
            .to_owned(),
        "What the closure does not change stays as it is stored, also what the entity does not declare.".to_owned(),
        String::new(),
        format!("One `GetItem`, and {write} for each attempt.{}", fence_stays(entity)),
    ])
}

/// Says what happens to the fence if a command writes the item that it loaded.
fn fence_stays(entity: &Entity) -> String {
    let fence = entity.fence.map(|field| &entity.fields[field].name);
    fence.map_or_else(String::new, |name| format!(" `{name}` stays as it is stored, but with `.fenced(&held)`."))
}

fn revisions() -> TokenStream {
    lines([
        "Reads the versions that the item at this key has had, newest first.".to_owned(),
        String::new(),
        "One `GetItem`, and one `Query` of the history a page, of at most 1 MB.".to_owned(),
    ])
}

fn revision() -> TokenStream {
    lines([
        "Reads one version that the item at this key has had, or has.".to_owned(),
        String::new(),
        "One `GetItem` of the history, and of the item if the version is not there.".to_owned(),
    ])
}

fn rollback(entity: &Entity) -> TokenStream {
    lines([
        "Writes what the item at this key was in an earlier version, as a new one.".to_owned(),
        String::new(),
        format!(
            "The requests of `revision`, one `GetItem`, and those of `put` for each attempt.{}",
            fence_stays(entity)
        ),
    ])
}

fn restore(entity: &Entity) -> TokenStream {
    lines([
        "Brings the item at this key back, if it is deleted: writes its last revision, as a new version.".to_owned(),
        String::new(),
        format!(
            "Three `GetItem`, a `Query` of the history, and the requests of `put`; again, if another writer was there.{}",
            fence_stays(entity)
        ),
    ])
}

fn repair() -> TokenStream {
    lines([
        "Gives the item at this key a number behind its history's, where that refuses every write (`Recorded`), or where its version is none."
            .to_owned(),
        String::new(),
        "One `GetItem` and one `Query`; if the item gets a number, one `TransactWriteItems` of its `UpdateItem` and the `PutItem` of its revision."
            .to_owned(),
    ])
}
