//! The guide: a page for each subject. [The front page](crate#the-guide) lists the pages in the order in which to read them: the
//! tutorial first, then by task. The same pages are in the folder `docs` of the repository, and those for maintainers are in its
//! folder `docs/internals`.

// Where a page links to another one, it names a file, and `links.md` defines that name as a module: of two definitions of a
// name, the first one counts. A picture is data, because the documentation has no files beside its pages: `scripts/draw-pictures` writes
// its definition.

macro_rules! pages {
    ($($name:ident $($file:literal)+)*) => {$(
        #[doc = include_str!("links.md")]
        $(#[doc = include_str!($file)])+
        pub mod $name {}
    )*};
}

pages! {
    tutorial "../docs/tutorial.md"
    commands "../docs/commands.md"
    guarantees "../docs/guarantees.md"
    events "../docs/events.md"
    versions "../docs/versions.md"
    idempotency "../docs/idempotency.md"
    unique_values "../docs/pictures/claim.md" "../docs/unique-values.md"
    locks "../docs/locks.md"
    transactions "../docs/transactions.md"
    client_side_transactions "../docs/client-side-transactions.md"
    batches "../docs/batches.md"
    single_table "../docs/single-table.md"
    vector_indexes "../docs/vector-indexes.md"
    streams "../docs/streams.md"
    recipes "../docs/recipes.md"
    testing "../docs/testing.md"
    explore "../docs/explore.md"
    evolution "../docs/evolution.md"
    adoption "../docs/adoption.md"
    beside_other_writers "../docs/beside-other-writers.md"
    stored_forms "../docs/stored-forms.md"
    production "../docs/production.md"
    hedging "../docs/hedging.md"
    costs "../docs/costs.md"
    permissions "../docs/permissions.md"
    cancel_safety "../docs/cancel-safety.md"
    combinations "../docs/combinations.md"
}
