//! The most immutable attributes that an entity can have, with long names: the condition of a put names each of them.

use dyno::{Entity, Reason};
use dyno_tests::world;

#[derive(Entity, Clone, Debug, Default, PartialEq)]
#[entity(table = "forms")]
struct Form {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    a_rather_long_name_00: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_01: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_02: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_03: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_04: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_05: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_06: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_07: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_08: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_09: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_10: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_11: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_12: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_13: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_14: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_15: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_16: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_17: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_18: Option<u32>,
    #[attribute(immutable)]
    a_rather_long_name_19: Option<u32>,
    text: String,
    #[version]
    version: u64,
}

fn form(last: u32, version: u64) -> Form {
    let (id, last) = ("1".to_owned(), Some(last));
    Form { id, a_rather_long_name_00: Some(1), a_rather_long_name_19: last, version, ..Form::default() }
}

#[tokio::test]
async fn a_put_names_twenty_attributes_with_long_names() {
    let world = world::<Form>().await;
    let repository = &world.repository;
    applied!(form(7, 0).put(), repository);
    let changed = [Reason::Immutable { attribute: "a_rather_long_name_19" }];
    assert_eq!(refused!(form(8, 1).put(), repository), changed);
    assert_eq!(refused!(form(8, 1).replace(), repository), changed);
    let loaded = Form::get("1").consistent().loaded().send(repository).await.expect("a get").expect("a form");
    assert_eq!(refused!(form(8, 1).put().over(&loaded), repository), changed);
    applied!(form(7, 1).put().over(&loaded), repository);
}

/// Each attribute that may be absent, under one of two names, takes four operands of the condition.
#[derive(Entity, Clone, Debug, Default, PartialEq)]
#[entity(table = "renamed")]
struct Renamed {
    #[partition_key]
    id: String,
    #[attribute(immutable, alias = "the_earlier_name_00")]
    a_rather_long_name_00: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_01")]
    a_rather_long_name_01: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_02")]
    a_rather_long_name_02: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_03")]
    a_rather_long_name_03: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_04")]
    a_rather_long_name_04: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_05")]
    a_rather_long_name_05: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_06")]
    a_rather_long_name_06: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_07")]
    a_rather_long_name_07: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_08")]
    a_rather_long_name_08: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_09")]
    a_rather_long_name_09: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_10")]
    a_rather_long_name_10: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_11")]
    a_rather_long_name_11: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_12")]
    a_rather_long_name_12: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_13")]
    a_rather_long_name_13: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_14")]
    a_rather_long_name_14: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_15")]
    a_rather_long_name_15: Option<u32>,
    #[attribute(immutable, alias = "the_earlier_name_16")]
    a_rather_long_name_16: Option<u32>,
    text: String,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_put_names_seventeen_attributes_that_have_earlier_names() {
    let world = world::<Renamed>().await;
    let repository = &world.repository;
    let renamed =
        |last, version| Renamed { id: "1".to_owned(), a_rather_long_name_16: last, version, ..Renamed::default() };
    applied!(renamed(Some(7), 0).put(), repository);
    let changed = [Reason::Immutable { attribute: "a_rather_long_name_16" }];
    for write in [renamed(None, 1), renamed(Some(8), 1)] {
        assert_eq!(refused!(write.clone().put(), repository), changed);
        assert_eq!(refused!(write.clone().replace(), repository), changed);
        let loaded = Renamed::get("1").consistent().loaded().send(repository).await.expect("a get").expect("a row");
        assert_eq!(refused!(write.put().over(&loaded), repository), changed);
    }
    applied!(renamed(Some(7), 1).put(), repository);
    let update = Renamed::update("1").unchecked().with(Renamed::fields().a_rather_long_name_03.set_if_absent(Some(3)));
    applied!(update, repository);
    applied!(Renamed { a_rather_long_name_03: Some(3), ..renamed(Some(7), 3) }.put(), repository);
}
