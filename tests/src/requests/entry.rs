//! The requests of one world as a line of ids and a hash of the values: `get1 put2 get1×3 #8fa2c1d0`.
//!
//! The hash does not cover the forms, which the ids stand for. So a line stays the same when only the text of a form
//! changes in the catalogue.

use super::catalogue::{self, Catalogue, Id};
use super::order::Order;
use super::text;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// How many requests of a world are listed in order. The others are counted by their ids, and the hash covers their order.
const IN_ORDER: usize = 100;
const CUT: &str = "…";
const TIMES: char = '×';
/// Precedes the number of equal actions that follow each other in a transaction.
const TIMES_IN_A_REQUEST: char = '*';

/// A request that was sent.
#[derive(Debug)]
pub(super) struct Request {
    /// The request with its values.
    pub(super) text: String,
    /// The forms of the request itself, and of its actions or of its tables. If the SDK sends a request again, which must
    /// be the same, only its operation.
    pub(super) forms: Result<Vec<String>, String>,
    pub(super) values: String,
}

impl Request {
    /// `put1`, `transactwrite1(put1,put2*3)` or `again(put)`.
    pub(super) fn token(&self, catalogue: &Catalogue) -> String {
        let forms = match &self.forms {
            Ok(forms) => forms,
            Err(operation) => return format!("again({})", catalogue::word(operation)),
        };
        let mut ids = forms.iter().map(|form| catalogue.id(form));
        let head = ids.next().unwrap_or_default();
        let actions: Vec<_> = ids.collect();
        if actions.is_empty() {
            return head;
        }
        format!("{head}({})", fold(actions, TIMES_IN_A_REQUEST).replace(' ', ","))
    }
}

/// The ids in a line. An id that occurs several times is returned several times.
pub(super) fn ids(line: &str) -> impl Iterator<Item = &str> {
    let between = [' ', '(', ')', ',', TIMES, TIMES_IN_A_REQUEST];
    line.split(between).filter(|id| Id::parse(id).is_some())
}

/// The requests in a line. A request that is listed with a count is returned that many times.
pub(super) fn tokens(line: &str) -> Vec<&str> {
    let tokens = line.split(' ').filter(|token| !token.is_empty() && !token.starts_with('#'));
    let times = |token: &str| token.rsplit_once(TIMES).and_then(|(_, times)| times.parse().ok()).unwrap_or(1);
    let name = |token| str::rsplit_once(token, TIMES).map_or(token, |(name, _)| name);
    tokens.flat_map(|token| std::iter::repeat_n(name(token), times(token))).collect()
}

/// Joins texts with spaces. Equal texts that follow each other appear once, with their number.
pub(super) fn fold(texts: Vec<String>, times: char) -> String {
    let mut folded = String::new();
    for equal in texts.chunk_by(|one, next| one == next) {
        let space = if folded.is_empty() { "" } else { " " };
        let _infallible = write!(folded, "{space}{}", equal[0]);
        if equal.len() > 1 {
            let _infallible = write!(folded, "{times}{}", equal.len());
        }
    }
    folded
}

/// The requests of one world.
#[derive(Debug)]
pub(super) struct Requests {
    order: Order,
    requests: Vec<Request>,
    /// The hash of the values; `None` if the values differ from run to run.
    hash: Option<String>,
}

impl Requests {
    pub(super) fn new(order: Order, mut requests: Vec<Request>) -> Self {
        match order {
            Order::Sent => {}
            // The values are compared first, so the hash stays the same when a form changes.
            Order::Any => requests.sort_by(|a, b| (&a.values, &a.forms).cmp(&(&b.values, &b.forms))),
            // The requests that the SDK sends again differ from run to run, too.
            Order::Forms => requests.retain(|request| request.forms.is_ok()),
        }
        let hash = (order != Order::Forms).then(|| hash(&requests));
        Self { order, requests, hash }
    }

