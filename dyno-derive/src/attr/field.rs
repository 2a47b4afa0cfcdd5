//! Attributes of fields, and of the variants of a document.

use super::container::ContainerAttrs;
use super::entry::{Entry, Value, values};
use super::words::{Slot, words};
use crate::diag::{Diagnostics, Problem};
use crate::given::Given;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitBool, LitInt, LitStr, Path};

words! {
    /// The attributes of a field.
    FieldAttrs {
        attribute: AttributeAttr,
        partition_key: Slot<KeyMark>,
        sort_key: Slot<KeyMark>,
        ratchet: Slot<RatchetAttr>,
        fence: Slot<FenceAttr>,
        ttl: Slot<TtlAttr>,
        version: Slot<VersionAttr>,
        created: Slot<CreatedAttr>,
        updated: Slot<UpdatedAttr>,
        unique: Slot<UniqueFieldAttr>,
    } -> elsewhere {
        ContainerAttrs::WORDS => "the struct, not on a field",
        &["document", "aggregate", "projection"] => "the struct, not on a field",
        &["immutable"] => "a field as `#[attribute(immutable)]`",
        &["vector"] => "the struct, and names the field: `#[index(name = \"…\", vector = field)]`",
        &["hash_key"] => "a field as `#[partition_key]`",
        &["range_key"] => "a field as `#[sort_key]`",
    }

    /// The attributes of a document's field. The same type may be an entity as well, so the attributes of an entity are
    /// ignored.
    MemberAttrs {
        attribute: AttributeAttr,
    } -> elsewhere { &["document"] => "the type, not on a field" }

    /// `#[attribute(rename = "…", …)]`
    AttributeAttr {
        rename: Slot<LitStr>,
        aliases = "alias": Vec<Given<LitStr>>,
        default: Slot<DefaultAttr>,
        skip: Slot<()>,
        serde: Slot<()>,
        with: Slot<Path>,
        format: Slot<LitStr>,
        stored: Slot<()>,
        rest: Slot<()>,
        immutable: Slot<()>,
    }

    /// `#[ratchet(strict, …)]`
    RatchetAttr {
        strict: Slot<()>,
        tiebreak: Slot<LitStr>,
        max_ahead_secs: Slot<LitInt>,
        guards: Slot<Vec<Ident>>,
    }

    /// `#[fence]`
    FenceAttr {}

    /// `#[ttl]`
    TtlAttr {}

    /// `#[version(write_id = "…")]`
    VersionAttr {
        write_id: Slot<WriteIdAttr>,
    }

    /// `#[created]`
    CreatedAttr {}

    /// `#[updated]`
    UpdatedAttr {}

    /// `#[unique]`, `#[unique(name = "…")]`
    UniqueFieldAttr {
        name: Slot<LitStr>,
    }

    /// The attributes of a document's variant.
    VariantAttrs {
        attribute: VariantAttr,
    } -> elsewhere { &["document"] => "the enum, not on a variant" }

    /// `#[attribute(rename = "…")]`
    VariantAttr {
        rename: Slot<LitStr>,
    } -> elsewhere { AttributeAttr::WORDS => "a field, not on a variant" }
}

/// `#[partition_key]` or `#[sort_key]` on a field, which makes the field the key.
pub(crate) struct KeyMark;

impl Value for KeyMark {
    fn read(entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<Self> {
        if !entry.input.is_empty() {
            let name = &entry.word;
            diag.push(
                Problem::new(entry.span, format!("`#[{name}]` on a field takes nothing"))
                    .help("name the attribute with `#[attribute(rename = \"…\")]`; a template goes on the struct"),
            );
        }
        entry.skip()?;
        Ok(Self)
    }
}

/// `default`, or `default = "path"`
pub(crate) enum DefaultAttr {
    Trait,
    Path(Path),
}

impl Value for DefaultAttr {
    fn read(entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<Self> {
        if entry.has_value() { Path::read(entry, diag).map(Self::Path) } else { Ok(Self::Trait) }
    }
}

/// A name, or `false`.
pub(crate) enum WriteIdAttr {
    Named(LitStr),
    Switch(LitBool),
}

values! { WriteIdAttr: "`false`, or a name in quotes" }

impl Parse for WriteIdAttr {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitBool) { input.parse().map(Self::Switch) } else { input.parse().map(Self::Named) }
    }
}
