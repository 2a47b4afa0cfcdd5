//! Type names and schema versions change.

use super::releases;

releases! {
    a_type_name_is_added: Conditional, put,
        [] (title: String = "a".into()) => [entity(type_name = "film")] (title: String = "a".into());
    a_type_name_is_changed: Breaking, put,
        [entity(type_name = "film")] (title: String = "a".into()) => [entity(type_name = "movie")] (title: String = "a".into());
    a_type_name_is_removed_and_its_attribute_is_misread: Breaking, put,
        [entity(type_name = "film")] (title: String = "a".into()) => [] (title: String = "a".into());
    schema_version_1_is_added: Safe, put,
        [] (title: String = "a".into()) => [entity(schema_version = 1)] (title: String = "a".into());
    schema_version_2_is_added_at_once_and_its_items_are_misread: Breaking, put,
        [] (minutes: u64 = 117) =>
        { pub fn upgrade(_: &mut Item, _: u32) -> Result<(), String> { Ok(()) } }
        [entity(schema_version = 2, upgrade = "upgrade")] (minutes: u64 = 7020);
    the_schema_version_is_raised: Conditional, put,
        [entity(schema_version = 1)] (title: String = "a".into()) =>
        {
            pub fn upgrade(item: &mut Item, _: u32) -> Result<(), String> {
                let title = item.remove("title").ok_or("no title")?;
                item.insert("name".to_owned(), title);
                Ok(())
            }
        }
        [entity(schema_version = 2, upgrade = "upgrade")] (name: String = "a".into());
    the_schema_version_is_lowered: Breaking, put,
        { pub fn upgrade(_: &mut Item, _: u32) -> Result<(), String> { Ok(()) } }
        [entity(schema_version = 2, upgrade = "upgrade")] (title: String = "a".into()) =>
        [entity(schema_version = 1)] (title: String = "a".into());
    the_schema_version_is_removed_and_its_items_are_misread: Breaking, put,
        [entity(schema_version = 1)] (title: String = "a".into()) => [] (title: String = "a".into());
    the_attribute_of_the_schema_version_is_renamed: Breaking, put,
        { pub fn upgrade(_: &mut Item, version: u32) -> Result<(), String> { Err(format!("{version}")) } }
        [entity(schema_version = 2, upgrade = "upgrade")] (title: String = "a".into()) =>
        { pub fn upgrade(_: &mut Item, version: u32) -> Result<(), String> { Err(format!("{version}")) } }
        [entity(schema_version = 2, upgrade = "upgrade", schema_attribute = "shape")] (title: String = "a".into());
}
