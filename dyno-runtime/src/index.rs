//! What the types of queries of secondary indexes are made of: what an index holds, and what can still be asked of its sort
//! key. They stand in types that the compiler shows, and need not be named.

pub use crate::command::{Asked, Held, Open, Partial, Parts, Ranged, ScannedIndex, Whole};
pub use crate::entity::{FitsIndex, SomeAttributes, WholeItems};
