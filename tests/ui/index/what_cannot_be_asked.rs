use dyno::{Entity, EpochMillis, Projection};

#[derive(Entity)]
#[index(name = "by_status", partition = status, sort = placed)]
#[index(name = "by_round", partition = status, sort(courier, total, placed))]
#[index(name = "by_total", partition = status, sort = total, projection = "keys")]
#[index(name = "by_number", partition = status, sort(name = "GSI1SK", template = "{total}"))]
#[index(name = "by_city", partition(name = "GSI2PK", template = "{city}#{courier}"))]
struct Order {
    #[partition_key]
    id: String,
    status: String,
    placed: EpochMillis,
    courier: String,
    city: String,
    total: u64,
}

#[derive(Projection)]
#[projection(of = Order)]
struct Courier {
    courier: String,
}

#[derive(Entity)]
#[index(name = "by_rating", partition(name = "GSI1PK", template = "{rating}#{stars}"))]
struct Review {
    #[partition_key]
    id: String,
    rating: String,
    stars: u8,
    #[ratchet(guards(rating, stars))]
    rated_at: EpochMillis,
}

fn ask(repository: &dyno::Repository) {
    // A global index has no consistent reads.
    let _ = Order::by_status("open").consistent();
    // In the sort key, the courier comes before the total and cannot be left out.
    let _ = Order::by_round("open").sort_eq(5_u64);
    // After a range, no further part of the sort key can be compared.
    let _ = Order::by_round("open").sort_gt("Bike").sort_eq(5_u64);
    let _ = Order::by_round("open").sort_eq("Bike").sort_eq(5_u64).sort_eq(EpochMillis::new(1)).sort_eq(1_u64);
    // The sort key is text, in which 10 comes before 9.
    let _ = Order::by_number("open").sort_gt(5_u64);
    // The index holds keys only.
    let _ = Order::by_total("open").send(repository);
    let _ = Order::by_total("open").project::<Courier>();
    // The key of an index consists of these fields, so they are set together.
    let _ = Order::update("1").with(Order::fields().city.set("Bern"));
    let _ = Order::update("1").with(Order::fields().total.add(1_u64));
    let _ = Order::update("1").with(Order::fields().city_and_courier.set(("Bern", 1_u64)));
    // A ratchet guards these fields, so they are set with its token.
    let _ = Review::fields().rating_and_stars.set(("good", 5_u8));
}

fn main() {}
