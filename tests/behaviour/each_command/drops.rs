//! The future of `send` is dropped at each of its polls, and the command is sent again.

use super::commands::{ALL, Command, Sent};
use super::database::{Database, Kind, seen};
use dyno::local::Faults;
use dyno_tests::{is_remote, pause};
use std::fmt::Write as _;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;

/// What an observer sees at one poll of a run: the time, which stands still while the run does not wait for a request, and the
/// number of requests.
type Visible = (Duration, usize);

/// Polls a command at most `polls` times. Returns whether it ended without an error, and what was visible after each poll.
async fn poll(mut command: Sent<'_>, polls: usize, faults: &Faults) -> (bool, Vec<Visible>) {
    let (start, mut visible) = (Instant::now(), Vec::new());
    let has_ended = poll_fn(|context| {
        if visible.len() == polls {
            return Poll::Ready(false);
        }
        let polled = command.as_mut().poll(context);
        visible.push((start.elapsed(), faults.requests().len()));
        match polled {
            Poll::Ready(result) => Poll::Ready(result.is_ok()),
            Poll::Pending if visible.len() == polls => Poll::Ready(false),
            Poll::Pending => Poll::Pending,
        }
    })
    .await;
    (has_ended, visible)
}

/// Sends a command, and drops its future after `polls` polls.
async fn drop_after(command: Command, polls: usize) -> (Database, bool, Vec<Visible>) {
    let database = Database::new(command.kind).await;
    // Each request waits before and after it is served, so a future is dropped at both moments.
    database.faults.latency(Duration::from_millis(5), Duration::from_millis(5));
    let (has_ended, visible) = poll((command.send)(&database.repository), polls, &database.faults).await;
    database.faults.settled().await;
    (database, has_ended, visible)
}

async fn seen_in(database: &Database, kind: Kind) -> Vec<String> {
    seen(kind, &database.another_process()).await.expect("the items")
}

/// A row of the table on the page.
async fn row(command: Command) -> String {
    let Command { kind, name, .. } = command;
    let before = seen_in(&Database::new(kind).await, kind).await;
    let (database, has_ended, visible) = drop_after(command, usize::MAX).await;
    assert!(has_ended, "{name} of {kind:?} fails without a fault");
    let done = seen_in(&database, kind).await;

    let (mut leaves_nothing, mut leaves_all, mut leaves_a_part, mut counts_twice) = (false, false, false, false);
    // Where several polls in a row show the same, one of them is enough.
    let polls = (0..visible.len()).filter(|poll| *poll == 0 || visible[*poll] != visible[poll - 1]);
    for polls in polls {
        let (database, has_ended, _) = drop_after(command, polls).await;
        assert!(!has_ended, "{name} of {kind:?} ends after {polls} of {} polls", visible.len());
        let left = seen_in(&database, kind).await;
        leaves_nothing |= left == before;
        leaves_all |= left == done && done != before;
        leaves_a_part |= left != before && left != done;
        // The second command may be refused because the dropped one was applied, so only the stored items are compared.
        let again = database.another_process();
        let _result = (command.send)(&again).await;
        counts_twice |= seen_in(&database, kind).await != done;
    }
    let leaves = match (leaves_nothing, leaves_all, leaves_a_part) {
        (true, false, false) => "nothing",
        (true, true, false) => "nothing, or all",
        (true, true, true) => "nothing, a part, or all",
        (true, false, true) => "nothing, or a part",
        other => panic!("{name} of {kind:?} leaves {other:?}"),
    };
    let again = match (leaves, counts_twice) {
        ("nothing", false) => "",
        (_, false) => "as if sent once",
        (_, true) => "**may be applied twice**",
    };
    format!("| {name} | {} | {leaves} | {again} |\n", kind.text())
}

impl Kind {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::NoRule => "no rule",
            Self::Ratchet => "`ratchet`, `tombstone`",
            Self::History => "`version`, `tombstone`, `history_table`",
            Self::IdempotencyRows => "`idempotency` in rows",
            Self::Transactional => "`version`, `tombstone`, `transactional`",
            Self::Vectors => "a vector index",
            Self::UniqueValues => "`unique`",
            Self::Locks | Self::Tables => "",
        }
    }
}

#[tokio::test]
async fn the_page_says_what_each_dropped_command_leaves() {
    if is_remote() {
        return; // A request that is under way there when its future is dropped is served at no certain time.
    }
    pause();
    let mut table =
        String::from("| Command | Rules | A dropped `send` leaves | If you send it again |\n|---|---|---|---|\n");
    for command in ALL {
        let _ = write!(table, "{}", row(*command).await);
    }
    super::assert_table("cancel-safety.md", &table);
}
