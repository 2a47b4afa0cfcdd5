//! From what was written to what it means: every default is filled in here, once. What attributes say of each other is
//! checked in `check`.

use super::case::Case;
use super::index;
use super::lints::{deprecation, lints};
use super::template::{self, Piece};
use super::{
    Access, Codec, Container, DefaultValue, Entity, Field, Form, History, Idempotency, Key, KeyAttribute, KeyForm,
    KeyStore, Layout, Mode, Ratchet, SchemaVersion, Segment, Storage, Tombstone, Version, check,
};
use crate::attr::{
    ContainerAttrs, CratePath, DefaultAttr, DocumentAttrs, FieldAttrs, HistoryAttr, IdempotencyAttr, KeyAttr, KeyMark,
    RatchetAttr, Slot, TombstoneAttr, WriteIdAttr, read_attributes,
};
use crate::diag::{Diagnostics, Problem};
use crate::given::Given;
use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, LitInt, LitStr, Path, Type, parse_quote};

/// A field as it was written.
pub(super) struct FieldInput {
    pub(super) ident: Ident,
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) attrs: FieldAttrs,
    /// What says that it is deprecated.
    pub(super) deprecated: Option<Attribute>,
}

impl FieldInput {
    pub(super) fn span(&self) -> Span {
        self.ident.span()
    }
}

/// Lowers an entity; `None` if there is too little to go on, and then `diag` says why.
pub(crate) fn lower_entity(input: DeriveInput, diag: &mut Diagnostics) -> Option<Entity> {
    let attrs: ContainerAttrs = read_attributes(&input.attrs, diag);
    let fields = named_fields(&input, diag)?;
    check::no_lifetimes(&input.generics, diag);
    let case = lower_case(&attrs.entity.rename_all, diag);
    let key = lower_key(&input.ident, &attrs, &fields, case, diag);
    let ratchets = lower_ratchets(&fields, diag);
    let tombstone = attrs.tombstone.get().map(|attr| {
        let ttl_field = fields.iter().find(|field| field.attrs.ttl.is_set());
        lower_tombstone(attr, ttl_field.map(|field| stored_name(field, case)), case, diag)
    });
    let lowered: Vec<Field> = fields
        .iter()
        .enumerate()
        .map(|(index, field)| Field {
            storage: lower_storage(index, field, key.as_ref(), case),
            access: lower_access(index, field, key.as_ref(), &ratchets),
            ..lower_field(field, diag)
        })
        .collect();
    let key = key?;
    let indexes = index::lower_indexes(&attrs.indexes, &input.ident, &fields, &lowered, &key, case, diag);
    let joint = index::joint(&indexes, &key, &lowered);
    let mut lowered = lowered;
    index::lower_access(&mut lowered, &indexes, &joint, &key);
    let entity = Entity {
        container: lower_container(&input, attrs.entity.krate.get()),
        table: attrs.entity.table.get().map(|table| table.value.value()),
        entity_type: lower_entity_type(&attrs, &input.ident),
        key,
        fields: lowered,
        schema_version: lower_schema_version(&attrs, diag),
        ratchets,
        tombstone,
        ttl_field: fields.iter().position(|field| field.attrs.ttl.is_set()),
        version: lower_version(&fields, diag),
        history: attrs.history.get().map(|history| lower_history(&history.value, diag)),
        idempotency: attrs.idempotency.get().map(|idempotency| lower_idempotency(idempotency, diag)),
        indexes,
        joint,
    };
    let entity = index::with_what_readers_need(entity);
    check::entity(&entity, &attrs, &fields, diag);
    Some(entity)
}

/// The attribute that says which entity an item is: said to be there by its name, or by what it says.
fn lower_entity_type(attrs: &ContainerAttrs, ident: &Ident) -> Option<(String, String)> {
    let text = |slot: &Slot<LitStr>| slot.get().map(|text| text.value.value());
    match (text(&attrs.entity.type_attribute), text(&attrs.entity.type_name)) {
        (None, None) => None,
        (attribute, name) => {
            Some((attribute.unwrap_or_else(|| "_type".to_owned()), name.unwrap_or_else(|| ident.unraw().to_string())))
        }
    }
}

