//! Generated code compiles anywhere: without a prelude, beside types with the names of the standard library's, and under
//! strict lints. Its documentation and the pages of the guide are correct.

mod audit;
mod documentation;
mod example_code;
mod examples;
mod indexed;
mod messages;
mod own_methods;
mod pages;
mod protocol;
mod readme;
mod retry_limits;
mod shadowed;
mod strict;
mod weight;

mod without_prelude;
