//! The code of the README and of the guide compiles, and runs.

macro_rules! pages {
    ($($name:ident $path:literal)*) => {$(
        #[doc = include_str!($path)]
        struct $name;
    )*};
}

pages! {
    Readme "../../README.md"
    Batches "../../docs/batches.md"
    BesideOtherWriters "../../docs/beside-other-writers.md"
    Commands "../../docs/commands.md"
    Events "../../docs/events.md"
    Evolution "../../docs/evolution.md"
    Idempotency "../../docs/idempotency.md"
    Production "../../docs/production.md"
    SingleTable "../../docs/single-table.md"
    Streams "../../docs/streams.md"
    Testing "../../docs/testing.md"
    Transactions "../../docs/transactions.md"
    Versions "../../docs/versions.md"
}
