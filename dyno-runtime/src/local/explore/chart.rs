//! The chart of a run: a line for each request, with what it asked for, what it met, and its answer.

use super::fault::Event;
use super::network::Answer;
use crate::local::engine::operation_of;
use crate::local::faults::json_of;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use serde_json::Value;
use std::fmt::{self, Write as _};

/// The longest text of an item.
const LONGEST: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Chart {
    lines: Vec<Line>,
}

#[derive(Debug, PartialEq, Eq)]
struct Line {
    name: String,
    process: usize,
    text: String,
}

impl Chart {
    /// Adds a request of a process, and the engine's answer, if it was served.
    pub(super) fn request(
        &mut self,
        name: &str,
        process: usize,
        request: &HttpRequest,
        answer: Option<&Answer>,
        event: Event,
    ) {
        let mut text = request_text(request);
        if let Some(answer) = answer {
            let _ = write!(text, " → {}", answer_text(operation_of(request), answer));
        }
        if event != Event::Served {
            let _ = write!(text, " ({})", event.description());
        }
        self.add(name, process, text);
    }

    /// Adds a request that arrives late.
    pub(super) fn late(&mut self, name: &str, process: usize, request: &HttpRequest, answer: &Answer) {
        let answer = answer_text(operation_of(request), answer);
        self.add(
            name,
            process,
            format!("{} → {answer} (arrives late, and nobody waits for it)", request_text(request)),
        );
    }

    fn add(&mut self, name: &str, process: usize, text: String) {
        self.lines.push(Line { name: name.to_owned(), process, text });
    }
}

impl fmt::Display for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or_default();
        let mut number = 1;
        for same in self.lines.chunk_by(|one, other| one == other) {
            let Line { name, process, text } = &same[0];
            // Each process has a column of its own.
            writeln!(f, "{number:>4}  {:indent$}{name:<width$}  {text}", "", indent = process * 4)?;
            if same.len() > 1 {
                writeln!(
                    f,
                    "      {:indent$}{:width$}  … the same {} more times",
                    "",
                    "",
                    same.len() - 1,
                    indent = process * 4
                )?;
            }
            number += same.len();
        }
        Ok(())
    }
}

/// Returns the operation of a request, and what it is about.
fn request_text(request: &HttpRequest) -> String {
    let body = json_of(request);
    let mut parts = vec![operation_of(request).to_owned()];
    parts.extend(body["TableName"].as_str().map(str::to_owned));
    parts.extend(body["IndexName"].as_str().map(str::to_owned));
    parts.extend(part_text(&body));
    for action in body["TransactItems"].as_array().into_iter().flatten() {
        for (kind, part) in action.as_object().into_iter().flatten() {
            let table = part["TableName"].as_str().unwrap_or_default();
            parts.push(format!("[{kind} {table} {}]", part_text(part).unwrap_or_default()));
        }
    }
    for (table, of) in body["RequestItems"].as_object().into_iter().flatten() {
        let count = of.as_array().or_else(|| of["Keys"].as_array()).map_or(0, Vec::len);
        parts.push(format!("{table}: {count} items"));
    }
    parts.join(" ")
}

/// Returns the key or the item of a request or an action.
fn part_text(part: &Value) -> Option<String> {
    let item = part.get("Item").or_else(|| part.get("Key"))?;
    Some(item_text(item))
}

/// Returns the answer in a few words.
fn answer_text(operation: &str, answer: &Answer) -> String {
    let Ok(answer) = answer else { return "no answer".to_owned() };
    let body: Value = answer.body().bytes().and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default();
    if !answer.status().is_success() {
        let name = body["__type"].as_str().unwrap_or_default();
        let name = name.rsplit('#').next().unwrap_or_default().trim_end_matches("Exception");
        let codes = body["CancellationReasons"].as_array().into_iter().flatten();
        let codes: Vec<_> = codes.filter_map(|reason| reason["Code"].as_str()).collect();
        return match (name, &codes[..]) {
            ("ConditionalCheckFailed", _) => "its condition fails".to_owned(),
            (_, []) => format!("refused: {name}"),
            (_, codes) => format!("cancelled: {}", codes.join(", ")),
        };
    }
    match operation {
        "GetItem" => body.get("Item").map_or_else(|| "nothing".to_owned(), item_text),
        "Query" | "Scan" | "SearchVectors" => {
            let items = body["Items"].as_array().map_or(0, Vec::len);
            format!("{items} items")
        }
        "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems" => "applied".to_owned(),
        _ => "done".to_owned(),
    }
}

/// Returns an item in a line, such as `{row: "Up", number: 1}`.
fn item_text(item: &Value) -> String {
    let mut text = plain(&Value::from(serde_json::Map::from_iter([("M".to_owned(), item.clone())])));
    if let Some((at, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// Returns a value without the names of its types.
fn plain(value: &Value) -> String {
    let Some((kind, of)) = value.as_object().and_then(|value| value.iter().next()) else { return value.to_string() };
    match (&**kind, of) {
        ("M", Value::Object(map)) => {
            let parts: Vec<_> = map.iter().map(|(name, value)| format!("{name}: {}", plain(value))).collect();
            format!("{{{}}}", parts.join(", "))
        }
        ("L", Value::Array(values)) => format!("[{}]", values.iter().map(plain).collect::<Vec<_>>().join(", ")),
        ("N", Value::String(number)) => number.clone(),
        ("NULL", _) => "null".to_owned(),
        _ => of.to_string(),
    }
}
