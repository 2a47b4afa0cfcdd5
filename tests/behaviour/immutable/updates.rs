//! Updates set an immutable attribute only if it is absent, alone or together with other fields.

use dyno::{Entity, EpochMillis, Outcome, Reason};
use dyno_tests::{item, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "tasks")]
#[index(name = "by_state", partition(name = "PK1", template = "team#{team}#state#{state}"), sort = id)]
struct Task {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    team: String,
    state: String,
    #[attribute(immutable)]
    author: Option<String>,
}

fn task(team: &str, state: &str) -> Task {
    Task { id: "1".to_owned(), team: team.to_owned(), state: state.to_owned(), author: None }
}

#[tokio::test]
async fn an_update_sets_a_value_once() {
    let world = world::<Task>().await;
    let repository = &world.repository;
    applied!(task("a", "open").create(), repository);
    for author in ["ann", "bob"] {
        applied!(Task::update("1").with(Task::fields().author.set_if_absent(Some(author.to_owned()))), repository);
    }
    let stored = Task::get("1").send(repository).await.expect("a get").expect("a task");
    assert_eq!(stored.author.as_deref(), Some("ann"));
}

/// The key of the index is made of both fields, so an update names both.
#[tokio::test]
async fn an_update_of_a_field_beside_it_names_the_same_value() {
    let world = world::<Task>().await;
    let repository = &world.repository;
    applied!(task("a", "open").create(), repository);
    let update = |team: &str, state: &str| Task::update("1").with(Task::fields().team_and_state.set((team, state)));
    assert_eq!(refused!(update("b", "done"), repository), [Reason::Immutable { attribute: "team" }]);
    applied!(update("a", "done"), repository);
    let done = Task::by_state("a", "done").send(repository).await.expect("a query").items;
    assert_eq!(done.iter().map(|task| &task.id[..]).collect::<Vec<_>>(), ["1"]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    author: Option<String>,
    stars: u32,
    #[ratchet(guards(author, stars))]
    at: EpochMillis,
    note: String,
    #[ratchet(guards(note))]
    noted: EpochMillis,
}

#[tokio::test]
async fn the_update_of_a_group_keeps_the_value() {
    let world = world::<Rating>().await;
    let repository = &world.repository;
    let row = [("id", s("1")), ("author", s("ann")), ("stars", n(3)), ("at", n(1)), ("note", s("")), ("noted", n(1))];
    world.write_foreign::<Rating>(item(row)).await;
    let update = |at, author: Option<&str>| {
        let author = author.map(str::to_owned);
        Rating::update("1").at(EpochMillis::new(at)).author(author).stars(5u32)
    };
    let changed = [Reason::Immutable { attribute: "author" }];
    assert_eq!(refused!(update(2, Some("bob")), repository), changed);
    assert_eq!(refused!(update(2, None), repository), changed);
    applied!(update(2, Some("ann")), repository);
    let same_token = update(2, Some("bob")).send(repository).await.expect("sent");
    let Outcome::Refused(refusal) = same_token else { panic!("applied") };
    assert!(!refusal.is_superseded(), "it is another event with the same token");
    let late = update(1, Some("ann")).send(repository).await.expect("sent");
    assert!(matches!(late, Outcome::Refused(refusal) if refusal.is_superseded()), "the ratchet decides as before");
}

#[tokio::test]
async fn an_upsert_creates_the_item_with_the_value() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "tasks")]
    struct Counter {
        #[partition_key]
        id: String,
        #[attribute(immutable)]
        unit: String,
        count: u64,
    }
    let world = world::<Counter>().await;
    for unit in ["ms", "s"] {
        let f = Counter::fields();
        let upsert = Counter::update("1").with((f.unit.set_if_absent(unit), f.count.add(1u64))).upsert();
        applied!(upsert, &world.repository);
    }
    let counter = Counter::get("1").send(&world.repository).await.expect("a get").expect("a counter");
    assert_eq!((&counter.unit[..], counter.count), ("ms", 2));
}
