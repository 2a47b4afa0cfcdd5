//! What stands for entities, in the place of one.

use dyno::stream::Record;
use dyno::{Aggregate, Document, Entities, Entity, Loaded, Projection, Repository};

#[derive(Entity)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "Customer#{id}")]
#[sort_key(name = "SK", template = "Profile")]
struct Customer {
    id: String,
    name: String,
}

#[derive(Entities)]
enum Row {
    Customer(Customer),
}

#[derive(Aggregate)]
struct Account {
    customer: Customer,
}

#[derive(Projection)]
#[projection(of = Customer)]
struct Name {
    name: String,
}

#[derive(Document)]
struct Address {
    name: String,
}

async fn tables(repository: &Repository, record: &Record) -> Result<(), dyno::Error> {
    repository.create_table::<Row>().await?;
    let _ = repository.verify_table::<Account>().await?;
    repository.create_table::<Name>().await?;
    repository.create_table::<Loaded<Customer>>().await?;
    let _ = record.change::<Row>()?;
    let _ = record.is_of::<Record>();
    let _ = Customer::get("1").project::<Customer>();
    Ok(())
}

#[derive(Projection)]
#[projection(of = Row)]
struct OfEnum {
    name: String,
}

#[derive(Projection)]
#[projection(of = Name)]
struct OfProjection {
    name: String,
}

#[derive(Entities)]
enum Rows {
    Row(Row),
}

#[derive(Aggregate)]
struct Addresses {
    customer: Customer,
    addresses: Vec<Address>,
}

fn main() {}
