//! The conditions of writes as text, as the runtime's `rule` composes them: one function for each rule, with the name of its
//! file, in the same order. `tests/hygiene/documentation.rs` compares them with the conditions that are sent.

use crate::model::{Entity, Field, INTENT, Ratchet};

/// The kinds of writes that the runtime's rules distinguish.
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

/// A term of a condition. A compound term needs parentheses within another.
struct Term {
    text: String,
    compound: bool,
}

fn single(text: String) -> Term {
    Term { text, compound: false }
}

fn compound(text: String) -> Term {
    Term { text, compound: true }
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

/// The version that a write expects, as in the runtime's rule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    New,
    Dead,
    Loaded,
    Unchecked,
}

/// A write, with all that its condition depends on.
#[derive(Clone, Copy)]
struct Write<'a> {
    entity: &'a Entity,
    verb: Verb,
    expected: Expected,
    /// Whether the write has `.fenced(…)`.
    is_fenced: bool,
}

/// Returns the condition of a write: the conditions of all its rules.
pub(super) fn condition(entity: &Entity, verb: Verb, expected: Expected) -> Option<String> {
    let expected = if verb == Verb::Create && expected == Expected::Loaded { Expected::New } else { expected };
    composed(Write { entity, verb, expected, is_fenced: false })
}

/// Returns the condition of an update with `.fenced(…)`. Without it, an update does not compare the fence.
pub(super) fn fenced(entity: &Entity, verb: Verb) -> Option<String> {
    composed(Write { entity, verb, expected: Expected::Loaded, is_fenced: true })
}

fn composed(write: Write<'_>) -> Option<String> {
    let entity = write.entity;
    let mut terms = presence(write);
    terms.extend(schema_version(write));
    terms.extend(version(write));
    terms.extend(compared(entity, write.verb).map(|own| ratchet(write, own)));
    terms.extend(fence(write));
    terms.extend(immutable(write));
    terms.extend(tombstone(write));
    terms.extend(intent(write));
    terms.extend(known_schema_version(write, &terms));
    terms.extend(entity_type(write, &terms));
    join(terms, " AND ").map(|term| term.text)
}

fn exists(entity: &Entity) -> Term {
    single(format!("attribute_exists(#{})", entity.key.partition.name))
}

fn not_exists(entity: &Entity) -> Term {
    single(format!("attribute_not_exists(#{})", entity.key.partition.name))
}

/// Requires that a live item exists, or that none does.
fn presence(write: Write<'_>) -> Vec<Term> {
    let Write { entity, verb, expected, .. } = write;
    let (dead, is_versioned) = (dead(entity), entity.version.is_some());
    match (verb, expected) {
        (Verb::Put | Verb::Create, Expected::New) if is_versioned => vec![not_exists(entity)],
        (Verb::Put | Verb::Create, Expected::Dead) if is_versioned => join(dead, " OR ").into_iter().collect(),
        (Verb::Create, _) => {
            join(std::iter::once(not_exists(entity)).chain(dead).collect(), " OR ").into_iter().collect()
        }
        (Verb::Replace | Verb::Update | Verb::UpdateGroup(_) | Verb::Check, _) => {
            std::iter::once(exists(entity)).chain(dead.into_iter().map(not)).collect()
        }
        // The row of an expired item can vanish at any moment.
        (Verb::Put | Verb::Delete, Expected::Loaded) if is_versioned => expired(entity).map(not).into_iter().collect(),
        (Verb::Put | Verb::Delete | Verb::Undelete | Verb::Purge, _) => Vec::new(),
    }
}

/// Returns the terms that make an item count as absent: the tombstone's flag, and a TTL that has passed.
fn dead(entity: &Entity) -> Vec<Term> {
    let flag = entity.tombstone.as_ref().map(|tombstone| format!("#{0} = :{0}", tombstone.deleted));
    flag.map(single).into_iter().chain(expired(entity)).collect()
}

/// Returns the term that the TTL has passed.
fn expired(entity: &Entity) -> Option<Term> {
    entity.ttl().map(|ttl| single(format!("#{ttl} BETWEEN :{ttl} AND :{ttl}_2")))
}

