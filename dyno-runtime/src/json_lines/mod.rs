//! Tables as files: DynamoDB's own JSON, a row in each line, as in DynamoDB's
//! [exports to S3](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html).
//!
//! An [export](Table::export) reads all rows of a table: items, tombstones and revisions, with what rules keep in them. An
//! [import](Table::import) writes a row as it is in the line, unless there is one with its key. So export and import copy a table.
//! To write the content of a file to a table that is in use, decode the lines ([`Line::read`]) and send commands, which keep the
//! rules.
//!
//! ```
//! use dyno::{Entity, Repository, SendMany, json_lines};
//! # #[derive(Entity, Clone)] #[entity(table = "orders")] struct Order { #[partition_key] id: String, total: u32, #[version] version: u64 }
//! # async fn copy(from: Repository, to: Repository) -> Result<(), Box<dyn std::error::Error>> {
//!
//! // To a file. For a compressed one, write to an encoder, and read from a decoder.
//! let mut file = Vec::new();
//! let orders = json_lines::Table::describe(&from, "orders").await?;
//! let mut lines = orders.export().stream(&from);
//! while let Some(line) = lines.next().await {
//!     file.extend(format!("{}\n", line?).into_bytes());
//! }
//!
//! // To an empty table, as it was.
//! let orders = json_lines::Table::describe(&to, "orders").await?;
//! let rows = std::io::BufRead::lines(std::io::Cursor::new(file.clone()))
//!     .map(move |line| line.map(|line| orders.import(&line)));
//! let mut sent = SendMany::new("orders.jsonl", rows).send(&to);
//! while let Some(sent) = sent.next().await {
//!     if let Err(error) = sent.result {
//!         eprintln!("line {}: {error}", sent.number + 1);
//!     }
//! }
//!
//! // To a table that is in use: the live orders, which get versions of their own.
//! for line in std::io::BufRead::lines(&*file) {
//!     let line: json_lines::Line = line?.parse()?;
//!     if let Some(order) = line.read::<Order>(to.now())? {
//!         order.create().accept_equal().send(&to).await?.applied()?;
//!     }
//! }
//! # Ok(()) }
//! # #[cfg(feature = "local")] #[tokio::main(flavor = "current_thread")] async fn main() {
//! #     let (from, to) = (Repository::local().await.unwrap(), Repository::local().await.unwrap());
//! #     from.create_table::<Order>().await.unwrap(); to.create_table::<Order>().await.unwrap();
//! #     let order = Order { id: "1".into(), total: 5, version: 0 };
//! #     order.create().send(&from).await.unwrap().applied().unwrap();
//! #     copy(from, to.clone()).await.unwrap();
//! #     assert_eq!(Order::get("1").send(&to).await.unwrap().unwrap().total, 5);
//! # }
//! # #[cfg(not(feature = "local"))] fn main() {}
//! ```
//!
//! # What belongs together
//!
//! The rules of an entity keep rows in several tables: `orders-history`, `orders-unique`, idempotency keys. Copy all of them into tables of
//! the same names, or the rules begin anew with the stored rows: [What dyno stores](crate::guide::stored_forms) lists them. An export is
//! no snapshot: each row is as it was when it was read. So export while nobody writes, or use DynamoDB's export to S3, whose files have
//! such lines.

mod export;
mod import;
mod line;
mod table;

pub use export::{Export, Lines};
pub use import::Import;
pub use line::Line;
pub use table::Table;
