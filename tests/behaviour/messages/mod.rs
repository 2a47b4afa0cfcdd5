//! Every message of the runtime that a user can meet, in one place to read: `messages.txt` has each situation with its message.
//! `UPDATE_EXPECT=1` writes that file. The compiler's messages are in `tests/ui`.

mod doubt;
mod input;
mod locks;
mod refusals;
mod requests;
mod shop;
mod stored;
mod transactions;
mod warnings;

use dyno::{Error, Outcome};
use std::fmt::{Display, Write as _};

const HEAD: &str = "\
# Messages of dyno-runtime

Each entry is a situation, and below it the message that a program logs. The test `behaviour/messages` makes the situations in the
embedded engine, and compares. UPDATE_EXPECT=1 writes this file. (The messages of the compiler are in tests/ui/**/*.stderr.)
";

/// What is noted if a situation has no message.
const NONE: &str = "none";

/// The situations so far, each with its message.
struct Messages(String);

impl Messages {
    fn group(&mut self, name: &str) {
        let _ = write!(self.0, "\n## {name}\n");
    }

    fn note(&mut self, situation: &str, message: impl Display) {
        let _ = write!(self.0, "\n{situation}\n");
        for line in message.to_string().lines() {
            let _ = writeln!(self.0, "    {line}");
        }
    }

    /// Notes the error of a command that must fail.
    fn error<T>(&mut self, situation: &str, result: Result<T, Error>) {
        match result {
            Err(error) => self.note(situation, error),
            Ok(_) => self.note(situation, NONE),
        }
    }

    /// Notes the refusal of a write that must be refused.
    fn refusal<E, T>(&mut self, situation: &str, sent: Result<Outcome<E, T>, Error>) {
        match sent {
            Ok(outcome) => match outcome.refusal() {
                Some(refusal) => self.note(situation, refusal),
                None => self.note(situation, NONE),
            },
            Err(error) => self.note(situation, error),
        }
    }
}

#[tokio::test]
async fn every_message_is_as_recorded() {
    let mut messages = Messages(HEAD.to_owned());
    dyno_tests::pause();
    // The pauses between attempts are the same in each run.
    fastrand::seed(0);
    Box::pin(refusals::messages(&mut messages)).await;
    Box::pin(input::messages(&mut messages)).await;
    Box::pin(stored::messages(&mut messages)).await;
    Box::pin(requests::messages(&mut messages)).await;
    Box::pin(doubt::messages(&mut messages)).await;
    Box::pin(transactions::messages(&mut messages)).await;
    Box::pin(locks::messages(&mut messages)).await;
    Box::pin(warnings::messages(&mut messages)).await;
    assert!(!messages.0.contains(&format!("    {NONE}\n")), "a situation has no message:\n{}", messages.0);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/behaviour/messages/messages.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, messages.0).expect("the file");
        return;
    }
    let recorded = std::fs::read_to_string(path).expect("the recorded messages");
    for (line, (said, recorded)) in messages.0.lines().zip(recorded.lines()).enumerate() {
        assert_eq!(said, recorded, "messages.txt, line {}: UPDATE_EXPECT=1 writes it", line + 1);
    }
    assert_eq!(messages.0, recorded, "UPDATE_EXPECT=1 writes messages.txt");
}
