//! Older names of attributes in conditions and filters.

use super::{Film, alien, film, live, names, older};
use dyno::{Condition, Entities, Entity, Field, Item, Reason};
use dyno_tests::{Engine, differs, item, n, pause, reasons, s, world};

#[derive(Entity, Debug, PartialEq)]
#[entity(table = "reels")]
struct Reel {
    #[partition_key]
    film: String,
    #[sort_key]
    number: u32,
    #[attribute(alias = "name")]
    label: String,
}

#[derive(Entities, Debug, PartialEq)]
enum Shelf {
    Reel(Reel),
}

#[tokio::test]
async fn a_filter_of_several_entities_matches_values_under_aliases() {
    pause();
    let world = world::<Reel>().await;
    world.write_foreign::<Reel>(item([("film", s("1")), ("number", n(2)), ("name", s("Alien"))])).await;
    let named = Reel::query("1").filter(Reel::fields().label.eq("Alien")).entities::<Shelf>();
    let found = named.send(&world.repository).await.expect("a query").items;
    assert_eq!(found, [Shelf::Reel(Reel { film: "1".to_owned(), number: 2, label: "Alien".to_owned() })]);
}

#[tokio::test]
async fn the_guards_of_a_change_apply_to_values_under_aliases() {
    let world = world::<Film>().await;
    world.write_foreign::<Film>(older()).await;
    let f = Film::fields;
    let path = |path: &str| path.to_owned();
    for (change, reason) in [
        (f().likes.add(249), Reason::OutOfRange { path: path("likes") }),
        (f().likes.decrement(8), Reason::OutOfRange { path: path("likes") }),
        (f().cast.push_unique("Dallas"), Reason::Contained { path: path("cast") }),
    ] {
        let outcome = Film::update("1").with(change).send(&world.repository).await.expect("sent");
        assert_eq!(reasons(&outcome), [reason]);
    }
    world.write_foreign::<Film>(item([("id", s("1")), ("name", s("Alien"))])).await;
    let outcome = Film::update("1").with(f().likes.increment(1)).send(&world.repository).await.expect("sent");
    assert_eq!(reasons(&outcome), [Reason::Absent { path: path("likes") }]);
    let update = Film::update("1").with(f().likes.add(1)).send(&world.repository).await.expect("sent");
    update.applied().expect("applied");
    assert_eq!(live(&world.repository).await, Some(Film { likes: 1, ..film("Alien") }));
    assert_eq!(names(&world).await, ["id", "likes", "name"].map(str::to_owned).into());
    // An upsert of an existing item updates it.
    world.write_foreign::<Film>(older()).await;
    let upsert = Film::update("1").with([f().title.set_if_absent("Aliens"), f().likes.add(1)]).upsert();
    upsert.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(live(&world.repository).await, Some(Film { likes: 8, ..alien() }));
}

#[tokio::test]
async fn the_request_of_an_update_compares_the_attribute_and_its_aliases() {
    let world = world::<Film>().await;
    let f = Film::fields;
    let update = Film::update("1").condition(f().note.ne("x")).with([f().likes.add(2), f().title.set("Aliens")]);
    let request = update.request(&world.repository).expect("a request").to_string();
    assert_eq!(
        request.lines().take(4).collect::<Vec<_>>(),
        [
            "UpdateItem films",
            "  key: { id: \"1\" }",
            "  update: SET #likes = if_not_exists(#likes, if_not_exists(#n, :likes_3)) + :likes_4, #title = :title REMOVE #n, #name, #label",
            "  condition: attribute_exists(#id) \
             AND (attribute_not_exists(#likes) OR attribute_not_exists(#n) OR #likes = #n) \
             AND (attribute_not_exists(#note) OR attribute_not_exists(#remark) OR #note = #remark) \
             AND (attribute_not_exists(#note) OR attribute_not_exists(#comment) OR #note = #comment) \
             AND (attribute_not_exists(#remark) OR attribute_not_exists(#comment) OR #remark = #comment) \
             AND ((attribute_not_exists(#likes) AND attribute_not_exists(#n)) \
             OR (#likes <= :likes OR ((attribute_not_exists(#likes) OR attribute_type(#likes, :likes_2)) AND #n <= :n))) \
             AND NOT attribute_type(#likes, :likes_2) AND NOT attribute_type(#n, :n_2) \
             AND ((attribute_exists(#note) AND NOT attribute_type(#note, :note) AND #note <> :note_2) \
             OR ((attribute_not_exists(#note) OR attribute_type(#note, :note)) \
             AND ((attribute_exists(#remark) AND NOT attribute_type(#remark, :remark) AND #remark <> :remark_2) \
             OR ((attribute_not_exists(#remark) OR attribute_type(#remark, :remark)) AND #comment <> :comment))))",
        ]
    );
}

/// Every condition has the same result for a row with older names as for the same row with the new names.
#[tokio::test]
async fn conditions_and_filters_match_values_under_aliases() {
    let world = world::<Film>().await;
    let f = Film::fields();
    let entry = |name| f.scores.entry::<String, u8>(name);
    let note: &Field<Film, Option<String>> = &f.note;
    let is_equal = differs(Engine::MiniStack, "two absent attributes are equal");
    let equal = if is_equal { note.eq("seen") } else { note.eq_field(&f.title) };
    let unequal = if is_equal { note.ne("seen") } else { note.ne_field(&f.title) };
    let conditions: Vec<Condition<Film>> = vec![
        note.eq("seen"),
        note.eq("x"),
        note.ne("seen"),
        note.ne("x"),
        note.eq(None),
        note.ne(None),
        note.exists(),
        note.not_exists(),
        !note.exists(),
        note.is_in(["seen", "x"]),
        note.begins_with("se"),
        note.between("sa", "sz"),
        note.gt("z"),
        note.size().eq(4),
        note.size().ne(4),
        note.size().gt(9),
        f.tags.contains("horror"),
        !f.tags.contains("horror"),
        f.cast.contains("Ash"),
        entry("go").exists(),
        entry("go").not_exists(),
        entry("no").not_exists(),
        entry("go").eq(1),
        entry("go").ne(1),
        entry("no").ne(1),
        f.likes.ge(7) & !note.eq("x"),
        equal,
        unequal,
        f.title.gt_field(note),
        f.title.le_field(note),
        f.likes.lt(7) | note.eq("seen"),
    ];
    let absent = item([("id", s("1")), ("name", s("Alien")), ("n", n(7))]);
    let other = item([("id", s("1")), ("name", s("Alien")), ("n", n(7)), ("comment", s("seen"))]);
    for condition in conditions {
        let holds = async |row: Item| {
            world.write_foreign::<Film>(row).await;
            let found = Film::scan().filter(condition.clone()).send(&world.repository).await.expect("a scan");
            let put = live(&world.repository).await.expect("there").put().condition(condition.clone());
            let applied = put.send(&world.repository).await.expect("sent").is_applied();
            assert_eq!(found.items.len() == 1, applied, "{condition:?}");
            applied
        };
        for row in [older(), absent.clone(), other.clone()] {
            let moved = Film::from_item(row.clone()).and_then(|film| film.to_item()).expect("an item");
            assert_eq!(holds(row.clone()).await, holds(moved).await, "{condition:?} {row:?}");
        }
    }
}
