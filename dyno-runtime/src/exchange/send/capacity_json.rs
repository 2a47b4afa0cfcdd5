//! The capacity that a request has consumed, as the text of a field of its span.

use crate::sorted;
use aws_sdk_dynamodb::types::{Capacity, ConsumedCapacity};
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::iter;

/// DynamoDB's `ConsumedCapacity` of each table, as JSON: OpenTelemetry's `aws.dynamodb.consumed_capacity`. There it is a list of such
/// texts, but a field of a span cannot be a list. The text is made only if something listens. Vector indexes, whose capacity is in bytes,
/// are left out.
pub(in crate::exchange) struct CapacityJson<'a>(pub(in crate::exchange) &'a [ConsumedCapacity]);

impl Display for CapacityJson<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let tables: Vec<String> = self.0.iter().map(of_table).collect();
        write!(f, "[{}]", tables.join(","))
    }
}

// No name of a table or an index has a character that JSON escapes.
fn of_table(table: &ConsumedCapacity) -> String {
    let name = format!(r#""TableName":"{}""#, table.table_name().unwrap_or_default());
    let units = units(table.capacity_units, table.read_capacity_units, table.write_capacity_units);
    let own = table.table().map(|own| format!(r#""Table":{}"#, of_part(own)));
    let local = indexes("LocalSecondaryIndexes", table.local_secondary_indexes());
    let global = indexes("GlobalSecondaryIndexes", table.global_secondary_indexes());
    object(iter::once(name).chain(units).chain(own).chain(local).chain(global))
}

fn indexes(name: &str, indexes: Option<&HashMap<String, Capacity>>) -> Option<String> {
    let indexes = sorted::entries(indexes.filter(|indexes| !indexes.is_empty())?);
    let indexes = indexes.map(|(index, part)| format!(r#""{index}":{}"#, of_part(part)));
    Some(format!(r#""{name}":{}"#, object(indexes)))
}

/// The capacity of a table without its indexes, or of an index.
fn of_part(part: &Capacity) -> String {
    object(units(part.capacity_units, part.read_capacity_units, part.write_capacity_units))
}

fn units(all: Option<f64>, read: Option<f64>, write: Option<f64>) -> impl Iterator<Item = String> {
    let units = [("CapacityUnits", all), ("ReadCapacityUnits", read), ("WriteCapacityUnits", write)];
    units.into_iter().filter_map(|(name, units)| Some(format!(r#""{name}":{:?}"#, units?)))
}

fn object(members: impl Iterator<Item = String>) -> String {
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
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
            .global_secondary_indexes(
                "by_day",
                Capacity::builder().capacity_units(2.0).write_capacity_units(2.0).build(),
            )
            .global_secondary_indexes("by_buyer", capacity(0.5));
        let events = ConsumedCapacity::builder().table_name("events").capacity_units(2.0).write_capacity_units(2.0);
        let text = CapacityJson(&[orders.build(), events.build()]).to_string();
        assert_eq!(
            text,
            r#"[{"TableName":"orders","CapacityUnits":3.5,"Table":{"CapacityUnits":1.0},"GlobalSecondaryIndexes":{"by_buyer":{"CapacityUnits":0.5},"by_day":{"CapacityUnits":2.0,"WriteCapacityUnits":2.0}}},{"TableName":"events","CapacityUnits":2.0,"WriteCapacityUnits":2.0}]"#
        );
    }
}
