//! What attributes say of each other, and what no attribute can say: one function per rule.

use super::lower::FieldInput;
use super::{Access, Entity, KeyForm, Layout, Mode, Named, Segment, Storage};
use crate::attr::{ContainerAttrs, DefaultAttr, WriteIdAttr};
use crate::diag::{Diagnostics, Problem};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{GenericParam, Generics, LitInt, LitStr, Type};

/// The rules that need the whole entity.
pub(super) fn entity(entity: &Entity, attrs: &ContainerAttrs, fields: &[FieldInput], diag: &mut Diagnostics) {
    table_name(attrs, diag);
    names(entity, attrs, fields, diag);
    for field in fields {
        skipped_field(field, diag);
        no_default_token(field, diag);
        default_of_option(field, diag);
        no_self(field, diag);
    }
    stored_twice(entity, fields, diag);
    one_ttl(fields, diag);
    ttl_is_stored(entity, fields, diag);
    shared_ttl(entity, attrs, fields, diag);
    ratchets_do_not_compete(entity, fields, diag);
    ratchet_fields_are_stored(entity, fields, diag);
    groups_are_disjoint(entity, fields, diag);
    groups_are_complete(entity, fields, diag);
    one_version(fields, diag);
    version_is_stored(fields, diag);
    history(entity, attrs, diag);
}

/// Developer guide, "Naming rules": 3 to 255 of letters, digits, `_`, `-` and `.`.
fn table_name(attrs: &ContainerAttrs, diag: &mut Diagnostics) {
    if let Some(table) = attrs.table.get() {
        possible_table_name(&table.value, diag);
    }
}

fn possible_table_name(table: &LitStr, diag: &mut Diagnostics) {
    let name = table.value();
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if !(3..=255).contains(&name.len()) || !name.bytes().all(known) {
        diag.push(
            Problem::new(table.span(), format!("`{name}` cannot be a table's name"))
                .note("a table's name is 3 to 255 letters, digits, `_`, `-` and `.`"),
        );
    }
}

pub(super) fn no_lifetimes(generics: &Generics, diag: &mut Diagnostics) {
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

/// Whether a type is written as an `Option`.
pub(crate) fn is_option(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Option"),
        // What a `macro_rules!` macro has put in.
        Type::Group(group) => is_option(&group.elem),
        Type::Paren(paren) => is_option(&paren.elem),
        _ => false,
    }
}

/// Whether a type is one of the language's own that cannot count versions. (What only types can tell of others, the
/// runtime's traits say.)
pub(crate) fn is_uncountable(ty: &Type) -> bool {
    const UNCOUNTABLE: [&str; 12] =
        ["i8", "i16", "i32", "i64", "i128", "isize", "u128", "f32", "f64", "bool", "char", "String"];
    match ty {
        Type::Path(path) => path.path.get_ident().is_some_and(|ident| UNCOUNTABLE.iter().any(|name| ident == name)),
        _ => false,
    }
}

/// A field that a key is made of.
pub(super) fn key_field(field: &FieldInput, diag: &mut Diagnostics) {
    let attrs = &field.attrs;
    if is_option(&field.ty) {
        diag.push(
            Problem::new(field.ty.span(), format!("the key field `{}` is optional", field.name))
                .help("take the type out of the `Option`")
                .note("every item has its whole key"),
        );
    }
    let impossible = [
        ("skip", attrs.skip.span()),
        ("default", attrs.default.span()),
        ("serde", attrs.serde.span()),
        ("with", attrs.with.span()),
        ("ratchet", attrs.ratchet.span()),
        ("ttl", attrs.ttl.span()),
        ("version", attrs.version.span()),
    ];
    for (name, span) in impossible {
        if let Some(span) = span {
            diag.push(
                Problem::new(span, format!("`{name}` cannot be said of the key field `{}`", field.name))
                    .note("a key is always there, never changes, and is stored as its type says"),
            );
        }
    }
}

pub(super) fn ttl_days(days: &LitInt, diag: &mut Diagnostics) -> u32 {
    match days.base10_parse::<u32>() {
        Ok(0) => diag.push(
            Problem::new(days.span(), "a tombstone that is kept for 0 days protects nothing")
                .help("keep it for longer than any older write can be under way: `ttl_days = 7`"),
        ),
        Ok(days) => return days,
        Err(_) => diag.push(
            Problem::new(days.span(), "`ttl_days` is a whole number of days, at least 1").help("write `ttl_days = 7`"),
        ),
    }
    1
}

/// How long a revision is kept.
pub(super) fn history_days(days: &LitInt, diag: &mut Diagnostics) -> u32 {
    match days.base10_parse::<u32>() {
        Ok(days) if days > 0 => return days,
        _ => diag.push(
            Problem::new(days.span(), "`ttl_days` is a whole number of days, at least 1")
                .help("write `ttl_days = 365`, or leave it out to keep every revision"),
        ),
    }
    1
}

