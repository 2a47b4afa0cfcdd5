//! The tests whose requests are in no certain order, each with its reason.

use std::collections::BTreeSet;

/// How a test's requests are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// In the order in which they are sent.
    Sent,
    /// In any order.
    Any,
    /// Only by the forms that there are, and not how many.
    Forms,
}

use Order::{Any, Forms};

/// Names of tests, wherever they are.
const TESTS: &[(&str, Order, &str)] = &[
    ("no_writer_waits_longer_than_the_bound_whatever_a_closure_does", Forms, "pauses are of random length"),
    ("a_task_that_the_closure_has_spawned_waits_until_the_row_is_given_back", Forms, "pauses are of random length"),
    ("sixty_four_writers_of_one_item_send_at_most_20_requests_for_each_commit", Forms, "pauses are of random length"),
    ("a_commit_that_comes_late_is_refused", Forms, "pauses are of random length"),
    ("a_lane_that_was_made_anew_is_not_committed_on", Forms, "pauses are of random length"),
    ("a_blind_update_beside_a_read_and_a_create_is_in_doubt", Forms, "pauses are of random length"),
    (
        "blind_updates_of_missing_items_are_in_doubt_and_a_clone_learns_that_they_were_applied",
        Forms,
        "pauses are of random length",
    ),
    ("send_stops_asking_after_the_timeout", Forms, "pauses are of random length"),
    ("send_learns_the_outcome_that_the_sdk_gave_up_on", Forms, "the SDK's pauses are of random length"),
    ("another_process_reports_how_it_resolves_what_a_dead_one_left", Forms, "pauses are of random length"),
    (
        "two_updates_of_missing_items_are_in_doubt_and_a_clone_learns_that_they_were_applied",
        Forms,
        "pauses are of random length",
    ),
    ("a_decision_that_is_refused_leaves_nothing", Forms, "pauses are of random length"),
    ("a_lane_table_that_does_not_serve_is_reported_and_nothing_is_lost", Forms, "pauses are of random length"),
    ("an_owner_leaves_a_lane_that_was_restored_to_an_earlier_head", Forms, "pauses are of random length"),
    ("what_a_restored_lane_knows_nothing_of_is_taken_away_whole", Forms, "pauses are of random length"),
    ("an_owner_that_comes_back_commits_nothing_there", Forms, "pauses are of random length"),
    ("neither_goes_on_over_what_the_other_has_not_finished", Forms, "pauses are of random length"),
    ("of_two_that_write_what_the_other_reads_one_is_first", Forms, "pauses are of random length"),
    ("the_pages_of_one_are_not_those_of_the_other", Forms, "pauses are of random length"),
    ("what_an_epoch_has_ended_with_is_not_the_other_s", Forms, "pauses are of random length"),
    ("what_is_not_answered_for_a_while_is_applied", Forms, "pauses are of random length"),
    ("what_is_taken_away_late_is_no_other_intent", Forms, "pauses are of random length"),
    ("what_others_have_put_in_place_of_a_claim_stays", Forms, "pauses are of random length"),
    ("what_was_dropped_takes_no_tombstone_away", Forms, "pauses are of random length"),
    ("what_was_lost_is_not_sent_again_when_its_try_is_too_old", Forms, "pauses are of random length"),
    ("what_was_made_void_is_not_committed", Forms, "pauses are of random length"),
    ("who_began_earlier_goes_before", Forms, "pauses are of random length"),
    ("what_comes_goes_or_changes_there_is_seen", Forms, "pauses are of random length"),
    ("of_many_at_once_no_two_have_the_same_time", Forms, "pauses are of random length"),
    ("of_64_transactions_on_one_row_all_commit", Forms, "pauses are of random length"),
    ("one_of_many_rows_gets_through_a_stream_of_small_ones", Forms, "pauses are of random length"),
    ("one_that_takes_long_is_not_taken_for_dead", Forms, "pauses are of random length"),
    ("transactions_that_cross_wait_for_each_other_in_one_order", Forms, "pauses are of random length"),
    ("what_it_does_not_read_is_what_it_has_claimed", Any, "what was claimed is let go of in any order"),
    ("what_it_has_claimed_is_not_created_over", Any, "what was claimed is let go of in any order"),
    ("a_claimed_row_gets_each_revision_once", Forms, "pauses are of random length"),
    ("a_claiming_process_that_dies_leaves_all_or_nothing", Forms, "pauses are of random length"),
    ("a_request_that_comes_again_changes_nothing", Forms, "pauses are of random length"),
    ("a_claim_lives_while_its_run_is_planned", Forms, "pauses are of random length"),
    ("a_claiming_process_that_dies_leaves_a_large_item_whole", Forms, "what is large is not shown"),
    ("a_page_or_an_intent_that_comes_again_changes_nothing", Forms, "what is large is not shown"),
    ("a_query_in_a_transaction_settles_a_place", Forms, "pauses are of random length"),
    ("a_place_of_a_dead_process_is_swept", Forms, "pauses are of random length"),
    ("whatever_an_item_can_hold_it_can_become", Forms, "what is large is not shown"),
    ("an_item_of_300_kb_changes_once", Forms, "what is large is not shown"),
    ("what_is_made_anew_has_pages_of_its_own", Forms, "what is large is not shown"),
    ("what_would_be_too_large_when_it_is_committed_is_refused_before_it", Forms, "what is large is not shown"),
    ("its_history_has_all_of_it", Forms, "what is large is not shown"),
    ("a_revision_that_is_put_twice_is_there_once", Forms, "pauses are of random length"),
    ("who_meets_a_dead_one_waits_for_it_once", Forms, "pauses are of random length"),
    ("a_checkpoint_goes_on_with_what_it_was_made_by_and_with_nothing_else", Any, "segments are read at once"),
    ("a_failed_look_does_not_end_a_waiter_that_has_time", Forms, "pauses are of random length"),
    ("a_heartbeat_that_fails_is_sent_again", Forms, "pauses are of random length"),
    ("a_wait_bounds_a_look_that_is_not_answered", Forms, "pauses are of random length"),
    ("a_wait_that_ends_says_when_the_lock_is_free", Forms, "pauses are of random length"),
    ("looks_that_keep_failing_end_a_waiter", Forms, "pauses are of random length"),
    ("one_wait_bounds_several_locks", Forms, "pauses are of random length"),
    ("a_heartbeat_without_an_answer_is_not_waited_for_to_the_end", Forms, "pauses are of random length"),
    ("a_look_counts_from_its_answer", Forms, "pauses are of random length"),
    ("a_lost_answer_is_no_stranger", Forms, "pauses are of random length"),
    ("a_release_passes_a_heartbeat_that_is_under_way", Forms, "pauses are of random length"),
    ("a_row_that_was_removed_and_made_anew_is_another_one_s", Forms, "pauses are of random length"),
    ("a_row_that_is_removed_is_a_loss", Forms, "pauses are of random length"),
    ("a_run_that_is_broken_off_goes_on_where_it_was", Forms, "segments are changed at once, and broken off anywhere"),
    ("a_scan_can_be_split", Any, "segments are read at once"),
    ("a_zombie_changes_nothing_where_it_is_fenced", Forms, "pauses are of random length"),
    ("an_acquisition_counts_from_its_sending", Forms, "pauses are of random length"),
    ("attempts_end_before_the_token_is_forgotten", Forms, "pauses are of random length, and end by the clock"),
    ("dropped_it_is_free_one_lease_later", Forms, "pauses are of random length"),
    ("in_one_order_nobody_waits_for_who_waits_for_him", Forms, "pauses are of random length"),
    ("it_may_be_driven_twice", Forms, "pauses are of random length"),
    ("many_modifications_at_once_are_all_applied", Forms, "who meets whom is left to chance"),
    ("money_is_neither_made_nor_lost", Forms, "the faults are drawn from a seed"),
    (
        "neither_a_release_nor_another_drive_waits_for_a_heartbeat_that_nobody_polls",
        Forms,
        "pauses are of random length",
    ),
    ("nothing_is_lost_whatever_the_network_does", Forms, "the faults are drawn from a seed"),
    ("of_two_at_once_one_is_applied", Forms, "who is first is left to chance"),
    ("of_two_at_once_one_is_made", Forms, "who is first is left to chance"),
    ("of_two_clones_one_is_applied_and_both_are_told_so", Any, "pauses are of random length"),
    ("one_that_is_lost_is_named", Forms, "pauses are of random length"),
    ("patience_is_waited_for_once", Forms, "pauses are of random length"),
    ("requests_under_way_are_bounded", Any, "requests of a batch are under way at once"),
    ("what_it_costs_to_acquire_to_hold_to_wait_and_to_release_is_metered", Forms, "pauses are of random length"),
    ("what_another_holds_is_not_acquired", Forms, "pauses are of random length"),
    ("what_arrives_late_takes_nothing", Forms, "pauses are of random length"),
    ("where_one_is_not_free_none_is_held", Forms, "pauses are of random length"),
    ("who_takes_it_over_is_told_by_the_fence", Forms, "pauses are of random length"),
    ("whose_heartbeats_end_loses_it_before_the_next_one_has_it", Forms, "pauses are of random length"),
    ("whose_heartbeats_go_on_keeps_it", Forms, "pauses are of random length"),
    ("work_during_it_keeps_it_and_ends_with_it", Forms, "pauses are of random length"),
    ("many_that_look_at_once_get_a_lane_each", Forms, "lanes that several look for at once are chosen at random"),
    (
        "one_that_cannot_be_seen_to_its_end_is_left_as_it_is",
        Forms,
        "lanes that were left behind are tried in any order",
    ),
    ("who_lives_is_waited_for", Forms, "pauses are of random length"),
    ("transactions_are_waited_for_together", Forms, "pauses are of random length"),
    ("each_intent_is_settled", Forms, "pauses are of random length"),
];

/// How a test's requests are to be compared.
pub(super) fn of(test: &str) -> Order {
    let name = name_of(test);
    let found = TESTS.iter().find(|(of, ..)| *of == name);
    found.map_or(Order::Sent, |(_, order, _)| *order)
}

/// The names here that no test has.
pub(super) fn stale(tests: &BTreeSet<String>) -> impl Iterator<Item = &'static str> {
    let names: BTreeSet<&str> = tests.iter().map(|test| name_of(test)).collect();
    TESTS.iter().map(|(name, ..)| *name).filter(move |name| !names.contains(name))
}

fn name_of(test: &str) -> &str {
    test.rsplit("::").next().unwrap_or(test)
}
