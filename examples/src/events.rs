//! The events that `replay` delivers, read from a CSV file. Each event is one change of one file.

use anyhow::{Context as _, Result, bail, ensure};
use csv::StringRecord;
use dyno::EpochMillis;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A change of a file: new content, or a deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The place of the change on the main line.
    pub sequence: u64,
    /// The time of the commit.
    pub committed_at: EpochMillis,
    /// The file's path.
    pub path: String,
    /// The new content; `None` if the file was deleted.
    pub content: Option<Content>,
}

/// A file's content, by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The file's mode, as git writes it.
    pub mode: String,
    /// The first digits of the content's hash.
    pub blob: String,
}

const HEADER: [&str; 6] = ["sequence", "committed_at_ms", "path", "operation", "mode", "blob"];

/// Reads the events of a file. Returns them with a message for each row that is not an event.
///
/// # Errors
/// The file cannot be read, or is not a file of events.
pub fn read(path: &Path) -> Result<(Vec<Event>, Vec<String>)> {
    let file = File::open(path).with_context(|| format!("{}: cannot be opened", path.display()))?;
    parse(file, &path.display().to_string())
}

/// Reads events like [`read`], but from any text. Messages call the text `name`.
///
/// # Errors
/// The text cannot be read, or its first line is not the expected header.
pub fn parse(text: impl Read, name: &str) -> Result<(Vec<Event>, Vec<String>)> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text);
    let header = reader.headers().with_context(|| format!("{name}: cannot be read"))?;
    if header != HEADER[..] {
        bail!("{name}:1: expected the columns {}", HEADER.join(","));
    }
    let (mut events, mut bad) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.with_context(|| format!("{name}: cannot be read"))?;
        let line = record.position().map_or(0, csv::Position::line);
        match event(&record) {
            Ok(event) => events.push(event),
            Err(error) => bad.push(format!("{name}:{line}: {error}")),
        }
    }
    Ok((events, bad))
}

fn event(record: &StringRecord) -> Result<Event> {
    ensure!(record.len() == HEADER.len(), "expected {} columns, found {}", HEADER.len(), record.len());
    let column = |index: usize| record.get(index).unwrap_or_default();
    let number = |index: usize| {
        let (name, text) = (HEADER[index], column(index));
        text.parse::<u64>().with_context(|| format!("expected a whole number as {name}, found {text:?}"))
    };
    let sequence = number(0)?;
    let committed_at = i64::try_from(number(1)?).context("expected committed_at_ms below 2^63")?;
    let path = column(2).to_owned();
    ensure!(!path.is_empty(), "expected a path, found nothing");
    let (mode, blob) = (column(4).to_owned(), column(5).to_owned());
    let content = match column(3) {
        "put" => {
            let is_hash = !blob.is_empty() && blob.bytes().all(|byte| byte.is_ascii_hexdigit());
            ensure!(is_hash, "expected hexadecimal digits as the blob of a put, found {blob:?}");
            Some(Content { mode, blob })
        }
        "delete" => {
            ensure!(blob.is_empty(), "expected no blob for a delete, found {blob:?}");
            None
        }
        other => bail!("expected put or delete as operation, found {other:?}"),
    };
    Ok(Event { sequence, committed_at: EpochMillis::new(committed_at), path, content })
}

/// Returns what the table must hold in the end: the last content of each path, or `None` if it was deleted.
#[must_use]
pub fn truth(events: &[Event]) -> BTreeMap<&str, Option<&str>> {
    let mut ordered: Vec<&Event> = events.iter().collect();
    ordered.sort_by_key(|event| (event.committed_at, event.sequence));
    let last = ordered.into_iter().map(|event| {
        let blob = event.content.as_ref().map(|content| content.blob.as_str());
        (event.path.as_str(), blob)
    });
    last.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/serde-file-events.csv");
    const AT_END: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/serde-files-at-end.csv");

    #[test]
    fn the_truth_of_the_events_is_the_state_of_the_repository() {
        let (events, bad) = read(Path::new(EVENTS)).expect("the events");
        assert_eq!((events.len(), bad.len()), (9805, 0));
        let truth = truth(&events);
        let deleted = truth.values().filter(|blob| blob.is_none()).count();
        assert_eq!((truth.len(), deleted), (864, 503));
        let mut reader = csv::Reader::from_path(AT_END).expect("the files at the end");
        let at_end: Vec<StringRecord> = reader.records().collect::<Result<_, _>>().expect("rows");
        assert_eq!(at_end.len(), 361);
        for row in &at_end {
            assert_eq!(truth[&row[0]], Some(&row[1]));
        }
    }

    #[test]
    fn a_bad_row_is_named_by_line_and_by_what_was_expected() {
        let text = "sequence,committed_at_ms,path,operation,mode,blob\n\
                    1,5,a,put,100644,00ff\n\
                    x,5,a,put,100644,00ff\n\
                    1,-5,a,put,100644,00ff\n\
                    1,5,,put,100644,00ff\n\
                    1,5,a,move,100644,00ff\n\
                    1,5,a,put,100644,xyz\n\
                    1,5,a,delete,,00ff\n\
                    1,5,a,delete\n\
                    2,6,a,delete,,\n";
        let (events, bad) = parse(text.as_bytes(), "f.csv").expect("events");
        assert_eq!(events.iter().map(|event| event.sequence).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(
            bad,
            [
                "f.csv:3: expected a whole number as sequence, found \"x\"",
                "f.csv:4: expected a whole number as committed_at_ms, found \"-5\"",
                "f.csv:5: expected a path, found nothing",
                "f.csv:6: expected put or delete as operation, found \"move\"",
                "f.csv:7: expected hexadecimal digits as the blob of a put, found \"xyz\"",
                "f.csv:8: expected no blob for a delete, found \"00ff\"",
                "f.csv:9: expected 6 columns, found 4",
            ]
        );
        let error = parse("path,blob\na,00\n".as_bytes(), "f.csv").expect_err("another file");
        assert_eq!(
            error.to_string(),
            "f.csv:1: expected the columns sequence,committed_at_ms,path,operation,mode,blob"
        );
    }
}
