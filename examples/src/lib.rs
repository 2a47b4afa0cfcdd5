//! What the examples share. The stories themselves are the files beside: `cargo run --example quickstart`.

pub mod events;
pub mod lossy;
