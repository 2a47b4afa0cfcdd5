//! A file for another tool, and its comparison with the file in the repository.

use crate::error::foreign_text::value;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

/// A file for another tool, as text. `Display` shows the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "nothing is written before `same_as`"]
pub struct Export {
    text: String,
}

impl Export {
    /// Formats the document with an indentation of two spaces, and with a line feed at the end.
    pub(super) fn new(document: &serde_json::Value) -> Self {
        let mut document = document.clone();
        // The order of the members must not depend on the features with which a program builds serde_json.
        document.sort_all_objects();
        Self { text: format!("{document:#}\n") }
    }

    /// Takes a text that ends with a line feed.
    pub(super) fn of_text(text: String) -> Self {
        Self { text }
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Compares the text with a file, for a test: the file is in your repository, its changes are reviewed, and the test fails if
    /// somebody changes an entity and not the file. Line ends may be those of Windows. If the environment variable `UPDATE_EXPECT`
    /// is set, writes the file instead, and the folders that it is in.
    ///
    /// A relative path starts at the working directory. `cargo test` sets it to the folder of the package.
    ///
    /// # Errors
    /// The file differs or does not exist, or it cannot be read or written.
    pub fn same_as(&self, path: impl AsRef<Path>) -> Result<(), Outdated> {
        let path = path.as_ref();
        let outdated = |cause| Outdated { path: path.to_owned(), cause };
        if env::var_os("UPDATE_EXPECT").is_some() {
            return write(path, &self.text).map_err(|error| outdated(Cause::Write(error)));
        }
        let found = fs::read_to_string(path).map_err(|error| outdated(Cause::Read(error)))?;
        match first_difference(&self.text, &found) {
            None => Ok(()),
            Some(difference) => Err(outdated(difference)),
        }
    }
}

/// Writes a file, and the folders that it is in.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text)
}

impl fmt::Display for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The file differs from what the entities declare, or cannot be compared.
pub struct Outdated {
    path: PathBuf,
    cause: Cause,
}

enum Cause {
    Read(io::Error),
    Write(io::Error),
    /// The first lines that differ; `None` where the shorter text has ended.
    Line {
        number: usize,
        expected: Option<String>,
        found: Option<String>,
    },
}

/// Returns the first line that differs.
fn first_difference(expected: &str, found: &str) -> Option<Cause> {
    let (mut expected, mut found) = (expected.lines(), found.lines());
    for number in 1.. {
        match (expected.next(), found.next()) {
            (None, None) => break,
            (expected, found) if expected == found => {}
            (expected, found) => {
                let owned = |line: Option<&str>| line.map(str::to_owned);
                return Some(Cause::Line { number, expected: owned(expected), found: owned(found) });
            }
        }
    }
    None
}

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        let path = value(&path);
        match &self.cause {
            Cause::Write(_) => return write!(f, "`{path}` cannot be written"),
            Cause::Read(_) => write!(f, "`{path}` cannot be read")?,
            Cause::Line { number, expected, found } => {
                let text = |line: &Option<String>| {
                    line.as_ref().map_or("the end of the file".to_owned(), |line| format!("`{}`", value(line)))
                };
                let (found, expected) = (text(found), text(expected));
                write!(f, "`{path}` differs from the entities at line {number}: found {found}, expected {expected}")?;
            }
        }
        f.write_str("; with UPDATE_EXPECT=1 in its environment, the test writes the file")
    }
}

// A test that unwraps it shows this.
impl fmt::Debug for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        self.source().map_or(Ok(()), |source| write!(f, ": {source}"))
    }
}

impl Error for Outdated {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            Cause::Read(error) | Cause::Write(error) => Some(error),
            Cause::Line { .. } => None,
        }
    }
}
