//! What an operator sees of each command: spans with the names of OpenTelemetry, and metrics.

use super::commands::ALL;
use super::database::{Database, Kind, Note};
use crate::spans::subscribe;
use dyno::local::Fault;
use dyno_tests::{is_remote, pause};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use metrics_exporter_prometheus::PrometheusBuilder;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing::field::{Field, Visit};
use tracing::span;
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// The fields of the span of a request, by name.
type Fields = BTreeMap<String, String>;

/// Collects the spans of requests, as an exporter of traces gets them.
#[derive(Clone, Default)]
struct Exporter(Arc<Mutex<Vec<Fields>>>);

struct Recorded<'a>(&'a mut Fields);

impl Visit for Recorded<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Exporter {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        if attributes.metadata().name() == "dynamodb" {
            let mut fields = Fields::new();
            attributes.record(&mut Recorded(&mut fields));
            context.span(id).expect("a span").extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        if let Some(fields) = context.span(id).expect("a span").extensions_mut().get_mut::<Fields>() {
            values.record(&mut Recorded(fields));
        }
    }

    fn on_close(&self, id: span::Id, context: Context<'_, S>) {
        if let Some(fields) = context.span(&id).expect("a span").extensions_mut().remove::<Fields>() {
            self.0.lock().expect("no panic").push(fields);
        }
    }
}

#[tokio::test]
async fn each_request_of_each_command_is_a_span_with_the_names_of_opentelemetry() {
    pause();
    if is_remote() {
        return; // The spans are the same.
    }
    let exporter = Exporter::default();
    let _guard = subscribe(exporter.clone());
    for command in ALL {
        let name = command.name;
        let database = Database::new(command.kind).await;
        exporter.0.lock().expect("no panic").clear();
        (command.send)(&database.repository).await.expect(name);
        let spans = exporter.0.lock().expect("no panic").clone();
        let sent = database.faults.requests();
        assert_eq!(spans.len(), sent.len(), "{name}");
        for (fields, request) in spans.iter().zip(&sent) {
            let text = |field: &str| fields.get(field).map(String::as_str);
            assert_eq!(text("otel.name"), Some(&*format!("DynamoDB.{}", request.operation)), "{name}: {fields:?}");
            assert_eq!(text("otel.kind"), Some("client"), "{name}");
            assert_eq!(text("db.system.name"), Some("aws.dynamodb"), "{name}");
            assert_eq!(text("db.operation.name"), Some(&*request.operation), "{name}");
            assert!(text("aws.request_id").is_some_and(|id| !id.is_empty()), "{name}: {fields:?}");
            let tables = text("aws.dynamodb.table_names").expect(name);
            assert_eq!(tables.split(", ").collect::<BTreeSet<_>>().len(), request.tables().len(), "{name}: {tables}");
            let is_page = ["Query", "Scan", "SearchVectors"].contains(&&*request.operation);
            assert_eq!(text("aws.dynamodb.count").is_some(), is_page, "{name}: {fields:?}");
            let is_index = is_page && request.body().contains("IndexName");
            assert_eq!(text("aws.dynamodb.index_name").is_some(), is_index, "{name}: {fields:?}");
            assert!(text("outcome").is_some(), "{name}: {fields:?}");
            let tables_with_capacity = text("aws.dynamodb.consumed_capacity").map_or(0, |capacity| {
                let capacity: serde_json::Value = serde_json::from_str(&capacity.replace('\\', "")).expect("JSON");
                let capacity = capacity.as_array().expect("a list");
                assert!(
                    capacity.iter().all(|table| table["CapacityUnits"].as_f64() >= Some(0.5)),
                    "{name}: {fields:?}"
                );
                capacity.len()
            });
            let has_capacity =
                text("read_units").or(text("write_units")).is_some() && text("outcome") != Some("refused");
            assert_eq!(tables_with_capacity > 0, has_capacity, "{name}: {fields:?}");
        }
    }
}

#[tokio::test]
async fn each_request_of_each_command_has_a_duration_and_its_capacity() {
    pause();
    if is_remote() {
        return; // The metrics are the same, and units are counted differently there.
    }
    for command in ALL {
        let name = command.name;
        let database = Database::new(command.kind).await;
        let recorder = PrometheusBuilder::new().build_recorder();
        let exporter = recorder.handle();
        let metered = database.repository.metered();
        {
            let _guard = metrics::set_default_local_recorder(&recorder);
            (command.send)(&metered).await.expect(name);
        }
        let text = exporter.render();
        let sum = |metric: &str| {
            let values = text.lines().filter(|line| line.starts_with(metric)).map(|line| line.rsplit_once(' '));
            values.map(|value| value.expect("a value").1.parse::<f64>().expect("a number")).sum::<f64>()
        };
        let usage = metered.usage();
        let requests = sum("db_client_operation_duration_count");
        assert_eq!(requests.to_string(), database.faults.requests().len().to_string(), "{name}: {text}");
        assert!((sum("dyno_read_units_sum") - usage.read_units).abs() < 0.01, "{name}: {usage:?} {text}");
        assert!((sum("dyno_write_units_sum") - usage.write_units).abs() < 0.01, "{name}: {usage:?} {text}");
        assert!((sum("dyno_vector_read_bytes_sum") - usage.vector_read_bytes).abs() < 0.01, "{name}: {usage:?} {text}");
        assert!(
            (sum("dyno_vector_write_bytes_sum") - usage.vector_write_bytes).abs() < 0.01,
            "{name}: {usage:?} {text}"
        );
        for request in database.faults.requests() {
            let label = format!("db_operation_name=\"{}\"", request.operation);
            let durations = || text.lines().filter(|line| line.starts_with("db_client_operation_duration_count"));
            for table in request.tables() {
                let is_of = |line: &str| line.contains(&label) && line.contains(&table);
                assert!(durations().any(is_of), "{name}: {label} {table}\n{text}");
            }
        }
    }
}

