//! Content of a table's rows that the commands of an entity do not expect: the result of `inspect_table`.

use crate::error::foreign_text::one_line;
use std::collections::HashMap;
use std::fmt;

/// The most bytes of the name of an attribute in a message.
const NAME_BYTES: usize = 100;

/// What the rows of a table have that the commands of an entity do not expect: the result of
/// [`inspect_table`](crate::Repository::inspect_table). `Display` writes two lines for each finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "rows that do not fit are no error: see the findings"]
pub struct Inspection {
    /// The rows that were read.
    pub rows: u64,
    /// Whether these are all rows of the table.
    pub is_complete: bool,
    /// Those that are live items of the entity.
    pub live: u64,
    /// Those that are tombstones or placeholders.
    pub deleted: u64,
    /// Those whose TTL has passed.
    pub expired: u64,
    /// Those that are revisions of the entity's history, in the same table.
    pub revisions: u64,
    /// The findings, the most urgent first. Each finding counts live items, and [`OtherEntity`](RowFinding::OtherEntity) other
    /// rows.
    pub findings: Vec<Finding>,
}

/// Something that was found in some rows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The content.
    pub what: RowFinding,
    /// In how many rows it is.
    pub rows: u64,
    /// The key of one of these rows, as text for people.
    pub example: String,
}

/// Content of a row that the commands of an entity do not expect.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RowFinding {
    /// The row cannot be decoded: reads of it fail with this error. A row has a finding for each attribute that keeps it from being
    /// decoded, as far as they can be told apart. Beyond a hundred findings, `other problems` stands for the rest.
    Unreadable(String),
    /// The row has a value that is read, and cannot be written as it is, with this error: a time that is finer than the `format` of
    /// its field, for example, or an empty text in the template of an index's key. `update`, `delete`, `modify` and writes
    /// `over(&loaded)` keep the value as it is stored. A put without the loaded item ends in the error.
    NotWritable(String),
    /// The row has no version in this attribute, but something else: writes that expect a version are refused.
    InvalidVersion(&'static str),
    /// The row counts as deleted by this attribute, and still has other attributes than a tombstone: `create` and `put` replace it.
    /// Another program may mark deleted rows in the same way, and keep their data.
    DeletedWithData(&'static str),
    /// The row is live and has this attribute, which a rule of the entity uses: the write id, or the flag or the TTL of tombstones.
    /// A `put` removes or replaces it.
    RuleAttribute(&'static str),
    /// The TTL in this attribute is not in seconds: DynamoDB ignores it, and writes of the item end in an error.
    TtlNotInSeconds(&'static str),
    /// The row expired by this attribute more than five years ago. DynamoDB does not remove it, and reads skip it.
    ExpiredLongAgo(&'static str),
    /// The row has the shape of this earlier schema version. Reads upgrade it, and updates are refused.
    OlderShape(u32),
    /// The row lacks the version in this attribute, so it counts as version 0.
    NoVersion(&'static str),
    /// The row lacks this attribute, which is part of the key of this index, so the index does not have the row.
    NotInIndex {
        /// The name of the index.
        index: &'static str,
        /// The attribute that is missing.
        attribute: &'static str,
    },
    /// The row has a key of this index in this attribute that its fields do not make: another program has changed or removed a field and
    /// not the key, or spells keys in another way. Queries by the index find the row by the stored key, and miss it by the right one.
    StaleIndexKey {
        /// The name of the index.
        index: &'static str,
        /// The attribute with the key.
        attribute: &'static str,
    },
    /// The row lacks the ratchet's token in this attribute, so any write passes the ratchet.
    NoToken(&'static str),
    /// The row lacks the mark of its entity in this attribute, so dyno recognizes it by its key.
    NoMark(&'static str),
    /// The value of this attribute is stored in another form than that in which dyno stores it. Reads accept it, but conditions and
    /// filters compare the stored form.
    OtherForm(String),
    /// The entity does not declare this attribute. A `put` or `replace` of the row removes it. Beyond a hundred findings,
    /// `other attributes` stands for the rest.
    Undeclared(String),
    /// A document of the row has this member, which its type does not declare. A write of the whole document removes it.
    UndeclaredMember(String),
    /// The row lacks this attribute, whose field has a default. Reads return the default, and `modify_each` stores it.
    NoDefault(&'static str),
    /// The row belongs to no entity of this type, by its mark or the beginning of its key, which is named. Reads skip it.
    OtherEntity(String),
}

/// The work that a row needs before the commands of an entity accept it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Remedy {
    /// The row must be changed, or the entity must declare something else: dyno cannot read or write it as it is.
    ChangeTheRow,
    /// Run `modify_each` with an empty closure over the table.
    RunModifyEach,
    /// Declare the attribute or member, or collect it in a field with `#[attribute(rest)]`. Or change such rows only by commands
    /// that keep it: `update` and `modify`.
    Declare,
    /// Nothing: the commands work.
    Nothing,
}

impl RowFinding {
    /// Returns what has to be done.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Unreadable(_)
            | Self::NotWritable(_)
            | Self::InvalidVersion(_)
            | Self::DeletedWithData(_)
            | Self::RuleAttribute(_)
            | Self::TtlNotInSeconds(_)
            | Self::ExpiredLongAgo(_) => Remedy::ChangeTheRow,
            Self::OlderShape(_) | Self::NoVersion(_) | Self::NotInIndex { .. } | Self::StaleIndexKey { .. } => {
                Remedy::RunModifyEach
            }
            Self::Undeclared(_) | Self::UndeclaredMember(_) => Remedy::Declare,
            Self::NoToken(_) | Self::NoMark(_) | Self::NoDefault(_) | Self::OtherForm(_) | Self::OtherEntity(_) => {
                Remedy::Nothing
            }
        }
    }
}

impl fmt::Display for RowFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(problem) => write!(f, "cannot be read: {problem}"),
            Self::NotWritable(problem) => write!(f, "can be read, but not written unchanged: {problem}"),
            Self::OlderShape(version) => write!(f, "has the shape of schema version {version}"),
            Self::NoVersion(attribute) => write!(f, "has no version in `{attribute}`"),
            Self::NotInIndex { index, attribute } => {
                write!(f, "is not in the index `{index}`, because it lacks `{attribute}`")
            }
            Self::StaleIndexKey { index, attribute } => write!(
                f,
                "has a key in `{attribute}` that its fields do not produce, so `{index}` has it under a wrong key"
            ),
            Self::NoToken(attribute) => write!(f, "has no token in `{attribute}`, so any write passes the ratchet"),
            Self::NoMark(attribute) => write!(f, "has no mark in `{attribute}`, so the key decides"),
            Self::OtherForm(attribute) => {
                let attribute = one_line(attribute, NAME_BYTES);
                write!(
                    f,
                    "stores `{attribute}` in another form than dyno, and conditions and filters compare that form"
                )
            }
            Self::Undeclared(attribute) => {
                let attribute = one_line(attribute, NAME_BYTES);
                write!(f, "has `{attribute}`, which the entity does not declare, so a `put` or `replace` removes it")
            }
            Self::UndeclaredMember(member) => {
                let member = one_line(member, NAME_BYTES);
                write!(
                    f,
                    "has `{member}`, which the document's type does not declare, so a write of the document removes it"
                )
            }
            Self::NoDefault(attribute) => {
                write!(f, "lacks `{attribute}`, so reads return its default, and `modify_each` stores it")
            }
            Self::OtherEntity(kind) => {
                write!(f, "is not an item of the entity, since {}, so reads skip it", one_line(kind, NAME_BYTES))
            }
            Self::InvalidVersion(attribute) => {
                write!(f, "has a value in `{attribute}` that is not a version: a whole number from 0, stored as N")
            }
            Self::DeletedWithData(attribute) => {
                write!(f, "is deleted, by `{attribute}`, but has data, which a `create` or `put` replaces")
            }
            Self::RuleAttribute(attribute) => write!(
                f,
                "has `{attribute}`, which is an attribute of the entity's rules, so writes remove or replace it"
            ),
            Self::TtlNotInSeconds(attribute) => {
                write!(f, "has a TTL in `{attribute}` that is not in seconds: DynamoDB ignores it, and writes fail")
            }
            Self::ExpiredLongAgo(attribute) => {
                write!(f, "expired by `{attribute}` over five years ago: DynamoDB keeps it, and reads skip it")
            }
        }
    }
}

/// Returns what makes a row readable, by the end of the problem's text.
fn readable(problem: &str) -> &'static str {
    if problem.ends_with("found NULL") {
        ": declare an `Option`, or change the row"
    } else if problem.ends_with("found no attribute") {
        ": declare an `Option`, a `default` or an `alias`, or change the row"
    } else {
        ": declare its type, use a `with` module or `upgrade`, or change the row"
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, rows, example } = self;
        write!(f, "{rows} × {what}\n  for example {example}")?;
        if let RowFinding::Unreadable(problem) = what {
            return f.write_str(readable(problem));
        }
        match what.remedy() {
            Remedy::ChangeTheRow => f.write_str(": change the row or the entity"),
            Remedy::RunModifyEach => f.write_str(": run `modify_each(|_| {})`"),
            Remedy::Declare => f.write_str(": declare it, add a `rest` field, or use only `update` and `modify`"),
            Remedy::Nothing => Ok(()),
        }
    }
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, is_complete, live, deleted, expired, revisions, findings } = self;
        f.write_str(if *is_complete { "" } else { "the first " })?;
        write!(f, "{rows} rows: {live} live, {deleted} deleted, {expired} expired, {revisions} revisions")?;
        findings.iter().try_for_each(|finding| write!(f, "\n{finding}"))
    }
}

