//! The conditions on the sort key of a secondary index.

use super::index::{Asked, IndexQuery, Open, Parts, Ranged, Whole};
use super::sort::{SortBound, SortPrefix};
use crate::attribute::kind::OrderedKind;
use crate::attribute::{IntoField, Value};
use crate::entity::{Index, OrderedIndex};
use crate::key::SortTerm;

/// A sort key of one attribute. Several conditions on it must all hold.
impl<I: Index, T, F> IndexQuery<I, T, Whole<F>> {
    /// Reads only sort keys with this beginning: the beginning of the first field, or a tuple of leading fields and the beginning
    /// of the next one.
    pub fn sort_begins_with(self, prefix: impl SortPrefix<F>) -> Self {
        let term = prefix.__parts().map(|(values, beginning)| SortTerm::BeginsWith(values, beginning));
        self.ask(0, term)
    }

    /// Reads only this sort key, or all keys with these leading fields.
    pub fn sort_eq(self, bound: impl SortBound<F>) -> Self {
        self.ask(0, bound.__values().map(SortTerm::Eq))
    }

    /// Reads only sort keys below this one. For the order see [`Query::sort_lt`](crate::command::Query::sort_lt).
    pub fn sort_lt(self, bound: impl SortBound<F>) -> Self
    where
        I: OrderedIndex,
    {
        self.ask(0, bound.__values().map(SortTerm::Lt))
    }

    /// Reads only sort keys up to this one.
    pub fn sort_le(self, bound: impl SortBound<F>) -> Self
    where
        I: OrderedIndex,
    {
        self.ask(0, bound.__values().map(SortTerm::Le))
    }

    /// Reads only sort keys above this one.
    pub fn sort_gt(self, bound: impl SortBound<F>) -> Self
    where
        I: OrderedIndex,
    {
        self.ask(0, bound.__values().map(SortTerm::Gt))
    }

    /// Reads only this sort key and those above it.
    pub fn sort_ge(self, bound: impl SortBound<F>) -> Self
    where
        I: OrderedIndex,
    {
        self.ask(0, bound.__values().map(SortTerm::Ge))
    }

    /// Reads only sort keys from `low` up to `high`, both included.
    pub fn sort_between(self, low: impl SortBound<F>, high: impl SortBound<F>) -> Self
    where
        I: OrderedIndex,
    {
        self.sort_ge(low).sort_le(high)
    }
}

/// A sort key of several attributes. Those before `A` have a condition already: each a `sort_eq`. The last condition can be a
/// range.
impl<I: Index, T, A: Value, R> IndexQuery<I, T, Parts<A, R>> {
    /// Reads only items with this value; then the next attribute can take a condition.
    pub fn sort_eq(self, value: impl IntoField<A>) -> IndexQuery<I, T, R> {
        self.ask_next(value, SortTerm::Eq)
    }

    /// Reads only items with a lower value.
    pub fn sort_lt(self, value: impl IntoField<A>) -> IndexQuery<I, T, Ranged>
    where
        A: Value<Kind: OrderedKind>,
    {
        self.ask_next(value, SortTerm::Lt)
    }

    /// Reads only items with at most this value.
    pub fn sort_le(self, value: impl IntoField<A>) -> IndexQuery<I, T, Ranged>
    where
        A: Value<Kind: OrderedKind>,
    {
        self.ask_next(value, SortTerm::Le)
    }

    /// Reads only items with a higher value.
    pub fn sort_gt(self, value: impl IntoField<A>) -> IndexQuery<I, T, Ranged>
    where
        A: Value<Kind: OrderedKind>,
    {
        self.ask_next(value, SortTerm::Gt)
    }

    /// Reads only items with at least this value.
    pub fn sort_ge(self, value: impl IntoField<A>) -> IndexQuery<I, T, Ranged>
    where
        A: Value<Kind: OrderedKind>,
    {
        self.ask_next(value, SortTerm::Ge)
    }

    /// Reads only items with a value from `low` up to `high`, both included.
    pub fn sort_between(self, low: impl IntoField<A>, high: impl IntoField<A>) -> IndexQuery<I, T, Ranged>
    where
        A: Value<Kind: OrderedKind>,
    {
        let asked = self.asked();
        let terms = low.into_field().encode().and_then(|low| Ok((low, high.into_field().encode()?)));
        match terms {
            Ok((low, high)) => {
                let lower: Self = self.ask(asked, Ok(SortTerm::Ge(vec![low])));
                lower.ask(asked, Ok(SortTerm::Le(vec![high])))
            }
            Err(error) => self.ask(asked, Err(error)),
        }
    }

    /// Reads only items whose value has this beginning.
    pub fn sort_begins_with(self, prefix: impl SortPrefix<A>) -> IndexQuery<I, T, Ranged> {
        let asked = self.asked();
        self.ask(asked, prefix.__parts().map(|(values, beginning)| SortTerm::BeginsWith(values, beginning)))
    }
}

/// Declares the `sort_…` methods that report a sort key which takes no further condition.
macro_rules! closed {
    ($($state:ty)*) => {$(
        #[doc(hidden)]
        impl<I: Index, T> IndexQuery<I, T, $state> {
            pub fn sort_eq<X>(self, _: X) -> Self
            where
                Self: Open,
            {
                self
            }

            pub fn sort_lt<X>(self, _: X) -> Self
            where
                Self: Open,
            {
                self
            }

            pub fn sort_le<X>(self, _: X) -> Self
            where
                Self: Open,
            {
                self
            }

            pub fn sort_gt<X>(self, _: X) -> Self
            where
                Self: Open,
            {
                self
            }

            pub fn sort_ge<X>(self, _: X) -> Self
            where
                Self: Open,
            {
                self
            }

            pub fn sort_between<X, Y>(self, _: X, _: Y) -> Self
            where
                Self: Open,
            {
                self
            }

            pub fn sort_begins_with<X>(self, _: X) -> Self
            where
                Self: Open,
            {
                self
            }
        }
    )*};
}

closed!(Asked Ranged);
