//! Secondary indexes. Each part is checked here, where it is read. `check::index` checks indexes against each other.

use super::field::FieldInput;
use super::key::{KeyLowering, index_field};
use super::value::{find_field, literal, required};
use crate::attr::{IndexAttr, KeyAttr, ProjectedAttr, SideAttr, Slot, Words as _};
use crate::diag::{Diagnostics, Problem};
use crate::given::{Given, Word};
use crate::model::{Function, Index, Key, KeyAttribute, KeyForm, Segment, Storage};
use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt as _;

/// DynamoDB's limit on the attributes of the partition key, and of the sort key, of a global index.
/// (Developer guide, "Global secondary indexes: multi-attribute keys pattern".)
const MOST_ATTRIBUTES: usize = 4;

/// The input for lowering an index.
struct Lowering<'a> {
    /// The index's name, for messages.
    name: &'a str,
    fields: &'a [FieldInput],
    key: &'a Key,
    is_local: bool,
}

pub(super) fn indexes(
    attrs: &[Given<IndexAttr>],
    entity: &Ident,
    fields: &[FieldInput],
    key: &Key,
    diag: &mut Diagnostics,
) -> Vec<Index> {
    let attrs = attrs.iter().filter(|attr| !attr.value.vector.is_set());
    attrs.filter_map(|attr| index(attr, entity, fields, key, diag)).collect()
}

fn index(
    attr: &Given<IndexAttr>,
    entity: &Ident,
    fields: &[FieldInput],
    key: &Key,
    diag: &mut Diagnostics,
) -> Option<Index> {
    let (span, attr) = (attr.span, &attr.value);
    if attr.mistaken && !attr.name.is_set() {
        return None;
    }
    for word in attr.said().any(&["of", "metric", "filter"]) {
        diag.push(
            Problem::new(word.span, format!("`{word}` is of a vector index, and this one names no vector"))
                .help("add `vector = field`, or remove this"),
        );
    }
    // Lower both sides before either is required: all mistakes are reported at once.
    let (name, query) = names(attr, entity, span, diag)?;
    let is_local = attr.local.is_set();
    let this = Lowering { name: &name, fields, key, is_local };
    let mut keys = KeyLowering { fields, parts: Vec::new(), check: index_field };
    let partition = this.partition(&attr.partition, span, !attr.mistaken, &mut keys, diag);
    let partition_parts = keys.parts.len();
    let sort = this.sort(&attr.sort, span, !attr.mistaken, &mut keys, diag);
    let projection = projection(this.name, fields, &attr.projection, diag);
    let (partition, sort) = (partition?, sort?);
    // No attribute may be on both sides.
    for key in &sort {
        if partition.iter().any(|other| other.name == key.name) {
            diag.push(
                Problem::new(
                    attr.sort.span().unwrap_or(span),
                    format!("`{}` is in the partition key already", key.name),
                )
                .help("name another field, or leave `sort` out")
                .note("an attribute is on one side of an index's key"),
            );
        }
    }
    Some(Index { name, query, is_local, partition, sort, parts: keys.parts, partition_parts, projection, span })
}

/// Returns the name of an index, and that of the function that reads it.
pub(super) fn names(attr: &IndexAttr, entity: &Ident, span: Span, diag: &mut Diagnostics) -> Option<(Word, Ident)> {
    let name = literal(required(&attr.name, "name", "index", span, "\"by_…\"", diag)?);
    possible_name(&name, diag);
    let query = match attr.query.get() {
        Some(query) => query.value.0.clone(),
        None => function(&name, diag)?,
    };
    possible_query(&query, entity, diag);
    Some((name, query))
}

/// Refuses a name that DynamoDB does not accept. Developer guide, "Naming rules": 3 to 255 of letters, digits, `_`, `-` and `.`,
/// as for tables.
fn possible_name(name: &Word, diag: &mut Diagnostics) {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if !(3..=255).contains(&name.len()) || !name.bytes().all(known) {
        diag.push(
            Problem::new(name.span, format!("`{name}` cannot be an index's name"))
                .note("an index's name is 3 to 255 letters, digits, `_`, `-` and `.`"),
        );
    }
}

/// Refuses a query whose name is that of another generated function.
fn possible_query(query: &Ident, entity: &Ident, diag: &mut Diagnostics) {
    if Function::is_one(&query.to_string()) {
        diag.push(
            Problem::new(query.span(), format!("`{entity}::{query}` is another function already"))
                .help("say what the query of the index is called: `query = by_…`"),
        );
    }
}

