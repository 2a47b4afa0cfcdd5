//! Keys. Each part is checked here, where it is read.

use super::field::FieldInput;
use super::template::{self, Piece};
use super::value::{find_field, literal, required};
use crate::attr::{ContainerAttrs, FieldAttrs, KeyAttr, KeyMark, Slot};
use crate::diag::{Diagnostics, Problem};
use crate::given::Given;
use crate::model::{Case, Key, KeyAttribute, KeyForm, Segment, is_option};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Ident, LitStr};

/// One of the two keys, as the user declared it.
enum KeyInput<'a> {
    Field(usize),
    Template(&'a Given<KeyAttr>),
}

/// Lowers keys one after the other, and collects their fields.
pub(super) struct KeyLowering<'a> {
    pub(super) fields: &'a [FieldInput],
    pub(super) parts: Vec<usize>,
    /// Checks a field of the key.
    pub(super) check: fn(&FieldInput, &mut Diagnostics),
}

pub(super) fn key(ident: &Ident, attrs: &ContainerAttrs, fields: &[FieldInput], diag: &mut Diagnostics) -> Option<Key> {
    let mut lowering = KeyLowering { fields, parts: Vec::new(), check: key_field };
    let partition = lowering.input("partition", attrs.partition_key.get(), |attrs| &attrs.partition_key, diag);
    let sort = lowering.input("sort", attrs.sort_key.get(), |attrs| &attrs.sort_key, diag);
    // A key that was mistyped is reported where it stands, and is not missing as well.
    if partition.is_none() && !fields.iter().any(|field| field.attrs.mistaken) {
        diag.push(Problem::new(ident.span(), format!("`{ident}` has no partition key")).help(
            "mark a field with `#[partition_key]`, or write `#[partition_key(name = \"PK\", template = \"…{field}…\")]` on the struct",
        ));
    }
    let partition_input = partition;
    let partition = partition_input.as_ref().map(|partition| lowering.attribute("partition", partition, diag));
    let partition_parts = lowering.parts.len();
    // The two keys are two attributes.
    if let (Some(KeyInput::Field(one)), Some(KeyInput::Field(other))) = (&partition_input, &sort)
        && one == other
    {
        let field = &fields[*one];
        diag.push(
            Problem::new(
                field.said.span("sort_key").unwrap_or_else(|| field.ident.span()),
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
    /// Returns the key of a kind. A second one is a mistake.
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
            KeyInput::Template(attr) if !attr.name.is_set() && !attr.template.is_set() => {
                if !attr.mistaken {
                    diag.push(bare(kind, attr));
                }
                None
            }
            KeyInput::Template(attr) => {
                let (attribute, span) = (format!("{kind}_key"), attr.span);
                let example = if kind == "sort" { "\"SK\"" } else { "\"PK\"" };
                let name = required(&attr.name, "name", &attribute, span, example, diag);
                let template = required(&attr.template, "template", &attribute, span, "\"…{field}…\"", diag);
                let segments = self.segments(template?, diag)?;
                Some(KeyAttribute { name: literal(name?), form: KeyForm::Template(segments) })
            }
        }
    }

    /// Lowers a field that is a key attribute.
    pub(super) fn field(&mut self, index: usize, diag: &mut Diagnostics) -> KeyAttribute {
        let field = &self.fields[index];
        (self.check)(field, diag);
        KeyAttribute { name: field.stored.clone(), form: KeyForm::Field(self.part(index)) }
    }

    /// Returns the index of a field among the key's parts, and adds the field if it is new.
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
        // All holes are lowered before the first failure is returned, so that all mistakes are reported.
        let segments: Vec<Option<Segment>> = segments.collect();
        segments.into_iter().collect()
    }
}

fn bare(kind: &str, attr: &Given<KeyAttr>) -> Problem {
    Problem::new(attr.span, format!("`#[{kind}_key]` on the struct needs a template")).help(format!(
        "write `#[{kind}_key(name = \"PK\", template = \"…{{field}}…\")]`, or put `#[{kind}_key]` on a field"
    ))
}

/// Checks a field of the table's key.
fn key_field(input: &FieldInput, diag: &mut Diagnostics) {
    if is_option(&input.ty) {
        diag.push(
            Problem::new(input.ty.span(), format!("the key field `{}` is optional", input.name))
                .help("take the type out of the `Option`")
                .note("every item has its whole key"),
        );
    }
    own_form(input, diag);
    let words = ["skip", "rest", "default", "serde", "with", "ratchet", "fence", "ttl", "version"];
    for word in input.said.any(&words) {
        diag.push(
            Problem::new(word.span, format!("`{word}` cannot be used on the key field `{}`", input.name))
                .note("a key is always there, never changes, and is stored as its type says"),
        );
    }
}

/// Checks a field of an index's key.
pub(super) fn index_field(input: &FieldInput, diag: &mut Diagnostics) {
    own_form(input, diag);
    for word in input.said.any(&["skip", "rest", "serde", "with"]) {
        let message = format!("`{word}` cannot be used on `{}`, which the key of an index is made of", input.name);
        diag.push(Problem::new(word.span, message).note("a key is stored as its type says"));
    }
}

/// Refuses `format` on a key field, because its type alone decides how a key is stored.
fn own_form(input: &FieldInput, diag: &mut Diagnostics) {
    if let Some(format) = input.attrs.attribute.format.get() {
        let ty = input.ty.to_token_stream();
        let form = Case::Pascal.field(&format.value.value());
        let message = format!("`format` cannot be used on `{}`, which a key is made of", input.name);
        diag.push(
            Problem::new(format.span, message)
                .help(format!("let its type say it: `dyno::TextTime<{ty}, dyno::value::form::{form}>`"))
                .note("a key is stored, and asked for, as its type says"),
        );
    }
}
