//! The file to which all workers of a scenario append. The order of its lines respects real time: if the result of one write
//! is on an earlier line than the beginning of another write, the first write ended before the other one began.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

/// How many write numbers one life of a worker has.
pub(super) const WRITES_OF_A_LIFE: u64 = 100_000;

/// The end of each complete line. A killed process can leave an incomplete line.
const END: &str = " .";

/// The journal of a worker.
pub(super) struct Journal(File);

impl Journal {
    pub(super) fn open(path: &Path) -> Self {
        Self(OpenOptions::new().create(true).append(true).open(path).expect("the journal can be opened"))
    }

    /// Appends a line, with one `write`. The line outlives the process, because SIGKILL does not lose data that the
    /// operating system has accepted.
    pub(super) fn note(&self, line: &str) {
        (&self.0).write_all(format!("\n{line}{END}\n").as_bytes()).expect("the journal can be written");
    }

    /// Returns the complete lines, split into words.
    pub(super) fn read(path: &Path) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let whole = text.lines().filter_map(|line| line.strip_suffix(END));
        whole.map(|line| line.split(' ').map(str::to_owned).collect()).collect()
    }
}

/// What a worker knows of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Applied,
    /// The write reported that it was not applied and will not be.
    Refused,
    /// The write reported that its outcome is unknown, or its process was killed before it reported anything.
    InDoubt,
}

impl Known {
    pub(super) fn of(sent: &Result<bool, dyno::Error>) -> Self {
        let is_open = |error: &dyno::Error| {
            error.may_be_applied()
                || matches!(error.kind(), dyno::ErrorKind::InProgress | dyno::ErrorKind::OutcomeUnknown)
        };
        match sent {
            Ok(true) => Self::Applied,
            Err(error) if is_open(error) => Self::InDoubt,
            Ok(false) | Err(_) => Self::Refused,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Refused => "refused",
            Self::InDoubt => "in-doubt",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        [Self::Applied, Self::Refused, Self::InDoubt].into_iter().find(|known| known.word() == word)
    }
}

/// A write, as the journal records it.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) id: u64,
    /// The words after the number on the `begin` line.
    pub(super) words: Vec<String>,
    /// The index of the `begin` line.
    pub(super) begin: usize,
    /// The index of the line with the result.
    pub(super) end: Option<usize>,
    pub(super) known: Known,
    /// The words after the number on the line with the result.
    pub(super) result: Vec<String>,
}

/// Returns all writes, in the order in which they began.
pub(super) fn begun(lines: &[Vec<String>]) -> Vec<Begun> {
    let mut all: Vec<Begun> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let [word, id, words @ ..] = line.as_slice() else { continue };
        let Ok(id) = id.parse() else { continue };
        if word == "begin" {
            all.push(Begun {
                id,
                words: words.to_vec(),
                begin: at,
                end: None,
                known: Known::InDoubt,
                result: Vec::new(),
            });
        } else if let Some(known) = Known::from_word(word) {
            let begun = all.iter_mut().rev().find(|begun| begun.id == id).expect("a write begins before it ends");
            (begun.known, begun.end, begun.result) = (known, Some(at), words.to_vec());
        }
    }
    all
}
