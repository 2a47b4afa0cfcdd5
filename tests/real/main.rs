//! Runs a command against a proxy of the real DynamoDB, and deletes its tables afterwards: `scripts/real-dynamodb`.
//!
//! The tests expect an engine that has one database for each access key. The proxy is such an engine on an AWS account. It puts the
//! run's prefix and the access key before each table name, signs the request with the credentials of the environment, and
//! removes the prefix from the answer. At the end, the tables of the run are deleted.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod proxy;
mod rename;

use aws_config::BehaviorVersion;
use aws_config::timeout::TimeoutConfig;
use aws_smithy_http_client::{Builder, tls::Provider, tls::rustls_provider::CryptoMode};
use dyno::aws_sdk_dynamodb::Client;
use proxy::Proxy;
use std::error::Error;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::Command;

/// The prefix of all table names of all runs.
const PREFIX: &str = "dyno-test-";

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let Some(program) = arguments.next() else {
        eprintln!("usage: scripts/real-dynamodb [--clean | COMMAND [ARGUMENTS…]]");
        return Ok(ExitCode::from(2));
    };
    let http = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    let config = aws_config::defaults(BehaviorVersion::latest()).http_client(http);
    let mut config = config.timeout_config(TimeoutConfig::disabled());
    // For a trial run of the proxy itself.
    if let Ok(endpoint) = std::env::var("DYNO_REAL_ENDPOINT") {
        config = config.endpoint_url(endpoint);
    }
    let config = config.load().await;
    if program == "--clean" {
        println!("real-dynamodb: {} tables deleted", delete_tables(&Client::new(&config), PREFIX).await?);
        return Ok(ExitCode::SUCCESS);
    }
    let run = format!("{PREFIX}{}-", SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs());
    let proxy = Proxy::new(&config, run.clone()).await?;
    println!("real-dynamodb: {}, tables {run}…", proxy.address());

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    let server = tokio::spawn(proxy.serve(listener));
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("DYNO_ENGINE", "aws")
        .env("DYNO_ENDPOINT", endpoint)
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    let ended = tokio::select! {
        ended = watch(command) => ended,
        _ = tokio::signal::ctrl_c() => Err("interrupted".into()),
    };
    server.abort();
    let deleted = delete_tables(&Client::new(&config), &run).await;
    println!("real-dynamodb: {} tables deleted", deleted.as_ref().map_or("not all".to_owned(), ToString::to_string));
    deleted?;
    let (is_success, differences) = ended?;
    if !differences.is_empty() {
        println!("real-dynamodb: {} tests differed:", differences.len());
        for test in differences {
            println!("  {test}");
        }
    }
    Ok(if is_success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the command. Returns whether it succeeded, and the tests that failed.
async fn watch(mut command: Command) -> Result<(bool, Vec<String>), Box<dyn Error>> {
    let mut child = command.spawn()?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
    let mut failed = Vec::new();
    while let Some(line) = lines.next_line().await? {
        println!("{line}");
        let test = line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED"));
        failed.extend(test.map(str::to_owned));
    }
    Ok((child.wait().await?.success(), failed))
}

/// Deletes the tables whose names begin with this prefix. Returns how many it has deleted.
async fn delete_tables(client: &Client, run: &str) -> Result<usize, Box<dyn Error>> {
    let mut deleted = 0;
    // A table that is being created cannot be deleted yet, so this is repeated.
    for _ in 0..60 {
        let mut tables = client.list_tables().into_paginator().items().send();
        let mut left = 0;
        while let Some(table) = tables.next().await {
            let table = table?;
            if table.starts_with(run) {
                left += 1;
                // DynamoDB does not delete a table that is being created or deleted, or that is protected against deletion.
                if client.delete_table().table_name(&table).send().await.is_ok() {
                    deleted += 1;
                } else {
                    let unprotected = client.update_table().table_name(&table).deletion_protection_enabled(false);
                    let _result = unprotected.send().await;
                }
            }
        }
        if left == 0 {
            return Ok(deleted);
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    Err(format!("there are still tables whose names begin with {run}").into())
}
