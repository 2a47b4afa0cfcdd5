//! Makes the table of one command.

use super::commands::{LOADED, is_judged};
use super::walk::{Case, Composition, Question, Tree, Walk};
use super::words;
use crate::attribute::Item;
use crate::exchange::Repository;
use crate::rule;
use crate::rule::{Expected, Phase, Verb};
use crate::schema::{Schema, names};
use crate::write::write_command::WriteCommand;
use crate::write::write_steps::{Companion, ComposedWrite, Denial, Knowledge, OtherAttempts, SendAs};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::mem;

pub(super) const ALONE: SendAs = SendAs::Single(None);

/// The lines that were printed already, with the place of each.
pub(super) type Printed = HashMap<String, String>;

pub(super) fn of(name: &str, command: &WriteCommand, repository: &Repository, printed: &mut Printed) -> String {
    let case = Case::new(command, repository);
    let mut text = format!("# {name}\n");
    let (fresh, compositions) = (OtherAttempts::default(), RefCell::default());
    let compose = |send_as: &SendAs, attempts: &OtherAttempts, compositions: &RefCell<Vec<Composition>>| {
        Walk { case: &case, send_as, attempts, compositions }.walk(Question::Compose, &Knowledge::default())
    };
    let alone = compose(&ALONE, &fresh, &compositions);
    let first = compositions.borrow().first().and_then(|(composed, _)| composed.write.expected);
    let mut trees = vec![("fresh", alone.clone())];
    let attempts = other_attempts(command, first, first).into_iter();
    trees.extend(attempts.map(|(name, attempts)| (name, compose(&ALONE, &attempts, &RefCell::default()))));
    // The commands of an entity with a history return no item.
    let returns = command.schema.history.is_none().then_some(ReturnValue::AllOld);
    let old = compose(&SendAs::Single(returns), &fresh, &RefCell::default());
    let (is_check, in_transaction) = (matches!(command.verb, Verb::Check { .. }), RefCell::default());
    let in_a_transaction = compose(&SendAs::Action, &fresh, &in_transaction);
    let others = [("returning what was there", old), ("together", in_a_transaction.clone())];
    let others = others.into_iter().filter(|(_, tree)| *tree != alone);
    let mut lines = Lines::new(name, printed);
    if is_check {
        lines.tree("together", "together", &in_a_transaction);
    } else {
        grouped(trees).into_iter().chain(others.map(|(name, tree)| (name.to_owned(), tree))).for_each(
            |(name, tree)| {
                lines.tree(&name, &name, &tree);
            },
        );
    }
    text.push_str(&lines.text);
    if !is_judged(name, command.schema) {
        return text;
    }
    let alone = if is_check { Vec::new() } else { sections(&case, first, &ALONE, &compositions) };
    for section in &alone {
        text.push_str(&section.text(false, None, Lines::new(name, printed)));
    }
    for section in sections(&case, first, &SendAs::Action, &in_transaction) {
        let alone = alone.iter().find(|alone| alone.heading == section.heading);
        text.push_str(&section.text(true, alone, Lines::new(name, printed)));
    }
    text
}

/// Returns the cases of other attempts, if the write can recognize its own.
pub(super) fn other_attempts(
    command: &WriteCommand,
    first: Option<Expected>,
    expected: Option<Expected>,
) -> Vec<(&'static str, OtherAttempts)> {
    let (Some(first), Some(expected), Some(_)) = (first, expected, &command.versioned) else { return Vec::new() };
    if expected == Expected::Unchecked {
        return Vec::new();
    }
    let mut expectations = if first == expected { vec![first] } else { vec![first, expected] };
    let attempts_of = |may_be_applied, expectations: &[Expected]| OtherAttempts {
        may_be_applied,
        expectations: expectations.to_vec(),
    };
    let mut attempts = vec![("closed", attempts_of(false, &expectations)), ("open", attempts_of(true, &expectations))];
    // After another number, a clone with a further one only adds the read of one more revision.
    if let Some(further) = further(command.schema, expected).filter(|_| first == expected) {
        expectations.push(further);
        attempts.push(("further", attempts_of(true, &expectations)));
    }
    attempts
}

/// Returns a later version that a clone may expect.
fn further(schema: &Schema, expected: Expected) -> Option<Expected> {
    let can_be_dead = schema.tombstone.is_some() || schema.attribute("ttl").is_some();
    match expected {
        Expected::New(_) | Expected::Dead(_) | Expected::Behind { is_dead: true, .. } if can_be_dead => {
            Some(Expected::Dead(7))
        }
        Expected::New(_) | Expected::Dead(_) => schema.history.as_ref().map(|_| Expected::New(7)),
        Expected::Loaded(found) | Expected::Behind { found, .. } => {
            schema.history.as_ref().map(|_| Expected::Behind { found, last: 7, is_dead: expected.is_dead() })
        }
        Expected::Unchecked => None,
    }
}