/// Two attributes of one name would be one attribute.
fn names(entity: &Entity, attrs: &ContainerAttrs, fields: &[FieldInput], diag: &mut Diagnostics) {
    let mut names: Vec<Named<'_>> = Vec::new();
    let keys = [
        (Some(&entity.key.partition), attrs.partition_key.get(), "the partition key"),
        (entity.key.sort.as_ref(), attrs.sort_key.get(), "the sort key"),
    ];
    for (key, attr, owner) in keys {
        if let (Some(key), Some(attr)) = (key, attr)
            && let KeyForm::Template(_) = key.form
        {
            let span = attr.value.name.get().map_or(attr.span, |name| name.value.span());
            names.push(Named { name: &key.name, span, owner: owner.to_owned() });
        }
    }
    for (field, input) in entity.fields.iter().zip(fields) {
        if let Some(name) = field.storage.attribute() {
            let rename = input.attrs.rename.get();
            let span = rename.map_or_else(|| input.span(), |rename| rename.value.span());
            names.push(Named { name, span, owner: format!("the field `{}`", field.name) });
        }
    }
    if let (Some(tombstone), Some(attr)) = (&entity.tombstone, attrs.tombstone.get()) {
        let span = attr.value.deleted.get().map_or(attr.span, |name| name.value.span());
        names.push(Named { name: &tombstone.deleted, span, owner: "the tombstone's flag".to_owned() });
        // The TTL of an entity's own expiry has been named already.
        if entity.ttl_field.is_none() {
            let span = attr.value.ttl.get().map_or(attr.span, |name| name.value.span());
            names.push(Named { name: &tombstone.ttl, span, owner: "the tombstone's TTL".to_owned() });
        }
    }
    if let Some(version) = &entity.version {
        let attr = fields[version.field].attrs.version.get();
        let given = attr.and_then(|attr| attr.value.write_id.get());
        let span = match given.map(|given| &given.value) {
            Some(WriteIdAttr::Named(name)) => name.span(),
            _ => attr.map_or_else(Span::call_site, |attr| attr.span),
        };
        let write_id = version.write_id.iter();
        names.extend(write_id.map(|name| Named { name, span, owner: "the write id".to_owned() }));
    }
    if let (Some(history), Some(attr)) = (&entity.history, attrs.history.get())
        && history.layout == Layout::SameTable
    {
        let reserved = ["_version", "_image", "_deleted", "_ttl"].iter();
        names.extend(reserved.map(|name| Named { name, span: attr.span, owner: "a revision's own".to_owned() }));
    }
    for (index, named) in names.iter().enumerate() {
        name_is_possible(named, entity, diag);
        if let Some(first) = names[..index].iter().find(|first| first.name == named.name) {
            diag.push(
                Problem::new(
                    named.span,
                    format!("{} and {} are both stored as `{}`", first.owner, named.owner, named.name),
                )
                .help("give one of them another name"),
            );
        }
    }
}

/// Developer guide, "Naming rules" and "Constraints": an attribute's name has 1 byte to 64 KB, a key's up to 255 bytes.
fn name_is_possible(named: &Named<'_>, entity: &Entity, diag: &mut Diagnostics) {
    let is_key = |name: &str| {
        entity.key.partition.name == name || entity.key.sort.as_ref().is_some_and(|sort| sort.name == name)
    };
    let limit = if is_key(named.name) { 255 } else { 65_535 };
    if named.name.is_empty() || named.name.len() > limit {
        diag.push(
            Problem::new(named.span, format!("{} cannot be stored under this name", named.owner))
                .note(format!("an attribute's name has 1 to {limit} bytes")),
        );
    }
}

/// A field that is not stored has nothing to be said about how it is.
fn skipped_field(field: &FieldInput, diag: &mut Diagnostics) {
    let attrs = &field.attrs;
    if !attrs.skip.is_set() {
        return;
    }
    for (name, span) in [
        ("rename", attrs.rename.span()),
        ("serde", attrs.serde.span()),
        ("with", attrs.with.span()),
        ("stored", attrs.stored.span()),
        ("ratchet", attrs.ratchet.span()),
        ("ttl", attrs.ttl.span()),
        ("version", attrs.version.span()),
    ] {
        if let Some(span) = span {
            diag.push(
                Problem::new(span, format!("`{name}` cannot be said of the skipped field `{}`", field.name))
                    .note("`skip` means that the field is not stored"),
            );
        }
    }
}

/// The handles are another type, where `Self` would mean that.
fn no_self(field: &FieldInput, diag: &mut Diagnostics) {
    if mentions_self(field.ty.to_token_stream()) {
        diag.push(
            Problem::new(field.ty.span(), format!("the type of `{}` says `Self`", field.name))
                .help("write the type's name"),
        );
    }
}

