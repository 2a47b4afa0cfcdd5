//! The files of recorded requests, one for each module of tests: first the catalogue of the forms, then a line for each
//! world of each test. The worlds of [`flows`](super::flows) have their requests in full below their lines.

use super::catalogue::{Catalogue, Id};
use super::entry::{self, Requests};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

const HEAD: &str = "# What the tests of this module send; tests/README.md explains it. `UPDATE_EXPECT=1` writes it.\n";
const MARGIN: &str = "  ";
const WORLD: &str = ", world ";

/// A test, and which of its worlds it is, from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Heading(pub(super) String, pub(super) usize);

impl fmt::Display for Heading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            1 => f.write_str(&self.0),
            world => write!(f, "{}{WORLD}{world}", self.0),
        }
    }
}

impl Heading {
    fn parse(heading: &str) -> Self {
        let world = heading.split_once(WORLD).and_then(|(test, world)| Some((test, world.parse().ok()?)));
        let (test, world) = world.unwrap_or((heading, 1));
        Self(test.to_owned(), world)
    }

    /// The module of the test, which is the name of its file.
    fn module(&self) -> String {
        self.0.split("::").next().unwrap_or_default().to_owned()
    }
}

/// The requests of one world as they are in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) line: String,
    /// The requests in full, if they are shown.
    pub(super) texts: Vec<String>,
}

/// A file, and the requests that this process has sent for its tests.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The forms as they were before this process wrote the file.
    pub(super) catalogue: Catalogue,
    /// The recorded entries. Once the file is written, only the entries of tests that did not run.
    pub(super) entries: BTreeMap<Heading, Entry>,
    sent: BTreeMap<Heading, (Requests, Vec<String>)>,
    sent_forms: BTreeSet<String>,
}

/// Each module whose file this process has read.
static MODULES: Mutex<BTreeMap<String, Module>> = Mutex::new(BTreeMap::new());

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "behaviour", "requests"].iter().collect()
}

fn path(module: &str) -> PathBuf {
    folder().join(module).with_extension("txt")
}

fn modules() -> MutexGuard<'static, BTreeMap<String, Module>> {
    MODULES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Uses a module. Its file is read once: later writes start from the same catalogue, so the ids do not depend on the order
/// in which the tests end.
fn with<T>(module: &str, use_it: impl FnOnce(&mut Module) -> T) -> T {
    let mut modules = modules();
    let read = || Module::parse(&fs::read_to_string(path(module)).unwrap_or_default());
    use_it(modules.entry(module.to_owned()).or_insert_with(read))
}

/// Describes how the requests of a world differ from the recorded ones; `None` if they are the same.
pub(super) fn difference(heading: &Heading, requests: &Requests, texts: &[String]) -> Option<String> {
    with(&heading.module(), |module| {
        let recorded = module.entries.get(heading).cloned().unwrap_or_default();
        let sent = Entry { line: requests.line(&module.catalogue), texts: texts.to_vec() };
        (recorded != sent).then(|| {
            let mut message = requests.difference(&recorded.line, &module.catalogue);
            let shown = recorded.texts.iter().zip(texts).find(|(recorded, sent)| recorded != sent);
            if let Some((recorded, sent)) = shown {
                let _infallible = write!(message, "\nrecorded in full:\n  {recorded}\nsent:\n  {sent}");
            }
            message
        })
    })
}

/// Writes the requests of a world into the file of its module.
pub(super) fn write(heading: Heading, requests: Requests, texts: Vec<String>) {
    let name = heading.module();
    with(&name, |module| {
        module.entries.retain(|known, _| known.0 != heading.0);
        module.sent_forms.extend(requests.forms().cloned());
        module.sent.insert(heading, (requests, texts));
        module.write(&name);
    });
}

/// The headings of tests that are not in `tests`, and the ids that no entry uses. With `UPDATE_EXPECT=1` they are removed.
pub(super) fn stale(tests: &BTreeSet<String>) -> Vec<String> {
    let mut stale = Vec::new();
    for file in fs::read_dir(folder()).expect("the folder of the recorded requests") {
        let path = file.expect("a file").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        with(&name, |module| {
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                module.entries.retain(|heading, _| tests.contains(&heading.0));
                module.write(&name);
                return;
            }
            stale.extend(module.entries.keys().filter(|heading| !tests.contains(&heading.0)).map(Heading::to_string));
            let used: BTreeSet<&str> = module.entries.values().flat_map(|entry| entry::ids(&entry.line)).collect();
            let ids = module.catalogue.by_id().into_keys().map(Id::to_string);
            stale.extend(ids.filter(|id| !used.contains(id.as_str())).map(|id| format!("{id} of {name}.txt")));
        });
    }
    stale
}

impl Module {
    fn parse(text: &str) -> Self {
        let mut module = Self::default();
        let mut heading = None;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let last = heading.as_ref().and_then(|heading| module.entries.get_mut(heading));
            match (line.strip_prefix(MARGIN), last, line.split_once(": ")) {
                // An action of the transaction above.
                (Some(text), Some(Entry { texts, .. }), _) if text.starts_with(MARGIN) => {
                    texts.last_mut().expect("a request").extend(["\n", MARGIN, text]);
                }
                (Some(text), Some(Entry { texts, .. }), _) => texts.push(text.to_owned()),
                (None, _, Some((of, line))) if of.contains("::") => {
                    let entry = Entry { line: line.to_owned(), texts: Vec::new() };
                    module.entries.insert(heading.insert(Heading::parse(of)).clone(), entry);
                }
                (None, _, Some((id, form))) => module.catalogue.insert(Id::parse(id).expect("an id"), form),
                _ => {}
            }
        }
        module
    }

    /// Writes the file: the entries of this process, and those of tests that did not run.
    fn write(&self, name: &str) {
        let forms: BTreeMap<_, _> =
            self.catalogue.by_id().into_iter().map(|(id, form)| (id.to_string(), form)).collect();
        let of_others = self.entries.values().flat_map(|entry| entry::ids(&entry.line));
        let of_others = of_others.filter_map(|id| forms.get(id)).map(|form| (*form).to_owned());
        let catalogue = self.catalogue.renewed(&of_others.chain(self.sent_forms.iter().cloned()).collect());
        let mut entries = self.entries.clone();
        for (heading, (requests, texts)) in &self.sent {
            let entry = Entry { line: requests.line(&catalogue), texts: texts.clone() };
            entries.insert(heading.clone(), entry);
        }
        entries.retain(|_, entry| !entry.line.is_empty());
        fs::create_dir_all(folder()).expect("the folder of the recorded requests");
        if entries.is_empty() {
            // The file may not exist.
            drop(fs::remove_file(path(name)));
        } else {
            fs::write(path(name), render(&catalogue, &entries)).expect("the file of the recorded requests");
        }
    }
}

fn render(catalogue: &Catalogue, entries: &BTreeMap<Heading, Entry>) -> String {
    let mut text = HEAD.to_owned();
    for (id, form) in catalogue.by_id() {
        let _infallible = writeln!(text, "{id}: {form}");
    }
    text.push('\n');
    for (heading, entry) in entries {
        let _infallible = writeln!(text, "{heading}: {}", entry.line);
        for request in &entry.texts {
            let _infallible = writeln!(text, "{MARGIN}{request}");
        }
    }
    text
}