/// The verdicts on the denials of one request.
pub(super) struct Section {
    heading: String,
    passes: Vec<String>,
    lines: Vec<Line>,
    /// The verdict on the unsent request, if it has an idempotency key.
    unsent: Option<Tree>,
}

/// A denial, with the verdict on it for each case of other attempts.
struct Line {
    denied: String,
    trees: Vec<(&'static str, Tree)>,
}

/// Returns a section for each kind of request, in the order in which the walk composes them.
pub(super) fn sections(
    case: &Case<'_>,
    first: Option<Expected>,
    send_as: &SendAs,
    compositions: &RefCell<Vec<Composition>>,
) -> Vec<Section> {
    let (mut seen, mut sections, mut next) = (HashSet::new(), Vec::new(), 0);
    loop {
        // A verdict can add compositions.
        let Some((composed, known)) = compositions.borrow().get(next).cloned() else { break };
        next += 1;
        // A create continues the numbers of a tombstone in another way than those of a history.
        let is_first = |expected| case.command.schema.tombstone.is_some() || expected == Expected::New(0);
        let kind = composed.write.expected.map(|expected| (mem::discriminant(&expected), is_first(expected)));
        let phase = composed.write.dedup.phase;
        if !seen.insert((
            kind,
            composed.companion.map(|companion| mem::discriminant(&companion)),
            mem::discriminant(&phase),
        )) {
            continue;
        }
        let walk_all = |attempts: &OtherAttempts, question: Question<'_>| {
            Walk { case, send_as, attempts, compositions }.walk(question, &known)
        };
        let expected = composed.write.expected;
        let mut attempts = match send_as {
            SendAs::Single(_) => other_attempts(case.command, first, expected),
            SendAs::Action => vec![("together", OtherAttempts::default())],
        };
        if attempts.is_empty() {
            attempts.push(("any", OtherAttempts::default()));
        }
        let (denials, passes) = denials(case, &composed);
        let lines = denials.into_iter().map(|(denied, denial)| {
            let trees = attempts
                .iter()
                .map(|(name, attempts)| (*name, walk_all(attempts, Question::Judge(&composed, &denial))));
            Line { denied, trees: trees.collect() }
        });
        let lines = lines.collect();
        let is_keyed = matches!(send_as, SendAs::Action) && composed.write.dedup.key.is_some();
        let unsent = is_keyed.then(|| walk_all(&OtherAttempts::default(), Question::JudgeUnsent(&composed)));
        let companion = match composed.companion {
            None => "",
            Some(Companion::NewRevision) => " with the new revision",
            Some(Companion::SupersededRevision) => " with the superseded revision",
            Some(Companion::DedupKey) => " with its key",
        };
        let phase = if phase == Phase::Replacing { ", replacing" } else { "" };
        sections.push(Section {
            heading: format!("{}{companion}{phase}", words::expected(expected)),
            passes,
            lines,
            unsent,
        });
    }
    sections
}

/// Returns every denial of a request, and the names of the rows that do not deny it.
pub(super) fn denials(case: &Case<'_>, composed: &ComposedWrite) -> (Vec<(String, Denial)>, Vec<String>) {
    let expected = composed.write.expected;
    let numbers = expected.and_then(|expected| expected.base().zip(expected.next())).unwrap_or((LOADED, LOADED + 1));
    let own = case.command.condition.clone().transpose().expect("a condition");
    let condition = rule::condition(&composed.write, own);
    let (nothing, mut denials, mut passes) = (Item::new(), Vec::new(), Vec::new());
    let number = match (composed.companion, expected) {
        (Some(Companion::SupersededRevision), Some(Expected::Behind { last, .. })) => last,
        (Some(Companion::SupersededRevision), _) => numbers.0,
        _ => numbers.1,
    };
    let row = |is_own| {
        let image = AttributeValue::M(case.image(number, is_own));
        let version = AttributeValue::N(number.to_string());
        Item::from([(names::VERSION.to_owned(), version), (names::IMAGE.to_owned(), image)])
    };
    let companions: &[(&str, bool)] = match composed.companion {
        None => &[],
        Some(Companion::DedupKey) => &[("the key's row is there", false)],
        Some(_) if case.own.is_some() => &[("its number is taken by itself", true), ("its number is taken", false)],
        Some(_) => &[("its number is taken", false)],
    };
    for (name, item) in case.rows(numbers) {
        let holds = condition.as_ref().is_none_or(|condition| condition.holds(item.as_ref().unwrap_or(&nothing)));
        if holds {
            passes.push(name);
            continue;
        }
        if let (Some((companion, is_own)), true) =
            (companions.first(), item.is_none() || composed.companion == Some(Companion::DedupKey))
        {
            let denial = Denial { item: Some(item.clone()), companion: Some(Some(row(*is_own))), ..Denial::default() };
            denials.push((format!("{name}, and {companion}"), denial));
        }
        denials.push((name, Denial::of_item(item)));
    }
    denials.extend(companions.iter().map(|(companion, is_own)| {
        let denial = Denial { companion: Some(Some(row(*is_own))), ..Denial::default() };
        ((*companion).to_owned(), denial)
    }));
    (denials, passes)
}

