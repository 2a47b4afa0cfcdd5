//! One request as text: the operation, the table, the key or the item, the expressions with their names and values in
//! place, and every other member by name.
//!
//! The text leaves out two members that nearly every request has: `ReturnConsumedCapacity=TOTAL`, and the member that
//! makes a failed condition return the item. It numbers random texts in the order in which a world first sends them, so
//! that a reader sees where the same one is sent again.
//!
//! A *form* is the same text with each value replaced by its kind: `{id=S}` for `{id="a"}`.

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The longest value or item that is not cut; below, the longest expression.
const LONGEST: usize = 160;
const LONGEST_EXPRESSION: usize = 480;

/// The expressions of a request, and the word for each.
const EXPRESSIONS: [(&str, &str); 6] = [
    ("KeyConditionExpression", "where"),
    ("SearchConditionExpression", "where"),
    ("FilterExpression", "filter"),
    ("ProjectionExpression", "show"),
    ("UpdateExpression", "do"),
    ("ConditionExpression", "if"),
];

/// The random texts of a world, by their kind.
#[derive(Debug)]
pub(super) struct Random {
    /// Whether the texts are numbered. If the order of the requests is not certain, their numbers would not be certain
    /// either.
    is_numbered: bool,
    known: BTreeMap<(&'static str, String), usize>,
}

impl Random {
    pub(super) fn new(is_numbered: bool) -> Self {
        Self { is_numbered, known: BTreeMap::new() }
    }

    fn number(&mut self, kind: &'static str, text: &str) -> String {
        if !self.is_numbered {
            return format!("<{kind}>");
        }
        let next = self.known.keys().filter(|(of, _)| *of == kind).count() + 1;
        let number = self.known.entry((kind, text.to_owned())).or_insert(next);
        format!("<{kind} {number}>")
    }
}

/// Writes one request with its values. If there are no random texts, it writes the request's form instead.
pub(super) struct Text<'a> {
    random: Option<&'a mut Random>,
    /// The values of the request, in the order of the text; empty for a form. With its form, they are the whole request.
    pub(super) values: String,
}

/// A few digits that identify a text.
pub(super) fn hash(text: &str) -> String {
    Sha256::digest(text).iter().take(4).fold("#".to_owned(), |digits, byte| format!("{digits}{byte:02x}"))
}

/// The text. If it is long, it is cut, and ends with the hash of the whole text.
fn cut(text: String, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…{}", &text[..end], hash(&text)),
        None => text,
    }
}

/// An object's members, by name.
fn sorted(object: &Value) -> BTreeMap<&str, &Value> {
    object.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect()
}

impl<'a> Text<'a> {
    pub(super) fn new(random: Option<&'a mut Random>) -> Self {
        Self { random, values: String::new() }
    }

    /// The request without its actions and tables, and then each action of a transaction and each table of a batch.
    pub(super) fn parts(&mut self, operation: &str, body: &Value) -> Vec<String> {
        let mut body = body.as_object().cloned().unwrap_or_default();
        let actions = body.remove("TransactItems");
        let tables = body.remove("RequestItems");
        body.retain(|name, value| name != "ReturnConsumedCapacity" || value != "TOTAL");
        let mut parts = vec![self.part(operation, body)];
        for action in actions.as_ref().and_then(Value::as_array).into_iter().flatten() {
            for (kind, action) in sorted(action) {
                parts.push(self.part(kind, action.as_object().cloned().unwrap_or_default()));
            }
        }
        parts.extend(tables.iter().flat_map(sorted).map(|(table, of)| self.table_of_a_batch(table, of)));
        parts
    }

    fn is_form(&self) -> bool {
        self.random.is_none()
    }

    /// Notes a value of the request.
    fn note(&mut self, value: &str) {
        if !self.is_form() {
            self.values.push_str(value);
            self.values.push('\n');
        }
    }

