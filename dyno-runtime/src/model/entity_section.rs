//! The section of an entity on the page: its key, its rules and its attributes.

use super::markdown::{code, codes, table};
use super::option_names::mode;
use crate::schema::{Idempotency, KeyAttribute, KeyForm, Layout, Schema, Segment, Store, StoredAttribute, Tables};

/// Returns the paragraphs of the section.
pub(super) fn section(schema: &Schema, tables: &Tables) -> Vec<String> {
    let mut paragraphs = vec![format!("### {}", code(schema.entity))];
    let keys = schema.keys().zip(["Partition key", "Sort key"]).map(|(key, role)| {
        let (name, text) = (code(key.name), key_text(key, schema.key_fields));
        match key.form {
            KeyForm::Field(_) if text == key.name => format!("{role} {name}."),
            KeyForm::Field(_) => format!("{role} {name}: field {}.", code(&text)),
            KeyForm::Template(_) => format!("{role} {name}: {}.", code(&text)),
        }
    });
    paragraphs.push(keys.collect::<Vec<_>>().join(" "));
    let rules: Vec<_> = rules(schema, tables).into_iter().map(|rule| format!("- {rule}")).collect();
    if !rules.is_empty() {
        paragraphs.push(rules.join("\n"));
    }
    if !schema.attributes.is_empty() {
        paragraphs.push(table(["Attribute", "Type", "Required"], schema.attributes.iter().map(attribute)));
    }
    if schema.has_rest {
        paragraphs.push("It also keeps undeclared attributes.".to_owned());
    }
    paragraphs
}

fn attribute(attribute: &StoredAttribute) -> [String; 3] {
    let required = if attribute.has_default {
        "no, it has a default"
    } else if attribute.required {
        "yes"
    } else {
        "no"
    };
    let older = if attribute.aliases.is_empty() {
        String::new()
    } else {
        format!(", in older items {}", codes(attribute.aliases.iter().copied()))
    };
    [code(attribute.name) + &older, attribute.kind.name().to_owned(), required.to_owned()]
}

/// Returns the field of a key, or the template of its text.
pub(super) fn key_text(key: &KeyAttribute, fields: &[&str]) -> String {
    match key.form {
        KeyForm::Field(field) => fields[field].to_owned(),
        KeyForm::Template(segments) => {
            let segments = segments.iter().map(|segment| match *segment {
                Segment::Literal(text) => text.to_owned(),
                Segment::Hole { field, width: 0, .. } => format!("{{{}}}", fields[field]),
                Segment::Hole { field, width, .. } => format!("{{{}:0{width}}}", fields[field]),
            });
            segments.collect()
        }
    }
}

/// Returns the rules, by their attributes in the derive, each with where it keeps its data.
fn rules(schema: &Schema, tables: &Tables) -> Vec<String> {
    let mut rules = Vec::new();
    if let Some(mark) = &schema.entity_type {
        rules.push(format!("`type_name`: {}, in {}", code(mark.name), code(mark.attribute)));
    }
    if let Some(version) = &schema.schema_version {
        rules.push(format!("`schema_version`: {}, in {}", version.current, code(version.attribute)));
    }
    for ratchet in schema.ratchets {
        rules.push(format!("`#[ratchet]`: {}", codes([ratchet.attribute].into_iter().chain(ratchet.tiebreak))));
    }
    let fence = schema.fence.as_ref().map(|fence| fence.attribute);
    let version = schema.version.as_ref().map(|version| version.attribute);
    let ttl = schema.ttl.as_ref().map(|ttl| ttl.attribute).filter(|_| schema.tombstone.is_none());
    let created = schema.created.as_ref().map(|created| created.attribute);
    let updated = schema.updated.as_ref().map(|updated| updated.attribute);
    let on_attributes =
        [("fence", fence), ("version", version), ("ttl", ttl), ("created", created), ("updated", updated)];
    for (rule, attribute) in on_attributes {
        rules.extend(attribute.map(|attribute| format!("`#[{rule}]`: {}", code(attribute))));
    }
    if !schema.immutable.is_empty() {
        rules.push(format!("`#[attribute(immutable)]`: {}", codes(schema.immutable.iter().copied())));
    }
    if let Some(tombstone) = &schema.tombstone {
        let (deleted, ttl, days) = (code(tombstone.deleted), code(tombstone.ttl), tombstone.ttl_days);
        rules.push(format!("`#[tombstone]`: {deleted}, removed by {ttl} after {days} days"));
    }
    if let Some(history) = &schema.history {
        let mode = mode(history.mode);
        let place = match history.layout {
            Layout::SameTable => "in the same table".to_owned(),
            Layout::Table(_) => format!("in {}", codes(tables.history.as_deref())),
        };
        let days = history.ttl_days.map(|days| format!(", kept for {days} days"));
        rules.push(format!("`#[history_table]`: {mode}, {place}{}", days.unwrap_or_default()));
    }
    rules.extend(schema.idempotency.as_ref().map(|idempotency| idempotency_rule(idempotency, tables)));
    for unique in schema.unique {
        let guards = codes(tables.guards.as_deref());
        rules.push(format!("`#[unique]`: {}, with guards in {guards}", codes(unique.attributes.iter().copied())));
    }
    if schema.is_transactional {
        rules.push("`#[transactional]`".to_owned());
    }
    rules
}

fn idempotency_rule(idempotency: &Idempotency, tables: &Tables) -> String {
    let place = match &idempotency.store {
        Store::Time { attributes: [first, .., last], .. } => format!("{} to {}", code(first), code(last)),
        Store::Time { attributes, .. } => codes(attributes.iter().copied()),
        Store::Count { attribute, .. } => code(attribute),
        Store::Row { .. } => format!("rows of {}", codes(tables.keys.as_deref())),
    };
    format!("`#[idempotency]`: keys in {place}")
}