fn named_fields(input: &DeriveInput, diag: &mut Diagnostics) -> Option<Vec<FieldInput>> {
    let problem = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let fields = fields.named.iter();
                return Some(fields.filter_map(|field| field_input(field, diag)).collect());
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

fn field_input(field: &syn::Field, diag: &mut Diagnostics) -> Option<FieldInput> {
    let ident = field.ident.clone()?;
    Some(FieldInput {
        name: ident.unraw().to_string(),
        ident,
        ty: field.ty.clone(),
        attrs: read_attributes(&field.attrs, diag),
        deprecated: deprecation(&field.attrs),
    })
}

/// The path of the runtime crate, for what is expanded after mistakes.
pub(crate) fn krate(input: &DeriveInput) -> Path {
    // What is wrong with the attributes is reported by the lowering itself.
    let mut diag = Diagnostics::default();
    let of_entity: ContainerAttrs = read_attributes(&input.attrs, &mut diag);
    let of_document: DocumentAttrs = read_attributes(&input.attrs, &mut diag);
    let _reported_elsewhere = diag.finish();
    lower_container(input, of_entity.entity.krate.get().or(of_document.document.krate.get())).krate
}

pub(super) fn lower_container(input: &DeriveInput, krate: Option<&Given<CratePath>>) -> Container {
    Container {
        ident: input.ident.clone(),
        vis: input.vis.clone(),
        generics: input.generics.clone(),
        krate: krate.map_or_else(|| parse_quote!(::dyno), |krate| krate.value.0.clone()),
        lints: lints(input),
    }
}

pub(super) fn lower_case(rename_all: &Slot<LitStr>, diag: &mut Diagnostics) -> Case {
    let Some(rename_all) = rename_all.get() else {
        return Case::AsIs;
    };
    Case::parse(&rename_all.value.value(), rename_all.value.span()).unwrap_or_else(|problem| {
        diag.push(problem);
        Case::AsIs
    })
}

/// The name under which a field is stored, if it is stored as it is.
pub(super) fn stored_name(field: &FieldInput, case: Case) -> String {
    let rename = field.attrs.attribute.rename.get();
    rename.map_or_else(|| case.field(&field.name), |rename| rename.value.value())
}

/// All of a field but its place: storage and access, which depend on the key and the ratchets.
pub(super) fn lower_field(field: &FieldInput, diag: &mut Diagnostics) -> Field {
    let attrs = &field.attrs;
    let optional = check::is_option(&field.ty);
    let form = lower_form(&attrs.attribute.format, diag);
    if let (Some(span), true) =
        (attrs.attribute.format.span(), attrs.attribute.with.is_set() || attrs.attribute.serde.is_set())
    {
        let message = format!(
            "`format` and `{}` both say how the field is encoded",
            if attrs.attribute.serde.is_set() { "serde" } else { "with" }
        );
        diag.push(Problem::new(span, message).help("keep one"));
    }
    let codec = match (attrs.attribute.with.get(), attrs.attribute.serde.is_set()) {
        (Some(with), false) => Codec::Functions { path: with.value.clone(), optional },
        (None, true) => Codec::Serde { optional },
        (None, false) => form.map_or(Codec::Type, Codec::Form),
        (Some(with), true) => {
            diag.push(Problem::new(with.span, "`with` and `serde` both say how the field is encoded").help("keep one"));
            Codec::Type
        }
    };
    let default = match attrs.attribute.default.get().map(|default| &default.value) {
        // An item from before there were versions has the version 0.
        None if attrs.version.is_set() => DefaultValue::Trait,
        None => DefaultValue::Type,
        Some(DefaultAttr::Trait) => DefaultValue::Trait,
        Some(DefaultAttr::Path(path)) => DefaultValue::Function(path.clone()),
    };
    Field {
        ident: field.ident.clone(),
        name: field.name.clone(),
        ty: field.ty.clone(),
        storage: Storage::Skipped,
        aliases: attrs.attribute.aliases.iter().map(|alias| alias.value.value()).collect(),
        codec,
        default,
        access: Access::Plain,
        deprecated: field.deprecated.clone(),
    }
}

/// The form of times as text.
fn lower_form(format: &Slot<LitStr>, diag: &mut Diagnostics) -> Option<Form> {
    let forms = [
        ("seconds", Form::Seconds),
        ("millis", Form::Millis),
        ("micros", Form::Micros),
        ("nanos", Form::Nanos),
        ("python", Form::Python),
        ("java", Form::Java),
    ];
    format.is_set().then(|| chosen(format, "format", &forms, diag))
}

fn lower_storage(index: usize, field: &FieldInput, key: Option<&Key>, case: Case) -> Storage {
    let name = stored_name(field, case);
    let part = key.and_then(|key| key.parts.iter().position(|part| *part == index));
    let is_whole_key = key.is_some_and(|key| {
        let keys = [Some(&key.partition), key.sort.as_ref()];
        keys.into_iter().flatten().any(|key| matches!(key.form, KeyForm::Field(field) if Some(field) == part))
    });
    match part {
        _ if is_whole_key => Storage::Key(name),
        Some(_) if field.attrs.attribute.stored.is_set() => Storage::AttributeAndTemplate(name),
        Some(_) => Storage::Template,
        None if field.attrs.attribute.rest.is_set() => Storage::Rest,
        None if field.attrs.attribute.skip.is_set() => Storage::Skipped,
        None => Storage::Attribute(name),
    }
}

fn lower_access(index: usize, field: &FieldInput, key: Option<&Key>, ratchets: &[Ratchet]) -> Access {
    let guarded = |ratchet: &Ratchet| {
        ratchet.field == index || ratchet.tiebreak == Some(index) || ratchet.guards.contains(&index)
    };
    if key.is_some_and(|key| key.parts.contains(&index)) {
        Access::Key
    } else if field.attrs.version.is_set() {
        Access::Version
    } else if ratchets.iter().any(guarded) {
        Access::Guarded
    } else {
        Access::Plain
    }
}

/// One of the two keys, as it was written.
enum KeyInput<'a> {
    Field(usize),
    Template(&'a Given<KeyAttr>),
}

/// Lowers keys one after the other, and collects the fields they are made of.
pub(super) struct KeyLowering<'a> {
    pub(super) fields: &'a [FieldInput],
    pub(super) case: Case,
    pub(super) parts: Vec<usize>,
    /// What a field of the key must be.
    pub(super) check: fn(&FieldInput, &mut Diagnostics),
}

