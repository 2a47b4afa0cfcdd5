use dyno::value::{RatchetToken, Rfc3339};
use dyno::{Condition, Document, Entity};

/// A time type like those of other crates, which are stored as text.
#[derive(Document, Clone)]
struct Timestamp(String);

impl Rfc3339 for Timestamp {}
impl RatchetToken for Timestamp {}

#[derive(Document)]
struct Period {
    #[attribute(format = "seconds")]
    until: Option<Timestamp>,
}

#[derive(Entity)]
#[entity(table = "films")]
struct Film {
    #[partition_key]
    id: String,
    #[attribute(format = "millis")]
    made: Timestamp,
    #[attribute(format = "millis")]
    shown: Option<Timestamp>,
    #[attribute(format = "seconds")]
    sold: Timestamp,
    seen: Timestamp,
    #[attribute(format = "nanos")]
    rated: Timestamp,
    period: Period,
    #[attribute(format = "millis", immutable)]
    bought: Timestamp,
}

fn same() -> [Condition<Film>; 3] {
    let f = Film::fields();
    [f.made.lt_field(&f.shown), f.seen.eq_field(&f.rated), f.shown.ge_field(&f.bought)]
}

fn different() -> [Condition<Film>; 4] {
    let f = Film::fields();
    [
        f.made.le_field(&f.sold),
        f.seen.eq_field(&f.made),
        f.sold.ne_field(&f.seen),
        f.made.gt_field(&f.period.fields().until),
    ]
}

fn main() {}
