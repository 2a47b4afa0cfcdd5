//! NULL, which other writers store for "none", counts as absent wherever an attribute, a member or an entry may be absent.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{ActionRefusal, Change, Condition, Document, Entity, Item, Reason, Transaction};
use dyno_tests::{Engine, World, differs, item, n, pause, s, world};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    book: String,
    #[sort_key]
    page: u32,
    text: Option<String>,
    stars: Option<u8>,
    ratio: Option<f64>,
    #[attribute(default = "ten")]
    level: u32,
    tags: BTreeSet<String>,
    lines: Option<Vec<String>>,
    #[attribute(default)]
    log: Vec<String>,
    place: Option<Place>,
    scores: Option<BTreeMap<String, u32>>,
    #[attribute(alias = "old_nick")]
    nick: Option<String>,
    #[attribute(alias = "old_seen", default = "ten")]
    seen: u32,
    sparse: Vec<Option<u8>>,
    #[attribute(serde, default)]
    any: serde_json::Value,
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Place {
    city: Option<String>,
    #[attribute(default = "ten")]
    floors: u32,
    lines: Option<Vec<String>>,
}

fn ten() -> u32 {
    10
}

const NULL: AttributeValue = AttributeValue::Null(true);

/// The attributes that may be absent.
const NAMES: [&str; 12] =
    ["text", "stars", "ratio", "level", "tags", "lines", "log", "place", "scores", "nick", "seen", "any"];

/// A row in which each of these attributes has this value, or is absent.
fn row(value: Option<AttributeValue>) -> Item {
    let mut row = item([("book", s("a")), ("page", n(1)), ("sparse", AttributeValue::L(vec![n(1), NULL]))]);
    for name in NAMES {
        row.extend(value.clone().map(|value| (name.to_owned(), value)));
    }
    row
}

fn note() -> Note {
    Note {
        book: "a".to_owned(),
        page: 1,
        text: None,
        stars: None,
        ratio: None,
        level: 10,
        tags: BTreeSet::new(),
        lines: None,
        log: Vec::new(),
        place: None,
        scores: None,
        nick: None,
        seen: 10,
        sparse: vec![Some(1), None],
        any: serde_json::Value::Null,
    }
}

async fn with(row: Item) -> World {
    let world = world::<Note>().await;
    world.write_foreign::<Note>(row).await;
    world
}

async fn read(world: &World) -> Note {
    let note = Note::get(("a", 1)).consistent().send(&world.repository).await.expect("it decodes");
    note.expect("a note")
}

#[tokio::test]
async fn a_null_attribute_reads_as_an_absent_one() {
    pause();
    let world = with(row(Some(NULL))).await;
    assert_eq!(read(&world).await, note());
    let mut inner = row(None);
    inner.insert("place".to_owned(), AttributeValue::M(item([("city", NULL), ("floors", NULL), ("lines", NULL)])));
    inner.insert("scores".to_owned(), AttributeValue::M(item([("a", n(1)), ("b", NULL)])));
    world.write_foreign::<Note>(inner).await;
    let found = read(&world).await;
    assert_eq!(found.place, Some(Place { city: None, floors: 10, lines: None }));
    assert_eq!(found.scores, Some(BTreeMap::from([("a".to_owned(), 1)])));
}

#[tokio::test]
async fn a_required_list_that_is_null_is_an_error() {
    pause();
    let mut odd = row(None);
    odd.insert("sparse".to_owned(), NULL);
    let world = with(odd).await;
    let error = Note::get(("a", 1)).send(&world.repository).await.expect_err("a list must be there");
    assert!(error.to_string().contains("`sparse`: expected a list (L), found NULL"), "{error}");
}

#[tokio::test]
async fn none_in_a_list_is_stored_as_null() {
    pause();
    let world = with(row(None)).await;
    let repository = &world.repository;
    let f = Note::fields;
    let changed = Note::update(("a", 1)).with(f().sparse.extend([None, Some(7)])).send(repository).await;
    changed.expect("an answer").applied().expect("applied");
    Note::update(("a", 1))
        .with(f().sparse.remove_value(None))
        .send(repository)
        .await
        .expect("an answer")
        .applied()
        .expect("removed");
    assert_eq!(read(&world).await.sparse, [Some(1), None, Some(7)]);
    let stored = &world.stored::<Note>().await[0]["sparse"];
    assert_eq!(stored, &AttributeValue::L(vec![n(1), NULL, n(7)]));
}

