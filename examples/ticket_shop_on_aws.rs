//! The last step of the tutorial (`docs/tutorial.md`): the shop on DynamoDB. It takes region and credentials as the AWS CLI does.

#![expect(clippy::print_stdout, reason = "it is a program")]

use dyno_examples::ticket_shop;

use dyno::Repository;
use dyno::aws_sdk_dynamodb::Client;
use ticket_shop::{Seat, open, sell};

#[tokio::main]
async fn main() -> Result<(), dyno::Error> {
    let config = aws_config::load_defaults(aws_config::BehaviorVersion::latest()).await;
    let repository = Repository::new(Client::new(&config)).with_table_prefix("test-");
    repository.create_table::<Seat>().await?;
    open(&repository, "hamlet", 3).await?;
    println!("Ada has the seat: {}", sell(&repository, "hamlet", 1, "ada").await?);
    Ok(())
}
