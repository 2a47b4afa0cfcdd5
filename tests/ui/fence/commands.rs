use dyno::lock::Held;
use dyno::{BatchWrite, Entity, Repository};

#[derive(Entity)]
struct Report {
    #[partition_key]
    name: String,
    lines: u32,
    #[version]
    version: u64,
}

#[derive(Entity)]
struct Fenced {
    #[partition_key]
    name: String,
    lines: u32,
    #[fence]
    epoch: u64,
}

async fn without_the_attribute(report: Report, held: Held) {
    let _ = report.put().fenced(&held);
    let _ = Report::update("1").version(1u64).fenced(&held);
    let _ = Report::modify("1", |report| report.lines = 0).fenced(&held);
}

async fn with_it(fenced: Fenced, held: Held, repository: Repository) {
    let _ = Fenced::update("1").with(Fenced::fields().epoch.set(7));
    let _ = fenced.put().fenced(held);
    let _ = fenced.put().fenced(7i32);
    let _ = Fenced::delete("1");
    let _ = BatchWrite::new().add(fenced.put()).send(&repository).await;
}

fn main() {}
