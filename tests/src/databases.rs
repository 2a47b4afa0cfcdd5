//! The databases at an endpoint: one for each access key.
//!
//! DynamoDB Local never ends a database: each keeps ten threads that wake up again and again, and a thousand of them keep two
//! processors busy with nothing. So the database of a test that has ended is emptied, and used again.

use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::{self, Credentials};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// As many databases rest at least: a request that is still under way when its test ends arrives before the next use.
const AT_REST: usize = 32;

/// Of tests that have ended, the one that has rested longest first.
static RESTING: Mutex<VecDeque<Credentials>> = Mutex::new(VecDeque::new());

/// The databases of a test. They are given back when its thread ends: nothing of the test runs any more.
#[derive(Default)]
struct OfThisTest(Vec<Credentials>);

impl Drop for OfThisTest {
    fn drop(&mut self) {
        resting(|databases| databases.extend(self.0.drain(..)));
    }
}

thread_local! {
    static OF_THIS_TEST: RefCell<OfThisTest> = RefCell::default();
}

/// Who has an empty database, for this test alone until it ends.
pub(crate) async fn empty(config: &config::Builder) -> Credentials {
    let rested = resting(|databases| (databases.len() > AT_REST).then(|| databases.pop_front()).flatten());
    let credentials = match rested {
        Some(credentials) => {
            let config = config.clone().credentials_provider(credentials.clone());
            delete_tables(&Client::from_conf(config.build())).await;
            credentials
        }
        None => new(),
    };
    OF_THIS_TEST.with_borrow_mut(|of_this_test| of_this_test.0.push(credentials.clone()));
    credentials
}

fn new() -> Credentials {
    static DATABASES: AtomicUsize = AtomicUsize::new(0);
    let database = DATABASES.fetch_add(1, Ordering::SeqCst);
    Credentials::new(format!("test{}x{database}", std::process::id()), "secret", None, None, "tests")
}

fn resting<T>(with: impl FnOnce(&mut VecDeque<Credentials>) -> T) -> T {
    with(&mut RESTING.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

async fn delete_tables(client: &Client) {
    for _ in 0..100 {
        let tables = client.list_tables().send().await.expect("the tables of a test that has ended").table_names;
        let tables = tables.unwrap_or_default();
        if tables.is_empty() {
            return;
        }
        for table in tables {
            if client.delete_table().table_name(&table).send().await.is_err() {
                // It is protected, or it is being made or deleted: then this fails, too, and it is in the next list.
                let unprotected = client.update_table().table_name(&table).deletion_protection_enabled(false);
                let _ = unprotected.send().await;
            }
        }
    }
    panic!("a table of a test that has ended cannot be deleted");
}
