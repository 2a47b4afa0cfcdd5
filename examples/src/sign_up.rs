//! Sign-up, sign-in and a change of the e-mail address: two users never have one address.

use dyno::{Document, Entity, Error, Outcome, Repository};

/// An e-mail address, in lower case, so that two spellings of one address are one value.
#[derive(Document, Clone, Debug, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// Takes what somebody typed.
    #[must_use]
    pub fn new(typed: &str) -> Self {
        Self(typed.trim().to_lowercase())
    }
}

/// A user.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
#[tombstone(ttl_days = 30)]
#[expect(missing_docs, reason = "the names say it")]
pub struct User {
    #[partition_key]
    pub id: String,
    #[unique]
    pub email: Email,
    pub name: String,
    #[version]
    pub version: u64,
}

/// The answer to somebody who wants an address.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The address is the user's now.
    Done(User),
    /// Another user has the address.
    Taken,
    /// The user was changed meanwhile, in another browser. This is the user now, or nobody.
    Changed(Option<User>),
}

/// Creates a user.
///
/// # Errors
/// DynamoDB cannot be reached, or answers with an error. If the user may have been created, sign up again with the same id.
pub async fn sign_up(id: &str, email: Email, name: &str, repository: &Repository) -> Result<Answer, Error> {
    let user = User { id: id.to_owned(), email, name: name.to_owned(), version: 0 };
    let outcome = user.create().send(repository).await?;
    answer(user, outcome)
}

/// Changes the address of a user, as a browser shows it.
///
/// # Errors
/// DynamoDB cannot be reached, or answers with an error.
pub async fn change_email(shown: User, email: Email, repository: &Repository) -> Result<Answer, Error> {
    let set = User::fields().email.set(email.clone());
    let outcome = User::update(shown.id.clone()).version(shown.version).with(set).send(repository).await?;
    answer(User { email, ..shown }, outcome)
}

fn answer(user: User, outcome: Outcome<User, u64>) -> Result<Answer, Error> {
    match outcome {
        Outcome::Applied(version) => Ok(Answer::Done(User { version, ..user })),
        Outcome::Refused(refusal) if refusal.is_taken() => Ok(Answer::Taken),
        Outcome::Refused(refusal) => Ok(Answer::Changed(refusal.live()?)),
    }
}

/// Finds the user with an address, consistently: also a user who has just signed up.
///
/// # Errors
/// DynamoDB cannot be reached, or answers with an error.
pub async fn sign_in(email: Email, repository: &Repository) -> Result<Option<User>, Error> {
    User::get_by_email(email).send(repository).await
}
