//! How hedging changes latencies: `cargo bench -p dyno-tests --bench hedging`. The time is simulated, so the load of the
//! machine does not matter. The bench writes the chart `target/hedging.svg`.
//!
//! - Service times are log-normal, with a median of 4 ms (σ 0.4). For 1 % of the requests, the median is 100 ms (σ 0.3). In
//!   addition, 0.1 % of the requests are lost; the client notices the loss after 1 s and sends the request again.
//! - Reads arrive at random (Poisson), 1,000 per second: 100,000 reads in all, or `DYNO_REQUESTS`.
//! - In the second part, every request takes 300 ms for 2 s, from second 50 on. The whole partition is slow, so a hedge does
//!   not help.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]
#![allow(clippy::cast_precision_loss, reason = "times and shares are shown with a few digits")]

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use dyno::aws_sdk_dynamodb::config::retry::{RetryConfig, RetryPartition, TokenBucket};
use dyno::aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use dyno::aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use dyno::aws_sdk_dynamodb::{Client, Config};
use dyno::{Hedge, Repository, Usage};
use dyno_tests::clock::RunningClock;
use dyno_tests::customer::Customer;
use plotters::prelude::*;
use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::f64::consts::TAU;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep, sleep_until};

/// The number of reads that arrive per second.
const RATE: f64 = 1000.0;
/// The seconds in which the partition is slow, in the second part.
const SLOW: std::ops::Range<f64> = 50.0..52.0;

fn main() -> Result<(), Box<dyn Error>> {
    let requests = env::var("DYNO_REQUESTS").ok().map_or(Ok(100_000), |requests| requests.parse())?;
    let after = |millis| Hedge::after(Duration::from_millis(millis));
    let policies = [
        ("no hedge", None),
        ("after 20 ms, budget 1", Some(after(20).budget(1.0))),
        ("after 20 ms, budget 0.05", Some(after(20).budget(0.05))),
        ("p95, budget 1", Some(Hedge::percentile(0.95).budget(1.0))),
        ("p95, budget 0.05", Some(Hedge::percentile(0.95).budget(0.05))),
        ("p99, budget 1", Some(Hedge::percentile(0.99).budget(1.0))),
        ("p99, budget 0.05", Some(Hedge::percentile(0.99).budget(0.05))),
    ];
    let mut distributions = BTreeMap::new();
    for is_slow in [false, true] {
        println!("{requests} readings{}", if is_slow { ", with 2 s in which all are slow" } else { "" });
        println!("{:<26} {:>8} {:>8} {:>8}   requests, hedges won and suppressed", "", "p50", "p99", "p99.9");
        for (name, hedge) in policies {
            let (times, usage) = simulate(requests, hedge, is_slow);
            let [half, most, nearly_all] = [0.5, 0.99, 0.999].map(|share| millis(quantile(&times, share)));
            let share = usage.requests as f64 / f64::from(requests);
            let Usage { hedges_won, hedges_suppressed, .. } = usage;
            println!(
                "{name:<26} {half:>8.1} {most:>8.1} {nearly_all:>8.1}   {share:.3} {hedges_won} {hedges_suppressed}"
            );
            if !is_slow {
                distributions.insert(name, times);
            }
        }
    }
    chart(&distributions)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Returns the time within which this share of the reads is done.
fn quantile(sorted: &[Duration], share: f64) -> Duration {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
    let at = (sorted.len() as f64 * share) as usize;
    sorted[at.min(sorted.len() - 1)]
}

/// Returns how long the reads take, the shortest first, and what was sent.
fn simulate(requests: u32, hedge: Option<Hedge>, is_slow: bool) -> (Vec<Duration>, Usage) {
    let mut runtime = Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().expect("a runtime");
    // The arrivals are the same for each policy. The service times differ, because hedges draw random numbers, too.
    fastrand::seed(7);
    let arrivals = (0..requests).scan(0.0, |at, _| {
        *at -= (1.0 - fastrand::f64()).ln() / RATE;
        Some(*at)
    });
    let arrivals: Vec<f64> = arrivals.collect();
    runtime.block_on(async {
        let start = Instant::now();
        let repository = Repository::new(client(start, is_slow)).with_clock(RunningClock::new(start, 0));
        let repository = match hedge {
            Some(hedge) => repository.hedged(hedge),
            None => repository,
        };
        let mut readings = Vec::new();
        for at in arrivals {
            sleep_until(start + Duration::from_secs_f64(at)).await;
            let repository = repository.clone();
            readings.push(tokio::spawn(async move {
                let begun = Instant::now();
                Customer::get("1").send(&repository).await.expect("an answer");
                begun.elapsed()
            }));
        }
        let mut times = Vec::new();
        for reading in readings {
            times.push(reading.await.expect("no panic"));
        }
        times.sort_unstable();
        (times, repository.usage())
    })
}

/// Returns how long DynamoDB takes, or nothing if the request is lost.
fn service(at: f64, is_slow: bool) -> Option<Duration> {
    let chance = fastrand::f64();
    let normal = (-2.0 * (1.0 - fastrand::f64()).ln()).sqrt() * (TAU * fastrand::f64()).cos();
    let millis = match chance {
        _ if is_slow && SLOW.contains(&at) => 300.0,
        chance if chance < 0.001 => return None,
        chance if chance < 0.011 => 100.0 * (0.3 * normal).exp(),
        _ => 4.0 * (0.4 * normal).exp(),
    };
    Some(Duration::from_secs_f64(millis / 1000.0))
}

fn client(start: Instant, is_slow: bool) -> Client {
    // The SDK's budget for retries has no limit, so that each lost request is sent again.
    let budget = RetryPartition::custom("bench").token_bucket(TokenBucket::unlimited()).build();
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("local"))
        .credentials_provider(Credentials::new("local", "local", None, None, "bench"))
        .timeout_config(TimeoutConfig::builder().operation_attempt_timeout(Duration::from_secs(1)).build())
        .retry_config(RetryConfig::standard())
        .retry_partition(budget)
        .http_client(Simulated { start, is_slow });
    Client::from_conf(config.build())
}

