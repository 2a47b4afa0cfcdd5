//! The tests whose requests the files also show in full, with their values: one readable flow for each kind of command.

use super::order::{self, Order};
use std::collections::BTreeSet;

/// Paths of tests. Only the first world of each is shown. A test that `order` names cannot be here.
const TESTS: &[&str] = &[
    "client_side::request_counts::creating_two_items_takes_two_intents_a_commit_and_two_applies",
    "client_side::in_doubt::an_intent_with_a_lost_answer_does_not_block_the_next_attempt",
    "client_side::overwritten::a_change_that_another_process_applied_is_not_listed",
    "backfill::items::a_write_with_a_lost_answer_counts_once",
    "batch::read::a_key_given_twice_is_read_once",
    "changes::lists::list_elements_are_pushed_removed_and_replaced",
    "commands::writes::an_upsert_that_could_create_a_partial_item_is_refused",
    "commands::writes::updates_change_only_the_attributes_that_they_name",
    "evolution::aliases::a_put_removes_the_values_under_aliases",
    "ratchet_groups::each_group_advances_by_its_own_token",
    "hedge::writes::a_hedged_update_with_an_idempotency_key_applies_once",
    "history::clones::atomic::concurrent_clones_of_a_put_apply_once",
    "history::clones::atomic_with_tombstones::concurrent_clones_of_a_delete_apply_once",
    "idempotency::duplicates::an_update_with_a_repeated_key_applies_once",
    "after_image_pages::page_writes::a_change_that_fits_into_the_row_has_no_page",
    "indexes::read::a_template_key_is_queried_by_its_fields",
    "intents::committed::a_create_finds_the_item_of_a_committed_intent",
    "interactive::request_counts::each_conflict_sends_all_requests_of_the_closure_again",
    "interactive::request_counts::batch_get_in_a_closure_reads_many_rows_in_one_request",
    "interactive::request_counts::changing_one_row_sends_one_read_and_one_write",
    "lock::persisted_observations::a_crashed_holder_s_lock_becomes_free_for_restarted_programs",
    "lock::fenced::a_fenced_write_delivered_again_after_a_later_holder_s_changes_nothing",
    "query::keys::sort_conditions_select_ranges_of_numbers_and_bytes",
    "ratchet::order::a_newer_token_passes_and_an_older_one_is_stale",
    "ratchet::tiebreak::every_order_of_arrival_of_tied_writes_ends_the_same",
    "stream::records::a_stream_reports_every_change_of_an_item",
    "tables::creation::keys_of_several_attributes_are_created_and_verified",
    "tombstone::older_writes_do_not_bring_a_deleted_item_back",
    "transaction::all_or_nothing::a_transaction_is_applied_whole_or_not_at_all",
    "ttl::writes_treat_expired_items_as_absent",
    "version::modify::an_error_of_the_closure_aborts_modify",
    "version::numbers::two_writers_of_one_version_do_not_both_succeed",
];

/// Whether the files show this world in full.
pub(super) fn is_shown(test: &str, world: usize) -> bool {
    world == 1 && TESTS.contains(&test)
}

/// The paths in the list that no test has, or whose test sends its requests in no certain order.
pub(super) fn stale(tests: &BTreeSet<String>) -> impl Iterator<Item = &'static str> {
    TESTS.iter().copied().filter(|test| !tests.contains(*test) || order::of(test) != Order::Sent)
}
