use dyno::Entity;

#[derive(Entity)]
struct Signed {
    #[partition_key]
    id: String,
    #[version]
    version: i64,
}

#[derive(Entity)]
struct Float {
    #[partition_key]
    id: String,
    #[version]
    version: f64,
}

#[derive(Entity)]
struct Wide {
    #[partition_key]
    id: String,
    #[version]
    version: u128,
}

fn use_them(signed: &Signed) {
    let _ = signed.put();
}

fn main() {}
