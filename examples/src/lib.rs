//! Code that the examples share. The examples are in the folder above: `cargo run --example quickstart`.

pub mod article_search;
pub mod events;
pub mod recipes;
pub mod sign_up;
pub mod subscriptions;
pub mod ticket_shop;
