//! Tables of the steps of `compose` and `verdict`: for each entity of `schemas` and each of its commands (`commands`), the
//! request that is sent, and the verdict on each row that denies it (`rows`). Read them as someone who wants to break them: think
//! of lost answers, of clones that are sent at once, and of other programs.
//!
//! ```text
//! # put of 3                    the command
//! any → send Loaded(3): put     the composed step; after `→ read …`, one line for each answer
//! ## Loaded(3)                  the version that the request expects
//! passes: live 3                the rows that do not deny it
//! live 4 | closed → refused: …  the stored row | the other attempts → the next step
//! ```
//!
//! The other attempts: with `fresh` there was none; with `closed` none may have been applied; with `open` one may have been,
//! which expected the same version; with `further` one may have been, and a clone has tried a later number. `any` stands for all
//! of them. A line `together` shows where an action of a transaction differs, because its attempts have a token. `as closed`
//! stands for the step without a lost answer.
//!
//! `UPDATE_EXPECT=1` writes the files again.

mod commands;
mod file;
mod properties;
mod rows;
mod schemas;
mod table;
mod walk;
mod words;

use crate::exchange::Repository;
use aws_sdk_dynamodb::config::{AsyncSleep, BehaviorVersion, Credentials, Region, Sleep};
use aws_sdk_dynamodb::{Client, Config};
use commands::{ENTITIES, commands};
use std::future::pending;
use std::time::Duration;

/// A repository through which nothing is sent.
pub(super) fn repository() -> Repository {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("nowhere"))
        .credentials_provider(Credentials::new("nobody", "nothing", None, None, "dyno::tests"))
        .sleep_impl(ForEver);
    Repository::new(Client::from_conf(config.build()))
}

/// The sleep that a client requires, and never uses.
#[derive(Debug)]
struct ForEver;

impl AsyncSleep for ForEver {
    fn sleep(&self, _: Duration) -> Sleep {
        Sleep::new(pending())
    }
}

#[test]
fn each_step_of_a_write_matches_its_table() {
    let repository = repository();
    for (name, schema) in ENTITIES {
        let mut printed = table::Printed::default();
        let commands = commands(schema).into_iter();
        let tables = commands.map(|(named, command)| table::of(named, &command, &repository, &mut printed));
        file::expect(name, &tables.collect::<Vec<_>>().join("\n"));
    }
}