    /// The forms, each as often as it was sent.
    pub(super) fn forms(&self) -> impl Iterator<Item = &String> {
        self.requests.iter().flat_map(|request| request.forms.iter().flatten())
    }

    /// The line in a file.
    pub(super) fn line(&self, catalogue: &Catalogue) -> String {
        let mut tokens: Vec<_> = self.requests.iter().map(|request| request.token(catalogue)).collect();
        if self.order == Order::Forms {
            let forms: BTreeSet<_> = tokens.into_iter().collect();
            return fold(forms.into_iter().collect(), TIMES);
        }
        let mut rest = BTreeMap::<_, usize>::new();
        for token in tokens.split_off(tokens.len().min(IN_ORDER)) {
            *rest.entry(token).or_default() += 1;
        }
        let mut line = fold(tokens, TIMES);
        if !rest.is_empty() {
            let rest: Vec<_> = rest.iter().map(|(token, times)| format!("{token}{TIMES}{times}")).collect();
            let _infallible = write!(line, " {CUT} {}", rest.join(" "));
        }
        match &self.hash {
            Some(hash) if !line.is_empty() => format!("{line} {hash}"),
            _ => line,
        }
    }

    /// Describes how the requests differ from a recorded line, with the recorded requests first.
    pub(super) fn difference(&self, recorded: &str, catalogue: &Catalogue) -> String {
        let line = self.line(catalogue);
        let (expected, sent) = (tokens(recorded), tokens(&line));
        let mut message = String::new();
        if expected == sent {
            message.push_str("the requests have the recorded forms, but other values");
            return message;
        }
        let first = expected.iter().zip(&sent).take_while(|(expected, sent)| expected == sent).count();
        let is_in_order = self.order == Order::Sent && first < IN_ORDER;
        let (missing, added): (Vec<_>, Vec<_>) = if is_in_order {
            let _infallible = write!(message, "request {} is not the recorded one", first + 1);
            (expected.into_iter().skip(first).take(1).collect(), sent.into_iter().skip(first).take(1).collect())
        } else {
            message.push_str("not the recorded requests");
            let missing = expected.iter().copied().filter(|token| !sent.contains(token)).collect();
            (missing, sent.into_iter().filter(|token| !expected.contains(token)).collect())
        };
        if missing.is_empty() && added.is_empty() {
            // The requests differ only in their order or number.
            let _infallible = write!(message, "\nrecorded: {recorded}\nsent: {line}");
            return message;
        }
        let known = catalogue.by_id();
        let known: BTreeMap<_, _> = known.into_iter().map(|(id, form)| (id.to_string(), form)).collect();
        message.push_str("\nrecorded:");
        for token in missing {
            let _infallible = write!(message, "\n  {token}");
            for id in ids(token) {
                let form = known.get(id).copied().unwrap_or("not in the catalogue");
                let _infallible = write!(message, "\n    {id}: {form}");
            }
        }
        message.push_str("\nsent:");
        for token in added {
            let _infallible = write!(message, "\n  {token}");
            // Different new forms have the same id, `put?`.
            let sent = self.requests.iter().enumerate().filter(|(number, _)| !is_in_order || *number == first);
            let sent = sent.filter(|(_, request)| request.token(catalogue) == token);
            for form in sent.flat_map(|(_, request)| request.forms.iter().flatten()).collect::<BTreeSet<_>>() {
                let _infallible = write!(message, "\n    {}: {form}", catalogue.id(form));
            }
        }
        message
    }
}

/// A hash of the values, and of the order of the requests that the line only counts.
fn hash(requests: &[Request]) -> String {
    let mut values: Vec<_> = requests.iter().map(|request| request.values.clone()).collect();
    let mut firsts = BTreeMap::new();
    for (number, request) in requests.iter().enumerate() {
        let first = *firsts.entry(&request.forms).or_insert(number);
        if number >= IN_ORDER {
            let _infallible = write!(values[number], "{first}");
        }
    }
    text::hash(&values.join("\0"))
}
