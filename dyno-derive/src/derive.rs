//! The one pipeline of all derives: it parses the input, lowers it to a model, checks the model, and expands it.

use crate::attr::foreign::{self, Foreign};
use crate::attr::{self, CratePath, Slot, Words};
use crate::diag::Diagnostics;
use crate::model::{self, Container};
use crate::{check, expand, given, lower};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Path};

/// The stages of a derive: from the attributes above a type to a model, and from there to code.
pub(crate) struct Derive<Attrs, Model> {
    /// Returns the attribute that names the runtime crate.
    krate: fn(&Attrs) -> &Slot<CratePath>,
    /// Returns `None` if the input does not suffice for a model. It has reported the reason then.
    lower: fn(&DeriveInput, &Attrs, Container, &mut Diagnostics) -> Option<Model>,
    check: fn(&Model, &mut Diagnostics),
    expand: fn(&Model) -> TokenStream,
    /// Returns a word that only an entity takes, or a document, if the type has one that this derive does not read.
    foreign: fn(&DeriveInput) -> Option<Foreign>,
    /// Returns a substitute for the expansion after mistakes, so that one mistake causes one error.
    stub: fn(&DeriveInput, &Path) -> TokenStream,
}

/// `#[derive(Entity)]`
pub(crate) const ENTITY: Derive<attr::ContainerAttrs, model::Entity> = Derive {
    krate: |attrs| &attrs.entity.krate,
    lower: lower::entity,
    check: check::entity,
    expand: expand::entity,
    foreign: |_| None,
    stub: expand::stub::entity,
};

/// `#[derive(Document)]`
pub(crate) const DOCUMENT: Derive<attr::DocumentAttrs, model::Document> = Derive {
    krate: |attrs| &attrs.document.krate,
    lower: lower::document,
    check: check::document,
    expand: expand::document,
    foreign: foreign::rule,
    stub: expand::stub::document,
};

/// `#[derive(Projection)]`
pub(crate) const PROJECTION: Derive<attr::ProjectionAttrs, model::Projection> = Derive {
    krate: |attrs| &attrs.projection.krate,
    lower: lower::projection,
    check: check::projection,
    expand: expand::projection,
    foreign: foreign::rule_or_attribute,
    stub: |_, _| TokenStream::new(),
};

/// `#[derive(Entities)]`
pub(crate) const ENTITIES: Derive<attr::EntitiesAttrs, model::Entities> = Derive {
    krate: |attrs| &attrs.entities.krate,
    lower: lower::entities,
    check: check::entities,
    expand: expand::entities,
    foreign: |_| None,
    stub: |_, _| TokenStream::new(),
};

/// `#[derive(Aggregate)]`
pub(crate) const AGGREGATE: Derive<attr::AggregateAttrs, model::Aggregate> = Derive {
    krate: |attrs| &attrs.aggregate.krate,
    lower: lower::aggregate,
    check: check::aggregate,
    expand: expand::aggregate,
    foreign: |_| None,
    stub: |_, _| TokenStream::new(),
};

impl<Attrs: Words, Model> Derive<Attrs, Model> {
    /// Returns the expansion, or, after mistakes, their reports and the stub.
    pub(crate) fn run(&self, input: TokenStream) -> TokenStream {
        let input: DeriveInput = match syn::parse2(input) {
            Ok(input) => input,
            Err(error) => return error.into_compile_error(),
        };
        given::set_here(&input.ident);
        let mut diag = Diagnostics::default();
        let (krate, model) = self.model(&input, &mut diag);
        match (diag.finish(), model) {
            (None, Some(model)) => {
                let expansion = (self.expand)(&model);
                match (self.foreign)(&input) {
                    Some(word) if input.generics.params.is_empty() => {
                        let check = expand::takes(&krate, &input.ident, word);
                        quote!(#expansion #check)
                    }
                    _ => expansion,
                }
            }
            (Some(errors), _) => {
                let stub = (self.stub)(&input, &krate);
                quote!(#errors #stub)
            }
            (None, None) => unreachable!("there was too little to go on, and no message says why"),
        }
    }

    /// Returns the path of the runtime crate, which is known even after mistakes, and the model of the input.
    pub(crate) fn model(&self, input: &DeriveInput, diag: &mut Diagnostics) -> (Path, Option<Model>) {
        let attrs: Attrs = attr::read_attributes(&input.attrs, diag);
        let krate = lower::krate((self.krate)(&attrs));
        let model = (self.lower)(input, &attrs, lower::container(input, krate.clone()), diag);
        if let Some(model) = &model {
            (self.check)(model, diag);
        }
        (krate, model)
    }
}
