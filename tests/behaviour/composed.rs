//! The page *Costs* compares writes of several rows with the same writes by hand. Both keep the same promises, and the page has
//! their code.

use dyno::Repository;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno_tests::composed::{self, Account, Document, User, by_hand};
use dyno_tests::{World, world};
use futures_util::future::join_all;

const WAYS: [bool; 2] = [false, true];

struct Writer<'a> {
    is_by_hand: bool,
    repository: &'a Repository,
    client: Client,
}

impl<'a> Writer<'a> {
    fn new(world: &'a World, is_by_hand: bool) -> Self {
        Self { is_by_hand, repository: &world.repository, client: world.client(RetryConfig::standard()) }
    }

    async fn put(&self, document: &Document) -> bool {
        if self.is_by_hand {
            by_hand::put_document(&self.client, document).await.expect("sent")
        } else {
            composed::put_document(self.repository, document).await.expect("sent")
        }
    }

    async fn create(&self, user: &User) -> bool {
        if self.is_by_hand {
            by_hand::create_user(&self.client, user).await.expect("sent")
        } else {
            composed::create_user(self.repository, user).await.expect("sent")
        }
    }

    /// Returns what the source has then; `None` if it has too little.
    async fn transfer(&self, sum: u64) -> Option<u64> {
        if self.is_by_hand {
            by_hand::transfer(&self.client, 1, 2, sum).await.ok()
        } else {
            composed::transfer(self.repository, 1, 2, sum).await.ok()
        }
    }
}

fn document(title: &str, version: u64) -> Document {
    Document { id: "d".to_owned(), title: title.to_owned(), text: "…".to_owned(), version }
}

#[tokio::test]
async fn a_put_keeps_each_version_and_refuses_a_stale_one() {
    for is_by_hand in WAYS {
        let world = world::<Document>().await;
        let writer = Writer::new(&world, is_by_hand);
        document("one", 0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
        world.faults.lose_answers(1);
        assert!(writer.put(&document("two", 1)).await);
        assert!(!writer.put(&document("late", 1)).await);
        let stored = Document::get("d").send(&world.repository).await.expect("a get");
        assert_eq!(stored, Some(document("two", 2)));
        let revisions = writer.client.scan().table_name("documents-history").send().await.expect("a scan");
        assert_eq!(revisions.count, 2, "by hand: {is_by_hand}");
    }
}

#[tokio::test]
async fn a_create_refuses_a_value_that_another_item_has() {
    let user =
        |id: &str, email: &str| User { id: id.to_owned(), email: email.to_owned(), name: "Ada".to_owned(), version: 0 };
    for is_by_hand in WAYS {
        let world = world::<User>().await;
        let writer = Writer::new(&world, is_by_hand);
        world.faults.lose_answers(1);
        assert!(writer.create(&user("1", "ada@example.com")).await);
        assert!(!writer.create(&user("2", "ada@example.com")).await);
        assert!(!writer.create(&user("1", "lovelace@example.com")).await);
        let users = writer.client.scan().table_name("users").send().await.expect("a scan");
        assert_eq!(users.count, 1, "by hand: {is_by_hand}");
    }
}

#[tokio::test]
async fn concurrent_transfers_keep_the_sum() {
    for is_by_hand in WAYS {
        let world = world::<Account>().await;
        let writer = Writer::new(&world, is_by_hand);
        for (id, balance) in [(1, 100), (2, 0)] {
            let account = Account { id, balance, version: 0 };
            account.create().send(&world.repository).await.expect("sent").applied().expect("applied");
        }
        world.faults.lose_answers(1);
        let transfers = (0..3).map(|_| Box::pin(writer.transfer(30)));
        let mut rests: Vec<_> = join_all(transfers).await.into_iter().flatten().collect();
        rests.sort_unstable();
        assert_eq!(rests, [10, 40, 70], "by hand: {is_by_hand}");
        assert_eq!(writer.transfer(30).await, None);
        let target = Account::get(2).send(&world.repository).await.expect("a get").expect("an account");
        assert_eq!(target.balance, 90);
    }
}

/// The page has the entities and functions of dyno, and all of the code by hand. Hidden lines let both compile.
#[test]
fn the_page_of_costs_has_both_codes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/costs.md");
    let old = std::fs::read_to_string(path).expect("the page");
    let code = include_str!("../src/composed/mod.rs");
    let (before, _) = code.split_once("\n\n/// Makes the call").expect("the end of the last function");
    let (_, by_dyno) = before.split_once("/// A document").expect("the first entity");
    let by_dyno = format!("/// A document{by_dyno}");
    let shown: Vec<&str> = by_dyno.lines().filter(|line| !line.starts_with("#[expect")).collect();
    let by_dyno = format!("# use dyno::{{Entity, Error, Outcome, Repository, Transaction}};\n{}", shown.join("\n"));
    let (_, by_hand) = include_str!("../src/composed/by_hand.rs").split_once("\n\n").expect("the code");
    let entities = shown.split(|line| line.starts_with("/// Stores")).next().expect("the entities");
    let hidden: Vec<String> = entities.iter().filter(|line| !line.is_empty()).map(|line| format!("# {line}")).collect();
    let hidden = format!("# use dyno::Entity;\n{}", hidden.join("\n"));
    let by_hand = by_hand.trim().replace("use super::{Account, Document, User};", &hidden);
    let mut page = old.clone();
    for (name, code) in [("by dyno", by_dyno), ("by hand", by_hand)] {
        let begin = format!("<!-- {name}, written by a test: UPDATE_EXPECT=1 -->\n```rust\n");
        let at = page.find(&begin).expect("the section") + begin.len();
        let end = at + page[at..].find("\n```\n").expect("its end");
        page.replace_range(at..end, &format!("# fn main() {{}}\n{code}"));
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &page).expect("the page is written");
    } else {
        assert!(page == old, "docs/costs.md has other code than tests/src/composed: UPDATE_EXPECT=1 writes it");
    }
}