fn lower_key(
    ident: &Ident,
    attrs: &ContainerAttrs,
    fields: &[FieldInput],
    case: Case,
    diag: &mut Diagnostics,
) -> Option<Key> {
    let mut lowering = KeyLowering { fields, case, parts: Vec::new(), check: check::key_field };
    let partition = lowering.input("partition", attrs.partition_key.get(), |attrs| &attrs.partition_key, diag);
    let sort = lowering.input("sort", attrs.sort_key.get(), |attrs| &attrs.sort_key, diag);
    if partition.is_none() {
        diag.push(Problem::new(ident.span(), format!("`{ident}` has no partition key")).help(
            "mark a field with `#[partition_key]`, or write `#[partition_key(name = \"PK\", template = \"…{field}…\")]` on the struct",
        ));
    }
    let partition_input = partition;
    let partition = partition_input.as_ref().map(|partition| lowering.attribute("partition", partition, diag));
    let partition_parts = lowering.parts.len();
    if let (Some(KeyInput::Field(one)), Some(KeyInput::Field(other))) = (&partition_input, &sort)
        && one == other
    {
        let field = &fields[*one];
        diag.push(
            Problem::new(
                field.attrs.sort_key.span().unwrap_or_else(|| field.span()),
                format!("`{}` is the partition key already", field.name),
            )
            .help("remove `#[sort_key]`: a partition key alone is a whole key")
            .note("the two keys are two attributes"),
        );
    }
    let sort = sort.map(|sort| lowering.attribute("sort", &sort, diag));
    Some(Key {
        partition: partition??,
        sort: match sort {
            Some(sort) => Some(sort?),
            None => None,
        },
        parts: lowering.parts,
        partition_parts,
    })
}

