//! Changes of numbers: arithmetic, the range of the type, and the defaults of absent attributes.

use super::{Points, Profile, path, profile, stored, texts, with_profile};
use dyno::Reason;
use dyno_tests::{Engine, differs, reasons, s};

#[tokio::test]
async fn numbers_are_added_incremented_and_decremented() {
    let f = Profile::fields;
    check!(f().likes.add(3) => |p| p.likes = 8);
    check!(f().likes.increment(3) => |p| p.likes = 8);
    check!(f().likes.decrement(5) => |p| p.likes = 0);
    check!(f().balance.add(-4) => |p| p.balance = -7);
    check!(f().balance.decrement(-4) => |p| p.balance = 1);
    check!(f().ratio.add(0.25), f().points.increment(Points(-9)) => |p| { p.ratio = 0.75; p.points = Points(-2); });
    check!(f().spare.add(4) => |p| p.spare = Some(4));
    if !differs(Engine::MiniStack, "a sum of 38 digits is not exact") {
        check!(f().huge.add(10u128.pow(38) - 2) => |p| p.huge = 10u128.pow(38) - 1);
    }
    check!(f().likes.set_if_absent(9), f().spare.set_if_absent(9) => |p| p.spare = Some(9));
    check!(f().spare.set(4), f().likes.add(0) => |p| p.spare = Some(4));
}

/// Beyond the range of its type, a number would make the item unreadable, so such a change is refused.
#[tokio::test]
async fn a_number_never_leaves_the_range_of_its_type() {
    let f = Profile::fields;
    let out = |place: &str| Reason::OutOfRange { path: path(place) };
    check!(f().stars.add(5) => |p| p.stars = 255);
    check_refused!(f().stars.add(6) => out("stars"));
    check_refused!(f().stars.increment(6) => out("stars"));
    check_refused!(f().likes.decrement(6) => out("likes"));
    check_refused!(f().points.add(Points(i16::MAX)) => out("points"));
    check_refused!(f().points.decrement(Points(i16::MIN)) => out("points"));
    check_refused!(f().balance.add(i64::MIN) => out("balance"));
    check_refused!(f().huge.add(10u128.pow(38) - 1) => out("huge"));
    check_refused!(f().address.fields().floors.add(253) => out("address.Floors"));
    check_refused!(f().spare.increment(1) => Reason::Absent { path: path("spare") });
    check_refused!(f().spare.decrement(0) => Reason::Absent { path: path("spare") });
    let error = Profile::update("1").with(f().huge.add(10u128.pow(38))).send(&with_profile().await.repository).await;
    assert!(error.expect_err("too many digits").to_string().contains("`huge`: "));
}

/// An absent number or list counts as the default that a reader sees, and a change starts from there.
#[tokio::test]
async fn absent_numbers_and_lists_start_from_their_defaults() {
    let world = with_profile().await;
    let rows = world.stored::<Profile>().await;
    let without = |names: &[&str]| {
        let mut row = rows[0].clone();
        row.retain(|name, _| !names.contains(&name.as_str()));
        row
    };
    let f = Profile::fields;
    world.write_foreign::<Profile>(without(&["level", "log"])).await;
    assert_eq!(stored(&world).await.level, 10);
    assert!(update!(world, f().level.add(3), f().log.push("bye")).is_applied());
    let after = stored(&world).await;
    assert_eq!((after.level, after.log), (13, texts(["hello", "bye"])));
    world.write_foreign::<Profile>(without(&["level", "log"])).await;
    assert_eq!(reasons(&update!(world, f().level.increment(1))), [Reason::Absent { path: path("level") }]);
    // The default plus this number is out of range, so the update requires a stored number, and there is none.
    assert_eq!(reasons(&update!(world, f().level.add(u32::MAX))), [Reason::Absent { path: path("level") }]);
    let corrupt = Reason::Corrupt { attribute: "level", expected: "a number (N)", found: "S" };
    let mut foreign = without(&["level"]);
    foreign.insert("level".to_owned(), s("x"));
    world.write_foreign::<Profile>(foreign).await;
    assert_eq!(reasons(&update!(world, f().level.increment(1))), [corrupt]);
}
