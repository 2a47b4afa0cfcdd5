//! Interactive transactions: their attempts and timeouts, and the writes that they buffer.

use super::{Slip, sane, texts};
use dyno::Transaction;
use dyno_tests::World;
use std::time::Duration;

/// The numbers of writes of different items.
const LENGTHS: [usize; 4] = [0, 1, 100, 101];

fn slip(id: String) -> Slip {
    Slip { text: id.clone(), id, version: u64::MAX }
}

calls! { world;
    "command/transaction/interactive/mod::attempts" => {
        for attempts in [0, 1, u32::MAX] {
            let nothing = Transaction::interactive(|_| async { Ok(()) });
            sane(nothing.attempts(attempts).send(&world.repository).await);
        }
    }
    "command/transaction/interactive/mod::in_doubt_timeout" => {
        for timeout in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX] {
            let nothing = Transaction::interactive(|_| async { Ok(()) });
            sane(nothing.in_doubt_timeout(timeout).send(&world.repository).await);
        }
    }
    "command/transaction/mod::in_doubt_timeout" => {
        for timeout in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX] {
            let check = Transaction::new().check(Slip::check("1").absent());
            sane(check.in_doubt_timeout(timeout).send(&world.repository).await);
        }
    }
    "command/transaction/interactive/request_id::request_id" => {
        world.repository.create_request_table().await.expect("a table");
        for id in texts() {
            let puts = Transaction::interactive(|tx| async move {
                tx.put(slip("1".to_owned()).create());
                Ok(())
            });
            sane(puts.request_id(id).send(&world.repository).await);
        }
    }
    "command/transaction/interactive/tx::put" => {
        for length in LENGTHS {
            let puts = Transaction::interactive(|tx| async move {
                tx.put((0..length).map(|id| slip(id.to_string()).create()).collect::<Vec<_>>());
                tx.put(texts().map(|text| slip(text).put()));
                Ok(())
            });
            sane(puts.send(&world.repository).await);
        }
    }
    "command/transaction/interactive/tx::update" => {
        for length in LENGTHS {
            let updates = Transaction::interactive(|tx| async move {
                let text = || Slip::fields().text.set("a");
                let update = |id: usize| Slip::update(id.to_string()).version(u64::MAX).with(text());
                tx.update((0..length).map(update).collect::<Vec<_>>());
                tx.update(texts().map(|id| Slip::update(id).unchecked().with(text())));
                Ok(())
            });
            sane(updates.send(&world.repository).await);
        }
    }
    "command/transaction/interactive/tx::delete" => {
        for version in [0, 1, u64::MAX] {
            let deletes = Transaction::interactive(|tx| async move {
                tx.delete(texts().map(|id| Slip::delete(id, version)));
                Ok(())
            });
            sane(deletes.send(&world.repository).await);
        }
    }
    "command/transaction/interactive/tx::check" => {
        for length in LENGTHS {
            let checks = Transaction::interactive(|tx| async move {
                tx.check((0..length).map(|id| Slip::check(id.to_string()).version(u64::MAX)).collect::<Vec<_>>());
                tx.check(texts().map(|id| Slip::check(id).absent()));
                Ok(())
            });
            sane(checks.send(&world.repository).await);
        }
    }
}
