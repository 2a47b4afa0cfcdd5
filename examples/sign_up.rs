//! Signs users up, and changes the address of one of them in two browsers at once: `cargo run --example sign_up`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use dyno::Repository;
use dyno_examples::sign_up::{Answer, Email, User, change_email, sign_in, sign_up};
use std::error::Error;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let repository = Repository::local().await?;
    repository.create_table::<User>().await?;

    // Two people want one address at the same moment.
    let both = ["ada", "eve"].map(|name| sign_up(name, Email::new("Ada@Example.com"), name, &repository));
    let [ada, eve] = both;
    let (ada, eve) = tokio::join!(ada, eve);
    println!("ada: {:?}\neve: {:?}", ada?, eve?);
    let user = sign_in(Email::new("ada@example.com"), &repository).await?.ok_or("somebody has the address")?;

    // Two browsers show the same user, and change the address at the same moment.
    let both = ["new@example.com", "other@example.com"]
        .map(|email| change_email(user.clone(), Email::new(email), &repository));
    let [one, other] = both;
    let (one, other) = tokio::join!(one, other);
    println!("one browser: {:?}\nthe other one: {:?}", one?, other?);

    // The old address is free at once.
    let again = sign_up("bob", Email::new("ada@example.com"), "bob", &repository).await?;
    println!("bob: {again:?}");
    assert!(matches!(again, Answer::Done(_)));
    Ok(())
}
