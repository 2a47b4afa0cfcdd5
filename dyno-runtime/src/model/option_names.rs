//! The names that options have in the derive.

use crate::schema::{Metric, Mode};

/// Returns the name of a distance.
pub(super) fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Cosine => "cosine",
        Metric::Euclidean => "euclidean",
        Metric::DotProduct => "dot_product",
    }
}

/// Returns the name of the mode of a history.
pub(super) fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Atomic => "atomic",
        Mode::Ordered => "ordered",
    }
}
