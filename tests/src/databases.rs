//! The databases at an endpoint: one for each access key.
//!
//! DynamoDB Local never closes a database. Each database keeps ten threads that wake up again and again, and a thousand
//! databases keep two processors busy without any request. So when a test has ended, its database is emptied and used again.

use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::{self, Credentials};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of databases that always rest. Meanwhile, requests that were under way at the end of a test arrive before the
/// database is used again.
const AT_REST: usize = 32;

/// The databases of tests that have ended. The one that has rested longest comes first.
static RESTING: Mutex<VecDeque<Credentials>> = Mutex::new(VecDeque::new());

/// The databases of a test. They are returned when the thread of the test ends, because no code of the test runs after that.
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

/// Returns the credentials of an empty database. Only this test uses the database until the test ends.
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
                // The table is protected against deletion, or it is being created or deleted. In the latter case the update
                // fails, too, and the next round tries again.
                let unprotected = client.update_table().table_name(&table).deletion_protection_enabled(false);
                let _ = unprotected.send().await;
            }
        }
    }
    panic!("a table of a test that has ended cannot be deleted");
}
