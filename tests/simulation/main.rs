//! Properties: of every order of arrival, of every expression, and of many writers under every fault.

mod convergence;
mod expressions;
mod generations;
mod increments;
mod lists;
mod runs;
mod versions;