/// Returns the default name of the function that queries an index, made from the index's own name.
fn function(name: &Word, diag: &mut Diagnostics) -> Option<Ident> {
    let mut text = String::new();
    let mut previous_is_lower = false;
    for char in name.chars() {
        if char.is_uppercase() && previous_is_lower {
            text.push('_');
        }
        previous_is_lower = char.is_lowercase() || char.is_ascii_digit();
        text.extend(if char.is_alphanumeric() { char.to_lowercase().next() } else { Some('_') });
    }
    match syn::parse_str::<Ident>(&text) {
        Ok(mut ident) => {
            ident.set_span(name.span);
            Some(ident)
        }
        Err(_) => {
            diag.push(
                Problem::new(name.span, format!("`{name}` makes no name for the function that queries the index"))
                    .help("say what it is called: `query = by_…`"),
            );
            None
        }
    }
}

impl Lowering<'_> {
    fn partition(
        &self,
        slot: &Slot<SideAttr>,
        span: Span,
        complete: bool,
        keys: &mut KeyLowering<'_>,
        diag: &mut Diagnostics,
    ) -> Option<Vec<KeyAttribute>> {
        if !self.is_local {
            if slot.is_set() || !complete {
                return self.side(slot.get()?, "partition", keys, diag);
            }
            diag.push(
                Problem::new(span, format!("the index `{}` has no partition key", self.name))
                    .help("add `partition = field`, or `local` for the table's own partition key"),
            );
            return None;
        }
        if let Some(span) = slot.span() {
            diag.push(
                Problem::new(span, format!("the local index `{}` has the table's partition key", self.name))
                    .help("remove `partition`, or `local` for an index with a partition key of its own"),
            );
            return None;
        }
        if self.key.sort.is_none() {
            diag.push(
                Problem::new(span, format!("the local index `{}` needs a table with a sort key", self.name))
                    .help("remove `local`, and say what the index's `partition` is")
                    .note("without one, each partition has a single item"),
            );
            return None;
        }
        keys.parts.extend(&self.key.parts[..self.key.partition_parts]);
        Some(vec![self.key.partition.clone()])
    }

    fn sort(
        &self,
        slot: &Slot<SideAttr>,
        span: Span,
        complete: bool,
        keys: &mut KeyLowering<'_>,
        diag: &mut Diagnostics,
    ) -> Option<Vec<KeyAttribute>> {
        let Some(side) = slot.get() else {
            if self.is_local && complete {
                diag.push(
                    Problem::new(span, format!("the local index `{}` has no sort key", self.name))
                        .help("add `sort = field`")
                        .note("a local index is the table in another order"),
                );
                return None;
            }
            return Some(Vec::new());
        };
        if self.is_local
            && let SideAttr::Fields(fields) = &side.value
            && let [_, second, ..] = &fields[..]
        {
            diag.push(
                Problem::new(second.span(), "the key of a local index has one sort attribute")
                    .help("join the fields in a template: `sort(name = \"…\", template = \"…\")`")
                    .note("only a global index has keys of several attributes"),
            );
            return None;
        }
        self.side(side, "sort", keys, diag)
    }

    /// Returns the attributes of the partition key or of the sort key.
    fn side(
        &self,
        side: &Given<SideAttr>,
        kind: &str,
        keys: &mut KeyLowering<'_>,
        diag: &mut Diagnostics,
    ) -> Option<Vec<KeyAttribute>> {
        match &side.value {
            SideAttr::Key(key) => Some(vec![self.template(key, side.span, kind, keys, diag)?]),
            SideAttr::Fields(names) => {
                if let Some(fifth) = names.get(MOST_ATTRIBUTES) {
                    diag.push(
                        Problem::new(
                            fifth.span(),
                            format!("the {kind} key of the index `{}` has {} attributes", self.name, names.len()),
                        )
                        .help("join fields in a template: `name = \"…\", template = \"…\"`")
                        .note(format!("DynamoDB takes up to {MOST_ATTRIBUTES} on each side")),
                    );
                }
                // All fields are lowered before the first failure is returned, so that all mistakes are reported.
                let attributes: Vec<Option<KeyAttribute>> =
                    names.iter().map(|name| self.field(name, kind, keys, diag)).collect();
                let attributes: Vec<KeyAttribute> = attributes.into_iter().collect::<Option<_>>()?;
                self.no_twice(names, &attributes, diag);
                Some(attributes)
            }
        }
    }

    fn no_twice(&self, names: &[Ident], attributes: &[KeyAttribute], diag: &mut Diagnostics) {
        for (index, attribute) in attributes.iter().enumerate() {
            if attributes[..index].iter().any(|other| other.name == attribute.name) {
                let name = &names[index];
                diag.push(Problem::new(name.span(), format!("the index `{}` names `{name}` twice", self.name)));
            }
        }
    }

    fn field(
        &self,
        name: &Ident,
        kind: &str,
        keys: &mut KeyLowering<'_>,
        diag: &mut Diagnostics,
    ) -> Option<KeyAttribute> {
        let who = format!("the {kind} key of the index `{}`", self.name);
        let field = find_field(self.fields, &name.unraw().to_string(), name.span(), &who, diag)?;
        if self.fields[field].storage == Storage::Template {
            diag.push(
                Problem::new(name.span(), format!("the field `{name}` has no attribute of its own"))
                    .help("add `#[attribute(stored)]` to it, or write a template")
                    .note("it is stored within the table's key only"),
            );
            return None;
        }
        Some(keys.field(field, diag))
    }

    /// Lowers a template or, without one, an attribute of the table's key.
    fn template(
        &self,
        attr: &KeyAttr,
        span: Span,
        kind: &str,
        keys: &mut KeyLowering<'_>,
        diag: &mut Diagnostics,
    ) -> Option<KeyAttribute> {
        let name = required(&attr.name, "name", &format!("index(… {kind}(…))"), span, "\"GSI1PK\"", diag)?;
        let own = self.key.attributes().find(|key| *key.name == name.value());
        match (own, attr.template.get()) {
            (Some(own), None) => Some(self.of_table(own, keys)),
            (Some(_), Some(template)) => {
                diag.push(
                    Problem::new(template.span, format!("`{}` is a key attribute of the table already", name.value()))
                        .help("leave `template` out to use it as it is, or give this key another name"),
                );
                None
            }
            (None, Some(template)) => {
                let segments = keys.segments(&template.value, diag)?;
                Some(KeyAttribute { name: literal(name), form: KeyForm::Template(segments) })
            }
            (None, None) => {
                diag.push(
                    Problem::new(name.span(), format!("`{}` is not a key attribute of the table", name.value()))
                        .help("say what it is made of: `template = \"…{field}…\"`"),
                );
                None
            }
        }
    }

    /// Returns a key attribute of the table as a part of this key.
    fn of_table(&self, own: &KeyAttribute, keys: &mut KeyLowering<'_>) -> KeyAttribute {
        let mut own = own.clone();
        match &mut own.form {
            KeyForm::Field(part) => *part = keys.part(self.key.parts[*part]),
            KeyForm::Template(segments) => {
                for segment in segments {
                    if let Segment::Hole { part, .. } = segment {
                        *part = keys.part(self.key.parts[*part]);
                    }
                }
            }
        }
        own
    }
}

