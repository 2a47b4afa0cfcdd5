//! Properties: of every order of arrival, of every expression, of rows that others wrote, and of many writers under every
//! fault.

mod attribution;
mod convergence;
mod expressions;
mod folded;
mod foretold;
mod generations;
mod increments;
mod lists;
mod locks;
mod runs;
mod serializable;
mod strangers;
mod versions;
