//! The text of an error.

use super::foreign_text::{PART_BYTES, one_line};
use super::{Context, Error};
use std::error::Error as StdError;
use std::fmt;
use std::iter::successors;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(context) = &self.0.context {
            write!(f, "{context}: ")?;
        }
        f.write_str(&self.0.message)
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of `{}`", self.operation, self.entity)?;
        self.key.iter().try_for_each(|key| write!(f, " ({key})"))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.to_string())
            .field("source", &self.source().map(Sources))
            .finish()
    }
}

/// The most sources that `Debug` shows.
const MOST_SOURCES: usize = 8;

/// An error and its sources. `Debug` shows each by its `Display`, because the SDK's `Debug` would show the items that came with a
/// refusal, and people who read a log may not be allowed to read them.
struct Sources<'a>(&'a (dyn StdError + 'static));

impl fmt::Debug for Sources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sources = successors(Some(self.0), |&error| error.source()).take(MOST_SOURCES);
        let texts: Vec<_> = sources.map(|error| one_line(&error.to_string(), PART_BYTES).into_owned()).collect();
        texts.join(": ").fmt(f)
    }
}
