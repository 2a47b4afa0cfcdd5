//! The lane table of client-side transactions.

use super::Plan;
use super::differences::Differences;
use super::options::{DEFAULT_OPTIONS, TableOptions};
use crate::error::Error;
use crate::exchange::Repository;
use crate::transaction::record::{LANE_TABLE_KEYS, LANE_TABLE_TTL};

/// The name in errors and spans, where other tables have the entity.
const LANES: &str = "lanes";

impl Repository {
    /// Creates the lane table, whose rows are the transaction records of client-side transactions: partition key `lane`, sort key
    /// `part`, both texts, TTL attribute `ttl`, billed on demand. An existing table is completed as
    /// [`create_table`](Self::create_table) does it, with the same requests and the same cost.
    ///
    /// Its name is `dyno-lanes` after the prefix, unless [`with_lane_table`](Self::with_lane_table) sets another one. It stays
    /// small: it has about as many rows as transactions were ever in progress at the same time. Never delete it,
    /// and never restore it to an earlier moment than the items: it alone records which transactions committed.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_lane_table(&self) -> Result<(), Error> {
        self.create_lane_table_with(&DEFAULT_OPTIONS).await
    }

    /// Like [`create_lane_table`](Self::create_lane_table), with these options: deletion protection is a good one.
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_lane_table_with(&self, options: &TableOptions) -> Result<(), Error> {
        self.create_all("create_lane_table", LANES, self.lane_plans(), options).await
    }

    /// Compares the lane table with what client-side transactions need. Returns every difference, and none if all is well.
    /// Changes nothing: a `DescribeTable` and a `DescribeTimeToLive`.
    ///
    /// # Errors
    /// Those of the service. A missing table is not an error but a difference.
    pub async fn verify_lane_table(&self) -> Result<Differences, Error> {
        self.verify_lane_table_with(&DEFAULT_OPTIONS).await
    }

    /// Like [`verify_lane_table`](Self::verify_lane_table), and also checks the stream and the protection of these options.
    ///
    /// # Errors
    /// As for [`verify_lane_table`](Self::verify_lane_table).
    pub async fn verify_lane_table_with(&self, options: &TableOptions) -> Result<Differences, Error> {
        self.verify_all("verify_lane_table", LANES, self.lane_plans(), options).await
    }

    pub(crate) fn lane_plans(&self) -> Result<Vec<Plan>, Error> {
        Ok(vec![lane_plan(self.lane_table()?)])
    }
}

fn lane_plan(name: String) -> Plan {
    Plan { is_main: true, ..Plan::of_rows(name, LANE_TABLE_KEYS, Some(LANE_TABLE_TTL), "transactional") }
}
