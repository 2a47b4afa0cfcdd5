//! The tests whose requests the files also show in full, with their values: a flow of each kind of command to read.

use super::order::{self, Order};
use std::collections::BTreeSet;

/// Paths of tests. Only the first world of each is shown. A test that `order` names cannot be here.
const TESTS: &[&str] = &[
    "apart::counted::a_create_of_two_items_is_two_intents_a_commit_and_two_applies",
    "apart::doubt::an_intent_whose_answer_is_lost_does_not_stay",
    "apart::overwritten::a_change_that_others_have_applied_is_not_listed",
    "backfill::items::a_write_whose_answer_is_lost_is_made_once",
    "batch::read::a_key_given_twice_is_read_once",
    "changes::lists::lists_change_by_their_elements",
    "commands::writes::an_upsert_makes_a_whole_item_or_none",
    "commands::writes::updates_change_what_they_name",
    "evolution::aliases::a_put_leaves_the_older_names_behind",
    "groups::groups_move_independently",
    "hedge::writes::an_update_with_an_idempotency_key_is_made_once",
    "history::clones::atomic::a_put_is_one",
    "history::clones::atomic_with_tombstones::a_deletion_is_one",
    "idempotency::once::an_update_that_comes_twice_is_made_once",
    "images::own::what_fits_into_the_row_has_no_page",
    "indexes::read::a_key_of_templates_is_asked_for_by_its_fields",
    "intents::committed::what_was_made_new_is_there",
    "interactive::counted::k_conflicts_cost_k_times_more",
    "interactive::counted::many_rows_are_read_together",
    "interactive::counted::one_row_that_is_read_and_written_is_one_read_and_one_write",
    "lock::anew::a_crashed_holders_lock_is_free_for_programs_that_start_anew",
    "lock::fenced::a_write_that_was_applied_and_passed_by_a_later_holder_is_refused",
    "query::keys::ranges_of_numbers_and_bytes",
    "ratchet::order::newer_passes_and_older_is_stale",
    "ratchet::tiebreak::a_tiebreak_makes_all_orders_of_arrival_one",
    "stream::records::the_stream_of_an_item_tells_its_whole_life",
    "tables::made::keys_of_several_attributes_are_made_and_compared",
    "tombstone::older_writes_do_not_bring_a_deleted_item_back",
    "transaction::all_or_nothing::all_is_applied_or_nothing",
    "ttl::writes_take_what_has_expired_for_nothing",
    "version::modify::modify_can_be_ended_by_the_closure",
    "version::numbers::two_writers_of_one_image_do_not_both_succeed",
];

/// Whether the files show this world in full.
pub(super) fn is_shown(test: &str, world: usize) -> bool {
    world == 1 && TESTS.contains(&test)
}

/// The paths here that no test has, or only a test whose order is not certain.
pub(super) fn stale(tests: &BTreeSet<String>) -> impl Iterator<Item = &'static str> {
    TESTS.iter().copied().filter(|test| !tests.contains(*test) || order::of(test) != Order::Sent)
}