/// Conditions, and whether they hold for a row without these attributes.
fn conditions() -> Vec<(&'static str, Condition<Note>, bool)> {
    let f = Note::fields();
    let place = Note::fields().place.fields();
    let (scores, other) = (f.scores.entry("b"), f.scores.entry("c"));
    vec![
        ("exists", f.text.exists(), false),
        ("not_exists", f.text.not_exists(), true),
        ("not exists", !f.text.exists(), true),
        ("not not_exists", !f.text.not_exists(), false),
        ("eq none", f.text.eq(None), true),
        ("ne none", f.text.ne(None), false),
        ("eq", f.text.eq("x"), false),
        ("ne", f.text.ne("x"), true),
        ("in", f.text.is_in(["x", "y"]), false),
        ("begins_with", f.text.begins_with("x"), false),
        ("contains", f.text.contains("x"), false),
        ("size", f.lines.size().ge(0) | f.lines.size().eq(1), false),
        ("size ne", f.lines.size().ne(1), true),
        ("lt", f.stars.lt(3), false),
        ("ge", f.stars.ge(0), false),
        ("between", f.stars.between(0, 9), false),
        ("empty set", f.tags.eq(BTreeSet::new()), true),
        ("set exists", f.tags.exists(), false),
        ("set contains", f.tags.contains("x"), false),
        ("default exists", f.level.exists(), false),
        ("list", f.lines.not_exists(), true),
        ("document", f.place.exists() | place.city.exists(), false),
        ("member", place.city.not_exists() & place.city.eq(None) & place.floors.not_exists(), true),
        ("entry", scores.not_exists() & other.not_exists() & scores.eq(None), true),
        ("alias", f.nick.not_exists() & f.nick.eq(None) & !f.nick.exists() & f.nick.ne("x"), true),
        ("eq_field", f.text.eq_field(&f.nick) | f.nick.eq_field(&f.text), false),
        ("ne_field", f.text.ne_field(&f.nick) & f.nick.ne_field(&f.text), true),
        ("orders of fields", f.text.lt_field(&f.nick) | f.text.le_field(&f.nick), false),
        ("other orders of fields", f.text.gt_field(&f.nick) | f.text.ge_field(&f.nick), false),
        ("alias exists", f.nick.exists() | f.nick.eq("ada") | f.seen.exists(), false),
    ]
}

#[tokio::test]
async fn conditions_and_filters_treat_null_as_absent() {
    pause();
    let mut inner = row(None);
    inner.insert("place".to_owned(), AttributeValue::M(item([("city", NULL), ("floors", NULL)])));
    inner.insert("scores".to_owned(), AttributeValue::M(item([("b", NULL)])));
    let mut older = row(None);
    older.extend([("old_nick".to_owned(), NULL), ("old_seen".to_owned(), NULL)]);
    for (which, row) in [("absent", row(None)), ("NULL", row(Some(NULL))), ("within", inner), ("older", older)] {
        let world = with(row.clone()).await;
        let repository = &world.repository;
        for (name, condition, holds) in conditions() {
            if name == "begins_with" && differs(Engine::MiniStack, "`begins_with` refuses a NULL in an item")
                || name.starts_with("size") && differs(Engine::MiniStack, "a NULL has a size")
            {
                continue;
            }
            // In this row, the document exists, and only its members are absent.
            let holds = if which == "within" && name == "document" { true } else { holds };
            let found = Note::query("a").filter(condition.clone()).send(repository).await.expect(name);
            assert_eq!(found.items.len(), usize::from(holds), "{which}: filter {name}");
            let checked = Transaction::new().check(Note::check(("a", 1)).condition(condition.clone()));
            let checked = checked.send(repository).await.expect(name);
            assert_eq!(checked.is_applied(), holds, "{which}: check {name}");
            let update = Note::update(("a", 1)).with(Note::fields().sparse.set(vec![])).condition(condition);
            let updated = update.send(repository).await.expect(name);
            assert_eq!(updated.is_applied(), holds, "{which}: update {name}");
            world.write_foreign::<Note>(row.clone()).await;
        }
    }
}

