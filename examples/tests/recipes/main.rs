//! The recipes, driven as their users drive them: over a socket, by an event from a file, by several hosts at once.

mod foreign_times;
mod hot_rows;
mod lambda;
mod large_values;
mod nightly_job;
mod outbox;
mod rate_limit;
mod restore;
mod web;

use dyno::Repository;
use dyno::local::{Engine, Faults};

/// A repository and the network to its database.
fn database() -> Result<(Repository, Faults), dyno::Error> {
    let faults = Faults::new();
    let repository = Repository::new(Engine::in_memory()?.client_with(&faults));
    Ok((repository, faults))
}
