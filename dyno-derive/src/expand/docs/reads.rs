//! The documentation of functions that read, and of `embed`.

use super::answer;
use super::names::{call, dead, either, fields, item, tuple};
use super::{live, paragraphs};
use crate::given::Word;
use crate::model::{Embedding, Entity, Index, Unique, VectorIndex};
use proc_macro2::TokenStream;

/// Says what a read costs, after "Costs half a read unit per 4 KB of".
const CONSISTENT: &str = "twice that with `.consistent()`.";

pub(super) fn get(entity: &Entity) -> TokenStream {
    let example = if entity.key.parts.len() > 1 {
        format!(" The key is a tuple: `{}`.", call(entity, "get"))
    } else {
        String::new()
    };
    paragraphs(
        format!("Reads the {}.", item(entity)),
        format!(
            "Sends one `GetItem`.{example} Returns `None` if no item is stored{}. Costs half a read unit per 4 KB of the item, {CONSISTENT}",
            or_dead(entity)
        ),
    )
}

pub(super) fn batch_get(entity: &Entity) -> TokenStream {
    let name = &entity.container.ident;
    let (first, requests) = match &entity.key.parts[..] {
        [] => (format!("Reads the `{name}` together with items of other entities."), "together with theirs"),
        parts => {
            let key = tuple(entity, parts);
            (format!("Reads each `{name}` with one of these keys: `{key}`."), "for every 100 keys")
        }
    };
    paragraphs(
        first,
        format!(
            "Returns the items in the order of the keys, with `None` for a key without an item{}. Sends one `BatchGetItem` {requests}, and \
             further ones for keys that DynamoDB leaves unprocessed. Costs half a read unit per 4 KB of each item, {CONSISTENT}",
            or_dead(entity)
        ),
    )
}

/// Returns the requests and the cost of a read of pages.
fn pages(entity: &Entity, operation: &str) -> String {
    let absent = absent(entity, "is skipped");
    let skipped = if absent.is_empty() { "" } else { ", including skipped ones" };
    format!(
        "Sends one `{operation}` for each page, of at most 1 MB: `send` reads one page, `stream` all.{absent} Costs half a read unit per 4 KB of all rows read{skipped}, \
         {CONSISTENT}"
    )
}

pub(super) fn query(entity: &Entity) -> TokenStream {
    let partition = fields(entity, &entity.key.parts[..entity.key.partition_parts]);
    let with = if partition.is_empty() { " of its partition".to_owned() } else { format!(" with this {partition}") };
    let first = format!("Reads each `{}`{with}, in the order of the sort keys.", entity.container.ident);
    paragraphs(first, pages(entity, "Query"))
}

pub(super) fn scan(entity: &Entity) -> TokenStream {
    let first = format!("Reads each `{}` of the table, in no particular order.", entity.container.ident);
    paragraphs(first, pages(entity, "Scan"))
}

/// Adds the rows that count as no item.
fn or_dead(entity: &Entity) -> &'static str {
    match (&entity.tombstone, entity.ttl_field) {
        (Some(_), Some(_)) => ", or only a tombstone or an item past its TTL",
        (Some(_), None) => ", or only a tombstone",
        (None, Some(_)) => ", or only one past its TTL",
        (None, None) => "",
    }
}

/// Says what a read does with an item that counts as absent.
fn absent(entity: &Entity, result: &str) -> String {
    dead(entity, "A tombstone").map_or_else(String::new, |dead| format!(" {dead} {result}."))
}

/// Returns the documentation of a function that reads the item with a unique value.
pub(in crate::expand) fn get_by_unique(entity: &Entity, unique: &Unique) -> TokenStream {
    let (name, value) = (&entity.container.ident, fields(entity, &unique.fields));
    paragraphs(
        format!("Reads the `{name}` with this unique {value}, consistently."),
        format!(
            "Sends two `GetItem`: of the value's guard row, which has the item's key, and of the item. Returns `None` if no item has the \
             value{}. Each `GetItem` costs one read unit per 4 KB.",
            or_dead(entity)
        ),
    )
}

