//! Properties: of every order of arrival, of every expression, of rows that others wrote, of many writers under every fault, and of
//! a transaction that is broken off at each of its requests.

mod attribution;
mod bank;
mod chronicles;
mod convergence;
mod crashes;
mod expressions;
mod fleet;
mod folded;
mod foretold;
mod generations;
mod increments;
mod large;
mod late;
mod lists;
mod locks;
mod mixture;
mod runs;
mod serializable;
mod strangers;
mod versions;
