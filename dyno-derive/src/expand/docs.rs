//! The documentation of generated functions: what each one does, its request, and its condition. The conditions are
//! those that the runtime's `rule` composes; a test of the workspace compares the two.

use crate::model::{Entity, Index, KeyStore, Mode, Ratchet};
use proc_macro2::TokenStream;
use quote::quote;

/// A write, as the runtime's rules see it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Put,
    Create,
    Replace,
    Undelete,
    Update,
    UpdateGroup(usize),
    Delete,
    Purge,
    Check,
}

/// `#[doc]` attributes, a line each.
pub(super) fn lines(lines: impl IntoIterator<Item = String>) -> TokenStream {
    let lines = lines.into_iter().map(|line| if line.is_empty() { line } else { format!(" {line}") });
    quote!(#(#[doc = #lines])*)
}

pub(super) fn get(entity: &Entity) -> TokenStream {
    lines([
        format!("Reads the item at this key.{}", absent(entity, " counts as absent")),
        String::new(),
        "One `GetItem`.".to_owned(),
    ])
}

pub(super) fn batch_get(entity: &Entity) -> TokenStream {
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

pub(super) fn query(entity: &Entity) -> TokenStream {
    lines([
        format!(
            "Reads the items of this partition, in the order of their sort keys.{}",
            absent(entity, " is passed over")
        ),
        String::new(),
        "One `Query` a page, of at most 1 MB.".to_owned(),
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

pub(super) fn scan(entity: &Entity) -> TokenStream {
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

/// A write: what it does, its request, and its condition.
pub(super) fn write(entity: &Entity, verb: Verb) -> TokenStream {
    let mut text = vec![summary(entity, verb), String::new()];
    let request = match verb {
        Verb::Delete if entity.tombstone.is_none() => "DeleteItem",
        Verb::Purge => "DeleteItem",
        Verb::Update | Verb::UpdateGroup(_) => "UpdateItem",
        Verb::Check => "ConditionCheck",
        _ => "PutItem",
    };
    let recorded = if matches!(verb, Verb::Purge | Verb::Check) { "" } else { recorded(entity, verb) };
    match condition(entity, verb, Expected::Loaded) {
        None => text.push(format!("One `{request}`{recorded}, unconditional.")),
        Some(condition) => {
            text.push(format!("One `{request}`{recorded}, refused unless"));
            text.push(format!("`{condition}`"));
        }
    }
    for (when, expected) in further(entity, verb) {
        if let Some(condition) = condition(entity, verb, *expected) {
            text.extend([String::new(), (*when).to_owned(), format!("`{condition}`")]);
        }
    }
    if let Some(line) = keyed(entity, verb) {
        text.extend([String::new(), line]);
    }
    for line in before(entity, verb) {
        text.extend([String::new(), line.to_owned()]);
    }
    lines(text)
}

/// What is said of a put that would forget the idempotency keys.
pub(super) fn not_overwritable() -> TokenStream {
    lines(["Not available: it would forget the idempotency keys that the item holds. See `create` and `update`."
        .to_owned()])
}

/// What an idempotency key adds to an update.
fn keyed(entity: &Entity, verb: Verb) -> Option<String> {
    let idempotency = entity.idempotency.as_ref()?;
    if !matches!(verb, Verb::Update | Verb::UpdateGroup(_)) {
        return None;
    }
    let names = idempotency.attributes();
    Some(match &*idempotency.store {
        KeyStore::Time { window_secs, max_skew_secs, .. } => format!(
            "With `.idempotency_key(…)` it is made once: for {window_secs} s, while clocks differ by at most {max_skew_secs} s, \
             the item holds the key, in one of the sets `{}` to `{}`. It is refused if one of them contains it.",
            names.first().map_or("", |name| name.as_str()),
            names.last().map_or("", |name| name.as_str()),
        ),
        KeyStore::Count { keys, attribute } => format!(
            "With `.idempotency_key(…)` it is made once: the item holds the last {keys} keys, in the list `{attribute}`. It is \
             refused if that contains it, and sent once more if that was taken to be full and is not, or the other way round."
        ),
        KeyStore::Row { .. } => {
            "With `.idempotency_key(…)` it is made once: it goes with the `PutItem` of the key's row in one \
             `TransactWriteItems`, refused if there is one. A `GetItem` of the item follows then."
                .to_owned()
        }
    })
}

/// In which other cases a versioned write has another condition.
fn further(entity: &Entity, verb: Verb) -> &'static [(&'static str, Expected)] {
    const NEW: (&str, Expected) = ("Of version 0:", Expected::New);
    const DEAD: (&str, Expected) = ("And if that finds what counts as absent, once more:", Expected::Dead);
    const UNCHECKED: (&str, Expected) = ("With `.unchecked()`:", Expected::Unchecked);
    match (verb, entity.ttl()) {
        _ if entity.version.is_none() => &[],
        (Verb::Put, Some(_)) => &[NEW, DEAD],
        (Verb::Put, None) => &[NEW],
        (Verb::Create, Some(_)) => &[DEAD],
        (Verb::Update | Verb::UpdateGroup(_), _) => &[UNCHECKED],
        _ => &[],
    }
}

/// What a write of an entity with a history reads first.
fn before(entity: &Entity, verb: Verb) -> Vec<&'static str> {
    let Some(history) = &entity.history else { return Vec::new() };
    let query = match verb {
        Verb::Put if *history.mode == Mode::Ordered => Some(
            "Of version 0, a `Query` of the history comes first, since there may have been an item before, and the item goes with the `PutItem` of its revision in one `TransactWriteItems`.",
        ),
        Verb::Put => Some("Of version 0, a `Query` of the history comes first: there may have been an item before."),
        Verb::Create => Some("A `Query` of the history comes first: there may have been an item before."),
        _ => None,
    };
    let supersedes = matches!(verb, Verb::Put | Verb::Replace | Verb::Undelete | Verb::Delete);
    let get = (*history.mode == Mode::Ordered && supersedes)
        .then_some("A `GetItem` of what is superseded comes first, unless `over` says what that is.");
    query.into_iter().chain(get).collect()
}

/// What a write of an entity with a history sends besides.
fn recorded(entity: &Entity, verb: Verb) -> &'static str {
    match entity.history.as_ref().map(|history| *history.mode) {
        None => "",
        // Behind what is gone, only a transaction keeps a number from being given twice.
        Some(Mode::Ordered) if verb == Verb::Create => " and the `PutItem` of its revision in one `TransactWriteItems`",
        Some(Mode::Atomic) => " and the `PutItem` of its revision in one `TransactWriteItems`",
        Some(Mode::Ordered) => " behind the `PutItem` of the revision that it supersedes",
    }
}

pub(super) fn modify(entity: &Entity) -> TokenStream {
    let write = if entity.history.is_some() { "a `replace`" } else { "an `UpdateItem` of what differs" };
    lines([
        "Loads the live item at this key, changes it, and writes it back; again, if another writer has been there since."
            .to_owned(),
        "What the closure does not change stays as it is stored, also what the entity does not declare.".to_owned(),
        String::new(),
        format!("One `GetItem`, and {write} for each attempt."),
    ])
}

/// Of `revisions`, `revision`, `rollback` and `repair`.
pub(super) fn history() -> [TokenStream; 4] {
    [
        lines([
            "Reads the versions that the item at this key has had, newest first.".to_owned(),
            String::new(),
            "One `GetItem`, and one `Query` of the history a page, of at most 1 MB.".to_owned(),
        ]),
        lines([
            "Reads one version that the item at this key has had, or has.".to_owned(),
            String::new(),
            "One `GetItem` of the history, and of the item if the version is not there.".to_owned(),
        ]),
        lines([
            "Writes what the item at this key was in an earlier version, as a new one.".to_owned(),
            String::new(),
            "The requests of `revision`, one `GetItem`, and those of `put` for each attempt.".to_owned(),
        ]),
        lines([
            "Gives the item at this key a number behind its history's, where that refuses every write (`Recorded`), or where its version is none."
                .to_owned(),
            String::new(),
            "One `GetItem` and one `Query`; if the item gets a number, one `TransactWriteItems` of its `UpdateItem` and the `PutItem` of its revision."
                .to_owned(),
        ]),
    ]
}

/// What is said of a tombstone where nothing tells an older write from a newer one.
const NO_ORDER: &str = " It keeps no write out: without a ratchet or a version nothing tells which write is older, so a write \
     that arrives late brings the item back.";

fn summary(entity: &Entity, verb: Verb) -> String {
    let is_versioned = entity.version.is_some();
    let not_older = if entity.ratchets.is_empty() { "" } else { " if it is not older than what is there" };
    match verb {
        Verb::Put if is_versioned => {
            "Writes the item over the version it was loaded as; with version 0, where there is none.".to_owned()
        }
        Verb::Put if !not_older.is_empty() => format!("Writes the item{not_older}."),
        Verb::Put if entity.tombstone.is_some() => "Writes the item, whatever is there, a tombstone, too.".to_owned(),
        Verb::Put => "Writes the item, whatever is there.".to_owned(),
        Verb::Create => match (&entity.tombstone, entity.ttl()) {
            (Some(_), _) => "Writes the item where there is none, or a tombstone, or one past its TTL.".to_owned(),
            (None, Some(_)) => "Writes the item where there is none, or one past its TTL.".to_owned(),
            (None, None) => "Writes the item where there is none.".to_owned(),
        },
        Verb::Replace if is_versioned => "Writes the item over the version it was loaded as.".to_owned(),
        Verb::Undelete if is_versioned => "Writes the item over the tombstone of its version.".to_owned(),
        Verb::Replace if entity.ttl().is_some() => "Writes the item over a live one.".to_owned(),
        Verb::Replace => "Writes the item over the one that is there.".to_owned(),
        Verb::Undelete if entity.ratchets.is_empty() => "Writes the item over a tombstone.".to_owned(),
        Verb::Undelete => "Writes the item over an older tombstone.".to_owned(),
        Verb::Update => {
            let live = if entity.ttl().is_some() { "live item" } else { "item" };
            format!("Changes attributes of the {live} at this key: say which with `with`.")
        }
        Verb::UpdateGroup(ratchet) => {
            let ratchet = &entity.ratchets[ratchet];
            let guards = ratchet.guards.iter().map(|field| format!("`{}`", entity.fields[field.value].name));
            let guards: Vec<String> = guards.collect();
            format!(
                "Sets what `{}` guards, if it is not older: {}.",
                entity.fields[ratchet.field].name,
                guards.join(", ")
            )
        }
        Verb::Delete => match &entity.tombstone {
            None if is_versioned => "Removes the item at this key, if it is still of this version.".to_owned(),
            Some(tombstone) => {
                let days = tombstone.ttl_days;
                let days = if days == 1 { "a day".to_owned() } else { format!("{days} days") };
                let not_older = if is_versioned { ", if the item is still of this version" } else { not_older };
                let stays = if entity.ratchets.is_empty() { "stays for" } else { "keeps older writes out for" };
                let unordered = if entity.ratchets.is_empty() && !is_versioned { NO_ORDER } else { "" };
                format!("Leaves a tombstone at this key{not_older}, which {stays} {days}.{unordered}")
            }
            None => "Removes the item at this key.".to_owned(),
        },
        Verb::Purge => "Removes a tombstone, if it is still this one.".to_owned(),
        Verb::Check => {
            let live = if entity.ttl().is_some() { "a live item" } else { "an item" };
            format!("Demands, in a transaction, that {live} is at this key.")
        }
    }
}

/// A term of a condition; a compound one needs parentheses within another.
struct Term {
    text: String,
    compound: bool,
}

fn single(text: String) -> Term {
    Term { text, compound: false }
}

fn join(terms: Vec<Term>, by: &str) -> Option<Term> {
    if terms.len() < 2 {
        return terms.into_iter().next();
    }
    let texts: Vec<String> = terms.into_iter().map(operand).collect();
    Some(Term { text: texts.join(by), compound: true })
}

fn operand(term: Term) -> String {
    if term.compound { format!("({})", term.text) } else { term.text }
}

fn not(term: Term) -> Term {
    single(format!("NOT {}", operand(term)))
}

/// What makes an item count as absent.
fn dead(entity: &Entity) -> Vec<Term> {
    let flag = entity.tombstone.as_ref().map(|tombstone| format!("#{0} = :{0}", tombstone.deleted));
    let ttl = entity.ttl().map(|ttl| format!("#{ttl} BETWEEN :{ttl} AND :{ttl}_2"));
    flag.into_iter().chain(ttl).map(single).collect()
}

/// What a write expects of the version, as the runtime's rule has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    New,
    Dead,
    Loaded,
    Unchecked,
}

/// The condition of a write, as the runtime composes it.
fn condition(entity: &Entity, verb: Verb, expected: Expected) -> Option<String> {
    let partition = &entity.key.partition.name;
    let exists = single(format!("attribute_exists(#{partition})"));
    let not_exists = single(format!("attribute_not_exists(#{partition})"));
    let (dead, absent) = (dead(entity), not_exists.text.clone());
    let mut terms = Vec::new();
    let expected = if verb == Verb::Create && expected == Expected::Loaded { Expected::New } else { expected };
    match verb {
        Verb::Put | Verb::Create if entity.version.is_some() && expected == Expected::New => terms.push(not_exists),
        Verb::Put | Verb::Create if entity.version.is_some() && expected == Expected::Dead => {
            terms.extend(join(dead, " OR "));
        }
        Verb::Put if entity.version.is_some() => {}
        Verb::Create => terms.extend(join(std::iter::once(not_exists).chain(dead).collect(), " OR ")),
        Verb::Replace | Verb::Update | Verb::UpdateGroup(_) | Verb::Check => {
            terms.push(exists);
            terms.extend(dead.into_iter().map(not));
        }
        Verb::Put | Verb::Delete | Verb::Undelete => {}
        Verb::Purge => {
            let gone_or_same = join(vec![not_exists, identical(entity)?], " OR ");
            return join(gone_or_same.into_iter().chain(mark(entity)).collect(), " AND ").map(|term| term.text);
        }
    }
    terms.extend(schema_version(entity, verb));
    if verb != Verb::Check {
        terms.extend(version(entity, expected));
    }
    let ratchets = entity.ratchets.iter().enumerate();
    let carried = ratchets.filter(|(index, _)| match verb {
        Verb::Update | Verb::Check => false,
        Verb::UpdateGroup(group) => group == *index,
        _ => true,
    });
    terms.extend(carried.map(|(_, ratchet)| passes(entity, ratchet, verb)));
    terms.extend(tombstone(entity, verb));
    let starts = entity.version.is_some() && matches!(expected, Expected::New | Expected::Dead);
    if matches!(verb, Verb::Put | Verb::Replace) && !starts && !terms.is_empty() {
        terms.extend(known_shape(entity));
    }
    // Where nothing may be, there is nothing of another's; and a write without a condition gets none.
    if !terms.is_empty() && terms.iter().all(|term| term.text != absent) {
        terms.extend(mark(entity));
    }
    join(terms, " AND ").map(|term| term.text)
}

/// The item is not marked as another entity's.
fn mark(entity: &Entity) -> Option<Term> {
    let attribute = &entity.entity_type.as_ref()?.attribute;
    let text = format!("attribute_not_exists(#{attribute}) OR #{attribute} = :{attribute}");
    Some(Term { text, compound: true })
}

/// The row is of the current shape, where a part of it is changed.
fn schema_version(entity: &Entity, verb: Verb) -> Option<Term> {
    let version = entity.schema_version.as_ref()?;
    if !matches!(verb, Verb::Update | Verb::UpdateGroup(_)) {
        return None;
    }
    let name = &version.attribute;
    let current = format!("#{name} = :{name}");
    Some(match version.current.value {
        1 => Term { text: format!("attribute_not_exists(#{name}) OR {current}"), compound: true },
        _ => single(current),
    })
}

/// The row is of no newer shape, where all of it is replaced.
fn known_shape(entity: &Entity) -> Option<Term> {
    let name = &entity.schema_version.as_ref()?.attribute;
    let text = format!("attribute_not_exists(#{name}) OR #{name} <= :{name}");
    Some(Term { text, compound: true })
}

/// The item is of the version that the write expects.
fn version(entity: &Entity, expected: Expected) -> Option<Term> {
    let version = entity.stored(entity.version.as_ref()?.field);
    match expected {
        Expected::New => None,
        Expected::Dead | Expected::Loaded => Some(single(format!("#{version} = :{version}"))),
        Expected::Unchecked => Some(Term {
            text: format!("attribute_not_exists(#{version}) OR #{version} BETWEEN :{version} AND :{version}_2"),
            compound: true,
        }),
    }
}

/// The ratchet lets the write pass.
fn passes(entity: &Entity, ratchet: &Ratchet, verb: Verb) -> Term {
    let token = entity.stored(ratchet.field);
    let last = if ratchet.strict || verb == Verb::Undelete { "<" } else { "<=" };
    let mut terms = vec![single(format!("attribute_not_exists(#{token})"))];
    match ratchet.tiebreak().map(|tiebreak| entity.stored(tiebreak)) {
        None => terms.push(single(format!("#{token} {last} :{token}"))),
        Some(tiebreak) => {
            terms.push(single(format!("#{token} < :{token}")));
            let tied = format!("#{tiebreak} {last} :{tiebreak}");
            let tied = match verb {
                Verb::Undelete => tied,
                _ => format!("(attribute_not_exists(#{tiebreak}) OR {tied})"),
            };
            terms.push(Term { text: format!("#{token} = :{token} AND {tied}"), compound: true });
        }
    }
    let texts: Vec<String> = terms.into_iter().map(operand).collect();
    Term { text: texts.join(" OR "), compound: true }
}

/// What the tombstone demands.
fn tombstone(entity: &Entity, verb: Verb) -> Option<Term> {
    let deleted = &entity.tombstone.as_ref()?.deleted;
    let flagged = single(format!("#{deleted} = :{deleted}"));
    match verb {
        Verb::Undelete => Some(flagged),
        Verb::Delete if entity.version.is_some() => None,
        Verb::Put | Verb::Create | Verb::Delete
            if !entity.ratchets.is_empty()
                && !entity.ratchets.iter().any(|ratchet| ratchet.strict && ratchet.tiebreak.is_none()) =>
        {
            let mut terms = vec![flagged];
            for ratchet in &entity.ratchets {
                let token = entity.stored(ratchet.field);
                terms.push(single(format!("#{token} = :{token}")));
                if let Some(tiebreak) = ratchet.tiebreak().map(|tiebreak| entity.stored(tiebreak)) {
                    terms.push(Term {
                        text: format!("attribute_not_exists(#{tiebreak}) OR #{tiebreak} = :{tiebreak}"),
                        compound: true,
                    });
                }
            }
            join(terms, " AND ").map(not)
        }
        _ => None,
    }
}

/// The tombstone is the one that was read.
fn identical(entity: &Entity) -> Option<Term> {
    let tombstone = entity.tombstone.as_ref()?;
    let tokens = entity.ratchets.iter().flat_map(Ratchet::tokens);
    let version = entity.version.iter();
    let version = version.flat_map(|version| {
        std::iter::once(entity.stored(version.field)).chain(version.write_id.iter().map(|name| name.as_str()))
    });
    let names = std::iter::once(tombstone.deleted.as_str())
        .chain(version)
        .chain(tokens.map(|field| entity.stored(field)))
        .chain([tombstone.ttl.as_str()]);
    join(names.map(|name| single(format!("#{name} = :{name}"))).collect(), " AND ")
}
