//! Ratchets: their tokens are stored, they do not compete, and groups of fields are disjoint and complete.

use crate::diag::{Diagnostics, Problem};
use crate::model::lower::FieldInput;
use crate::model::{Access, Entity, Storage};
use proc_macro2::Span;

pub(super) fn ratchets_do_not_compete(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    if entity.ratchets.len() < 2 {
        return;
    }
    for ratchet in entity.ratchets.iter().filter(|ratchet| ratchet.guards.is_empty()) {
        let input = &fields[ratchet.field];
        // An empty list has been reported when it was read.
        if input.attrs.ratchet.get().is_some_and(|attr| attr.value.guards.is_set()) {
            continue;
        }
        diag.push(
            Problem::new(
                input.attrs.ratchet.span().unwrap_or_else(|| input.span()),
                format!("the ratchet `{}` guards the whole item, and there is another ratchet", input.name),
            )
            .help("say which fields it guards: `#[ratchet(guards(field, …))]`")
            .note("with two tokens for one item, a write could be newer by one and older by the other"),
        );
    }
}

/// Tokens and tiebreaks are compared by DynamoDB, as they are stored.
pub(super) fn ratchet_fields_are_stored(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    for ratchet in &entity.ratchets {
        let attr = fields[ratchet.field].attrs.ratchet.get();
        let tiebreak_span = attr.and_then(|attr| attr.value.tiebreak.get()).map(|tiebreak| tiebreak.value.span());
        for (field, what, span) in
            [(Some(ratchet.field), "ratchet", None), (ratchet.tiebreak, "tiebreak", tiebreak_span)]
        {
            let Some(field) = field else { continue };
            let input = &fields[field];
            let coded = input.attrs.attribute.with.span().or_else(|| input.attrs.attribute.serde.span());
            let stored_as_it_is = matches!(entity.fields[field].storage, Storage::Attribute(_)) && coded.is_none();
            // What the ratchet's own field may not be has been said by the rules for skipped and key fields.
            if !stored_as_it_is && (what == "tiebreak" || coded.is_some()) {
                diag.push(
                    Problem::new(
                        coded.or(span).unwrap_or_else(|| input.span()),
                        format!("the {what} `{}` must be an attribute of its own, stored as its type says", input.name),
                    )
                    .note("DynamoDB compares it with what is stored"),
                );
            }
        }
        for field in std::iter::once(ratchet.field).chain(ratchet.tiebreak) {
            if let (Some(form), Some(format)) = (entity.form(field), fields[field].attrs.attribute.format.get())
                && !form.sorts()
            {
                diag.push(
                    Problem::new(format.value.span(), format!("times in this form do not order writes: `{}`", fields[field].name))
                        .help("take one that sorts, as `format = \"millis\"`, and bring rows in this form over with `modify_each`")
                        .note("with as many digits as it takes, `…:00Z` sorts behind `…:00.120Z`"),
                );
            }
        }
        let Some(tiebreak) = ratchet.tiebreak else { continue };
        let span = tiebreak_span.unwrap_or_else(Span::call_site);
        let name = &fields[tiebreak].name;
        if tiebreak == ratchet.field {
            diag.push(Problem::new(span, "a ratchet cannot break its own ties").help("name another field"));
        } else if entity.version.as_ref().is_some_and(|version| version.field == tiebreak) {
            diag.push(
                Problem::new(span, format!("the tiebreak `{name}` is the version"))
                    .help("name another field")
                    .note("every write raises it, whatever its token"),
            );
        } else if entity.ratchets.iter().any(|other| other.field == tiebreak) {
            diag.push(
                Problem::new(span, format!("the tiebreak `{name}` is a ratchet itself"))
                    .help("name another field")
                    .note("an update of one group would move the other's token"),
            );
        } else if entity.ratchets.iter().any(|other| other.field < ratchet.field && other.tiebreak == ratchet.tiebreak)
        {
            diag.push(
                Problem::new(span, format!("`{name}` breaks the ties of another ratchet already"))
                    .help("give each ratchet a tiebreak of its own")
                    .note("an update of one group would move the other's tiebreak"),
            );
        }
    }
}

/// A field has one token.
pub(super) fn groups_are_disjoint(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    let mut owners: Vec<Option<usize>> = vec![None; fields.len()];
    for (index, ratchet) in entity.ratchets.iter().enumerate() {
        let attr = fields[ratchet.field].attrs.ratchet.get();
        let guards = attr.and_then(|attr| attr.value.guards.get());
        let Some(guards) = guards else { continue };
        for guard in &guards.value {
            let Some(field) = fields.iter().position(|field| guard == field.name.as_str() || *guard == field.ident)
            else {
                continue;
            };
            let tokens = entity.ratchets.iter().any(|other| other.field == field || other.tiebreak == Some(field));
            let problem = if entity.key.parts.contains(&field) {
                Some((format!("`{guard}` is part of the key, which never changes"), "leave it out"))
            } else if entity.version.as_ref().is_some_and(|version| version.field == field) {
                Some((format!("`{guard}` is the version, which every write raises"), "leave it out"))
            } else if tokens {
                Some((
                    format!("`{guard}` is a ratchet or a tiebreak itself"),
                    "leave it out: it moves with its own group",
                ))
            } else if entity.fields[field].storage == Storage::Skipped {
                Some((format!("`{guard}` is not stored"), "leave it out"))
            } else if entity.fields[field].storage == Storage::Rest {
                Some((format!("`{guard}` is no attribute, but holds the rest of them"), "leave it out"))
            } else if let Some(owner) = owners[field].replace(index) {
                let owner = &fields[entity.ratchets[owner].field].name;
                Some((
                    format!("`{guard}` is guarded by `{owner}` already"),
                    "a field has one token: keep it in one group",
                ))
            } else {
                None
            };
            if let Some((message, help)) = problem {
                diag.push(Problem::new(guard.span(), message).help(help));
            }
        }
    }
}

/// A put writes every field. One without a token would be written in any order, so a late put would undo it.
pub(super) fn groups_are_complete(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    if !entity.is_grouped() {
        return;
    }
    for (index, field) in entity.fields.iter().enumerate() {
        if field.storage == Storage::Rest {
            diag.push(
                Problem::new(fields[index].span(), format!("no ratchet can guard the rest, `{}`", field.name))
                    .help("name the attributes as fields, each in a group; or leave it out, and `modify` the item, which keeps the rest")
                    .note("a put writes every field, so a late put would undo this one whatever its age"),
            );
        }
        let in_group = entity.ratchets.iter().any(|ratchet| {
            ratchet.field == index || ratchet.tiebreak == Some(index) || ratchet.guards.contains(&index)
        }) || field.access == Access::Version;
        let is_attribute = matches!(field.storage, Storage::Attribute(_));
        if is_attribute && !in_group {
            diag.push(
                Problem::new(fields[index].span(), format!("no ratchet guards the field `{}`", field.name))
                    .help(format!("add it to a group: `guards(…, {})`", field.name))
                    .note("a put writes every field, so a late put would undo this one whatever its age"),
            );
        }
    }
}
