//! Reads: gets, pages of queries and scans, and gets in a transaction.

use super::{Indexed, Plain, Ranked, texts};
use dyno::TransactGet;
use dyno_tests::world;

macro_rules! reads {
    ($repository:expr, $cost:ident($($size:expr),*), $command:expr) => {{
        let command = $command;
        let cost = command.$cost($repository $(, $size)*).expect("a cost");
        let metered = $repository.metered();
        let _read = command.send(&metered).await.expect("a read");
        assert!(cost.applied.includes(&metered.usage()), "{:?}: {cost}", metered.usage());
        assert_eq!(cost.refused, None);
    }};
}

#[tokio::test]
async fn reads_cost_what_was_told() {
    let world = world::<Indexed>().await;
    let repository = &world.repository;
    repository.create_table::<Plain>().await.expect("a table");
    for (line, text) in (0..).zip(texts()) {
        let (group, tags) = (Some("g".to_owned()), vec!["a".to_owned()]);
        let bytes = text.len() + 200;
        Plain { id: line.to_string(), text: text.clone() }.put().send(repository).await.expect("put");
        let indexed = Indexed { id: "1".into(), line, group, rank: 1, text, tags };
        indexed.put().send(repository).await.expect("put");
        let id = line.to_string();
        reads!(repository, cost(bytes), Plain::get(&*id));
        reads!(repository, cost(bytes), Plain::get(&*id).consistent());
        reads!(repository, cost(bytes), Plain::get("absent"));
        reads!(repository, cost(bytes), TransactGet::new((Plain::get(&*id), Plain::get("absent"))));
        let items = usize::try_from(line).expect("a number") + 1;
        reads!(repository, cost(items, bytes), Indexed::query("1"));
        reads!(repository, cost(items, bytes), Indexed::query("1").consistent());
        reads!(repository, cost(100, bytes), Indexed::query("1").limit(1));
        reads!(repository, cost(items, bytes), Indexed::query("absent"));
        reads!(repository, cost(items, bytes), Indexed::by_group("g"));
        reads!(repository, cost(items, 200), Indexed::by_rank("1").project::<Ranked>());
        reads!(repository, cost(items, bytes), Indexed::scan());
    }
    let limited = Indexed::query("1").limit(1).cost(repository, 100, 4096).expect("a cost");
    assert_eq!(limited.to_string(), "applied: 1 request, 0.5 read units, 0 write units");
}
