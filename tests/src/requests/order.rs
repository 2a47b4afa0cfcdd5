//! The tests whose requests are in no certain order, each with its reason.

/// In which order a test's requests are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As they are sent.
    Sent,
    /// In any: several are under way at once, and who comes first is nobody's business.
    Any,
    /// Only which forms there are, not how many: how many there are is left to chance.
    Forms,
}

/// Paths of tests, or what they begin with.
const TESTS: &[(&str, Order, &str)] = &[];

/// How a test's requests are to be compared.
pub(super) fn of(test: &str) -> Order {
    let found = TESTS.iter().find(|(path, ..)| test.starts_with(path));
    found.map_or(Order::Sent, |(_, order, _)| *order)
}
