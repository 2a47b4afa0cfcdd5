use dyno::Entity;

#[derive(Entity)]
struct Counter {
    #[partition_key]
    id: u64,
    total: u64,
}

#[derive(Entity)]
#[idempotency(window_secs = 60)]
struct Bill {
    #[partition_key]
    id: u64,
    total: u64,
}

fn main() {
    let _ = Counter::update(1).with(Counter::fields().total.add(1)).idempotency_key("record 1");
    let bill = Bill { id: 1, total: 0 };
    let _ = bill.put();
    let _ = bill.replace();
    let _ = bill.create();
}
