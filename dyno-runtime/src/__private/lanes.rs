//! For the tests: a lane that a client-side transaction would own.

use crate::error::Error;
use crate::exchange::{Caller, Repository};
use crate::transaction::lanes;
use crate::transaction::lanes::Lanes;
use crate::transaction::record::TransactionId;
use std::collections::HashMap;

const CALLER: Caller<'_> = Caller { operation: "test", entity: "lane", priority: None };

/// A lane of a process.
#[derive(Debug)]
pub struct Lane {
    lane: lanes::Lane,
    transaction_ids: HashMap<String, TransactionId>,
}

/// Returns this repository with a copy of the lanes of another process, as after a snapshot or a fork.
#[must_use]
pub fn with_memory_of(repository: Repository, other: &Repository) -> Repository {
    repository.with_memory(other.memory::<Lanes>().copied())
}

/// Takes one.
pub async fn take(repository: &Repository) -> Result<Lane, Error> {
    Ok(Lane { lane: lanes::take(repository, CALLER).await?, transaction_ids: HashMap::new() })
}

impl Lane {
    /// Returns its next transaction ID, as an intent has it.
    pub fn next_transaction_id(&mut self) -> Result<String, Error> {
        let transaction_id = self.lane.next_transaction_id()?;
        let id = transaction_id.to_string();
        self.transaction_ids.insert(id.clone(), transaction_id);
        Ok(id)
    }

    /// The number that its last commit has left.
    #[must_use]
    pub fn previous(&self) -> u64 {
        self.lane.previous()
    }

    /// That attempt was committed.
    pub fn committed(&mut self, id: &str) {
        self.lane.committed(&self.transaction_ids[id]);
    }

    /// Its transaction was seen to its end.
    pub fn give_back(self) {
        self.lane.give_back();
    }

    /// Says that its owner lives.
    pub async fn renew(&mut self, repository: &Repository) -> Result<bool, Error> {
        self.lane.renew(repository, CALLER).await
    }
}
