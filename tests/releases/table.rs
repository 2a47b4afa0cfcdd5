//! The table of the changes, and the check that the schema lock is right about them.

use crate::pair::{Cell, names, run};
use crate::release::Release;
use dyno::model::{Change, Impact};
use std::fmt::Write as _;

/// What the schema lock says of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Safe,
    Conditional,
    Breaking,
    /// The lock does not see the change. The page says so.
    Unseen,
}

/// Two releases, the change from the one to the other, and the change back.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) one: Release,
    pub(crate) other: Release,
    pub(crate) change: (&'static str, Verdict),
    pub(crate) back: Option<(&'static str, Verdict)>,
}

/// Declares pairs of releases: `one => other: the_change Safe, the_change_back Conditional;`.
macro_rules! pairs {
    ($($one:ident => $other:ident: $change:ident $verdict:ident $(, $back:ident $of_back:ident)?;)*) => {
        pub(crate) const PAIRS: &[crate::table::Pair] = &[$(crate::table::Pair {
            one: $one::RELEASE,
            other: $other::RELEASE,
            change: (stringify!($change), crate::table::Verdict::$verdict),
            back: crate::table::pairs!(@back $($back $of_back)?),
        }),*];
    };
    (@back) => { None };
    (@back $back:ident $of_back:ident) => { Some((stringify!($back), crate::table::Verdict::$of_back)) };
}
pub(crate) use pairs;

/// One change: its cells in both directions.
struct Row {
    name: &'static str,
    verdict: Verdict,
    changes: Vec<Change>,
    /// The new release reads what the old one writes, and the other way round.
    new_reads: Vec<Cell>,
    old_reads: Vec<Cell>,
}

impl Row {
    fn new(
        name: &'static str,
        verdict: Verdict,
        [old, new]: [Release; 2],
        [new_reads, old_reads]: [&[Cell]; 2],
    ) -> Self {
        let changes = (new.lock)().changes_since(&(old.lock)().to_string()).expect("a file");
        Self { name, verdict, changes, new_reads: new_reads.to_vec(), old_reads: old_reads.to_vec() }
    }

    fn said(&self) -> Option<Impact> {
        self.changes.iter().map(|change| change.impact).max()
    }

    fn line(&self) -> String {
        let cells = self.new_reads.iter().zip(&self.old_reads);
        let cells = cells.map(|(new, old)| format!("{}{}", new.symbol(), old.symbol())).collect::<Vec<_>>().join(" ");
        format!("{:<12}{cells} {}\n", format!("{:?}", self.verdict).to_lowercase(), self.name)
    }

    /// What the lock says, and what does not work.
    fn details(&self) -> String {
        let mut text = format!("\n{}\n", self.name);
        for change in &self.changes {
            let _ = writeln!(text, "- {change}");
        }
        for (who, cells) in [("new", &self.new_reads), ("old", &self.old_reads)] {
            if let [Cell::NoTable(error), ..] = &cells[..] {
                let _ = writeln!(text, "  no table for both: {error}");
                break;
            }
            let mut known: Vec<(&str, Vec<&str>)> = Vec::new();
            for (name, cell) in names().zip(cells) {
                let Some(detail) = cell.detail() else { continue };
                match known.iter_mut().find(|(other, _)| *other == detail) {
                    Some((_, names)) => names.push(name),
                    None => known.push((detail, vec![name])),
                }
            }
            for (detail, names) in known {
                let _ = writeln!(text, "  {who}, {}: {detail}", names.join(", "));
            }
        }
        text
    }

    /// What is wrong with the verdict.
    fn wrong(&self) -> Option<String> {
        let is_said = match self.verdict {
            Verdict::Safe => self.said().is_none_or(|said| said == Impact::Safe),
            Verdict::Conditional => self.said() == Some(Impact::Conditional),
            Verdict::Breaking => self.said() == Some(Impact::Breaking),
            Verdict::Unseen => self.said().is_none(),
        };
        let is_true = self.verdict != Verdict::Safe || self.new_reads.iter().chain(&self.old_reads).all(Cell::is_good);
        (!is_said || !is_true).then(|| format!("{:?} is wrong: {}", self.verdict, self.details()))
    }
}

/// Runs the pairs, and compares the table with the expected file.
pub(crate) async fn check(file: &str, pairs: &[Pair]) {
    let mut rows = Vec::new();
    for Pair { one, other, change, back } in pairs {
        let other_reads = run(*one, *other, *one).await;
        let one_reads = run(*other, *one, *one).await;
        rows.push(Row::new(change.0, change.1, [*one, *other], [&other_reads, &one_reads]));
        if let Some((name, verdict)) = back {
            rows.push(Row::new(name, *verdict, [*other, *one], [&one_reads, &other_reads]));
        }
    }
    let mut text = String::from("Columns:");
    for (column, name) in names().enumerate() {
        let _ = write!(text, "{} {} {name}", if column == 0 { "" } else { "," }, column + 1);
    }
    text.push_str("\n\n");
    let numbers = (1..=names().count()).map(|number| format!("{number:<2}")).collect::<Vec<_>>().join(" ");
    let _ = writeln!(text, "{:<12}{numbers}", "");
    text.extend(rows.iter().map(Row::line));
    text.extend(rows.iter().map(Row::details));
    let path = format!("{}/releases/expected/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &text).expect("written");
    }
    let wrong: Vec<String> = rows.iter().filter_map(Row::wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let expected = std::fs::read_to_string(&path).expect("the file").replace("\r\n", "\n");
    assert!(text == expected, "{path} differs: UPDATE_EXPECT=1 writes it. It would be\n{text}");
}
