//! The capacity that a request has consumed, as the text of a field of its span.

use aws_sdk_dynamodb::types::{Capacity, ConsumedCapacity};
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display, Formatter};

/// DynamoDB's `ConsumedCapacity` of each table, as JSON: OpenTelemetry's `aws.dynamodb.consumed_capacity`. There it is a list of such
/// texts, but a field of a span cannot be a list. The text is made only if something listens.
pub(super) struct CapacityJson<'a>(pub(super) &'a [ConsumedCapacity]);

impl Display for CapacityJson<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut separator = "[";
        for table in self.0 {
            // No name of a table or an index has a character that JSON escapes.
            write!(f, r#"{separator}{{"TableName":"{}""#, table.table_name().unwrap_or_default())?;
            let units = [
                ("CapacityUnits", table.capacity_units),
                ("ReadCapacityUnits", table.read_capacity_units),
                ("WriteCapacityUnits", table.write_capacity_units),
            ];
            for (name, units) in units {
                if let Some(units) = units {
                    write!(f, r#","{name}":{units:?}"#)?;
                }
            }
            if let Some(own) = table.table() {
                write!(f, r#","Table":{}"#, units_of(own))?;
            }
            write_indexes(f, "LocalSecondaryIndexes", table.local_secondary_indexes())?;
            write_indexes(f, "GlobalSecondaryIndexes", table.global_secondary_indexes())?;
            f.write_str("}")?;
            separator = ",";
        }
        f.write_str("]")
    }
}

fn write_indexes(f: &mut Formatter<'_>, name: &str, indexes: Option<&HashMap<String, Capacity>>) -> fmt::Result {
    let Some(indexes) = indexes.filter(|indexes| !indexes.is_empty()) else { return Ok(()) };
    let mut separator = format!(r#","{name}":{{"#);
    for (index, capacity) in indexes.iter().collect::<BTreeMap<_, _>>() {
        write!(f, r#"{separator}"{index}":{}"#, units_of(capacity))?;
        ",".clone_into(&mut separator);
    }
    f.write_str("}")
}

fn units_of(capacity: &Capacity) -> String {
    format!(r#"{{"CapacityUnits":{:?}}}"#, capacity.capacity_units().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_its_units_and_those_of_its_indexes() {
        let capacity = |units| Capacity::builder().capacity_units(units).build();
        let orders = ConsumedCapacity::builder()
            .table_name("orders")
            .capacity_units(3.5)
            .table(capacity(1.0))
            .global_secondary_indexes("by_day", capacity(2.0))
            .global_secondary_indexes("by_buyer", capacity(0.5));
        let events = ConsumedCapacity::builder().table_name("events").capacity_units(2.0).write_capacity_units(2.0);
        let text = CapacityJson(&[orders.build(), events.build()]).to_string();
        assert_eq!(
            text,
            r#"[{"TableName":"orders","CapacityUnits":3.5,"Table":{"CapacityUnits":1.0},"GlobalSecondaryIndexes":{"by_buyer":{"CapacityUnits":0.5},"by_day":{"CapacityUnits":2.0}}},{"TableName":"events","CapacityUnits":2.0,"WriteCapacityUnits":2.0}]"#
        );
    }
}
