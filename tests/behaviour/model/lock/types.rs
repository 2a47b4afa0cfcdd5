//! Types of values change, and the parts of documents, enums and lists.

use super::releases;

releases! {
    a_number_becomes_a_text: Breaking, put,
        [] (year: u64 = 1979) => [] (year: String = "1979".into());
    an_integer_gets_a_wider_type: Conditional, put,
        [] (likes: u8 = 7) => [] (likes: u64 = 700);
    an_integer_gets_a_narrower_type: Conditional, put,
        [] (likes: u64 = 700) => [] (likes: u8 = 7);
    an_integer_becomes_a_float: Conditional, put,
        [] (score: u64 = 7) => [] (score: f64 = 7.5);
    milliseconds_become_seconds_and_are_misread: Breaking, put,
        [] (at: EpochMillis = EpochMillis::new(7_000)) => [] (at: EpochSeconds = EpochSeconds::new(7));
    a_text_becomes_a_uuid: Breaking, put,
        [] (owner: String = "alice".into()) => [] (owner: uuid::Uuid = uuid::Uuid::nil());
    a_uuid_becomes_a_text: Conditional, put,
        [] (owner: uuid::Uuid = uuid::Uuid::nil()) => [] (owner: String = "alice".into());
    a_ulid_becomes_a_uuid: Breaking, put,
        [] (owner: ulid::Ulid = ulid::Ulid::nil()) => [] (owner: uuid::Uuid = uuid::Uuid::nil());
    a_time_gets_a_format: Safe, put,
        [] (at: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH) =>
        [] (#[attribute(format = "millis")] at: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH);
    a_time_loses_its_format: Safe, put,
        [] (at: TextTime<jiff::Timestamp, value::form::Python> = TextTime::new(jiff::Timestamp::UNIX_EPOCH)) =>
        [] (at: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH);
    a_list_becomes_a_set: Breaking, put,
        [] (tags: Vec<String> = vec!["a".into()]) => [] (tags: BTreeSet<String> = BTreeSet::from(["a".to_owned()]));
    the_elements_of_a_list_get_another_type: Breaking, put,
        [] (marks: Vec<u64> = vec![1]) => [] (marks: Vec<String> = vec!["1".into()]);
    the_elements_of_a_list_become_optional: Conditional, put,
        [] (marks: Vec<u64> = vec![1]) => [] (marks: Vec<Option<u64>> = vec![None]);
    the_elements_of_a_list_become_required: Breaking, put,
        [] (marks: Vec<Option<u64>> = vec![None]) => [] (marks: Vec<u64> = vec![1]);
    a_list_gets_a_fixed_length: Conditional, put,
        [] (marks: Vec<u64> = vec![1]) => [] (marks: [u64; 2] = [1, 2]);
    the_fixed_length_of_a_list_changes: Breaking, put,
        [] (marks: [u64; 1] = [1]) => [] (marks: [u64; 2] = [1, 2]);
    the_values_of_a_map_get_another_type: Breaking, put,
        [] (marks: BTreeMap<String, u64> = BTreeMap::from([("a".into(), 1)])) =>
        [] (marks: BTreeMap<String, String> = BTreeMap::from([("a".into(), "1".into())]));
    a_document_gets_an_optional_member: Safe, put,
        { #[derive(Document, Debug)] pub struct Place { city: String } }
        [] (place: Place = Place { city: "Bern".into() }) =>
        { #[derive(Document, Debug)] pub struct Place { city: String, zip: Option<String> } }
        [] (place: Place = Place { city: "Bern".into(), zip: None });
    a_document_in_a_list_gets_a_required_member: Breaking, put,
        { #[derive(Document, Debug)] pub struct Place { city: String } }
        [] (places: Vec<Place> = vec![Place { city: "Bern".into() }]) =>
        { #[derive(Document, Debug)] pub struct Place { city: String, zip: String } }
        [] (places: Vec<Place> = vec![Place { city: "Bern".into(), zip: "3000".into() }]);
    a_member_of_a_document_is_renamed: Breaking, put,
        { #[derive(Document, Debug)] pub struct Place { city: String } }
        [] (place: Place = Place { city: "Bern".into() }) =>
        { #[derive(Document, Debug)] pub struct Place { town: String } }
        [] (place: Place = Place { town: "Bern".into() });
    a_document_becomes_a_map: Conditional, put,
        { #[derive(Document, Debug)] pub struct Place { city: String } }
        [] (place: Place = Place { city: "Bern".into() }) =>
        [] (place: BTreeMap<String, String> = BTreeMap::from([("town".into(), "Bern".into())]));
    the_type_of_a_newtype_changes: Breaking, put,
        { #[derive(Document, Debug)] pub struct Year(u64); }
        [] (year: Year = Year(1979)) =>
        { #[derive(Document, Debug)] pub struct Year(String); }
        [] (year: Year = Year("1979".into()));
    a_newtype_is_added: Safe, put,
        [] (year: u64 = 1979, note: Option<String> = None) =>
        { #[derive(Document, Debug)] pub struct Year(u64); }
        [] (year: Year = Year(1979));
    a_variant_is_added: Conditional, put,
        { #[derive(Document, Debug)] pub enum State { Open } } [] (state: State = State::Open) =>
        { #[derive(Document, Debug)] pub enum State { Open, Shut } } [] (state: State = State::Shut);
    a_variant_is_renamed: Breaking, put,
        { #[derive(Document, Debug)] pub enum State { Open } } [] (state: State = State::Open) =>
        { #[derive(Document, Debug)] pub enum State { Opened } } [] (state: State = State::Opened);
    a_variant_gets_a_value: Breaking, put,
        { #[derive(Document, Debug)] pub enum State { Open } } [] (state: State = State::Open) =>
        { #[derive(Document, Debug)] pub enum State { Open(u64) } } [] (state: State = State::Open(1));
    the_value_of_a_variant_gets_a_required_member: Breaking, put,
        { #[derive(Document, Debug)] #[document(tag = "type")] pub enum Event { Moved { to: String }, Closed } }
        [] (event: Event = Event::Moved { to: "Bern".into() }) =>
        { #[derive(Document, Debug)] #[document(tag = "type")] pub enum Event { Moved { to: String, by: String }, Closed } }
        [] (event: Event = Event::Moved { to: "Bern".into(), by: "ada".into() });
    the_tag_of_an_enum_changes: Breaking, put,
        { #[derive(Document, Debug)] #[document(tag = "type")] pub enum Event { Closed } } [] (event: Event = Event::Closed) =>
        { #[derive(Document, Debug)] #[document(tag = "kind")] pub enum Event { Closed } } [] (event: Event = Event::Closed);
    a_document_that_contains_itself_gets_a_member: Safe, put,
        { #[derive(Document, Debug)] pub struct Node { next: Option<Box<Node>> } }
        [] (node: Node = Node { next: Some(Box::new(Node { next: None })) }) =>
        { #[derive(Document, Debug)] pub struct Node { next: Option<Box<Node>>, name: Option<String> } }
        [] (node: Node = Node { next: Some(Box::new(Node { next: None, name: None })), name: None });
    a_field_gets_a_codec_of_its_own: Conditional, put,
        [] (year: u64 = 1979) => [] (#[attribute(serde)] year: u64 = 1979);
}
