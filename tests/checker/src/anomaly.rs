//! The anomalies of a history.

use std::fmt;

/// Why a history was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The history cannot have happened: the harness has recorded something wrong.
    Malformed(String),
    /// No order of the history's transactions explains it.
    Anomalous(Vec<Anomaly>),
}

/// One fact that no order of transactions explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// The kind of anomaly.
    pub kind: Kind,
    /// The ids of the transactions in it. For a cycle, in the order of the cycle.
    pub transactions: Vec<usize>,
    /// A description, with the operations of these transactions.
    pub text: String,
}

/// The kind of an anomaly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A transaction does not read its own appends, reads them too early, or reads two states of one list.
    Internal,
    /// A list shows an element that no transaction appended to it.
    Garbage,
    /// G1a: a list shows an element of a transaction that wrote nothing.
    AbortedRead,
    /// G1b: a list ends with some, but not all, of the appends of one transaction.
    IntermediateRead,
    /// A list shows an element twice.
    Duplicate,
    /// Two lists of one key, neither of which is a prefix of the other.
    IncompatibleOrder,
    /// A transaction's appends to one key are in another order than the transaction made them.
    Misordered,
    /// An append was acknowledged, or read, and is missing from the final list.
    LostAppend,
    /// A transaction of unknown outcome is only partly in the final lists.
    Fractured,
    /// A cycle of transactions: each comes before the next, and the last before the first.
    Cycle(Cycle, Needs),
}

/// The dependencies in a cycle, the worst kind first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cycle {
    /// Only appends, each right after another transaction's.
    G0,
    /// Appends, and reads of what was appended.
    G1c,
    /// The same, and one read that misses the next append.
    GSingle,
    /// The same, and several reads that miss the next append.
    G2Item,
}

/// Which order a cycle needs, in addition to that of appends and reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Needs {
    /// No other order: the history is not serializable.
    Data,
    /// The order in which one process sends its transactions.
    Process,
    /// Real time: a transaction that has ended comes before one that starts later.
    RealTime,
}

impl Anomaly {
    pub(crate) fn new(kind: Kind, transactions: Vec<usize>, text: String) -> Self {
        Self { kind, transactions, text }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Internal => f.write_str("internal"),
            Self::Garbage => f.write_str("garbage"),
            Self::AbortedRead => f.write_str("G1a"),
            Self::IntermediateRead => f.write_str("G1b"),
            Self::Duplicate => f.write_str("duplicate"),
            Self::IncompatibleOrder => f.write_str("incompatible-order"),
            Self::Misordered => f.write_str("misordered"),
            Self::LostAppend => f.write_str("lost-append"),
            Self::Fractured => f.write_str("fractured"),
            Self::Cycle(cycle, needs) => write!(f, "{cycle}{needs}"),
        }
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::G0 => "G0",
            Self::G1c => "G1c",
            Self::GSingle => "G-single",
            Self::G2Item => "G2-item",
        })
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Data => "",
            Self::Process => "-process",
            Self::RealTime => "-realtime",
        })
    }
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.text)
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(why) => write!(f, "not a history: {why}"),
            Self::Anomalous(anomalies) => {
                for (at, anomaly) in anomalies.iter().enumerate() {
                    write!(f, "{}{anomaly}", if at == 0 { "" } else { "\n" })?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Rejection {}
