//! Locks, and writes with fencing tokens.

use super::{Guarded, NUMBERS, Numbered, check_text, sane, texts};
use dyno::lock::Lock;
use dyno::{Error, Repository};
use dyno_tests::{World, is_remote};
use std::time::Duration;

const DURATIONS: [Duration; 5] =
    [Duration::ZERO, Duration::from_nanos(1), Duration::from_secs(1), Duration::from_secs(u64::MAX), Duration::MAX];

fn guarded() -> Guarded {
    Guarded { id: "1".to_owned(), text: "a".to_owned(), epoch: 0, version: 0 }
}

/// A lock with a name of its own, so that it is free.
fn lock(name: &str, number: usize) -> Lock {
    Lock::new(format!("{name} {number}"))
}

async fn acquire(lock: Lock, repository: &Repository) {
    sane(lock.inspect(repository).await);
    sane_wait(lock.acquire(repository).await);
}

/// Checks an acquisition. On a remote engine, a wait of a nanosecond ends before the answer.
fn sane_wait<T: std::fmt::Debug>(acquired: Result<T, Error>) {
    if !is_remote() || !acquired.as_ref().is_err_and(Error::is_unreachable) {
        sane(acquired);
    }
}

calls! { world;
    "command/write/put::fenced" => {
        for fence in NUMBERS {
            sane_write!(guarded().put().fenced(fence), &world.repository);
            sane_write!(guarded().create().fenced(fence), &world.repository);
        }
    }
    "command/write/update::fenced" => {
        for fence in NUMBERS {
            sane_write!(Numbered::update("1").unchecked().fenced(fence), &world.repository);
        }
    }
    "command/write/update::fenced" => {
        for fence in NUMBERS {
            sane_write!(Numbered::update("1").fenced(fence).version(fence), &world.repository);
        }
    }
    "command/write/modify::fenced" => {
        for fence in NUMBERS {
            sane_write!(Guarded::modify("1", |guarded| guarded.text.push('b')).fenced(fence), &world.repository);
        }
    }
    "command/write/modify::fenced" => {
        for fence in NUMBERS {
            sane_write!(Guarded::rollback("1", fence).fenced(fence), &world.repository);
        }
    }
    "command/write/restore::fenced" => {
        for fence in NUMBERS {
            sane_write!(Guarded::restore("1").fenced(fence), &world.repository);
        }
    }
    "command/many/each_commands::fenced" => {
        for fence in NUMBERS {
            sane(Guarded::scan().delete_each().fenced(fence).send(&world.repository).await);
        }
    }
    "command/write/delete::fenced" => {
        for fence in NUMBERS {
            sane_write!(Guarded::delete("1", fence).fenced(fence), &world.repository);
        }
    }
    "lock/named::new" => {
        for text in texts() {
            acquire(Lock::new(text), &world.repository).await;
        }
    }
    "lock/named::lease" => {
        for (number, lease) in DURATIONS.into_iter().enumerate() {
            acquire(lock("lease", number).lease(lease), &world.repository).await;
        }
    }
    "lock/named::wait" => {
        for (number, wait) in DURATIONS.into_iter().enumerate() {
            acquire(lock("wait", number).wait(wait), &world.repository).await;
        }
    }
    "lock/named::persist_observations" => {
        for (number, max_skew) in DURATIONS.into_iter().enumerate() {
            let held = lock("observed", number).acquire(&world.repository).await.expect("free");
            sane(lock("observed", number).persist_observations(max_skew).try_acquire(&world.repository).await);
            drop(held);
        }
    }
    "lock/named::owner" => {
        for (number, text) in texts().into_iter().enumerate() {
            acquire(lock("owner", number).owner(text), &world.repository).await;
        }
    }
    "lock/named::reason" => {
        for (number, text) in texts().into_iter().enumerate() {
            acquire(lock("reason", number).reason(text), &world.repository).await;
        }
    }
    "lock/named::with_lock_table" => {
        for text in texts() {
            let repository = world.repository.clone().with_lock_table(text);
            check_text(&Lock::new("a").inspect(&repository).await.expect_err("no table").to_string());
        }
    }
    "lock/many::many" => {
        sane(Lock::many([]).acquire(&world.repository).await);
        sane(Lock::many(texts().map(Lock::new)).acquire(&world.repository).await);
        sane(Lock::many((0..30).map(|number| lock("many", number))).acquire(&world.repository).await);
    }
    "lock/many::wait" => {
        for (number, wait) in DURATIONS.into_iter().enumerate() {
            let both = Lock::many([lock("all", number), lock("of them", number)]);
            sane_wait(both.wait(wait).acquire(&world.repository).await);
        }
    }
    "lock/many::get" => {
        let held = Lock::many([lock("get", 0)]).acquire(&world.repository).await.expect("free");
        assert!(texts().iter().all(|text| held.get(text).is_none()));
    }
}
