//! Generated code compiles where the names of the standard library, of `dyno` and of its traits' methods mean something else.

use dyno::Entity as Derive;

#[allow(dead_code, reason = "shadows")]
mod shadows {
    pub(super) struct Result;
    pub(super) struct Option;
    pub(super) struct Vec;
    pub(super) struct Item;
    pub(super) struct Field;
    pub(super) struct Some;
    pub(super) struct Ok;
}
#[allow(unused_imports, reason = "shadows")]
use shadows::{Field, Item, Ok, Option, Result, Some, Vec};

/// An entity with a field for every name that generated code uses.
#[derive(Derive)]
#[entity(table = "things")]
#[allow(dead_code, reason = "only its expansion matters")]
struct Names {
    #[partition_key]
    item: String,
    #[sort_key]
    key: String,
    value: u8,
    field: u8,
    r#type: u8,
    get: u8,
    put: u8,
    send: u8,
    condition: u8,
    update: u8,
    token: u8,
    changes: u8,
    schema: u8,
}

/// A trait of the user's own, whose methods have the names of other traits' methods.
#[allow(dead_code, reason = "shadows")]
trait Shadows {
    fn encode(&self) {}
    fn decode(&self) {}
    fn into_field(self)
    where
        Self: Sized,
    {
    }
    fn clone(&self) {}
    fn map(&self) {}
}

impl<T> Shadows for T {}

#[derive(Derive)]
#[entity(table = "things")]
#[tombstone(ttl_days = 1)]
struct Grouped {
    #[partition_key]
    key: String,
    field: u8,
    token: u8,
    #[ratchet(guards(field, token))]
    update: u64,
}

/// An entity with fields that have the names used by versions and histories.
#[derive(Derive)]
#[entity(table = "things")]
#[history_table]
struct Counted<F> {
    #[partition_key]
    edit: String,
    #[sort_key]
    version: u64,
    to: u8,
    body: F,
    #[version]
    revision: u64,
}

#[test]
fn version_and_history_commands_do_not_clash_with_field_names() {
    let key = || ("a", 1u64);
    let modify = Counted::<u8>::modify(key(), |counted| counted.to = 1);
    assert!(format!("{modify:?}").starts_with("Modify"));
    let rollback = Counted::<u8>::rollback(key(), 3u64);
    assert!(format!("{rollback:?}").contains('3'));
    assert!(format!("{:?}", Counted::<u8>::restore(key())).contains("Restore"));
    assert!(format!("{:?}", Counted::<u8>::repair(key())).contains("Repair"));
    assert!(format!("{:?}", Counted::<u8>::delete(key(), 3u64)).contains("Loaded(3)"));
    assert!(format!("{:?}", Counted::<u8>::revision(key(), 7u64)).contains('7'));
}

/// The user may name a type `TeamMembers`: it does not clash with the code that is generated for `Team`.
#[derive(dyno::Document)]
#[allow(dead_code, reason = "only its expansion matters")]
struct Team<T = u8, const N: usize = 3> {
    name: T,
    place: u8,
    r#type: [u8; N],
    captain: std::option::Option<Box<TeamMembers>>,
}

#[derive(dyno::Document)]
#[allow(dead_code, reason = "only its expansion matters")]
struct TeamMembers {
    place: u8,
}

#[derive(Derive)]
#[entity(table = "things")]
#[idempotency(keys = 10, attribute = "keys")]
struct Club<F> {
    #[partition_key]
    id: String,
    key: u8,
    team: Team,
    other: F,
}

#[test]
fn document_members_and_keys_do_not_clash_with_field_names() {
    let team = Club::<u8>::fields().team.fields();
    let update = Club::<u8>::update("a").with([team.place.add(1), team.r#type.set([1, 2, 3])]);
    let update = format!("{:?}", update.idempotency_key("k"));
    assert!(update.contains("type") && update.contains("place"), "{update}");
    let create = Club { id: String::new(), key: 1, team: team_of(1), other: 1u8 };
    assert!(format!("{:?}", create.create()).contains("Create"));
}

fn team_of(place: u8) -> Team {
    Team { name: 1, place, r#type: [0; 3], captain: None }
}

#[test]
fn handles_do_not_clash_with_field_names() {
    let f = Names::fields();
    assert_eq!(f.item.name(), "item");
    assert_eq!(f.r#type.name(), "type");
    let update = Names::update(("a", "b")).with([Names::fields().send.set(1), Names::fields().condition.set(2)]);
    assert!(format!("{update:?}").contains("condition"));
    let update = Grouped::update("a").update(1u64).field(2).token(3);
    assert!(format!("{update:?}").contains("field"));
}

/// Makes an entity by a macro, with names and types of the macro's caller.
macro_rules! made {
    ($name:ident $upgrade:literal $default:literal $text:ty) => {
        #[derive(Derive)]
        #[entity(table = "things", schema_version = 2, upgrade = $upgrade)]
        #[allow(dead_code, reason = "only its expansion matters")]
        struct $name {
            #[partition_key]
            id: String,
            #[attribute(default = $default)]
            text: $text,
        }
    };
}

made!(Made "keep" "empty" String);

#[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
fn keep(_: &mut dyno::Item, _: u32) -> std::result::Result<(), String> {
    std::result::Result::Ok(())
}

fn empty() -> String {
    String::new()
}

#[test]
fn paths_in_attributes_resolve_in_the_scope_of_the_entity() {
    use dyno::aws_sdk_dynamodb::types::AttributeValue::S;
    let made = Made::from_item([("id".to_owned(), S("1".to_owned()))].into()).expect("upgraded");
    assert_eq!((made.id.as_str(), made.text.as_str()), ("1", ""));
}
