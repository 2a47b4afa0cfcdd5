//! What speaks against a history.

use std::fmt;

/// Why a history was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// This cannot have happened: the harness has recorded something wrong.
    Malformed(String),
    /// No order of its transactions explains it.
    Anomalous(Vec<Anomaly>),
}

/// One thing that no order of transactions explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// What it is.
    pub kind: Kind,
    /// The transactions it consists of, by their ids; of a cycle, in its order.
    pub transactions: Vec<usize>,
    /// What is wrong, with the operations of these transactions.
    pub text: String,
}

/// What an anomaly is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A transaction does not see its own operations, or not the same twice.
    Internal,
    /// A list shows what nobody has appended to it.
    Garbage,
    /// G1a: a list shows an element of a transaction that has written nothing.
    AbortedRead,
    /// G1b: a list shows, of the last transaction in it, not all its appends.
    IntermediateRead,
    /// A list shows an element twice.
    Duplicate,
    /// Of two lists of one key, neither is how the other began.
    IncompatibleOrder,
    /// A transaction's appends to one key are in another order than it has made them.
    Misordered,
    /// An append was acknowledged, or seen, and is not there in the end.
    LostAppend,
    /// Of a transaction of unknown outcome, a part is there in the end.
    Fractured,
    /// Transactions of which each comes before the next, and the last before the first.
    Cycle(Cycle, Needs),
}

/// The dependencies that make a cycle, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cycle {
    /// Writes alone.
    G0,
    /// Writes, and reads of what was written.
    G1c,
    /// The same, and one read that does not show what was written next.
    GSingle,
    /// The same, and several such reads.
    G2Item,
}

/// Which order a cycle needs beside what was read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Needs {
    /// None: the history is not serializable.
    Data,
    /// That of one process after the other.
    Process,
    /// Real time: what has ended is before what starts then.
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
