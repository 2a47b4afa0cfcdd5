//! The type parameters of a user's type, and the bounds that its generated impls need.

use crate::model::{Codec, Container, DefaultValue, Entity, Field, Projection, Storage};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericParam, Ident, WherePredicate, parse_quote};

/// Parameters, arguments and where clause of the generated impls.
pub(super) struct Generics {
    generics: syn::Generics,
    /// The type that has them.
    ident: Ident,
}

impl Generics {
    /// Returns the generics of an entity, which owns its data.
    pub(super) fn of_entity(entity: &Entity) -> Self {
        Self::new(&entity.container, &entity.fields).owned()
    }

    /// Returns the generics of a projection. The types of its generic fields must be attributes, as in the entity.
    pub(super) fn of_projection(projection: &Projection) -> Self {
        let mut this = Self::of(&projection.container);
        let krate = &projection.container.krate;
        let generic = projection.fields.iter().map(|(_, ty)| ty).filter(|ty| this.mentions_param(ty));
        let predicates: Vec<WherePredicate> = generic.map(|ty| parse_quote!(#ty: #krate::Attribute)).collect();
        this.extend(predicates);
        this.owned()
    }

    fn of(container: &Container) -> Self {
        Self { generics: container.generics.clone(), ident: container.ident.clone() }
    }

    /// Requires that the parameters own their data.
    fn owned(mut self) -> Self {
        let params: Vec<_> = self.generics.type_params().map(|param| param.ident.clone()).collect();
        self.extend(params.into_iter().map(|param| parse_quote!(#param: 'static)));
        self
    }

    /// Returns the generics of a type with these fields. Those of their types that are generic must be attributes.
    pub(super) fn new<'a>(container: &Container, fields: impl IntoIterator<Item = &'a Field>) -> Self {
        let mut this = Self::of(container);
        let krate = &container.krate;
        let generic = fields.into_iter().filter(|field| this.needs_bound(&field.ty));
        let predicates: Vec<WherePredicate> = generic
            .flat_map(|field| {
                let ty = &field.ty;
                let stored = field.storage != Storage::Skipped && matches!(field.codec, Codec::Type);
                let defaulted = field.storage == Storage::Skipped || matches!(field.default, DefaultValue::Trait);
                [
                    stored.then(|| parse_quote!(#ty: #krate::Attribute)),
                    defaulted.then(|| parse_quote!(#ty: ::core::default::Default)),
                ]
            })
            .flatten()
            .collect();
        this.extend(predicates);
        this
    }

    /// Adds a bound on the type of an unnamed field.
    pub(super) fn with_bound(mut self, ty: &syn::Type, bound: &TokenStream) -> Self {
        if self.needs_bound(ty) {
            self.extend([parse_quote!(#ty: #bound)]);
        }
        self
    }

    fn extend(&mut self, predicates: impl IntoIterator<Item = WherePredicate>) {
        self.generics.make_where_clause().predicates.extend(predicates);
    }

    /// Returns whether a type needs a bound. A type that contains the user's type itself does not: the bound would require
    /// the very impl whose condition it is. The other fields bound its parameters.
    fn needs_bound(&self, ty: &impl ToTokens) -> bool {
        self.mentions_param(ty) && !names(ty.to_token_stream(), &self.ident)
    }

    fn mentions_param(&self, ty: &impl ToTokens) -> bool {
        let params: Vec<_> = self
            .generics
            .params
            .iter()
            .filter_map(|param| match param {
                GenericParam::Type(param) => Some(param.ident.clone()),
                _ => None,
            })
            .collect();
        mentions(ty.to_token_stream(), &params)
    }

    /// Returns the parameters, the arguments and the where clause.
    pub(super) fn split(&self) -> (TokenStream, TokenStream, TokenStream) {
        let (params, arguments, clause) = self.generics.split_for_impl();
        // Without parameters, `<>` stands at the derive, where the compiler suggests no parameter for a type that it does not find.
        let none = self.generics.params.is_empty().then(|| quote::quote!(<>));
        let params = none.unwrap_or_else(|| params.into_token_stream());
        (params, arguments.into_token_stream(), clause.into_token_stream())
    }

    /// Returns the parameters followed by a constant. `arguments_and` returns the arguments followed by its value.
    pub(super) fn params_and(&self, constant: &TokenStream) -> TokenStream {
        let params = self.generics.params.iter().map(without_default);
        code!(<#(#params,)* #constant>)
    }

    pub(super) fn arguments_and(&self, constant: usize) -> TokenStream {
        let arguments = self.generics.params.iter().map(|param| match param {
            GenericParam::Lifetime(param) => param.lifetime.to_token_stream(),
            GenericParam::Type(param) => param.ident.to_token_stream(),
            GenericParam::Const(param) => param.ident.to_token_stream(),
        });
        code!(<#(#arguments,)* #constant>)
    }

    /// Returns the where clause with further predicates.
    pub(super) fn with_predicates(&self, predicates: &[TokenStream]) -> TokenStream {
        let own = self.generics.where_clause.as_ref().map(|clause| &clause.predicates);
        let own = own.into_iter().flatten();
        if own.clone().next().is_none() && predicates.is_empty() {
            return TokenStream::new();
        }
        code!(where #(#own,)* #(#predicates),*)
    }
}

pub(super) fn without_default(param: &GenericParam) -> GenericParam {
    let mut param = param.clone();
    match &mut param {
        GenericParam::Type(param) => param.default = None,
        GenericParam::Const(param) => param.default = None,
        GenericParam::Lifetime(_) => {}
    }
    param
}

/// Returns whether the tokens name a type of this name, and not one of the same name in another module.
fn names(tokens: TokenStream, ident: &Ident) -> bool {
    let mut is_behind_colon = false;
    tokens.into_iter().any(|token| {
        let is_elsewhere = is_behind_colon;
        is_behind_colon = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
        match token {
            TokenTree::Ident(found) => found == *ident && !is_elsewhere,
            TokenTree::Group(group) => names(group.stream(), ident),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        }
    })
}

/// Returns whether the tokens contain one of these names.
pub(super) fn mentions(tokens: TokenStream, idents: &[Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => idents.contains(&ident),
        TokenTree::Group(group) => mentions(group.stream(), idents),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
