//! Entities without a version: plain ones, with a TTL, with immutable attributes, and with a fence.

use super::{Kind, Promise, record, tables};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochSeconds};

/// A far time, in seconds.
const LATER: i64 = 4_000_000_000;
/// A time before the clock of a run.
const EARLIER: i64 = 1_800_000_000;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: String,
    text: String,
    count: u64,
}

fn note(who: &str) -> Note {
    Note { id: "1".into(), text: who.into(), count: 0 }
}

#[test]
fn plain() {
    let kind = Kind {
        name: "plain",
        promise: Promise::Repeated,
        tables: |repository| Box::pin(tables::<Note>(repository)),
        states: states! {
            "absent" = |_repository| {};
            "live" = |repository| note("old").put().send(&repository).await?;
            "foreign" = |repository| {
                let put = repository.client().put_item().table_name("notes").item("id", AttributeValue::S("1".into()));
                put.item("other", AttributeValue::N("7".into())).item("text", AttributeValue::S("old".into()))
                    .item("count", AttributeValue::N("3".into())).send().await.expect("a foreign row");
            };
        },
        commands: commands! {
            "put" = |who| note(who).put();
            "create" = |who| note(who).create();
            "replace" = |who| note(who).replace();
            "set" = |who| Note::update("1").with(Note::fields().text.set(who));
            "add" = |_| Note::update("1").with(Note::fields().count.add(1));
            "delete" = |_| Note::delete("1");
        },
        hidden: &[],
        names: &["notes"],
        view: None,
    };
    record(&kind.explore());
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sessions")]
struct Session {
    #[partition_key]
    id: String,
    user: String,
    #[ttl]
    expires: EpochSeconds,
    #[version]
    version: u64,
}

fn session(who: &str, expires: i64, version: u64) -> Session {
    Session { id: "1".into(), user: who.into(), expires: EpochSeconds::new(expires), version }
}

#[test]
fn ttl() {
    let kind = Kind {
        name: "ttl and version",
        promise: Promise::Repeated,
        tables: |repository| Box::pin(tables::<Session>(repository)),
        states: states! {
            "absent" = |_repository| {};
            "live" = |repository| session("old", LATER, 0).create().send(&repository).await?.applied()?;
            "expired" = |repository| session("old", EARLIER, 0).create().send(&repository).await?.applied()?;
        },
        commands: commands! {
            "create" = |who| session(who, LATER, 0).create();
            "put 1" = |who| session(who, LATER, 1).put();
            "modify" = |who| Session::modify("1", move |session| session.user.push_str(who));
            "update 1" = |who| Session::update("1").version(1).with(Session::fields().user.set(who));
            "delete" = |_| Session::delete("1", 1);
        },
        hidden: &["_w"],
        names: &["sessions"],
        view: None,
    };
    record(&kind.explore());
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "files")]
struct File {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    owner: Option<String>,
    text: String,
}

fn file(owner: Option<&str>, who: &str) -> File {
    File { id: "1".into(), owner: owner.map(str::to_owned), text: who.into() }
}

#[test]
fn immutable() {
    let kind = Kind {
        name: "immutable",
        promise: Promise::Repeated,
        tables: |repository| Box::pin(tables::<File>(repository)),
        states: states! {
            "absent" = |_repository| {};
            "live" = |repository| file(Some("old"), "old").put().send(&repository).await?.applied()?;
            "without an owner" = |repository| file(None, "old").put().send(&repository).await?.applied()?;
        },
        commands: commands! {
            "put" = |who| file(Some("old"), who).put();
            "put of another owner" = |who| file(Some(who), who).put();
            "put without an owner" = |who| file(None, who).put();
            "create" = |who| file(Some(who), who).create();
            "set the owner" = |who| File::update("1").with(File::fields().owner.set_if_absent(Some(who.to_owned())));
            "set" = |who| File::update("1").with(File::fields().text.set(who));
            "delete" = |_| File::delete("1");
        },
        hidden: &[],
        names: &["files"],
        view: None,
    };
    record(&kind.explore());
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reports")]
#[tombstone(ttl_days = 7)]
struct Report {
    #[partition_key]
    id: String,
    writer: String,
    #[fence]
    epoch: u64,
}

fn report(who: &str) -> Report {
    Report { id: "1".into(), writer: who.into(), epoch: 0 }
}

#[test]
fn fence() {
    let kind = Kind {
        name: "fence",
        promise: Promise::Repeated,
        tables: |repository| Box::pin(tables::<Report>(repository)),
        states: states! {
            "absent" = |_repository| {};
            "live" = |repository| report("old").put().fenced(5).send(&repository).await?.applied()?;
            "tombstone" = |repository| {
                report("old").put().fenced(5).send(&repository).await?.applied()?;
                Report::delete("1").fenced(5).send(&repository).await?.applied()?;
            };
        },
        commands: commands! {
            "put 4" = |who| report(who).put().fenced(4);
            "put 5" = |who| report(who).put().fenced(5);
            "put 6" = |who| report(who).put().fenced(6);
            "set 6" = |who| Report::update("1").with(Report::fields().writer.set(who)).fenced(6);
            "set" = |who| Report::update("1").with(Report::fields().writer.set(who));
            "delete 6" = |_| Report::delete("1").fenced(6);
        },
        hidden: &["ttl"],
        names: &["reports"],
        view: None,
    };
    record(&kind.explore());
}