fn mentions_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "Self",
        TokenTree::Group(group) => mentions_self(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// A default would stand in for a token that nobody has written.
fn no_default_token(field: &FieldInput, diag: &mut Diagnostics) {
    if let Some(span) = field.attrs.default.span()
        && field.attrs.ratchet.is_set()
    {
        diag.push(
            Problem::new(span, format!("the ratchet `{}` cannot have a default", field.name))
                .note("an item without its token lets every write pass; what it holds is not known"),
        );
    }
}

/// `None` is stored as nothing.
pub(super) fn default_of_option(field: &FieldInput, diag: &mut Diagnostics) {
    if let Some(default) = field.attrs.default.get()
        && matches!(default.value, DefaultAttr::Path(_))
        && is_option(&field.ty)
    {
        diag.push(
            Problem::new(default.span, format!("`None` in `{}` would be read as the default", field.name))
                .help("take the type out of the `Option`, or leave the default out")
                .note("`None` is stored as an absent attribute"),
        );
    }
}

/// `stored` keeps a field of a key template as an attribute, too.
fn stored_twice(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    for (field, input) in entity.fields.iter().zip(fields) {
        if let Some(span) = input.attrs.stored.span()
            && !matches!(field.storage, Storage::AttributeAndTemplate(_) | Storage::Skipped)
        {
            diag.push(
                Problem::new(span, format!("the field `{}` is stored anyway", field.name))
                    .help("remove `stored`: it is for the fields of a key template"),
            );
        }
        if field.storage == Storage::Template
            && let Some(span) = input.attrs.rename.span()
        {
            diag.push(
                Problem::new(span, format!("the field `{}` has no attribute to rename", field.name))
                    .note("it is stored within a key template only")
                    .help("add `stored` to keep it as an attribute, too"),
            );
        }
    }
}

fn one_ttl(fields: &[FieldInput], diag: &mut Diagnostics) {
    for span in fields.iter().filter_map(|field| field.attrs.ttl.span()).skip(1) {
        diag.push(Problem::new(span, "a second `#[ttl]`").note("a table has one TTL attribute"));
    }
}

/// DynamoDB reads the TTL, so it is stored as its type says.
fn ttl_is_stored(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    let Some(input) = entity.ttl_field.map(|field| &fields[field]) else {
        return;
    };
    for (name, span) in [("with", input.attrs.with.span()), ("serde", input.attrs.serde.span())] {
        if let Some(span) = span {
            diag.push(
                Problem::new(span, format!("`{name}` cannot be said of the TTL field `{}`", input.name))
                    .note("DynamoDB reads it: a number of whole seconds, as `EpochSeconds` stores it"),
            );
        }
    }
}

/// The tombstone's TTL attribute is the entity's own.
fn shared_ttl(entity: &Entity, attrs: &ContainerAttrs, fields: &[FieldInput], diag: &mut Diagnostics) {
    let (Some(field), Some(tombstone), Some(attr)) = (entity.ttl_field, &entity.tombstone, attrs.tombstone.get())
    else {
        return;
    };
    let own = entity.stored(field);
    if tombstone.ttl != own {
        let span = attr.value.ttl.get().map_or(attr.span, |ttl| ttl.value.span());
        diag.push(
            Problem::new(
                span,
                format!(
                    "the tombstone's TTL is `{}`, but the field `{}` is stored as `{own}`",
                    tombstone.ttl, fields[field].name
                ),
            )
            .help("remove `ttl` here: tombstones then use the field's attribute")
            .note("a table has one TTL attribute"),
        );
    }
}

fn ratchets_do_not_compete(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
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
fn ratchet_fields_are_stored(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    for ratchet in &entity.ratchets {
        let attr = fields[ratchet.field].attrs.ratchet.get();
        let tiebreak_span = attr.and_then(|attr| attr.value.tiebreak.get()).map(|tiebreak| tiebreak.value.span());
        for (field, what, span) in
            [(Some(ratchet.field), "ratchet", None), (ratchet.tiebreak, "tiebreak", tiebreak_span)]
        {
            let Some(field) = field else { continue };
            let input = &fields[field];
            let coded = input.attrs.with.span().or_else(|| input.attrs.serde.span());
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
fn groups_are_disjoint(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
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
fn groups_are_complete(entity: &Entity, fields: &[FieldInput], diag: &mut Diagnostics) {
    if !entity.is_grouped() {
        return;
    }
    for (index, field) in entity.fields.iter().enumerate() {
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

fn one_version(fields: &[FieldInput], diag: &mut Diagnostics) {
    for span in fields.iter().filter_map(|field| field.attrs.version.span()).skip(1) {
        diag.push(
            Problem::new(span, "a second `#[version]`")
                .help("keep one")
                .note("a version counts the writes of the whole item"),
        );
    }
}

/// DynamoDB compares the version, and every write raises it.
fn version_is_stored(fields: &[FieldInput], diag: &mut Diagnostics) {
    for field in fields.iter().filter(|field| field.attrs.version.is_set()) {
        let attrs = &field.attrs;
        if is_option(&field.ty) && !attrs.partition_key.is_set() && !attrs.sort_key.is_set() {
            diag.push(
                Problem::new(field.ty.span(), format!("the version `{}` is optional", field.name))
                    .help("take the type out of the `Option`")
                    .note("0 is the version of an entity that has not been stored yet"),
            );
        }
        if is_uncountable(&field.ty) {
            let ty = field.ty.to_token_stream();
            diag.push(
                Problem::new(field.ty.span(), format!("`{ty}` cannot count versions"))
                    .help("take `u64`, or a smaller unsigned integer")
                    .note("a version is 0 before the item is stored, and each write raises it by one"),
            );
        }
        for (name, span) in [("with", attrs.with.span()), ("serde", attrs.serde.span())] {
            if let Some(span) = span {
                diag.push(
                    Problem::new(span, format!("`{name}` cannot be said of the version `{}`", field.name))
                        .note("DynamoDB compares it with what is stored: a number"),
                );
            }
        }
        if let Some(span) = attrs.default.span() {
            diag.push(
                Problem::new(span, format!("the version `{}` needs no default", field.name))
                    .help("remove `default`")
                    .note("an item without a version has the version 0"),
            );
        }
        if let Some(span) = attrs.ratchet.span() {
            diag.push(
                Problem::new(span, format!("`{}` cannot be a version and a ratchet", field.name))
                    .help("take two fields")
                    .note("a version is raised by the write itself, a ratchet's token comes with it"),
            );
        }
    }
}

/// What a history needs.
fn history(entity: &Entity, attrs: &ContainerAttrs, diag: &mut Diagnostics) {
    let (Some(history), Some(attr)) = (&entity.history, attrs.history.get()) else {
        return;
    };
    if entity.version.is_none() {
        diag.push(
            Problem::new(attr.span, "a history needs a version")
                .help("mark a `u64` field with `#[version]`")
                .note("revisions are numbered by it, and it keeps two writers from writing the same one"),
        );
    }
    if entity.is_grouped() {
        diag.push(
            Problem::new(attr.span, "a history does not go with groups of fields")
                .help("guard the whole item: `#[ratchet]` without `guards`")
                .note("an update of a group knows a part of the item only, and a revision is a whole one"),
        );
    }
    let mode_span = attr.value.mode.get().map_or(attr.span, |mode| mode.value.span());
    if history.mode == Mode::Ordered && entity.tombstone.is_none() {
        diag.push(
            Problem::new(mode_span, "an ordered history needs a tombstone")
                .help("add `#[tombstone(ttl_days = 7)]` to the struct, or leave `mode` out")
                .note("once the row is gone, nothing keeps a late create from giving a number twice"),
        );
    }
    if history.mode == Mode::Ordered && entity.ttl_field.is_some() {
        diag.push(
            Problem::new(mode_span, "an ordered history does not go with `#[ttl]`")
                .help("leave `mode` out: then each version is in the history as soon as it is stored")
                .note("DynamoDB removes an expired item by itself, and nobody would have written down what it was"),
        );
    }
    if history.layout != Layout::SameTable {
        if let Some(name) = attr.value.name.get() {
            possible_table_name(&name.value, diag);
            if entity.table.as_ref().is_some_and(|table| *table == name.value.value()) {
                diag.push(
                    Problem::new(name.value.span(), "the history has the name of the entity's own table")
                        .help("give it another name, or write `layout = \"same_table\"`")
                        .note("the two have different keys"),
                );
            }
        }
        return;
    }
    if let Some(KeyForm::Template(segments)) = entity.key.sort.as_ref().map(|sort| &sort.form)
        && matches!(segments.first(), Some(Segment::Literal(literal)) if literal.starts_with("_rev|"))
    {
        let span = attrs.sort_key.get().map_or(attr.span, |sort| sort.span);
        diag.push(
            Problem::new(span, "sort keys that begin with `_rev|` are those of revisions")
                .help("begin the template with other text"),
        );
    }
    if let Some(name) = attr.value.name.get() {
        diag.push(
            Problem::new(name.span, "a history in the same table has no name of its own")
                .help("remove `name`, or `layout`"),
        );
    }
    if entity.key.sort.is_none() {
        let span = attr.value.layout.get().map_or(attr.span, |layout| layout.value.span());
        diag.push(
            Problem::new(span, "a history in the same table needs a sort key")
                .help("leave `layout` out for a second table")
                .note("without a sort key, a table has one item for each partition key, and no room for revisions"),
        );
    }
}
