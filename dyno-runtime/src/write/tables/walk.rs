//! One question after the other, with every answer that a read, or a row that is put first, can have.

use super::commands::LOADED;
use super::rows::{self, By, NOW, Row};
use super::words;
use crate::attribute::Item;
use crate::exchange::Repository;
use crate::read::Table;
use crate::rule::{Expected, RawRevision, Verb};
use crate::schema::Tables;
use crate::write::compose::{Given, compose, is_read_first};
use crate::write::verdict::{foresee, verdict};
use crate::write::write_command::WriteCommand;
use crate::write::write_steps::{self, Again, Denial, Frame, Knowledge, Next, Part, Read, Setting, Side, Tried};
use std::cell::RefCell;

/// More steps than any write takes.
const STEPS: usize = 12;

/// A write, and where it goes.
pub(super) struct Case<'a> {
    pub(super) command: &'a WriteCommand,
    pub(super) own: Option<String>,
    tables: Tables,
    history: Option<Table<'a>>,
}

impl<'a> Case<'a> {
    pub(super) fn new(command: &'a WriteCommand, repository: &'a Repository) -> Self {
        let schema = command.schema;
        let name = |is_there: bool, name: &str| is_there.then(|| name.to_owned());
        let tables = Tables {
            main: "things".to_owned(),
            history: name(schema.history.is_some(), "things-history"),
            keys: name(matches!(schema.key_store(), Some(crate::schema::Store::Row { .. })), "things-idempotency"),
        };
        let history = Table::of(schema, &tables, repository).filter(|_| command.versioned.is_some());
        // An unchecked write, and a check, leave no name.
        let is_named =
            !matches!(command.verb, Verb::Check { .. }) && !matches!(command.expected(), Ok(Some(Expected::Unchecked)));
        let own = command.write_id().expect("a name").filter(|_| is_named);
        Self { command, own, tables, history }
    }

    pub(super) fn frame<'f>(&'f self, known: &'f Knowledge, tried: &'f Tried, setting: &'f Setting) -> Frame<'f> {
        let schema = self.command.schema;
        Frame { known, tried, schema, tables: &self.tables, history: self.history.as_ref(), now: NOW, setting }
    }

    pub(super) fn rows(&self, numbers: (u64, u64)) -> Vec<Row> {
        let mut rows = rows::rows(self.command.schema, numbers, self.own.as_deref());
        if let Some(own) = self.own.as_deref().filter(|_| is_read_first(self.command)) {
            rows.extend(rows::without_the_element(self.command.schema, numbers, own));
        }
        rows
    }

    /// The item of a version, as this very write has left it, or another.
    pub(super) fn image(&self, version: u64, is_own: bool) -> Item {
        let by = match &self.own {
            Some(own) if is_own => By::Own(own),
            _ => By::Another,
        };
        rows::by(self.command.schema, version, by)
    }
}

/// What is asked.
#[derive(Clone, Copy)]
pub(super) enum Question<'a> {
    Compose,
    Judge(&'a Part, &'a Denial),
    Foresee(&'a Part),
}

/// What comes next, and what after each answer to that.
#[derive(Clone, PartialEq)]
pub(super) struct Tree {
    pub(super) text: String,
    pub(super) below: Vec<(String, Tree)>,
}

fn leaf(text: String) -> Tree {
    Tree { text, below: Vec::new() }
}

/// What was composed, and what is known then.
pub(super) type Composed = (Part, Knowledge);

/// Asks, in one setting, with what other attempts have done.
pub(super) struct Walk<'a> {
    pub(super) case: &'a Case<'a>,
    pub(super) setting: &'a Setting,
    pub(super) tried: &'a Tried,
    /// All that was composed on the way.
    pub(super) composed: &'a RefCell<Vec<Composed>>,
}

