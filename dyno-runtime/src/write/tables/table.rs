//! The table of one command.

use super::commands::{LOADED, is_judged};
use super::walk::{Case, Composed, Question, Tree, Walk};
use super::words;
use crate::attribute::Item;
use crate::exchange::Repository;
use crate::rule;
use crate::rule::{Expected, Phase, Verb};
use crate::schema::{Schema, names};
use crate::write::write_command::WriteCommand;
use crate::write::write_steps::{Denial, Front, Knowledge, Part, Setting, Tried};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::mem;

pub(super) const ALONE: Setting = Setting::Alone(None);

/// What has been said already, and where.
pub(super) type Said = HashMap<String, String>;

pub(super) fn of(name: &str, command: &WriteCommand, repository: &Repository, said: &mut Said) -> String {
    let case = Case::new(command, repository);
    let mut text = format!("# {name}\n");
    let (fresh, composed) = (Tried::default(), RefCell::default());
    let compose = |setting: &Setting, tried: &Tried, composed: &RefCell<Vec<Composed>>| {
        Walk { case: &case, setting, tried, composed }.walk(Question::Compose, &Knowledge::default())
    };
    let alone = compose(&ALONE, &fresh, &composed);
    let first = composed.borrow().first().and_then(|(part, _)| part.write.expected);
    let mut trees = vec![("fresh", alone.clone())];
    let tried = tried(command, first, first).into_iter();
    trees.extend(tried.map(|(name, tried)| (name, compose(&ALONE, &tried, &RefCell::default()))));
    // Of an entity with a history, the commands return nothing.
    let returns = command.schema.history.is_none().then_some(ReturnValue::AllOld);
    let old = compose(&Setting::Alone(returns), &fresh, &RefCell::default());
    let (is_check, in_transaction) = (matches!(command.verb, Verb::Check { .. }), RefCell::default());
    let in_a_transaction = compose(&Setting::Together, &fresh, &in_transaction);
    let others = [("returning what was there", old), ("together", in_a_transaction.clone())];
    let others = others.into_iter().filter(|(_, tree)| *tree != alone);
    let mut lines = Lines::new(name, said);
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
    let alone = if is_check { Vec::new() } else { sections(&case, first, &ALONE, &composed) };
    for section in &alone {
        text.push_str(&section.text(false, None, Lines::new(name, said)));
    }
    for section in sections(&case, first, &Setting::Together, &in_transaction) {
        let alone = alone.iter().find(|alone| alone.heading == section.heading);
        text.push_str(&section.text(true, alone, Lines::new(name, said)));
    }
    text
}

/// What other attempts have done, where a write knows itself.
pub(super) fn tried(
    command: &WriteCommand,
    first: Option<Expected>,
    expected: Option<Expected>,
) -> Vec<(&'static str, Tried)> {
    let (Some(first), Some(expected), Some(_)) = (first, expected, &command.versioned) else { return Vec::new() };
    if expected == Expected::Unchecked {
        return Vec::new();
    }
    let mut reached = if first == expected { vec![first] } else { vec![first, expected] };
    let open = |is_open, reached: &Vec<Expected>| Tried { is_open, reached: reached.clone() };
    let mut tried = vec![("closed", open(false, &reached)), ("open", open(true, &reached))];
    // From other numbers, it is the same but for one revision more.
    if let Some(further) = further(command.schema, expected).filter(|_| first == expected) {
        reached.push(further);
        tried.push(("further", open(true, &reached)));
    }
    tried
}

/// Where a clone can have come to.
fn further(schema: &Schema, expected: Expected) -> Option<Expected> {
    let perishes = schema.tombstone.is_some() || schema.attribute("ttl").is_some();
    match expected {
        Expected::New(_) | Expected::Dead(_) | Expected::Behind { is_dead: true, .. } if perishes => {
            Some(Expected::Dead(7))
        }
        Expected::New(_) | Expected::Dead(_) => schema.history.as_ref().map(|_| Expected::New(7)),
        Expected::Loaded(found) | Expected::Behind { found, .. } => {
            schema.history.as_ref().map(|_| Expected::Behind { found, last: 7, is_dead: expected.is_dead() })
        }
        Expected::Unchecked => None,
    }
}

/// What the refusals of one request mean.
pub(super) struct Section {
    heading: String,
    passes: Vec<String>,
    lines: Vec<Line>,
    /// What would come of it, of a write with an idempotency key.
    foreseen: Option<Tree>,
}