/// Requires that the row has the current shape, if the write changes a part of it.
fn schema_version(write: Write<'_>) -> Option<Term> {
    let version = write.entity.schema_version.as_ref()?;
    if !matches!(write.verb, Verb::Update | Verb::UpdateGroup(_)) {
        return None;
    }
    let name = &version.attribute;
    let current = format!("#{name} = :{name}");
    Some(match version.current.value {
        1 => compound(format!("attribute_not_exists(#{name}) OR {current}")),
        _ => single(current),
    })
}

/// Requires that the row has no newer shape, if the write replaces all of it and has a condition anyway.
fn known_schema_version(write: Write<'_>, terms: &[Term]) -> Option<Term> {
    let name = &write.entity.schema_version.as_ref()?.attribute;
    let starts = write.entity.version.is_some() && matches!(write.expected, Expected::New | Expected::Dead);
    let replaces = matches!(write.verb, Verb::Put | Verb::Replace) && !starts;
    (replaces && !terms.is_empty()).then(|| compound(format!("attribute_not_exists(#{name}) OR #{name} <= :{name}")))
}

/// Requires the version that the write expects.
fn version(write: Write<'_>) -> Option<Term> {
    let version = write.entity.stored(write.entity.version.as_ref()?.field);
    match (write.verb, write.expected) {
        (Verb::Check | Verb::Purge, _) | (_, Expected::New) => None,
        (_, Expected::Dead | Expected::Loaded) => Some(single(format!("#{version} = :{version}"))),
        (_, Expected::Unchecked) => Some(compound(format!(
            "attribute_not_exists(#{version}) OR #{version} BETWEEN :{version} AND :{version}_2"
        ))),
    }
}

/// Returns the ratchets that a write compares.
pub(super) fn compared(entity: &Entity, verb: Verb) -> impl Iterator<Item = &Ratchet> {
    let compares = move |index| match verb {
        Verb::Update | Verb::Check | Verb::Purge => false,
        Verb::UpdateGroup(group) => group == index,
        _ => true,
    };
    entity.ratchets.iter().enumerate().filter(move |(index, _)| compares(*index)).map(|(_, ratchet)| ratchet)
}

/// Requires that the ratchet lets the write pass.
fn ratchet(write: Write<'_>, ratchet: &Ratchet) -> Term {
    let Write { entity, verb, .. } = write;
    let token = entity.stored(ratchet.field);
    let last = if ratchet.strict || verb == Verb::Undelete { "<" } else { "<=" };
    let Some(tiebreak) = ratchet.tiebreak().map(|tiebreak| entity.stored(tiebreak)) else {
        return compound(format!("attribute_not_exists(#{token}) OR #{token} {last} :{token}"));
    };
    let tied = format!("#{tiebreak} {last} :{tiebreak}");
    let tied = match verb {
        Verb::Undelete => tied,
        _ => format!("(attribute_not_exists(#{tiebreak}) OR {tied})"),
    };
    compound(format!("attribute_not_exists(#{token}) OR #{token} < :{token} OR (#{token} = :{token} AND {tied})"))
}

/// Requires that the item has no greater fence.
fn fence(write: Write<'_>) -> Option<Term> {
    let fence = write.entity.stored(write.entity.fence?);
    let is_put = matches!(write.verb, Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete | Verb::Delete);
    (is_put || write.is_fenced).then(|| compound(format!("attribute_not_exists(#{fence}) OR #{fence} <= :{fence}")))
}

/// Requires that immutable attributes of a live item stay as they are.
fn immutable(write: Write<'_>) -> Vec<Term> {
    let Write { entity, verb, expected, .. } = write;
    let starts = entity.version.is_some() && matches!(expected, Expected::New | Expected::Dead);
    match verb {
        Verb::Put if !starts => {
            let mut others = dead(entity);
            others.extend(current_shape(entity).map(|_| not_exists(entity)));
            let kept = entity.immutable().map(|field| kept(entity, field, true)).collect();
            if others.is_empty() {
                return kept;
            }
            let Some(kept) = join(kept, " AND ") else { return Vec::new() };
            join(others.into_iter().chain([kept]).collect(), " OR ").into_iter().collect()
        }
        Verb::Replace => entity.immutable().map(|field| kept(entity, field, true)).collect(),
        Verb::UpdateGroup(group) => {
            let guards = entity.ratchets[group].guards.iter().map(|guard| &entity.fields[guard.value]);
            guards.filter(|field| field.is_immutable).map(|field| kept(entity, field, false)).collect()
        }
        _ => Vec::new(),
    }
}

