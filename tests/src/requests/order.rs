//! The tests whose requests are in no certain order, each with its reason.

use std::collections::BTreeSet;

/// How a test's requests are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// In the order in which they are sent.
    Sent,
    /// In any order.
    Any,
    /// Only by the forms that occur, not by their number.
    Forms,
}

use Order::{Any, Forms};

/// The names of tests, without their modules.
const TESTS: &[(&str, Order, &str)] = &[
    ("concurrent_transfers_keep_the_sum", Forms, "pauses are of random length"),
    ("no_writer_waits_longer_than_the_bound_whatever_a_closure_does", Forms, "pauses are of random length"),
    ("a_task_spawned_by_a_closure_waits_until_the_claim_is_released", Forms, "pauses are of random length"),
    ("sixty_four_writers_of_one_item_send_at_most_20_requests_for_each_commit", Forms, "pauses are of random length"),
    ("a_late_commit_on_a_lane_that_was_taken_over_is_refused", Forms, "pauses are of random length"),
    ("a_process_does_not_commit_on_a_recreated_lane", Forms, "pauses are of random length"),
    ("a_late_blind_update_with_a_read_and_a_create_is_in_doubt", Forms, "pauses are of random length"),
    ("a_clone_learns_that_late_blind_updates_were_applied", Forms, "pauses are of random length"),
    ("send_stops_asking_after_the_timeout", Forms, "pauses are of random length"),
    ("send_learns_the_outcome_after_the_sdk_gave_up", Forms, "the SDK's pauses are of random length"),
    ("a_process_reports_how_it_resolves_a_dead_process_s_intents", Forms, "pauses are of random length"),
    ("a_clone_learns_that_late_updates_of_missing_items_were_applied", Forms, "pauses are of random length"),
    ("a_denied_commit_leaves_no_item", Forms, "pauses are of random length"),
    ("an_unavailable_lane_table_is_reported_and_nothing_is_lost", Forms, "pauses are of random length"),
    ("an_owner_abandons_a_lane_restored_to_an_earlier_head", Forms, "pauses are of random length"),
    ("a_commit_that_a_restored_lane_lost_is_rolled_back_whole", Forms, "pauses are of random length"),
    ("an_owner_whose_lane_was_taken_over_commits_on_another_lane", Forms, "pauses are of random length"),
    ("the_commit_of_one_fork_does_not_discard_an_unapplied_commit_of_another", Forms, "pauses are of random length"),
    ("write_skew_between_two_closures_is_prevented", Forms, "pauses are of random length"),
    ("each_fork_writes_its_own_participant_pages", Forms, "pauses are of random length"),
    ("the_last_commit_of_an_epoch_does_not_confirm_another_fork_s_attempt", Forms, "pauses are of random length"),
    ("an_unanswered_apply_is_resent_until_applied", Forms, "pauses are of random length"),
    ("a_late_rollback_does_not_remove_another_transaction_s_intent", Forms, "pauses are of random length"),
    ("an_item_committed_over_a_removed_claim_is_not_overwritten", Forms, "pauses are of random length"),
    ("dropping_a_transaction_does_not_remove_a_tombstone", Forms, "pauses are of random length"),
    ("a_lost_request_of_an_attempt_older_than_15_minutes_is_not_resent", Forms, "pauses are of random length"),
    ("an_attempt_aborted_by_another_writer_does_not_commit", Forms, "pauses are of random length"),
    ("an_earlier_transaction_waits_less_than_a_later_one", Forms, "pauses are of random length"),
    ("a_change_in_a_queried_range_runs_the_closure_again", Forms, "pauses are of random length"),
    ("concurrent_bookings_of_a_room_never_overlap", Forms, "pauses are of random length"),
    ("all_of_64_transactions_on_one_row_commit", Forms, "pauses are of random length"),
    ("a_large_transaction_commits_among_a_stream_of_small_writes", Forms, "pauses are of random length"),
    ("a_slow_transaction_is_not_aborted_as_dead", Forms, "pauses are of random length"),
    ("transactions_over_rows_in_opposite_orders_do_not_deadlock", Forms, "pauses are of random length"),
    ("claimed_rows_are_not_read_again", Any, "what was claimed is let go of in any order"),
    ("a_create_does_not_overwrite_an_item_that_its_claim_found", Any, "what was claimed is let go of in any order"),
    ("a_claimed_row_gets_each_revision_once", Forms, "pauses are of random length"),
    ("a_crash_after_a_claim_leaves_all_or_nothing", Forms, "pauses are of random length"),
    ("a_request_delivered_again_after_a_claim_changes_nothing", Forms, "pauses are of random length"),
    ("a_claim_is_kept_alive_while_its_histories_are_read", Forms, "pauses are of random length"),
    ("a_crash_after_a_claim_leaves_a_large_item_whole", Forms, "what is large is not shown"),
    ("a_page_or_an_intent_delivered_again_changes_nothing", Forms, "what is large is not shown"),
    ("a_query_in_a_transaction_resolves_a_placeholder", Forms, "pauses are of random length"),
    ("a_sweep_removes_a_dead_process_s_placeholder", Forms, "pauses are of random length"),
    ("run_reports_the_error_of_the_work_and_that_of_the_release", Forms, "pauses are of random length"),
    ("after_a_panic_or_a_drop_the_lock_is_free_one_lease_later", Forms, "pauses are of random length"),
    ("client_side_writes_can_store_an_item_of_the_maximum_size", Forms, "what is large is not shown"),
    ("an_item_of_300_kb_changes_once", Forms, "what is large is not shown"),
    ("a_create_over_a_tombstone_writes_new_pages", Forms, "what is large is not shown"),
    ("an_item_or_revision_too_large_to_apply_is_refused_before_any_write", Forms, "what is large is not shown"),
    ("the_history_of_a_large_item_has_whole_revisions", Forms, "what is large is not shown"),
    ("a_revision_sent_twice_is_stored_once", Forms, "pauses are of random length"),
    ("only_the_first_writer_waits_for_a_dead_transaction", Forms, "pauses are of random length"),
    ("a_checkpoint_continues_only_the_scan_that_returned_it", Any, "segments are read at once"),
    ("a_failed_read_does_not_end_a_waiter_with_time_left", Forms, "pauses are of random length"),
    ("a_failed_heartbeat_is_retried", Forms, "pauses are of random length"),
    ("a_wait_bounds_an_unanswered_read", Forms, "pauses are of random length"),
    ("the_error_of_an_expired_wait_says_when_the_lock_is_free", Forms, "pauses are of random length"),
    ("a_waiter_whose_reads_keep_failing_ends_with_an_error", Forms, "pauses are of random length"),
    ("one_wait_bounds_several_locks", Forms, "pauses are of random length"),
    ("a_late_answer_to_a_heartbeat_does_not_lose_the_lock", Forms, "pauses are of random length"),
    ("an_observation_counts_from_its_answer", Forms, "pauses are of random length"),
    ("an_acquisition_with_lost_answers_recognizes_its_own_write", Forms, "pauses are of random length"),
    ("a_release_succeeds_while_a_heartbeat_is_under_way", Forms, "pauses are of random length"),
    ("a_row_removed_and_recreated_belongs_to_the_new_holder", Forms, "pauses are of random length"),
    ("a_lock_is_lost_if_its_row_is_removed", Forms, "pauses are of random length"),
    ("an_interrupted_run_resumes_from_its_checkpoint", Forms, "segments are changed at once, and broken off anywhere"),
    ("the_segments_of_a_scan_cover_the_table", Any, "segments are read at once"),
    ("the_fenced_writes_of_a_former_holder_are_refused", Forms, "pauses are of random length"),
    ("an_acquisition_counts_from_its_sending", Forms, "pauses are of random length"),
    ("attempts_end_before_the_token_is_forgotten", Forms, "pauses are of random length, and end by the clock"),
    ("a_dropped_lock_is_free_one_lease_later", Forms, "pauses are of random length"),
    ("locks_acquired_in_opposite_orders_do_not_deadlock", Forms, "pauses are of random length"),
    ("a_lock_can_be_driven_twice_at_once", Forms, "pauses are of random length"),
    ("concurrent_modifications_are_all_applied", Forms, "who meets whom is left to chance"),
    ("every_payment_arrives_exactly_once_under_any_fault", Forms, "the faults are drawn from a seed"),
    ("an_unpolled_heartbeat_blocks_neither_a_release_nor_another_drive", Forms, "pauses are of random length"),
    ("a_write_not_reported_as_failed_is_stored_under_any_network_fault", Forms, "the faults are drawn from a seed"),
    ("only_one_of_concurrent_transactions_on_one_version_applies", Forms, "who is first is left to chance"),
    ("only_one_of_two_concurrent_deliveries_applies", Forms, "who is first is left to chance"),
    ("two_waiting_clones_apply_once_and_both_report_success", Any, "pauses are of random length"),
    ("the_loss_of_one_of_several_locks_names_the_lock", Forms, "pauses are of random length"),
    ("only_the_first_writer_waits_for_its_lock_timeout", Forms, "pauses are of random length"),
    ("concurrency_bounds_the_requests_under_way", Any, "requests of a batch are under way at once"),
    ("acquiring_holding_waiting_and_releasing_send_a_bounded_number_of_requests", Forms, "pauses are of random length"),
    ("a_lock_that_another_holder_has_is_not_acquired", Forms, "pauses are of random length"),
    ("a_late_acquisition_does_not_take_the_lock_from_its_holder", Forms, "pauses are of random length"),
    ("no_lock_is_held_if_one_is_not_free", Forms, "pauses are of random length"),
    ("a_loss_reports_the_fence_of_the_new_holder", Forms, "pauses are of random length"),
    ("a_holder_without_heartbeats_loses_the_lock_before_the_next_acquisition", Forms, "pauses are of random length"),
    ("a_holder_that_sends_heartbeats_keeps_the_lock", Forms, "pauses are of random length"),
    ("during_keeps_the_lock_and_ends_the_work_when_the_lock_is_lost", Forms, "pauses are of random length"),
    ("concurrent_processes_get_a_lane_each", Forms, "lanes that several look for at once are chosen at random"),
    (
        "a_lane_whose_commit_cannot_be_applied_is_not_taken_over",
        Forms,
        "lanes that were left behind are tried in any order",
    ),
    ("a_sweep_does_not_abort_a_transaction_with_heartbeats", Forms, "pauses are of random length"),
    ("a_sweep_waits_for_150_dead_transactions_at_once", Forms, "pauses are of random length"),
    ("a_sweep_resolves_every_intent", Forms, "pauses are of random length"),
];

/// How a test's requests are to be compared.
pub(super) fn of(test: &str) -> Order {
    let name = name_of(test);
    let found = TESTS.iter().find(|(of, ..)| *of == name);
    found.map_or(Order::Sent, |(_, order, _)| *order)
}

/// The names in the list that no test has.
pub(super) fn stale(tests: &BTreeSet<String>) -> impl Iterator<Item = &'static str> {
    let names: BTreeSet<&str> = tests.iter().map(|test| name_of(test)).collect();
    TESTS.iter().map(|(name, ..)| *name).filter(move |name| !names.contains(name))
}

fn name_of(test: &str) -> &str {
    test.rsplit("::").next().unwrap_or(test)
}
