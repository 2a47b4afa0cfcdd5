//! The versions that the writes of a run have stored, for the handles that its closure has returned.

use super::read_write_set::Row;
use std::any::TypeId;
use std::sync::{Arc, OnceLock};

/// For each action of a run, by its number, the entity and the version that it stored, where that is known.
pub(crate) type Versions = Vec<(TypeId, Option<u64>)>;

/// The versions of a run: none until it is committed.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredVersions(Arc<OnceLock<Versions>>);

impl StoredVersions {
    pub(crate) fn get(&self, action: usize) -> Option<u64> {
        self.0.get()?.get(action)?.1
    }

    pub(crate) fn set(&self, versions: &Versions) {
        // Of two clones that learn of the commit, either is right.
        let _ = self.0.set(versions.clone());
    }
}

/// The versions of all actions, from those that rows, by their places, have stored: several writes of one row are one write.
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
