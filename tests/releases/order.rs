//! The rules that order writes: versions, ratchets, fences, and the times of writes.

use crate::release::releases;
use crate::table::{check, pairs};

releases! {
    plain: (title: String = "a".into());
    plain_version: (title: String = "a".into(), #[attribute(default)] version: u64 = 0);
    version: (title: String = "a".into(), #[version] version: u64 = 0);
    small_version: (title: String = "a".into(), #[version] version: u32 = 0);
    revision: (title: String = "a".into(), #[version] revision: u64 = 0);
    plain_write_id: (title: String = "a".into(), #[attribute(rename = "_w")] writer: Option<String> = Some("w".into()));
    version_without_write_id: (title: String = "a".into(), #[version(write_id = false)] version: u64 = 0);
    version_with_other_write_id: (title: String = "a".into(), #[version(write_id = "wrote")] version: u64 = 0);

    plain_at: (#[attribute(default)] at: u64 = 7);
    at: (#[ratchet] #[attribute(default)] at: u64 = 7) tokens |film| (film.at,);
    required_at: (#[ratchet] at: u64 = 7) tokens |film| (film.at,);
    strict_at: (#[ratchet(strict)] #[attribute(default)] at: u64 = 7) tokens |film| (film.at,);
    other_ratchet: (#[ratchet] number: u64 = 7) tokens |film| (film.number,);
    tied_at: (#[ratchet(tiebreak = "by")] at: u64 = 7, by: String = "b".into())
        tokens |film| (__private::Tied(film.at, film.by.clone()),);
    tied_at_differently: (#[ratchet(tiebreak = "of")] at: u64 = 7, by: String = "b".into(), of: String = "o".into())
        tokens |film| (__private::Tied(film.at, film.of.clone()),);
    untied_at: (#[ratchet] at: u64 = 7, by: String = "b".into()) tokens |film| (film.at,);
    millis_at: (#[ratchet] at: EpochMillis = EpochMillis::new(7_000)) tokens |film| (film.at,);
    seconds_at: (#[ratchet] at: EpochSeconds = EpochSeconds::new(7)) tokens |film| (film.at,);
    near_at: (#[ratchet(max_ahead_secs = 60)] at: EpochMillis = EpochMillis::new(7_000)) tokens |film| (film.at,);
    instant_at: (#[ratchet] at: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH) tokens |film| (film.at,);
    instant_in_millis_at: (#[ratchet] #[attribute(format = "millis")] at: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH)
        tokens |film| (TextTime::new(film.at),);
    millis_at_1: [entity(schema_version = 1)] (#[ratchet] at: EpochMillis = EpochMillis::new(7_000)) tokens |film| (film.at,);
    seconds_at_2: { pub fn upgrade(_: &mut Item, _: u32) -> Result<(), String> { Ok(()) } }
        [entity(schema_version = 2, upgrade = "upgrade")] (#[ratchet] at: EpochSeconds = EpochSeconds::new(7)) tokens |film| (film.at,);

    one_group: (#[ratchet(guards(stars, place, touched))] #[attribute(default)] at: u64 = 7, stars: Option<u64> = Some(3), place: Option<String> = None)
        tokens |film| (film.at,),
        also { fn update(key: String) -> Option<Update<Self>> { Some(Film::update(key).at(7u64).stars(4).place("p".to_owned()).touched(1)) } };
    whole_group: (#[ratchet] #[attribute(default)] at: u64 = 7, stars: Option<u64> = Some(3), place: Option<String> = None) tokens |film| (film.at,);
    more_in_a_group:
        (#[ratchet(guards(stars, place, touched, note))] #[attribute(default)] at: u64 = 7, stars: Option<u64> = Some(3), place: Option<String> = None, note: Option<String> = None)
        tokens |film| (film.at,),
        also { fn update(key: String) -> Option<Update<Self>> { Some(Film::update(key).at(7u64).stars(4).place("p".to_owned()).touched(1).note(None)) } };
    two_groups: (#[ratchet(guards(stars, touched))] #[attribute(default)] at: u64 = 7, stars: Option<u64> = Some(3),
            #[ratchet(guards(place))] #[attribute(default)] seen: u64 = 7, place: Option<String> = None)
        tokens |film| (film.at, film.seen),
        also { fn update(key: String) -> Option<Update<Self>> { Some(Film::update(key).at(7u64).stars(4).touched(1)) } };
    other_two_groups: (#[ratchet(guards(touched))] #[attribute(default)] at: u64 = 7, stars: Option<u64> = Some(3),
            #[ratchet(guards(stars, place))] #[attribute(default)] seen: u64 = 7, place: Option<String> = None)
        tokens |film| (film.at, film.seen),
        also { fn update(key: String) -> Option<Update<Self>> { Some(Film::update(key).at(7u64).touched(1)) } };

    plain_epoch: (#[attribute(default)] epoch: u64 = 0);
    fence: (#[fence] epoch: u64 = 0);
    other_fence: (#[fence] term: u64 = 0);

    plain_times: (#[attribute(default)] made: EpochMillis = EpochMillis::new(7), #[attribute(default)] changed: EpochMillis = EpochMillis::new(7));
    no_times: ();
    created: (#[created] #[attribute(default)] made: EpochMillis = EpochMillis::new(7), #[attribute(default)] changed: EpochMillis = EpochMillis::new(7));
    updated: (#[attribute(default)] made: EpochMillis = EpochMillis::new(7), #[updated] #[attribute(default)] changed: EpochMillis = EpochMillis::new(7));
    both_times: (#[created] #[attribute(default)] made: EpochMillis = EpochMillis::new(7), #[updated] #[attribute(default)] changed: EpochMillis = EpochMillis::new(7));
    required_time: (#[updated] changed: EpochMillis = EpochMillis::new(7));
    created_instant: (#[created] made: Option<jiff::Timestamp> = None);
    created_instant_in_millis: (#[created] #[attribute(format = "millis")] made: Option<jiff::Timestamp> = None);
}

pairs! {
    plain => version: a_version_is_added Conditional;
    plain_version => version: a_number_becomes_the_version Conditional, the_version_becomes_a_number Conditional;
    plain_write_id => version: an_attribute_becomes_the_write_id Breaking, the_write_id_becomes_an_attribute Breaking;
    version => small_version: a_version_gets_a_narrower_type Conditional, a_version_gets_a_wider_type Conditional;
    version => revision: a_version_is_renamed Breaking;
    version => version_without_write_id: the_write_id_is_removed Conditional, the_write_id_is_added Safe;
    version => version_with_other_write_id: the_write_id_is_renamed Safe, the_write_id_is_named_as_before Safe;

    plain_at => at: a_ratchet_is_added Conditional, a_ratchet_is_removed Conditional;
    required_at => at: a_ratchet_gets_a_default Conditional, a_ratchet_loses_its_default Breaking;
    required_at => other_ratchet: a_ratchet_is_replaced Breaking;
    strict_at => at: a_ratchet_is_no_longer_strict Conditional, a_ratchet_becomes_strict Conditional;
    untied_at => tied_at: a_tiebreak_is_added Conditional, a_tiebreak_is_removed Conditional;
    tied_at => tied_at_differently: a_tiebreak_is_replaced Breaking;
    millis_at => near_at: tokens_can_be_less_far_ahead Conditional, tokens_can_be_further_ahead Conditional;
    millis_at => seconds_at: the_unit_of_tokens_changes Breaking;
    instant_at => instant_in_millis_at: tokens_get_another_format Conditional, tokens_get_the_first_format Conditional;
    millis_at_1 => seconds_at_2: the_unit_of_tokens_changes_with_the_schema_version Breaking;

    one_group => whole_group: a_group_becomes_the_whole_item Safe, the_whole_item_becomes_a_group Safe;
    one_group => more_in_a_group: a_new_attribute_is_guarded Safe, a_guarded_attribute_is_removed Safe;
    one_group => two_groups: a_group_is_divided Conditional, groups_are_united Conditional;
    two_groups => other_two_groups: an_attribute_changes_its_group Conditional, an_attribute_changes_its_group_back Conditional;

    plain_epoch => fence: a_number_becomes_the_fence Conditional, the_fence_becomes_a_number Conditional;
    no_times => fence: a_fence_is_added Conditional;
    fence => other_fence: a_fence_is_replaced Breaking;

    plain_times => created: an_attribute_becomes_the_time_of_creation Conditional, the_time_of_creation_becomes_an_attribute Conditional;
    plain_times => updated: an_attribute_becomes_the_time_of_change Conditional, the_time_of_change_becomes_an_attribute Conditional;
    no_times => both_times: times_are_added Conditional, times_are_removed Conditional;
    no_times => required_time: a_required_time_is_added Breaking, a_required_time_is_removed Breaking;
    created_instant => created_instant_in_millis: a_time_of_creation_gets_a_format Conditional;
}

#[tokio::test(start_paused = true)]
async fn no_safe_change_of_the_order_of_writes_is_contradicted_by_a_command() {
    check("order.txt", PAIRS).await;
}
