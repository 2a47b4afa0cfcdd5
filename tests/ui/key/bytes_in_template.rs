use dyno::Entity;

#[derive(Entity)]
#[partition_key(name = "PK", template = "Hash#{hash}")]
struct File {
    hash: Vec<u8>,
}

#[derive(Entity)]
#[partition_key(name = "PK", template = "Price#{price}")]
struct Price {
    price: rust_decimal::Decimal,
}

fn main() {}
