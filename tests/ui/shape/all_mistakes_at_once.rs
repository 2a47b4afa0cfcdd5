use dyno::{Entity, EpochMillis};

#[derive(Entity)]
#[entity(tabel = "ratings", rename_all = "pascalCase")]
#[sort_key(name = "SK", template = "Movie#{movie}")]
#[tombstone(ttl_days = 0)]
struct Rating {
    #[partition_key]
    user_id: Option<String>,
    movie_id: String,
    #[ratchet(guard(movie_id))]
    timestamp: EpochMillis,
    #[attribute(rename = "x", rename = "y")]
    note: String,
    // Mistakes that only the types reveal are reported in the same run.
    status: Status,
}

struct Status;

#[derive(Entity)]
#[sort_key(name = "SK", template = "Movie#{movie}")]
struct Generic<T> {
    #[partition_key]
    id: String,
    movie_id: String,
    body: T,
}

// The code that uses the entities adds no errors of its own.
fn main() {
    let rating = Rating {
        user_id: None,
        movie_id: String::new(),
        timestamp: EpochMillis::new(1),
        note: String::new(),
        status: Status,
    };
    let _ = async |repository: &dyno::Repository| rating.put().send(repository).await?.applied();
    let _ = Rating::query("1").sort_ge("2").sort_begins_with("2").filter(Rating::fields().note.eq("x"));
    let _ = Rating::update(("1", "2")).with(Rating::fields().note.set("x"));
    let _ = Generic::<u8>::get(("1", "2"));
    let _ = Rating::get(("1", "2"));
    let _ = Rating::delete(("1", "2"), EpochMillis::new(1));
}
