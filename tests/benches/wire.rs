//! What a call costs on a real connection: `cargo bench -p dyno-tests --no-default-features --features calls --bench wire`.
//!
//! A server in another process answers each request at once, over loopback sockets. This process sends the same calls by
//! dyno and by hand in turns, and by hand again, which shows the noise. It prints the CPU time of this process by hand, and
//! the ratios: medians over the rounds, with the middle half.
//!
//! - `-- put get` measures these calls alone.
//! - `-- --tls` encrypts the connections. `-- --rounds 60` measures 60 rounds instead of 30.
//! - `-- --many` sends from 1,000 tasks on one core and on two, and at a steady rate.
//!
//! Run it on an idle machine with two cores.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]

#[path = "wire/many.rs"]
mod many;
#[path = "wire/server.rs"]
mod server;

use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use cpu_time::ProcessTime;
use dyno::Repository;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use dyno_tests::calls::{self, RatchetedCustomer};
use dyno_tests::customer::Customer;
use futures_util::stream::{self, StreamExt as _};
use server::Server;
use std::env;
use std::time::Instant;
use tokio::runtime::Builder;

const CALLS: [&str; 11] = [
    "put",
    "ratcheted put",
    "get",
    "delete",
    "update",
    "modify",
    "query of 1",
    "query of 100",
    "atomic history",
    "unique value",
    "closure of two items",
];

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if has("serve") || has("serve-tls") {
        return runtime.block_on(server::serve(has("serve-tls")));
    }
    let server = Server::start(has("--tls"));
    let caller = Caller::new(&server);
    if has("--many") {
        return many::run(&caller);
    }
    let rounds = arguments.iter().skip_while(|argument| *argument != "--rounds").nth(1);
    let rounds = rounds.map_or(30, |rounds| rounds.parse().expect("a number of rounds"));
    let chosen: Vec<&str> = CALLS.into_iter().filter(|call| has(call)).collect();
    let chosen = if chosen.is_empty() { CALLS.to_vec() } else { chosen };
    for concurrency in [1, 32] {
        println!("\n{concurrency} at once{}, {rounds} rounds", if has("--tls") { ", TLS" } else { "" });
        println!("{:>22}  by hand   dyno / by hand         again   wall", "");
        for call in &chosen {
            let turns = runtime.block_on(caller.turns(call, concurrency, rounds));
            println!("{call:>22}  {turns}");
        }
    }
}

/// The samples, and the two ways to the server.
#[derive(Clone)]
struct Caller {
    client: Client,
    repository: Repository,
    customer: Customer,
    ratcheted: RatchetedCustomer,
}

impl Caller {
    fn new(server: &Server) -> Self {
        let provider = Provider::Rustls(CryptoMode::Ring);
        let http = aws_smithy_http_client::Builder::new().tls_provider(provider);
        let (http, url) = match &server.certificate {
            Some(certificate) => {
                let trusted = TrustStore::empty().with_pem_certificate(certificate.as_bytes());
                let context = TlsContext::builder().with_trust_store(trusted).build().expect("a context");
                (http.tls_context(context), format!("https://localhost:{}", server.port))
            }
            None => (http, format!("http://127.0.0.1:{}", server.port)),
        };
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("eu-central-1"))
            .credentials_provider(Credentials::new("AKIDEXAMPLE", "secret", None, None, "bench"))
            .http_client(http.build_https())
            .endpoint_url(url);
        let client = Client::from_conf(config.build());
        let (customer, ratcheted) = (Customer::sample(), RatchetedCustomer::sample());
        Self { repository: Repository::new(client.clone()), client, customer, ratcheted }
    }

    /// Makes a call by dyno, or by hand.
    async fn call(&self, name: &str, is_by_hand: bool) {
        let by_hand = if is_by_hand { " by hand" } else { "" };
        let name = format!("{name}{by_hand}");
        calls::call(&name, &self.client, &self.repository, &self.customer, &self.ratcheted).await;
    }

    /// Makes the calls by hand, by dyno and by hand again, in turns.
    async fn turns(&self, name: &str, concurrency: usize, rounds: usize) -> Turns {
        let calls = if name == "query of 100" { 200 } else { 1000 };
        let mut turns = Turns(Vec::new());
        for round in 0..=rounds {
            let mut turn = [(0.0, 0.0); 3];
            for at in (0..3).map(|at| (at + round) % 3) {
                let (cpu, wall) = (ProcessTime::now(), Instant::now());
                let all = stream::iter(0..calls);
                all.for_each_concurrent(concurrency, |_| self.call(name, at != 1)).await;
                turn[at] = [cpu.elapsed(), wall.elapsed()].map(|time| time.as_secs_f64() / f64::from(calls)).into();
            }
            // The first round makes the connections.
            if round > 0 {
                turns.0.push(turn);
            }
        }
        turns
    }
}

/// For each round, CPU time and time of a call: by hand, by dyno, by hand again.
struct Turns(Vec<[(f64, f64); 3]>);

impl std::fmt::Display for Turns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sorted = |value: fn(&[(f64, f64); 3]) -> f64| {
            let mut values: Vec<f64> = self.0.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            [1, 2, 3].map(|part| values[(values.len() - 1) * part / 4])
        };
        let [_, by_hand, _] = sorted(|[by_hand, ..]| by_hand.0 * 1e6);
        let [low, ratio, high] = sorted(|[by_hand, dyno, _]| dyno.0 / by_hand.0);
        let [_, again, _] = sorted(|[by_hand, _, again]| again.0 / by_hand.0);
        let [_, wall, _] = sorted(|[by_hand, dyno, _]| dyno.1 / by_hand.1);
        write!(f, "{by_hand:6.1} us  {ratio:.3} ({low:.3} to {high:.3})  {again:.3}  {wall:.3}")
    }
}
