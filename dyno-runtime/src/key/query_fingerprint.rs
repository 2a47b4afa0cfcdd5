//! The fingerprint of a query or scan. A cursor or checkpoint comes back from outside the program and may continue only the query
//! or scan that made it, so it has the fingerprint. The fingerprint does not reveal the query.

use crate::error::Step;
use crate::expression::{Node, Operator, Path};
use crate::sorted;
use aws_sdk_dynamodb::types::AttributeValue;
use sha2::{Digest as _, Sha256};

/// The fingerprint of a table, an index, and a query or scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked([u8; Asked::BYTES]);

impl Asked {
    /// Enough bytes to keep two queries apart. The fingerprint is neither a secret nor a signature.
    pub(crate) const BYTES: usize = 16;

    pub(crate) fn bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    pub(crate) fn of_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }
}

/// Computes a fingerprint. Each part is hashed with its kind and its length, so that two different queries never hash the same
/// bytes.
pub(crate) struct Fingerprint(Sha256);

impl Fingerprint {
    pub(crate) fn new() -> Self {
        let mut this = Self(Sha256::new());
        // The version of the format. If you change the format, change the number.
        this.text("dyno 1");
        this
    }

    pub(crate) fn finish(self) -> Asked {
        let hash: [u8; 32] = self.0.finalize().into();
        let mut asked = [0; Asked::BYTES];
        asked.copy_from_slice(&hash[..Asked::BYTES]);
        Asked(asked)
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.0.update(number.to_be_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Adds elements whose order does not matter.
    fn set<'a>(&mut self, elements: impl Iterator<Item = &'a [u8]>) {
        let mut elements: Vec<&[u8]> = elements.collect();
        elements.sort_unstable();
        self.number(elements.len() as u64);
        for element in elements {
            self.bytes(element);
        }
    }

    pub(crate) fn value(&mut self, value: &AttributeValue) {
        match value {
            AttributeValue::S(text) => {
                self.number(0);
                self.text(text);
            }
            AttributeValue::N(number) => {
                self.number(1);
                self.text(number);
            }
            AttributeValue::B(bytes) => {
                self.number(2);
                self.bytes(bytes.as_ref());
            }
            AttributeValue::Bool(value) => self.number(if *value { 3 } else { 4 }),
            AttributeValue::Ss(texts) => {
                self.number(5);
                self.set(texts.iter().map(String::as_bytes));
            }
            AttributeValue::Ns(numbers) => {
                self.number(6);
                self.set(numbers.iter().map(String::as_bytes));
            }
            AttributeValue::Bs(blobs) => {
                self.number(7);
                self.set(blobs.iter().map(AsRef::as_ref));
            }
            AttributeValue::L(elements) => {
                self.number(8);
                self.number(elements.len() as u64);
                for element in elements {
                    self.value(element);
                }
            }
            AttributeValue::M(members) => {
                self.number(9);
                self.number(members.len() as u64);
                for (name, member) in sorted::entries(members) {
                    self.text(name);
                    self.value(member);
                }
            }
            // NULL, and types that this SDK does not know.
            _ => self.number(10),
        }
    }

    pub(crate) fn optional<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.number(u64::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn path(&mut self, path: &Path) {
        self.text(path.name());
        self.number(path.steps().len() as u64);
        for step in path.steps() {
            match step {
                Step::Name(name) => {
                    self.number(0);
                    self.text(name);
                }
                Step::Index(index) => {
                    self.number(1);
                    self.number(*index as u64);
                }
            }
        }
    }

    fn compared(&mut self, kind: u64, path: &Path, values: &[&AttributeValue]) {
        self.number(kind);
        self.path(path);
        self.number(values.len() as u64);
        for value in values {
            self.value(value);
        }
    }

    /// Adds a condition of the caller's.
    pub(crate) fn node(&mut self, node: &Node) {
        match node {
            Node::Compare(path, operator, value) => self.compared(operator_number(*operator), path, &[value]),
            Node::CompareSize(path, operator, value) => self.compared(10 + operator_number(*operator), path, &[value]),
            Node::Between(path, low, high) => self.compared(20, path, &[low, high]),
            Node::In(path, values) => self.compared(21, path, &values.iter().collect::<Vec<_>>()),
            Node::Exists(path) => self.compared(22, path, &[]),
            Node::NotExists(path) => self.compared(23, path, &[]),
            Node::BeginsWith(path, value) => self.compared(24, path, &[value]),
            Node::Contains(path, value) => self.compared(25, path, &[value]),
            Node::ComparePaths(one, operator, other) => {
                self.number(29);
                self.number(operator_number(*operator));
                self.path(one);
                self.path(other);
            }
            Node::Present(path) => self.compared(30, path, &[]),
            Node::Vacant(path) => self.compared(31, path, &[]),
            Node::IsType(path, kind) => {
                self.compared(32, path, &[]);
                self.text(kind);
            }
            Node::And(terms) => self.terms(26, terms),
            Node::Or(terms) => self.terms(27, terms),
            Node::Not(term) => {
                self.number(28);
                self.node(term);
            }
        }
    }

    fn terms(&mut self, kind: u64, terms: &[Node]) {
        self.number(kind);
        self.number(terms.len() as u64);
        for term in terms {
            self.node(term);
        }
    }
}

fn operator_number(operator: Operator) -> u64 {
    match operator {
        Operator::Eq => 0,
        Operator::Ne => 1,
        Operator::Lt => 2,
        Operator::Le => 3,
        Operator::Gt => 4,
        Operator::Ge => 5,
    }
}
