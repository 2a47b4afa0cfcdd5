//! The versions that the writes of a run stored. The handles that the closure returned show them after the commit.

use super::read_write_set::Row;
use crate::transaction::native::Versions;
use std::any::TypeId;
use std::sync::{Arc, OnceLock};

/// The versions that a run stored: empty until it commits.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredVersions(Arc<OnceLock<Versions>>);

impl StoredVersions {
    pub(crate) fn get(&self, action: usize) -> Option<u64> {
        self.0.get()?.get(action)?.1
    }

    pub(crate) fn set(&self, versions: &Versions) {
        // If two clones learn of the commit, both have the same versions.
        let _ = self.0.set(versions.clone());
    }
}

/// Returns the version that each action stored, given the version that each row got: the actions on one row become one write.
pub(crate) fn by_action(rows: &[Row], stored: impl IntoIterator<Item = (usize, Option<u64>)>) -> Versions {
    let actions = rows.iter().flat_map(|row| &row.actions).map(|enlisted| enlisted.index + 1).max();
    let mut versions = vec![(TypeId::of::<()>(), None); actions.unwrap_or_default()];
    for (row, version) in stored {
        for enlisted in &rows[row].actions {
            let version = version.filter(|_| enlisted.action.command.is_write());
            versions[enlisted.index] = (enlisted.action.entity, version);
        }
    }
    versions
}
