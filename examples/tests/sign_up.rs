//! The tests of the example `sign_up`.

use dyno::local::{Engine, Fault, Faults};
use dyno::{Error, Repository};
use dyno_examples::sign_up::{Answer, Email, User, change_email, sign_in, sign_up};

/// The table of the users, and the network of a process.
async fn users() -> Result<(Repository, Faults), Error> {
    let (engine, faults) = (Engine::in_memory()?, Faults::new());
    let repository = Repository::new(engine.client_with(&faults));
    repository.create_table::<User>().await?;
    Ok((repository, faults))
}

fn done(answer: Answer) -> User {
    let Answer::Done(user) = answer else { panic!("{answer:?}") };
    user
}

#[tokio::test]
async fn of_two_people_who_want_one_address_one_is_told_that_it_is_taken() -> Result<(), Error> {
    let (repository, _) = users().await?;
    let (one, other) = tokio::join!(
        sign_up("1", Email::new("ada@example.com"), "Ada", &repository),
        sign_up("2", Email::new(" ADA@example.com"), "Eve", &repository),
    );
    let answers = [one?, other?];
    assert_eq!(answers.iter().filter(|answer| **answer == Answer::Taken).count(), 1);
    let winner = answers.into_iter().find(|answer| *answer != Answer::Taken).expect("one of the two");
    assert_eq!(sign_in(Email::new("ada@example.com"), &repository).await?, Some(done(winner)));
    Ok(())
}

#[tokio::test]
async fn of_two_browsers_that_change_the_address_one_sees_the_change_of_the_other() -> Result<(), Error> {
    let (repository, _) = users().await?;
    let user = done(sign_up("1", Email::new("a@x"), "Ada", &repository).await?);
    let (one, other) = tokio::join!(
        change_email(user.clone(), Email::new("b@x"), &repository),
        change_email(user, Email::new("c@x"), &repository),
    );
    let (winner, loser) = match (one?, other?) {
        (Answer::Done(user), loser) | (loser, Answer::Done(user)) => (user, loser),
        neither => panic!("{neither:?}"),
    };
    assert_eq!(loser, Answer::Changed(Some(winner.clone())));
    assert_eq!(sign_in(winner.email.clone(), &repository).await?, Some(winner));
    // The address of the loser is free, and so is the old one.
    for (id, email) in [("2", "a@x"), ("3", "b@x"), ("4", "c@x")] {
        let answer = sign_up(id, Email::new(email), "", &repository).await?;
        let is_taken = sign_in(Email::new(email), &repository).await?.is_some_and(|user| user.id == "1");
        assert_eq!(answer == Answer::Taken, is_taken, "{email}");
    }
    Ok(())
}

#[tokio::test]
async fn a_sign_up_whose_answer_was_lost_counts_once() -> Result<(), Error> {
    let (repository, faults) = users().await?;
    faults.next([Fault::AnswerLost]);
    let user = done(sign_up("1", Email::new("a@x"), "Ada", &repository).await?);
    assert_eq!(sign_in(Email::new("a@x"), &repository).await?, Some(user));
    Ok(())
}