impl<'a> KeyLowering<'a> {
    /// The key of a kind; a second one is a mistake.
    fn input(
        &self,
        kind: &str,
        template: Option<&'a Given<KeyAttr>>,
        slot: fn(&FieldAttrs) -> &Slot<KeyMark>,
        diag: &mut Diagnostics,
    ) -> Option<KeyInput<'a>> {
        let marked = self
            .fields
            .iter()
            .enumerate()
            .filter_map(|(index, field)| Some((KeyInput::Field(index), slot(&field.attrs).span()?)));
        let templates = template.map(|attr| (KeyInput::Template(attr), attr.span));
        let mut keys = templates.into_iter().chain(marked);
        let first = keys.next();
        for (_, span) in keys {
            let help = if template.is_some() {
                "remove this one: the template on the struct is the key, and can name the field".to_owned()
            } else {
                format!(
                    "join several fields in a template: `#[{kind}_key(name = \"…\", template = \"…\")]` on the struct"
                )
            };
            let problem = Problem::new(span, format!("a second {kind} key"));
            diag.push(problem.note(format!("an item has one {kind} key")).help(help));
        }
        first.map(|(key, _)| key)
    }

    fn attribute(&mut self, kind: &str, input: &KeyInput<'_>, diag: &mut Diagnostics) -> Option<KeyAttribute> {
        match input {
            KeyInput::Field(index) => Some(self.field(*index, diag)),
            KeyInput::Template(attr) if !attr.value.name.is_set() && !attr.value.template.is_set() => {
                if !attr.value.mistaken {
                    diag.push(Problem::new(attr.span, format!("`#[{kind}_key]` on the struct needs a template")).help(
                        format!("write `#[{kind}_key(name = \"PK\", template = \"…{{field}}…\")]`, or put `#[{kind}_key]` on a field"),
                    ));
                }
                None
            }
            KeyInput::Template(attr) => {
                let example = if kind == "sort" { "\"SK\"" } else { "\"PK\"" };
                let name = required(&attr.value.name, "name", &format!("{kind}_key"), attr.span, example, diag);
                let template = required(
                    &attr.value.template,
                    "template",
                    &format!("{kind}_key"),
                    attr.span,
                    "\"…{field}…\"",
                    diag,
                );
                let segments = self.segments(template?, diag)?;
                Some(KeyAttribute { name: name?.value(), form: KeyForm::Template(segments) })
            }
        }
    }

    /// The key attribute that is a field.
    pub(super) fn field(&mut self, index: usize, diag: &mut Diagnostics) -> KeyAttribute {
        let field = &self.fields[index];
        (self.check)(field, diag);
        KeyAttribute { name: stored_name(field, self.case), form: KeyForm::Field(self.part(index)) }
    }

    /// The place of a field among the key's.
    pub(super) fn part(&mut self, field: usize) -> usize {
        let known = self.parts.iter().position(|part| *part == field);
        known.unwrap_or_else(|| {
            self.parts.push(field);
            self.parts.len() - 1
        })
    }

    pub(super) fn segments(&mut self, template: &LitStr, diag: &mut Diagnostics) -> Option<Vec<Segment>> {
        let pieces = match template::parse(&template.value()) {
            Ok(pieces) => pieces,
            Err(error) => {
                diag.push(Problem::new(template.span(), error.message).help(error.help));
                return None;
            }
        };
        let segments = pieces.into_iter().map(|piece| match piece {
            Piece::Literal(literal) => Some(Segment::Literal(literal)),
            Piece::Hole { name, width } => {
                let field = find_field(self.fields, &name, template.span(), "the template", diag)?;
                (self.check)(&self.fields[field], diag);
                Some(Segment::Hole { part: self.part(field), width })
            }
        });
        // All holes are looked at, so that all mistakes are shown.
        let segments: Vec<Option<Segment>> = segments.collect();
        segments.into_iter().collect()
    }
}

