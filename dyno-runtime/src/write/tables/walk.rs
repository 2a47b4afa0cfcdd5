//! Walks the steps of a write, with every answer that a read, or the put of a row, can have.

use super::commands::LOADED;
use super::rows::{self, By, NOW, Row};
use super::words;
use crate::attribute::Item;
use crate::exchange::Repository;
use crate::read::HistoryTable;
use crate::rule::{Expected, RawRevision, Verb};
use crate::schema::Tables;
use crate::write::compose::{Composable, compose, needs_item};
use crate::write::verdict::{judge_unsent, verdict};
use crate::write::write_command::WriteCommand;
use crate::write::write_steps::{
    self, ComposedWrite, Denial, Judgement, Knowledge, Next, OtherAttempts, Read, Retry, RevisionPut, SendAs, StepInput,
};
use std::cell::RefCell;

/// A limit that no write reaches.
const STEPS: usize = 12;

/// A command with its tables.
pub(super) struct Case<'a> {
    pub(super) command: &'a WriteCommand,
    /// The write id that the write stores.
    pub(super) own: Option<String>,
    tables: Tables,
    history: Option<HistoryTable<'a>>,
}

impl<'a> Case<'a> {
    pub(super) fn new(command: &'a WriteCommand, repository: &'a Repository) -> Self {
        let schema = command.schema;
        let name = |exists: bool, name: &str| exists.then(|| name.to_owned());
        let tables = Tables {
            main: "things".to_owned(),
            history: name(schema.history.is_some(), "things-history"),
            keys: name(matches!(schema.key_store(), Some(crate::schema::Store::Row { .. })), "things-idempotency"),
            guards: name(!schema.unique.is_empty(), "things-unique"),
        };
        let history = HistoryTable::of(schema, &tables, repository).filter(|_| command.versioned.is_some());
        // An unchecked write and a check store no write id.
        let is_named =
            !matches!(command.verb, Verb::Check { .. }) && !matches!(command.expected(), Ok(Some(Expected::Unchecked)));
        let own = command.write_id().expect("a name").filter(|_| is_named);
        Self { command, own, tables, history }
    }

    pub(super) fn input<'f>(
        &'f self,
        known: &'f Knowledge,
        attempts: &'f OtherAttempts,
        send_as: &'f SendAs,
    ) -> StepInput<'f> {
        let schema = self.command.schema;
        StepInput { known, attempts, schema, tables: &self.tables, history: self.history.as_ref(), now: NOW, send_as }
    }

    pub(super) fn rows(&self, numbers: (u64, u64)) -> Vec<Row> {
        let mut rows = rows::rows(self.command.schema, numbers, self.own.as_deref());
        if let Some(own) = self.own.as_deref().filter(|_| needs_item(self.command)) {
            rows.extend(rows::without_the_element(self.command.schema, numbers, own));
        }
        rows
    }

    /// Returns the item of a version, as this very write or another one made it.
    pub(super) fn image(&self, version: u64, is_own: bool) -> Item {
        let by = match &self.own {
            Some(own) if is_own => By::Own(own),
            _ => By::Another,
        };
        rows::by(self.command.schema, version, by)
    }
}

/// The function that computes the next step.
#[derive(Clone, Copy)]
pub(super) enum Question<'a> {
    Compose,
    Judge(&'a ComposedWrite, &'a Denial),
    JudgeUnsent(&'a ComposedWrite),
}

/// A step, with the next step for each answer to it.
#[derive(Clone, PartialEq)]
pub(super) struct Tree {
    pub(super) text: String,
    pub(super) below: Vec<(String, Tree)>,
}

fn leaf(text: String) -> Tree {
    Tree { text, below: Vec::new() }
}

/// A composed request, and the knowledge after it.
pub(super) type Composition = (ComposedWrite, Knowledge);

/// A walk of the steps of one write.
pub(super) struct Walk<'a> {
    pub(super) case: &'a Case<'a>,
    pub(super) send_as: &'a SendAs,
    pub(super) attempts: &'a OtherAttempts,
    /// Collects the requests that the walk composes.
    pub(super) compositions: &'a RefCell<Vec<Composition>>,
}

