use dyno::{BatchWrite, Entity, EpochMillis};

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    #[ratchet]
    at: EpochMillis,
}

#[derive(Entity)]
struct Cart {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
struct Note {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[idempotency(keys = 10)]
struct Bill {
    #[partition_key]
    id: String,
}

fn main() {
    let rating = Rating { id: String::new(), at: EpochMillis::new(1) };
    let _ = BatchWrite::new().add(rating.put());
    let _ = BatchWrite::new().add(Cart::delete("1", 1u64));
    let _ = BatchWrite::new().add_all([Note::delete("1")]);
    let _: BatchWrite = [Bill::delete("1")].into_iter().collect();
}
