//! Stored rows that are not what the entity declares, and tables that differ.

use super::Messages;
use super::shop::{Counter, Film, Line, Page, Rating, Shop, page};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, TableOptions};
use dyno_tests::{item, n, s};

pub(super) async fn messages(to: &mut Messages) {
    let shop = Shop::open().await;
    to.group("Stored rows that cannot be read");
    rows(to, &shop).await;
    to.group("Tables and indexes");
    tables(to, &shop).await;
    to.group("Findings of `inspect_table`");
    findings(to, &shop).await;
}

async fn rows(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    let row = |name: &str, value| {
        let mut row =
            item([("id", s("1")), ("_type", s("counter")), ("count", n(1)), ("tags", AttributeValue::L(vec![]))]);
        row.insert(name.to_owned(), value);
        row
    };
    for (situation, row) in [
        ("an attribute of another type", row("count", s("many"))),
        ("a number that does not fit the field", row("count", n(4711))),
        ("a required attribute is missing", item([("id", s("1")), ("_type", s("counter"))])),
        ("two values for one attribute, one under its alias", {
            let mut row = row("tags", AttributeValue::L(vec![s("a")]));
            row.insert("labels".to_owned(), AttributeValue::L(vec![s("b")]));
            row
        }),
    ] {
        shop.put("counters", row).await;
        to.error(situation, Counter::get("1").send(repository).await);
    }
    let row =
        |pk: &str, sk: &str| item([("PK", s(pk)), ("SK", s(sk)), ("city", s("Bern")), ("GSI1PK", s("City#Bern"))]);
    for (situation, row) in [
        ("a key that the template does not match", row("Order#0007", "Row#1#a")),
        ("a key with a field in another spelling", row("Order#7", "Line#1#a")),
        ("a key without its prefix", row("0007", "Line#1#a")),
    ] {
        to.error(situation, Line::from_item(row));
    }
    for (situation, row) in [
        ("a row of a newer schema version", item([("id", s("1")), ("_v", n(9))])),
        ("a row that `upgrade` rejects", item([("id", s("1"))])),
    ] {
        shop.put("films", row).await;
        to.error(situation, Film::get("1").send(repository).await);
    }
    shop.put("ratings", item([("user", s("ada")), ("movie", s("Up")), ("stars", n(5))])).await;
    to.error("a row without the ratchet's token", Rating::get(("ada", "Up")).send(repository).await);
}

async fn tables(to: &mut Messages, shop: &Shop) {
    #[derive(Entity, Clone, Debug)]
    #[entity(table = "counters")]
    #[index(name = "by_owner", partition = owner)]
    struct Other {
        #[partition_key]
        name: String,
        owner: String,
        #[ttl]
        expires: Option<dyno::EpochSeconds>,
    }
    let repository = &shop.repository;
    let options = TableOptions::default().deletion_protection();
    let differences = repository.verify_table_with::<Other>(&options).await.expect("a comparison");
    to.note("the table of another entity is verified", differences);
    to.error("a table with other keys is created", repository.create_table::<Other>().await);
    let missing = repository.clone().with_table_prefix("test-");
    to.note("a missing table is verified", missing.verify_table::<Page>().await.expect("a comparison"));
    to.error("a read of a missing table", Counter::get("1").send(&missing).await);
    to.error("a write of a missing table and its history", page(0).create().send(&missing).await);
}

async fn findings(to: &mut Messages, shop: &Shop) {
    let repository = &shop.repository;
    let row = |sk: &str, more: &[(&str, AttributeValue)]| {
        let mut row = item([("PK", s("Order#0007")), ("SK", s(sk)), ("city", s("Bern")), ("GSI1PK", s("City#Bern"))]);
        row.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        row
    };
    shop.put("lines", row("Line#1#a", &[("city", n(7))])).await;
    shop.put("lines", row("Line#2#a", &[("GSI1PK", s("City#Rome"))])).await;
    shop.put("lines", row("Line#3#a", &[("colour", s("red"))])).await;
    shop.put("lines", row("Line#x#a", &[])).await;
    shop.put("lines", row("Rest", &[])).await;
    to.note(
        "rows of other programs are inspected",
        repository.inspect_table::<Line>(usize::MAX).await.expect("an inspection"),
    );
}
