//! `modify`: the read and the write that follows, for each kind of entity.

use super::{Account, Atomic, Dead, Letter, Member, Ordered, Session, Versioned, texts};
use dyno::{EpochSeconds, ErrorKind};
use dyno_tests::{NOW, world};

/// Sends a `modify` of this stored entity, and compares what it consumes with its cost for items of up to 10 KB. If it is applied,
/// the entity becomes what was stored.
macro_rules! modifies {
    ($repository:expr, $entity:ident, $stored:ident, $change:expr => $outcome:ident) => {{
        use crate::costs::Done as _;
        let stored = &mut $stored;
        let mut command = $entity::modify(stored.id.clone(), $change);
        let cost = command.cost($repository, stored, 10 * 1024).expect("a cost");
        let metered = $repository.metered();
        let sent = command.send(&metered).await.expect("sent");
        let is_applied = stringify!($outcome) == "applied";
        assert_eq!(sent.is_done(), is_applied, "{}", stringify!($change));
        let bounds = if is_applied { cost.applied } else { cost.refused.expect("it can be refused") };
        let usage = metered.usage();
        assert!(bounds.includes(&usage), "{}, with {usage:?}: {cost}", stringify!($change));
        if is_applied {
            *stored = sent.applied().expect("applied");
        }
    }};
}

#[tokio::test]
async fn a_modify_costs_what_was_told() {
    let world = world::<Versioned>().await;
    let repository = &world.repository;
    repository.create_table::<Session>().await.expect("a table");
    repository.create_table::<Dead>().await.expect("a table");
    for (turn, text) in (0..3).zip(texts()) {
        let mut versioned = Versioned { id: format!("{turn}"), text: text.clone(), version: 0 };
        modifies!(repository, Versioned, versioned, |stored| stored.text.clear() => refused);
        versioned.version = versioned.create().send(repository).await.expect("sent").applied().expect("applied");
        for after in texts() {
            modifies!(repository, Versioned, versioned, |stored| stored.text = after.clone() => applied);
            modifies!(repository, Versioned, versioned, |_| () => applied);
        }
        let until = EpochSeconds::new(NOW / 1000 + 60);
        let mut session = Session { id: format!("{turn}"), text: "1".to_owned(), until, version: 0 };
        let stored = session.create().send(repository).await;
        session.version = stored.expect("sent").applied().expect("applied");
        let later = EpochSeconds::new(NOW / 1000 + 90);
        modifies!(repository, Session, session, |stored| stored.until = later => applied);
        modifies!(repository, Session, session, |stored| stored.text = "2".to_owned() => applied);
        let gone = EpochSeconds::new(NOW / 1000 - 1);
        modifies!(repository, Session, session, |stored| stored.until = gone => applied);
        modifies!(repository, Session, session, |stored| stored.until = later => refused);

        let mut dead = Dead { id: format!("{turn}"), text: text.clone(), version: 0 };
        dead.version = dead.create().send(repository).await.expect("sent").applied().expect("applied");
        modifies!(repository, Dead, dead, |stored| stored.text.push('!') => applied);
        Dead::delete(format!("{turn}"), 2u64).send(repository).await.expect("sent").applied().expect("applied");
        modifies!(repository, Dead, dead, |stored| stored.text.push('!') => refused);
    }
}

#[tokio::test]
async fn a_modify_with_a_history_or_a_unique_value_costs_what_was_told() {
    let world = world::<Atomic>().await;
    let repository = &world.repository;
    repository.create_table::<Ordered>().await.expect("a table");
    repository.create_table::<Member>().await.expect("a table");
    repository.create_table::<Letter>().await.expect("a table");
    repository.create_table::<Account>().await.expect("a table");
    for (turn, text) in (0..3).zip(texts()) {
        let id = format!("{turn}");
        let mut atomic = Atomic { id: id.clone(), text: text.clone(), version: 0 };
        let mut ordered = Ordered { id: id.clone(), text: text.clone(), version: 0 };
        modifies!(repository, Atomic, atomic, |_| () => refused);
        modifies!(repository, Ordered, ordered, |_| () => refused);
        atomic.version = atomic.create().send(repository).await.expect("sent").applied().expect("applied");
        ordered.version = ordered.create().send(repository).await.expect("sent").applied().expect("applied");
        for after in texts() {
            modifies!(repository, Atomic, atomic, |stored| stored.text = after.clone() => applied);
            modifies!(repository, Ordered, ordered, |stored| stored.text = after.clone() => applied);
        }

        let name = |name: &str| Some(format!("{name}{turn}"));
        let other = Member { id: format!("other {turn}"), email: name("b"), text: text.clone(), version: 0 };
        other.create().send(repository).await.expect("sent").applied().expect("applied");
        let mut member = Member { id: id.clone(), email: name("a"), text: text.clone(), version: 0 };
        member.version = member.create().send(repository).await.expect("sent").applied().expect("applied");
        modifies!(repository, Member, member, |stored| stored.text.push('!') => applied);
        modifies!(repository, Member, member, |stored| stored.email = name("b") => refused);
        modifies!(repository, Member, member, |stored| stored.email = name("c") => applied);
        modifies!(repository, Member, member, |stored| stored.email = None => applied);
        modifies!(repository, Member, member, |stored| stored.email = name("a") => applied);

        let mut letter = Letter { id: id.clone(), number: Some(10 * turn), text: text.clone(), version: 0 };
        letter.version = letter.create().send(repository).await.expect("sent").applied().expect("applied");
        modifies!(repository, Letter, letter, |stored| stored.text.push('!') => applied);
        modifies!(repository, Letter, letter, |stored| stored.number = Some(10 * turn + 1) => applied);

        let (group, email) = ("g".to_owned(), name("a"));
        let mut account = Account { id: id.clone(), group, email, text: text.clone(), version: 0 };
        account.version = account.create().send(repository).await.expect("sent").applied().expect("applied");
        modifies!(repository, Account, account, |stored| stored.text.push('!') => applied);
        modifies!(repository, Account, account, |stored| stored.group.push('!') => applied);
        modifies!(repository, Account, account, |stored| stored.email = name("b") => applied);
    }
}

#[tokio::test]
async fn a_modify_that_send_refuses_has_its_error_instead_of_a_cost() {
    let world = world::<Versioned>().await;
    let repository = &world.repository.metered();
    let stored = Versioned { id: "1".into(), text: String::new(), version: 1 };
    let failed = Versioned::modify("1", |_| Err::<(), _>("no")).cost(repository, &stored, 100);
    assert_eq!(failed.expect_err("the closure fails").kind(), ErrorKind::Aborted);
    let large = Versioned::modify("1", |stored| stored.text = "x".repeat(500_000)).cost(repository, &stored, 100);
    assert!(large.expect_err("too large").is_invalid_input());
    let another = Versioned::modify("2", |_| ()).cost(repository, &stored, 100).expect_err("another key");
    assert!(another.to_string().contains("another key"), "{another}");
    let never = Versioned::modify("1", |_| ()).attempts(0).cost(repository, &stored, 100).expect_err("0 attempts");
    assert!(never.to_string().contains("0 attempts"), "{never}");
    assert_eq!(repository.usage().requests, 0);
}
