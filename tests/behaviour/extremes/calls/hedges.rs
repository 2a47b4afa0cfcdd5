//! Hedges: delays, percentiles and budgets.

use super::{Bill, Doc, Sight, Tick, sane, sane_search};
use dyno::{Hedge, TransactGet, Transaction};
use dyno_tests::World;
use std::time::Duration;

const SHARES: [f64; 8] = [f64::NAN, f64::INFINITY, -1.0, -0.0, f64::MIN_POSITIVE, 0.5, 1.0, f64::MAX];

const DELAYS: [Duration; 4] = [Duration::ZERO, Duration::from_nanos(1), Duration::from_secs(1), Duration::MAX];

/// Sends a read and a write through a repository with this hedge.
async fn hedged(world: &World, hedge: Hedge) {
    let repository = world.repository.clone().hedged(hedge);
    sane(Tick::scan().limit(1).send(&repository).await);
    sane_write!(Doc::delete("1", 1), &repository);
}

calls! { world;
    "command/many/batch_get::hedge" => {
        for delay in DELAYS {
            sane(Doc::batch_get(["1", "2"]).hedge(delay).send(&world.repository).await);
        }
    }
    "command/write/delete::hedge" => {
        for delay in DELAYS {
            sane_write!(Doc::delete("1", 1).hedge(delay), &world.repository);
        }
    }
    "command/read/get::hedge" => {
        for delay in DELAYS {
            sane(Doc::get("1").hedge(delay).send(&world.repository).await);
        }
    }
    "command/read/pages::hedge" => {
        for delay in DELAYS {
            sane(Tick::scan().hedge(delay).send(&world.repository).await);
        }
    }
    "command/write/put::hedge" => {
        for delay in DELAYS {
            sane_write!(Doc { id: "1".to_owned(), text: String::new(), version: 9 }.put().hedge(delay), &world.repository);
        }
    }
    "command/read/search::hedge" => {
        for delay in DELAYS {
            sane_search(world, Sight::near([0.0, 1.0]).hedge(delay)).await;
        }
    }
    "command/transaction/transact_get::hedge" => {
        for delay in DELAYS {
            sane(TransactGet::new([Doc::get("1")]).hedge(delay).send(&world.repository).await);
        }
    }
    "command/transaction/mod::hedge" => {
        for delay in DELAYS {
            sane_write!(Transaction::new().delete(Doc::delete("1", 1)).hedge(delay), &world.repository);
        }
    }
    "command/write/update::hedge" => {
        for delay in DELAYS {
            let update = Bill::update("1").with(Bill::fields().total.increment(1)).idempotency_key("a");
            sane_write!(update.hedge(delay), &world.repository);
        }
    }
    "exchange/hedge/mod::after" => {
        for delay in DELAYS {
            hedged(world, Hedge::after(delay)).await;
        }
    }
    "exchange/hedge/mod::percentile" => {
        for percentile in SHARES {
            hedged(world, Hedge::percentile(percentile)).await;
        }
    }
    "exchange/hedge/mod::budget" => {
        for share in SHARES {
            hedged(world, Hedge::after(Duration::from_millis(1)).budget(share)).await;
        }
    }
}
