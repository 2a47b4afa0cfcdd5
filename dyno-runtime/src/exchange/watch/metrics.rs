//! The metrics of requests, writes and transactions, by the crate `metrics`, with the feature of that name. Without the feature, these
//! functions do nothing. `docs/production.md` lists the metrics. No label has a key or a value of an item.
//!
//! The duration has the name of OpenTelemetry's semantic conventions for database clients, and so do the labels that these know.

#[cfg(all(feature = "metrics", any(feature = "transactions", feature = "locks")))]
pub(crate) use recorded::count;
#[cfg(feature = "metrics")]
pub use recorded::describe_metrics;
#[cfg(all(feature = "metrics", feature = "transactions"))]
pub(crate) use recorded::reached;
#[cfg(feature = "metrics")]
pub(in crate::exchange) use recorded::{
    answered, attempt_failed, conflict, consumed, failed, hedged, in_doubt, refused, refused_units,
};
#[cfg(all(not(feature = "metrics"), any(feature = "transactions", feature = "locks")))]
pub(crate) use unrecorded::count;
#[cfg(all(not(feature = "metrics"), feature = "transactions"))]
pub(crate) use unrecorded::reached;
#[cfg(not(feature = "metrics"))]
pub(in crate::exchange) use unrecorded::{
    answered, attempt_failed, conflict, consumed, failed, hedged, in_doubt, refused, refused_units,
};

/// Whether metrics are recorded, so that durations must be measured.
pub(in crate::exchange) const ARE_ON: bool = cfg!(feature = "metrics");

#[cfg(feature = "metrics")]
mod recorded {
    use crate::exchange::request::request_subject::About;
    use crate::exchange::send::classify_error::Failure;
    use crate::exchange::send::response_facts::Facts;
    use crate::exchange::watch::consumed_capacity::Usage;
    use crate::rule::Reason;
    use crate::schema::table_name;
    use aws_sdk_dynamodb::types::ThrottlingReason;
    use metrics::{Label, Unit, counter, describe_counter, describe_histogram, histogram};
    use std::slice;
    use std::time::Duration;

    /// Describes the metrics to the recorder that is installed: their units and meanings, which exporters show. Call it once, after
    /// you have installed a recorder.
    ///
    /// ```
    /// // After `metrics_exporter_prometheus::PrometheusBuilder::new().install()`, for example:
    /// dyno::describe_metrics();
    /// ```
    pub fn describe_metrics() {
        let duration = "The time of a request, with the SDK's retries and pauses";
        describe_histogram!("db.client.operation.duration", Unit::Seconds, duration);
        describe_histogram!("dyno.read_units", "The read capacity units of a request, by table");
        describe_histogram!("dyno.write_units", "The write capacity units of a request, by table");
        let searched = "The bytes of vector indexes that a search has looked at";
        describe_histogram!("dyno.vector_read_bytes", Unit::Bytes, searched);
        let stored = "The bytes that a request has written to vector indexes, by table";
        describe_histogram!("dyno.vector_write_bytes", Unit::Bytes, stored);
        describe_counter!(
            "dyno.failed_attempts",
            "Attempts of requests that were throttled, denied, failed, got no answer, or met no table"
        );
        describe_counter!("dyno.refusals", "Refused writes, by reason");
        describe_counter!("dyno.in_doubt", "Writes that ended with an error, and may have been applied");
        describe_counter!("dyno.locks_lost", "Locks that were lost before they were released");
        describe_counter!("dyno.conflicts", "Requests and transactions that began again because of another writer");
        describe_counter!("dyno.hedges", "Requests that were late, so that a second one was sent");
        describe_counter!("dyno.transactions", "States that attempts of client-side transactions reached");
        describe_counter!(
            "dyno.lanes_taken_over",
            "Lanes whose processes were silent for a minute, and that were taken over"
        );
        describe_counter!("dyno.aborted", "Attempts of other transactions that were aborted because they held an item");
        describe_counter!("dyno.not_applied", "Committed changes that could not be applied yet");
        describe_counter!("dyno.overwritten", "Committed changes that another program has overwritten");
        // From the beginning, so that the first event is an increase.
        for name in ["dyno.locks_lost", "dyno.lanes_taken_over", "dyno.aborted", "dyno.not_applied", "dyno.overwritten"]
        {
            counter!(name).increment(0);
        }
    }

    /// A request was answered after this time, with this outcome.
    pub(in crate::exchange) fn answered(about: &About<'_>, request: &'static str, time: Duration, facts: &Facts<'_>) {
        let mut labels = about.labels(request);
        labels.push(Label::from_static_parts("outcome", facts.outcome));
        histogram!("db.client.operation.duration", labels).record(time);
    }

    /// A request used this capacity of its tables. A search of a vector index has a cost, but no capacity of a table.
    pub(in crate::exchange) fn consumed(about: &About<'_>, request: &'static str, facts: &Facts<'_>) {
        let Some(price) = facts.price.filter(|_| !facts.capacity.is_empty()) else {
            return used(|| about.labels(request), facts.cost);
        };
        for table in facts.capacity {
            let name = table_name(table.table_name().unwrap_or_default());
            used(|| about.labels_of_table(request, name), price(slice::from_ref(table)));
        }
    }