/// Says which attributes of an item an index holds.
fn holds(projection: Option<&Vec<Word>>) -> &'static str {
    match projection {
        None => "The index holds whole items.",
        Some(_) => {
            "The index holds only some attributes: `.project::<P>()` says which struct, with `#[derive(Projection)]`, the results are."
        }
    }
}

pub(in crate::expand) fn index_query(entity: &Entity, index: &Index) -> TokenStream {
    let partition = fields(entity, &index.parts[..index.partition_parts]);
    let with = if partition.is_empty() { String::new() } else { format!(" with this {partition}") };
    let sort = fields(entity, &index.parts[index.partition_parts..]);
    let order = if sort.is_empty() { String::new() } else { format!(", in the order of {sort}") };
    let kind = if index.is_local { "local" } else { "global" };
    paragraphs(
        format!("Reads each `{}`{with} by the {kind} index `{}`.", entity.container.ident, index.name),
        format!(
            "Sends one `Query` for each page, of at most 1 MB{order}: `send` reads one page, `stream` all. {} Costs half a read unit per 4 KB of \
             all entries read.",
            holds(index.projection.as_ref())
        ),
    )
}

pub(in crate::expand) fn search(entity: &Entity, index: &VectorIndex) -> TokenStream {
    let partition =
        index.partition.as_ref().map(|partition| format!(" with this `{}`", entity.fields[partition.value].name));
    let expired = if entity.ttl_field.is_some() { " An item past its TTL is skipped." } else { "" };
    paragraphs(
        format!(
            "Finds the items of `{}`{} whose `{}` is closest to this vector.",
            entity.container.ident,
            partition.unwrap_or_default(),
            entity.fields[index.vector.value].name,
        ),
        format!(
            "Sends one `SearchVectors` to the index `{}`, which is written a moment after the item.{expired} {} DynamoDB bills the \
             bytes of the index that the search reads.",
            index.name,
            holds(index.projection.as_ref())
        ),
    )
}

pub(in crate::expand) fn embed(entity: &Entity, embedding: &Embedding) -> TokenStream {
    let sources = fields(entity, &embedding.of);
    let mut refused = vec!["`OtherText` (other values are stored)".to_owned()];
    refused.extend(answer::of_an_update(entity, &["Missing", "Deleted", "Expired", "Conflict"]));
    let refused = either(&refused);
    paragraphs(
        format!(
            "Stores the `{}` of the {}{}, if it still has this {sources}.",
            entity.fields[embedding.vector].name,
            live(entity),
            item(entity)
        ),
        format!(
            "Sends one `UpdateItem`, which is applied only if the stored {sources} {} those that you pass{}. A refusal is an `Outcome` with \
             the stored item, not an error: {refused}. `accept_stale()` on the outcome takes \
             other values and a missing item as success, because whoever stored the newer values stores their vector, too. If the answer is lost, \
             the request is sent again. Costs 1 write unit per KB of the item, and the bytes of its entry in the index.",
            if embedding.of.len() == 1 { "is" } else { "are" },
            if entity.version.is_some() {
                ". `.version(…)` or `.unchecked()` says which version of the item"
            } else {
                ""
            },
        ),
    )
}

pub(super) fn revisions(entity: &Entity) -> TokenStream {
    paragraphs(
        format!("Reads all versions of the {}, newest first.", item(entity)),
        "`send` reads one page, of at most 1 MB, `stream` all. Sends one `GetItem` of the item, whose version comes first, and one \
         `Query` of the history for each page. Costs 1 read unit per 4 KB of the item, and of all revisions of a page."
            .to_owned(),
    )
}

pub(super) fn revision(entity: &Entity) -> TokenStream {
    paragraphs(
        format!("Reads one version, present or past, of the {}.", item(entity)),
        format!(
            "Call it as `{}`. Sends one `GetItem` of the history, and one of the item if the history lacks this version. Each costs 1 read \
             unit per 4 KB. Returns `None` if neither has it. The revision of a deletion has no item.",
            call(entity, "revision")
        ),
    )
}
