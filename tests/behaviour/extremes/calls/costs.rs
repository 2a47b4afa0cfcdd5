//! Costs of commands, for sizes and numbers that no item and no page has.

use super::{Bill, COUNTS, Doc, Log, LogByKind, Part, Sight, Tick, sane, tick};
use dyno::{BatchWrite, TransactGet, Transaction};
use dyno_tests::World;

const SIZES: [usize; 5] = [0, 1, 409_600, 409_601, usize::MAX];

calls! { world;
    "command/command_costs::cost" => {
        for size in SIZES {
            let (db, doc) = (&world.repository, |version| Doc { id: "1".to_owned(), text: String::new(), version });
            sane(tick().put().cost(db, size));
            sane(doc(0).create().cost(db, size));
            sane(doc(u64::MAX).put().cost(db, size));
            sane(doc(1).undelete().cost(db, size));
            sane(Doc::delete("1", u64::MAX).cost(db, size));
            sane(Part::update("1").unchecked().with(Part::fields().text.set("x")).cost(db, size));
            sane(Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("key").cost(db, size));
            sane(Sight { id: "1".to_owned(), vector: [0.1, -1e-30] }.put().cost(db, size));
        }
    }
    "command/command_costs::cost" => {
        for size in SIZES {
            sane(Tick::get((1_u64, 1_i64)).cost(&world.repository, size));
        }
    }
    "command/command_costs::cost" => {
        for size in SIZES {
            sane(TransactGet::new((Doc::get("1"), Part::get(""))).cost(&world.repository, size));
        }
    }
    "command/command_costs::cost" => {
        for (size, items) in SIZES.into_iter().flat_map(|size| COUNTS.map(|items| (size, items))) {
            sane(Log::query("a").cost(&world.repository, items, size));
            sane(Log::query("a").limit(items).cost(&world.repository, usize::MAX, size));
            sane(Log::scan().cost(&world.repository, items, size));
            sane(Log::by_kind("a").cost(&world.repository, items, size));
            sane(Log::scan().index::<LogByKind>().cost(&world.repository, items, size));
        }
    }
    "command/command_costs::cost" => {
        for size in SIZES {
            sane(Transaction::new().put(tick().put()).check(Part::check("1")).cost(&world.repository, size));
        }
    }
    "command/command_costs::cost" => {
        for size in SIZES {
            let stored = Doc { id: "1".to_owned(), text: String::new(), version: u64::MAX };
            sane(Doc::modify("1", |doc| doc.text.push('x')).cost(&world.repository, &stored, size));
        }
    }
    "command/command_costs::cost" => {
        for size in SIZES {
            sane(BatchWrite::new().add(tick().put()).cost(&world.repository, size));
        }
    }
    "command/command_costs::cost" => {
        for size in SIZES {
            sane(Doc::batch_get(["1", "2"]).cost(&world.repository, size));
        }
    }
}
