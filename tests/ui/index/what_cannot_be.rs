use dyno::Entity;

#[derive(Entity)]
#[index(name = "by_owner", partition = owner)]
struct MissingField {
    #[partition_key]
    id: String,
    owned_by: String,
}

#[derive(Entity)]
#[index(name = "by_owner", partition = owner)]
#[index(name = "by_owner", query = by_group, partition = group)]
#[index(name = "by_group", partition = group)]
struct SameName {
    #[partition_key]
    id: String,
    owner: String,
    group: String,
}

#[derive(Entity)]
#[index(name = "by owner", partition = owner)]
#[index(name = "get", partition = owner)]
#[index(name = "2nd", partition = owner)]
#[index(partition = owner)]
#[index(name = "by_name", partition(name = "GSI1PK"), sort(template = "{owner}"))]
struct BadNames {
    #[partition_key]
    id: String,
    owner: String,
}

#[derive(Entity)]
#[index(name = "by_time", local, partition = owner, sort = at)]
#[index(name = "by_size", local)]
#[index(name = "by_both", local, sort(at, size))]
#[index(name = "by_nothing", sort = at)]
struct Local {
    #[partition_key]
    id: String,
    #[sort_key]
    number: u32,
    owner: String,
    at: u64,
    size: u64,
}

#[derive(Entity)]
#[index(name = "by_time", local, sort = at)]
struct LocalWithoutSort {
    #[partition_key]
    id: String,
    at: u64,
}

#[derive(Entity)]
#[index(name = "by_all", partition(a, b, c, d, e), sort(a, f, f))]
struct TooMany {
    #[partition_key]
    id: String,
    a: String,
    b: String,
    c: String,
    d: String,
    e: String,
    f: String,
}

#[derive(Entity)]
#[partition_key(name = "PK", template = "Order#{id}")]
#[index(name = "by_note", partition = note)]
#[index(name = "by_id", partition = id)]
#[index(name = "by_pk", partition(name = "PK", template = "x"))]
#[index(name = "by_name", partition(name = "name", template = "{name}#"), projection(note, nmae))]
#[index(name = "by_odd", partition(name, name = "GSI1PK"), projection = "some")]
#[index(name = "by_none", partition())]
struct Fields {
    id: String,
    name: String,
    #[attribute(skip)]
    note: String,
}

#[derive(Entity)]
#[index(name = "by_version", partition(name = "GSI1PK", template = "{version}"))]
#[index(name = "by_rating", partition(name = "GSI2PK", template = "{rating}#{shipped}"))]
#[tombstone(ttl_days = 7)]
struct Rules {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
    rating: u8,
    #[ratchet(guards(rating))]
    rated_at: u64,
    shipped: u8,
    #[ratchet(guards(shipped))]
    shipped_at: u64,
}

#[derive(Entity)]
#[index(name = "by_owner", partition = owner)]
#[index(name = "by_Owner", query = byOwner, partition = owner)]
#[index(name = "by_place", partition(name = "GSI1PK", template = "{city}#{street}"))]
struct Alike {
    #[partition_key]
    id: String,
    owner: String,
    city: String,
    street: String,
    city_and_street: String,
}

fn main() {}
