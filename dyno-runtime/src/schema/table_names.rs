//! The tables of an entity, and the check of table names.

use crate::error::Error;
use crate::error::foreign_text::value;

/// The names of the tables that a write goes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// The entity's table.
    pub(crate) main: String,
    /// The table of its history, if it has one. This may be the entity's table.
    pub(crate) history: Option<String>,
    /// The table of its idempotency keys, if they have one.
    pub(crate) keys: Option<String>,
    /// The table of the guards of its unique values, if it has any.
    pub(crate) guards: Option<String>,
}

impl Tables {
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.main).chain(&self.history).chain(&self.keys).chain(&self.guards).map(String::as_str)
    }
}

/// Returns the name of a table, also if `table` is its ARN: `arn:aws:dynamodb:<region>:<account>:table/<name>`.
pub(crate) fn table_name(table: &str) -> &str {
    table.rsplit_once('/').map_or(table, |(_, name)| name)
}

/// API reference, `TableName`: at most 1024 characters.
const ARN_BYTES: usize = 1024;

/// Checks a table's name, or its ARN. (Developer guide, "Naming rules"; API reference, `TableName`, which allows ARNs.)
pub(crate) fn check_table_name(name: &str) -> Result<(), Error> {
    let known = |byte: u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.');
    let is_name = |name: &str| (3..=255).contains(&name.len()) && name.bytes().all(known);
    if name.starts_with("arn:") {
        let parts: Vec<&str> = name.splitn(6, ':').collect();
        let is_table = matches!(parts[..], [_, partition, "dynamodb", region, account, table]
            if ![partition, region, account].contains(&"") && table.strip_prefix("table/").is_some_and(is_name));
        return if is_table && name.len() <= ARN_BYTES {
            Ok(())
        } else {
            Err(Error::invalid(format!(
                "`{}` is not the ARN of a table: expected `arn:aws:dynamodb:<region>:<account>:table/<name>`",
                value(name)
            )))
        };
    }
    if is_name(name) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "`{}` cannot be a table name, which has 3 to 255 letters, digits, `_`, `-` and `.`",
        value(name)
    )))
}
