//! The text of an error.

use super::Error;
use super::foreign_text::{PART_BYTES, shown};
use std::error::Error as StdError;
use std::fmt;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(context) = &self.0.context {
            write!(f, "{} of `{}`", context.operation, context.entity)?;
            if let Some(key) = &context.key {
                write!(f, " ({key})")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.0.message)
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

/// The greatest number of sources that are shown.
const MOST_SOURCES: usize = 8;

/// An error and its sources, by their `Display`. The SDK's `Debug` would show the items that came with a refusal, which can
/// belong to other people.
struct Sources<'a>(&'a (dyn StdError + 'static));

impl fmt::Debug for Sources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut texts, mut next) = (Vec::new(), Some(self.0));
        while let Some(error) = next.filter(|_| texts.len() < MOST_SOURCES) {
            texts.push(shown(&error.to_string(), PART_BYTES).into_owned());
            next = error.source();
        }
        texts.join(": ").fmt(f)
    }
}
