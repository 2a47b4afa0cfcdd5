//! Indexes, projections and shared tables compile without a prelude, beside types that shadow the standard library's, and
//! with fields that have the names used by generated code.
#![no_implicit_prelude]

#[allow(dead_code, reason = "shadows")]
mod shadows {
    pub(super) struct Option;
    pub(super) struct Vec;
    pub(super) struct Item;
}
#[allow(unused_imports, reason = "shadows")]
use self::shadows::{Item, Option, Vec};

/// Methods with names that generated code calls.
#[allow(dead_code, reason = "shadows")]
trait Shadows {
    fn map(&self) {}
    fn as_ref(&self) {}
    fn ok_or(&self) {}
    fn parts(&self) {}
}

impl<T> Shadows for T {}

#[derive(::dyno::Entity)]
#[entity(table = "boxes", type_name = "box")]
#[partition_key(name = "PK", template = "Box#{item}")]
#[sort_key(name = "SK", template = "Box")]
#[index(
    name = "by_kind",
    partition(name = "GSI1PK", template = "{type}#{values}"),
    sort(name = "GSI1SK", template = "{result}")
)]
#[index(name = "by_parts", partition(parts, entity), sort(of, index), projection(schema, content))]
#[index(name = "any", query = r#type, partition = of)]
#[index(name = "local", local, sort = r#type)]
struct Box<T> {
    item: ::std::string::String,
    r#type: ::std::string::String,
    values: ::std::option::Option<::std::string::String>,
    result: u8,
    parts: ::std::string::String,
    entity: ::std::option::Option<u8>,
    of: ::std::string::String,
    index: u64,
    schema: ::std::option::Option<::std::string::String>,
    content: T,
}

#[derive(::dyno::Entity)]
#[entity(table = "boxes")]
#[partition_key(name = "PK", template = "Lid#{item}")]
#[sort_key(name = "SK", template = "Lid")]
struct Lid {
    item: ::std::string::String,
}

#[derive(::dyno::Projection)]
#[projection(of = Box<u8>, index = BoxByParts<u8>)]
#[allow(dead_code, reason = "only its expansion matters")]
struct Names {
    item: ::std::string::String,
    schema: ::std::option::Option<::std::string::String>,
    entity: ::std::option::Option<u8>,
    of: ::std::string::String,
}

/// A projection of a generic entity.
#[derive(::dyno::Projection)]
#[projection(of = Box<T>, index = BoxByParts<T>)]
#[allow(dead_code, reason = "only its expansion matters")]
struct Content<T> {
    parts: ::std::string::String,
    content: T,
}

#[derive(::dyno::Entities)]
#[allow(dead_code, reason = "only its expansion matters")]
enum Row {
    Some(Box<u8>),
    None(Lid),
    #[entities(unknown)]
    Ok(::dyno::Item),
}

#[derive(::dyno::Aggregate)]
#[allow(dead_code, reason = "only its expansion matters")]
struct Boxes {
    r#type: ::std::vec::Vec<Box<u8>>,
    parts: ::std::option::Option<Lid>,
}

/// A public type may have private fields of private types.
pub(crate) mod public {
    #[derive(::dyno::Entity)]
    #[entity(table = "boxes")]
    #[partition_key(name = "PK", template = "Key#{item}")]
    #[sort_key(name = "SK", template = "Key")]
    struct Key {
        item: ::std::string::String,
    }

    #[derive(::dyno::Aggregate)]
    #[allow(dead_code, unreachable_pub, reason = "only its expansion matters")]
    pub struct Keys {
        key: ::std::option::Option<Key>,
    }
}

#[test]
fn queries_and_handles_do_not_clash_with_field_names() {
    let f = Box::<u8>::fields();
    let set = Box::<u8>::update("1").with(f.type_and_values.set(("a", "b")));
    ::std::assert!(::std::format!("{set:?}").contains("values"));
    let query = Box::<u8>::by_parts("a", 1u8).project::<Names>().sort_eq("b").sort_gt(2u64);
    ::std::assert!(::std::format!("{query:?}").contains("by_parts"));
    let query = Box::<u8>::by_parts("a", 1u8).project::<Content<u8>>();
    ::std::assert!(::std::format!("{query:?}").contains("content"));
    let query = Box::<u8>::r#type("a").entities::<Row>();
    ::std::assert!(::std::format!("{query:?}").contains("any"));
    let query = Box::<u8>::query("a").aggregate::<Boxes>();
    ::std::assert!(::std::format!("{query:?}").contains("Lid"));
    let query = Box::<u8>::local("a").sort_begins_with("b").consistent();
    ::std::assert!(::std::format!("{query:?}").contains("local"));
}
