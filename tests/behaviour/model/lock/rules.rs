//! Rules are added, changed and removed.

use super::releases;

releases! {
    a_version_is_added: Conditional, put,
        [] (title: String = "a".into()) => [] (title: String = "a".into(), #[version] version: u64 = 0);
    a_version_is_renamed_and_is_misread: Breaking, put,
        [] (#[version] version: u64 = 0) => [] (#[version] revision: u64 = 0);
    a_version_is_removed: Conditional, put,
        [] (#[version] version: u64 = 0) => [] (#[attribute(default)] version: u64 = 0);
    a_ratchet_is_added: Conditional, put,
        [] (#[attribute(default)] at: u64 = 7) => [] (#[ratchet] #[attribute(default)] at: u64 = 7);
    a_ratchet_is_replaced: Breaking, put,
        [] (#[ratchet] at: u64 = 7) => [] (#[ratchet] number: u64 = 7);
    a_ratchet_is_no_longer_strict: Conditional, put,
        [] (#[ratchet(strict)] at: u64 = 7) => [] (#[ratchet] at: u64 = 7);
    a_ratchet_becomes_strict: Safe, put,
        [] (#[ratchet] at: u64 = 7) => [] (#[ratchet(strict)] at: u64 = 7);
    a_tombstone_is_added: Conditional, delete,
        [] (title: String = "a".into()) => [tombstone(ttl_days = 7)] (title: String = "a".into());
    the_flag_of_tombstones_is_renamed: Breaking, delete,
        [tombstone(ttl_days = 7)] (title: Option<String> = None) =>
        [tombstone(ttl_days = 7, deleted = "gone")] (title: Option<String> = None);
    a_tombstone_is_removed: Breaking, delete,
        [tombstone(ttl_days = 7)] (title: Option<String> = None) => [] (title: Option<String> = None);
    tombstones_are_kept_for_fewer_days: Conditional, delete,
        [tombstone(ttl_days = 30)] (title: String = "a".into()) => [tombstone(ttl_days = 7)] (title: String = "a".into());
    tombstones_are_kept_for_more_days: Safe, delete,
        [tombstone(ttl_days = 7)] (title: String = "a".into()) => [tombstone(ttl_days = 30)] (title: String = "a".into());
    a_ttl_is_added: Conditional, put,
        [] () => [] (#[ttl] until: Option<EpochSeconds> = None);
    an_attribute_becomes_the_ttl: Conditional, put,
        [] (until: EpochSeconds = EpochSeconds::new(7)) => [] (#[ttl] until: EpochSeconds = EpochSeconds::new(7));
    a_ttl_is_removed: Breaking, put,
        [] (#[ttl] until: EpochSeconds = EpochSeconds::new(7)) => [] (until: EpochSeconds = EpochSeconds::new(7));
    a_history_is_added: Conditional, put,
        [] (#[version] version: u64 = 0) => [history_table] (#[version] version: u64 = 0);
    the_mode_of_a_history_changes_and_its_revisions_are_misread: Breaking, put,
        [tombstone(ttl_days = 7), history_table] (#[version] version: u64 = 0) =>
        [tombstone(ttl_days = 7), history_table(mode = "ordered")] (#[version] version: u64 = 0);
    a_history_is_removed: Conditional, put,
        [history_table] (#[version] version: u64 = 0) => [] (#[version] version: u64 = 0);
    idempotency_keys_are_added: Conditional, create,
        [] () => [idempotency(window_secs = 600)] ();
    idempotency_keys_are_kept_for_less: Conditional, create,
        [idempotency(window_secs = 600)] () => [idempotency(window_secs = 60)] ();
    idempotency_keys_are_kept_for_longer: Conditional, create,
        [idempotency(window_secs = 60)] () => [idempotency(window_secs = 600)] ();
    fewer_idempotency_keys_are_kept: Conditional, create,
        [idempotency(keys = 100)] () => [idempotency(keys = 10)] ();
    more_idempotency_keys_are_kept: Safe, create,
        [idempotency(keys = 10)] () => [idempotency(keys = 100)] ();
    idempotency_keys_are_kept_in_rows: Conditional, create,
        [idempotency(window_secs = 600)] () => [idempotency(store = "row", window_secs = 600)] ();
    idempotency_keys_are_removed: Conditional, create,
        [idempotency(window_secs = 600)] () => [] ();
    a_unique_value_is_added: Conditional, put,
        [] (mail: String = "a".into()) => [] (#[unique] mail: String = "a".into());
    a_unique_attribute_is_renamed_in_the_second_of_two_releases: Safe, put,
        [] (#[unique] #[attribute(alias = "address")] mail: String = "a".into()) =>
        [] (#[unique(name = "mail")] #[attribute(alias = "mail")] address: String = "a".into());
    a_unique_value_is_renamed: Conditional, put,
        [] (#[unique] mail: String = "a".into()) => [] (#[unique(name = "address")] mail: String = "a".into());
    longer_idempotency_keys_are_taken: Conditional, create,
        [idempotency(window_secs = 600, raw, key_bytes = 64)] () => [idempotency(window_secs = 600, raw, key_bytes = 128)] ();
    a_type_of_a_ratchet_changes_with_the_schema_version_and_is_misread: Breaking, put,
        [entity(schema_version = 1)] (#[ratchet] at: EpochMillis = EpochMillis::new(7_000)) =>
        { pub fn upgrade(_: &mut Item, _: u32) -> Result<(), String> { Ok(()) } }
        [entity(schema_version = 2, upgrade = "upgrade")] (#[ratchet] at: EpochSeconds = EpochSeconds::new(7));
    tokens_get_another_format: Conditional, put,
        [] (#[ratchet] at: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH) =>
        [] (#[ratchet] #[attribute(format = "millis")] at: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH);
    tokens_can_be_further_ahead: Conditional, put,
        [] (#[ratchet(max_ahead_secs = 60)] at: EpochMillis = EpochMillis::new(7)) =>
        [] (#[ratchet] at: EpochMillis = EpochMillis::new(7));
    a_time_of_change_is_added: Conditional, put,
        [] (#[attribute(default)] at: EpochMillis = EpochMillis::new(7)) =>
        [] (#[updated] #[attribute(default)] at: EpochMillis = EpochMillis::new(7));
    a_fence_is_added: Conditional, put,
        [] () => [] (#[fence] epoch: u64 = 0);
    transactions_are_added: Conditional, put,
        [tombstone(ttl_days = 7)] (#[version] version: u64 = 0) =>
        [tombstone(ttl_days = 7), transactional] (#[version] version: u64 = 0);
    transactions_are_removed: Conditional, put,
        [tombstone(ttl_days = 7), transactional] (#[version] version: u64 = 0) =>
        [tombstone(ttl_days = 7)] (#[version] version: u64 = 0);
    an_attribute_becomes_immutable: Conditional, put,
        [] (owner: String = "a".into()) => [] (#[attribute(immutable)] owner: String = "a".into());
    an_attribute_is_no_longer_immutable: Conditional, put,
        [] (#[attribute(immutable)] owner: String = "a".into()) => [] (owner: String = "a".into());
    a_time_of_creation_is_removed: Conditional, put,
        [] (#[created] #[attribute(default)] made: EpochMillis = EpochMillis::new(7)) =>
        [] (#[attribute(default)] made: EpochMillis = EpochMillis::new(7));
}