/// A refusal, and what it means, given what other attempts have done.
struct Line {
    denied: String,
    trees: Vec<(&'static str, Tree)>,
}

/// Each kind of request once, in the order in which they are come to.
pub(super) fn sections(
    case: &Case<'_>,
    first: Option<Expected>,
    setting: &Setting,
    composed: &RefCell<Vec<Composed>>,
) -> Vec<Section> {
    let (mut seen, mut sections, mut next) = (HashSet::new(), Vec::new(), 0);
    loop {
        // What is judged leads to others.
        let Some((part, known)) = composed.borrow().get(next).cloned() else { break };
        next += 1;
        // Over a tombstone, numbers go on in another way than behind those of what is gone.
        let is_first = |expected| case.command.schema.tombstone.is_some() || expected == Expected::New(0);
        let kind = part.write.expected.map(|expected| (mem::discriminant(&expected), is_first(expected)));
        let phase = part.write.phase;
        if !seen.insert((kind, part.front.map(|front| mem::discriminant(&front)), mem::discriminant(&phase))) {
            continue;
        }
        let walk_all =
            |tried: &Tried, question: Question<'_>| Walk { case, setting, tried, composed }.walk(question, &known);
        let expected = part.write.expected;
        let mut attempts = match setting {
            Setting::Alone(_) => tried(case.command, first, expected),
            Setting::Together => vec![("together", Tried::default())],
        };
        if attempts.is_empty() {
            attempts.push(("any", Tried::default()));
        }
        let (denials, passes) = denials(case, &part);
        let lines = denials.into_iter().map(|(denied, denial)| {
            let trees = attempts.iter().map(|(name, tried)| (*name, walk_all(tried, Question::Judge(&part, &denial))));
            Line { denied, trees: trees.collect() }
        });
        let lines = lines.collect();
        let is_foreseen = matches!(setting, Setting::Together) && part.write.key.is_some();
        let foreseen = is_foreseen.then(|| walk_all(&Tried::default(), Question::Foresee(&part)));
        let front = match part.front {
            None => "",
            Some(Front::New) => " with the new revision",
            Some(Front::Superseded) => " with the superseded revision",
            Some(Front::Key) => " with its key",
        };
        let phase = if phase == Phase::Replacing { ", replacing" } else { "" };
        sections.push(Section {
            heading: format!("{}{front}{phase}", words::expected(expected)),
            passes,
            lines,
            foreseen,
        });
    }
    sections
}

/// All that can refuse it, and which rows do not.
pub(super) fn denials(case: &Case<'_>, part: &Part) -> (Vec<(String, Denial)>, Vec<String>) {
    let expected = part.write.expected;
    let numbers = expected.and_then(|expected| expected.base().zip(expected.next())).unwrap_or((LOADED, LOADED + 1));
    let own = case.command.condition.clone().transpose().expect("a condition");
    let condition = rule::condition(&part.write, own);
    let (nothing, mut denials, mut passes) = (Item::new(), Vec::new(), Vec::new());
    let number = match (part.front, expected) {
        (Some(Front::Superseded), Some(Expected::Behind { last, .. })) => last,
        (Some(Front::Superseded), _) => numbers.0,
        _ => numbers.1,
    };
    let row = |is_own| {
        let image = AttributeValue::M(case.image(number, is_own));
        let version = AttributeValue::N(number.to_string());
        Item::from([(names::VERSION.to_owned(), version), (names::IMAGE.to_owned(), image)])
    };
    let fronts: &[(&str, bool)] = match part.front {
        None => &[],
        Some(Front::Key) => &[("the key's row is there", false)],
        Some(_) if case.own.is_some() => &[("its number is taken by itself", true), ("its number is taken", false)],
        Some(_) => &[("its number is taken", false)],
    };
    for (name, item) in case.rows(numbers) {
        let holds = condition.as_ref().is_none_or(|condition| condition.holds(item.as_ref().unwrap_or(&nothing)));
        if holds {
            passes.push(name);
            continue;
        }
        if let (Some((front, is_own)), true) = (fronts.first(), item.is_none() || part.front == Some(Front::Key)) {
            let denial = Denial { item: Some(item.clone()), row: Some(Some(row(*is_own))) };
            denials.push((format!("{name}, and {front}"), denial));
        }
        denials.push((name, Denial::by(item)));
    }
    denials.extend(fronts.iter().map(|(front, is_own)| {
        let denial = Denial { item: None, row: Some(Some(row(*is_own))) };
        ((*front).to_owned(), denial)
    }));
    (denials, passes)
}

impl Section {
    /// All of it; or of a transaction what differs from what is said alone.
    fn text(&self, is_together: bool, alone: Option<&Self>, mut lines: Lines<'_>) -> String {
        let said = |line: &Line| {
            let alone = alone?.lines.iter().find(|alone| alone.denied == line.denied)?;
            alone.trees.first().map(|(_, tree)| tree)
        };
        let differ =
            self.lines.iter().filter(|line| !is_together || line.trees.first().map(|(_, tree)| tree) != said(line));
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
        if let Some(foreseen) = &self.foreseen {
            lines.tree("foreseen, where others refuse", "foreseen", foreseen);
        }
        if is_together && lines.text.is_empty() {
            return String::new();
        }
        let passes = match self.passes.is_empty() {
            _ if is_together => String::new(),
            true => "passes: no row\n".to_owned(),
            false => format!("passes: {}\n", self.passes.join("; ")),
        };
        let setting = if is_together { ", together" } else { "" };
        format!("## {}{setting}\n{passes}{}", self.heading, lines.text)
    }
}

impl Tree {
    /// Says where it ends as it would without lost answers.
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

/// Those that are the same, under all of their names.
fn grouped(trees: Vec<(&'static str, Tree)>) -> Vec<(String, Tree)> {
    let count = trees.len();
    let named = |names: Vec<&str>| {
        if names.len() == count && count > 1 { "any".to_owned() } else { names.join(", ") }
    };
    together(trees).into_iter().map(|(names, tree)| (named(names), tree)).collect()
}

/// The names of what is the same.
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

/// Lines, of which none is said twice.
struct Lines<'a> {
    text: String,
    /// The command that they are of.
    of: &'a str,
    said: &'a mut Said,
}

impl<'a> Lines<'a> {
    fn new(of: &'a str, said: &'a mut Said) -> Self {
        Self { text: String::new(), of, said }
    }

    fn tree(&mut self, name: &str, path: &str, tree: &Tree) {
        self.line(name, &format!("{}: {path}", self.of), tree, 0);
    }

    fn line(&mut self, name: &str, path: &str, tree: &Tree, depth: usize) {
        let (indent, text) = ("  ".repeat(depth), &tree.text);
        let whole = whole(tree);
        if let Some(earlier) = self.said.get(&whole).filter(|_| !tree.below.is_empty()) {
            self.text.extend([&indent, name, " → ", text, ": as for (", earlier, ")\n"]);
            return;
        }
        self.said.insert(whole, path.to_owned());
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
