//! Properties of every order of arrival, of every expression, of rows that other programs wrote, of many writers under every
//! fault, and of a transaction that is interrupted at each of its requests.

mod attribution;
mod bank;
mod convergence;
mod crashes;
mod expressions;
mod fleet;
mod immutable;
mod increments;
mod large_transactions;
mod late_attempts;
mod lists;
mod locks;
mod merged_writes;
mod mixed_operations;
mod predictions;
mod program_versions;
mod revisions;
mod runs;
mod serializable;
mod undeclared_attributes;
mod unique;
mod vectors;
mod versions;
