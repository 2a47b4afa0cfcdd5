//! A user's own functions may have the names of functions and methods that do not exist, whose hints the compiler shows.

use dyno::command::Query;
use dyno::{Document, Entity, Error, Outcome, Projection};

#[derive(Entity)]
#[entity(table = "users")]
#[unique(name = "handle", fields("tenant", "handle"))]
#[allow(dead_code, reason = "only its expansion matters")]
struct User {
    #[partition_key]
    id: String,
    tenant: String,
    handle: String,
}

// Functions that an entity without a sort key, a version or a tombstone lacks.
impl User {
    fn modify(id: &str) -> String {
        format!("modify {id}")
    }

    fn query() -> u8 {
        1
    }
}

trait Own {
    fn undelete(&self) -> &'static str {
        "own undelete"
    }

    fn rollback() -> &'static str {
        "own rollback"
    }
}

impl Own for User {}

// Methods that errors, outcomes, queries and conditions lack.
trait OfErrors {
    fn is_retryable(&self) -> bool;

    fn code(&self) -> String;
}

impl OfErrors for Error {
    fn is_retryable(&self) -> bool {
        !self.may_be_applied()
    }

    fn code(&self) -> String {
        format!("{:?}", self.kind())
    }
}

trait OfOutcomes: Sized {
    fn is_refused(&self) -> bool;

    fn unwrap(self) -> bool {
        self.is_refused()
    }
}

impl<E, T> OfOutcomes for Outcome<E, T> {
    fn is_refused(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

trait OfQueries: Sized {
    fn take(self, count: usize) -> Self;
}

impl OfQueries for Query<Visit> {
    fn take(self, count: usize) -> Self {
        self.limit(count)
    }
}

#[derive(Entity)]
#[entity(table = "visits")]
#[allow(dead_code, reason = "only its expansion matters")]
struct Visit {
    #[partition_key]
    user: String,
    #[sort_key]
    number: u64,
}

#[test]
fn a_users_functions_may_have_the_names_of_functions_that_an_entity_lacks() {
    let user = User { id: "1".to_owned(), tenant: "acme".to_owned(), handle: "ann".to_owned() };
    assert_eq!(User::modify("1"), "modify 1");
    assert_eq!(User::query(), 1);
    assert_eq!(user.undelete(), "own undelete");
    let reference = &user;
    assert_eq!(reference.undelete(), "own undelete");
    assert_eq!(User::rollback(), "own rollback");
}

#[test]
fn a_users_traits_may_have_the_names_of_methods_that_errors_outcomes_and_queries_lack() {
    use std::ops::Not;

    let error = Error::from(dyno::EncodeError::new("no value"));
    assert!(error.is_retryable());
    let reference = &error;
    assert_eq!(reference.code(), "InvalidInput");
    let outcome: Outcome<User, ()> = Outcome::Applied(());
    assert!(!outcome.is_refused());
    assert!(!outcome.unwrap());
    assert!(format!("{:?}", Visit::query("1").take(3)).contains('3'));
    let first = || Visit::fields().number.ge(3);
    assert_eq!(format!("{:?}", first().not()), format!("{:?}", !first()));
}

/// A projection, a document and an entity in one may have the words of an entity.
#[derive(Entity, Document)]
#[allow(dead_code, reason = "only its expansion matters")]
struct Part {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Projection, Document)]
#[projection(of = Part)]
#[allow(dead_code, reason = "only its expansion matters")]
struct Name {
    #[attribute(rename = "id")]
    id: String,
}
