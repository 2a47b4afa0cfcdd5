use dyno::{BatchWrite, Document, Entity, Repository};

#[derive(Document)]
struct Address {
    city: Option<String>,
}

#[derive(Entity)]
#[index(name = "by_agent", partition(name = "PK1", template = "agent#{agent}"))]
struct Contract {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    client: Option<String>,
    #[attribute(immutable)]
    address: Address,
    #[attribute(immutable)]
    agent: String,
}

async fn changes(contract: Contract, repository: Repository) {
    let f = Contract::fields();
    let _ = Contract::update("1").with(f.client.set("x".to_owned()));
    let f = Contract::fields();
    let _ = Contract::update("1").with(f.client.clear());
    let f = Contract::fields();
    let _ = Contract::update("1").with(f.address.fields().city.set_if_absent(Some("Rome".to_owned())));
    let f = Contract::fields();
    let _ = Contract::update("1").with(f.agent.set_if_absent("x"));
    let _ = BatchWrite::new().add(contract.put()).send(&repository).await;
}

fn main() {}
