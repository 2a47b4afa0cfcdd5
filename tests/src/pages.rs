//! The code of the README, of the guide and of the derive's reference compiles, and runs.

macro_rules! pages {
    ($($name:ident $path:literal)*) => {$(
        #[doc = include_str!($path)]
        struct $name;
    )*};
}

pages! {
    Readme "../../README.md"
    Adoption "../../docs/adoption.md"
    Batches "../../docs/batches.md"
    BesideOtherWriters "../../docs/beside-other-writers.md"
    Commands "../../docs/commands.md"
    Costs "../../docs/costs.md"
    Events "../../docs/events.md"
    Evolution "../../docs/evolution.md"
    Explore "../../docs/explore.md"
    Guarantees "../../docs/guarantees.md"
    Hedging "../../docs/hedging.md"
    Idempotency "../../docs/idempotency.md"
    ClientSideTransactions "../../docs/client-side-transactions.md"
    Locks "../../docs/locks.md"
    Production "../../docs/production.md"
    SingleTable "../../docs/single-table.md"
    Streams "../../docs/streams.md"
    Testing "../../docs/testing.md"
    Transactions "../../docs/transactions.md"
    Tutorial "../../docs/tutorial.md"
    UniqueValues "../../docs/unique-values.md"
    VectorIndexes "../../docs/vector-indexes.md"
    Versions "../../docs/versions.md"
    ReferenceStart "../../dyno-derive/src/reference/start.md"
    ReferenceEntity "../../dyno-derive/src/reference/entity.md"
    ReferenceKeys "../../dyno-derive/src/reference/keys.md"
    ReferenceAttribute "../../dyno-derive/src/reference/attribute.md"
    ReferenceRatchet "../../dyno-derive/src/reference/ratchet.md"
    ReferenceFence "../../dyno-derive/src/reference/fence.md"
    ReferenceTombstone "../../dyno-derive/src/reference/tombstone.md"
    ReferenceTtl "../../dyno-derive/src/reference/ttl.md"
    ReferenceWriteTimes "../../dyno-derive/src/reference/write_times.md"
    ReferenceVersion "../../dyno-derive/src/reference/version.md"
    ReferenceHistoryTable "../../dyno-derive/src/reference/history_table.md"
    ReferenceIdempotency "../../dyno-derive/src/reference/idempotency.md"
    ReferenceTransactional "../../dyno-derive/src/reference/transactional.md"
    ReferenceUnique "../../dyno-derive/src/reference/unique.md"
    ReferenceIndex "../../dyno-derive/src/reference/index.md"
}
