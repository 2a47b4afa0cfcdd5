//! Ratchets: their tokens are stored, ratchets do not compete, and groups of fields are disjoint and complete.

use crate::diag::{Diagnostics, Problem};
use crate::given::Given;
use crate::model::{Access, Codec, Entity, Ratchet, Storage};

pub(super) fn ratchets_do_not_compete(entity: &Entity, diag: &mut Diagnostics) {
    if entity.ratchets.len() < 2 {
        return;
    }
    // The parser has reported an empty list of guards.
    for ratchet in entity.ratchets.iter().filter(|ratchet| !ratchet.said.has("guards")) {
        let name = &entity.fields[ratchet.field].name;
        diag.push(
            Problem::new(
                ratchet.span,
                format!("the ratchet `{name}` guards the whole item, and there is another ratchet"),
            )
            .help("say which fields it guards: `#[ratchet(guards(field, …))]`")
            .note("with two tokens for one item, a write could be newer by one token and older by the other"),
        );
    }
}

/// Requires that tokens and tiebreaks are stored so that DynamoDB can compare them.
pub(super) fn ratchet_fields_are_stored(entity: &Entity, diag: &mut Diagnostics) {
    for ratchet in &entity.ratchets {
        let tiebreak = ratchet.tiebreak.map(|tiebreak| (&entity.fields[tiebreak.value], Some(tiebreak.span)));
        for (field, span) in std::iter::once((&entity.fields[ratchet.field], None)).chain(tiebreak) {
            let what = if span.is_some() { "tiebreak" } else { "ratchet" };
            let coded = field.said.span("with").or_else(|| field.said.span("serde"));
            let stored_as_it_is = field.storage == Storage::Attribute && coded.is_none();
            // The rules for skipped and key fields have reported what the ratchet's own field cannot be.
            if !stored_as_it_is && (span.is_some() || coded.is_some()) {
                diag.push(
                    Problem::new(
                        coded.or(span).unwrap_or(ratchet.span),
                        format!("the {what} `{}` must be an attribute of its own, stored as its type says", field.name),
                    )
                    .note("DynamoDB compares it with what is stored"),
                );
            }
            if let Codec::Form(form) = &field.codec
                && !form.sorts()
            {
                diag.push(
                    Problem::new(form.span, format!("times in this form do not order writes: `{}`", field.name))
                        .help("take one that sorts, such as `format = \"millis\"`, and convert rows in this form with `modify_each`")
                        .note("without a fixed number of digits, `…:00Z` sorts after `…:00.120Z`"),
                );
            }
        }
        if let Some(tiebreak) = ratchet.tiebreak {
            tiebreak_is_its_own(entity, ratchet, tiebreak, diag);
        }
    }
}

/// Requires that a tiebreak changes only with its own token.
fn tiebreak_is_its_own(entity: &Entity, ratchet: &Ratchet, tiebreak: Given<usize>, diag: &mut Diagnostics) {
    let (field, span) = (tiebreak.value, tiebreak.span);
    let name = &entity.fields[field].name;
    if field == ratchet.field {
        diag.push(Problem::new(span, "a ratchet cannot break its own ties").help("name another field"));
    } else if entity.version.as_ref().is_some_and(|version| version.field == field) {
        diag.push(
            Problem::new(span, format!("the tiebreak `{name}` is the version"))
                .help("name another field")
                .note("every write raises it, whatever its token"),
        );
    } else if entity.fence == Some(field) {
        diag.push(
            Problem::new(span, format!("the tiebreak `{name}` is the fence"))
                .help("name another field")
                .note("it is the number of a lock's lease, and does not order two writes by one holder"),
        );
    } else if entity.ratchets.iter().any(|other| other.field == field) {
        diag.push(
            Problem::new(span, format!("the tiebreak `{name}` is a ratchet itself"))
                .help("name another field")
                .note("an update of one group would move the other's token"),
        );
    } else if entity.ratchets.iter().any(|other| other.field < ratchet.field && other.tiebreak() == Some(field)) {
        diag.push(
            Problem::new(span, format!("`{name}` breaks the ties of another ratchet already"))
                .help("give each ratchet a tiebreak of its own")
                .note("an update of one group would move the other's tiebreak"),
        );
    }
}

/// Requires that a field has one token.
pub(super) fn groups_are_disjoint(entity: &Entity, diag: &mut Diagnostics) {
    let mut owners: Vec<Option<usize>> = vec![None; entity.fields.len()];
    for ratchet in &entity.ratchets {
        for guard in &ratchet.guards {
            let field = &entity.fields[guard.value];
            let ident = &field.ident;
            let is_token = entity.ratchets.iter().any(|other| other.tokens().any(|token| token == guard.value));
            let (problem, help) = if entity.key.parts.contains(guard) {
                (format!("`{ident}` is part of the key, which never changes"), "leave it out")
            } else if entity.version.as_ref().is_some_and(|version| version.field == guard.value) {
                (format!("`{ident}` is the version, which every write raises"), "leave it out")
            } else if entity.fence == Some(guard.value) {
                (format!("`{ident}` is the fence, which each write that is fenced sets"), "leave it out")
            } else if is_token {
                (format!("`{ident}` is a ratchet or a tiebreak itself"), "leave it out: it moves with its own group")
            } else if field.storage == Storage::Skipped {
                (format!("`{ident}` is not stored"), "leave it out")
            } else if field.storage == Storage::Rest {
                (format!("`{ident}` is no attribute, but holds the rest of them"), "leave it out")
            } else if let Some(owner) = owners[guard.value].replace(ratchet.field) {
                let owner = &entity.fields[owner].name;
                (format!("`{ident}` is guarded by `{owner}` already"), "a field has one token: keep it in one group")
            } else {
                continue;
            };
            diag.push(Problem::new(guard.span, problem).help(help));
        }
    }
}

/// Requires that every field is in a group. A put writes every field, and would write a field without a token in any order,
/// so a late put would undo it.
pub(super) fn groups_are_complete(entity: &Entity, diag: &mut Diagnostics) {
    if !entity.is_grouped() {
        return;
    }
    let late = "a put writes every field, so a late put would undo this one whatever its age";
    for (index, field) in entity.fields.iter().enumerate() {
        if field.storage == Storage::Rest {
            diag.push(
                Problem::new(field.ident.span(), format!("no ratchet can guard the rest, `{}`", field.name))
                    .help("name the attributes as fields, each in a group; or leave it out, and `modify` the item, which keeps the rest")
                    .note(late),
            );
        }
        let is_rule = matches!(field.access, Access::Version | Access::Fence);
        let in_group = is_rule || entity.ratchets.iter().any(|ratchet| ratchet.covers(index));
        if field.storage == Storage::Attribute && !in_group {
            diag.push(
                Problem::new(field.ident.span(), format!("no ratchet guards the field `{}`", field.name))
                    .help(format!("add it to a group: `guards(…, {})`", field.name))
                    .note(late),
            );
        }
    }
}
