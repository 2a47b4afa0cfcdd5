//! All differences of a comparison, in a type that must be used.

use super::compare_tables::Difference;
use std::fmt;
use std::ops::Deref;

/// All differences between tables and what an entity needs, as a slice: the result of
/// [`verify_table`](crate::Repository::verify_table). `Display` writes a line for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a table that differs is no error: see that there are no differences"]
pub struct Differences(Vec<Difference>);

impl Differences {
    pub(super) fn new(differences: Vec<Difference>) -> Self {
        Self(differences)
    }
}

impl Deref for Differences {
    type Target = [Difference];

    fn deref(&self) -> &[Difference] {
        &self.0
    }
}

impl IntoIterator for Differences {
    type Item = Difference;
    type IntoIter = std::vec::IntoIter<Difference>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Differences {
    type Item = &'a Difference;
    type IntoIter = std::slice::Iter<'a, Difference>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<const N: usize> PartialEq<[Difference; N]> for Differences {
    fn eq(&self, other: &[Difference; N]) -> bool {
        self.0 == other
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, difference) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{difference}")?;
        }
        Ok(())
    }
}
