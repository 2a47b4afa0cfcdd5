//! Two releases that run against each other: each write command of one release, and what the other one reads then.

use crate::commands::{Command, Way, Wrote};
use crate::release::{Release, Seen, database};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Error, Item, Repository};

/// The columns of the table: a command in a way, and its name.
pub(crate) const COLUMNS: &[(&str, Command, Way)] = &[
    ("put", Command::Put, Way::Alone),
    ("create", Command::Create, Way::Alone),
    ("upsert", Command::Upsert, Way::Alone),
    ("batch put", Command::Batch, Way::Alone),
    ("put of the loaded item", Command::PutLoaded, Way::Alone),
    ("replace", Command::Replace, Way::Alone),
    ("update", Command::Update, Way::Alone),
    ("update of each attribute", Command::UpdateAll, Way::Alone),
    ("modify", Command::Modify, Way::Alone),
    ("modify_each", Command::ModifyEach, Way::Alone),
    ("delete", Command::Delete, Way::Alone),
    ("undelete", Command::Undelete, Way::Alone),
    ("rollback", Command::Rollback, Way::Alone),
    ("native put", Command::Put, Way::Native),
    ("native create", Command::Create, Way::Native),
    ("native upsert", Command::Upsert, Way::Native),
    ("native replace", Command::Replace, Way::Native),
    ("native update", Command::Update, Way::Native),
    ("native update of each attribute", Command::UpdateAll, Way::Native),
    ("native delete", Command::Delete, Way::Native),
    ("native undelete", Command::Undelete, Way::Native),
    ("client-side put", Command::Put, Way::ClientSide),
    ("client-side create", Command::Create, Way::ClientSide),
    ("client-side upsert", Command::Upsert, Way::ClientSide),
    ("client-side replace", Command::Replace, Way::ClientSide),
    ("client-side update", Command::Update, Way::ClientSide),
    ("client-side update of each attribute", Command::UpdateAll, Way::ClientSide),
    ("client-side delete", Command::Delete, Way::ClientSide),
    ("client-side undelete", Command::Undelete, Way::ClientSide),
    ("interactive put", Command::Closure, Way::Alone),
];

/// The promises that a rule makes to both releases, with two commands: the second one must be refused.
pub(crate) const PROMISES: &[(&str, Command, Command)] = &[
    ("a late write is refused", Command::PutNewer, Command::Put),
    ("a value is unique", Command::Create, Command::CreateOther),
    ("a repeated update is refused", Command::Keyed, Command::Keyed),
    ("an earlier lock holder is refused", Command::Fenced(2), Command::Fenced(1)),
];

/// What came of a command of one release and the reading of the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// A release lacks the command, or the rule of the promise.
    None,
    /// The other release reads what the first one has written, and would store the same.
    Good,
    /// The write was refused.
    Refused(String),
    /// The write ended in an error.
    Failed(String),
    /// The other release cannot read the item, or reads another one.
    Misread(String),
    /// The promise was broken.
    Broken,
    /// The new release cannot use the table of the old one.
    NoTable(String),
}

impl Cell {
    pub(crate) fn symbol(&self) -> char {
        match self {
            Self::None => '·',
            Self::Good => '+',
            Self::Refused(_) => 'r',
            Self::Failed(_) => '!',
            Self::Misread(_) | Self::Broken => '-',
            Self::NoTable(_) => 'x',
        }
    }

    pub(crate) fn is_good(&self) -> bool {
        matches!(self, Self::None | Self::Good)
    }

    /// What went wrong.
    pub(crate) fn detail(&self) -> Option<&str> {
        match self {
            Self::None | Self::Good => None,
            Self::Refused(text) | Self::Failed(text) | Self::Misread(text) | Self::NoTable(text) => Some(text),
            Self::Broken => Some("both writes are applied"),
        }
    }
}

/// The names of the columns.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let columns = COLUMNS.iter().map(|(name, ..)| *name).chain(PROMISES.iter().map(|(name, ..)| *name));
    columns.chain(["a conflict is noticed", "an item is found"])
}

/// Runs each command of `writer`. `old` is the release whose tables the other one has extended.
pub(crate) async fn run(writer: Release, other: Release, old: Release) -> Vec<Cell> {
    let run = Run { writer, other, old };
    // It tells which commands there are. Each command that is sent has a database of its own.
    let db = match run.tables().await {
        Ok(db) => db,
        Err(error) => return names().map(|_| Cell::NoTable(error.to_string())).collect(),
    };
    let mut cells = Vec::new();
    for (_, command, way) in COLUMNS {
        let exists = (writer.write)(*command, *way, &db).is_some();
        cells.push(if exists { run.cell(*command, *way).await } else { Cell::None });
    }
    for (_, first, second) in PROMISES {
        let exists = [writer, other].iter().all(|release| release.promises(*first, *second, &db));
        cells.push(if exists { run.promise(*first, *second).await } else { Cell::None });
    }
    cells.push(run.conflict().await);
    cells.push(run.found().await);
    cells
}

/// Two releases. The tables are those of the old one, as the new one has extended them.
#[derive(Clone, Copy)]
struct Run {
    writer: Release,
    other: Release,
    old: Release,
}

