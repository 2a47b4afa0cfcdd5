//! From the attributes to the model. `check` compares the attributes with each other.

mod document;
mod entities;
mod field;
mod index;
mod indexed;
mod key;
mod lints;
mod projection;
mod rules;
mod template;
mod unique;
mod value;
mod vector_index;

pub(crate) use document::document;
pub(crate) use entities::{aggregate, entities};
pub(crate) use projection::projection;

use crate::attr::{ContainerAttrs, CratePath, FieldAttrs, Slot, Words as _, read_attributes};
use crate::diag::{Diagnostics, Problem};
use crate::given::here;
use crate::model::{Case, Container, Entity};
use field::FieldInput;
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Fields, GenericParam, Generics, LitStr, Path, parse_quote_spanned};

/// Lowers an entity. If the input does not suffice, it returns `None`, and `diag` says why.
pub(crate) fn entity(
    input: &DeriveInput,
    attrs: &ContainerAttrs,
    container: Container,
    diag: &mut Diagnostics,
) -> Option<Entity> {
    // Read the fields with their attributes.
    let named = named_fields(input, diag)?;
    no_lifetimes(&input.generics, diag);
    let case = case(&attrs.entity.rename_all, diag);
    let fields = named.into_iter().filter_map(|(field, attrs)| field::field(field, attrs, case, diag));
    let mut fields: Vec<FieldInput> = fields.collect();
    // Lower the key and the rules, before the key is required: all mistakes are reported at once.
    let key = key::key(&input.ident, attrs, &fields, diag);
    let ratchets = rules::ratchets(&fields, diag);
    let fence = fields.iter().position(|field| field.attrs.fence.is_set());
    let created = fields.iter().position(|field| field.attrs.created.is_set());
    let updated = fields.iter().position(|field| field.attrs.updated.is_set());
    let ttl_field = fields.iter().position(|field| field.attrs.ttl.is_set());
    let tombstone = attrs.tombstone.get().map(|attr| {
        let ttl = ttl_field.map(|field| &fields[field].stored);
        rules::tombstone(attr, ttl, case, diag)
    });
    // Indexes, vectors and unique values refer to the key and to each other, and change how fields may be updated.
    let key = key?;
    field::place_in_key(&mut fields, &key);
    field::place_in_rules(&mut fields, &ratchets);
    let indexes = index::indexes(&attrs.indexes, &input.ident, &fields, &key, diag);
    let vector_indexes = vector_index::vector_indexes(&attrs.indexes, &input.ident, &fields, diag);
    let embeddings = vector_index::embeddings(&vector_indexes, &fields);
    let unique = unique::unique(&attrs.unique, &fields, diag);
    let joint = indexed::joint(&indexes, &embeddings, &unique, &key, &fields);
    indexed::place_in_templates(&mut fields, &indexes, &key);
    unique::place_unique(&mut fields, &unique, &joint);
    vector_index::place_vectors(&mut fields, &vector_indexes, &embeddings);
    Some(indexed::with_what_readers_need(Entity {
        container,
        table: value::word(&attrs.entity.table),
        entity_type: rules::entity_type(&attrs.entity, &input.ident),
        key,
        schema_version: rules::schema_version(&attrs.entity, diag),
        ratchets,
        fence,
        created,
        updated,
        tombstone,
        ttl_field,
        version: rules::version(&fields, diag),
        history: attrs.history.get().map(|history| rules::history(history, diag)),
        idempotency: attrs.idempotency.get().map(|idempotency| rules::idempotency(idempotency, diag)),
        transactional: attrs.transactional.span(),
        unique,
        indexes,
        vector_indexes,
        embeddings,
        joint,
        fields: fields.into_iter().map(|input| input.field).collect(),
        said: attrs.said(),
    }))
}

fn named_fields<'a>(input: &'a DeriveInput, diag: &mut Diagnostics) -> Option<Vec<(&'a syn::Field, FieldAttrs)>> {
    let problem = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let fields = fields.named.iter();
                return Some(fields.map(|field| (field, read_attributes(&field.attrs, diag))).collect());
            }
            Fields::Unnamed(fields) => {
                Problem::new(fields.span(), "an entity has named fields, and this is a tuple struct")
            }
            Fields::Unit => Problem::new(input.ident.span(), "an entity has named fields, and this struct has none"),
        },
        Data::Enum(data) => Problem::new(data.enum_token.span(), "an entity is a struct, and this is an enum")
            .help("derive `dyno::Document` for an enum that is a field of an entity"),
        Data::Union(data) => Problem::new(data.union_token.span(), "an entity is a struct, and this is a union"),
    };
    diag.push(problem.note("stored attributes are named after fields"));
    None
}

fn no_lifetimes(generics: &Generics, diag: &mut Diagnostics) {
    for param in &generics.params {
        if let GenericParam::Lifetime(lifetime) = param {
            diag.push(
                Problem::new(lifetime.span(), "an entity cannot borrow")
                    .help("own the data: `String` for `&str`, or `Cow<'static, str>`")
                    .note("what is read from DynamoDB belongs to the entity"),
            );
        }
    }
}

/// Returns the path of the runtime crate.
pub(crate) fn krate(slot: &Slot<CratePath>) -> Path {
    slot.get().map_or_else(|| parse_quote_spanned!(here()=> ::dyno), |krate| krate.value.0.clone())
}

pub(crate) fn container(input: &DeriveInput, krate: Path) -> Container {
    Container {
        ident: input.ident.clone(),
        vis: input.vis.clone(),
        generics: input.generics.clone(),
        krate,
        lints: lints::lints(input),
    }
}

fn case(rename_all: &Slot<LitStr>, diag: &mut Diagnostics) -> Case {
    let Some(rename_all) = rename_all.get() else {
        return Case::AsIs;
    };
    Case::parse(&rename_all.value.value(), rename_all.value.span()).unwrap_or_else(|problem| {
        diag.push(problem);
        Case::AsIs
    })
}