#[tokio::test]
async fn null_and_a_value_under_an_alias_are_refused_as_two_values() {
    pause();
    let mut older = row(Some(NULL));
    older.insert("old_nick".to_owned(), s("ada"));
    let world = with(older).await;
    let repository = &world.repository;
    let error = Note::get(("a", 1)).send(repository).await.expect_err("two values");
    assert!(error.is_decode() && error.to_string().contains("different ones under `nick` and `old_nick`"), "{error}");
    let update = Note::update(("a", 1)).with(Note::fields().nick.set_if_absent("eve")).send(repository).await;
    let update = update.expect("an answer");
    let reasons = update.refusal().expect("a refusal").reasons();
    assert!(reasons.contains(&Reason::TwoValues { attribute: "nick", found: "old_nick" }), "{reasons:?}");
    // The update is refused, too, if the item is read before anything is sent.
    let f = Note::fields;
    let changes = [f().sparse.remove_value(None), f().nick.set_if_absent("eve")];
    let metered = repository.metered();
    let update = Note::update(("a", 1)).with(changes).send(&metered).await.expect("an answer");
    let reasons = update.refusal().expect("a refusal").reasons();
    assert!(reasons.contains(&Reason::TwoValues { attribute: "nick", found: "old_nick" }), "{reasons:?}");
    assert_eq!(metered.usage().requests, 1);
    // A `set` leaves one value.
    let set = Note::update(("a", 1)).with(Note::fields().nick.set("eve")).send(repository).await;
    set.expect("an answer").applied().expect("applied");
    assert_eq!(read(&world).await.nick.as_deref(), Some("eve"));
}

