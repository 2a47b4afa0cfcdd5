//! For the tests: lanes of one's own, as a transaction of many requests has one.

use crate::error::Error;
use crate::exchange::{Caller, Repository};
use crate::transaction::lanes;
use crate::transaction::record::Ticket;
use std::collections::HashMap;

const MEETING: Caller<'_> = Caller { operation: "test", entity: "lane", priority: None };

/// A lane of a process.
#[derive(Debug)]
pub struct Lane {
    lane: lanes::Lane,
    tickets: HashMap<String, Ticket>,
}

/// Takes one.
pub async fn take(repository: &Repository) -> Result<Lane, Error> {
    Ok(Lane { lane: lanes::take(repository, MEETING).await?, tickets: HashMap::new() })
}

impl Lane {
    /// Its next ticket, as the id of an intent.
    pub fn ticket(&mut self) -> Result<String, Error> {
        let ticket = self.lane.ticket()?;
        let id = ticket.to_string();
        self.tickets.insert(id.clone(), ticket);
        Ok(id)
    }

    /// The number that its last commit has left.
    #[must_use]
    pub fn previous(&self) -> u64 {
        self.lane.previous()
    }

    /// That ticket was committed.
    pub fn committed(&mut self, id: &str) {
        self.lane.committed(&self.tickets[id]);
    }

    /// Its transaction was seen to its end.
    pub fn give_back(self) {
        self.lane.give_back();
    }

    /// Says that its owner lives.
    pub async fn renew(&mut self, repository: &Repository) -> Result<bool, Error> {
        self.lane.renew(repository, MEETING).await
    }
}