impl Run {
    /// A new database with the tables after a rollout.
    async fn tables(self) -> Result<Repository, Error> {
        let new = if self.old.name == self.writer.name { self.other } else { self.writer };
        let db = database();
        (self.old.create_table)(&db).await?;
        (new.create_table)(&db).await?;
        Ok(db)
    }

    async fn cell(self, command: Command, way: Way) -> Cell {
        let db = self.tables().await.expect("tables");
        for earlier in before(command) {
            // The other release has written the item.
            match (self.other.write)(*earlier, Way::Alone, &db) {
                None => return Cell::None,
                Some(sent) => match sent.await {
                    Wrote::Applied => {}
                    wrote => return Cell::Failed(format!("{earlier:?} of the other release: {wrote:?}")),
                },
            }
        }
        match (self.writer.write)(command, way, &db).expect("a command").await {
            Wrote::Applied => compare((self.writer.read)(&db).await, (self.other.read)(&db).await),
            Wrote::Refused(reason) => Cell::Refused(reason),
            Wrote::Failed(error) => Cell::Failed(error),
        }
    }

    async fn promise(self, first: Command, second: Command) -> Cell {
        let db = self.tables().await.expect("tables");
        if first == Command::Keyed {
            let _created = (self.other.write)(Command::Create, Way::Alone, &db).expect("a command").await;
        }
        match (self.writer.write)(first, Way::Alone, &db).expect("a command").await {
            Wrote::Applied => broken((self.other.write)(second, Way::Alone, &db).expect("a command").await),
            wrote => Cell::Failed(format!("{wrote:?}")),
        }
    }

    /// The writer changes the item after the other release has loaded it.
    async fn conflict(self) -> Cell {
        let db = self.tables().await.expect("tables");
        let Some(modify) = (self.writer.write)(Command::Modify, Way::Alone, &db) else { return Cell::None };
        let Some(put) = (self.other.put_after)(&db, modify) else { return Cell::None };
        let _created = (self.writer.write)(Command::Create, Way::Alone, &db).expect("a command").await;
        broken(put.await)
    }

    /// The other release looks for the item by an index.
    async fn found(self) -> Cell {
        let db = self.tables().await.expect("tables");
        let Some(find) = (self.other.find)(&db) else { return Cell::None };
        let _created = (self.writer.write)(Command::Create, Way::Alone, &db).expect("a command").await;
        match find.await {
            Ok(1) => Cell::Good,
            found => Cell::Misread(format!("{found:?}")),
        }
    }
}

impl Release {
    /// Returns true if the entity has both commands of a promise, and its rule.
    fn promises(self, first: Command, second: Command, db: &Repository) -> bool {
        // Without a ratchet, no put is newer.
        let is_ratcheted = first != Command::PutNewer || !self.schema.ratchets.is_empty();
        is_ratcheted && [first, second].iter().all(|command| (self.write)(*command, Way::Alone, db).is_some())
    }
}

/// The commands of the other release that come before.
fn before(command: Command) -> &'static [Command] {
    match command {
        Command::Undelete => &[Command::Create, Command::Delete],
        Command::Rollback => &[Command::Create, Command::PutLoaded],
        Command::Put | Command::Create | Command::Upsert | Command::Batch => &[],
        _ => &[Command::Create],
    }
}

fn broken(wrote: Wrote) -> Cell {
    match wrote {
        Wrote::Applied => Cell::Broken,
        Wrote::Refused(_) => Cell::Good,
        Wrote::Failed(error) => Cell::Failed(error),
    }
}

/// Compares what the writer and the other release read.
fn compare(own: Seen, other: Seen) -> Cell {
    match (own, other) {
        (Seen::Absent, Seen::Absent) => Cell::Good,
        (Seen::Item(own), Seen::Item(other)) => match difference("", &own, &other) {
            Some(difference) => Cell::Misread(difference),
            None => Cell::Good,
        },
        (Seen::Failed(error), _) => Cell::Misread(format!("its own release: {error}")),
        (_, Seen::Failed(error)) => Cell::Misread(error),
        (Seen::Item(_), Seen::Absent) => {
            Cell::Misread("live for its own release, and absent for the other one".to_owned())
        }
        (Seen::Absent, Seen::Item(_)) => {
            Cell::Misread("absent for its own release, and live for the other one".to_owned())
        }
    }
}

/// Returns the first value that is in both maps and is not the same.
fn difference(path: &str, own: &Item, other: &Item) -> Option<String> {
    let mut names: Vec<&String> = own.keys().filter(|name| other.contains_key(*name)).collect();
    names.sort();
    names.into_iter().find_map(|name| different_value(&format!("{path}{name}"), &own[name], &other[name]))
}

fn different_value(path: &str, own: &AttributeValue, other: &AttributeValue) -> Option<String> {
    match (own, other) {
        (AttributeValue::M(own), AttributeValue::M(other)) => difference(&format!("{path}."), own, other),
        (AttributeValue::L(own), AttributeValue::L(other)) if own.len() == other.len() => {
            let mut elements = own.iter().zip(other).enumerate();
            elements.find_map(|(index, (own, other))| different_value(&format!("{path}[{index}]"), own, other))
        }
        _ if own == other => None,
        _ => Some(format!("`{path}` is {own:?} for its own release, and {other:?} for the other one")),
    }
}
