//! The order of the rooms of each library.

use crate::circles::circles;
use crate::tree::{Arrow, Graph, Sources, graph};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A circle of more files is reported without its arrows, because the list would be too long to read.
const LISTED: usize = 12;

/// A library: its rooms from the bottom to the top, and the exceptions that it still needs.
pub(crate) struct Library {
    /// Each room with its files: a name that ends in `/` stands for a folder. If several names fit a file, the longest one
    /// counts.
    pub(crate) rooms: &'static [(&'static str, &'static [&'static str])],
    /// Arrows to a higher room that are allowed, from file to file, each with its reason; three at most.
    pub(crate) exceptions: &'static [(&'static str, &'static str, &'static str)],
    /// How many files the largest circle may have.
    pub(crate) largest_circle: usize,
}

impl Library {
    /// Returns every breach of the order as text, or an empty text.
    pub(crate) fn check(&self, sources: &Sources) -> String {
        let mut breaches = String::new();
        let Graph { files, arrows } = graph(sources);
        self.check_rooms(&files, &mut breaches);
        self.check_arrows(&arrows, &mut breaches);
        self.check_circles(&arrows, &mut breaches);
        breaches
    }

    /// Checks that each file is in a room, and that the files of each room exist.
    fn check_rooms(&self, all: &BTreeSet<String>, breaches: &mut String) {
        for file in all.iter().filter(|file| self.room(file).is_none()) {
            line(breaches, &format!("{file} is in no room: give it one"));
        }
        for (room, files) in self.rooms {
            for name in files.iter().filter(|name| !all.iter().any(|file| fits(name, file))) {
                line(breaches, &format!("the room `{room}` has no {name}: take it off"));
            }
        }
    }

    /// Checks that each arrow leads to its own room or to a lower one.
    fn check_arrows(&self, arrows: &[Arrow], breaches: &mut String) {
        let is_upward = |arrow: &&Arrow| self.room(&arrow.from) < self.room(&arrow.to);
        let mut used = vec![false; self.exceptions.len()];
        for Arrow { from, to, item, .. } in arrows.iter().filter(is_upward) {
            let is_of = |(one, other, _): &(&str, &str, &str)| from == one && to == other;
            if let Some(exception) = self.exceptions.iter().position(is_of) {
                used[exception] = true;
                continue;
            }
            let (lower, upper) = (self.title(from), self.title(to));
            line(breaches, &format!("{from} names `{item}` of {to}, which is above it: {lower} → {upper}"));
        }
        for ((from, to, _), _) in self.exceptions.iter().zip(used).filter(|(_, used)| !used) {
            line(breaches, &format!("the exception from {from} to {to} is needed no more: take it off"));
        }
        if self.exceptions.len() > 3 {
            line(breaches, "there are more than three exceptions");
        }
    }

    /// Checks the size of the circles. Re-exports make no circle, because each use of a re-exported name is followed to the
    /// definition of the name.
    fn check_circles(&self, arrows: &[Arrow], breaches: &mut String) {
        let named: Vec<&Arrow> = arrows.iter().filter(|arrow| !arrow.is_reexport).collect();
        let circles = circles(named.iter().map(|arrow| (arrow.from.as_str(), arrow.to.as_str())));
        for circle in circles.iter().filter(|circle| circle.len() > self.largest_circle) {
            line(breaches, &format!("{} files name one another:", circle.len()));
            if circle.len() > LISTED {
                line(breaches, &format!("  {}", circle.join(", ")));
                continue;
            }
            let is_within =
                |arrow: &&&Arrow| [&arrow.from, &arrow.to].iter().all(|file| circle.contains(&file.as_str()));
            for arrow in named.iter().filter(is_within) {
                line(breaches, &format!("  {} names `{}` of {}", arrow.from, arrow.item, arrow.to));
            }
        }
    }

    /// Returns the number of a file's room.
    fn room(&self, file: &str) -> Option<usize> {
        let names =
            self.rooms.iter().enumerate().flat_map(|(room, (_, names))| names.iter().map(move |name| (room, name)));
        let fitting = names.filter(|(_, name)| fits(name, file));
        fitting.max_by_key(|(_, name)| name.len()).map(|(room, _)| room)
    }

    fn title(&self, file: &str) -> &'static str {
        self.room(file).map_or("no room", |room| self.rooms[room].0)
    }
}

fn fits(name: &str, file: &str) -> bool {
    if name.ends_with('/') { file.starts_with(name) } else { file == name }
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("text can be written");
}
