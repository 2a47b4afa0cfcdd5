//! The schema lock: a file with the stored form of the entities, and the check that a new release can work with stored items.

mod capture;
mod change;
mod compare;
mod compare_attributes;
mod compare_indexes;
mod compare_names;
mod compare_ratchets;
mod compare_rules;
mod compare_types;
mod error;
mod file;

pub use change::{Change, Impact};
pub use error::LockError;

use super::PlannedTable;
use super::export::write;
use crate::error::Error;
use crate::schema::{Schema, Tables};
use error::Cause;
use file::{Accepted, FORMAT, LockFile, STORED_FORMS};
use std::path::Path;
use std::{env, fmt, fs, io};

/// The stored form of a model's entities, to be compared with that of the last release: see
/// [`schema_lock`](super::Model::schema_lock). `Display` shows the text of the file.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "nothing is compared before `check`"]
pub struct SchemaLock {
    file: LockFile,
}

impl SchemaLock {
    pub(super) fn new(tables: &[PlannedTable], entities: &[(&'static Schema, Tables)]) -> Result<Self, Error> {
        Ok(Self { file: capture::capture(tables, entities)? })
    }

    /// Compares the entities with the file, for a test. If they differ, the error lists each change with its [`Impact`].
    ///
    /// If the environment variable `UPDATE_EXPECT` is set, the method writes the file, unless a change is breaking. A conditional
    /// change needs a reason, too: set the variable `DYNO_ACCEPT` to it, and the file keeps it under `accepted`.
    ///
    /// A relative path starts at the working directory. `cargo test` sets it to the folder of the package.
    ///
    /// # Errors
    /// The entities differ from the file; or the file does not exist, cannot be read or written, or is not a lock file.
    pub fn check(&self, path: impl AsRef<Path>) -> Result<(), LockError> {
        let path = path.as_ref();
        if env::var_os("UPDATE_EXPECT").is_some() {
            return self.update(path, env::var("DYNO_ACCEPT").ok().as_deref());
        }
        let failed = |cause| LockError::new(path, cause);
        let text = fs::read_to_string(path).map_err(|error| failed(Cause::Read(error)))?;
        let found = parse(&text).map_err(failed)?;
        if found.format == FORMAT && found.tables == self.file.tables {
            return Ok(());
        }
        Err(failed(Cause::Changes(compare::compare(&found, &self.file))))
    }

    /// Writes the file, unless a change is breaking, or a change is conditional and there is no reason to accept it.
    /// [`check`](Self::check) calls it if `UPDATE_EXPECT` is set.
    ///
    /// # Errors
    /// A change is not allowed; or the file cannot be read or written, or is not a lock file.
    pub fn update(&self, path: impl AsRef<Path>, reason: Option<&str>) -> Result<(), LockError> {
        let path = path.as_ref();
        let failed = |cause| LockError::new(path, cause);
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        let found = match fs::read_to_string(path) {
            Ok(text) => Some(parse(&text).map_err(failed)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(Cause::Read(error))),
        };
        let changes = found.as_ref().map(|found| compare::compare(found, &self.file)).unwrap_or_default();
        let is_allowed = |change: &Change| match change.impact {
            Impact::Safe => true,
            Impact::Conditional => reason.is_some(),
            Impact::Breaking => false,
        };
        if !changes.iter().all(is_allowed) {
            return Err(failed(Cause::Changes(changes)));
        }
        let accepted = changes.iter().filter(|change| change.impact == Impact::Conditional).map(|change| Accepted {
            change: format!("{}: {}", change.place, change.what),
            reason: reason.unwrap_or_default().to_owned(),
        });
        let mut file = self.file.clone();
        file.accepted = found.map(|found| found.accepted).unwrap_or_default();
        file.accepted.extend(accepted);
        write(path, &file.text()).map_err(|error| failed(Cause::Write(error)))
    }

    /// Returns the changes since the state of a lock file, which is given as its text. Use it to compare with the file of a release
    /// instead of the last commit. [`check`](Self::check) compares with the file itself.
    ///
    /// # Errors
    /// The text is not that of a lock file.
    pub fn changes_since(&self, text: &str) -> Result<Vec<Change>, LockError> {
        let found = parse(text).map_err(|cause| LockError::new(Path::new(""), cause))?;
        Ok(compare::compare(&found, &self.file))
    }
}

impl fmt::Display for SchemaLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file.text())
    }
}

/// Reads the text of a lock file.
fn parse(text: &str) -> Result<LockFile, Cause> {
    if text.lines().any(|line| line.starts_with("<<<<<<< ")) {
        return Err(Cause::MergeConflict);
    }
    let value: serde_json::Value = serde_json::from_str(text).map_err(Cause::Parse)?;
    // Looked at first: a newer structure has members that this program does not know.
    let newer = |name, known| value.get(name)?.as_u64().filter(|found| *found > known);
    if let Some(format) = newer("format", FORMAT) {
        return Err(Cause::Format(format));
    }
    if let Some(forms) = newer("stored_forms", STORED_FORMS) {
        return Err(Cause::StoredForms(forms));
    }
    let mut file: LockFile = serde_json::from_value(value).map_err(Cause::Parse)?;
    // Somebody can have removed the entities of a table by hand.
    file.tables.retain(|_, table| !table.entities.is_empty());
    match file.accepted.iter().find(|accepted| accepted.reason.trim().is_empty()) {
        Some(accepted) => Err(Cause::NoReason(accepted.change.clone())),
        None => Ok(file),
    }
}
