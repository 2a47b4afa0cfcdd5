//! What `compose` and `verdict` say, as tables: for each entity of `schemas` and each of its commands (`commands`), what is sent,
//! and what each row that refuses it means (`rows`). Read them as who wants to break them: lost answers, clones at once, other
//! programs.
//!
//! ```text
//! # put of 3                    the command
//! any → send Loaded(3): put     what is composed; below `→ read …`, what follows from each answer
//! ## Loaded(3)                  what was sent expects this of the version
//! passes: live 3                these rows do not refuse it
//! live 4 | closed → refused: …  what is there | what other attempts have done → what comes next
//! ```
//!
//! What other attempts have done: `fresh` there was none; `closed` none may have been applied; `open` one may, that expected
//! the same; `further` one may, and a clone has come to other numbers. `any` is all of them. `together` is said where it differs
//! as a part of a transaction, whose attempts have a token. `as closed` stands for what is said without lost answers.
//!
//! The files are written anew with `UPDATE_EXPECT=1`.

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

/// Nothing is sent through it.
pub(super) fn repository() -> Repository {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("nowhere"))
        .credentials_provider(Credentials::new("nobody", "nothing", None, None, "dyno::tests"))
        .sleep_impl(ForEver);
    Repository::new(Client::from_conf(config.build()))
}

/// What a client demands, and never asks.
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
        let mut said = table::Said::default();
        let commands = commands(schema).into_iter();
        let tables = commands.map(|(named, command)| table::of(named, &command, &repository, &mut said));
        file::expect(name, &tables.collect::<Vec<_>>().join("\n"));
    }
}