/// Returns the attributes that an index holds besides its keys; `None` for whole items.
pub(super) fn projection(
    index: &str,
    fields: &[FieldInput],
    slot: &Slot<ProjectedAttr>,
    diag: &mut Diagnostics,
) -> Option<Vec<Word>> {
    match &slot.get()?.value {
        ProjectedAttr::Named(name) => match name.value().as_str() {
            "all" => None,
            "keys" => Some(Vec::new()),
            other => {
                diag.push(
                    Problem::new(name.span(), format!("unknown projection `{other}`"))
                        .help("expected `\"all\"` or `\"keys\"`; for some fields write `projection(field, …)`"),
                );
                None
            }
        },
        ProjectedAttr::Fields(names) => {
            let who = format!("the projection of the index `{index}`");
            let attributes = names.iter().filter_map(|name| {
                let field = find_field(fields, &name.unraw().to_string(), name.span(), &who, diag)?;
                let problem = match fields[field].storage {
                    Storage::Skipped => Some(format!("the field `{name}` is not stored")),
                    Storage::Rest => Some(format!("the field `{name}` is no attribute, but holds the rest of them")),
                    _ => None,
                };
                if let Some(problem) = problem {
                    diag.push(
                        Problem::new(name.span(), problem).note("an index holds stored attributes, by their names"),
                    );
                }
                Some(Given::new(fields[field].attribute()?.value.clone(), name.span()))
            });
            Some(attributes.collect())
        }
    }
}
