//! Attributes of lists of entities and of projections.

use super::entry::{CratePath, values};
use super::words::{Slot, words};
use crate::given::Given;
use syn::parse::{Parse, ParseStream};
use syn::{Path, Type};

words! {
    /// What may be said above a list of entities.
    EntitiesAttrs {
        entities: EntitiesAttr,
    }

    /// `#[entities(crate = "…")]`
    EntitiesAttr {
        krate = "crate": Slot<CratePath>,
    } -> elsewhere { &["unknown"] => "a variant, which holds an `Item`" }

    /// What may be said above a variant of it.
    ListedAttrs {
        entities: ListedAttr,
    }

    /// `#[entities(unknown)]`
    ListedAttr {
        unknown: Slot<()>,
    } -> elsewhere { &["crate"] => "the enum, not on a variant" }

    /// What may be said above an aggregate.
    AggregateAttrs {
        aggregate: AggregateAttr,
    }

    /// `#[aggregate(crate = "…")]`
    AggregateAttr {
        krate = "crate": Slot<CratePath>,
    }

    /// What may be said above a projection.
    ProjectionAttrs {
        projection: ProjectionAttr,
    }

    /// `#[projection(of = Order, index = OrderByStatus)]`
    ProjectionAttr {
        of: Slot<Type>,
        indexes = "index": Vec<Given<IndexPath>>,
        krate = "crate": Slot<CratePath>,
    }
}

/// The path of an index's type.
pub(crate) struct IndexPath(pub(crate) Path);

values! { IndexPath: "the type of an index" }

impl Parse for IndexPath {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse().map(Self)
    }
}
