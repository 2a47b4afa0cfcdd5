//! Idempotency keys, unique values, transactions.

use crate::release::releases;
use crate::table::{check, pairs};

releases! {
    plain: ();
    ten_minutes: [idempotency(window_secs = 600)] ();
    one_minute: [idempotency(window_secs = 60)] ();
    small_skew: [idempotency(window_secs = 600, max_skew_secs = 60)] ();
    short_hash: [idempotency(window_secs = 600, key_bytes = 12)] ();
    raw_keys: [idempotency(window_secs = 600, raw, key_bytes = 64)] ();
    long_raw_keys: [idempotency(window_secs = 600, raw, key_bytes = 128)] ();
    other_attribute: [idempotency(window_secs = 600, attribute = "_seen")] ();
    ten_keys: [idempotency(keys = 10)] ();
    many_keys: [idempotency(keys = 100)] ();
    key_rows: [idempotency(store = "row", window_secs = 600)] ();
    longer_key_rows: [idempotency(store = "row", window_secs = 6000)] ();
    other_key_rows: [idempotency(store = "row", window_secs = 600, table = "films-keys")] ();
    with_capacity: [idempotency(window_secs = 600, max_rps = 1, body_bytes = 500)] ();
    plain_keys: (#[attribute(rename = "_k")] keys: Option<Vec<String>> = Some(vec!["a".into()]));

    plain_slice: (#[attribute(rename = "_k3")] slice: Option<u64> = Some(7));

    mail: (mail: String = "m".into());
    unique_mail: (#[unique] mail: String = "m".into());
    unique_optional_mail: (#[unique] mail: Option<String> = Some("m".into()));
    unique_number: (#[unique] mail: u64 = 7);
    unique_signed_number: (#[unique] mail: i64 = 7);
    unique_mail_alias_address: (#[unique] #[attribute(alias = "address")] mail: String = "m".into());
    unique_address_alias_mail: (#[unique(name = "mail")] #[attribute(alias = "mail")] address: String = "m".into());
    renamed_unique_mail: (#[unique(name = "address")] mail: String = "m".into());
    unique_pair: [unique(name = "mail", fields(mail, place))] (mail: String = "m".into(), place: String = "p".into());
    swapped_unique_pair: [unique(name = "mail", fields(place, mail))] (mail: String = "m".into(), place: String = "p".into());
    unique_mail_and_place: (#[unique] mail: String = "m".into(), place: String = "p".into());
    unique_instant: (#[unique] mail: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH);
    unique_instant_in_millis: (#[unique] mail: TextTime<jiff::Timestamp, value::form::Millis> = TextTime::new(jiff::Timestamp::UNIX_EPOCH));

    counted: [tombstone(ttl_days = 7)] (#[version] version: u64 = 0);
    transactional: [tombstone(ttl_days = 7), transactional] (#[version] version: u64 = 0);
    transactional_with_other_write_id: [tombstone(ttl_days = 7), transactional] (#[version(write_id = "wrote")] version: u64 = 0);
    transactional_note: [tombstone(ttl_days = 7), transactional] (note: Option<String> = Some("n".into()), #[version] version: u64 = 0);
    transactional_likes: [tombstone(ttl_days = 7), transactional] (likes: u64 = 7, #[version] version: u64 = 0);
    transactional_default: [tombstone(ttl_days = 7), transactional] (#[attribute(default)] likes: u64 = 7, #[version] version: u64 = 0);
    transactional_history: [tombstone(ttl_days = 7), transactional, history_table] (#[version] version: u64 = 0);
    plain_intent: [tombstone(ttl_days = 7)] (#[attribute(rename = "_x")] pending: Option<String> = Some("p".into()), #[version] version: u64 = 0);
}

pairs! {
    plain => ten_minutes: idempotency_keys_are_added Conditional, idempotency_keys_are_removed Conditional;
    ten_minutes => one_minute: idempotency_keys_are_kept_for_less Conditional, idempotency_keys_are_kept_for_longer Conditional;
    ten_minutes => small_skew: the_skew_of_clocks_changes Conditional;
    ten_minutes => short_hash: hashes_of_idempotency_keys_get_shorter Conditional;
    ten_minutes => raw_keys: idempotency_keys_are_no_longer_hashed Conditional;
    raw_keys => long_raw_keys: longer_idempotency_keys_are_taken Conditional;
    ten_minutes => other_attribute: idempotency_keys_get_another_name Conditional;
    ten_minutes => key_rows: idempotency_keys_are_kept_in_rows Conditional, idempotency_keys_are_kept_in_items Conditional;
    ten_minutes => with_capacity: a_capacity_is_declared Safe, a_capacity_is_no_longer_declared Safe;
    ten_keys => many_keys: more_idempotency_keys_are_kept Conditional, fewer_idempotency_keys_are_kept Conditional;
    key_rows => longer_key_rows: rows_of_idempotency_keys_are_kept_for_longer Conditional, rows_of_idempotency_keys_are_kept_for_less Conditional;
    key_rows => other_key_rows: rows_of_idempotency_keys_are_in_another_table Conditional;
    plain_slice => ten_minutes: an_attribute_becomes_a_slice_of_idempotency_keys Breaking, a_slice_of_idempotency_keys_becomes_an_attribute Breaking;
    plain_keys => ten_keys: an_attribute_becomes_the_list_of_idempotency_keys Breaking;

    mail => unique_mail: a_unique_value_is_added Conditional, a_unique_value_is_removed Conditional;
    unique_mail => unique_optional_mail: a_unique_value_becomes_optional Conditional;
    unique_mail => unique_number: the_type_of_a_unique_value_changes Breaking;
    unique_number => unique_signed_number: a_unique_number_gets_a_sign Conditional;
    unique_mail_alias_address => unique_address_alias_mail: a_unique_attribute_is_renamed_in_the_second_of_two_releases Safe;
    unique_mail => renamed_unique_mail: a_unique_value_is_renamed Conditional;
    unique_mail_and_place => unique_pair: a_unique_value_gets_another_part Breaking;
    unique_pair => swapped_unique_pair: the_parts_of_a_unique_value_are_swapped Breaking;
    unique_instant => unique_instant_in_millis: a_unique_time_gets_another_format Breaking;

    counted => transactional: transactions_are_added Conditional, transactions_are_removed Conditional;
    transactional => transactional_with_other_write_id: the_write_id_of_transactions_is_renamed Conditional;
    transactional => transactional_note: an_attribute_of_transactional_items_is_added Safe, an_attribute_of_transactional_items_is_removed Safe;
    transactional_likes => transactional_default: an_attribute_of_transactional_items_gets_a_default Conditional;
    transactional => transactional_history: transactional_items_get_a_history Conditional;
    plain_intent => transactional: an_attribute_becomes_the_intent Breaking;
}

#[tokio::test(start_paused = true)]
async fn no_safe_change_of_what_is_remembered_is_contradicted_by_a_command() {
    check("memory.txt", PAIRS).await;
}
