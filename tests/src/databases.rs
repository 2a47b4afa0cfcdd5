//! The databases of an engine in another process: one for each access key, and a new one for each world.
//!
//! An AWS account has a limit of tables. So when a test has ended, the next test deletes its tables.

use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::{self, Credentials};
use std::cell::RefCell;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of databases so far.
static DATABASES: AtomicUsize = AtomicUsize::new(0);

/// The databases of tests that have ended.
static LEFT: Mutex<Vec<Credentials>> = Mutex::new(Vec::new());

fn left() -> MutexGuard<'static, Vec<Credentials>> {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The databases of a test. They are left when the thread of the test ends, because no code of the test runs after that.
#[derive(Default)]
struct OfThisTest(Vec<Credentials>);

impl Drop for OfThisTest {
    fn drop(&mut self) {
        left().append(&mut self.0);
    }
}

thread_local! {
    static OF_THIS_TEST: RefCell<OfThisTest> = RefCell::default();
}

/// Returns the credentials of a new database.
pub(crate) async fn empty(config: &config::Builder) -> Credentials {
    let ended = mem::take(&mut *left());
    for credentials in ended {
        delete_tables(&Client::from_conf(config.clone().credentials_provider(credentials).build())).await;
    }
    let access_key = access_key(DATABASES.fetch_add(1, Ordering::SeqCst));
    let credentials = Credentials::new(access_key, "secret", None, None, "tests");
    OF_THIS_TEST.with_borrow_mut(|of_this_test| of_this_test.0.push(credentials.clone()));
    credentials
}

/// The access key of a database of this process. MiniStack takes 12 digits for the number of an account, and has one account for
/// all other access keys.
#[must_use]
pub fn access_key(database: usize) -> String {
    format!("{:06}{database:06}", std::process::id() % 1_000_000)
}

/// Deletes what can be deleted now. `scripts/real-dynamodb` deletes the other tables at its end: those that are protected
/// against deletion, and those that are being changed.
async fn delete_tables(client: &Client) {
    let tables = client.list_tables().send().await.expect("the tables of a test that has ended");
    for table in tables.table_names() {
        let _deleted = client.delete_table().table_name(table).send().await;
    }
}
