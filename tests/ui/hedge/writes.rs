use dyno::{Entity, EpochMillis};
use std::time::Duration;

#[derive(Entity)]
struct Plain {
    #[partition_key]
    id: String,
    count: u32,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
struct Strict {
    #[partition_key]
    id: String,
    #[ratchet(strict)]
    at: EpochMillis,
}

#[derive(Entity)]
struct Forgetful {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
struct Cart {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

const DELAY: Duration = Duration::from_millis(20);

fn main() {
    let plain = Plain { id: "1".to_owned(), count: 1 };
    let _ = plain.put().hedge(DELAY);
    let _ = Plain::delete("1").hedge(DELAY);
    let _ = Plain::update("1").with(Plain::fields().count.increment(1)).hedge(DELAY);
    let _ = Strict { id: "1".to_owned(), at: EpochMillis::new(1) }.put().hedge(DELAY);
    let _ = Forgetful { id: "1".to_owned(), version: 0 }.put().hedge(DELAY);
    let _ = Cart { id: "1".to_owned(), version: 1 }.replace().return_old().hedge(DELAY);
}
