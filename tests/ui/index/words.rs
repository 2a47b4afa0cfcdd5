//! Values of another form than their attribute takes.

use dyno::Entity;

#[derive(Entity)]
#[entity(table = orders)]
#[index(name = "by_status", partition = status, sort = "Placed#{placed}")]
#[index(name = "by_day", partition = "Day#{placed}")]
#[index(name = "by_total", partition = status, projection = total)]
#[index(name = "by_placed", partition = status, projection = keys)]
#[index(name = "by_both", partition = status, projection = [total, placed])]
struct Order {
    #[partition_key]
    id: String,
    status: String,
    #[attribute(default = "zero#()")]
    placed: u64,
    total: u64,
}

fn main() {}
