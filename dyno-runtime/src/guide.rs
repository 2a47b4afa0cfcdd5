//! The guide: a page for each subject. The same pages are in the folder `docs` of the repository.

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
    adoption "../docs/adoption.md"
    batches "../docs/batches.md"
    beside_other_writers "../docs/beside-other-writers.md"
    cancel_safety "../docs/cancel-safety.md"
    combinations "../docs/combinations.md"
    commands "../docs/commands.md"
    costs "../docs/costs.md"
    events "../docs/events.md"
    evolution "../docs/evolution.md"
    explore "../docs/explore.md"
    hedging "../docs/hedging.md"
    idempotency "../docs/idempotency.md"
    client_side_transactions "../docs/client-side-transactions.md"
    locks "../docs/locks.md"
    permissions "../docs/permissions.md"
    production "../docs/production.md"
    recipes "../docs/recipes.md"
    single_table "../docs/single-table.md"
    stored_forms "../docs/stored-forms.md"
    streams "../docs/streams.md"
    testing "../docs/testing.md"
    transactions "../docs/transactions.md"
    tutorial "../docs/tutorial.md"
    unique_values "../docs/pictures/claim.md" "../docs/unique-values.md"
    vector_indexes "../docs/vector-indexes.md"
    versions "../docs/versions.md"
}
