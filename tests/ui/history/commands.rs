use dyno::{Entity, EpochMillis};

#[derive(Entity)]
#[history_table]
struct Doc {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Ratcheted {
    #[partition_key]
    id: String,
    #[ratchet]
    at: EpochMillis,
    #[version]
    version: u64,
}

#[derive(Entity)]
struct Cart {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
struct Plain {
    #[partition_key]
    id: String,
}

fn commands(doc: &Doc, cart: &Cart) {
    let _ = Doc::update("1");
    let _ = Ratcheted::update("1");
    let _ = doc.put().return_old();
    let _ = Doc::delete("1", 1u64).return_old();
    let _ = Plain::get("1").loaded();
    let _ = cart.put().return_old();
}

fn main() {}
