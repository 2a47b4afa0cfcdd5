//! The fingerprint of a query or scan. A cursor continues only a query or scan with the same fingerprint.

use super::query::ReadOptions;
use super::reader::Target;
use crate::expression::Node;
use crate::key::{Asked, Fingerprint};
use crate::schema::{Index, Schema};

/// Returns the fingerprint of a query or scan. It covers the table and everything that decides which items follow a cursor.
pub(super) fn asked(
    schema: &Schema,
    table: &str,
    index: Option<&Index>,
    target: &Target,
    filter: Option<&Node>,
    options: ReadOptions,
) -> Asked {
    let mut asked = Fingerprint::new();
    asked.text(schema.entity);
    asked.text(table);
    asked.optional(index, |asked, index| asked.text(index.name));
    match target {
        Target::Query { partition, windows, descending } => {
            asked.number(1 + u64::from(*descending));
            asked.number(partition.len() as u64);
            for (name, value) in partition {
                asked.text(name);
                asked.value(value);
            }
            asked.number(windows.len() as u64);
            for (name, window) in windows {
                asked.text(name);
                window.write(&mut asked);
            }
        }
        Target::Scan { segment } => {
            asked.number(0);
            asked.optional(*segment, |asked, (segment, of)| {
                asked.number(u64::from(segment));
                asked.number(u64::from(of));
            });
        }
    }
    asked.optional(filter, Fingerprint::node);
    asked.number(u64::from(options.include_dead));
    asked.optional(options.entities, |asked, entities| {
        asked.number(u64::from(entities.skip_unknown));
        asked.number(entities.schemas.len() as u64);
        entities.schemas.iter().for_each(|schema| asked.text(schema.entity));
    });
    asked.finish()
}
