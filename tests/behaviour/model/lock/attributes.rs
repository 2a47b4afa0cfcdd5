//! Attributes are added, removed and renamed.

use super::releases;

releases! {
    an_optional_attribute_is_added: Safe, put,
        [] (title: String = "a".into()) => [] (title: String = "a".into(), note: Option<String> = Some("n".into()));
    an_attribute_with_a_default_is_added: Safe, put,
        [] (title: String = "a".into()) => [] (title: String = "a".into(), #[attribute(default)] likes: u64 = 7);
    a_required_attribute_is_added: Breaking, put,
        [] (title: String = "a".into()) => [] (title: String = "a".into(), year: u64 = 1979);
    an_optional_attribute_is_removed: Safe, put,
        [] (title: String = "a".into(), note: Option<String> = Some("n".into())) => [] (title: String = "a".into());
    an_attribute_with_a_default_is_removed: Safe, put,
        [] (title: String = "a".into(), #[attribute(default)] likes: u64 = 7) => [] (title: String = "a".into());
    a_required_attribute_is_removed: Breaking, put,
        [] (title: String = "a".into(), year: u64 = 1979) => [] (title: String = "a".into());
    a_required_attribute_becomes_optional: Conditional, put,
        [] (title: String = "a".into()) => [] (title: Option<String> = None);
    an_optional_attribute_becomes_required: Breaking, put,
        [] (title: Option<String> = None) => [] (title: String = "a".into());
    a_required_attribute_gets_a_default: Safe, put,
        [] (likes: u64 = 7) => [] (#[attribute(default)] likes: u64 = 7);
    an_optional_attribute_gets_a_default: Conditional, put,
        [] (likes: Option<u64> = None) => [] (#[attribute(default)] likes: u64 = 7);
    an_attribute_with_a_default_becomes_optional: Conditional, put,
        [] (#[attribute(default)] likes: u64 = 7) => [] (likes: Option<u64> = None);
    a_field_is_renamed_and_not_its_attribute: Safe, put,
        [] (title: String = "a".into()) => [] (#[attribute(rename = "title")] name: String = "a".into());
    an_attribute_is_renamed_without_an_alias: Breaking, put,
        [] (title: String = "a".into()) => [] (name: String = "a".into());
    an_optional_attribute_is_renamed_without_an_alias_and_is_misread: Breaking, put,
        [] (title: Option<String> = Some("a".into())) => [] (name: Option<String> = Some("a".into()));
    an_optional_attribute_is_renamed_and_gets_a_default: Conditional, put,
        [] (title: Option<String> = Some("a".into())) => [] (#[attribute(default)] name: String = "a".into());
    an_attribute_is_renamed_in_one_release: Breaking, put,
        [] (title: String = "a".into()) => [] (#[attribute(alias = "title")] name: String = "a".into());
    an_attribute_is_renamed_in_the_first_of_two_releases: Safe, put,
        [] (title: String = "a".into()) => [] (#[attribute(rename = "title", alias = "name")] name: String = "a".into());
    an_attribute_is_renamed_in_the_second_of_two_releases: Safe, put,
        [] (#[attribute(rename = "title", alias = "name")] name: String = "a".into()) =>
        [] (#[attribute(alias = "title")] name: String = "a".into());
    an_attribute_is_renamed_together_with_the_schema_version: Conditional, put,
        [entity(schema_version = 1)] (title: String = "a".into()) =>
        { pub fn upgrade(_: &mut Item, _: u32) -> Result<(), String> { Ok(()) } }
        [entity(schema_version = 2, upgrade = "upgrade")] (#[attribute(alias = "title")] name: String = "a".into());
    an_alias_is_removed: Conditional, put,
        [] (#[attribute(alias = "title")] name: String = "a".into()) => [] (name: String = "a".into());
    an_alias_becomes_an_attribute: Conditional, put,
        [] (#[attribute(alias = "title")] name: String = "a".into()) => [] (name: String = "a".into(), title: Option<String> = None);
    two_attributes_become_one: Breaking, put,
        [] (title: String = "a".into(), name: Option<String> = Some("b".into())) =>
        [] (#[attribute(alias = "name")] title: String = "a".into());
    a_rest_is_removed: Conditional, put,
        [] (#[attribute(rest)] rest: Item = Item::new()) => [] ();
    a_rest_is_added: Safe, put,
        [] () => [] (#[attribute(rest)] rest: Item = Item::new());
}
