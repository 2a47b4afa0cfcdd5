//! The expressions of paths: updates and projections.

use super::expression::{Operand, Parsed, Parser, Step};
use std::collections::BTreeSet;

impl Parser<'_> {
    pub(super) fn projection(&mut self) -> Parsed<()> {
        loop {
            let path = self.path()?;
            self.found.targets.push(path);
            if !self.takes(",") {
                return Ok(());
            }
        }
    }

    pub(super) fn update(&mut self) -> Parsed<()> {
        let mut clauses = BTreeSet::new();
        while !self.peek().is_empty() {
            let clause = self.next().to_ascii_uppercase();
            loop {
                let target = self.path()?;
                match clause.as_str() {
                    "SET" => {
                        self.expect("=")?;
                        self.sum()?;
                    }
                    "REMOVE" => {}
                    "ADD" | "DELETE" => {
                        let operand = self.value()?.ok_or("Syntax error: no value")?;
                        let allowed: &[&str] =
                            if clause == "ADD" { &["N", "NS", "SS", "BS"] } else { &["NS", "SS", "BS"] };
                        self.kinds(&clause, [&operand], allowed);
                    }
                    other => return Err(format!("Syntax error; token: {other}")),
                }
                self.found.targets.push(target);
                if !self.takes(",") {
                    break;
                }
            }
            if !clauses.insert(clause.clone()) {
                self.fault(format!("The \"{clause}\" section can only be used once in an update expression"));
            }
        }
        if clauses.is_empty() { Err("The expression can not be empty".to_owned()) } else { Ok(()) }
    }

    /// The right side of an assignment.
    fn sum(&mut self) -> Parsed<()> {
        let first = self.term()?;
        if self.takes("+") || self.takes("-") {
            self.found.operators += 1;
            let second = self.term()?;
            self.kinds("+ or -", [&first, &second], &["N"]);
        }
        Ok(())
    }

    fn term(&mut self) -> Parsed<Operand> {
        if self.tokens.get(self.at + 1) != Some(&"(") {
            return self.operand();
        }
        let function = self.next().to_ascii_lowercase();
        let operands = self.list(Self::term)?;
        match (function.as_str(), &operands[..]) {
            ("if_not_exists", [Operand::Path(_), _]) => {}
            ("list_append", [_, _]) => self.kinds(&function, &operands, &["L"]),
            _ => self.fault(format!("Invalid function or operands: {function}")),
        }
        Ok(Operand::Computed)
    }

    /// Checks that no target is equal to another, is in another, or takes for a list what another takes for a map.
    pub(super) fn overlaps(&mut self) {
        let targets = std::mem::take(&mut self.found.targets);
        for (number, one) in targets.iter().enumerate() {
            for other in &targets[number + 1..] {
                match one.iter().zip(other).find(|(one, other)| one != other) {
                    None => self.fault(format!("Two document paths overlap with each other: {one:?} {other:?}")),
                    Some((Step::Name(_), Step::Index(_)) | (Step::Index(_), Step::Name(_))) => {
                        self.fault(format!("Two document paths conflict with each other: {one:?} {other:?}"));
                    }
                    Some(_) => {}
                }
            }
        }
        self.found.targets = targets;
    }
}
