//! Keys and their templates change.

use crate::release::releases;
use crate::table::{check, pairs};

releases! { @keyed
    text: (#[partition_key] id: String = "alice".into(), touched: Option<u64> = None);
    boxed_text: (#[partition_key] id: Box<str> = "alice".into(), touched: Option<u64> = None);
    other_name: (#[partition_key] name: String = "alice".into(), touched: Option<u64> = None);
    other_field: (#[partition_key] #[attribute(rename = "id")] name: String = "alice".into(), touched: Option<u64> = None);
    number: (#[partition_key] id: u64 = 700, touched: Option<u64> = None);
    small: (#[partition_key] id: u8 = 7, touched: Option<u64> = None);
    millis: (#[partition_key] id: EpochMillis = EpochMillis::new(7_000), touched: Option<u64> = None);
    seconds: (#[partition_key] id: EpochSeconds = EpochSeconds::new(7), touched: Option<u64> = None);
    uuid_: (#[partition_key] id: uuid::Uuid = uuid::Uuid::nil(), touched: Option<u64> = None);
    variants: { #[derive(Document, Debug, Clone, Copy)] #[document(rename_all = "lowercase")] pub enum Who { Alice, Bob } }
        (#[partition_key] id: Who = Who::Bob, touched: Option<u64> = None);
    one_variant: { #[derive(Document, Debug, Clone, Copy)] #[document(rename_all = "lowercase")] pub enum Who { Alice } }
        (#[partition_key] id: Who = Who::Alice, touched: Option<u64> = None);
    newtype: { #[derive(Document, Debug, Clone)] pub struct Id(String); } (#[partition_key] id: Id = Id("alice".into()), touched: Option<u64> = None);
    bytes_: (#[partition_key] id: Vec<u8> = vec![1, 2, 3], touched: Option<u64> = None);
    two_bytes: (#[partition_key] id: [u8; 2] = [1, 2], touched: Option<u64> = None);
    instant: (#[partition_key] id: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH, touched: Option<u64> = None);
    instant_in_millis: (#[partition_key] id: TextTime<jiff::Timestamp, value::form::Millis> = TextTime::new(jiff::Timestamp::UNIX_EPOCH), touched: Option<u64> = None);
    sorted: (#[partition_key] id: String = "alice".into(), #[sort_key] at: u64 = 7, touched: Option<u64> = None);
    sorted_by_millis: (#[partition_key] id: String = "alice".into(), #[sort_key] at: EpochMillis = EpochMillis::new(7), touched: Option<u64> = None);
    sorted_by_small: (#[partition_key] id: String = "alice".into(), #[sort_key] at: u8 = 7, touched: Option<u64> = None);

    template: [partition_key(name = "PK", template = "Film#{id}")] (id: String = "7".into(), touched: Option<u64> = None);
    other_template: [partition_key(name = "PK", template = "Movie#{id}")] (id: String = "7".into(), touched: Option<u64> = None);
    template_of_other_field: [partition_key(name = "PK", template = "Film#{name}")] (name: String = "7".into(), touched: Option<u64> = None);
    template_of_number: [partition_key(name = "PK", template = "Film#{id}")] (id: u64 = 700, touched: Option<u64> = None);
    template_of_small: [partition_key(name = "PK", template = "Film#{id}")] (id: u8 = 7, touched: Option<u64> = None);
    template_of_millis: [partition_key(name = "PK", template = "Film#{id}")] (id: EpochMillis = EpochMillis::new(7_000), touched: Option<u64> = None);
    template_of_seconds: [partition_key(name = "PK", template = "Film#{id}")] (id: EpochSeconds = EpochSeconds::new(7), touched: Option<u64> = None);
    template_of_uuid: [partition_key(name = "PK", template = "Film#{id}")] (id: uuid::Uuid = uuid::Uuid::nil(), touched: Option<u64> = None);
    template_of_variants: { #[derive(Document, Debug, Clone, Copy)] pub enum Who { Alice, Bob } }
        [partition_key(name = "PK", template = "Film#{id}")] (id: Who = Who::Bob, touched: Option<u64> = None);
    template_of_one_variant: { #[derive(Document, Debug, Clone, Copy)] pub enum Who { Alice } }
        [partition_key(name = "PK", template = "Film#{id}")] (id: Who = Who::Alice, touched: Option<u64> = None);
    padded: [partition_key(name = "PK", template = "Film#{id:04}")] (id: u64 = 7, touched: Option<u64> = None);
    more_padded: [partition_key(name = "PK", template = "Film#{id:06}")] (id: u64 = 7, touched: Option<u64> = None);
    pair: [partition_key(name = "PK", template = "{from}#{to}")] (from: String = "a".into(), to: String = "b".into(), touched: Option<u64> = None);
    swapped_pair: [partition_key(name = "PK", template = "{to}#{from}")] (from: String = "a".into(), to: String = "b".into(), touched: Option<u64> = None);
    stored: [partition_key(name = "PK", template = "Film#{id}")] (#[attribute(stored)] id: String = "7".into(), touched: Option<u64> = None);
    stored_millis: [partition_key(name = "PK", template = "Film#{id}")] (#[attribute(stored)] id: EpochMillis = EpochMillis::new(7_000), touched: Option<u64> = None);
}

pairs! {
    text => boxed_text: a_key_is_boxed Safe;
    text => newtype: a_key_gets_a_newtype Safe, a_key_loses_its_newtype Safe;
    text => other_name: a_key_is_renamed Breaking;
    text => other_field: the_field_of_a_key_is_renamed Safe, the_field_of_a_key_is_renamed_back Safe;
    text => number: the_type_of_a_key_changes Breaking;
    text => uuid_: a_text_of_a_key_becomes_a_uuid Breaking, a_uuid_of_a_key_becomes_a_text Conditional;
    text => variants: a_text_of_a_key_becomes_an_enum Breaking, an_enum_of_a_key_becomes_a_text Conditional;
    one_variant => variants: a_variant_of_a_key_is_added Conditional, a_variant_of_a_key_is_removed Breaking;
    small => number: a_number_of_a_key_gets_a_wider_type Conditional, a_number_of_a_key_gets_a_narrower_type Conditional;
    millis => seconds: the_unit_of_a_key_changes Breaking;
    number => millis: a_number_of_a_key_gets_a_unit Breaking;
    bytes_ => two_bytes: bytes_of_a_key_get_a_fixed_length Conditional, bytes_of_a_key_lose_their_fixed_length Conditional;
    instant => instant_in_millis: the_format_of_a_time_in_a_key_changes Breaking, the_format_of_a_time_in_a_key_changes_back Breaking;
    text => sorted: a_sort_key_is_added Breaking, a_sort_key_is_removed Breaking;
    sorted => sorted_by_millis: a_sort_key_gets_a_unit Breaking;
    sorted_by_small => sorted: a_sort_key_gets_a_wider_type Conditional;

    template => other_template: a_template_changes Breaking;
    template => template_of_other_field: the_field_of_a_template_is_renamed Safe, the_field_of_a_template_is_renamed_back Safe;
    template => template_of_number: a_text_of_a_template_becomes_a_number Breaking, a_number_of_a_template_becomes_a_text Breaking;
    template => template_of_uuid: a_text_of_a_template_becomes_a_uuid Breaking, a_uuid_of_a_template_becomes_a_text Breaking;
    template => template_of_variants: a_text_of_a_template_becomes_an_enum Breaking, an_enum_of_a_template_becomes_a_text Conditional;
    template_of_one_variant => template_of_variants: a_variant_of_a_template_is_added Conditional, a_variant_of_a_template_is_removed Breaking;
    template_of_small => template_of_number: a_number_of_a_template_gets_a_wider_type Conditional;
    template_of_millis => template_of_seconds: the_unit_of_a_template_changes Breaking;
    template_of_number => padded: a_number_of_a_template_is_padded Breaking;
    padded => more_padded: the_width_of_a_template_changes Breaking;
    pair => swapped_pair: the_fields_of_a_template_are_swapped Breaking;
    template => stored: a_field_of_a_template_is_stored Breaking, a_field_of_a_template_is_no_longer_stored Breaking;
    template_of_millis => stored_millis: a_time_of_a_template_is_stored Breaking;
}

#[tokio::test(start_paused = true)]
async fn no_safe_change_of_keys_is_contradicted_by_a_command() {
    check("keys.txt", PAIRS).await;
}
