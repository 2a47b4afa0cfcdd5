//! Comparisons of a field with another field of the same item.

use super::access::{SameForm, StoredAs};
use super::{Condition, Field, Place, StoredNatively};
use crate::attribute::Attribute;
use crate::attribute::kind::OrderedKind;
use crate::expression::Operator;

/// Comparisons with another field, whose value DynamoDB finds in the same item: `fields.spent.le_field(&fields.budget)`. Both fields
/// have one type, or an `Option` of it, and two times have one `format`. If one of them is absent, or NULL stands for that, the comparison does not hold. DynamoDB does not
/// compare a field with itself, so that is an error.
impl<E, T, A, P: Place> Field<E, T, A, P> {
    /// `=` of two fields. If both are absent, it does not hold.
    ///
    /// ```
    /// # use dyno::Entity;
    /// # #[derive(Entity)]
    /// # struct Project { #[partition_key] id: String, spent: u64, budget: Option<u64> }
    /// let f = Project::fields();
    /// // The project spends 10 more, unless its budget is used up already, or it has none.
    /// let fits = f.spent.lt_field(&f.budget);
    /// let update = Project::update("1").condition(fits).with(f.spent.add(10u64));
    /// ```
    pub fn eq_field<U, B, Q: Place>(&self, other: &Field<E, U, B, Q>) -> Condition<E>
    where
        A: StoredNatively + StoredAs,
        B: StoredNatively + StoredAs<Form: SameForm<A::Form>>,
        T: Attribute,
        U: Attribute<Present = T::Present>,
    {
        Condition::new(self.__codec.compare_with(Operator::Eq, &other.__codec))
    }

    /// The negation of [`eq_field`](Self::eq_field): it also holds if one of the fields is absent, or both are.
    pub fn ne_field<U, B, Q: Place>(&self, other: &Field<E, U, B, Q>) -> Condition<E>
    where
        A: StoredNatively + StoredAs,
        B: StoredNatively + StoredAs<Form: SameForm<A::Form>>,
        T: Attribute,
        U: Attribute<Present = T::Present>,
    {
        !self.eq_field(other)
    }
}

macro_rules! orders {
    ($($method:ident $operator:ident $text:literal;)*) => {
        /// Orders of two fields.
        impl<E, T, A, P: Place> Field<E, T, A, P> {$(
            #[doc = concat!("`", $text, "` of two fields. If one of them is absent, it does not hold.")]
            pub fn $method<U, B, Q: Place>(&self, other: &Field<E, U, B, Q>) -> Condition<E>
            where
                A: StoredNatively + StoredAs,
                B: StoredNatively + StoredAs<Form: SameForm<A::Form>>,
                T: Attribute<Kind: OrderedKind>,
                U: Attribute<Present = T::Present>,
            {
                Condition::new(self.__codec.compare_with(Operator::$operator, &other.__codec))
            }
        )*}
    };
}

orders! {
    lt_field Lt "<";
    le_field Le "<=";
    gt_field Gt ">";
    ge_field Ge ">=";
}
