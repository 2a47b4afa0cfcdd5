//! Documents and enums change.

use crate::release::releases;
use crate::table::{check, pairs};

releases! {
    place: { #[derive(Document, Debug)] pub struct Place { city: String } } (place: Place = Place { city: "Bern".into() });
    optional_zip: { #[derive(Document, Debug)] pub struct Place { city: String, zip: Option<String> } }
        (place: Place = Place { city: "Bern".into(), zip: Some("3000".into()) });
    default_zip: { #[derive(Document, Debug)] pub struct Place { city: String, #[attribute(default)] zip: String } }
        (place: Place = Place { city: "Bern".into(), zip: "3000".into() });
    optional_default_zip: { #[derive(Document, Debug)] pub struct Place { city: String, #[attribute(default)] zip: Option<String> } }
        (place: Place = Place { city: "Bern".into(), zip: None });
    zip: { #[derive(Document, Debug)] pub struct Place { city: String, zip: String } }
        (place: Place = Place { city: "Bern".into(), zip: "3000".into() });
    no_zip: { #[derive(Document, Debug)] pub struct Place { city: String, zip: Option<String> } }
        (place: Place = Place { city: "Bern".into(), zip: None });
    town: { #[derive(Document, Debug)] pub struct Place { town: String } } (place: Place = Place { town: "Bern".into() });
    upper_place: { #[derive(Document, Debug)] #[document(rename_all = "UPPERCASE")] pub struct Place { city: String } }
        (place: Place = Place { city: "Bern".into() });
    place_with_rest: { #[derive(Document, Debug)] pub struct Place { city: String, #[attribute(rest)] rest: Item } }
        (place: Place = Place { city: "Bern".into(), rest: Item::new() });
    opened_at: { #[derive(Document, Debug)] pub struct Place { opened: jiff::Timestamp } } (place: Place = Place { opened: jiff::Timestamp::UNIX_EPOCH });
    opened_in_millis: { #[derive(Document, Debug)] pub struct Place { #[attribute(format = "millis")] opened: jiff::Timestamp } }
        (place: Place = Place { opened: jiff::Timestamp::UNIX_EPOCH });
    opened_by_serde: { #[derive(Document, Debug)] pub struct Place { #[attribute(serde)] opened: String } }
        (place: Place = Place { opened: "1970-01-01T00:00:00Z".into() });
    place_map: (place: BTreeMap<String, String> = BTreeMap::from([("town".into(), "Bern".into())]));
    places: { #[derive(Document, Debug)] pub struct Place { city: String } } (place: Vec<Place> = vec![Place { city: "Bern".into() }]);
    zips: { #[derive(Document, Debug)] pub struct Place { city: String, zip: String } }
        (place: Vec<Place> = vec![Place { city: "Bern".into(), zip: "3000".into() }]);
    place_by_name: { #[derive(Document, Debug)] pub struct Place { city: String } }
        (place: BTreeMap<String, Place> = BTreeMap::from([("a".into(), Place { city: "Bern".into() })]));
    zip_by_name: { #[derive(Document, Debug)] pub struct Place { city: String, zip: String } }
        (place: BTreeMap<String, Place> = BTreeMap::from([("a".into(), Place { city: "Bern".into(), zip: "3000".into() })]));
    node: { #[derive(Document, Debug)] pub struct Node { next: Option<Box<Node>> } }
        (node: Node = Node { next: Some(Box::new(Node { next: None })) });
    named_node: { #[derive(Document, Debug)] pub struct Node { next: Option<Box<Node>>, name: Option<String> } }
        (node: Node = Node { next: Some(Box::new(Node { next: None, name: None })), name: Some("n".into()) });
    open: { #[derive(Document, Debug)] pub enum State { Open } } (state: State = State::Open);
    ordered: { #[derive(Document, Debug)] #[document(order = "declared")] pub enum State { Open } } (state: State = State::Open);
    shut: { #[derive(Document, Debug)] pub enum State { Open, Shut } } (state: State = State::Shut);
    opened: { #[derive(Document, Debug)] pub enum State { Opened } } (state: State = State::Opened);
    open_with_number: { #[derive(Document, Debug)] pub enum State { Open(u64) } } (state: State = State::Open(1));
    open_with_small: { #[derive(Document, Debug)] pub enum State { Open(u8) } } (state: State = State::Open(1));
    moved: { #[derive(Document, Debug)] #[document(tag = "type")] pub enum State { Moved { to: String }, Closed } }
        (state: State = State::Moved { to: "Bern".into() });
    moved_by: { #[derive(Document, Debug)] #[document(tag = "type")] pub enum State { Moved { to: String, by: String }, Closed } }
        (state: State = State::Moved { to: "Bern".into(), by: "ada".into() });
    moved_perhaps: { #[derive(Document, Debug)] #[document(tag = "type")] pub enum State { Moved { to: String, by: Option<String> }, Closed } }
        (state: State = State::Moved { to: "Bern".into(), by: Some("ada".into()) });
    moved_kind: { #[derive(Document, Debug)] #[document(tag = "kind")] pub enum State { Moved { to: String }, Closed } }
        (state: State = State::Moved { to: "Bern".into() });
    moved_untagged: { #[derive(Document, Debug)] pub enum State { Moved { to: String }, Closed } }
        (state: State = State::Moved { to: "Bern".into() });
}

pairs! {
    place => optional_zip: a_document_gets_an_optional_member Safe, a_document_loses_an_optional_member Safe;
    place => default_zip: a_document_gets_a_member_with_a_default Safe, a_document_loses_a_member_with_a_default Safe;
    place => zip: a_document_gets_a_required_member Breaking, a_document_loses_a_required_member Breaking;
    zip => no_zip: a_member_becomes_optional Conditional, a_member_becomes_required Breaking;
    zip => default_zip: a_member_gets_a_default Conditional, a_member_loses_its_default Breaking;
    zip => optional_default_zip: a_member_becomes_optional_with_a_default Conditional;
    place => town: a_member_is_renamed Breaking;
    place => upper_place: the_case_of_all_members_changes Breaking;
    place => place_with_rest: a_document_gets_a_rest Unseen, a_document_loses_its_rest Unseen;
    opened_at => opened_in_millis: a_member_gets_a_format Conditional;
    opened_at => opened_by_serde: a_member_is_encoded_by_serde Conditional, a_member_is_no_longer_encoded_by_serde Conditional;
    place => place_map: a_document_becomes_a_map Conditional, a_map_becomes_a_document Conditional;
    places => zips: a_document_in_a_list_gets_a_required_member Breaking;
    place_by_name => zip_by_name: a_document_in_a_map_gets_a_required_member Breaking;
    node => named_node: a_document_that_contains_itself_gets_a_member Safe, a_document_that_contains_itself_loses_a_member Safe;
    open => ordered: variants_are_ordered Safe, variants_are_no_longer_ordered Safe;
    open => shut: a_variant_is_added Conditional, a_variant_is_removed Breaking;
    open => opened: a_variant_is_renamed Breaking;
    open => open_with_number: a_variant_gets_a_value Breaking, a_variant_loses_its_value Breaking;
    open_with_small => open_with_number: the_value_of_a_variant_gets_a_wider_type Conditional;
    moved => moved_by: the_value_of_a_variant_gets_a_required_member Breaking;
    moved => moved_perhaps: the_value_of_a_variant_gets_an_optional_member Safe, the_value_of_a_variant_loses_an_optional_member Safe;
    moved => moved_kind: the_tag_of_an_enum_changes Breaking;
    moved => moved_untagged: an_enum_loses_its_tag Breaking, an_enum_gets_a_tag Breaking;
}

#[tokio::test(start_paused = true)]
async fn no_safe_change_of_documents_is_contradicted_by_a_command() {
    check("documents.txt", PAIRS).await;
}