/// What an attribute cannot do without.
pub(super) fn required<'a, T>(
    slot: &'a Slot<T>,
    key: &str,
    attribute: &str,
    span: Span,
    example: &str,
    diag: &mut Diagnostics,
) -> Option<&'a T> {
    if !slot.is_set() {
        diag.push(
            Problem::new(span, format!("`#[{attribute}]` has no `{key}`")).help(format!("add `{key} = {example}`")),
        );
    }
    slot.get().map(|set| &set.value)
}

/// The field of this name; `who` names it.
pub(super) fn find_field(
    fields: &[FieldInput],
    name: &str,
    span: Span,
    who: &str,
    diag: &mut Diagnostics,
) -> Option<usize> {
    let found = fields.iter().position(|field| field.name == name);
    if found.is_none() {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        diag.push(Problem::new(span, format!("{who} names `{name}`, which is not a field")).suggest(name, &names));
    }
    found
}

fn lower_ratchets(fields: &[FieldInput], diag: &mut Diagnostics) -> Vec<Ratchet> {
    let marked = fields.iter().enumerate();
    let marked = marked.filter_map(|(index, field)| Some((index, field.attrs.ratchet.get()?)));
    marked.map(|(index, attr)| lower_ratchet(index, &attr.value, fields, diag)).collect()
}

fn lower_ratchet(index: usize, attr: &RatchetAttr, fields: &[FieldInput], diag: &mut Diagnostics) -> Ratchet {
    let tiebreak = attr.tiebreak.get().and_then(|tiebreak| {
        let name = &tiebreak.value;
        find_field(fields, &name.value(), name.span(), "`tiebreak`", diag)
    });
    let guards = attr.guards.get().map(|guards| {
        if guards.value.is_empty() {
            diag.push(Problem::new(guards.span, "`guards` names no field").help("write `guards(field, …)`"));
        }
        let guards = guards.value.iter();
        guards
            .filter_map(|guard| find_field(fields, &guard.unraw().to_string(), guard.span(), "`guards`", diag))
            .collect()
    });
    let max_ahead_secs = attr.max_ahead_secs.get().and_then(|secs| {
        let parsed = secs.value.base10_parse::<u32>();
        let problem = || Problem::new(secs.value.span(), "`max_ahead_secs` is a whole number of seconds");
        parsed.map_err(|_| diag.push(problem().help("write `max_ahead_secs = 300`"))).ok()
    });
    Ratchet { field: index, strict: attr.strict.is_set(), tiebreak, max_ahead_secs, guards: guards.unwrap_or_default() }
}

/// Where a row says which schema version it is of. (A write id is `_w`, idempotency keys are `_k…`.)
const SCHEMA_ATTRIBUTE: &str = "_v";

fn lower_schema_version(attrs: &ContainerAttrs, diag: &mut Diagnostics) -> Option<SchemaVersion> {
    let current = &attrs.entity.schema_version.get()?.value;
    let name = attrs.entity.schema_attribute.get();
    Some(SchemaVersion {
        current: check::at_least(current, "schema_version", 1, 1, diag),
        attribute: name.map_or_else(|| SCHEMA_ATTRIBUTE.to_owned(), |name| name.value.value()),
        upgrade: attrs.entity.upgrade.get().map(|upgrade| upgrade.value.clone()),
    })
}

fn lower_version(fields: &[FieldInput], diag: &mut Diagnostics) -> Option<Version> {
    let field = fields.iter().position(|field| field.attrs.version.is_set())?;
    let attr = fields[field].attrs.version.get()?;
    let write_id = match attr.value.write_id.get().map(|write_id| &write_id.value) {
        None => Some("_w".to_owned()),
        Some(WriteIdAttr::Named(name)) => Some(name.value()),
        Some(WriteIdAttr::Switch(switch)) => {
            if switch.value {
                diag.push(
                    Problem::new(switch.span(), "a write id is there unless it is turned off")
                        .help("remove this, or give its name: `write_id = \"_w\"`"),
                );
            }
            None
        }
    };
    Some(Version { field, write_id })
}