impl Walk<'_> {
    pub(super) fn walk(&self, question: Question<'_>, known: &Knowledge) -> Tree {
        self.step(question, known, STEPS)
    }

    /// # Panics
    /// There is no end to it.
    fn step(&self, question: Question<'_>, known: &Knowledge, steps: usize) -> Tree {
        assert!(steps > 0, "there is no end to it");
        let frame = self.case.frame(known, self.tried, self.setting);
        let next = match question {
            Question::Compose => compose(Given::Lent(self.case.command), &frame),
            Question::Judge(part, denial) => Ok(verdict(part, denial, &frame)),
            Question::Foresee(part) => Ok(foresee(part, &frame)),
        };
        let next = match next {
            Ok(next) => next,
            Err(error) => return leaf(format!("error: {error}")),
        };
        let text = words::next(&next, question, known, self.setting);
        let below = match next {
            // From here on, other writers change the item between the requests: `drive_writes` counts how often.
            Next::Read(Read::Newest) if known.newest.is_some() => Vec::new(),
            Next::Read(read) => self.reads(read, question, known),
            Next::First(side) => self.puts(&side, known),
            // `drive_writes` counts how long it is held.
            Next::Fine | Next::Done(_) | Next::Again(Again::Held(_)) => Vec::new(),
            Next::Again(again) => {
                let mut known = known.clone();
                known.follow(again);
                vec![("then".to_owned(), Question::Compose, known)]
            }
            Next::Send(part, _) => {
                let mut known = known.clone();
                known.fade();
                known.expected = part.write.expected;
                self.composed.borrow_mut().push((*part, known));
                Vec::new()
            }
        };
        let below = below.into_iter().map(|(answer, question, known)| (answer, self.step(question, &known, steps - 1)));
        Tree { text, below: below.collect() }
    }

    /// What can be read.
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
            Read::Newest | Read::Ahead => {
                let revisions = if read == Read::Newest { self.newest() } else { self.ahead(known) };
                let learn = |known: &mut Knowledge, revision: &Option<RawRevision>| {
                    known.newest = Some(revision.clone());
                    if read == Read::Newest {
                        known.item = None;
                    }
                };
                let revisions = revisions.into_iter();
                revisions.map(|(name, revision)| answered(name, &|known| learn(known, &revision))).collect()
            }
            Read::Revision(number) => {
                let row = |revision: RawRevision| write_steps::Row { revision, is_fresh: false };
                let revisions = self.revisions(number).into_iter();
                let learned = revisions.map(|(name, revision)| {
                    answered(name, &|known| drop(known.rows.insert(number, revision.clone().map(row))))
                });
                learned.collect()
            }
        }
    }

    /// The number that is in question.
    fn base(&self, known: &Knowledge) -> u64 {
        let newest = || known.newest.as_ref()?.as_ref().map(|newest| newest.version);
        let expected = known.expected.or(self.tried.reached.last().copied());
        expected.and_then(Expected::base).filter(|base| *base > 0).or_else(newest).unwrap_or(LOADED)
    }

    fn items(&self, known: &Knowledge) -> Vec<Row> {
        let schema = self.case.command.schema;
        let base = self.base(known);
        let mut rows = self.case.rows((base, base + 1));
        if is_read_first(self.case.command) || schema.version.is_none() {
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

    fn ahead(&self, known: &Knowledge) -> Vec<(String, Option<RawRevision>)> {
        let base = self.base(known);
        let there = known.item.clone().flatten();
        let there = there.or_else(|| self.case.command.versioned.as_ref()?.loaded.clone()).unwrap_or_default();
        let revision = |version, image| Some(RawRevision { version, deleted: false, image });
        vec![
            ("no revision".to_owned(), None),
            (format!("revision {}", base - 1), revision(base - 1, self.case.image(base - 1, false))),
            (format!("revision {base}, of what is there"), revision(base, there)),
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

    /// What can be in the place of a row that is to be put first.
    fn puts<'q>(&self, side: &Side, known: &Knowledge) -> Vec<(String, Question<'q>, Knowledge)> {
        let put = |name: &str, there: Option<RawRevision>| {
            let mut known = known.clone();
            let row = write_steps::Row { is_fresh: there.is_none(), revision: there.unwrap_or(side.revision.clone()) };
            known.rows.insert(side.revision.version, Some(row));
            (name.to_owned(), Question::Compose, known)
        };
        let mut answers = vec![put("it is put", None)];
        if side.is_there {
            return answers;
        }
        answers.push(put("there already", Some(side.revision.clone())));
        if side.revision.image.contains_key("w") {
            let mut image = side.revision.image.clone();
            image.insert("n".to_owned(), rows::number(300));
            let copy = RawRevision { image, ..side.revision.clone() };
            answers.push(put("there, from before a stranger's change", Some(copy)));
        }
        let image = self.case.image(side.revision.version, false);
        answers.push(put("there, another's", Some(RawRevision { image, deleted: false, ..side.revision })));
        answers
    }
}
