//! Two releases of an entity, run against each other: each change of an entity, with each write command, in both directions. The
//! schema lock says of each change what it means, and it must be true.

mod attributes;
mod commands;
mod copied;
mod documents;
mod indexes;
mod keys;
mod lives;
mod memory;
mod options;
mod order;
mod pair;
mod promises;
mod release;
mod shapes;
mod stored;
mod table;
mod types;