    /// A request about one table, or an action of a transaction.
    fn part(&mut self, kind: &str, mut body: Map<String, Value>) -> String {
        let names = body.remove("ExpressionAttributeNames").unwrap_or_default();
        let values = body.remove("ExpressionAttributeValues").unwrap_or_default();
        let mut text = kind.to_owned();
        for name in ["TableName", "IndexName"] {
            if let Some(Value::String(name)) = body.remove(name) {
                let _infallible = write!(text, " {name}");
            }
        }
        for (name, word) in [("Key", ""), ("Item", ""), ("ExclusiveStartKey", " after")] {
            if let Some(item) = body.remove(name) {
                let _infallible = write!(text, "{word} {}", cut(self.item(&item), LONGEST));
            }
        }
        if let Some(Value::Array(vector)) = body.remove("SearchVector") {
            self.note(&Value::Array(vector.clone()).to_string());
            let _infallible = write!(text, " near [{} dimensions]", vector.len());
        }
        if body.contains_key("ConditionExpression") {
            body.retain(|name, value| name != "ReturnValuesOnConditionCheckFailure" || value != "ALL_OLD");
        }
        let mut expressions = String::new();
        for (name, word) in EXPRESSIONS {
            if let Some(Value::String(expression)) = body.remove(name) {
                expressions.push_str(&expression);
                let _infallible = write!(text, " {word} {}", self.expression(&expression, &names, &values));
            }
        }
        for name in sorted(&names).keys().chain(sorted(&values).keys()).filter(|name| !expressions.contains(**name)) {
            let _infallible = write!(text, " unused {name}");
        }
        for (name, value) in sorted(&Value::Object(body)) {
            let _infallible = write!(text, " {name}={}", self.other(name, value));
        }
        text
    }

    /// The keys that a batch reads from a table, or its writes to the table.
    fn table_of_a_batch(&mut self, table: &str, of: &Value) -> String {
        let (kind, entries, rest) = match of {
            Value::Object(reads) => {
                let mut rest = reads.clone();
                ("Keys", rest.remove("Keys").unwrap_or_default(), self.part("", rest))
            }
            writes => ("Writes", writes.clone(), String::new()),
        };
        let entries = entries.as_array().map(Vec::as_slice).unwrap_or_default();
        let texts: Vec<_> = entries.iter().map(|entry| self.entry_of_a_batch(entry)).collect();
        if self.is_form() {
            return format!("{kind} {table} {}{rest}", cut(super::entry::fold(texts, '×'), LONGEST_EXPRESSION));
        }
        format!("{kind} {table} × {}: {}{rest}", entries.len(), cut(texts.join(" "), LONGEST))
    }

    fn entry_of_a_batch(&mut self, entry: &Value) -> String {
        for (request, of) in [("PutRequest", "Item"), ("DeleteRequest", "Key")] {
            if let Some(item) = entry.get(request).and_then(|request| request.get(of)) {
                return format!("{request} {}", self.item(item));
            }
        }
        self.item(entry)
    }

    /// An expression with the names and values that its placeholders stand for.
    fn expression(&mut self, expression: &str, names: &Value, values: &Value) -> String {
        let mut text = String::new();
        let mut rest = expression;
        while let Some(start) = rest.find(['#', ':']) {
            text.push_str(&rest[..start]);
            let after = &rest[start + 1..];
            let length = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            let placeholder = &rest[start..=start + length];
            match (names.get(placeholder), values.get(placeholder)) {
                (Some(Value::String(name)), _) => text.push_str(&word(name)),
                // The kind that `attribute_type` asks for is no value: it belongs to the form.
                (_, Some(Value::Object(value))) if text.ends_with(", ") && is_in_attribute_type(&text) => {
                    let _infallible = write!(text, "{}", value.values().next().unwrap_or_default());
                }
                (_, Some(value)) => text.push_str(&cut(self.value(value), LONGEST)),
                _ => text.push_str(placeholder),
            }
            rest = &after[length..];
        }
        cut(text + rest, LONGEST_EXPRESSION)
    }

