//! Unique values: of fields marked `#[unique]`, and of several fields together. `check::unique` checks them against the rules.

use super::field::FieldInput;
use super::value::{find_field, literal, required, word_or};
use crate::attr::UniqueAttr;
use crate::diag::{Diagnostics, Problem};
use crate::given::{Given, Word};
use crate::model::{Access, Key, Unique};
use syn::Ident;
use syn::ext::IdentExt as _;

/// The most fields that are unique together.
const MOST_FIELDS: usize = 8;

pub(super) fn unique(attrs: &[Given<UniqueAttr>], fields: &[FieldInput], diag: &mut Diagnostics) -> Vec<Unique> {
    let marked = fields.iter().enumerate().filter_map(|(index, field)| {
        let attr = field.attrs.unique.get()?;
        let name = word_or(&attr.value.name, || field.stored.value.clone(), attr.span);
        let query = if attr.value.name.is_set() {
            query(&name, diag)?
        } else {
            Ident::new(&format!("get_by_{}", field.name), attr.span)
        };
        Some(Unique { name, query, fields: vec![index], span: attr.span })
    });
    let marked: Vec<Unique> = marked.collect();
    let together = attrs.iter().filter_map(|attr| together(attr, fields, diag));
    let together: Vec<Unique> = together.collect();
    marked.into_iter().chain(together).collect()
}

/// Lowers an attribute of the struct.
fn together(attr: &Given<UniqueAttr>, fields: &[FieldInput], diag: &mut Diagnostics) -> Option<Unique> {
    let (span, attr) = (attr.span, &attr.value);
    if attr.mistaken && !(attr.name.is_set() && attr.fields.is_set()) {
        return None;
    }
    let name = required(&attr.name, "name", "unique", span, "\"…\"", diag);
    let names = required(&attr.fields, "fields", "unique", span, "(field, …)", diag);
    let (name, names) = (literal(name?), names?);
    let query = query(&name, diag)?;
    if names.is_empty() || names.len() > MOST_FIELDS {
        let message = format!("`fields` of the unique `{name}` names {} fields", names.len());
        diag.push(Problem::new(span, message).help(format!("name 1 to {MOST_FIELDS}: `fields(field, …)`")));
        return None;
    }
    let who = format!("the unique `{name}`");
    let found = names.iter().map(|field| find_field(fields, &field.unraw().to_string(), field.span(), &who, diag));
    let found: Vec<Option<usize>> = found.collect();
    let found: Vec<usize> = found.into_iter().collect::<Option<_>>()?;
    for (index, field) in found.iter().enumerate() {
        if found[..index].contains(field) {
            let message = format!("the unique `{name}` names `{}` twice", fields[*field].name);
            diag.push(Problem::new(names[index].span(), message).help("remove one of them"));
            return None;
        }
    }
    Some(Unique { name, query, fields: found, span })
}

/// Returns the function that reads the item with a value.
fn query(name: &Word, diag: &mut Diagnostics) -> Option<Ident> {
    let text = format!("get_by_{}", name.as_str());
    match syn::parse_str::<Ident>(&text) {
        Ok(ident) => Some(Ident::new(&ident.to_string(), name.span)),
        Err(_) => {
            diag.push(
                Problem::new(name.span, format!("`{name}` makes no name for a function"))
                    .help("take letters, digits and `_`: the function is called `get_by_…`"),
            );
            None
        }
    }
}

/// Records how an update may change unique fields: it must know the new value, and that of every field which is unique with it.
pub(super) fn place_unique(fields: &mut [FieldInput], unique: &[Unique], joint: &[Vec<usize>]) {
    for field in unique.iter().flat_map(|unique| &unique.fields) {
        let is_joint = joint.iter().any(|group| group.contains(field));
        let access = &mut fields[*field].field.access;
        *access = match *access {
            Access::Plain | Access::Immutable | Access::Indexed if is_joint => Access::Joint,
            Access::Plain => Access::Indexed,
            // `set_if_absent` does not know whether it sets the value.
            Access::Immutable => Access::Kept,
            other => other,
        };
    }
}

/// Returns the groups of fields that are unique together, as far as an update can change them.
pub(super) fn groups<'a>(unique: &'a [Unique], key: &'a Key) -> impl Iterator<Item = Vec<usize>> + 'a {
    let own = |unique: &Unique| unique.fields.iter().copied().filter(|field| !key.parts.contains(field)).collect();
    unique.iter().map(own)
}