/// The number of findings from which on further findings of a kind that contains the content of rows are one.
const FINDINGS: usize = 100;

/// The findings so far.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) inspection: Inspection,
    findings: HashMap<RowFinding, (u64, String)>,
}

impl Tally {
    /// Adds a finding in the row of this key.
    pub(super) fn add(&mut self, what: RowFinding, key: impl FnOnce() -> String) {
        // A problem can contain a value, and each row can have attributes of its own.
        let what = match what {
            what if self.findings.len() < FINDINGS || self.findings.contains_key(&what) => what,
            RowFinding::Unreadable(_) => RowFinding::Unreadable("other problems".to_owned()),
            RowFinding::NotWritable(_) => RowFinding::NotWritable("other problems".to_owned()),
            RowFinding::Undeclared(_) => RowFinding::Undeclared("other attributes".to_owned()),
            RowFinding::UndeclaredMember(_) => RowFinding::UndeclaredMember("other members".to_owned()),
            RowFinding::OtherEntity(_) => RowFinding::OtherEntity("it is of another kind".to_owned()),
            what => what,
        };
        self.findings.entry(what).or_insert_with(|| (0, key())).0 += 1;
    }

    /// Returns the result, the most urgent and then the most frequent findings first.
    pub(super) fn finish(self) -> Inspection {
        let findings = self.findings.into_iter().map(|(what, (rows, example))| Finding { what, rows, example });
        let mut findings: Vec<_> = findings.collect();
        findings.sort_by(|one, other| {
            let urgency = |finding: &Finding| (finding.what.remedy(), std::cmp::Reverse(finding.rows));
            urgency(one).cmp(&urgency(other)).then_with(|| one.what.cmp(&other.what))
        });
        Inspection { findings, ..self.inspection }
    }
}
