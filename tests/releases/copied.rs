//! Tables that are exported and imported: the rows of each kind of entity are equal byte for byte, and the rules go on with them.

use crate::stored::{
    TABLES, filled, guards_and_idempotency_keys_hold, histories_and_tombstones_continue, settle, tables,
    the_lock_is_taken_over_with_a_greater_fence,
};
use dyno::json_lines::Table;
use dyno::local::Faults;
use dyno::{Repository, SendMany};

/// Returns the lines of a table, and the errors of rows that cannot be exported.
async fn export(db: &Repository, table: &str) -> (Vec<String>, Vec<String>) {
    let table = Table::describe(db, table).await.expect("a table");
    let (mut exported, mut errors) = (Vec::new(), Vec::new());
    let mut lines = table.export().stream(db);
    while let Some(line) = lines.next().await {
        match line {
            Ok(line) => exported.push(line.to_string()),
            Err(error) => errors.push(error.to_string()),
        }
    }
    exported.sort_unstable();
    (exported, errors)
}

/// The fixtures have the rows of each kind of entity.
#[tokio::test(start_paused = true)]
async fn an_imported_table_is_equal_byte_for_byte_and_its_rules_go_on() {
    let (from, to) = (filled().await, tables(&Faults::new()).await);
    let mut rows = 0;
    for table in TABLES {
        let (mut lines, held) = export(&from, table).await;
        // Two accounts wait for a transaction that has committed.
        assert_eq!(held.len(), usize::from(table == "accounts"), "{held:?}");
        if !held.is_empty() {
            settle(&from).await;
            lines = export(&from, table).await.0;
        }
        let to_table = Table::describe(&to, table).await.expect("a table");
        let imports = lines.clone().into_iter().map(move |line| to_table.import(&line));
        let mut sent = SendMany::new(table, imports).send(&to);
        while let Some(sent) = sent.next().await {
            sent.result.expect("imported");
        }
        assert_eq!(export(&to, table).await, (lines.clone(), Vec::new()));
        rows += lines.len();
    }
    assert!(rows > 20, "{rows}");
    histories_and_tombstones_continue(&to).await;
    guards_and_idempotency_keys_hold(&to).await;
    the_lock_is_taken_over_with_a_greater_fence(&to).await;
}
