//! Conditions and changes by the names that they have elsewhere.

use dyno::Entity;

#[derive(Entity)]
#[entity(table = "posts")]
struct Post {
    #[partition_key]
    id: String,
    likes: u32,
    note: Option<String>,
    tags: Vec<String>,
}

fn main() {
    let f = Post::fields;
    let _ = Post::scan().filter(f().note.is_none());
    let _ = Post::scan().filter(f().note.is_some());
    let _ = Post::scan().filter(f().note.is_null());
    let _ = Post::scan().filter(f().tags.is_empty());
    let _ = Post::scan().filter(f().tags.len().ge(1));
    let _ = Post::scan().filter(f().note.starts_with("a"));
    let _ = Post::scan().filter(f().note.ends_with("a"));
    let _ = Post::scan().filter(f().likes.one_of([1_u32, 2]));
    let _ = Post::scan().filter(f().likes.eq(1_u32).and(f().note.exists()));
    let _ = Post::scan().filter(f().likes.eq(1_u32).or(f().note.exists()));
    let _ = Post::update("1").with(f().likes.inc(1_u32));
    let _ = Post::update("1").with(f().likes.sub(1_u32));
    let _ = Post::update("1").with(f().tags.append(["a"]));
    let _ = Post::update("1").with(f().note.unset());
    let _ = Post::update("1").with(f().note.delete());
}
