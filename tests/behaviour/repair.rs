//! From every state of a row and its history that DynamoDB can hold, a documented command leads to a state in which writes
//! pass again. Nothing that the history held is lost.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochSeconds, Item, Outcome, Reason};
use dyno_tests::{World, item, n, s, world};

/// The row of the item in the entity's table.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Row {
    None,
    /// A live item of this version, as dyno writes it.
    Live(u64),
    /// A live item that another program has written, with this version or without a version.
    Foreign(Option<u64>),
    Tombstone(u64),
    ForeignTombstone(Option<u64>),
    /// An item past its TTL. Without a TTL attribute, the item is live.
    Expired(u64),
    /// An item with this invalid value as its version.
    Corrupt(&'static str),
}

/// The rows of the item's history. A row of version `K` is a copy of the item `Live(K)`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Past {
    None,
    UpTo(u64),
    /// Only the even versions.
    Gaps(u64),
    /// The last row has another image than the item.
    Differs(u64),
    /// The last row is a deletion.
    Deleted(u64),
}

const K: u64 = 3;

const ROWS: [Row; 13] = [
    Row::None,
    Row::Live(K),
    Row::Live(1),
    Row::Foreign(Some(K)),
    Row::Foreign(Some(1)),
    Row::Foreign(Some(0)),
    Row::Foreign(None),
    Row::Tombstone(K),
    Row::ForeignTombstone(Some(1)),
    Row::ForeignTombstone(None),
    Row::Expired(K),
    Row::Corrupt("a text"),
    Row::Corrupt("-1"),
];

const PASTS: [Past; 9] = [
    Past::None,
    Past::UpTo(K - 1),
    Past::UpTo(K),
    Past::UpTo(K + 1),
    Past::Gaps(K - 1),
    Past::Gaps(K + 2),
    Past::Differs(K),
    Past::Differs(K + 1),
    Past::Deleted(K + 1),
];

fn states() -> impl Iterator<Item = (Row, Past)> {
    ROWS.into_iter().flat_map(|row| PASTS.map(|past| (row, past)))
}

/// The commands that reasons advise, in order of preference.
const ADVICE: [&str; 4] = ["repair", "replace", "create", "put"];

/// One item and its history. Each state has a partition of its own.
struct Place<'a> {
    world: &'a World,
    folder: String,
    /// The item at the start of the test.
    stored: Option<Item>,
}

/// The attribute with the write id of a version, as dyno stores it.
fn name(version: u64) -> (String, AttributeValue) {
    ("_w".to_owned(), s(&format!("-name{version}")))
}

fn image(folder: &str, version: u64, text: &str) -> Item {
    let mut image = item([("folder", s(folder)), ("name", s("n")), ("text", s(text)), ("version", n(version))]);
    image.extend([name(version)]);
    image
}

/// The result of a command: the version that it stored, or the reasons of its refusal.
type Ended = Result<u64, Vec<Reason>>;

fn ended<E, T>(outcome: Outcome<E, T>, version: impl FnOnce(T) -> u64) -> Ended {
    match outcome {
        Outcome::Applied(returned) => Ok(version(returned)),
        Outcome::Refused(refusal) => Err(refusal.reasons().to_vec()),
    }
}

/// The command that the documentation of a reason advises.
fn advised(reason: &Reason) -> Option<&'static str> {
    match reason {
        Reason::Recorded { .. } | Reason::Corrupt { .. } => Some("repair"),
        Reason::Uncounted { .. } => Some("replace"),
        Reason::Missing | Reason::Deleted | Reason::Expired => Some("create"),
        Reason::Exists | Reason::Conflict { .. } => Some("put"),
        _ => None,
    }
}

