//! Methods that a handle or a condition lacks although users may expect them: see `entity::absent_hints`.

use super::{Condition, Field, Place};
use crate::attribute::IntoField;
use crate::entity::absent;

absent! {
    IsNone: "a field has no `is_none`: `None` is an absent attribute", "say `.not_exists()`";
    IsSome: "a field has no `is_some`: `None` is an absent attribute", "say `.exists()`";
    IsEmpty: "a field has no `is_empty`", "say `.size().eq(0)`; of a set, or of an `Option`, `.not_exists()`",
        "an empty set is an absent attribute";
    Len: "a field has no `len`", "say `.size()`, and compare it: `.size().ge(1)`";
    StartsWith: "a field has no `starts_with`", "say `.begins_with(…)`";
    EndsWith: "a condition cannot ask how a value ends", "choose among the items that were read",
        "DynamoDB has `begins_with` and `contains` (developer guide, \"Condition and filter expressions\")";
    OneOf: "a field has no such method", "say `.is_in([…])`";
    CountUp: "a field has no such method", "say `.increment(…)` or `.decrement(…)`; `.add(…)` also where the attribute is absent";
    Appended: "a field has no `append`", "say `.push(…)` for one element, `.extend([…])` for several";
    Unset: "a field has no such method", "say `.clear()`";
    Like: "a condition has no patterns", "say `.begins_with(…)` or `.contains(…)`";
    NotEqual: "a field has no such method", "say `.ne(…)`";
    Negated: "a condition is negated by an operator", "say `!condition`";
    Joined: "conditions are joined by operators", "say `a & b` for AND, `a | b` for OR",
        "operators bind closer than comparisons and not as close as methods: `f.rating.ge(3) & f.note.exists()`";
}

absent! {
    [E, T, A, P: Place] Field<E, T, A, P> {
        IsNone: is_none() is_null(); IsSome: is_some(); IsEmpty: is_empty(); Len: len(); StartsWith: starts_with(X);
        EndsWith: ends_with(X); OneOf: one_of(X) in_(X); CountUp: sub(X) inc(X) dec(X); Appended: append(X);
        Unset: unset() delete(); Like: like(X); NotEqual: not_eq(X) neq(X);
    }
    [E] Condition<E> { Joined: and(X) or(X); Negated: not(); }
}

/// A field in the place of a value: the bound says what compares two fields. No type implements it.
#[diagnostic::on_unimplemented(
    message = "a field is no value, and a value is expected",
    label = "two fields are compared by `eq_field`, `lt_field`, `le_field` and the like",
    note = "help: `fields.spent.le_field(&fields.budget)`",
    note = "an update sets a field to a value that is known here: load the item, and `set` the other field's value"
)]
pub trait AnotherField {
    /// Stands for the value.
    fn none() -> Self;
}

#[doc(hidden)]
impl<E, U, A, P, T: AnotherField> IntoField<T> for Field<E, U, A, P> {
    fn into_field(self) -> T {
        T::none()
    }
}

#[doc(hidden)]
impl<E, U, A, P, T: AnotherField> IntoField<T> for &Field<E, U, A, P> {
    fn into_field(self) -> T {
        T::none()
    }
}
