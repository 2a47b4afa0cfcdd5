//! Properties: of every order of arrival, and of every expression.

mod convergence;
mod expressions;
mod versions;
