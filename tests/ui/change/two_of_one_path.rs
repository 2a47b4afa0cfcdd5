use dyno::{Document, Entity};

#[derive(Document)]
struct Address {
    city: String,
    zip: String,
}

#[derive(Entity)]
struct Profile {
    #[partition_key]
    id: u64,
    likes: u64,
    friends: Vec<String>,
    address: Address,
}

fn main() {
    let f = Profile::fields();
    let _ = Profile::update(1).with([f.likes.add(1), f.likes.set(0)]);

    let f = Profile::fields();
    let _ = Profile::update(1).with(f.friends.push("x")).with(f.friends.remove_value("y"));

    // A document, and a member of the same document.
    let f = Profile::fields();
    let address = f.address.fields();
    let _ = Profile::update(1).with([address.city.set("x"), address.zip.set("y"), address.city.set("z")]);
    let _ = Profile::update(1).with(f.address.set(Address { city: String::new(), zip: String::new() }));
}
