//! The error of a schema lock.

use super::change::{Change, Impact};
use super::file::{FORMAT, STORED_FORMS};
use crate::error::foreign_text::value;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The entities differ from a lock file, or cannot be compared with it.
pub struct LockError {
    path: PathBuf,
    cause: Cause,
}

pub(super) enum Cause {
    Read(io::Error),
    Write(io::Error),
    Parse(serde_json::Error),
    MergeConflict,
    /// The file has a newer format.
    Format(u64),
    /// The file is of a program whose rows this version cannot read.
    StoredForms(u64),
    /// A change was accepted without a reason.
    NoReason(String),
    Changes(Vec<Change>),
}

impl LockError {
    pub(super) fn new(path: &Path, cause: Cause) -> Self {
        Self { path: path.to_owned(), cause }
    }

    /// Returns the changes, if the entities differ from the file.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        match &self.cause {
            Cause::Changes(changes) => changes,
            _ => &[],
        }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        let file = if path.is_empty() { "the lock file".to_owned() } else { format!("`{}`", value(&path)) };
        match &self.cause {
            Cause::Read(error) => {
                write!(f, "{file} cannot be read")?;
                if error.kind() == io::ErrorKind::NotFound {
                    f.write_str(": with UPDATE_EXPECT=1 in its environment, the test writes it")?;
                }
                Ok(())
            }
            Cause::Write(_) => write!(f, "{file} cannot be written"),
            Cause::Parse(_) => write!(f, "{file} is not a lock file"),
            Cause::MergeConflict => write!(
                f,
                "{file} has a merge conflict: take the version of one side, and let the test write it again with UPDATE_EXPECT=1"
            ),
            Cause::Format(format) => {
                write!(f, "{file} has the format {format}, and this dyno knows formats up to {FORMAT}: upgrade dyno")
            }
            Cause::StoredForms(forms) => write!(
                f,
                "{file} is from a dyno that stores its own data in format version {forms}, and this dyno reads versions up to {STORED_FORMS}: use a newer dyno"
            ),
            Cause::NoReason(change) => {
                write!(f, "{file} accepts the change `{}` without a reason: write one", value(change))
            }
            Cause::Changes(changes) => {
                write!(f, "{file} differs from the entities")?;
                for change in changes {
                    write!(f, "\n- {change}")?;
                }
                f.write_str("\n")?;
                f.write_str(match changes.iter().map(|change| change.impact).max() {
                    Some(Impact::Breaking) => {
                        "The test does not write the file while a change is breaking. If no item of the entity is stored yet, remove its entry from the file"
                    }
                    Some(Impact::Conditional) => {
                        "Make sure that the conditions hold, and run the test with UPDATE_EXPECT=1 and DYNO_ACCEPT=\"<the reason>\""
                    }
                    _ => "With UPDATE_EXPECT=1 in its environment, the test writes the file",
                })
            }
        }
    }
}

// A test that unwraps it shows this.
impl fmt::Debug for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        self.source().map_or(Ok(()), |source| write!(f, ": {source}"))
    }
}

impl Error for LockError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            Cause::Read(error) | Cause::Write(error) => Some(error),
            Cause::Parse(error) => Some(error),
            _ => None,
        }
    }
}
