//! The checkpoint of a `SendMany`: how many commands of which input are done.

use crate::error::Error;
use crate::key::{Asked, Fingerprint};
use crate::read::{from_text, to_text};
use std::fmt;
use std::str::FromStr;

/// The position in the input of a [`SendMany`](crate::command::SendMany): how many of its commands are done. It continues only an
/// input of the same name.
///
/// As text (`to_string`, `parse`), you can store it in a file or in an item. The text has a hash of the name, and not the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputCheckpoint {
    pub(super) input: Asked,
    /// The number of commands that are done, from the beginning of the input.
    pub(super) done: u64,
}

impl InputCheckpoint {
    /// Returns the number of commands that are done, from the beginning of the input.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Returns the fingerprint of an input's name.
    pub(super) fn input(name: &str) -> Asked {
        let mut input = Fingerprint::new();
        input.text(name);
        input.finish()
    }
}

/// The first part of the text: the version of its format.
const FORMAT: &str = "i1";

/// Writes the format, the input and the number, with points between them.
impl fmt::Display for InputCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{FORMAT}.{}.{}", to_text(self.input.bytes()), self.done)
    }
}

/// A text that no checkpoint displays is an error of the kind [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput).
impl FromStr for InputCheckpoint {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parse = || {
            let (input, done) = text.strip_prefix(FORMAT)?.strip_prefix('.')?.split_once('.')?;
            let input = Asked::of_bytes(from_text(input)?.try_into().ok()?);
            Some(Self { input, done: done.parse().ok()? })
        };
        let parsed: Option<Self> = parse();
        // `parse` also takes another spelling of the number or the hash.
        parsed.filter(|parsed| parsed.to_string() == text).ok_or_else(|| {
            Error::invalid("the text is not one that `InputCheckpoint::to_string` has made: begin without a checkpoint, or find the right text")
        })
    }
}
