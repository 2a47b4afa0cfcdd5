//! The documentation of generated functions: their effect, the requests they send, the conditions of these, and their answers.
//!
//! The first sentence of each stands alone in an editor's list of completions. `condition` repeats what the runtime's rules
//! compose; the test `tests/hygiene/documentation.rs` compares the two. `snapshots/documentation.txt` has the texts of some entities.

mod answer;
mod condition;
mod handles;
mod names;
mod reads;
mod request;
mod summary;

pub(super) use handles::{handle, meaning};
pub(super) use reads::{embed, get_by_unique, index_query, search};

use crate::model::{Capability, Command, Entity, Field, Function, Ratchet};
use answer::RARER;
use condition::Verb;
use names::{call, either, item};
use proc_macro2::TokenStream;

/// Returns `#[doc]` attributes, one for each line.
pub(super) fn lines(lines: impl IntoIterator<Item = String>) -> TokenStream {
    let lines = lines.into_iter().map(|line| if line.is_empty() { line } else { format!(" {line}") });
    code!(#(#[doc = #lines])*)
}

/// Returns `#[doc]` attributes for a sentence and a paragraph.
pub(super) fn paragraphs(first: String, second: String) -> TokenStream {
    lines([first, String::new(), second])
}

/// Returns the documentation of `fields`.
pub(super) fn fields(entity: &Entity) -> TokenStream {
    let name = &entity.container.ident;
    lines([format!("Returns a handle for each stored attribute of `{name}`, for conditions, filters and changes.")])
}

/// Returns the documentation of `key`.
pub(super) fn key(entity: &Entity) -> TokenStream {
    let names = names::fields(entity, &entity.key.parts);
    let made_of = if names.is_empty() { String::new() } else { format!(": its {names}") };
    lines([format!("Returns the key of this `{}`{made_of}.", entity.container.ident)])
}

/// Returns the documentation of a function that makes a command.
pub(super) fn function(entity: &Entity, function: &Function) -> TokenStream {
    if let Some(missing) = function.missing(entity) {
        return not_available(missing);
    }
    let write = |verb| lines(request::write(entity, verb));
    match function.command {
        Command::Get => reads::get(entity),
        Command::Check => write(Verb::Check),
        Command::BatchGet => reads::batch_get(entity),
        Command::Query => reads::query(entity),
        Command::Scan => reads::scan(entity),
        Command::Put => write(Verb::Put),
        Command::Create => write(Verb::Create),
        Command::Replace => write(Verb::Replace),
        Command::Undelete => write(Verb::Undelete),
        Command::Update if entity.is_grouped() => group_start(entity),
        Command::Update => write(Verb::Update),
        Command::Delete => write(Verb::Delete),
        Command::Purge => write(Verb::Purge),
        Command::Modify => modify(entity),
        Command::Revisions => reads::revisions(entity),
        Command::GetRevision => reads::revision(entity),
        Command::Rollback => rollback(entity),
        Command::Restore => restore(entity),
        Command::Repair => repair(entity),
    }
}

/// Returns the documentation of a function that the entity cannot call.
fn not_available(missing: Capability) -> TokenStream {
    let (because, instead) = match missing {
        Capability::Replaceable => {
            ("it would delete the idempotency keys that the item holds", "Use `create` or `update`.")
        }
        Capability::WithoutHistory => ("each revision in the history is a whole item", "Use `modify`."),
        Capability::Updatable => (
            "the ratchet guards the whole item",
            "Use `put`, or give the ratchet a group of fields: `#[ratchet(guards(…))]`.",
        ),
        Capability::Deletable => (
            "an older write could bring the deleted item back",
            "Add a tombstone, which refuses it: `#[tombstone(ttl_days = …)]`.",
        ),
        _ => (
            "a late request of a transaction could then bring the item back",
            "DynamoDB removes the tombstone by its TTL.",
        ),
    };
    paragraphs(format!("Not available, because {because}."), instead.to_owned())
}

/// Returns the documentation of the update of a group of fields, by the index of the group's ratchet.
pub(super) fn group(entity: &Entity, ratchet: usize) -> TokenStream {
    lines(request::write(entity, Verb::UpdateGroup(ratchet)))
}

/// Returns the documentation of the function that begins the update of a group.
fn group_start(entity: &Entity) -> TokenStream {
    let calls = entity.ratchets.iter().map(|ratchet| format!("`{}`", names::group_call(entity, ratchet)));
    paragraphs(
        format!("Changes one group of fields of the {}{}.", live(entity), item(entity)),
        format!(
            "Choose the group by its ratchet, and then give all of its values: {}. The ratchet's function documents the request.",
            calls.collect::<Vec<_>>().join(" or ")
        ),
    )
}

/// Returns the documentation of a step of the update of a group, which gives a value to this field.
pub(super) fn step(entity: &Entity, ratchet: &Ratchet, field: &Field) -> TokenStream {
    let name = &entity.fields[ratchet.field].name;
    let call = names::group_call(entity, ratchet);
    paragraphs(
        format!("Sets `{}` in the update of the fields that `{name}` guards.", field.name),
        format!("The whole call is `{call}`. `{name}` documents the request, and what a refusal means."),
    )
}

/// Returns the word that an item which counts as absent does not deserve, if there are such items.
fn live(entity: &Entity) -> &'static str {
    if entity.ttl().is_some() { "live " } else { "" }
}

