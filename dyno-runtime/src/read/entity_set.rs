//! Queries for several entities of one table: the entities, and the filter as each of them sees it.

use crate::error::Error;
use crate::exchange::Repository;
use crate::expression::Node;
use crate::rule;
use crate::schema::{Schema, Tables};

/// The entities whose items are in a partition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntitySet {
    pub(crate) schemas: &'static [&'static Schema],
    /// Returns the tables of each entity.
    pub(crate) tables: fn(&Repository) -> Result<Vec<Tables>, Error>,
    /// Whether items of no entity are skipped.
    pub(crate) skip_unknown: bool,
}

impl EntitySet {
    /// Refuses entities that the repository has in another table than this one: their items would be missing without an error.
    pub(super) fn check_table(&self, repository: &Repository, table: &str) -> Result<(), Error> {
        // An entity without a table has no items elsewhere.
        let Ok(tables) = (self.tables)(repository) else { return Ok(()) };
        let mut entities = self.schemas.iter().zip(&tables);
        match entities.find(|(_, tables)| tables.main != table) {
            None => Ok(()),
            Some((schema, tables)) => Err(Error::invalid(format!(
                "the query reads the table `{table}`, and the repository has `{}` in `{}`: give all entities the same table with `with_table`",
                schema.entity, tables.main
            ))),
        }
    }
}

/// Returns the filter that DynamoDB applies. If entities have different aliases of the attributes in it, also returns the filter as each
/// of them sees it; then the first one holds if any of the others does.
pub(super) fn as_seen(schemas: &[&'static Schema], filter: &Node) -> (Option<Node>, Vec<Node>) {
    let forms: Vec<Node> = schemas.iter().map(|schema| rule::alias::seen(schema, filter.clone())).collect();
    let mut distinct: Vec<Node> = Vec::new();
    for form in &forms {
        if !distinct.contains(form) {
            distinct.push(form.clone());
        }
    }
    let differ = distinct.len() > 1;
    (Node::any(distinct), if differ { forms } else { Vec::new() })
}