impl Section {
    /// Returns the section as text; for an action of a transaction, only the lines that differ from those of the single write.
    fn text(&self, is_together: bool, alone: Option<&Self>, mut lines: Lines<'_>) -> String {
        let of_alone = |line: &Line| {
            let alone = alone?.lines.iter().find(|alone| alone.denied == line.denied)?;
            alone.trees.first().map(|(_, tree)| tree)
        };
        let differ =
            self.lines.iter().filter(|line| !is_together || line.trees.first().map(|(_, tree)| tree) != of_alone(line));
        for (denied, trees) in together(differ.map(|line| (line.denied.as_str(), line.trees.clone())).collect()) {
            let closed = trees.first().map(|(_, tree)| tree.clone()).filter(|closed| closed.below.is_empty());
            let trees = trees.into_iter().map(|(name, tree)| match &closed {
                Some(closed) => (name, tree.with_reference(&closed.text)),
                None => (name, tree),
            });
            for (name, tree) in grouped(trees.collect()) {
                lines.tree(&format!("{} | {name}", denied.join("; ")), &format!("{} | {name}", denied[0]), &tree);
            }
        }
        if let Some(unsent) = &self.unsent {
            lines.tree("foreseen, where others refuse", "foreseen", unsent);
        }
        if is_together && lines.text.is_empty() {
            return String::new();
        }
        let passes = match self.passes.is_empty() {
            _ if is_together => String::new(),
            true => "passes: no row\n".to_owned(),
            false => format!("passes: {}\n", self.passes.join("; ")),
        };
        let send_as = if is_together { ", together" } else { "" };
        format!("## {}{send_as}\n{passes}{}", self.heading, lines.text)
    }
}

impl Tree {
    /// Replaces each end by `as closed` that is the same as without a lost answer.
    fn with_reference(&self, closed: &str) -> Self {
        let below = self.below.iter().map(|(answer, tree)| {
            let mut tree = tree.with_reference(closed);
            if tree.below.is_empty() && tree.text == closed {
                "as closed".clone_into(&mut tree.text);
            }
            (answer.clone(), tree)
        });
        Self { text: self.text.clone(), below: below.collect() }
    }
}

/// Joins equal trees under all of their names.
fn grouped(trees: Vec<(&'static str, Tree)>) -> Vec<(String, Tree)> {
    let count = trees.len();
    let named = |names: Vec<&str>| {
        if names.len() == count && count > 1 { "any".to_owned() } else { names.join(", ") }
    };
    together(trees).into_iter().map(|(names, tree)| (named(names), tree)).collect()
}

/// Joins the names of equal values.
fn together<T: PartialEq>(trees: Vec<(&str, T)>) -> Vec<(Vec<&str>, T)> {
    let mut groups: Vec<(Vec<&str>, T)> = Vec::new();
    for (name, tree) in trees {
        match groups.iter_mut().find(|(_, of)| *of == tree) {
            Some((names, _)) => names.push(name),
            None => groups.push((vec![name], tree)),
        }
    }
    groups
}

/// Lines of text. A line that was printed before is replaced by a reference to its place.
struct Lines<'a> {
    text: String,
    /// The name of the command.
    of: &'a str,
    printed: &'a mut Printed,
}

impl<'a> Lines<'a> {
    fn new(of: &'a str, printed: &'a mut Printed) -> Self {
        Self { text: String::new(), of, printed }
    }

    fn tree(&mut self, name: &str, path: &str, tree: &Tree) {
        self.line(name, &format!("{}: {path}", self.of), tree, 0);
    }

    fn line(&mut self, name: &str, path: &str, tree: &Tree, depth: usize) {
        let (indent, text) = ("  ".repeat(depth), &tree.text);
        let whole = whole(tree);
        if let Some(earlier) = self.printed.get(&whole).filter(|_| !tree.below.is_empty()) {
            self.text.extend([&indent, name, " → ", text, ": as for (", earlier, ")\n"]);
            return;
        }
        self.printed.insert(whole, path.to_owned());
        self.text.extend([&indent, name, " → ", text, "\n"]);
        let below = tree.below.iter().map(|(answer, tree)| (answer.as_str(), tree.clone()));
        for (answers, below) in together(below.collect()) {
            let path = format!("{path} / {}", answers[0]);
            self.line(&answers.join("; "), &path, &below, depth + 1);
        }
    }
}

fn whole(tree: &Tree) -> String {
    let below: Vec<String> = tree.below.iter().map(|(answer, tree)| format!("{answer}→{}", whole(tree))).collect();
    format!("{}{{{}}}", tree.text, below.join(";"))
}