fn lower_history(attr: &HistoryAttr, diag: &mut Diagnostics) -> History {
    let mode = chosen(&attr.mode, "mode", &[("atomic", Mode::Atomic), ("ordered", Mode::Ordered)], diag);
    let name = attr.name.get().map(|name| name.value.value());
    let layouts = [("second_table", Layout::Table(name)), ("same_table", Layout::SameTable)];
    let layout = chosen(&attr.layout, "layout", &layouts, diag);
    let ttl_days = attr.ttl_days.get().map(|days| check::history_days(&days.value, diag));
    History { mode, layout, ttl_days }
}

/// As many names as a window by time ever needs: see the runtime's `capacity`.
const SETS: usize = 26;

fn lower_idempotency(attr: &Given<IdempotencyAttr>, diag: &mut Diagnostics) -> Idempotency {
    let Given { value: attr, span } = attr;
    let mut number = |slot: &Slot<LitInt>, name: &str, default: u32, least: u32| {
        slot.get().map_or(default, |given| check::at_least(&given.value, name, least, default, diag))
    };
    let window_secs = number(&attr.window_secs, "window_secs", 300, 1);
    let max_skew_secs = number(&attr.max_skew_secs, "max_skew_secs", window_secs, 1);
    let keys = number(&attr.keys, "keys", 1000, 1);
    let key_bytes = number(&attr.key_bytes, "key_bytes", 16, 1);
    let body_bytes = number(&attr.body_bytes, "body_bytes", 1024, 0);
    let max_rps = attr.max_rps.is_set().then(|| number(&attr.max_rps, "max_rps", 1, 1));
    let attribute = attr.attribute.get().map_or_else(|| "_k".to_owned(), |name| name.value.value());
    let is_row = chosen(&attr.store, "store", &[("item", false), ("row", true)], diag);
    let store = match (is_row, attr.keys.is_set()) {
        (true, _) => KeyStore::Row {
            table: attr.table.get().map(|table| table.value.value()),
            keep_secs: window_secs.saturating_add(max_skew_secs),
        },
        (false, true) => KeyStore::Count { keys, attribute },
        (false, false) => {
            let attributes = (0..SETS).map(|set| format!("{attribute}{set}")).collect();
            KeyStore::Time { window_secs, max_skew_secs, attributes }
        }
    };
    Idempotency { store, raw: attr.raw.is_set(), key_bytes, body_bytes, max_rps, span: *span }
}

/// One of a few words; the first is the default.
fn chosen<T: Clone>(slot: &Slot<LitStr>, key: &str, choices: &[(&str, T)], diag: &mut Diagnostics) -> T {
    let default = choices[0].1.clone();
    let Some(word) = slot.get().map(|word| &word.value) else {
        return default;
    };
    let chosen = choices.iter().find(|(name, _)| *name == word.value());
    chosen.map_or_else(
        || {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let message = format!("unknown {key} `{}`", word.value());
            diag.push(Problem::new(word.span(), message).suggest(&word.value(), &names));
            default
        },
        |(_, value)| value.clone(),
    )
}

fn lower_tombstone(
    attr: &Given<TombstoneAttr>,
    ttl_field: Option<String>,
    case: Case,
    diag: &mut Diagnostics,
) -> Tombstone {
    let named =
        |slot: &Slot<LitStr>, default: &str| slot.get().map_or_else(|| case.field(default), |name| name.value.value());
    // After a mistake in the list, what seems to be missing may be what was mistaken.
    let days = if attr.value.mistaken {
        attr.value.ttl_days.get().map(|days| &days.value)
    } else {
        required(&attr.value.ttl_days, "ttl_days", "tombstone", attr.span, "7", diag)
    };
    Tombstone {
        ttl_days: days.map_or(1, |days| check::ttl_days(days, diag)),
        mark: attr.value.mark.get().is_none_or(|mark| mark.value.value),
        deleted: named(&attr.value.deleted, "deleted"),
        // A table has one TTL attribute, which an entity's own expiry and its tombstones share.
        ttl: match ttl_field {
            Some(own) if !attr.value.ttl.is_set() => own,
            _ => named(&attr.value.ttl, "ttl"),
        },
    }
}
