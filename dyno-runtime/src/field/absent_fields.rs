//! Methods that a handle or a condition lacks although users may expect them: see `entity::absent_hints`.

use super::{Condition, Field, Place};
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
    Joined: "conditions are joined by operators", "say `a & b` for AND, `a | b` for OR",
        "operators bind closer than comparisons and not as close as methods: `f.rating.ge(3) & f.note.exists()`";
}

absent! {
    [E, T, A, P: Place] Field<E, T, A, P>, T {
        is_none(): IsNone;
        is_null(): IsNone;
        is_some(): IsSome;
        is_empty(): IsEmpty;
        len(): Len;
        starts_with(X): StartsWith;
        ends_with(X): EndsWith;
        one_of(X): OneOf;
        in_(X): OneOf;
        sub(X): CountUp;
        inc(X): CountUp;
        dec(X): CountUp;
        append(X): Appended;
        unset(): Unset;
        delete(): Unset;
    }
    [E] Condition<E>, E {
        and(X): Joined;
        or(X): Joined;
    }
}