/// The name of a change, the change, and its effect on a note.
type Case = (&'static str, fn() -> Change<Note>, fn(&mut Note));

const CHANGES: [Case; 14] = [
    ("set_if_absent", || Note::fields().text.set_if_absent("x"), |it| it.text = Some("x".to_owned())),
    (
        "set_if_absent of a set",
        || Note::fields().tags.set_if_absent(BTreeSet::from(["x".to_owned()])),
        |it| {
            it.tags.insert("x".to_owned());
        },
    ),
    ("add", || Note::fields().stars.add(2), |it| it.stars = Some(2)),
    ("add to a default", || Note::fields().level.add(2), |it| it.level = 12),
    ("add a fraction", || Note::fields().ratio.add(0.5), |it| it.ratio = Some(0.5)),
    ("push", || Note::fields().lines.push("x"), |it| it.lines = Some(vec!["x".to_owned()])),
    ("push to a default", || Note::fields().log.push("x"), |it| it.log.push("x".to_owned())),
    ("push_unique", || Note::fields().log.push_unique("x"), |it| it.log.push("x".to_owned())),
    (
        "insert",
        || Note::fields().tags.insert("x"),
        |it| {
            it.tags.insert("x".to_owned());
        },
    ),
    ("remove", || Note::fields().tags.remove("x"), |_| {}),
    ("clear", || Note::fields().text.clear(), |_| {}),
    ("set", || Note::fields().text.set("x"), |it| it.text = Some("x".to_owned())),
    ("alias set_if_absent", || Note::fields().nick.set_if_absent("x"), |it| it.nick = Some("x".to_owned())),
    ("alias add", || Note::fields().seen.add(2), |it| it.seen = 12),
];

#[tokio::test]
async fn changes_treat_null_as_absent() {
    pause();
    let mut older = row(None);
    older.extend([("old_nick".to_owned(), NULL), ("old_seen".to_owned(), NULL)]);
    for (which, row) in [("absent", row(None)), ("NULL", row(Some(NULL))), ("older", older)] {
        let world = with(row.clone()).await;
        let repository = &world.repository;
        for (name, change, expected) in CHANGES {
            let mut wanted = note();
            expected(&mut wanted);
            let update = || Note::update(("a", 1)).with(change());
            update().send(repository).await.expect(name).applied().expect(name);
            assert_eq!(read(&world).await, wanted, "{which}: {name}");
            world.write_foreign::<Note>(row.clone()).await;
            let both = Transaction::new().update(update()).check(Note::check(("a", 2)).absent());
            both.send(repository).await.expect(name).applied().expect(name);
            assert_eq!(read(&world).await, wanted, "{which}: {name}, in a transaction");
            world.write_foreign::<Note>(row.clone()).await;
        }
        // Several changes in one update.
        let changes = CHANGES[2..6].iter().map(|(_, change, _)| change()).collect::<Vec<_>>();
        let update = Note::update(("a", 1)).with(changes).send(repository).await;
        update.expect("an answer").applied().expect("applied");
        let found = read(&world).await;
        assert_eq!(
            (found.stars, found.level, found.ratio, found.lines.map(|it| it.len())),
            (Some(2), 12, Some(0.5), Some(1))
        );
    }
}

#[tokio::test]
async fn a_change_that_needs_a_value_is_refused_over_null() {
    pause();
    let world = with(row(Some(NULL))).await;
    let f = Note::fields;
    for (path, change) in [
        ("stars", f().stars.increment(1)),
        ("ratio", f().ratio.increment(0.5)),
        ("scores", f().scores.entry("a").set(1)),
        ("place", f().place.fields().city.set("Bern")),
        ("place", f().place.fields().lines.push("x")),
    ] {
        let outcome = Note::update(("a", 1)).with(change).send(&world.repository).await.expect(path);
        let refusal = outcome.refusal().expect(path);
        assert_eq!(refusal.reasons(), [Reason::Absent { path: path.to_owned() }], "{path}");
    }
    let mut inner = row(None);
    inner.insert("place".to_owned(), AttributeValue::M(item([("city", NULL), ("floors", NULL), ("lines", NULL)])));
    world.write_foreign::<Note>(inner).await;
    let [city, floors, lines] = [f(), f(), f()].map(|f| f.place.fields());
    let changes = [city.city.set_if_absent("Bern"), floors.floors.add(1), lines.lines.push("x")];
    Note::update(("a", 1)).with(changes).send(&world.repository).await.expect("an answer").applied().expect("applied");
    let place = Place { city: Some("Bern".to_owned()), floors: 11, lines: Some(vec!["x".to_owned()]) };
    assert_eq!(read(&world).await.place, Some(place));
}

#[tokio::test]
async fn a_change_of_values_that_are_not_null_sends_one_request() {
    pause();
    let mut full = row(None);
    full.extend([("stars".to_owned(), n(3)), ("text".to_owned(), s("y"))]);
    let world = with(full).await;
    let repository = world.repository.metered();
    let changes =
        || [Note::fields().stars.add(2), Note::fields().text.set_if_absent("x"), Note::fields().log.push("x")];
    let update = || Note::update(("a", 1)).with(changes());
    update().send(&repository).await.expect("an answer").applied().expect("applied");
    assert_eq!(repository.usage().requests, 1);
    let found = read(&world).await;
    assert_eq!((found.stars, found.text.as_deref(), found.log.len()), (Some(5), Some("y"), 1));
    // A sum that does not fit its type is not taken for NULL.
    let refused =
        Note::update(("a", 1)).with(Note::fields().stars.add(255)).send(&repository).await.expect("an answer");
    let reasons = refused.refusal().expect("a refusal").reasons().to_vec();
    assert_eq!(reasons, [Reason::OutOfRange { path: "stars".to_owned() }]);
    world.write_foreign::<Note>(row(Some(NULL))).await;
    let metered = world.repository.metered();
    update().send(&metered).await.expect("an answer").applied().expect("applied");
    assert_eq!(metered.usage().requests, 2, "the refusal brings the item");
    let refused = update().condition(Note::fields().level.ge(1)).send(&metered).await.expect("an answer");
    assert_eq!(refused.refusal().expect("a refusal").reasons(), [Reason::Condition]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "counters")]
struct Counter {
    #[partition_key]
    id: String,
    hits: u32,
    #[attribute(alias = "old_visits")]
    visits: u32,
    #[attribute(alias = "old_stars")]
    stars: Option<u8>,
}

/// For a required number, NULL is neither a valid value nor absent, so the update is refused.
#[tokio::test]
async fn an_add_to_a_required_number_that_is_null_is_refused() {
    pause();
    let world = world::<Counter>().await;
    let repository = &world.repository;
    let older = item([("id", s("a")), ("hits", NULL), ("old_visits", NULL), ("old_stars", NULL)]);
    world.write_foreign::<Counter>(older).await;
    let f = Counter::fields;
    let null = |path: &str| vec![Reason::Null { path: path.to_owned() }];
    for (path, change) in [("hits", f().hits.add(1)), ("visits", f().visits.add(1))] {
        let update = || Counter::update("a").with(change.clone());
        assert_eq!(refused!(update(), repository), null(path));
        // The refusal does not name the given condition.
        assert_eq!(refused!(update().condition(f().id.eq("a")), repository), null(path));
        let both = Transaction::new().update(update()).check(Counter::check("b").absent());
        let outcome = both.send(repository).await.expect("sent");
        let refusal = outcome.refusal().expect("refused");
        let reasons: Vec<_> = refusal.actions().map(ActionRefusal::reasons).collect();
        assert_eq!(reasons, [null(path)]);
    }
    // For an optional number, NULL is reported as one reason, and only once.
    let update = Counter::update("a").with([f().hits.add(1), f().stars.add(1)]);
    let expected = [null("hits"), null("old_stars")].concat();
    assert_eq!(refused!(update, repository), expected);
}