    fn item(&mut self, item: &Value) -> String {
        let attributes = sorted(item).into_iter().map(|(name, value)| format!("{}={}", word(name), self.value(value)));
        format!("{{{}}}", attributes.collect::<Vec<_>>().join(" "))
    }

    /// One attribute value.
    fn value(&mut self, value: &Value) -> String {
        let Some((kind, of)) = sorted(value).pop_first() else { return value.to_string() };
        let noted = self.values.len();
        let text = match (kind, of) {
            ("M", map) => return self.item(map),
            _ if self.is_form() => return kind.to_owned(),
            ("L", Value::Array(elements)) => {
                let elements: Vec<_> = elements.iter().map(|element| self.value(element)).collect();
                // The form does not show the elements, so the list is noted as one value.
                self.values.truncate(noted);
                format!("[{}]", elements.join(" "))
            }
            ("S", Value::String(text)) => self.string(text),
            ("N", Value::String(number)) => number.clone(),
            ("BOOL", flag) => flag.to_string(),
            ("SS" | "NS" | "BS", Value::Array(elements)) => {
                let mut elements: Vec<_> = elements.iter().map(Value::to_string).collect();
                elements.sort();
                format!("{kind}({})", elements.join(" "))
            }
            (kind, other) => format!("{kind}({other})"),
        };
        self.note(&text);
        text
    }

    /// A string value. The random texts in it are numbered: a write id, which is `-` and 96 random bits in base64, and
    /// marks.
    fn string(&mut self, text: &str) -> String {
        let is_random = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "+/".contains(c));
        match (&mut self.random, text.strip_prefix('-')) {
            (Some(random), Some(bits)) if bits.len() == 16 && is_random(bits) => random.number("write", text),
            (Some(random), _) if text.contains('~') => marks(random, text),
            _ => Value::from(text).to_string(),
        }
    }

    /// A member that is not an expression.
    fn other(&mut self, name: &str, value: &Value) -> String {
        let kind = match name {
            "ClientRequestToken" if value.as_str().is_some_and(|token| token.len() >= 32) => Some("token"),
            "StreamArn" => Some("stream"),
            "ShardId" => Some("shard"),
            "ShardIterator" => Some("iterator"),
            _ => None,
        };
        let is_plain = |text: &&str| text.chars().all(|c| c.is_ascii_graphic());
        let text = value.as_str().filter(is_plain).map_or_else(|| value.to_string(), str::to_owned);
        match (kind, &mut self.random) {
            (Some(kind), Some(random)) => {
                let text = random.number(kind, &text);
                self.note(&text);
                text
            }
            (Some(_), None) => "…".to_owned(),
            (None, _) => cut(text, LONGEST),
        }
    }
}

/// Whether an expression ends in `attribute_type(…, `, before the second argument.
fn is_in_attribute_type(expression: &str) -> bool {
    expression.rfind("attribute_type(").is_some_and(|start| !expression[start..].contains(')'))
}

/// A text in which the marks of lanes, owners and attempts are numbered. A mark is `~` and 48 random bits in base64.
fn marks(random: &mut Random, text: &str) -> String {
    const BITS: usize = 8;
    let mut parts = text.split('~');
    let mut marked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_mark =
            part.len() >= BITS && part.chars().take(BITS).all(|c| c.is_ascii_alphanumeric() || "+-".contains(c));
        if is_mark {
            marked.push_str(&random.number("mark", &part[..BITS]));
            marked.push_str(&part[BITS..]);
        } else {
            marked.push('~');
            marked.push_str(part);
        }
    }
    Value::from(marked).to_string()
}

/// An attribute's name, quoted if it contains other characters than letters, digits and `_`.
fn word(name: &str) -> String {
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_plain { name.to_owned() } else { format!("`{}`", name.escape_debug()) }
}
