//! Conflicts between the plans of two entities for one table.

use crate::schema::Schema;
use crate::table::Plan;

/// Returns the reason why two entities that were added alone cannot have one table: DynamoDB cannot serve both, or nothing has compared
/// their keys. The derive of `Entities` compares them.
pub(super) fn own_table_of_both(one: &Schema, other: &Schema, table: &str) -> String {
    format!(
        "`{}` and `{}` are both stored in the table `{table}`: put them into one `#[derive(Entities)]` enum, and add it with `shared_table`",
        one.entity, other.entity
    )
}

/// Returns the reason why the rows of two rules cannot have one table.
pub(super) fn conflict(known: &Plan, plan: &Plan) -> Option<String> {
    let keys = |plan: &Plan| plan.keys.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
    if known.keys != plan.keys {
        return Some(format!(
            "the table `{}` has the keys {} for one entity or rule, and {} for another: name another table for one of them",
            plan.name,
            keys(known),
            keys(plan)
        ));
    }
    let (one, other) = (known.ttl?, plan.ttl?);
    (one != other).then(|| {
        format!(
            "the table `{}` has the TTL attribute `{one}` for one entity or rule, and `{other}` for another: a table can have one only",
            plan.name
        )
    })
}