/// Collects the names of the metrics that are described.
#[derive(Default)]
struct Described(Mutex<BTreeSet<String>>);

impl Described {
    fn add(&self, name: &KeyName) {
        self.0.lock().expect("no panic").insert(name.as_str().to_owned());
    }
}

impl Recorder for Described {
    fn describe_counter(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
        self.add(&name);
    }

    fn describe_gauge(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
        self.add(&name);
    }

    fn describe_histogram(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
        self.add(&name);
    }

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

#[test]
fn the_page_lists_the_metrics_and_the_source_records_no_others() {
    let described = Described::default();
    metrics::with_local_recorder(&described, dyno::describe_metrics);
    let described = described.0.into_inner().expect("no panic");

    let page = super::page("production.md");
    let table = page.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|line| line.split_once('`'));
    let listed: BTreeSet<String> = table
        .map(|(name, _)| name.to_owned())
        .filter(|name| name == "db.client.operation.duration" || name.starts_with("dyno."))
        .collect();
    assert_eq!(listed, described);

    let source = |file: &str| fs::read_to_string(super::path("../dyno-runtime/src").join(file)).expect("a source");
    let sources = source("exchange/watch/metrics.rs") + &source("transaction/resolve/trace_events.rs");
    let strings = sources.split('"').skip(1).step_by(2).filter(|text| text.starts_with("dyno."));
    let recorded: BTreeSet<String> = strings.map(str::to_owned).collect();
    assert!(recorded.is_subset(&described), "{recorded:?}");
}

#[test]
fn the_dashboard_and_the_alerts_use_metrics_that_are_recorded() {
    let described = Described::default();
    metrics::with_local_recorder(&described, dyno::describe_metrics);
    let described = described.0.into_inner().expect("no panic");
    let known: BTreeSet<String> = described.iter().map(|name| name.replace('.', "_")).collect();
    for file in ["dashboard/grafana.json", "dashboard/alerts.yml"] {
        let text = super::page(file);
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let used = words.filter(|word| word.starts_with("dyno_") || word.starts_with("db_client_"));
        let used: BTreeSet<&str> = used.map(|word| word.trim_end_matches("_sum").trim_end_matches("_count")).collect();
        assert!(used.len() > 4, "{file}: {used:?}");
        for metric in used {
            assert!(known.contains(metric), "{file}: {metric}");
        }
    }
    serde_json::from_str::<serde_json::Value>(&super::page("dashboard/grafana.json")).expect("JSON");
}

#[tokio::test]
async fn everything_unusual_is_counted() {
    pause();
    if is_remote() {
        return; // The metrics are the same.
    }
    let database = Database::new(Kind::NoRule).await;
    let (db, faults) = (&database.repository, &database.faults);
    let recorder = PrometheusBuilder::new().build_recorder();
    let exporter = recorder.handle();
    let _guard = metrics::set_default_local_recorder(&recorder);
    dyno::describe_metrics();
    let note = |id: &str| Note { id: id.to_owned(), tag: "t".to_owned(), count: 1 };

    faults.next([Fault::Throttled]);
    note("1").put().send(db).await.expect("a put");
    faults.next([Fault::Conflict]);
    note("1").put().send(db).await.expect("a put");
    faults.next([Fault::AnswerLost]);
    note("1").put().send(db).await.expect("a put");
    assert!(!note("1").create().send(db).await.expect("a create").is_applied());
    faults.delay_next([(Duration::from_secs(1), Duration::ZERO)]);
    Note::get("1").hedge(Duration::from_millis(10)).send(db).await.expect("a get");
    // The table exists already, which does not count as unusual.
    db.create_table::<Note>().await.expect("a table");
    faults.next([Fault::ErrorCode("AccessDeniedException")]);
    assert!(note("1").put().send(db).await.is_err());

    let text = exporter.render();
    let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>();
    let failed = lines("dyno_failed_attempts{");
    assert_eq!(failed.len(), 3, "{failed:#?}");
    for error in ["ThrottlingException", "no answer", "AccessDeniedException"] {
        assert!(failed.iter().any(|line| line.contains(&format!("error_type={error:?}"))), "{failed:#?}");
    }
    let refused = r#"dyno_refusals{entity="Note",operation="create",reason="Exists"} 1"#;
    assert_eq!(lines("dyno_refusals{"), [refused]);
    // The request was denied, so it was not applied.
    assert!(lines("dyno_in_doubt{").is_empty());
    assert_eq!(lines("dyno_conflicts{"), [r#"dyno_conflicts{kind="request"} 1"#]);
    let hedges = lines("dyno_hedges{");
    assert!(hedges.len() == 1 && hedges[0].contains(r#"db_operation_name="GetItem""#), "{hedges:?}");
    let durations = lines("db_client_operation_duration_count{");
    let of = |outcome: &str| durations.iter().filter(|line| line.contains(outcome)).count();
    assert_eq!((of(r#"outcome="busy""#), of(r#"outcome="error",error_type="Service""#)), (1, 2), "{durations:#?}");
    // The counter is exported as 0 from the start, so its first event shows as an increase.
    assert!(text.contains("dyno_overwritten 0"), "{text}");
}
