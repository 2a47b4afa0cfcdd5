use dyno::{Aggregate, Document, Entities, Entity};

#[derive(Entity)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Order#{id}")]
struct Order {
    customer: String,
    id: String,
}

#[derive(Entity)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Order#{id}#Line#{line}")]
struct Line {
    customer: String,
    id: String,
    line: u32,
}

#[derive(Entity)]
#[entity(table = "shop")]
struct Other {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[entity(table = "market")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Invoice#{id}")]
struct Invoice {
    customer: String,
    id: String,
}

#[derive(Entity)]
#[entity(table = "shop", type_name = "a")]
#[partition_key(name = "PK", template = "A#{id}")]
#[sort_key(name = "SK", template = "A")]
#[index(name = "by_name", partition = name)]
struct A {
    id: String,
    name: String,
}

#[derive(Entity)]
#[entity(table = "shop", type_name = "b")]
#[partition_key(name = "PK", template = "B#{id}")]
#[sort_key(name = "SK", template = "B")]
#[index(name = "by_name", partition = title)]
struct B {
    id: String,
    title: String,
}

#[derive(Entity)]
#[entity(table = "shop", type_name = "a")]
#[partition_key(name = "PK", template = "C#{id}")]
#[sort_key(name = "SK", template = "C")]
struct C {
    id: String,
}

#[derive(Entity)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "D#{id}")]
#[sort_key(name = "SK", template = "D")]
#[index(name = "by_title", partition = name)]
struct D {
    id: String,
    name: u64,
}

#[derive(Entity)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Contract#{id}/")]
#[history_table(layout = "same_table", ttl_days = 30)]
struct Contract {
    customer: String,
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "{year}1")]
struct Year {
    customer: String,
    year: String,
}

#[derive(Entity)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "Session#{id}")]
#[sort_key(name = "SK", template = "Session")]
struct Session {
    id: String,
    #[ttl]
    until: dyno::EpochSeconds,
}

#[derive(Entity)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Mistake#{nmae}")]
struct Mistake {
    customer: String,
    name: String,
}

#[derive(Entities)]
enum KeysMeet {
    Order(Order),
    Line(Line),
}

#[derive(Aggregate)]
struct KeysMeetToo {
    order: Order,
    lines: Vec<Line>,
}

#[derive(Entities)]
enum OtherKeys {
    Order(Order),
    Other(Other),
}

#[derive(Entities)]
enum OtherTable {
    Order(Order),
    Invoice(Invoice),
}

#[derive(Entities)]
enum OtherIndex {
    A(A),
    B(B),
}

#[derive(Entities)]
enum OtherTypeInAnIndex {
    A(A),
    D(D),
}

#[derive(Entities)]
enum OtherTtl {
    Contract(Contract),
    Session(Session),
}

/// Its field `until` has the name of the table's TTL attribute.
#[derive(Entity)]
#[partition_key(name = "PK", template = "Reminder#{id}")]
#[sort_key(name = "SK", template = "Reminder")]
struct Reminder {
    id: u64,
    until: u64,
}

#[derive(Entities)]
enum TtlOfAnother {
    Session(Session),
    Reminder(Reminder),
}

#[derive(Entities)]
enum ARevision {
    Contract(Contract),
    Year(Year),
}

// The mistake is reported at the entity, and not here.
#[derive(Entities)]
enum WithAMistake {
    Order(Order),
    Mistake(Mistake),
}

#[derive(Entities)]
enum SameMark {
    A(A),
    C(C),
}

#[derive(Entities)]
struct NoEnum {
    a: A,
}

#[derive(Entities)]
enum Shapes {
    A(A),
    Again(A),
    Two(A, C),
    #[entities(unknown)]
    Unknown(dyno::Item),
    #[entities(unknown)]
    Other(dyno::Item),
    #[entities(unknwon)]
    C(C),
}

#[derive(Aggregate)]
enum NoStruct {
    A(A),
}

#[derive(Document)]
struct Address {
    city: String,
}

#[derive(Entities)]
enum NoEntity {
    Address(Address),
}

fn main() {
    let _ = A::query("1").entities::<A>();
    let _ = A::query("1").aggregate::<Address>();
}