/// Requires that a field has no value, or the one of the write.
fn kept(entity: &Entity, field: &Field, is_whole: bool) -> Term {
    let name = &field.stored;
    let absent = format!("attribute_not_exists(#{name})");
    let (absent, same) = if field.is_nullable() {
        (format!("{absent} OR attribute_type(#{name}, :{name})"), format!("#{name} = :{name}_2"))
    } else {
        (absent, format!("#{name} = :{name}"))
    };
    compound(match current_shape(entity).filter(|_| is_whole) {
        Some(shape) if field.is_nullable() => format!("(({absent}) AND {shape}) OR {same}"),
        Some(shape) => format!("({absent} AND {shape}) OR {same}"),
        None => format!("{absent} OR {same}"),
    })
}

/// Requires that the row has the current shape, if there are older ones.
fn current_shape(entity: &Entity) -> Option<String> {
    let version = entity.schema_version.as_ref().filter(|version| version.current.value > 1)?;
    Some(format!("#{0} = :{0}", version.attribute))
}

/// Returns what the write requires of the tombstone.
fn tombstone(write: Write<'_>) -> Option<Term> {
    let Write { entity, verb, .. } = write;
    let deleted = &entity.tombstone.as_ref()?.deleted;
    let flagged = single(format!("#{deleted} = :{deleted}"));
    let is_strict = |ratchet: &Ratchet| ratchet.strict && ratchet.tiebreak.is_none();
    match verb {
        Verb::Undelete => Some(flagged),
        Verb::Purge => join(vec![not_exists(entity), identical(entity)?], " OR "),
        Verb::Delete if entity.version.is_some() => None,
        Verb::Put | Verb::Create | Verb::Delete
            if !entity.ratchets.is_empty() && !entity.ratchets.iter().any(is_strict) =>
        {
            let mut terms = vec![flagged];
            for ratchet in &entity.ratchets {
                let token = entity.stored(ratchet.field);
                terms.push(single(format!("#{token} = :{token}")));
                if let Some(tiebreak) = ratchet.tiebreak().map(|tiebreak| entity.stored(tiebreak)) {
                    terms.push(compound(format!("attribute_not_exists(#{tiebreak}) OR #{tiebreak} = :{tiebreak}")));
                }
            }
            if let Some(fence) = entity.fence.filter(|_| verb == Verb::Delete).map(|fence| entity.stored(fence)) {
                terms.push(single(format!("#{fence} = :{fence}")));
            }
            join(terms, " AND ").map(not)
        }
        _ => None,
    }
}

/// Requires that no transaction has an intent in the item.
fn intent(write: Write<'_>) -> Option<Term> {
    write.entity.transactional.map(|_| single(format!("attribute_not_exists(#{INTENT})")))
}

/// Requires that the tombstone is the one that was read.
fn identical(entity: &Entity) -> Option<Term> {
    let tombstone = entity.tombstone.as_ref()?;
    let tokens = entity.ratchets.iter().flat_map(Ratchet::tokens);
    let version = entity.version.iter();
    let version = version.flat_map(|version| {
        std::iter::once(entity.stored(version.field)).chain(version.write_id.iter().map(|name| name.as_str()))
    });
    let names = std::iter::once(tombstone.deleted.as_str())
        .chain(version)
        .chain(tokens.chain(entity.fence).map(|field| entity.stored(field)))
        .chain([tombstone.ttl.as_str()]);
    join(names.map(|name| single(format!("#{name} = :{name}"))).collect(), " AND ")
}

/// Requires that the item does not have the mark of another entity. The condition is not needed if no item may exist, and a
/// write without a condition gets none.
fn entity_type(write: Write<'_>, terms: &[Term]) -> Option<Term> {
    let attribute = &write.entity.entity_type.as_ref()?.attribute;
    let absent = not_exists(write.entity).text;
    let is_demanded = !terms.is_empty() && terms.iter().all(|term| term.text != absent);
    is_demanded.then(|| compound(format!("attribute_not_exists(#{attribute}) OR #{attribute} = :{attribute}")))
}