macro_rules! kinds {
    ($($kind:ident $(#[$attribute:meta])* $(, $ttl:ident)?;)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "documents")]
            $(#[$attribute])*
            struct Doc {
                #[partition_key]
                folder: String,
                #[sort_key]
                name: String,
                #[attribute(default)]
                text: String,
                #[version]
                version: u64,
                $(#[ttl]
                $ttl: Option<EpochSeconds>,)?
            }

            fn doc(folder: &str, text: &str, version: u64) -> Doc {
                Doc { folder: folder.to_owned(), name: "n".to_owned(), text: text.to_owned(), version $(, $ttl: None)? }
            }

            /// The row as it is stored, if there is one.
            fn row(folder: &str, row: Row, seconds: i64) -> Option<Item> {
                let mut stored = match row {
                    Row::None => return None,
                    Row::Live(version) | Row::Tombstone(version) | Row::Expired(version) => image(folder, version, "now"),
                    Row::Foreign(_) | Row::ForeignTombstone(_) | Row::Corrupt(_) => {
                        item([("folder", s(folder)), ("name", s("n")), ("text", s("theirs")), ("more", s("kept"))])
                    }
                };
                match row {
                    Row::Foreign(version) | Row::ForeignTombstone(version) => {
                        stored.extend(version.map(|version| ("version".to_owned(), n(version))));
                    }
                    Row::Corrupt("-1") => _ = stored.insert("version".to_owned(), n(-1)),
                    Row::Corrupt(text) => _ = stored.insert("version".to_owned(), s(text)),
                    _ => {}
                }
                if let Row::Tombstone(_) | Row::ForeignTombstone(_) = row {
                    stored.insert("deleted".to_owned(), AttributeValue::Bool(true));
                }
                $(if let Row::Expired(_) = row {
                    stored.insert(stringify!($ttl).to_owned(), n(seconds - 60));
                })?
                _ = seconds;
                Some(stored)
            }

            /// Puts the rows of a history directly, without dyno's rules.
            async fn put_past(place: &Place<'_>, past: Past) {
                let (repository, folder) = (&place.world.repository, &*place.folder);
                let (last, is_kept): (u64, fn(u64) -> bool) = match past {
                    Past::None => return,
                    Past::Gaps(last) => (last, |version| version % 2 == 0),
                    Past::UpTo(last) | Past::Differs(last) | Past::Deleted(last) => (last, |_| true),
                };
                let table = repository.history_table_name::<Doc>().expect("a name");
                for version in (1..=last).filter(|version| is_kept(*version)) {
                    let mut image = image(folder, version, if version == K { "now" } else { "then" });
                    let is_last = version == last;
                    if is_last && matches!(past, Past::Differs(_)) {
                        image.insert("text".to_owned(), s("other"));
                        image.insert("_w".to_owned(), s("-other"));
                    }
                    let mut row = item([("_version", n(version)), ("_image", AttributeValue::M(image))]);
                    if is_last && matches!(past, Past::Deleted(_)) {
                        row.insert("_deleted".to_owned(), AttributeValue::Bool(true));
                    }
                    if table == "documents" {
                        row.insert("folder".to_owned(), s(folder));
                        row.insert("name".to_owned(), s(&format!("_rev|n|{version:020}")));
                    } else {
                        row.insert("_key".to_owned(), s(&format!("{folder}|n")));
                    }
                    let put = repository.client().put_item().table_name(&table).set_item(Some(row));
                    put.send().await.expect("a row");
                }
            }

            /// The rows of the history, by number.
            async fn rows(place: &Place<'_>) -> Vec<(u64, Item)> {
                let repository = &place.world.repository;
                let table = repository.history_table_name::<Doc>().expect("a name");
                let (key, value) = match &*table {
                    "documents" => ("folder", place.folder.clone()),
                    _ => ("_key", format!("{}|n", place.folder)),
                };
                let query = repository.client().query().table_name(table).key_condition_expression("#k = :k");
                let query = query.expression_attribute_names("#k", key).expression_attribute_values(":k", s(&value));
                let rows = query.send().await.expect("a query").items.unwrap_or_default();
                let number = |row: &Item| row.get("_version")?.as_n().ok()?.parse().ok();
                let mut rows: Vec<(u64, Item)> = rows.into_iter().filter_map(|row| Some((number(&row)?, row))).collect();
                rows.sort_by_key(|(number, _)| *number);
                rows
            }

            /// The live item, if it can be read.
            async fn live(place: &Place<'_>) -> Option<Doc> {
                Doc::get((&*place.folder, "n")).consistent().send(&place.world.repository).await.ok().flatten()
            }

            /// Sends a command. If the command needs a version, it is that of the live item, or 0.
            async fn run(place: &Place<'_>, command: &str) -> Ended {
                let (repository, folder) = (&place.world.repository, &*place.folder);
                let loaded = live(place).await.map_or(0, |live| live.version);
                match command {
                    "put" => ended(doc(folder, "new", loaded).put().send(repository).await.expect("sent"), |version| version),
                    "create" => ended(doc(folder, "new", 0).create().send(repository).await.expect("sent"), |version| version),
                    "replace" => ended(doc(folder, "new", loaded).replace().send(repository).await.expect("sent"), |version| version),
                    "delete" => ended(Doc::delete((folder, "n"), loaded).send(repository).await.expect("sent"), |version| version),
                    "modify" => match Doc::modify((folder, "n"), |doc| doc.text.push('!')).send(repository).await {
                        Ok(outcome) => ended(outcome, |doc| doc.version),
                        // The stored item cannot be decoded.
                        Err(error) => Err(error.refusal::<Doc>().map_or(
                            vec![Reason::Corrupt { attribute: "version", expected: "", found: "" }],
                            |refusal| refusal.reasons().to_vec(),
                        )),
                    },
                    _ => Ok(Doc::repair((folder, "n")).send(repository).await.expect("repaired").unwrap_or_default()),
                }
            }

            /// Every kind of write passes, with version numbers that are not taken. (If the history is ahead of the item and
            /// the next number is free, as in a gap or in an ordered history, only a later write finds the conflict.)
            async fn lives_on(place: &Place<'_>, mut may_be_ahead: bool, what: &str) {
                let taken = rows(place).await.last().map_or(0, |(number, _)| *number);
                let mut last = 0;
                for command in ["replace", "put", "delete", "create", "modify"] {
                    if (command == "create") == live(place).await.is_some() {
                        continue;
                    }
                    let mut ran = run(place, command).await;
                    if may_be_ahead && matches!(ran.as_ref().map_err(Vec::as_slice), Err([Reason::Recorded { .. }])) {
                        may_be_ahead = false;
                        run(place, "repair").await.expect("repaired");
                        ran = run(place, command).await;
                        assert!(ran.as_ref().is_ok_and(|version| *version > taken), "{what}, {command}: {ran:?}");
                    }
                    let version = ran.unwrap_or_else(|reasons| panic!("{what}, {command}: {reasons:?}"));
                    assert!(version > last, "{what}, {command}: {version} behind {last}");
                    assert!(may_be_ahead || version > taken || !what.contains("repaired"), "{what}, {command}: {version}");
                    last = version;
                }
                assert!(last > 0, "{what}");
            }

            /// Every row of the history is unchanged. (An ordered history has one exception: a row with the version and the
            /// write id of the item is not a revision yet, so its content can be replaced by that of the item.)
            async fn is_kept(place: &Place<'_>, before: &[(u64, Item)], what: &str) {
                let after = rows(place).await;
                for (number, row) in before {
                    let is_kept = |row: &Item| after.iter().any(|(after, kept)| after == number && kept == row);
                    let copy = place.stored.as_ref().and_then(|stored| copied(*number, row, stored));
                    assert!(is_kept(row) || copy.is_some_and(|copy| is_kept(&copy)), "{what}: {number} is lost");
                }
            }

            /// Returns the row that may replace a copy of this item in an ordered history. A copy has the item's version and
            /// write id.
            fn copied(number: u64, row: &Item, stored: &Item) -> Option<Item> {
                let name = stored.get("_w")?;
                let is_copy = stored.get("version") == Some(&n(number)) && row.get("_image")?.as_m().ok()?.get("_w") == Some(name);
                let mut copy = row.clone();
                copy.insert("_image".to_owned(), AttributeValue::M(stored.clone()));
                copy.remove("_deleted");
                if let Some(deleted) = stored.get("deleted") {
                    copy.insert("_deleted".to_owned(), deleted.clone());
                }
                (is_ordered() && is_copy).then_some(copy)
            }

            async fn start(place: &mut Place<'_>, stored: Row, past: Past) -> Vec<(u64, Item)> {
                place.stored = row(&place.folder, stored, place.world.clock_seconds());
                if let Some(row) = place.stored.clone() {
                    place.world.write_foreign::<Doc>(row).await;
                }
                put_past(place, past).await;
                rows(place).await
            }

            fn is_ordered() -> bool {
                stringify!($kind).starts_with("ordered")
            }

            #[tokio::test]
            async fn from_every_state_the_advised_commands_let_writes_pass() {
                let world = world::<Doc>().await;
                for (stored, past) in states() {
                    for first in ["put", "delete"] {
                        let mut place = Place { stored: None, world: &world, folder: format!("{stored:?}, {past:?}, {first}") };
                        let what = &place.folder.clone();
                        let before = start(&mut place, stored, past).await;
                        let mut path = vec![first];
                        let mut next = run(&place, first).await;
                        while let Err(reasons) = &next {
                            let advice = ADVICE.into_iter().find(|advice| reasons.iter().any(|reason| advised(reason) == Some(*advice)));
                            path.push(advice.unwrap_or_else(|| panic!("{what}: {path:?}: {reasons:?}")));
                            assert!(path.len() < 6, "{what}: {path:?}: {reasons:?}");
                            next = run(&place, path[path.len() - 1]).await;
                        }
                        is_kept(&place, &before, what).await;
                        lives_on(&place, is_ordered() || matches!(past, Past::Gaps(_)), what).await;
                        is_kept(&place, &before, what).await;
                    }
                }
            }

            #[tokio::test]
            async fn after_a_repair_writes_pass_and_the_row_is_in_the_history() {
                let world = world::<Doc>().await;
                for (stored, past) in states() {
                    let mut place = Place { stored: None, world: &world, folder: format!("repaired: {stored:?}, {past:?}") };
                    let before = start(&mut place, stored, past).await;
                    let (repository, what, key) = (&world.repository, &place.folder, (&*place.folder, "n"));
                    let repaired = Doc::repair(key).send(repository).await.expect("repaired");
                    is_kept(&place, &before, what).await;
                    if let Some(number) = repaired {
                        // The revision holds everything that the item held.
                        let mut row = row(&place.folder, stored, world.clock_seconds()).expect("a row");
                        let revision = Doc::revision(key, number).send(repository).await.expect("sent").expect("there");
                        row.insert("version".to_owned(), n(number));
                        row.remove("_w");
                        let mut image = revision.item().clone();
                        assert!(image.remove("_w").is_some());
                        assert_eq!(image, row, "{what}");
                        assert!(before.iter().all(|(taken, _)| *taken < number), "{what}: {number}");
                        assert_eq!(Doc::repair(key).send(repository).await.expect("repaired"), None, "{what}");
                    }
                    let first = if live(&place).await.is_some() { "replace" } else { "create" };
                    let version = run(&place, first).await.unwrap_or_else(|reasons| panic!("{what}: {reasons:?}"));
                    assert!(repaired.is_none_or(|repaired| version == repaired + 1), "{what}");
                    lives_on(&place, false, what).await;
                    is_kept(&place, &before, what).await;
                }
            }
        }
    )*};
}

kinds! {
    atomic #[history_table];
    atomic_in_the_same_table #[tombstone(ttl_days = 7, ttl = "expires")] #[history_table(layout = "same_table")], expires;
    ordered #[tombstone(ttl_days = 7)] #[history_table(mode = "ordered")];
    ordered_in_the_same_table #[tombstone(ttl_days = 7)] #[history_table(mode = "ordered", layout = "same_table")];
}
