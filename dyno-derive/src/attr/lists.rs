//! Attributes of lists of entities and of projections.

use super::entry::{CratePath, values};
use super::words::{Slot, words};
use crate::given::Given;
use syn::parse::{Parse, ParseStream};
use syn::{Path, Type};

words! {
    /// The attributes of a list of entities.
    EntitiesAttrs {
        entities: EntitiesAttr,
    }

    /// `#[entities(crate = "…")]`
    EntitiesAttr {
        krate = "crate": Slot<CratePath>,
    } -> elsewhere { &["unknown"] => "a variant, which holds an `Item`" }

    /// The attributes of a variant of the list.
    ListedAttrs {
        entities: ListedAttr,
    }

    /// `#[entities(unknown)]`
    ListedAttr {
        unknown: Slot<()>,
    } -> elsewhere { &["crate"] => "the enum, not on a variant" }

    /// The attributes of an aggregate.
    AggregateAttrs {
        aggregate: AggregateAttr,
    }

    /// `#[aggregate(crate = "…")]`
    AggregateAttr {
        krate = "crate": Slot<CratePath>,
    }

    /// The attributes of a projection.
    ProjectionAttrs {
        projection: ProjectionAttr,
    }

    /// The attributes of a projection's field: none.
    ProjectedFieldAttrs {} -> elsewhere { &["projection"] => "the struct, not on a field" }

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
