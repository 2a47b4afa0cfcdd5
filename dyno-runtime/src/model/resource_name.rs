//! The names that other tools give to tables, which have fewer letters than a table's name can have.

use super::planned_table::PlannedTable;
use crate::error::Error;

/// Returns the name of each table's resource.
pub(super) fn unique_names(tables: &[PlannedTable], name: fn(&str) -> String) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    for table in tables {
        let table_name = &table.plan.name;
        if table_name.starts_with("arn:") {
            return Err(Error::invalid(format!(
                "the table `{table_name}` is named by its ARN, so it exists in one account and region: name it without the ARN for this file"
            )));
        }
        let name = name(table_name);
        if let Some(other) = names.iter().position(|other| *other == name) {
            let other = &tables[other].plan.name;
            return Err(Error::invalid(format!(
                "the tables `{other}` and `{table_name}` would both be `{name}` in this file: write them into two files, each for a stack of its own"
            )));
        }
        names.push(name);
    }
    Ok(names)
}