fn modify(entity: &Entity) -> TokenStream {
    let version = entity.version.as_ref().map_or("version", |version| &entity.fields[version.field].name);
    let unique = if entity.unique.is_empty() || entity.history.is_some() {
        ""
    } else {
        ", or what an `update` of its unique values costs"
    };
    let (write, units) = match entity.history {
        Some(_) => ("a `PutItem` of the whole item, with its revision,", "what a `replace` costs"),
        None => ("an `UpdateItem` of the changed attributes", "1 write unit per KB of the item"),
    };
    let mut reasons = answer::of_an_update(entity, &["Missing", "Deleted", "Expired", "Fenced", "Taken"]);
    reasons.extend((!entity.ratchets.is_empty()).then(|| "`Stale` (the closure sets an older token)".to_owned()));
    lines([
        format!("Loads the {}{}, runs the closure on it, and writes it back.", live(entity), item(entity)),
        String::new(),
        format!(
            "Call it as `{}`. Attributes that the closure does not change stay as they are stored, also undeclared ones. If another \
             writer changes the item in between, the closure runs again on the new item, up to 10 times in all (`.attempts(…)`); after \
             that, `send` returns an error whose `is_contended()` is true.",
            call(entity, "modify")
        ),
        String::new(),
        format!(
            "Sends one `GetItem`, and {write} for each attempt. The write is applied only if the item still has the `{version}` and the \
             attributes that were loaded. The second attempt takes the item from the first refusal, and each later one reads it again.{}{}",
            fence_stays(entity),
            if entity.transactional.is_some() {
                " Items of a client-side transaction are waited for, as with `put`."
            } else {
                ""
            }
        ),
        String::new(),
        format!("A refusal is an `Outcome`, not an error: {}. {RARER}", either(&reasons)),
        String::new(),
        CHANGES_AGAIN.to_owned(),
        String::new(),
        format!(
            "Costs 1 read unit per 4 KB of the item and {units}{unique}, and each further attempt up to as much again."
        ),
    ])
}

/// Says what a lost answer means to a command that would make another change if it were sent again.
const CHANGES_AGAIN: &str = "If the answer is lost and the item no longer shows whether the write was applied, the error is \
     `OutcomeUnknown`: load the item and decide, because a second call can make the change twice.";

/// Says what a command costs that reads the history, and then puts the item.
const READS_AND_PUT: &str =
    "Costs 1 read unit per 4 KB of each item and revision that it reads, and what the item's `put` costs.";

/// Says what happens to the fence if a command writes the item that it loaded.
fn fence_stays(entity: &Entity) -> String {
    let fence = entity.fence.map(|field| &entity.fields[field].name);
    fence.map_or_else(String::new, |name| format!(" `{name}` keeps its stored value, unless you add `.fenced(&held)`."))
}

/// Says what the tokens are that a command takes which writes a revision.
fn tokens(entity: &Entity) -> String {
    let names = names::list(entity.ratchets.iter().map(|ratchet| &entity.fields[ratchet.field].name), "and");
    if names.is_empty() {
        return String::new();
    }
    format!(" You give {names} of the new version. If the stored row has a newer one, the write is refused (`Stale`).")
}

fn rollback(entity: &Entity) -> TokenStream {
    lines([
        format!("Writes an earlier version of the {} as a new version.", item(entity)),
        String::new(),
        format!(
            "The history keeps all versions. A deleted item is brought back: `{}`.{}",
            call(entity, "rollback"),
            tokens(entity)
        ),
        String::new(),
        format!(
            "Sends the reads of `revision`, and then for each attempt one `GetItem` of the item and the requests of a `put`.{}",
            fence_stays(entity)
        ),
        String::new(),
        format!(
            "A refusal is an `Outcome`, not an error: `NoRevision` (the history lacks that version, or it is a deletion){}. {RARER}",
            if entity.unique.is_empty() { "" } else { " or `Taken` (another live item has its unique value)" }
        ),
        String::new(),
        CHANGES_AGAIN.to_owned(),
        String::new(),
        READS_AND_PUT.to_owned(),
    ])
}

fn restore(entity: &Entity) -> TokenStream {
    let nothing = if entity.tombstone.is_some() { "`Missing` or `Deleted`" } else { "`Missing`" };
    lines([
        format!("Brings the deleted {} back from its history.", item(entity)),
        String::new(),
        format!("Writes the last revision that is no deletion, as a new version: `{}`.{}", call(entity, "restore"), tokens(entity)),
        String::new(),
        format!(
            "Sends three `GetItem`, a `Query` of the history, and the requests of `put`; again, if another writer changes \
             the item in between.{}",
            fence_stays(entity)
        ),
        String::new(),
        format!(
            "A refusal is an `Outcome`, not an error: `Exists` (the item is live), {nothing} (the history has nothing to \
             restore){}. {RARER}",
            if entity.unique.is_empty() { "" } else { " or `Taken` (another live item has its unique value)" }
        ),
        String::new(),
        "If the answer is lost, you can send a new `restore`, which is refused with `Exists` if the first one was applied.".to_owned(),
        String::new(),
        READS_AND_PUT.to_owned(),
    ])
}

fn repair(entity: &Entity) -> TokenStream {
    lines([
        format!("Makes the {} writable again if its history refuses every write.", item(entity)),
        String::new(),
        "Use it if writes are refused with `Recorded`, because the history already has their version, for example after the table \
         was restored from a backup without its history; or with `Corrupt`, because the stored version is not valid. The item gets \
         the version after the newest revision, and the history a revision with it. Nothing else changes."
            .to_owned(),
        String::new(),
        "Sends one `GetItem` and one `Query`; if the item needs a new version, also one `TransactWriteItems` of its `UpdateItem` and the \
         `PutItem` of its revision. After an error or a lost answer, send it again: it does what is left to do."
            .to_owned(),
        String::new(),
        "Costs 1 read unit per 4 KB of the item and of the newest revision, and 2 write units per KB of the item and of its revision if \
         the item needs a new version."
            .to_owned(),
    ])
}
