use dyno::Document;

#[derive(Document)]
#[document(tag = "type")]
enum Payment {
    Card(String),
}

fn main() {}
