//! Random conditions: a write with the condition and a scan with the condition as its filter give the same result.

use super::{Plain, boxed};
use dyno::Condition;
use dyno_tests::world;
use proptest::prelude::*;

pub(super) fn conditions() -> impl Strategy<Value = Condition<Plain>> {
    let text = proptest::sample::select(vec!["", "a", "t", "größe"]);
    let number = 0u32..4;
    let leaf = prop_oneof![
        text.clone().prop_map(|text| Plain::fields().text.eq(text)),
        text.clone().prop_map(|text| Plain::fields().text.begins_with(text)),
        text.clone().prop_map(|text| Plain::fields().text.contains(text)),
        text.clone().prop_map(|text| Plain::fields().note.ne(text)),
        text.clone().prop_map(|text| Plain::fields().tags.contains(text)),
        text.clone().prop_map(|text| Plain::fields().list.contains(text)),
        number.clone().prop_map(|number| Plain::fields().dotted.ge(number)),
        number.clone().prop_map(|number| Plain::fields().dotted.is_in([number, 2])),
        (number.clone(), number.clone())
            .prop_map(|(low, high)| Plain::fields().dotted.between(low.min(high), low.max(high))),
        number.prop_map(|number| Plain::fields().list.size().gt(number as usize)),
        Just(Plain::fields().note.exists()),
        Just(Plain::fields().tags.not_exists()),
        Just(Condition::item_exists()),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| one & other),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| one | other),
            inner.prop_map(|condition| !condition),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_condition_sends_the_names_and_values_that_it_uses(condition in conditions(), other in conditions()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let world = world::<Plain>().await;
            let repository = &world.repository;
            let plain = Plain {
                id: "t".to_owned(),
                number: 1,
                text: "t".to_owned(),
                note: None,
                dotted: 2,
                tags: ["a".to_owned()].into(),
                list: vec!["a".to_owned()],
            };
            check!(
                repository,
                plain.put().condition(condition.clone()),
                plain.create().condition(condition.clone()).condition(other.clone()),
                Plain::update(("t", 1)).with([Plain::fields().text.set("x"), Plain::fields().dotted.set(2)]).condition(condition.clone()),
                Plain::delete(("t", 1)).condition(!condition.clone() | other.clone()),
                Plain::scan().filter(condition.clone()).filter(other),
            );
            // The condition of a write and the filter of a scan give the same result.
            plain.put().send(repository).await.expect("a put");
            let found = Plain::scan().filter(condition.clone()).send(repository).await.expect("a scan");
            let outcome = plain.put().condition(condition).send(repository).await.expect("a put");
            assert_eq!(outcome.is_applied(), !found.items.is_empty());
        });
    }
}
