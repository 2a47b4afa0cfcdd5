//! Unique values, with writes of other programs.

use super::{Kind, Promise, record, tables};
use dyno::Entity;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::local::explore::Fault;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
#[tombstone(ttl_days = 7)]
struct User {
    #[partition_key]
    id: String,
    #[unique]
    email: Option<String>,
    visits: u64,
    #[version]
    version: u64,
}

fn user(id: &str, email: &str, version: u64) -> User {
    User { id: id.into(), email: Some(email.into()), visits: 0, version }
}

/// The users, each of which is found by its address.
async fn view(repository: dyno::Repository) -> Result<String, dyno::Error> {
    let mut users = User::scan().consistent().send(&repository).await?.items;
    users.sort_by(|one, other| one.id.cmp(&other.id));
    for user in users.iter().filter(|user| user.email.is_some()) {
        let email = user.email.clone().unwrap_or_default();
        let found = User::get_by_email(email).send(&repository).await?;
        // A program without dyno may have given two users one address.
        if found.is_none() {
            return Ok(format!("{user:?} is not found by its address"));
        }
    }
    Ok(format!("{users:?}"))
}

#[test]
fn unique() {
    let kind = Kind {
        name: "unique",
        promise: Promise::Once,
        tables: |repository| Box::pin(tables::<User>(repository)),
        states: states! {
            "absent" = |_repository| {};
            "ada has it" = |repository| user("ada", "a@x", 0).create().send(&repository).await?.applied()?;
            "ada had it" = |repository| {
                user("ada", "a@x", 0).create().send(&repository).await?.applied()?;
                user("bob", "b@x", 0).create().send(&repository).await?.applied()?;
                user("ada", "c@x", 1).put().send(&repository).await?.applied()?;
            };
        },
        commands: commands! {
            "create" = |who| user(who, "a@x", 0).create();
            "create another" = |who| user(&format!("new {who}"), "a@x", 0).create();
            "put 1" = |who| user(who, "a@x", 1).put();
            "set" = |who| User::update(who).version(1).with(User::fields().email.set(Some("a@x".to_owned())));
            "clear" = |who| User::update(who).version(1).with(User::fields().email.set(None));
            "modify to another" = |who| User::modify(who, |user| user.email = Some("z@x".to_owned()));
            "modify of ada's visits" = |_| User::modify("ada", |user| user.visits += 1);
            "delete of ada" = |_| User::delete("ada", 1);
        },
        hidden: &[],
        names: &[],
        view: Some(|repository| Box::pin(view(repository))),
    };
    record(&kind.explore());
    record(&kind.explore_triples());
}

/// Each process finds what it has just created, though other reads may be old.
#[test]
fn found_by_a_unique_value() {
    let kind = Kind {
        name: "found by a unique value",
        promise: Promise::Once,
        tables: |repository| Box::pin(tables::<User>(repository)),
        states: states! { "absent" = |_repository| {}; },
        commands: &[("create and find", |repository, who| {
            Box::pin(async move {
                let email = format!("{who}@x");
                match super::Told::of(user(who, &email, 0).create().send(&repository).await) {
                    super::Told::Applied => {}
                    told => return told,
                }
                match User::get_by_email(email).send(&repository).await {
                    Ok(found) => super::Told::Read(format!("{found:?}")),
                    Err(_) => super::Told::Unknown,
                }
            })
        })],
        hidden: &[],
        names: &[],
        view: Some(|repository| Box::pin(view(repository))),
    };
    record(&kind.explore_with(&super::at_one_time().with([Fault::StaleRead]), super::Depth::Either));
}

/// A program without dyno removes ada's address. Returns `true` if it knows that it has.
async fn give_up(repository: &dyno::Repository) -> bool {
    let update = repository.client().update_item().table_name("users");
    let update = update.key("id", AttributeValue::S("ada".into())).update_expression("REMOVE email");
    update.send().await.is_ok()
}

/// A program without dyno gives an address up, and guards that nobody needs are swept.
#[test]
fn unique_beside_a_foreign_writer() {
    let kind = Kind {
        name: "unique beside a foreign writer",
        promise: Promise::Once,
        tables: |repository| Box::pin(tables::<User>(repository)),
        states: states! {
            "ada has it" = |repository| user("ada", "a@x", 0).create().send(&repository).await?.applied()?;
            "ada has a guard for it" = |repository| {
                user("ada", "a@x", 0).create().send(&repository).await?.applied()?;
                give_up(&repository).await;
            };
        },
        commands: &[
            ("sweep", |repository, _| {
                Box::pin(async move {
                    match dyno::command::SweepGuards::<User>::new().send(&repository).await {
                        Ok(_) => super::Told::Applied,
                        Err(_) => super::Told::Unknown,
                    }
                })
            }),
            ("create", |repository, who| {
                Box::pin(async move {
                    super::Told::of(user(&format!("new {who}"), "a@x", 0).create().send(&repository).await)
                })
            }),
            ("a foreign update", |repository, _| {
                Box::pin(
                    async move { if give_up(&repository).await { super::Told::Applied } else { super::Told::Unknown } },
                )
            }),
            ("ada takes it", |repository, _| {
                Box::pin(async move {
                    let take = User::update("ada").version(1).with(User::fields().email.set(Some("a@x".to_owned())));
                    super::Told::of(take.send(&repository).await)
                })
            }),
        ],
        hidden: &[],
        names: &[],
        view: Some(|repository| Box::pin(view(repository))),
    };
    record(&kind.explore());
}
