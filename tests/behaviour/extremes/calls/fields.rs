//! Handles of fields: changes, conditions and keys.

use super::{COUNTS, NUMBERS, Part, SIGNED, Tick, sane, texts};
use dyno_tests::World;

/// Sends an update with this change of a fresh handle.
macro_rules! changed {
    ($world:ident, $fields:ident => $change:expr) => {{
        let $fields = Tick::fields();
        let update = Tick::update((1_u64, 1_i64)).with($change);
        sane_write!(update, &$world.repository);
    }};
}

/// Sends a scan with this filter.
macro_rules! filtered {
    ($world:ident, $fields:ident => $condition:expr) => {{
        let $fields = Tick::fields();
        sane(Tick::scan().filter($condition).send(&$world.repository).await);
    }};
}

calls! { world;
    "field/changes::set" => {
        for text in texts() {
            changed!(world, f => f.bytes.set(text.as_bytes().to_vec()));
            changed!(world, f => f.name.set(text));
        }
        for number in [u128::MIN, u128::from(u64::MAX), u128::MAX] {
            changed!(world, f => f.huge.set(number));
        }
        for number in [f64::NAN, f64::INFINITY, f64::MIN, f64::MAX, f64::MIN_POSITIVE, -0.0] {
            changed!(world, f => f.ratio.set(number));
        }
    }
    "field/changes::set_if_absent" => {
        for text in texts() {
            changed!(world, f => f.name.set_if_absent(text));
        }
    }
    "field/changes::add" => {
        for number in SIGNED {
            changed!(world, f => f.number.add(number));
        }
        for number in [0, u128::MAX, 10_u128.pow(38) - 1] {
            changed!(world, f => f.huge.add(number));
        }
        changed!(world, f => f.small.add(u8::MAX));
        changed!(world, f => f.ratio.add(f64::NAN));
    }
    "field/changes::increment" => {
        for number in SIGNED {
            changed!(world, f => f.number.increment(number));
        }
        changed!(world, f => f.huge.increment(10_u128.pow(38) - 1));
    }
    "field/changes::decrement" => {
        for number in SIGNED {
            changed!(world, f => f.number.decrement(number));
        }
        changed!(world, f => f.huge.decrement(u128::MAX));
    }
    "field/changes::push" => {
        for text in texts() {
            changed!(world, f => f.texts.push(text));
        }
        changed!(world, f => f.texts.set(vec!["a".to_owned()]));
    }
    "field/changes::extend" => {
        changed!(world, f => f.texts.extend(std::iter::empty::<String>()));
        changed!(world, f => f.texts.extend(std::iter::repeat_n("x", 500_000)));
    }
    "field/changes::push_unique" => {
        for text in texts() {
            changed!(world, f => f.texts.push_unique(text));
        }
        changed!(world, f => f.texts.set(vec!["a".to_owned()]));
    }
    "field/changes::remove_value" => {
        for text in texts() {
            changed!(world, f => f.texts.remove_value(text));
        }
    }
    "field/changes::remove_at" => {
        for index in COUNTS {
            changed!(world, f => f.texts.remove_at(index, "a"));
        }
    }
    "field/changes::replace_at" => {
        for index in COUNTS {
            changed!(world, f => f.texts.replace_at(index, "a", "x".repeat(500_000)));
        }
    }
    "field/changes::insert" => {
        for number in SIGNED {
            changed!(world, f => f.numbers.insert(number));
        }
    }
    "field/changes::insert_all" => {
        changed!(world, f => f.numbers.insert_all(SIGNED));
        changed!(world, f => f.numbers.insert_all(0..500_000));
    }
    "field/changes::remove" => {
        for number in SIGNED {
            changed!(world, f => f.numbers.remove(number));
        }
    }
    "field/changes::remove_all" => {
        changed!(world, f => f.numbers.remove_all(std::iter::empty::<i64>()));
        changed!(world, f => f.numbers.remove_all(0..500_000));
    }
    "field/changes::entry" => {
        for text in texts() {
            changed!(world, f => f.scores.entry(text.clone()).set(u64::MAX));
            filtered!(world, f => f.scores.entry(text).eq(1));
        }
    }
    "field/conditions::eq" => {
        for text in texts() {
            filtered!(world, f => f.name.eq(text));
        }
        filtered!(world, f => f.ratio.eq(f64::NAN));
        filtered!(world, f => f.huge.eq(u128::MAX));
    }
    "field/conditions::ne" => {
        for text in texts() {
            filtered!(world, f => f.name.ne(text));
        }
    }
    "field/conditions::is_in" => {
        filtered!(world, f => f.name.is_in(texts()));
        filtered!(world, f => f.number.is_in(SIGNED));
        filtered!(world, f => f.number.is_in(0..));
    }
    "field/conditions::contains" => {
        for text in texts() {
            filtered!(world, f => f.name.contains(text));
        }
    }
    "field/conditions::lt" => {
        for number in SIGNED {
            filtered!(world, f => f.number.lt(number));
        }
    }
    "field/conditions::le" => {
        for text in texts() {
            filtered!(world, f => f.name.le(text));
        }
    }
    "field/conditions::gt" => {
        for number in SIGNED {
            filtered!(world, f => f.number.gt(number));
        }
    }
    "field/conditions::ge" => {
        for text in texts() {
            filtered!(world, f => f.name.ge(text));
        }
    }
    "field/conditions::between" => {
        for (low, high) in texts().into_iter().zip(texts().into_iter().rev()) {
            filtered!(world, f => f.name.between(low, high));
        }
        filtered!(world, f => f.number.between(i64::MIN, i64::MAX));
        filtered!(world, f => f.ratio.between(f64::NAN, f64::NAN));
    }
    "field/conditions::begins_with" => {
        for text in texts() {
            filtered!(world, f => f.name.begins_with(&text));
            filtered!(world, f => f.bytes.begins_with(text.as_bytes()));
        }
    }
    "field/conditions::$method" => {
        for size in COUNTS {
            filtered!(world, f => f.name.size().eq(size) | f.name.size().ne(size) | f.name.size().lt(size));
            filtered!(world, f => f.name.size().le(size) | f.name.size().gt(size) | f.name.size().ge(size));
        }
    }
    "field/keys::set" => {
        for (text, place) in texts().into_iter().zip(NUMBERS) {
            let update = Part::update("1").unchecked().with(Part::fields().shelf_and_place.set((text, place)));
            sane_write!(update, &world.repository);
        }
    }
}
