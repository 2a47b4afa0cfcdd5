use dyno::Document;

#[derive(Document)]
struct Unit;

#[derive(Document)]
struct Pair(u8, u8);

#[derive(Document)]
#[document(tag = "type", rename_al = "camelCase")]
struct Tagged {
    #[attribute(rename = "x")]
    a: u8,
    x: u8,
}

#[derive(Document)]
#[document(tag = "kind")]
enum Shape {
    Circle { radius: u8, kind: u8 },
    Line(u8, u8),
    Dot(#[attribute(default)] u8),
    #[attribute(skip)]
    Square,
}

#[derive(Document)]
struct Meters(#[attribute(rename = "m")] f64);

#[derive(Document)]
struct Nameless {
    #[attribute(rename = "")]
    a: u8,
    #[attribute(skip, default = "one")]
    b: u8,
    #[attribute(default = "some")]
    c: Option<u8>,
}

#[derive(Document)]
#[document(tag = "")]
enum Untold {
    #[attribute(rename = "")]
    Something { a: u8 },
}

#[derive(Document)]
enum Misplaced {
    #[document(tag = "kind")]
    One { #[document(tag = "kind")] id: u64 },
    Two,
}

fn main() {}
