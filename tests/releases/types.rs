//! The types of attributes change: each kind of type that can be stored.

use crate::release::releases;
use crate::table::{check, pairs};

releases! {
    text: (value: String = "alice".into());
    boxed_text: (value: Box<str> = "alice".into());
    character: (value: char = 'a');
    uuid_: (value: uuid::Uuid = uuid::Uuid::nil());
    ulid_: (value: ulid::Ulid = ulid::Ulid::nil());
    url_: (value: url::Url = "https://example.com/a".parse().expect("a URL"));
    date: (value: jiff::civil::Date = jiff::civil::date(1979, 5, 25));
    chrono_date: (value: chrono::NaiveDate = chrono::NaiveDate::from_ymd_opt(1979, 5, 25).expect("a date"));
    instant: (value: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH);
    chrono_instant: (value: chrono::DateTime<chrono::Utc> = chrono::DateTime::UNIX_EPOCH);
    time_instant: (value: time::OffsetDateTime = time::OffsetDateTime::UNIX_EPOCH);
    instant_in_millis: (#[attribute(format = "millis")] value: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH);
    text_time_in_millis: (value: TextTime<jiff::Timestamp, value::form::Millis> = TextTime::new(jiff::Timestamp::UNIX_EPOCH));
    instant_of_java: (#[attribute(format = "java")] value: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH);
    millis: (value: EpochMillis = EpochMillis::new(7_000));
    seconds: (value: EpochSeconds = EpochSeconds::new(7));
    variants: { #[derive(Document, Debug)] #[document(rename_all = "lowercase")] pub enum Who { Alice, Bob } } (value: Who = Who::Alice);
    small: (value: u8 = 7);
    number: (value: u64 = 700);
    signed: (value: i64 = -7);
    large: (value: u128 = 10u128.pow(30));
    double: (value: f64 = 7.123_456_789_012);
    single: (value: f32 = 7.5);
    decimal: (value: rust_decimal::Decimal = rust_decimal::Decimal::new(123_456_789_012_345_678, 3));
    boolean: (value: bool = true);
    bytes_: (value: Vec<u8> = vec![1, 2]);
    shared_bytes: (value: bytes::Bytes = bytes::Bytes::from_static(&[1, 2]));
    two_bytes: (value: [u8; 2] = [1, 2]);
    three_bytes: (value: [u8; 3] = [1, 2, 3]);
    anything: (value: aws_sdk_dynamodb::types::AttributeValue = aws_sdk_dynamodb::types::AttributeValue::Null(true));
    newtype: { #[derive(Document, Debug)] pub struct Number(u64); } (value: Number = Number(700));
    other_newtype: { #[derive(Document, Debug)] pub struct Number(String); } (value: Number = Number("700".into()));
    boxed: (value: Box<u64> = Box::new(700));
    texts: (value: Vec<String> = vec!["a".into()]);
    numbers: (value: Vec<u64> = vec![700]);
    smalls: (value: Vec<u16> = vec![7]);
    optional_numbers: (value: Vec<Option<u64>> = vec![None]);
    one_number: (value: [u64; 1] = [1]);
    two_numbers: (value: [u64; 2] = [1, 2]);
    set: (value: BTreeSet<String> = BTreeSet::from(["a".to_owned()]));
    hash_set: (value: HashSet<String> = HashSet::from(["a".to_owned()]));
    number_set: (value: BTreeSet<u64> = BTreeSet::from([700]));
    small_set: (value: BTreeSet<u8> = BTreeSet::from([7]));
    uuid_set: (value: BTreeSet<uuid::Uuid> = BTreeSet::from([uuid::Uuid::nil()]));
    instant_set: (value: BTreeSet<jiff::Timestamp> = BTreeSet::from([jiff::Timestamp::UNIX_EPOCH]));
    millis_set: (value: BTreeSet<TextTime<jiff::Timestamp, value::form::Millis>> = BTreeSet::from([jiff::Timestamp::UNIX_EPOCH.into()]));
    map: (value: BTreeMap<String, u64> = BTreeMap::from([("a".into(), 1)]));
    hash_map: (value: HashMap<String, u64> = HashMap::from([("a".into(), 1)]));
    map_of_texts: (value: BTreeMap<String, String> = BTreeMap::from([("a".into(), "1".into())]));
    map_by_number: (value: BTreeMap<u32, u64> = BTreeMap::from([(700, 1)]));
    map_by_small: (value: BTreeMap<u8, u64> = BTreeMap::from([(7, 1)]));
    map_by_variant: { #[derive(Document, Debug, PartialEq, Eq, PartialOrd, Ord)] pub enum Who { Alice } }
        (value: BTreeMap<Who, u64> = BTreeMap::from([(Who::Alice, 1)]));
    optional: (value: Option<u64> = Some(700));
    optional_box: (value: Option<Box<u64>> = Some(Box::new(700)));
}

pairs! {
    text => boxed_text: a_text_is_boxed Safe, a_text_is_no_longer_boxed Safe;
    text => number: a_text_becomes_a_number Breaking, a_number_becomes_a_text Breaking;
    text => character: a_text_becomes_a_character Breaking, a_character_becomes_a_text Conditional;
    text => uuid_: a_text_becomes_a_uuid Breaking, a_uuid_becomes_a_text Conditional;
    text => url_: a_text_becomes_a_url Breaking, a_url_becomes_a_text Conditional;
    text => date: a_text_becomes_a_date Breaking, a_date_becomes_a_text Conditional;
    text => instant: a_text_becomes_an_instant Breaking, an_instant_becomes_a_text Conditional;
    text => variants: a_text_becomes_an_enum Breaking, an_enum_becomes_a_text Conditional;
    ulid_ => uuid_: a_ulid_becomes_a_uuid Breaking, a_uuid_becomes_a_ulid Breaking;
    date => chrono_date: a_date_is_of_another_crate Safe, a_date_is_of_the_first_crate Safe;
    date => instant: a_date_becomes_an_instant Breaking, an_instant_becomes_a_date Breaking;
    instant => chrono_instant: an_instant_is_of_another_crate Safe, an_instant_is_of_the_first_crate Safe;
    instant => time_instant: an_instant_is_of_a_third_crate Safe;
    instant => instant_in_millis: a_time_gets_a_format Conditional, a_time_loses_its_format Conditional;
    instant_in_millis => text_time_in_millis: a_format_becomes_a_type Safe, a_type_becomes_a_format Safe;
    instant_in_millis => instant_of_java: a_time_gets_a_format_that_does_not_sort Conditional;
    instant => millis: an_instant_becomes_milliseconds Breaking, milliseconds_become_an_instant Breaking;
    millis => seconds: milliseconds_become_seconds Breaking, seconds_become_milliseconds Breaking;
    signed => millis: a_number_gets_a_unit Breaking, a_number_loses_its_unit Breaking;
    small => number: an_integer_gets_a_wider_type Conditional, an_integer_gets_a_narrower_type Conditional;
    number => signed: an_integer_gets_a_sign Conditional, an_integer_loses_its_sign Conditional;
    number => large: an_integer_gets_the_widest_type Conditional, an_integer_loses_the_widest_type Conditional;
    number => double: an_integer_becomes_a_float Conditional, a_float_becomes_an_integer Conditional;
    double => single: a_float_gets_a_narrower_type Conditional, a_float_gets_a_wider_type Conditional;
    double => decimal: a_float_becomes_a_decimal Conditional, a_decimal_becomes_a_float Conditional;
    number => decimal: an_integer_becomes_a_decimal Conditional;
    number => boolean: a_number_becomes_a_boolean Breaking;
    number => newtype: a_newtype_is_added Safe, a_newtype_is_removed Safe;
    newtype => other_newtype: the_type_of_a_newtype_changes Breaking;
    number => boxed: a_number_is_boxed Safe;
    optional => optional_box: an_optional_number_is_boxed Safe;
    number => anything: a_value_of_any_type Conditional, a_value_of_one_type Conditional;
    bytes_ => shared_bytes: bytes_are_shared Safe, bytes_are_no_longer_shared Safe;
    bytes_ => three_bytes: bytes_get_a_fixed_length Conditional, bytes_lose_their_fixed_length Conditional;
    two_bytes => three_bytes: the_fixed_length_of_bytes_changes Breaking;
    bytes_ => numbers: bytes_become_numbers Breaking;
    texts => set: a_list_becomes_a_set Breaking, a_set_becomes_a_list Breaking;
    numbers => texts: the_elements_of_a_list_get_another_type Breaking;
    smalls => numbers: the_elements_of_a_list_get_a_wider_type Conditional;
    numbers => optional_numbers: the_elements_of_a_list_become_optional Conditional, the_elements_of_a_list_become_required Breaking;
    numbers => two_numbers: a_list_gets_a_fixed_length Conditional, a_list_loses_its_fixed_length Conditional;
    one_number => two_numbers: the_fixed_length_of_a_list_changes Breaking;
    set => hash_set: a_set_is_of_another_type Safe, a_set_is_of_the_first_type Safe;
    set => number_set: the_elements_of_a_set_get_another_type Breaking;
    set => uuid_set: the_elements_of_a_set_become_uuids Breaking, the_uuids_of_a_set_become_texts Conditional;
    small_set => number_set: the_elements_of_a_set_get_a_wider_type Conditional, the_elements_of_a_set_get_a_narrower_type Conditional;
    instant_set => millis_set: the_times_of_a_set_get_another_format Conditional;
    map => hash_map: a_map_is_of_another_type Safe, a_map_is_of_the_first_type Safe;
    map => map_of_texts: the_values_of_a_map_get_another_type Breaking;
    map => map_by_number: the_keys_of_a_map_become_numbers Breaking, the_keys_of_a_map_become_texts Conditional;
    map_by_small => map_by_number: the_keys_of_a_map_get_a_wider_type Conditional;
    map => map_by_variant: the_keys_of_a_map_become_variants Breaking, the_keys_of_a_map_are_no_longer_variants Conditional;
}

#[tokio::test(start_paused = true)]
async fn no_safe_change_of_types_is_contradicted_by_a_command() {
    check("types.txt", PAIRS).await;
}
