//! Attributes are added, removed and renamed, and each option of `#[attribute]`.

use crate::release::releases;
use crate::table::{check, pairs};

releases! {
    plain: (title: String = "a".into());
    with_note: (title: String = "a".into(), note: Option<String> = Some("n".into()));
    with_tags: (title: String = "a".into(), tags: BTreeSet<String> = BTreeSet::from(["t".to_owned()]));
    with_likes: (title: String = "a".into(), #[attribute(default)] likes: u64 = 7);
    with_skipped_likes: (title: String = "a".into(), #[attribute(skip)] likes: u64 = 0);
    with_year: (title: String = "a".into(), year: u64 = 1979);
    without_title: (title: Option<String> = None);
    optional_title: (title: Option<String> = Some("a".into()));
    optional_name: (name: Option<String> = Some("a".into()));
    default_name: (#[attribute(default)] name: String = "a".into());
    counted: (likes: u64 = 7);
    counted_by_default: (#[attribute(default)] likes: u64 = 7);
    counted_by_another_default: { fn five() -> u64 { 5 } } (#[attribute(default = "five")] likes: u64 = 7);
    perhaps_counted: (likes: Option<u64> = None);
    perhaps_counted_by_default: (#[attribute(default)] likes: Option<u64> = None);
    other_field: (#[attribute(rename = "title")] name: String = "a".into());
    name: (name: String = "a".into());
    upper_case: [entity(rename_all = "PascalCase")] (title: String = "a".into());
    title_alias_name: (#[attribute(rename = "title", alias = "name")] name: String = "a".into());
    name_alias_title: (#[attribute(alias = "title")] name: String = "a".into());
    name_and_title: (name: String = "a".into(), title: Option<String> = None);
    title_and_name: (title: String = "a".into(), name: Option<String> = Some("b".into()));
    plain_1: [entity(schema_version = 1)] (title: String = "a".into());
    name_alias_title_2: { pub fn upgrade(_: &mut Item, _: u32) -> Result<(), String> { Ok(()) } }
        [entity(schema_version = 2, upgrade = "upgrade")] (#[attribute(alias = "title")] name: String = "a".into());
    rest: (title: String = "a".into(), #[attribute(rest)] rest: Item = Item::new());
    immutable: (#[attribute(immutable)] title: String = "a".into());
    with_immutable_note: (title: String = "a".into(), #[attribute(immutable)] note: Option<String> = Some("n".into()));
    serde_year: (title: String = "a".into(), #[attribute(serde)] year: u64 = 1979);
    serde_text: (title: String = "a".into(), #[attribute(serde)] year: String = "1979".into());
    anno_domini: {
        mod text {
            use dyno::aws_sdk_dynamodb::types::AttributeValue;
            #[expect(clippy::trivially_copy_pass_by_ref, reason = "`with` passes a reference")]
            pub fn encode(year: &u64) -> Result<AttributeValue, String> { Ok(AttributeValue::S(format!("{year} AD"))) }
            pub fn decode(value: AttributeValue) -> Result<u64, String> {
                value.as_s().ok().and_then(|text| text.strip_suffix(" AD")?.parse().ok()).ok_or_else(|| "no year".into())
            }
        }
    } (title: String = "a".into(), #[attribute(with = "text")] year: u64 = 1979);
}

pairs! {
    plain => with_note: an_optional_attribute_is_added Safe, an_optional_attribute_is_removed Safe;
    plain => with_tags: a_set_is_added Safe, a_set_is_removed Safe;
    plain => with_likes: an_attribute_with_a_default_is_added Safe, an_attribute_with_a_default_is_removed Safe;
    plain => with_year: a_required_attribute_is_added Breaking, a_required_attribute_is_removed Breaking;
    with_likes => with_skipped_likes: an_attribute_is_skipped Safe, an_attribute_is_no_longer_skipped Safe;
    plain => without_title: a_required_attribute_becomes_optional Conditional, an_optional_attribute_becomes_required Breaking;
    counted => counted_by_default: a_required_attribute_gets_a_default Conditional, a_default_is_removed Breaking;
    counted => perhaps_counted_by_default:
        a_required_attribute_becomes_optional_with_a_default Conditional, an_optional_attribute_with_a_default_becomes_required Breaking;
    counted_by_default => perhaps_counted:
        an_attribute_with_a_default_becomes_optional Conditional, an_optional_attribute_gets_a_default Conditional;
    counted_by_default => counted_by_another_default: the_value_of_a_default_changes Unseen;
    plain => other_field: a_field_is_renamed_and_not_its_attribute Safe, a_field_is_renamed_back Safe;
    plain => name: an_attribute_is_renamed_without_an_alias Breaking;
    plain => upper_case: the_case_of_all_names_changes Breaking;
    optional_title => optional_name: an_optional_attribute_is_renamed_without_an_alias Breaking;
    optional_title => default_name: an_optional_attribute_is_renamed_and_gets_a_default Conditional;
    plain => name_alias_title: an_attribute_is_renamed_in_one_release Breaking, a_rename_in_one_release_is_undone Breaking;
    plain => title_alias_name: an_attribute_is_renamed_in_the_first_of_two_releases Safe, an_alias_of_the_next_name_is_removed Conditional;
    title_alias_name => name_alias_title:
        an_attribute_is_renamed_in_the_second_of_two_releases Safe, the_second_of_two_releases_is_undone Safe;
    plain_1 => name_alias_title_2:
        an_attribute_is_renamed_together_with_the_schema_version Conditional, a_rename_with_a_schema_version_is_undone Breaking;
    name_alias_title => name: an_alias_is_removed Conditional, an_alias_is_added Safe;
    name_alias_title => name_and_title: an_alias_becomes_an_attribute Conditional, an_attribute_becomes_an_alias Breaking;
    title_and_name => title_alias_name: two_attributes_become_one Breaking;
    plain => rest: a_rest_is_added Safe, a_rest_is_removed Conditional;
    with_note => rest: an_attribute_becomes_a_part_of_the_rest Safe;
    plain => immutable: an_attribute_becomes_immutable Conditional, an_attribute_is_no_longer_immutable Conditional;
    plain => with_immutable_note: an_immutable_attribute_is_added Conditional, an_immutable_attribute_is_removed Safe;
    with_year => serde_year: a_field_is_encoded_by_serde Conditional, a_field_is_no_longer_encoded_by_serde Conditional;
    serde_year => serde_text: the_type_of_a_field_of_serde_changes Unseen;
    with_year => anno_domini: a_field_gets_a_codec_of_its_own Conditional, a_field_loses_its_codec Conditional;
    serde_year => anno_domini: a_codec_changes Unseen;
}

#[tokio::test(start_paused = true)]
async fn no_safe_change_of_attributes_is_contradicted_by_a_command() {
    check("attributes.txt", PAIRS).await;
}