/// An empty DynamoDB that answers after the simulated service time.
#[derive(Clone, Copy, Debug)]
struct Simulated {
    start: Instant,
    is_slow: bool,
}

impl HttpClient for Simulated {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(*self)
    }
}

impl HttpConnector for Simulated {
    fn call(&self, _: HttpRequest) -> HttpConnectorFuture {
        let time = service(self.start.elapsed().as_secs_f64(), self.is_slow);
        HttpConnectorFuture::new(async move {
            match time {
                Some(time) => sleep(time).await,
                None => std::future::pending().await,
            }
            Ok(HttpResponse::new(StatusCode::try_from(200).expect("a status"), SdkBody::from("{}")))
        })
    }
}

/// Draws, for each policy, the share of the reads that take longer than a given time.
fn chart(distributions: &BTreeMap<&str, Vec<Duration>>) -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/hedging.svg");
    let area = SVGBackend::new(path, (900, 540)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("Readings that take longer", ("sans-serif", 20))
        .margin(14)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d((1.0..2000.0f64).log_scale(), (0.0001..1.0f64).log_scale())?;
    chart.configure_mesh().x_desc("milliseconds").y_desc("share of all").draw()?;
    for (index, (name, times)) in distributions.iter().enumerate() {
        let color = Palette99::pick(index).stroke_width(2);
        let points = (0..=400).map(|step| 1.0 - 10f64.powf(-f64::from(step) / 100.0));
        let line = points.map(|share| (millis(quantile(times, share)), 1.0 - share));
        let line = chart.draw_series(LineSeries::new(line, color))?;
        line.label(*name).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    area.present()?;
    println!("target/hedging.svg");
    Ok(())
}
