use dyno::{Document, Entity, Item};

#[derive(Entity)]
struct Two {
    #[partition_key]
    id: String,
    #[attribute(rest)]
    one: Item,
    #[attribute(rest)]
    other: Item,
}

#[derive(Entity)]
struct Wrong {
    #[partition_key]
    id: String,
    #[attribute(rest)]
    rest: std::collections::BTreeMap<String, String>,
}

#[derive(Entity)]
#[index(name = "by_rest", partition = key, projection(rest))]
struct Said {
    #[partition_key]
    #[attribute(rest)]
    id: String,
    #[attribute(rest, rename = "x", alias = "y", default)]
    rest: Item,
    key: String,
}

#[derive(Entity)]
struct Grouped {
    #[partition_key]
    id: String,
    stars: u8,
    #[ratchet(guards(stars, rest))]
    at: u64,
    #[attribute(rest)]
    rest: Item,
}

#[derive(Document)]
struct Line {
    sku: String,
    #[attribute(rest, serde)]
    one: Item,
    #[attribute(rest)]
    other: Item,
}

#[derive(Document)]
enum Kind {
    Line {
        #[attribute(rest)]
        rest: Vec<String>,
    },
}

fn main() {
    let _no_handle = Fine::fields().rest;
}

#[derive(Entity)]
struct Fine {
    #[partition_key]
    id: String,
    #[attribute(rest)]
    rest: Item,
}
