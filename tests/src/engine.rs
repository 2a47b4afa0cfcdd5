//! The engine that takes the place of DynamoDB in the tests, and where an engine differs from DynamoDB.

use std::io::Write as _;

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// dyno's embedded engine, in the process of the test.
    Embedded,
    /// MiniStack, in a process of its own: `scripts/ministack`.
    MiniStack,
    /// DynamoDB in an AWS account, behind a proxy: `scripts/real-dynamodb`.
    Aws,
}

/// The engine that `DYNO_ENGINE` names: `ministack`, `aws`, or none for the embedded one.
///
/// # Panics
/// There is no such engine, or `DYNO_ENDPOINT` has an address and no engine is named.
#[must_use]
pub fn engine() -> Engine {
    match std::env::var("DYNO_ENGINE").ok().as_deref() {
        Some("ministack") => Engine::MiniStack,
        Some("aws") => Engine::Aws,
        Some(other) => panic!("`DYNO_ENGINE={other}`: the engines are `ministack` and `aws`"),
        None if std::env::var_os("DYNO_ENDPOINT").is_some() => panic!("`DYNO_ENDPOINT` without `DYNO_ENGINE`"),
        None => Engine::Embedded,
    }
}

/// Whether the engine is in another process. There, time is real: the clock of the runtime does not stand still while the
/// engine works, and a request that is under way arrives at no certain time. The engine keeps a database for each access key
/// of 12 digits, and its address is in `DYNO_ENDPOINT`.
#[must_use]
pub fn is_remote() -> bool {
    engine() != Engine::Embedded
}

/// The address of an engine in another process.
///
/// # Panics
/// `DYNO_ENDPOINT` is not set.
#[must_use]
pub fn endpoint() -> Option<String> {
    is_remote().then(|| std::env::var("DYNO_ENDPOINT").expect("the address of the engine in `DYNO_ENDPOINT`"))
}

/// The read units that the engine reports for `BatchGetItem`s that cost this many. MiniStack reports none.
#[must_use]
pub fn batch_get_units(units: f64) -> f64 {
    if differs(Engine::MiniStack, "`BatchGetItem` reports no units") { 0.0 } else { units }
}

/// Whether the test runs on this engine, which differs from DynamoDB in what the test checks. Prints the test and the
/// difference, so that the log of a run has all of them.
#[must_use]
pub fn differs(on: Engine, how: &str) -> bool {
    let is_it = engine() == on;
    if is_it {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or_default();
        // The test harness does not capture this.
        let _printed = writeln!(std::io::stderr().lock(), "{on:?} differs: {test}: {how}");
    }
    is_it
}
