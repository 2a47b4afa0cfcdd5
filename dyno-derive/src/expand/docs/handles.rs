//! The documentation of handles: what each stands for, and what an update can do with it.

use super::lines;
use crate::model::{Access, Entity, Ratchet};
use proc_macro2::TokenStream;
use syn::Attribute;

/// Returns the attributes of a handle: what it stands for, and as a paragraph of its own what the field itself says.
pub(in crate::expand) fn handle(meaning: &str, described: &[Attribute]) -> TokenStream {
    let has_own = described.iter().any(|attribute| attribute.path().is_ident("doc"));
    let (meaning, blank) = (lines([meaning.to_owned()]), has_own.then(|| code!(#[doc = ""])));
    code!(#meaning #blank #(#described)*)
}

/// Says what the handle of the field with this index stands for, and what an update can do with it.
pub(in crate::expand) fn meaning(entity: &Entity, index: usize) -> String {
    let field = &entity.fields[index];
    let name = &field.name;
    let Some(attribute) = field.attribute() else {
        return format!("The key field `{name}`, which no update can change.");
    };
    let has = |fields: &[usize]| fields.contains(&index);
    let is_token = entity.ratchets.iter().any(|ratchet| ratchet.field == index);
    match field.access {
        Access::Plain if Some(index) == entity.ttl_field => {
            format!("The TTL `{attribute}`, after which the item counts as absent.")
        }
        Access::Plain if !entity.has_update() => attribute_of(name, attribute),
        Access::Plain => match entity.embeddings.iter().find(|embedding| has(&embedding.of)) {
            Some(embedding) => {
                let (vector, embed) = (&entity.fields[embedding.vector].name, entity.embed_name(embedding));
                format!(
                    "The attribute `{attribute}`: an update of it removes `{vector}`, until `{embed}` stores a new one."
                )
            }
            None => attribute_of(name, attribute),
        },
        Access::Key => format!("The key attribute `{attribute}`, which no update can change."),
        Access::Guarded if is_token && entity.is_grouped() => {
            format!("The ratchet attribute `{attribute}`: each update of its group brings its own value.")
        }
        Access::Guarded if is_token => format!("The ratchet attribute `{attribute}`: each write brings its own value."),
        Access::Guarded => {
            let guards = |ratchet: &&Ratchet| {
                ratchet.tokens().any(|token| token == index) || ratchet.guards.iter().any(|guard| guard.value == index)
            };
            let ratchet = entity.ratchets.iter().find(guards).or(entity.ratchets.first());
            let of = ratchet.map_or_else(String::new, |ratchet| format!(" `{}`", entity.fields[ratchet.field].name));
            format!("The attribute `{attribute}`, which is written only together with its ratchet{of}.")
        }
        Access::Version => format!("The version `{attribute}`, which dyno counts."),
        Access::Fence => format!("The fence `{attribute}`, which `.fenced(…)` sets."),
        Access::Indexed if entity.unique.iter().any(|unique| has(&unique.fields)) => {
            format!("The unique attribute `{attribute}`: a write that sets it claims the value.")
        }
        Access::Indexed => format!("The attribute `{attribute}`: a write that sets it also sets its index keys."),
        Access::Joint => match entity.joint.iter().find(|group| has(group)).filter(|_| entity.has_update()) {
            Some(group) => {
                let joint = entity.joint_name(group);
                format!("The attribute `{attribute}`, which an update sets by the handle `{joint}`.")
            }
            None => attribute_of(name, attribute),
        },
        Access::Embedding if entity.has_update() => {
            let embedding = entity.embeddings.iter().find(|embedding| embedding.vector == index);
            let embed = embedding.map_or_else(|| "embed".to_owned(), |embedding| entity.embed_name(embedding));
            format!("The vector `{attribute}`, which `{embed}` stores, and an update can remove.")
        }
        Access::Vector | Access::Embedding => format!("The vector `{attribute}` of an index."),
        Access::Immutable if entity.has_update() => {
            format!("The immutable attribute `{attribute}`: an update can set it only if it is absent.")
        }
        Access::Immutable => format!("The immutable attribute `{attribute}`, which keeps its first value."),
        Access::Kept if Some(index) == entity.updated => {
            format!("The time `{attribute}` of the last write, which dyno sets.")
        }
        Access::Kept if Some(index) == entity.created => {
            format!("The time `{attribute}` of the first write, which dyno sets.")
        }
        Access::Kept => format!("The attribute `{attribute}`, which no update can change."),
    }
}

/// Names an attribute, and the field if that has another name.
fn attribute_of(name: &str, attribute: &str) -> String {
    if name == attribute {
        format!("The attribute `{attribute}`.")
    } else {
        format!("The field `{name}`, stored as the attribute `{attribute}`.")
    }
}
