//! The facts about a response that are recorded: its cost, its outcome, and its id.

use crate::exchange::watch::consumed_capacity::Usage;
use aws_sdk_dynamodb::types::ConsumedCapacity;
use std::slice;

/// The recorded facts about a response.
#[derive(Default)]
pub(crate) struct Facts<'a> {
    /// The capacity that DynamoDB reports, table by table.
    pub(in crate::exchange) capacity: &'a [ConsumedCapacity],
    /// Returns the cost of a capacity.
    #[cfg_attr(not(feature = "metrics"), expect(dead_code, reason = "metrics have the cost of each table"))]
    pub(in crate::exchange) price: Option<fn(&[ConsumedCapacity]) -> Usage>,
    pub(in crate::exchange) cost: Usage,
    pub(in crate::exchange) request_id: Option<&'a str>,
    /// The number of items, if the request is a query or scan.
    pub(in crate::exchange) count: Option<i32>,
    /// The number of items that DynamoDB has read, if the request is a query or scan.
    pub(in crate::exchange) scanned: Option<i32>,
    /// The outcome that is recorded in the request's span.
    pub(in crate::exchange) outcome: &'static str,
}

impl<'a> Facts<'a> {
    /// Makes the facts of a request that used this capacity, for which `price` is the cost.
    pub(in crate::exchange) fn new(
        capacity: &'a [ConsumedCapacity],
        price: fn(&[ConsumedCapacity]) -> Usage,
        request_id: Option<&'a str>,
    ) -> Self {
        let cost = price(capacity);
        Self { capacity, price: Some(price), cost, request_id, outcome: "answered", ..Self::default() }
    }
}

/// Returns the capacity of a request to one table.
pub(in crate::exchange) fn one(capacity: Option<&ConsumedCapacity>) -> &[ConsumedCapacity] {
    capacity.map(slice::from_ref).unwrap_or_default()
}

/// Returns the outcome of a batch.
pub(in crate::exchange) fn processed(is_left: bool) -> &'static str {
    if is_left { "partly processed" } else { "processed" }
}
