//! The rules about the end of an item: tombstones, TTLs, histories.

use crate::release::releases;
use crate::table::{check, pairs};

releases! {
    plain: (title: Option<String> = None);
    required: (title: String = "a".into());
    tombstone: [tombstone(ttl_days = 7)] (title: Option<String> = None);
    tombstone_of_required: [tombstone(ttl_days = 7)] (title: String = "a".into());
    long_tombstone: [tombstone(ttl_days = 30)] (title: Option<String> = None);
    tombstone_with_other_flag: [tombstone(ttl_days = 7, deleted = "gone")] (title: Option<String> = None);
    tombstone_with_other_ttl: [tombstone(ttl_days = 7, ttl = "goes")] (title: Option<String> = None);
    tombstone_with_ttl: [tombstone(ttl_days = 7)] (title: Option<String> = None, #[ttl] ttl: Option<EpochSeconds> = None);
    plain_flag: (title: Option<String> = None, deleted: Option<bool> = Some(true));
    plain_goes: (title: Option<String> = None, ttl: Option<u64> = Some(7));
    marked: [entity(type_name = "film"), tombstone(ttl_days = 7)] (title: Option<String> = None);
    unmarked: [entity(type_name = "film"), tombstone(ttl_days = 7, mark = false)] (title: Option<String> = None);
    ratcheted: [tombstone(ttl_days = 7)] (#[ratchet] at: u64 = 7) tokens |film| (film.at,);
    long_ratcheted: [tombstone(ttl_days = 30)] (#[ratchet] at: u64 = 7) tokens |film| (film.at,);

    ttl: (#[ttl] until: Option<EpochSeconds> = None);
    passed_ttl: (#[ttl] until: Option<EpochSeconds> = Some(EpochSeconds::new(7)));
    plain_until: (until: Option<EpochSeconds> = Some(EpochSeconds::new(7)));
    other_ttl: (#[ttl] goes: Option<EpochSeconds> = Some(EpochSeconds::new(7)));

    version: (#[version] version: u64 = 0);
    history: [history_table] (#[version] version: u64 = 0);
    other_history: [history_table(name = "films-old")] (#[version] version: u64 = 0);
    short_history: [history_table(ttl_days = 7)] (#[version] version: u64 = 0);
    longer_history: [history_table(ttl_days = 30)] (#[version] version: u64 = 0);
    deleted_history: [tombstone(ttl_days = 7), history_table] (#[version] version: u64 = 0);
    ordered_history: [tombstone(ttl_days = 7), history_table(mode = "ordered")] (#[version] version: u64 = 0);
    history_of_title: [history_table] (title: String = "a".into(), #[version] version: u64 = 0);
    history_of_default: [history_table] (#[attribute(default)] title: String = "a".into(), #[version] version: u64 = 0);
    history_of_note: [history_table] (title: String = "a".into(), note: Option<String> = Some("n".into()), #[version] version: u64 = 0);
    versioned_tombstone: [tombstone(ttl_days = 7)] (title: Option<String> = None, #[version] version: u64 = 0);
    versioned_note: [tombstone(ttl_days = 7)] (title: Option<String> = None, note: Option<String> = Some("n".into()), #[version] version: u64 = 0);
}

releases! { @keyed
    sorted_history: [history_table] (#[partition_key] id: String = "1".into(), #[sort_key] at: String = "a".into(), #[version] version: u64 = 0, touched: Option<u64> = None);
    history_in_its_table: [history_table(layout = "same_table")]
        (#[partition_key] id: String = "1".into(), #[sort_key] at: String = "a".into(), #[version] version: u64 = 0, touched: Option<u64> = None);
}

pairs! {
    plain => tombstone: a_tombstone_is_added Conditional, a_tombstone_is_removed Breaking;
    required => tombstone_of_required: a_tombstone_of_an_item_with_a_required_attribute_is_added Conditional;
    tombstone => long_tombstone: tombstones_are_kept_for_more_days Conditional, tombstones_are_kept_for_fewer_days Conditional;
    ratcheted => long_ratcheted: ratcheted_tombstones_are_kept_for_more_days Conditional;
    tombstone => tombstone_with_other_flag: the_flag_of_tombstones_is_renamed Breaking;
    tombstone => tombstone_with_other_ttl: the_ttl_of_tombstones_is_renamed Breaking;
    tombstone => tombstone_with_ttl: items_with_tombstones_get_a_ttl Conditional, items_with_tombstones_lose_their_ttl Breaking;
    marked => unmarked: tombstones_lose_the_mark Conditional, tombstones_get_the_mark Conditional;
    plain_flag => tombstone: an_attribute_becomes_the_flag_of_tombstones Breaking, the_flag_of_tombstones_becomes_an_attribute Breaking;
    plain_goes => tombstone: an_attribute_becomes_the_ttl_of_tombstones Breaking;
    versioned_tombstone => versioned_note: an_attribute_of_items_with_tombstones_is_added Safe, an_attribute_of_items_with_tombstones_is_removed Safe;

    plain => ttl: a_ttl_is_added Conditional;
    plain_until => passed_ttl: an_attribute_becomes_the_ttl Conditional, the_ttl_becomes_an_attribute Breaking;
    passed_ttl => other_ttl: a_ttl_is_renamed Breaking;

    version => history: a_history_is_added Conditional, a_history_is_removed Conditional;
    history => other_history: the_table_of_a_history_changes Breaking;
    sorted_history => history_in_its_table: the_layout_of_a_history_changes Breaking, the_layout_of_a_history_changes_back Breaking;
    history => short_history: revisions_expire Conditional, revisions_no_longer_expire Conditional;
    short_history => longer_history: revisions_are_kept_for_longer Conditional, revisions_are_kept_for_less Conditional;
    deleted_history => ordered_history: the_mode_of_a_history_changes Breaking, the_mode_of_a_history_changes_back Breaking;
    history_of_title => history_of_default: a_required_attribute_of_a_history_gets_a_default Conditional;
    history_of_title => history_of_note: an_optional_attribute_is_added_to_a_history Safe, an_optional_attribute_of_a_history_is_removed Safe;
}

#[tokio::test(start_paused = true)]
async fn no_safe_change_of_the_end_of_items_is_contradicted_by_a_command() {
    check("lives.txt", PAIRS).await;
}
