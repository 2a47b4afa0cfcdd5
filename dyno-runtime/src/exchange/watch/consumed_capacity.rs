//! The number of requests, and their cost.

use aws_sdk_dynamodb::types::{ConsumedCapacity, VectorCapacity};
use std::collections::HashMap;
use std::ops::AddAssign;
use std::sync::{Arc, Mutex, PoisonError};

/// Requests and capacity units used through a [`Repository`](crate::Repository) handle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Usage {
    /// Requests sent, including those about tables. The SDK's own retries of a request do not count.
    pub requests: u64,
    /// Read capacity units, as DynamoDB reported them.
    pub read_units: f64,
    /// Write capacity units, as DynamoDB reported them. For a refused write, DynamoDB reports nothing but charges for the stored
    /// item. So dyno adds what the documentation says: one unit for each KB or part of it, and at least one. (Developer guide,
    /// "DynamoDB condition expressions", on failed conditional writes.) dyno counts a stored vector by its digits there, and DynamoDB
    /// by 4 bytes for each number.
    pub write_units: f64,
    /// Bytes that searches of vector indexes have looked at, as DynamoDB reported them. They are billed by the byte, not in units.
    pub vector_read_bytes: f64,
    /// Bytes written to vector indexes, as DynamoDB reported them. They are billed by the byte, not in units.
    pub vector_write_bytes: f64,
    /// Hedges sent. They also count as requests. The units of a dropped hedge are missing here, because DynamoDB reports them
    /// only in the answer. See [`Repository::hedged`](crate::Repository::hedged).
    pub hedges: u64,
    /// Hedges whose answer was taken instead of that of the first request.
    pub hedges_won: u64,
    /// Hedges that were not sent, because the budget was used up.
    pub hedges_suppressed: u64,
}

impl Usage {
    pub(crate) const REQUEST: Self = Self {
        requests: 1,
        read_units: 0.0,
        write_units: 0.0,
        vector_read_bytes: 0.0,
        vector_write_bytes: 0.0,
        hedges: 0,
        hedges_won: 0,
        hedges_suppressed: 0,
    };

    /// Returns the cost of reads, which may be from several tables.
    pub(crate) fn read(capacity: &[ConsumedCapacity]) -> Self {
        Self { read_units: units(capacity), ..Self::default() }
    }

    /// Returns the cost of writes, which may be to several tables.
    pub(crate) fn write(capacity: &[ConsumedCapacity]) -> Self {
        Self { write_units: units(capacity), vector_write_bytes: vector_bytes(capacity), ..Self::default() }
    }

    /// Returns the cost of a search of a vector index.
    #[cfg(any(feature = "tables", feature = "vectors"))]
    pub(crate) fn search(capacity: Option<&VectorCapacity>) -> Self {
        let bytes = capacity.and_then(VectorCapacity::vector_search_request_bytes);
        Self { vector_read_bytes: bytes.unwrap_or_default(), ..Self::default() }
    }

    /// Returns the cost of a transaction, which may write to several tables.
    pub(crate) fn transaction(capacity: &[ConsumedCapacity]) -> Self {
        let mut usage = Self { vector_write_bytes: vector_bytes(capacity), ..Self::default() };
        for table in capacity {
            // DynamoDB charges read units for a transaction that it has applied before and that is sent again with its token.
            match table.read_capacity_units().filter(|units| *units > 0.0) {
                Some(units) => usage.read_units += units,
                None => usage.write_units += table.capacity_units().unwrap_or_default(),
            }
        }
        usage
    }

    /// Returns the cost of a write that was refused because of an item of this size.
    pub(crate) fn refused(size: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "an item has at most 400 KB")]
        let units = size.div_ceil(1024).max(1) as f64;
        Self { write_units: units, ..Self::default() }
    }

    /// Records the units in a span.
    pub(crate) fn record(self, span: &tracing::Span) {
        if self.read_units > 0.0 {
            span.record("read_units", self.read_units);
        }
        if self.write_units > 0.0 {
            span.record("write_units", self.write_units);
        }
    }
}

fn units(capacity: &[ConsumedCapacity]) -> f64 {
    capacity.iter().filter_map(ConsumedCapacity::capacity_units).sum()
}

/// Returns the bytes written to vector indexes. DynamoDB reports them only if it is asked for the capacity of each index.
fn vector_bytes(capacity: &[ConsumedCapacity]) -> f64 {
    let indexes = capacity.iter().filter_map(ConsumedCapacity::vector_indexes).flat_map(HashMap::values);
    indexes.filter_map(VectorCapacity::vector_write_request_bytes).sum()
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.read_units += other.read_units;
        self.write_units += other.write_units;
        self.vector_read_bytes += other.vector_read_bytes;
        self.vector_write_bytes += other.vector_write_bytes;
        self.hedges += other.hedges;
        self.hedges_won += other.hedges_won;
        self.hedges_suppressed += other.hedges_suppressed;
    }
}

/// The counters of one handle. They also count for the handles that it was made from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Arc<Counter>);

#[derive(Debug, Default)]
struct Counter {
    usage: Mutex<Usage>,
    parent: Option<Meter>,
}

impl Meter {
    pub(crate) fn child(&self) -> Self {
        Self(Arc::new(Counter { usage: Mutex::default(), parent: Some(self.clone()) }))
    }

    pub(crate) fn add(&self, usage: Usage) {
        let mut meter = Some(self);
        while let Some(Self(counter)) = meter {
            *counter.usage.lock().unwrap_or_else(PoisonError::into_inner) += usage;
            meter = counter.parent.as_ref();
        }
    }

    pub(crate) fn usage(&self) -> Usage {
        *self.0.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
