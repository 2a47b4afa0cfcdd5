//! Type names and schema versions change: the options of `#[entity]`.

use crate::release::releases;
use crate::table::{check, pairs};

releases! {
    plain: (title: String = "a".into());
    film: [entity(type_name = "film")] (title: String = "a".into());
    movie: [entity(type_name = "movie")] (title: String = "a".into());
    film_in_kind: [entity(type_name = "film", type_attribute = "kind")] (title: String = "a".into());
    kind: (title: String = "a".into(), kind: Option<String> = Some("k".into()));
    marked_by_struct: [entity(type_attribute = "kind")] (title: String = "a".into());
    shape_1: [entity(schema_version = 1)] (title: String = "a".into());
    shape_attribute: (title: String = "a".into(), #[attribute(rename = "_v")] shape: Option<u64> = Some(7));
    minutes: (minutes: u64 = 117);
    seconds_2: { pub fn upgrade(_: &mut Item, _: u32) -> Result<(), String> { Ok(()) } }
        [entity(schema_version = 2, upgrade = "upgrade")] (minutes: u64 = 7020);
    name_2: {
        pub fn upgrade(item: &mut Item, _: u32) -> Result<(), String> {
            let title = item.remove("title").ok_or("no title")?;
            item.insert("name".to_owned(), title);
            Ok(())
        }
    } [entity(schema_version = 2, upgrade = "upgrade")] (name: String = "a".into());
    other_upgrade_2: {
        pub fn upgrade(item: &mut Item, _: u32) -> Result<(), String> {
            item.clear();
            Err("another function".to_owned())
        }
    } [entity(schema_version = 2, upgrade = "upgrade")] (name: String = "a".into());
    name_2_in_shape: { pub fn upgrade(_: &mut Item, version: u32) -> Result<(), String> { Err(format!("{version}")) } }
        [entity(schema_version = 2, upgrade = "upgrade", schema_attribute = "shape")] (name: String = "a".into());
}

pairs! {
    plain => film: a_type_name_is_added Conditional, a_type_name_is_removed Breaking;
    film => movie: a_type_name_is_changed Breaking;
    film => film_in_kind: the_attribute_of_the_type_name_is_renamed Breaking;
    plain => marked_by_struct: the_name_of_the_struct_becomes_the_type_name Conditional;
    kind => film_in_kind: an_attribute_becomes_the_type_name Breaking, the_type_name_becomes_an_attribute Breaking;
    plain => shape_1: schema_version_1_is_added Safe, schema_version_1_is_removed Breaking;
    shape_attribute => shape_1: an_attribute_becomes_the_schema_version Breaking;
    minutes => seconds_2: schema_version_2_is_added_at_once Breaking, schema_version_2_is_removed Breaking;
    shape_1 => name_2: the_schema_version_is_raised Conditional, the_schema_version_is_lowered Breaking;
    name_2 => other_upgrade_2: the_upgrade_function_changes Unseen;
    name_2 => name_2_in_shape: the_attribute_of_the_schema_version_is_renamed Breaking;
}

#[tokio::test(start_paused = true)]
async fn no_safe_change_of_shapes_is_contradicted_by_a_command() {
    check("shapes.txt", PAIRS).await;
}
