//! Generated code stands anywhere: without a prelude, beside types with the names of the standard library's, among
//! strict lints. And its documentation tells the truth.

mod documentation;
mod example_code;
mod indexed;
mod pages;
mod protocol;
mod readme;
mod retry_limits;
mod shadowed;
mod strict;

mod without_prelude;