    /// A request was refused or failed.
    pub(in crate::exchange) fn failed(about: &About<'_>, request: &'static str, time: Duration, failure: &Failure) {
        let mut labels = about.labels(request);
        labels.push(Label::from_static_parts("outcome", failure.outcome()));
        if let Some(error) = failure.as_error() {
            labels.push(Label::new("error.type", format!("{:?}", error.kind())));
        }
        histogram!("db.client.operation.duration", labels).record(time);
        refused_units(about, request, failure.usage());
    }

    /// A refused request used these units.
    pub(in crate::exchange) fn refused_units(about: &About<'_>, request: &'static str, usage: Usage) {
        used(|| about.labels(request), usage);
    }

    fn used(labels: impl Fn() -> Vec<Label>, usage: Usage) {
        if usage.read_units > 0.0 {
            histogram!("dyno.read_units", labels()).record(usage.read_units);
        }
        if usage.write_units > 0.0 {
            histogram!("dyno.write_units", labels()).record(usage.write_units);
        }
        if usage.vector_read_bytes > 0.0 {
            histogram!("dyno.vector_read_bytes", labels()).record(usage.vector_read_bytes);
        }
        if usage.vector_write_bytes > 0.0 {
            histogram!("dyno.vector_write_bytes", labels()).record(usage.vector_write_bytes);
        }
    }

    /// An attempt of a request was throttled, failed, or got no answer.
    pub(in crate::exchange) fn attempt_failed(request: &str, error: &str, reasons: &[ThrottlingReason]) {
        let reason = reasons.first().and_then(ThrottlingReason::reason).unwrap_or_default();
        let labels = [("db.operation.name", request), ("error.type", error), ("reason", reason)];
        let labels: Vec<Label> = labels.map(|(name, value)| Label::new(name, value.to_owned())).into();
        counter!("dyno.failed_attempts", labels).increment(1);
    }

    /// A request or a transaction begins again because of another writer.
    pub(in crate::exchange) fn conflict(kind: &'static str) {
        counter!("dyno.conflicts", "kind" => kind).increment(1);
    }

    /// A second request was sent, because the first one is late.
    pub(in crate::exchange) fn hedged(about: &About<'_>, request: &'static str) {
        counter!("dyno.hedges", about.labels(request)).increment(1);
    }

    /// A write was refused.
    pub(in crate::exchange) fn refused(entity: &'static str, operation: &'static str, reasons: &[Reason]) {
        for reason in reasons {
            let labels = [("entity", entity), ("operation", operation), ("reason", reason.name())];
            counter!("dyno.refusals", &labels).increment(1);
        }
    }

    /// A write ended with an error, and may have been applied.
    pub(in crate::exchange) fn in_doubt(entity: &'static str, operation: &'static str) {
        counter!("dyno.in_doubt", "entity" => entity, "operation" => operation).increment(1);
    }

    /// An event of the commit protocol, or of a lock.
    #[cfg(any(feature = "transactions", feature = "locks"))]
    pub(crate) fn count(metric: &'static str) {
        counter!(metric).increment(1);
    }

    /// An attempt of a client-side transaction reached this state.
    #[cfg(feature = "transactions")]
    pub(crate) fn reached(state: &'static str) {
        counter!("dyno.transactions", "state" => state).increment(1);
    }
}

#[cfg(not(feature = "metrics"))]
mod unrecorded {
    use crate::exchange::request::request_subject::About;
    use crate::exchange::send::classify_error::Failure;
    use crate::exchange::send::response_facts::Facts;
    use crate::exchange::watch::consumed_capacity::Usage;
    use crate::rule::Reason;
    use aws_sdk_dynamodb::types::ThrottlingReason;
    use std::time::Duration;

    pub(in crate::exchange) fn answered(_: &About<'_>, _: &str, _: Duration, _: &Facts<'_>) {}

    pub(in crate::exchange) fn consumed(_: &About<'_>, _: &str, _: &Facts<'_>) {}

    pub(in crate::exchange) fn failed(_: &About<'_>, _: &str, _: Duration, _: &Failure) {}

    pub(in crate::exchange) fn refused_units(_: &About<'_>, _: &str, _: Usage) {}

    pub(in crate::exchange) fn attempt_failed(_: &str, _: &str, _: &[ThrottlingReason]) {}

    pub(in crate::exchange) fn conflict(_: &str) {}

    pub(in crate::exchange) fn hedged(_: &About<'_>, _: &str) {}

    pub(in crate::exchange) fn refused(_: &str, _: &str, _: &[Reason]) {}

    pub(in crate::exchange) fn in_doubt(_: &str, _: &str) {}

    #[cfg(any(feature = "transactions", feature = "locks"))]
    pub(crate) fn count(_: &str) {}

    #[cfg(feature = "transactions")]
    pub(crate) fn reached(_: &str) {}
}