impl Walk<'_> {
    pub(super) fn walk(&self, question: Question<'_>, known: &Knowledge) -> Tree {
        self.step(question, known, STEPS)
    }

    /// # Panics
    /// If the steps do not end.
    fn step(&self, question: Question<'_>, known: &Knowledge, steps: usize) -> Tree {
        assert!(steps > 0, "there is no end to it");
        let input = self.case.input(known, self.attempts, self.send_as);
        let next = match question {
            Question::Compose => compose(Composable::Repeatedly(self.case.command), &input),
            Question::Judge(composed, denial) => Ok(Next::Judged(verdict(composed, denial, &input))),
            Question::JudgeUnsent(composed) => Ok(Next::Judged(judge_unsent(composed, &input))),
        };
        let next = match next {
            Ok(next) => next,
            Err(error) => return leaf(format!("error: {error}")),
        };
        let text = words::next(&next, question, known, self.send_as);
        let below = match next {
            // This repeats only if other writers write between the requests, and `drive_writes` limits how often.
            Next::Judged(Judgement::Read(Read::NewestBeforeItem)) if known.newest.is_some() => Vec::new(),
            Next::Judged(Judgement::Read(read)) => self.reads(read, question, known),
            Next::PutRevision(put) => self.puts(&put, known),
            // `drive_writes` limits how often a write waits for a transaction.
            Next::Judged(Judgement::Unopposed | Judgement::End(_) | Judgement::Retry(Retry::Locked(_))) => Vec::new(),
            Next::Judged(Judgement::Retry(retry)) => {
                let mut known = known.clone();
                known.apply(retry);
                vec![("then".to_owned(), Question::Compose, known)]
            }
            Next::Send(composed, _) => {
                let mut known = known.clone();
                known.discard_reads();
                known.expected = composed.write.expected;
                self.compositions.borrow_mut().push((*composed, known));
                Vec::new()
            }
        };
        let below = below.into_iter().map(|(answer, question, known)| (answer, self.step(question, &known, steps - 1)));
        Tree { text, below: below.collect() }
    }

    /// Returns the answers to a read.
    fn reads<'q>(
        &self,
        read: Read,
        question: Question<'q>,
        known: &Knowledge,
    ) -> Vec<(String, Question<'q>, Knowledge)> {
        let answered = |name: String, learn: &dyn Fn(&mut Knowledge)| {
            let mut known = known.clone();
            learn(&mut known);
            (name, question, known)
        };
        match read {
            Read::Item => {
                let items = self.items(known).into_iter();
                items.map(|(name, item)| answered(name, &|known| known.item = Some(item.clone()))).collect()
            }
            Read::KeyRow => {
                let rows = [("no row", false), ("a row", true)].into_iter();
                rows.map(|(name, row)| answered(name.to_owned(), &|known| known.key_row = Some(row))).collect()
            }
            Read::NewestBeforeItem | Read::NewestAfterItem => {
                let revisions =
                    if read == Read::NewestBeforeItem { self.newest() } else { self.newest_after_item(known) };
                let learn = |known: &mut Knowledge, revision: &Option<RawRevision>| {
                    known.newest = Some(revision.clone());
                    if read == Read::NewestBeforeItem {
                        known.item = None;
                    }
                };
                let revisions = revisions.into_iter();
                revisions.map(|(name, revision)| answered(name, &|known| learn(known, &revision))).collect()
            }
            Read::Revision(number) => {
                let row = |revision: RawRevision| write_steps::HistoryRow { revision, is_fresh: false };
                let revisions = self.revisions(number).into_iter();
                let learned = revisions.map(|(name, revision)| {
                    answered(name, &|known| drop(known.revisions.insert(number, revision.clone().map(row))))
                });
                learned.collect()
            }
        }
    }

    /// Returns the version around which the stored rows vary.
    fn base(&self, known: &Knowledge) -> u64 {
        let newest = || known.newest.as_ref()?.as_ref().map(|newest| newest.version);
        let expected = known.expected.or(self.attempts.expectations.last().copied());
        expected.and_then(Expected::base).filter(|base| *base > 0).or_else(newest).unwrap_or(LOADED)
    }

    fn items(&self, known: &Knowledge) -> Vec<Row> {
        let schema = self.case.command.schema;
        let base = self.base(known);
        let mut rows = self.case.rows((base, base + 1));
        if needs_item(self.case.command) || schema.version.is_none() {
            return rows;
        }
        let next = base + 1;
        let wanted = [
            "nothing".to_owned(),
            format!("live {base} of a stranger"),
            format!("live {base}"),
            format!("dead {base}"),
            format!("live {next}"),
            format!("dead {next}"),
            format!("live {next}, own"),
            format!("live {base}, changed by a stranger"),
            "of another entity".to_owned(),
            format!("live {base}, held"),
            "a placeholder".to_owned(),
        ];
        rows.retain(|(name, _)| wanted.contains(name));
        rows
    }

    fn newest(&self) -> Vec<(String, Option<RawRevision>)> {
        let revision = |deleted| Some(RawRevision { version: 5, deleted, image: self.case.image(5, false) });
        vec![
            ("no revision".to_owned(), None),
            ("revision 5".to_owned(), revision(false)),
            ("revision 5, a deletion".to_owned(), revision(true)),
        ]
    }

    fn newest_after_item(&self, known: &Knowledge) -> Vec<(String, Option<RawRevision>)> {
        let base = self.base(known);
        let stored = known.item.clone().flatten();
        let stored =
            stored.or_else(|| self.case.command.versioned.as_ref()?.loaded.as_deref().cloned()).unwrap_or_default();
        let revision = |version, image| Some(RawRevision { version, deleted: false, image });
        vec![
            ("no revision".to_owned(), None),
            (format!("revision {}", base - 1), revision(base - 1, self.case.image(base - 1, false))),
            (format!("revision {base}, of what is there"), revision(base, stored)),
            (format!("revision {base}, of another item"), revision(base, self.case.image(base, false))),
            (format!("revision {}", base + 2), revision(base + 2, self.case.image(base + 2, false))),
        ]
    }

    fn revisions(&self, number: u64) -> Vec<(String, Option<RawRevision>)> {
        let is_delete = self.case.command.verb == Verb::Delete;
        let revision = |deleted, image| Some(RawRevision { version: number, deleted, image });
        let mut unnamed = self.case.image(number, false);
        unnamed.remove("w");
        let mut revisions = vec![("not there".to_owned(), None)];
        if self.case.own.is_some() {
            revisions.push(("own".to_owned(), revision(is_delete, self.case.image(number, true))));
        }
        revisions.push(("another's".to_owned(), revision(false, self.case.image(number, false))));
        revisions.push(("a deletion without a name".to_owned(), revision(true, unnamed)));
        revisions
    }

    /// Returns the answers to the put of a row, by the row that is stored already.
    fn puts<'q>(&self, put: &RevisionPut, known: &Knowledge) -> Vec<(String, Question<'q>, Knowledge)> {
        let RevisionPut { revision, is_stored } = put;
        let answer = |name: &str, stored: Option<RawRevision>| {
            let mut known = known.clone();
            let is_fresh = stored.is_none();
            let row = write_steps::HistoryRow { is_fresh, revision: stored.unwrap_or_else(|| revision.clone()) };
            known.revisions.insert(revision.version, Some(row));
            (name.to_owned(), Question::Compose, known)
        };
        let mut answers = vec![answer("it is put", None)];
        if *is_stored {
            return answers;
        }
        answers.push(answer("there already", Some(revision.clone())));
        if revision.image.contains_key("w") {
            let mut image = revision.image.clone();
            image.insert("n".to_owned(), rows::number(300));
            let copy = RawRevision { image, ..revision.clone() };
            answers.push(answer("there, from before a stranger's change", Some(copy)));
        }
        let image = self.case.image(revision.version, false);
        answers.push(answer("there, another's", Some(RawRevision { image, deleted: false, ..*revision })));
        answers
    }
}
